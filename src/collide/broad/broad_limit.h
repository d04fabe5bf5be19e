/* The most candidates that a broad phase keeps: a fixed number plus one for each proxy. If there are more, pairs of two
 * moving proxies whose items are farthest apart are left out. */
#ifndef ASHI_COLLIDE_BROAD_BROAD_LIMIT_H
#define ASHI_COLLIDE_BROAD_BROAD_LIMIT_H

#include "collide/broad/broad.h"

#define ASHI_PAIRS_ALWAYS 1048576u
#define ASHI_PAIRS_EACH   128u

/* The pairs that the last search left out; stays at its largest value. */
uint32_t ashi_broad_left_out(const ashi_broad *broad);

#endif
