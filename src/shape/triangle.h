/* One triangle: the nearest point with the feature it lies on, and rays that cannot slip between neighbours. */
#ifndef ASHI_SHAPE_TRIANGLE_H
#define ASHI_SHAPE_TRIANGLE_H

#include "ashlar/geometry.h"
#include "math/vec3.h"

/* Where on a triangle a, b, c a point lies. Edge k leads from corner k to the next. */
typedef enum ashi_feature {
    ASHI_CORNER_0,
    ASHI_CORNER_1,
    ASHI_CORNER_2,
    ASHI_EDGE_0,
    ASHI_EDGE_1,
    ASHI_EDGE_2,
    ASHI_FACE
} ashi_feature;

/* The point of the triangle nearest to p. */
ash_vec3 ashi_triangle_nearest(ash_vec3 a, ash_vec3 b, ash_vec3 c, ash_vec3 p, ashi_feature *feature);

/* The point of the segment nearest to p. */
ash_vec3 ashi_segment_nearest(ash_vec3 a, ash_vec3 b, ash_vec3 p);

/* A ray prepared for many triangles: the axis k along which it is longest, and the shear that turns it into that axis.
 */
typedef struct ashi_shear {
    ash_vec3 origin;
    int i, j, k;
    double shear_i, shear_j, scale_k;
} ashi_shear;

ashi_shear ashi_shear_of(const ash_ray *ray);

/* Where the line of the ray meets the triangle, from either side. Two triangles with a common edge are never both
 * missed by a line through that edge. */
bool ashi_triangle_line(const ashi_shear *shear, ash_vec3 a, ash_vec3 b, ash_vec3 c, double *t);

#endif
