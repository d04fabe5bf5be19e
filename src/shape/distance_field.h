/* Signed distance fields: data that is computed once from the samples. */
#ifndef ASHI_SHAPE_DISTANCE_FIELD_H
#define ASHI_SHAPE_DISTANCE_FIELD_H

#include "shape/box_tree.h"
#include "shape/field_samples.h"

/* A grid cell that the surface passes through, or that lies inside at the grid's border. */
typedef struct ashi_field_cell {
    uint32_t i, j, k;
    ash_bounds inside; /* the exact box around the part of the cell where the field is negative */
} ashi_field_cell;

/* The box of a node encloses the inside of its cells; a leaf has the cells first ... first + count - 1. */
typedef struct ashi_field_surface {
    ashi_field_cell *cells; /* in the order of the tree */
    uint32_t cell_count;
    ashi_tree_node *nodes;
    uint32_t node_count;
    ash_bounds box;     /* around the inside, along the grid's axes */
    ash_vec3 core;      /* position of the deepest sample, ... */
    double core_radius; /* ... and its depth: roughly the largest inscribed ball */
    ashi_field_samples samples;
    double cut_area[6]; /* areas where the grid's sides -x, +x, -y, +y, -z, +z cut through the inside */
} ashi_field_surface;

/* The box of the grid. */
ash_bounds ashi_field_grid(const ash_geometry_def *def);

/* The eight samples at the corners of a cell; corner 1 is at +x, 2 at +y, 4 at +z. */
void ashi_field_corners(const ash_geometry_def *def, uint32_t i, uint32_t j, uint32_t k, double value[8]);

/* The gradient of the interpolated field (outside the grid: of what ash_geometry_distance gives). */
ash_vec3 ashi_field_gradient(const ash_geometry *geometry, ash_vec3 point);

/* The first point on the ray where the field becomes negative, within the grid. */
bool ashi_field_ray(const ash_geometry *geometry, const ash_ray *ray, ash_ray_hit *hit);

/* Finds the cells of the surface. */
ash_status ashi_field_surface_create(ash_geometry *geometry, ash_diagnostic *diagnostic);

/* Sorts the cells into a tree; false when there is no memory. */
bool ashi_field_tree_create(ashi_field_surface *surface);
/* The corner of the cells' inside boxes farthest along a direction: exact along the axes, otherwise at most one cell
 * too far, never too near. */
ash_vec3 ashi_field_tree_support(const ashi_field_surface *surface, ash_vec3 direction);

/* Volume, first and second moments (about the grid's origin, int x x^T dV) of the inside. */
typedef struct ashi_field_moments {
    double volume;
    ash_vec3 first;
    ash_sym3 second;
} ashi_field_moments;

/* Each cell is cut into six tetrahedra in which the field is linear: exact for that surface, which differs from the
 * smooth one by the square of the spacing. */
ashi_field_moments ashi_field_integrate(const ash_geometry_def *def);

/* The projected area of that surface along a unit direction. */
double ashi_field_shadow(const ash_geometry *geometry, ash_vec3 direction);

#endif
