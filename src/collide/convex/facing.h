/* The flat part of a convex surface that faces a direction: a polygon, a line or a single point. */
#ifndef ASHI_COLLIDE_CONVEX_FACING_H
#define ASHI_COLLIDE_CONVEX_FACING_H

#include "ashlar/geometry.h"
#include "math/transform.h"

enum { ASHI_FACING_MOST = 16, ASHI_FACING_CIRCLE = 8 };

typedef struct ashi_facing {
    ash_vec3 points[ASHI_FACING_MOST];  /* polygons counter-clockwise seen from outside */
    uint32_t numbers[ASHI_FACING_MOST]; /* of the vertex in the geometry, whichever patch it belongs to */
    uint32_t count;
} ashi_facing;

/* The patch of a convex geometry that faces the unit vector `direction`, in the local frame; circles become regular
 * polygons of ASHI_FACING_CIRCLE corners that turn with the body. */
void ashi_facing_find(const ash_geometry *geometry, ash_vec3 direction, ashi_facing *patch);

/* The same seen from a frame in which the geometry has this pose. */
void ashi_facing_move(ashi_facing *patch, ash_transform pose);

#endif
