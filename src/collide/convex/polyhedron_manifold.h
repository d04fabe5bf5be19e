/* The manifold of two polyhedra along a known axis. */
#ifndef ASHI_COLLIDE_CONVEX_POLYHEDRON_MANIFOLD_H
#define ASHI_COLLIDE_CONVEX_POLYHEDRON_MANIFOLD_H

#include "collide/convex/separating_axis.h"
#include "collide/manifold.h"

/* A face axis: the face against the other's nearest face, clipped to its sides, seen along the axis's normal, which
 * need not be the face's own. All points within the margin, at most ASHI_MANIFOLD_MOST. False when the deepest is not
 * as deep as `least`: then the faces pass each other, and the nearest points lie elsewhere. */
bool ashi_face_manifold(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, double least, ashi_manifold *manifold);

/* Makes any axis that of the one of two faces that is more along its normal; false unless both are nearly so. Polyhedra
 * that lie on each other a little askew touch at edges that cross; all of their faces is then about to touch. */
bool ashi_axis_to_face(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b, uint32_t face_a,
                       uint32_t face_b, ashi_axis *axis);

/* The nearest points of the lines of two edges. False when these lie beyond the ends of the edges. */
bool ashi_edge_manifold(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, ashi_manifold *manifold);

#endif
