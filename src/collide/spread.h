/* Reduction of manifolds that come from many pieces of a face: triangles, samples. */
#ifndef ASHI_COLLIDE_SPREAD_H
#define ASHI_COLLIDE_SPREAD_H

#include "collide/manifold.h"

/* Keeps at most four points. Where points that are as deep as the deepest, except for `slack`, span at least half of
 * the width and area of all, the outermost of these remain, so that a flat face stands on its corners and not on one
 * that happened to be deepest inside it; otherwise as ashi_manifold_reduce. `kept` (may be null) are the ASHI_KEPT_MOST
 * features in a pair's cache: four of them are kept again while they are nearly as good as the fresh choice. */
void ashi_manifold_spread(ashi_manifold *manifold, double slack, const uint32_t *kept);

/* The same on the way, for a manifold that is full: the points whose features are in `kept` stay as well, so that the
 * last reduction finds them. Leaves room for at least 20. */
void ashi_manifold_make_room(ashi_manifold *manifold, double slack, const uint32_t *kept);

/* Notes the features of reduced manifolds for the next time: of the first ones with more than one point. */
void ashi_note_spread(ashi_pair_cache *cache, const ashi_manifold *manifolds, uint32_t count);

#endif
