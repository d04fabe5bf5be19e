/* The closest points of any two geometries that have a distance.
 *
 * Convex sets: exact. Against a surface of triangles (mesh, height field, and a distance field as the linear tetrahedra
 * of its cells) the nearest triangle gives the distance; where a convex set passes through the surface, the depth is
 * the shortest candidate of the penetrated triangles that frees it or, if none does, that of the deepest triangle; a
 * set completely inside is measured from its nearest triangle. Compounds: the minimum over their parts. */
#ifndef ASHI_COLLIDE_QUERY_CLOSEST_H
#define ASHI_COLLIDE_QUERY_CLOSEST_H

#include "collide/convex/core.h"

typedef struct ashi_pair_distance {
    double distance;         /* negative: minus the depth */
    ash_vec3 normal;         /* unit, from a to b */
    ash_vec3 on_a, on_b;     /* on_b - on_a = distance normal */
    uint32_t part_a, part_b; /* triangle, cell or part of a compound */
    uint32_t visits;         /* for two surfaces: number of visited triangles; for other pairs 0 */
} ashi_pair_distance;

/* Result in the frame of a. Distances above `enough` are not computed: `closest` then holds only a number above
 * `enough` and at most the distance. False for pairs without a distance (two planes, two height fields, a flat and a
 * solid kind). No allocation. */
bool ashi_measure_distance(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double enough,
                           ashi_pair_distance *closest);

/* A convex set against a surface of triangles, in the frame of the surface, which is a; the set is b. */
void ashi_measure_surface(const ash_geometry *surface, const ashi_core *core, ash_transform pose, double enough,
                          ashi_pair_distance *closest);
/* Two surfaces of triangles. */
void ashi_measure_surfaces(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double enough,
                           ashi_pair_distance *closest);

/* Whether moving a convex set by `depth` along the unit vector `normal` frees it from a surface of triangles, except
 * for 1e-7 of its size: it then touches no triangle and is not inside. */
bool ashi_surface_frees(const ash_geometry *surface, const ashi_core *core, ash_transform pose, ash_vec3 normal,
                        double depth);

/* Whether a local point lies inside a mesh or distance field, or below a height field. */
bool ashi_surface_contains(const ash_geometry *surface, ash_vec3 point);

/* The box around a core at a pose. */
ash_bounds ashi_core_bounds(const ashi_core *core, ash_transform pose);

#endif
