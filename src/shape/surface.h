/* Surfaces under construction: points with normals, and triangles between them. */
#ifndef ASHI_SHAPE_SURFACE_H
#define ASHI_SHAPE_SURFACE_H

#include "base/array.h"
#include "shape/geometry.h"

typedef struct ashi_triangle_list {
    ASHI_ARRAY(ash_vec3) points;
    ASHI_ARRAY(ash_vec3) normals; /* of the points */
    ASHI_ARRAY(uint32_t) triangles;
    bool failed; /* there was no memory: nothing more is added */
} ashi_triangle_list;

/* The point's number. */
uint32_t ashi_surface_point(ashi_triangle_list *surface, ash_vec3 point, ash_vec3 normal);
void ashi_surface_triangle(ashi_triangle_list *surface, uint32_t a, uint32_t b, uint32_t c);
/* A triangle with its own corners and normal. */
void ashi_surface_facet(ashi_triangle_list *surface, ash_vec3 a, ash_vec3 b, ash_vec3 c);

/* Adds the surface on which a distance field is zero. */
void ashi_surface_of_field(ashi_triangle_list *surface, const ash_geometry *geometry);

#endif
