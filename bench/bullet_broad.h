/* Bullet's broad phase (btDbvtBroadphase) behind plain functions, to be timed beside ours with the same boxes. Built
 * when Bullet was found at configure time (BENCH_BULLET is then defined). */
#ifndef BENCH_BULLET_BROAD_H
#define BENCH_BULLET_BROAD_H

#include "collide/broad/broad.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bullet_broad bullet_broad;

/* Null when there is no memory. */
bullet_broad *bullet_broad_create(const ash_bounds *boxes, const bool *moves, uint32_t count);
void bullet_broad_destroy(bullet_broad *broad);
/* Sets every box that moves and lets Bullet update its cache of pairs. */
void bullet_broad_update(bullet_broad *broad, const ash_bounds *boxes, const bool *moves, uint32_t count);
/* The cache: pairs of enlarged boxes, in no order. Returns their number, at most `room` of which are copied. */
uint32_t bullet_broad_pairs(const bullet_broad *broad, ashi_broad_pair *pairs, uint32_t room);

#ifdef __cplusplus
}
#endif

#endif
