/* The axis of largest separation of two polyhedra: a face of either, or an edge of each. */
#ifndef ASHI_COLLIDE_CONVEX_SEPARATING_AXIS_H
#define ASHI_COLLIDE_CONVEX_SEPARATING_AXIS_H

#include "collide/convex/polyhedron.h"
#include "math/transform.h"

/* Up to this many vertices and faces the axes are searched one by one; this also bounds the memory on the stack. */
enum { ASHI_SEARCH_VERTICES = 64, ASHI_SEARCH_FACES = 124, ASHI_SEARCH_EDGES = 186 };

typedef enum ashi_axis_kind { ASHI_AXIS_FACE_OF_A, ASHI_AXIS_FACE_OF_B, ASHI_AXIS_EDGES } ashi_axis_kind;

typedef struct ashi_axis {
    ashi_axis_kind kind;
    uint32_t a, b;     /* the face of a or b, or half edges of both */
    ash_vec3 normal;   /* unit, from a to b, in a's frame */
    double separation; /* negative: minus the depth */
    uint32_t incident; /* for a face axis: 1 + the incident face of the other; 0: not known yet */
} ashi_axis;

static inline bool ashi_axis_can_search(const ashi_polyhedron *a, const ashi_polyhedron *b)
{
    return a->point_count <= ASHI_SEARCH_VERTICES && b->point_count <= ASHI_SEARCH_VERTICES &&
           a->face_count <= ASHI_SEARCH_FACES && b->face_count <= ASHI_SEARCH_FACES;
}

/* The gap between a and b along a unit vector from a to b. */
double ashi_gap_along(const ashi_polyhedron *a, const ashi_polyhedron *b, ash_transform b_in_a, ash_vec3 normal);

/* The best axis. A face wins over an edge pair that is not better by more than a slack (polyhedron_pair.h). Once an
 * axis separates by more than `enough` it is returned at once. `hint` is the last result of this function or null. */
ashi_axis ashi_axis_search(const ashi_polyhedron *a, const ashi_polyhedron *b, ash_transform b_in_a, double enough,
                           double thickness, const ashi_axis *hint);

#endif
