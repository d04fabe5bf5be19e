/* Reduction of manifolds that come from many pieces of a face: triangles, samples. */
#ifndef ASHI_COLLIDE_SPREAD_H
#define ASHI_COLLIDE_SPREAD_H

#include "collide/manifold.h"

/* Keeps at most four points. Where points that are as deep as the deepest, but for `slack`, span at least half of the
 * width and area of all, the outermost of these remain, so that a flat face stands on its corners and not on one that
 * happened to be deepest inside it; otherwise as ashi_manifold_reduce. */
void ashi_manifold_spread(ashi_manifold *manifold, double slack);

#endif
