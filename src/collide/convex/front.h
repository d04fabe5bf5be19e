/* The part of a convex geometry that faces a direction: a point, a segment or a convex polygon. */
#ifndef ASHI_COLLIDE_CONVEX_FRONT_H
#define ASHI_COLLIDE_CONVEX_FRONT_H

#include "ashlar/geometry.h"
#include "math/transform.h"

#define ASHI_FRONT_MOST 32
#define ASHI_FRONT_RIM  8 /* corners that stand for the rim of a disc */

typedef struct ashi_front {
    ash_vec3 points[ASHI_FRONT_MOST];   /* in order around a polygon */
    uint32_t features[ASHI_FRONT_MOST]; /* not 0; the same while the geometry turns a little */
    uint32_t count;
    double radius;    /* the surface lies this far outside the points (sphere, capsule) */
    ash_vec3 normal;  /* outward, of a polygon */
    ash_vec3 support; /* the farthest point: that of a disc is one of its corners, which it moves along the rim */
    uint32_t support_feature;
} ashi_front;

/* `direction`: unit, in the frame in which the geometry has this pose. So are the points. Of a hull's face with more
 * than ASHI_FRONT_MOST corners an even choice is taken. */
void ashi_front_towards(const ash_geometry *geometry, ash_transform pose, ash_vec3 direction, ashi_front *front);

#endif
