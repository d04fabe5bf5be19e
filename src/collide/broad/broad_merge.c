/* The last stage of a search: old and new candidates become one list, and those that overlap are reported.
 *
 * One pass does both, because either has to fetch the boxes. The longer of the two sorted lists is cut into chunks; a
 * chunk takes the piece of the other list that lies between its keys, and writes its result to the position that it
 * would have if every chunk before it kept everything. Gaps are closed afterwards, in order. A single thread takes
 * everything in one chunk, which leaves no gaps. */
#include "collide/broad/broad_parts.h"

#include <string.h>

enum { CHUNK = 1024, AHEAD = 16 };

typedef struct merging {
    const ashi_broad *broad;
    const ashi_candidates *cut, *other; /* the old candidates and the found ones, or the reverse */
    bool old_is_cut;
    uint32_t chunk;
    bool rewrite; /* otherwise nothing is dropped or found: `merged` is not needed */
    ashi_candidate *merged;
    ashi_broad_pair *pairs;
    uint32_t *kept; /* two numbers per chunk: candidates, pairs */
} merging;

/* The number of candidates before the key. */
static uint32_t count_before(const ashi_candidates *list, uint64_t key)
{
    uint32_t low = 0, high = list->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list->data[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The start of the other list's piece for the chunk that starts at `begin` in the cut list. */
static uint32_t other_begin(const merging *m, uint32_t begin)
{
    if (begin == 0)
        return 0;
    return begin < m->cut->count ? count_before(m->other, m->cut->data[begin].key) : m->other->count;
}

static bool stays(const ashi_proxy *p, const ashi_proxy *q, ashi_keep keep, bool overlap)
{
    return p->place == ASHI_PROXY_BOUNDED && q->place == ASHI_PROXY_BOUNDED && !p->changed && !q->changed &&
           (keep == ASHI_KEEP_UNCHANGED || overlap);
}

static void merge_chunk(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    const merging *m = data;
    const ashi_broad *broad = m->broad;
    const ashi_proxy *proxies = broad->proxies.data;
    uint32_t there = other_begin(m, begin), there_end = other_begin(m, end);
    uint32_t merged = begin + there, pairs = merged;
    uint32_t i = m->old_is_cut ? begin : there, old_end = m->old_is_cut ? end : there_end;
    uint32_t k = m->old_is_cut ? there : begin, found_end = m->old_is_cut ? there_end : end;
    const ashi_candidate *old = broad->candidates.data, *found = broad->found.data;
    while (i < old_end || k < found_end) {
        bool is_old = k == found_end || (i < old_end && old[i].key < found[k].key);
        const ashi_candidate *c = is_old ? &old[i++] : &found[k++];
        if (i + AHEAD < old_end) /* the boxes are scattered in memory: prefetch them while others are compared */
            __builtin_prefetch(&proxies[old[i + AHEAD].second]);
        if (k + AHEAD < found_end)
            __builtin_prefetch(&proxies[found[k + AHEAD].second]);
        const ashi_proxy *p = &proxies[c->first], *q = &proxies[c->second];
        bool overlap = bounds_overlap(&p->box, &q->box);
        if (m->rewrite) {
            if (is_old && !stays(p, q, broad->keep, overlap))
                continue;
            m->merged[merged++] = *c;
        }
        m->pairs[pairs] = (ashi_broad_pair){(uint32_t)(c->key >> 32), (uint32_t)c->key};
        pairs += overlap && (p->moves || q->moves);
    }
    m->kept[begin / m->chunk * 2] = merged - (begin + there);
    m->kept[begin / m->chunk * 2 + 1] = pairs - (begin + there);
}

static uint32_t chunk_count(const merging *m)
{
    return m->cut->count / m->chunk + (m->cut->count % m->chunk != 0);
}

static void close_gaps(const merging *m, uint32_t *candidate_count, uint32_t *pair_count)
{
    uint32_t candidates = 0, pairs = 0;
    for (uint32_t number = 0; number < chunk_count(m); number++) {
        const uint32_t *kept = &m->kept[number * 2];
        uint32_t begin = number * m->chunk;
        uint32_t from = begin + other_begin(m, begin);
        if (m->rewrite && candidates != from)
            memmove(m->merged + candidates, m->merged + from, kept[0] * sizeof *m->merged);
        if (pairs != from)
            memmove(m->pairs + pairs, m->pairs + from, kept[1] * sizeof *m->pairs);
        candidates += kept[0];
        pairs += kept[1];
    }
    *candidate_count = candidates;
    *pair_count = pairs;
}

bool ashi_broad_merge(ashi_broad *broad, ashi_tasks *tasks, ashi_broad_pairs *pairs)
{
    ashi_candidates *old = &broad->candidates, *found = &broad->found, *merged = &broad->spare;
    if (!ashi_candidates_sort(found, merged))
        return false;
    if (broad->keep == ASHI_KEEP_NONE)
        old->count = 0;
    bool old_is_cut = old->count >= found->count;
    merging m = {.broad = broad, .cut = old_is_cut ? old : found, .other = old_is_cut ? found : old};
    m.old_is_cut = old_is_cut;
    m.chunk = ashi_tasks_workers(tasks) > 1 ? CHUNK : m.cut->count + 1;
    m.rewrite =
        found->count != 0 || broad->changed.count != 0 || broad->some_left || broad->keep != ASHI_KEEP_UNCHANGED;
    uint64_t most = (uint64_t)old->count + found->count;
    pairs->count = merged->count = 0; /* their contents are not needed */
    if (!ashi_array_reserve(pairs, most) || !ashi_array_reserve(&broad->kept, 2 * (uint64_t)chunk_count(&m)) ||
        (m.rewrite && !ashi_array_reserve(merged, most)))
        return false;
    m.merged = merged->data;
    m.pairs = pairs->data;
    m.kept = broad->kept.data;
    ashi_parallel_for(tasks, m.cut->count, m.chunk, merge_chunk, &m);
    close_gaps(&m, &merged->count, &pairs->count);
    if (m.rewrite) {
        ashi_candidates swap = *old;
        *old = *merged;
        *merged = swap;
    }
    return true;
}
