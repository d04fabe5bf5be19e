/* Points on the surface of a distance field in a tree of spheres, for contacts: the points of one geometry are tested
 * against the distance of the other. */
#ifndef ASHI_SHAPE_FIELD_SAMPLES_H
#define ASHI_SHAPE_FIELD_SAMPLES_H

#include "base/array.h"
#include "shape/geometry.h"

/* Nodes are stored in the order of a traversal: the first child follows its parent. A leaf has the points first ...
 * first + count - 1. */
typedef struct ashi_sample_node {
    ash_vec3 centre;
    double radius;  /* around all points below */
    uint32_t first; /* leaf: in the points; otherwise the second child */
    uint32_t count; /* points of a leaf, 0 otherwise */
} ashi_sample_node;

/* Halving keeps the depth below this. */
#define ASHI_SAMPLE_DEPTH 40

typedef struct ashi_field_samples {
    ASHI_ARRAY(ash_vec3) points;
    ASHI_ARRAY(ashi_sample_node) nodes;
    double slope; /* the field changes by at most this per metre */
} ashi_field_samples;

/* Finds the points of a field whose surface cells are known, about one for each, and builds the tree; false when there
 * is no memory. */
bool ashi_field_samples_create(ash_geometry *geometry);
void ashi_field_samples_release(ashi_field_samples *samples);

#endif
