/* Mass properties and projected area of a closed, oriented triangle surface. */
#ifndef ASHI_SHAPE_POLYHEDRON_H
#define ASHI_SHAPE_POLYHEDRON_H

#include "shape/geometry.h"

/* Volume, centre of volume and inertia about it at density 1. The volume is negative for an inverted surface; the
 * centre and the inertia are not finite for a volume of 0. */
void ashi_polyhedron_mass(const ash_vec3 *points, uint32_t point_count, const uint32_t *triangles,
                          uint32_t triangle_count, double *volume, ash_vec3 *centre, ash_sym3 *inertia);

/* The sum of the projected areas of all triangles of a mesh or hull that face `direction`, a unit vector. */
double ashi_polyhedron_shadow(const ash_geometry *geometry, ash_vec3 direction);

#endif
