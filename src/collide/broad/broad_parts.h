/* Parts shared by the broad phases: proxies, candidate pairs, gathering them on many threads, sorting them.
 *
 * `candidates` is a sorted list that holds after each search every pair of bounded proxies whose boxes overlap, and
 * perhaps more. A kind finds new candidates of the proxies marked `changed`, whose old ones are dropped. Marks are
 * cleared only after success, so that the next search makes up for one that ran out of memory. */
#ifndef ASHI_COLLIDE_BROAD_BROAD_PARTS_H
#define ASHI_COLLIDE_BROAD_BROAD_PARTS_H

#include "collide/broad/broad_limit.h"
#include "collide/broad/broad_tree.h"
#include "math/bounds.h"

#include <math.h>

/* Boxes with a coordinate beyond this, in metres, count as unbounded: areas of boxes then fit into a float. */
#define ASHI_BROAD_REACH 1e12

typedef enum ashi_proxy_home {
    ASHI_PROXY_FREE,    /* the slot is not in use */
    ASHI_PROXY_NOWHERE, /* an empty box, or one with NaN: overlaps nothing */
    ASHI_PROXY_UNBOUNDED /* in the list `unbounded` */,
    ASHI_PROXY_BOUNDED /* known to the kind */
} ashi_proxy_home;

typedef struct ashi_proxy {
    ash_bounds box;
    uint32_t item;
    uint32_t where;      /* in the tree: node and side; in `unbounded`: number; in a free slot: the next free one */
    uint32_t generation; /* counts how often the proxy has left the kind, so that sweeps recognize old entries */
    uint8_t place;       /* ashi_proxy_home */
    bool moves;
    bool changed;   /* in the list `changed`: candidates with it must be found again. Outlives removal. */
    bool displaced; /* in the tree: its leaf may be in a bad place */
} ashi_proxy;

/* Two proxies; the key is (item of first) << 32 | (item of second), the first item is the smaller. */
typedef struct ashi_candidate {
    uint64_t key;
    uint32_t first, second;
} ashi_candidate;
typedef ASHI_ARRAY(ashi_candidate) ashi_candidates;

/* One end of a box along an axis, or its lower end when sorted by that alone. */
typedef struct ashi_endpoint {
    double value;
    uint32_t end; /* proxy << 1, and 1 for the upper end */
    uint32_t generation;
} ashi_endpoint;
typedef ASHI_ARRAY(ashi_endpoint) ashi_endpoints;

typedef struct ashi_sweep_phase {
    ashi_endpoints axes[3];
    ashi_endpoints lower; /* lower ends along one axis, sorted */
    int axis;             /* of `lower` */
    bool sorted;          /* the arrays hold every proxy that is not marked changed, in the order of the last search */
} ashi_sweep_phase;

/* Which old candidates remain after a search; those of changed proxies never do. */
typedef enum ashi_keep { ASHI_KEEP_UNCHANGED, ASHI_KEEP_OVERLAPPING, ASHI_KEEP_NONE } ashi_keep;

struct ashi_broad {
    ashi_broad_kind kind;
    ashi_keep keep;
    bool some_left;    /* proxies have left the kind since the last search */
    uint32_t span;     /* two moving proxies are candidates only if their items are at most this far apart */
    uint64_t left_out; /* candidates left out by the last search, as far as they were counted */
    ASHI_ARRAY(ashi_proxy) proxies;
    uint32_t first_free; /* proxy + 1; 0: none */
    uint32_t used;
    ASHI_ARRAY(uint32_t) unbounded;
    ASHI_ARRAY(uint32_t) changed;      /* each proxy at most once; room for all */
    ashi_candidates candidates;        /* sorted by key */
    ashi_candidates found, spare;      /* scratch; room for one per proxy */
    ASHI_ARRAY(uint32_t) kept;         /* scratch of merging */
    ashi_broad_tree trees[2];          /* of resting and of moving proxies */
    ASHI_ARRAY(ashi_tree_leaf) leaves; /* scratch of building a tree; room for all */
    ashi_sweep_phase sweep;
    ashi_broad_stats stats;
};

/* The component of a vector along axis 0, 1 or 2. */
static inline double ashi_along(const ash_vec3 *v, int axis)
{
    return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

/* Marks the proxy as changed. Never fails: there is room for all. */
void ashi_broad_mark(ashi_broad *broad, uint32_t proxy);
/* Marks all bounded ones. */
void ashi_broad_mark_all(ashi_broad *broad);

/* Finds candidates on many threads: `find` is called for chunks of [0, count) and puts its results into an ashi_finder;
 * the order in which chunks finish does not matter because the list is sorted afterwards. The results are in `found`,
 * unsorted. If there are too many, moving proxies are paired only within a span of items; with `in_tree` this search
 * follows the order of items instead of calling `find`, with all proxies marked changed. False when memory ran out. */
typedef struct ashi_finder ashi_finder;
typedef void (*ashi_find_range)(const ashi_broad *broad, uint32_t begin, uint32_t end, ashi_finder *finder);
bool ashi_broad_gather(ashi_broad *broad, ashi_tasks *tasks, uint32_t count, uint32_t chunk, ashi_find_range find,
                       bool in_tree);

#define ASHI_FINDER_ROOM 64
struct ashi_finder {
    struct ashi_pair_search *gathering;
    uint64_t tests, left_out;
    uint32_t count;
    ashi_candidate pairs[ASHI_FINDER_ROOM];
};
void ashi_finder_flush(ashi_finder *finder);

/* The candidate of two proxies. */
static inline ashi_candidate ashi_candidate_of(const ashi_broad *broad, uint32_t p, uint32_t q)
{
    uint32_t a = broad->proxies.data[p].item, b = broad->proxies.data[q].item;
    return a < b ? (ashi_candidate){(uint64_t)a << 32 | b, p, q} : (ashi_candidate){(uint64_t)b << 32 | a, q, p};
}

static inline void ashi_finder_put(ashi_finder *finder, const ashi_broad *broad, uint32_t p, uint32_t q)
{
    const ashi_proxy *one = &broad->proxies.data[p], *other = &broad->proxies.data[q];
    uint32_t apart = one->item < other->item ? other->item - one->item : one->item - other->item;
    if (apart > broad->span && one->moves && other->moves) {
        finder->left_out++;
        return;
    }
    if (finder->count == ASHI_FINDER_ROOM)
        ashi_finder_flush(finder);
    finder->pairs[finder->count++] = ashi_candidate_of(broad, p, q);
}

/* Puts the pairs of the proxy with every resting one whose box it overlaps. */
void ashi_broad_tree_find_resting(const ashi_broad *broad, uint32_t proxy, ashi_finder *finder);

/* Sorts `list` by its keys with `spare` as scratch (the two may change places). False when memory ran out. */
bool ashi_candidates_sort(ashi_candidates *list, ashi_candidates *spare);

/* The new list of candidates: the old ones that `keep` allows and those of `found`, which is sorted here. From these,
 * `pairs` receives those that overlap. False when memory ran out; the candidates are then as before. */
bool ashi_broad_merge(ashi_broad *broad, ashi_tasks *tasks, ashi_broad_pairs *pairs);

/* The kinds: put new candidates into `found`, each once, and set `keep`. False when memory ran out. */
bool ashi_broad_update_tree(ashi_broad *broad, ashi_tasks *tasks);
bool ashi_broad_update_all_pairs(ashi_broad *broad, ashi_tasks *tasks);
bool ashi_broad_update_sweep_1(ashi_broad *broad, ashi_tasks *tasks);
bool ashi_broad_update_sweep_3(ashi_broad *broad, ashi_tasks *tasks);

/* Whether the thick ray meets the box for some 0 <= t <= reach, and where it enters (0 inside). Rounding favours a hit;
 * a larger box is never hit later than a smaller one inside it. */
bool ashi_ray_enters(const ash_ray *ray, const ash_vec3 *radius, const ash_bounds *box, double *enter);

#endif
