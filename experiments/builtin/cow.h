/* The cow of Erleben's pile: one concave solid, a torso with a neck, a head, four thin legs and a tail. */
#ifndef ASHI_SCENE_BUILTIN_COW_H
#define ASHI_SCENE_BUILTIN_COW_H

#include "ashlar/geometry.h"

/* An ellipsoid or a capsule at its place in the cow's frame: x ahead, z up, the origin in the middle of the torso. */
typedef struct ashi_cow_part {
    ash_geometry_kind kind;
    ash_vec3 semi_axes; /* ellipsoid */
    ash_vec3 from, to;  /* capsule: its two centres; ellipsoid: its centre, and a point that its x axis points at */
    double radius;      /* capsule */
} ashi_cow_part;

#define ASHI_COW_PARTS 8
extern const ashi_cow_part ashi_cow_parts[ASHI_COW_PARTS];

/* The pose of a part's geometry: capsules lie along z. */
ash_transform ashi_cow_part_pose(const ashi_cow_part *part);

/* The union of the parts as a distance field on a grid of that spacing (m), shared by all cows. The thinnest part is
 * the tail, 0.1 m thick. */
ash_status ashi_cow_create(double spacing, ash_geometry **cow, ash_diagnostic *diagnostic);

#endif
