/* Reduction of manifolds that come from many pieces of a face: triangles, samples. */
#ifndef ASHI_COLLIDE_SPREAD_H
#define ASHI_COLLIDE_SPREAD_H

#include "collide/manifold.h"

/* Keeps at most four points. If the points that are as deep as the deepest one, up to `slack`, span at least half of
 * the width and area of all, their outermost remain, so that a flat face rests on its corners and not on an inner point
 * that happens to be deepest; otherwise as ashi_manifold_reduce. `kept` (may be null) are the ASHI_KEPT_MOST features
 * in a pair's cache: four of them are kept again while they are nearly as good as the fresh choice. */
void ashi_manifold_spread(ashi_manifold *manifold, double slack, const uint32_t *kept);

/* An intermediate reduction of a full manifold: points whose features are in `kept` remain as well, so that the final
 * reduction finds them. Leaves room for at least 20 points. */
void ashi_manifold_make_room(ashi_manifold *manifold, double slack, const uint32_t *kept);

/* Records the features of reduced manifolds for the next step: those of the first ones with more than one point. */
void ashi_note_spread(ashi_pair_cache *cache, const ashi_manifold *manifolds, uint32_t count);

#endif
