/* The manifold of two polyhedra along a known axis. */
#ifndef ASHI_COLLIDE_CONVEX_POLYHEDRON_MANIFOLD_H
#define ASHI_COLLIDE_CONVEX_POLYHEDRON_MANIFOLD_H

#include "collide/convex/separating_axis.h"
#include "collide/manifold.h"

/* For a face axis: clips the other's nearest face to the sides of the face, along the axis's normal, which need not be
 * the face's own. Gives all points within the margin, at most ASHI_MANIFOLD_MOST. False when the deepest is not as deep
 * as `least`: then the faces miss each other, and the nearest points lie elsewhere. */
bool ashi_face_manifold(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, double least, ashi_manifold *manifold);

/* Turns any axis into that of the face, of the two, that is more along its normal; false unless both are nearly along
 * it. Polyhedra that rest on each other slightly tilted touch at crossing edges; their whole faces are then about to
 * touch. */
bool ashi_axis_to_face(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b, uint32_t face_a,
                       uint32_t face_b, ashi_axis *axis);

/* The nearest points of the lines of two edges. False when these lie beyond the ends of the edges. */
bool ashi_edge_manifold(const ashi_pair *pair, const ashi_polyhedron *a, const ashi_polyhedron *b,
                        const ashi_axis *axis, ashi_manifold *manifold);

#endif
