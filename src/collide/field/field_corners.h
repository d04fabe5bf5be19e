/* The corners of a distance field: those of the linear tetrahedra of its cells (triangles.h), as used for times of
 * impact and closest points. They are the points where the field is 0 on the seven lines from each sample along the
 * axes and the diagonals of the tetrahedra, and the samples inside on the sides of the grid. */
#ifndef ASHI_COLLIDE_FIELD_FIELD_CORNERS_H
#define ASHI_COLLIDE_FIELD_FIELD_CORNERS_H

#include "shape/distance_field.h"

/* `number` names the corner within the field, below 2^27. */
typedef void (*ashi_corner_visitor)(ash_vec3 corner, uint32_t number, void *user);

/* Visits the corners that belong to a surface cell; over all cells each corner is visited once. */
void ashi_field_corners_visit(const ash_geometry_def *def, const ashi_field_cell *cell, ashi_corner_visitor visit,
                              void *user);

#endif
