/* Lists of candidate pairs: found on many threads and sorted by radix.
 *
 * A thread collects pairs in a small buffer of its own and copies it to the shared list when it is full. When the list
 * is too small, the threads only count to the end; it is then enlarged and the search repeated, so that no memory is
 * taken inside a loop and none at all once the list is large enough.
 *
 * Where thousands of boxes overlap in one place, pairs grow with the square of their number. Beyond a capacity, which
 * grows with the number of boxes, the search is abandoned and repeated with a narrower span: pairs of two moving boxes
 * whose items are farther apart are left out. So memory is bounded, the result does not depend on threads, and boxes in
 * one place remain connected like a band. The tree then tests the boxes in the order of their items, each against those
 * within the span: this also bounds the work. */
#include "collide/broad/broad_parts.h"

#include <stdatomic.h>
#include <string.h>

typedef struct ashi_pair_search {
    const ashi_broad *broad;
    ashi_candidate *data;
    uint64_t capacity;
    uint64_t enough; /* with more candidates the search is abandoned: it only needs to know whether there are more */
    ashi_find_range find;
    atomic_uint_fast64_t count, tests, left_out;
} gathering;

void ashi_finder_flush(ashi_finder *finder)
{
    gathering *g = finder->gathering;
    uint64_t begin = atomic_fetch_add(&g->count, finder->count);
    if (begin + finder->count <= g->capacity)
        memcpy(g->data + begin, finder->pairs, finder->count * sizeof *finder->pairs);
    finder->count = 0;
}

static void find_chunk(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    gathering *g = data;
    if (atomic_load_explicit(&g->count, memory_order_relaxed) > g->enough)
        return;
    ashi_finder finder;
    finder.gathering = g;
    finder.tests = finder.left_out = 0;
    finder.count = 0;
    g->find(g->broad, begin, end, &finder);
    if (finder.count != 0)
        ashi_finder_flush(&finder);
    atomic_fetch_add(&g->tests, finder.tests);
    atomic_fetch_add(&g->left_out, finder.left_out);
}

/* Sorts the moving proxies to be searched by their items, into `spare`: keys are items, `first` proxies. False when
 * memory ran out. */
static bool order_by_items(ashi_broad *broad)
{
    ashi_candidates *keys = &broad->found;
    keys->count = 0;
    if (!ashi_array_reserve(keys, broad->used))
        return false;
    for (uint32_t i = 0; i < broad->proxies.count; i++) {
        const ashi_proxy *p = &broad->proxies.data[i];
        if (p->place == ASHI_PROXY_BOUNDED && p->moves)
            keys->data[keys->count++] = (ashi_candidate){p->item, i, 0};
    }
    if (!ashi_candidates_sort(keys, &broad->spare))
        return false;
    ashi_candidates swap = broad->found;
    broad->found = broad->spare;
    broad->spare = swap;
    return true;
}

/* Pairs moving proxies with those that follow them within the span, and with all resting ones. */
static void find_within_span(const ashi_broad *broad, uint32_t begin, uint32_t end, ashi_finder *finder)
{
    const ashi_candidates *order = &broad->spare;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t p = order->data[i].first;
        const ash_bounds *box = &broad->proxies.data[p].box;
        for (uint32_t k = i + 1; k < order->count && order->data[k].key - order->data[i].key <= broad->span; k++) {
            finder->tests++;
            if (bounds_overlap(box, &broad->proxies.data[order->data[k].first].box))
                ashi_finder_put(finder, broad, p, order->data[k].first);
        }
        ashi_broad_tree_find_resting(broad, p, finder);
    }
}

/* The span with which moving proxies always fit, or a multiple of it that is worth trying first: if only some are in
 * one place, a larger span fits. */
static uint32_t next_span(const ashi_broad *broad, uint64_t most, uint32_t *least)
{
    uint64_t fitting = most / broad->used;
    *least = fitting < UINT32_MAX / 16 ? (uint32_t)fitting : UINT32_MAX / 16;
    return broad->span == UINT32_MAX ? 8 * *least : broad->span / 2 > *least ? broad->span / 2 : *least;
}

bool ashi_broad_gather(ashi_broad *broad, ashi_tasks *tasks, uint32_t count, uint32_t chunk, ashi_find_range find,
                       bool in_tree)
{
    uint64_t most = ASHI_PAIRS_ALWAYS + (uint64_t)ASHI_PAIRS_EACH * broad->used;
    uint32_t least = 0; /* span: its result is accepted, however many resting proxies there are */
    for (;;) {
        gathering g = {.broad = broad, .data = broad->found.data, .capacity = broad->found.capacity, .find = find};
        g.enough = broad->span > least ? most : UINT64_MAX;
        ashi_parallel_for(tasks, count, chunk, find_chunk, &g);
        uint64_t total = atomic_load(&g.count), tests = atomic_load(&g.tests);
        broad->found.count = 0; /* the search starts again */
        if (total > g.enough) {
            broad->left_out++; /* not known how many */
            broad->span = next_span(broad, most, &least);
            if (in_tree && find != find_within_span) {
                ashi_broad_mark_all(broad);
                if (!order_by_items(broad))
                    return false;
                find = find_within_span;
                count = broad->spare.count;
            }
            continue;
        }
        if (total <= g.capacity) {
            broad->found.count = (uint32_t)total;
            uint64_t sum = broad->stats.tests + tests;
            broad->stats.tests = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
            broad->left_out += atomic_load(&g.left_out);
            return true;
        }
        if (!ashi_array_reserve(&broad->found, total))
            return false;
    }
}

enum { DIGIT = 11, DIGITS = 1 << DIGIT, FEW = 32 };

static void sort_few(ashi_candidate *data, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        ashi_candidate one = data[i];
        uint32_t k = i;
        for (; k > 0 && data[k - 1].key > one.key; k--)
            data[k] = data[k - 1];
        data[k] = one;
    }
}

/* One stable pass of the radix sort, by the bits from `shift` on. */
static void sort_digit(const ashi_candidate *from, ashi_candidate *to, uint32_t count, int shift)
{
    uint32_t starts[DIGITS] = {0};
    for (uint32_t i = 0; i < count; i++)
        starts[from[i].key >> shift & (DIGITS - 1)]++;
    uint32_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
        uint32_t here = starts[d];
        starts[d] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

bool ashi_candidates_sort(ashi_candidates *list, ashi_candidates *spare)
{
    if (list->count <= FEW) {
        sort_few(list->data, list->count);
        return true;
    }
    spare->count = 0;
    if (!ashi_array_reserve(spare, list->count))
        return false;
    uint64_t varying = 0; /* the bits in which keys differ */
    for (uint32_t i = 1; i < list->count; i++)
        varying |= list->data[i].key ^ list->data[0].key;
    for (int shift = 0; shift < 64 && varying >> shift != 0;) {
        if ((varying >> shift & 1) == 0) { /* a digit starts at a bit that varies */
            shift++;
            continue;
        }
        sort_digit(list->data, spare->data, list->count, shift);
        spare->count = list->count;
        ashi_candidates swap = *list;
        *list = *spare;
        *spare = swap;
        shift += DIGIT;
    }
    return true;
}
