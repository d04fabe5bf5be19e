/* The manifold of two polyhedra along a known axis. */
#ifndef ASHI_COLLIDE_POLYHEDRON_MANIFOLD_H
#define ASHI_COLLIDE_POLYHEDRON_MANIFOLD_H

#include "collide/manifold.h"
#include "collide/separating_axis.h"

/* A face against the other's nearest face, clipped to its sides. All points within the margin, at most
 * ASHI_MANIFOLD_MOST. False when the deepest does not reach the axis's depth but for `slack`: then the faces pass each
 * other, and the nearest points lie elsewhere. */
bool ashi_face_manifold(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, double slack, ashi_manifold *manifold);

/* The nearest points of the lines of two edges. False when these lie beyond the ends of the edges. */
bool ashi_edge_manifold(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, ashi_manifold *manifold);

#endif
