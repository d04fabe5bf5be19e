/* Closed triangle meshes: data that is computed once from the points and triangles. */
#ifndef ASHI_SHAPE_MESH_H
#define ASHI_SHAPE_MESH_H

#include "shape/geometry.h"
#include "shape/triangle_tree.h"

typedef struct ashi_mesh {
    ashi_triangle_tree tree;
    /* Corner 3 t + k starts edge k of triangle t; its twin is the corner that starts the same edge in the other
     * direction. */
    uint32_t *twins;
    ash_vec3 *corner_normals; /* by point: the normals around it weighted by their angles, not unit */
    uint32_t *spokes;         /* by point: one of the corners at it */
    ash_bounds bounds;
    bool convex;        /* no point lies above the plane of a triangle, up to rounding */
    ash_geometry *hull; /* the same solid as a hull, for a convex mesh with at most ASHI_MESH_HULL points; else null */
} ashi_mesh;

/* Convex meshes up to this size collide with planes, height fields and other meshes as hulls. */
#define ASHI_MESH_HULL 256

/* Checks indices, degenerate triangles and edges, and fills twins (3 for each triangle). `points` are finite. */
ash_status ashi_mesh_check(const ash_vec3 *points, uint32_t point_count, const uint32_t *triangles,
                           uint32_t triangle_count, uint32_t *twins, ash_diagnostic *diagnostic);

/* The unit normal of a triangle. */
ash_vec3 ashi_mesh_normal(const ash_geometry *geometry, uint32_t triangle);

#endif
