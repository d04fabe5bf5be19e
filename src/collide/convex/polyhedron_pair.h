/* Common to all pairs of polyhedra: how much worse than an edge pair a face may be and still win, and what to do when
 * neither gives a contact. */
#ifndef ASHI_COLLIDE_CONVEX_POLYHEDRON_PAIR_H
#define ASHI_COLLIDE_CONVEX_POLYHEDRON_PAIR_H

#include "collide/manifold.h"

/* Relative to the depth, and to the smaller thickness of the two. */
#define ASHI_FACE_SLACK_OF_DEPTH 1e-4
#define ASHI_FACE_SLACK_OF_SIZE  1e-5
/* How far beyond its end, relative to the lengths, an edge still counts as hit: rounding of nearly parallel edges. */
#define ASHI_ON_EDGE 1e-6
/* Cosine of the angle between a contact's normal and a face up to which the face as a whole counts as touching. */
#define ASHI_ALONG_FACE 0.98
/* How much shallower than its axis a manifold may be due to rounding, relative to the smaller thickness. */
#define ASHI_ROUNDING 1e-9

static inline double ashi_face_slack(double separation, double size)
{
    return ASHI_FACE_SLACK_OF_DEPTH * fabs(separation) + ASHI_FACE_SLACK_OF_SIZE * size;
}

/* The manifold of two geometries that are boxes or hulls. */
bool ashi_collide_polyhedra(const ashi_pair *pair, ashi_manifolds *manifolds);

/* The manifold at the closest points by GJK, empty when they are farther apart than the margin. */
void ashi_polyhedra_nearest(const ashi_pair *pair, ashi_manifold *manifold);

#endif
