/* Closed triangle meshes of simple solids, counter-clockwise seen from outside. */
#ifndef ASHI_SHAPE_TESSELLATE_H
#define ASHI_SHAPE_TESSELLATE_H

#include "ashlar/geometry.h"

typedef struct ashi_tessellation {
    ash_vec3 *points;
    uint32_t *triangles; /* three point numbers each */
    uint32_t point_count, triangle_count;
} ashi_tessellation;

/* All return false when there is no memory or the mesh would be too fine; nothing is then left to release.
 *
 * An icosahedron on the sphere of the radius, each triangle split in four `level` times: 20 * 4^level triangles. Level
 * up to 12. */
bool ashi_mesh_sphere(uint32_t level, double radius, ashi_tessellation *mesh);
/* A box with each face split into n x n squares of two triangles. n from 1 to 4096. */
bool ashi_mesh_box(uint32_t n, ash_vec3 half_extents, ashi_tessellation *mesh);
/* A cylinder along z whose rims are regular polygons of n corners on the circle. n from 3 to 2^24. */
bool ashi_mesh_cylinder(uint32_t n, double radius, double height, ashi_tessellation *mesh);

void ashi_tessellation_release(ashi_tessellation *mesh);

/* The definition of a mesh that uses these arrays. */
ash_geometry_def ashi_tessellation_def(const ashi_tessellation *mesh);

#endif
