/* Broad phases: which boxes overlap. Proxies stand for shapes; `item` is the caller's number for each, no two the same.
 *
 * All kinds give the same pairs in the same order: sorted by (smaller item, larger item), each once, for boxes that
 * overlap or touch, where at least one of the two moves. A tree keeps enlarged boxes inside, but reports only pairs
 * whose exact boxes overlap. Unbounded boxes (planes, and all beyond 10^12 m) are kept separately and tested against
 * all others; empty boxes and boxes with NaN overlap nothing. */
#ifndef ASHI_COLLIDE_BROAD_BROAD_H
#define ASHI_COLLIDE_BROAD_BROAD_H

#include "ashlar/geometry.h"
#include "base/array.h"
#include "base/tasks.h"

typedef enum ashi_broad_kind {
    ASHI_BROAD_TREE,
    ASHI_BROAD_ALL_PAIRS,
    ASHI_BROAD_SWEEP_1,
    ASHI_BROAD_SWEEP_3,
    ASHI_BROAD_KINDS
} ashi_broad_kind;
const char *ashi_broad_kind_name(ashi_broad_kind kind); /* "tree", "all-pairs", "sweep-1", "sweep-3" */

typedef struct ashi_broad ashi_broad;

typedef struct ashi_broad_pair {
    uint32_t a, b; /* items, a < b */
} ashi_broad_pair;
typedef ASHI_ARRAY(ashi_broad_pair) ashi_broad_pairs;

ashi_broad *ashi_broad_create(ashi_broad_kind kind);
/* Bytes that it holds; 0 for null. */
size_t ashi_broad_size(const ashi_broad *broad);
void ashi_broad_destroy(ashi_broad *broad);

/* A new proxy, or UINT32_MAX when memory ran out. `moves`: false for shapes of static bodies. */
uint32_t ashi_broad_add(ashi_broad *broad, ash_bounds box, uint32_t item, bool moves);
void ashi_broad_remove(ashi_broad *broad, uint32_t proxy);
/* Sets the exact box. `motion` is its expected displacement until the next update (may be zero). */
void ashi_broad_move(ashi_broad *broad, uint32_t proxy, ash_bounds box, ash_vec3 motion);
/* The same from any thread, if only the proxy's own box changes; otherwise it does nothing and returns false. */
bool ashi_broad_move_within(ashi_broad *broad, uint32_t proxy, ash_bounds box, ash_vec3 motion);
void ashi_broad_set_moves(ashi_broad *broad, uint32_t proxy, bool moves);

/* Replaces the content of `pairs`. Same result for any number of threads. False when memory ran out. */
bool ashi_broad_find_pairs(ashi_broad *broad, ashi_tasks *tasks, ashi_broad_pairs *pairs);

/* Makes queries fast again after boxes were moved; find_pairs does so, too. */
void ashi_broad_fit(ashi_broad *broad);

/* Queries. They see the boxes as last set; items come in unspecified order, each once. A visitor returns false to stop.
 */
typedef bool (*ashi_broad_visitor)(uint32_t item, void *user);
void ashi_broad_query_box(const ashi_broad *broad, ash_bounds box, ashi_broad_visitor visit, void *user);
/* The same for resting boxes only. */
void ashi_broad_query_resting(const ashi_broad *broad, ash_bounds box, ashi_broad_visitor visit, void *user);
/* Boxes that the ray, thickened by `radius` on all sides, may meet within its reach. The visitor returns the new reach
 * (unchanged to continue, 0 to stop). Nearer boxes come first where that is cheap. */
typedef double (*ashi_broad_ray_visitor)(uint32_t item, double reach, void *user);
void ashi_broad_query_ray(const ashi_broad *broad, ash_ray ray, ash_vec3 radius, ashi_broad_ray_visitor visit,
                          void *user);

/* The work of the last find_pairs, for reports and benchmarks. */
typedef struct ashi_broad_stats {
    uint32_t proxies;
    uint32_t moved; /* proxies new to the search; in a tree also those that left their enlarged boxes */
    uint32_t tests; /* comparisons of boxes, or exchanges of ends, that the search made; stays at its largest value */
    uint32_t pairs;
} ashi_broad_stats;
ashi_broad_stats ashi_broad_last(const ashi_broad *broad);

#endif
