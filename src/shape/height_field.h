/* Height fields: access to samples and triangles, for collision. */
#ifndef ASHI_SHAPE_HEIGHT_FIELD_H
#define ASHI_SHAPE_HEIGHT_FIELD_H

#include "shape/geometry.h"

/* The position of sample (i, j). */
ash_vec3 ashi_height_sample(const ash_geometry_def *def, uint32_t i, uint32_t j);

/* The corners of a triangle, counter-clockwise seen from above; cell (i, j) has triangles 2 (j (cells_x - 1) + i) and
 * the next one. */
void ashi_height_triangle(const ash_geometry_def *def, uint32_t number, ash_vec3 corners[3]);

#endif
