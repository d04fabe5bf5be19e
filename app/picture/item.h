/* What a picture is made of: geometries at places, in a colour, found by rays and by points through a tree of boxes.
 *
 * The tree is built once for a picture by halving along the longest side; it is read by any number of threads. */
#ifndef CLI_RENDER_ITEM_H
#define CLI_RENDER_ITEM_H

#include "app/picture/colour.h"
#include "ashlar/geometry.h"
#include "base/array.h"

typedef struct cli_item {
    ash_geometry *geometry; /* one reference */
    ash_transform pose;
    ash_bounds bounds; /* may be infinite */
    cli_colour colour;
    double opacity; /* of marks */
    bool hidden;    /* of shapes: not drawn */
} cli_item;

/* A box of the tree: its children are the next node and `second`, or it holds items. */
typedef struct cli_node {
    ash_bounds bounds;
    uint32_t second;       /* 0: a leaf */
    uint32_t first, count; /* in `order` */
} cli_node;

typedef struct cli_items {
    ASHI_ARRAY(cli_item) list;
    ASHI_ARRAY(cli_node) nodes;
    ASHI_ARRAY(uint32_t) order;
    ash_status failure; /* of the first addition that failed */
} cli_items;

/* Adds a geometry, whose reference passes to the list also on failure. Null geometry: it could not be made. */
void cli_items_add(cli_items *items, ash_geometry *geometry, ash_transform pose, cli_colour colour, double opacity);
/* Simple solids in the world. A line is a capsule from end to end; an arrow has a head. */
void cli_items_add_ball(cli_items *items, ash_vec3 centre, double radius, cli_colour colour);
void cli_items_add_line(cli_items *items, ash_vec3 from, ash_vec3 to, double radius, cli_colour colour);
void cli_items_add_arrow(cli_items *items, ash_vec3 from, ash_vec3 to, double radius, cli_colour colour);

/* Makes the tree; to be called once after the last addition. ASH_OUT_OF_MEMORY or the first failure. */
ash_status cli_items_build(cli_items *items);
void cli_items_release(cli_items *items);

/* The first item that the ray (world frame, unit direction) meets; its number, or CLI_NO_ITEM. */
#define CLI_NO_ITEM UINT32_MAX
uint32_t cli_items_ray(const cli_items *items, const ash_ray *ray, ash_ray_hit *hit);

/* Whether anything bars the ray. */
bool cli_items_bar(const cli_items *items, const ash_ray *ray);

/* Numbers of the items whose bounds hold the point in the xy plane, widened by `reach`, in ascending order: at most
 * `capacity`; returns how many were written. */
uint32_t cli_items_at(const cli_items *items, ash_vec3 point, double reach, uint32_t *numbers, uint32_t capacity);

#endif
