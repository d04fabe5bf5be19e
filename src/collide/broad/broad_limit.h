/* How many candidates a broad phase keeps at most: a number for all and one for each proxy. Of more, pairs of two that
 * move are left out where their items are farthest apart. */
#ifndef ASHI_COLLIDE_BROAD_BROAD_LIMIT_H
#define ASHI_COLLIDE_BROAD_BROAD_LIMIT_H

#include "collide/broad/broad.h"

#define ASHI_PAIRS_ALWAYS 1048576u
#define ASHI_PAIRS_EACH   128u

/* The pairs that the last search left out; stays at its largest value. */
uint32_t ashi_broad_left_out(const ashi_broad *broad);

#endif
