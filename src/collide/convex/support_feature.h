/* The flat part of a convex surface that faces a direction: a polygon, a line or a single point. */
#ifndef ASHI_COLLIDE_CONVEX_SUPPORT_FEATURE_H
#define ASHI_COLLIDE_CONVEX_SUPPORT_FEATURE_H

#include "ashlar/geometry.h"
#include "math/transform.h"

enum { ASHI_SUPPORT_FEATURE_MOST = 16, ASHI_SUPPORT_FEATURE_CIRCLE = 8 };

typedef struct ashi_support_feature {
    ash_vec3 points[ASHI_SUPPORT_FEATURE_MOST];  /* polygons counter-clockwise seen from outside */
    uint32_t numbers[ASHI_SUPPORT_FEATURE_MOST]; /* of the vertex in the geometry, whichever patch it belongs to */
    uint32_t count;
} ashi_support_feature;

/* The patch of a convex geometry that faces the unit vector `direction`, in the local frame; circles become regular
 * polygons of ASHI_SUPPORT_FEATURE_CIRCLE corners that turn with the body. */
void ashi_support_feature_find(const ash_geometry *geometry, ash_vec3 direction, ashi_support_feature *patch);

/* The same seen from a frame in which the geometry has this pose. */
void ashi_support_feature_move(ashi_support_feature *patch, ash_transform pose);

#endif
