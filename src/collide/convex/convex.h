/* Convex geometries as support functions, for GJK and its relatives: a core and a radius around it. A sphere is a point
 * with a radius, a capsule a segment with a radius; the others have radius 0. Working on cores keeps shallow contacts
 * of round shapes exact. */
#ifndef ASHI_COLLIDE_CONVEX_CONVEX_H
#define ASHI_COLLIDE_CONVEX_CONVEX_H

#include "ashlar/geometry.h"
#include "math/transform.h"

typedef struct ashi_convex {
    const ash_geometry *geometry; /* null for a triangle or other points */
    const ash_vec3 *points;       /* the corners, when geometry is null */
    uint32_t point_count;
    double radius; /* around the core */
} ashi_convex;

/* The core of a convex geometry; `is_convex` says whether it has one. */
bool ashi_is_convex(const ash_geometry *geometry);
ashi_convex ashi_convex_of(const ash_geometry *geometry);
ashi_convex ashi_convex_of_points(const ash_vec3 *points, uint32_t count, double radius);

/* The point of the core farthest along a direction (local frame, need not be unit); `feature` (may be null) receives a
 * number that names it: a vertex, or a quantized place on a curved surface. */
ash_vec3 ashi_convex_support(const ashi_convex *convex, ash_vec3 direction, uint32_t *feature);

/* Cylinders, cones and ellipsoids: cores that are not polyhedra. */
bool ashi_convex_is_curved(const ashi_convex *convex);

/* Curved cores consist of smooth pieces: corners, rims, whole ellipsoids. Whether two support points lie on one piece.
 */
bool ashi_convex_same_piece(const ashi_convex *convex, ash_vec3 p, ash_vec3 q);

/* The farthest point along a unit direction on the piece that `point` lies on, and how it moves with the direction: the
 * radii of curvature as a tensor. */
ash_vec3 ashi_convex_piece(const ashi_convex *convex, ash_vec3 point, ash_vec3 direction, ash_sym3 *curvature);

/* Whether a flat end of a cylinder or cone faces nearly along a unit direction; `normal` receives its normal. Its
 * points have no curvature, so it is worth rounding nearby directions to it. */
bool ashi_convex_flat_end(const ashi_convex *convex, ash_vec3 direction, ash_vec3 *normal);

/* Closest points or penetration of two convex sets, in the frame of a. */
typedef struct ashi_separation {
    double distance;     /* negative: minus the penetration depth */
    ash_vec3 normal;     /* unit, from a to b */
    ash_vec3 on_a, on_b; /* on_b - on_a = distance * normal */
    uint32_t iterations;
    bool converged;
} ashi_separation;

/* GJK on the cores, with radii taken into account. When the cores themselves overlap: the penetration depth (EPA or
 * better). `direction` (may be null) is a start value and receives the last direction. */
ashi_separation ashi_convex_separation(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a,
                                       ash_vec3 *direction);

/* The same, but ends early, not converged, once the distance is known to exceed `enough`; it is then a lower bound. */
ashi_separation ashi_convex_separation_within(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a,
                                              double enough, ash_vec3 *direction);

/* Distance only, cheaper: stops as soon as the distance is known to exceed `enough`: it is then a lower
 * bound, proved by the normal, and not converged. Zero minus the radii when the cores overlap. For casts and times of
 * impact. */
ashi_separation ashi_convex_distance(const ashi_convex *a, const ashi_convex *b, ash_transform b_in_a, double enough,
                                     ash_vec3 *direction);

#endif
