/* A tree of boxes over the triangles of a mesh. */
#ifndef ASHI_SHAPE_TRIANGLE_TREE_H
#define ASHI_SHAPE_TRIANGLE_TREE_H

#include "shape/box_tree.h"
#include "shape/triangle.h"

/* Triangles of a leaf are order[first] ... order[first + count - 1]. */
typedef struct ashi_triangle_tree {
    const ash_vec3 *points; /* not owned */
    const uint32_t *triangles;
    ashi_tree_node *nodes;
    uint32_t *order;
    uint32_t node_count;
} ashi_triangle_tree;

/* Builds the tree over at least one triangle; false when there is no memory, with nothing left to release. */
bool ashi_triangle_tree_build(ashi_triangle_tree *tree, const ash_vec3 *points, const uint32_t *triangles,
                              uint32_t triangle_count);
void ashi_triangle_tree_release(ashi_triangle_tree *tree);

/* The triangle that the ray enters first, from the side of its outward normal or from either. */
bool ashi_triangle_tree_ray(const ashi_triangle_tree *tree, const ash_ray *ray, bool either_side, double *t,
                            uint32_t *triangle);

typedef struct ashi_tree_nearest {
    ash_vec3 point;
    double distance;
    uint32_t triangle;
    ashi_feature feature;
} ashi_tree_nearest;

/* The point of the surface nearest to p. */
ashi_tree_nearest ashi_triangle_tree_nearest(const ashi_triangle_tree *tree, ash_vec3 p);

/* The vertex farthest along the direction. */
ash_vec3 ashi_triangle_tree_support(const ashi_triangle_tree *tree, ash_vec3 direction);

#endif
