/* The part of a convex geometry that faces a direction: a point, a segment or a convex polygon. */
#ifndef ASHI_COLLIDE_CONVEX_SUPPORT_FACE_H
#define ASHI_COLLIDE_CONVEX_SUPPORT_FACE_H

#include "ashlar/geometry.h"
#include "math/transform.h"

#define ASHI_SUPPORT_FACE_MOST 32
#define ASHI_SUPPORT_FACE_RIM  8 /* corners that represent the rim of a disc */

typedef struct ashi_support_face {
    ash_vec3 points[ASHI_SUPPORT_FACE_MOST];   /* in order around a polygon */
    uint32_t features[ASHI_SUPPORT_FACE_MOST]; /* not 0; the same while the geometry turns a little */
    uint32_t count;
    double radius;    /* the surface lies this far outside the points (sphere, capsule) */
    ash_vec3 normal;  /* outward, of a polygon */
    ash_vec3 support; /* the farthest point; for a disc one of its corners is moved to it along the rim */
    uint32_t support_feature;
} ashi_support_face;

/* `direction` is a unit vector; it and the points are in the frame in which the geometry has this pose. Of a hull's
 * face with more than ASHI_SUPPORT_FACE_MOST corners an evenly spaced selection is taken. */
void ashi_support_face_towards(const ash_geometry *geometry, ash_transform pose, ash_vec3 direction,
                               ashi_support_face *front);

#endif
