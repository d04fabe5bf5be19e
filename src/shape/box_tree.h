/* Trees of bounding boxes in one array, built once: over the triangles of a mesh, and over the cells of a distance
 * field. */
#ifndef ASHI_SHAPE_BOX_TREE_H
#define ASHI_SHAPE_BOX_TREE_H

#include "shape/geometry.h"

/* Nodes are stored in the order of a traversal: the first child follows its parent. */
typedef struct ashi_tree_node {
    ash_bounds bounds;
    uint32_t first; /* leaf: its first element; otherwise the second child */
    uint32_t count; /* elements of a leaf, 0 otherwise */
} ashi_tree_node;

/* No path is longer, which bounds the stack of a traversal: triangles are halved at each node; fields are halved along
 * one axis, as often as a sample's number has bits, plus once for each axis. */
#define ASHI_TREE_DEPTH 40

/* The corner of the box farthest along d. */
ash_vec3 ashi_bounds_corner(const ash_bounds *box, ash_vec3 d);

/* The point farthest along a direction so far, and its position along it. */
typedef struct ashi_farthest {
    ash_vec3 point;
    double reach;
} ashi_farthest;

/* Keeps the farther of the two; if they are equal, the earlier one. */
void ashi_farthest_offer(ashi_farthest *farthest, ash_vec3 point, ash_vec3 d);

/* Offers the points of a leaf of the tree of `owner`. */
typedef void (*ashi_leaf_support)(const void *owner, const ashi_tree_node *leaf, ash_vec3 d, ashi_farthest *farthest);

/* The farthest point of all leaves along d; `start` is one of their points. */
ash_vec3 ashi_box_tree_support(const ashi_tree_node *nodes, ash_vec3 d, ash_vec3 start, ashi_leaf_support leaf,
                               const void *owner);

#endif
