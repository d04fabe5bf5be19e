/* The triangles of a surface near a box: for a mesh through its tree; for a height field cell by cell around the box;
 * for a distance field from the six tetrahedra of each cell (with the field linear in each, as for its mass), including
 * the sides of the grid where these cut through the inside. */
#ifndef ASHI_COLLIDE_SURFACE_TRIANGLES_H
#define ASHI_COLLIDE_SURFACE_TRIANGLES_H

#include "ashlar/geometry.h"

bool ashi_has_triangles(const ash_geometry *geometry);

/* `number` is the triangle's (mesh, height field) or the cell's (distance field), as in ray hits. Corners run
 * counter-clockwise seen from outside. Returns the new limit: the old one, or less. */
typedef double (*ashi_triangle_visitor)(const ash_vec3 corners[3], uint32_t number, double limit, void *user);

/* A half space that the visitor's set lies in: normal . x >= height. Triangles farther below than the limit are
 * skipped. The visitor may change the half space during the visit. */
typedef struct ashi_above {
    ash_vec3 normal;
    double height;
} ashi_above;

/* Visits all triangles, and maybe some more, whose boxes come within `limit` of `box`; the limit may be infinite.
 * Nearer ones come first where that is cheap. */
void ashi_triangles_visit(const ash_geometry *geometry, ash_bounds box, double limit, ashi_triangle_visitor visit,
                          void *user);
/* The same, with a half space. */
void ashi_triangles_visit_above(const ash_geometry *geometry, ash_bounds box, const ashi_above *above, double limit,
                                ashi_triangle_visitor visit, void *user);
/* The same for a distance field. */
void ashi_field_triangles_visit(const ash_geometry *geometry, ash_bounds box, const ashi_above *above, double limit,
                                ashi_triangle_visitor visit, void *user);

/* Whether a box is farther than the limit from the other box or below the half space, except for rounding. */
bool ashi_is_beyond(const ash_bounds *bounds, const ash_bounds *box, const ashi_above *above, double limit);
/* The squared distance of two boxes; 0 when they overlap. */
double ashi_bounds_gap2(const ash_bounds *a, const ash_bounds *b);

#endif
