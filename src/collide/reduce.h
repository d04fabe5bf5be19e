/* The choice of a few points of a manifold that support nearly as well as all of them. */
#ifndef ASHI_COLLIDE_REDUCE_H
#define ASHI_COLLIDE_REDUCE_H

#include "collide/manifold.h"

/* A manifold point projected along the normal: its position in any orthonormal frame of the plane, and its depth. */
typedef struct ashi_spot {
    double x, y, depth;
    uint32_t feature;
} ashi_spot;

/* Chooses at most `most` (at most ASHI_MANIFOLD_POINTS) spots and writes their numbers, ascending: the deepest, and
 * those that span the largest area with it; for two, the farthest from it. `kept` (may be null) are the features of the
 * last choice, 0 for none: it is repeated while all its features exist and it is nearly as good as a fresh one. Returns
 * the number of chosen spots. */
uint32_t ashi_reduce(const ashi_spot *spots, uint32_t count, uint32_t most, const uint32_t *kept,
                     uint32_t chosen[ASHI_MANIFOLD_POINTS]);

/* Numbers, ascending, of the spots but those that lie between two others, or where another does: edges that are aligned
 * cut each other anywhere or not at all, by rounding. `chosen` has room for all. Returns how many. */
uint32_t ashi_spots_apart(const ashi_spot *spots, uint32_t count, uint32_t *chosen);

/* The points of a manifold as spots, around the first. */
void ashi_spots_of(const ashi_manifold *manifold, ashi_spot *spots);

/* Replaces a fresh choice of `number` spots by the last one, whose features are `kept`, if all these exist and it is
 * nearly as good. Returns the number of chosen spots. */
uint32_t ashi_reduce_as_before(const ashi_spot *spots, uint32_t count, uint32_t most, const uint32_t *kept,
                               uint32_t *chosen, uint32_t number);

/* Keeps only the chosen points of a manifold; their numbers are ascending. */
void ashi_manifold_keep(ashi_manifold *manifold, const uint32_t *chosen, uint32_t count);

/* Sorts numbers, ascending. */
void ashi_sort_numbers(uint32_t *numbers, uint32_t count);

/* Records the features of a reduced manifold for the next reduction. */
static inline void ashi_note_kept(ashi_pair_cache *cache, const ashi_manifold *manifold)
{
    for (uint32_t i = 0; i < ASHI_MANIFOLD_POINTS; i++)
        cache->kept[i] = i < manifold->count ? manifold->points[i].feature : 0;
}

#endif
