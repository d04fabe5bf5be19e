/* Broad phases: proxies and where they live, what is common to all kinds of search, and the choice among them.
 *
 * A box is bounded (the kind knows it), unbounded (kept in a list and tested against all), or nowhere (empty or NaN:
 * meets nothing). All memory for operations that must not fail later is reserved when a proxy is added. */
#include "collide/broad/broad_parts.h"

const char *ashi_broad_kind_name(ashi_broad_kind kind)
{
    static const char *const names[ASHI_BROAD_KINDS] = {"tree", "all-pairs", "sweep-1", "sweep-3"};
    return kind < ASHI_BROAD_KINDS ? names[kind] : "unknown";
}

ashi_broad *ashi_broad_create(ashi_broad_kind kind)
{
    ashi_broad *broad = ashi_alloc_zeroed(sizeof *broad);
    if (broad == NULL)
        return NULL;
    broad->kind = kind;
    if (kind == ASHI_BROAD_TREE &&
        (!ashi_broad_tree_reserve(&broad->trees[0], 0) || !ashi_broad_tree_reserve(&broad->trees[1], 0))) {
        ashi_broad_destroy(broad);
        return NULL;
    }
    return broad;
}

void ashi_broad_destroy(ashi_broad *broad)
{
    if (broad == NULL)
        return;
    ashi_array_release(&broad->proxies);
    ashi_array_release(&broad->unbounded);
    ashi_array_release(&broad->changed);
    ashi_array_release(&broad->candidates);
    ashi_array_release(&broad->found);
    ashi_array_release(&broad->spare);
    ashi_array_release(&broad->kept);
    ashi_array_release(&broad->leaves);
    for (int i = 0; i < 2; i++)
        ashi_broad_tree_release(&broad->trees[i]);
    for (int axis = 0; axis < 3; axis++)
        ashi_array_release(&broad->sweep.axes[axis]);
    ashi_array_release(&broad->sweep.lower);
    ashi_dealloc(broad);
}

size_t ashi_broad_size(const ashi_broad *broad)
{
    if (broad == NULL)
        return 0;
    const void *arrays[] = {
        broad,
        broad->proxies.data,
        broad->unbounded.data,
        broad->changed.data,
        broad->candidates.data,
        broad->found.data,
        broad->spare.data,
        broad->kept.data,
        broad->leaves.data,
        broad->trees[0].nodes.data,
        broad->trees[1].nodes.data,
        broad->sweep.axes[0].data,
        broad->sweep.axes[1].data,
        broad->sweep.axes[2].data,
        broad->sweep.lower.data,
    };
    size_t size = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        size += ashi_alloc_size(arrays[i]);
    return size;
}

void ashi_broad_mark(ashi_broad *broad, uint32_t proxy)
{
    ashi_proxy *p = &broad->proxies.data[proxy];
    if (p->changed)
        return;
    p->changed = true;
    broad->changed.data[broad->changed.count++] = proxy;
}

void ashi_broad_mark_all(ashi_broad *broad)
{
    for (uint32_t i = 0; i < broad->proxies.count; i++)
        if (broad->proxies.data[i].place == ASHI_PROXY_BOUNDED)
            ashi_broad_mark(broad, i);
}

/* Clears all marks. */
static void unmark_all(ashi_broad *broad)
{
    for (uint32_t i = 0; i < broad->changed.count; i++)
        broad->proxies.data[broad->changed.data[i]].changed = false;
    broad->changed.count = 0;
}

static ashi_proxy_home place_of(const ash_bounds *box)
{
    bool holds_something = box->lower.x <= box->upper.x && box->lower.y <= box->upper.y && box->lower.z <= box->upper.z;
    if (!holds_something)
        return ASHI_PROXY_NOWHERE;
    const double r = ASHI_BROAD_REACH;
    bool bounded = box->lower.x >= -r && box->lower.y >= -r && box->lower.z >= -r && box->upper.x <= r &&
                   box->upper.y <= r && box->upper.z <= r;
    return bounded ? ASHI_PROXY_BOUNDED : ASHI_PROXY_UNBOUNDED;
}

static void leave_place(ashi_broad *broad, uint32_t proxy)
{
    ashi_proxy *p = &broad->proxies.data[proxy];
    if (p->place == ASHI_PROXY_UNBOUNDED) {
        uint32_t last = broad->unbounded.data[--broad->unbounded.count];
        broad->unbounded.data[p->where] = last;
        broad->proxies.data[last].where = p->where;
    }
    if (p->place == ASHI_PROXY_BOUNDED) {
        if (broad->kind == ASHI_BROAD_TREE)
            ashi_broad_tree_leave(broad, proxy);
        p->generation++;
        broad->some_left = true;
    }
    p->place = ASHI_PROXY_NOWHERE;
}

static void enter_place(ashi_broad *broad, uint32_t proxy, ash_vec3 motion)
{
    ashi_proxy *p = &broad->proxies.data[proxy];
    p->place = (uint8_t)place_of(&p->box);
    if (p->place == ASHI_PROXY_UNBOUNDED) {
        p->where = broad->unbounded.count;
        broad->unbounded.data[broad->unbounded.count++] = proxy;
    }
    if (p->place == ASHI_PROXY_BOUNDED) {
        if (broad->kind == ASHI_BROAD_TREE)
            ashi_broad_tree_enter(broad, proxy, motion);
        ashi_broad_mark(broad, proxy);
    }
}

/* Reserves room for one more proxy everywhere, so that moving it can never fail. */
static bool reserve_one_more(ashi_broad *broad)
{
    uint64_t wanted = (uint64_t)broad->proxies.count + 1;
    if (broad->first_free != 0)
        return true;
    if (wanted > ASHI_MOST_LEAVES || !ashi_array_reserve(&broad->proxies, wanted) ||
        !ashi_array_reserve(&broad->unbounded, wanted) || !ashi_array_reserve(&broad->changed, wanted))
        return false;
    return broad->kind != ASHI_BROAD_TREE ||
           (ashi_array_reserve(&broad->leaves, wanted) && ashi_broad_tree_reserve(&broad->trees[0], (uint32_t)wanted) &&
            ashi_broad_tree_reserve(&broad->trees[1], (uint32_t)wanted));
}

uint32_t ashi_broad_add(ashi_broad *broad, ash_bounds box, uint32_t item, bool moves)
{
    if (!reserve_one_more(broad))
        return UINT32_MAX;
    uint32_t proxy = broad->first_free - 1;
    if (broad->first_free != 0) {
        broad->first_free = broad->proxies.data[proxy].where;
    } else {
        proxy = broad->proxies.count++;
        broad->proxies.data[proxy] = (ashi_proxy){0};
    }
    ashi_proxy *p = &broad->proxies.data[proxy];
    p->box = box;
    p->item = item;
    p->moves = moves;
    broad->used++;
    enter_place(broad, proxy, (ash_vec3){0, 0, 0});
    return proxy;
}

void ashi_broad_remove(ashi_broad *broad, uint32_t proxy)
{
    leave_place(broad, proxy);
    ashi_proxy *p = &broad->proxies.data[proxy];
    p->place = ASHI_PROXY_FREE;
    p->where = broad->first_free;
    broad->first_free = proxy + 1;
    broad->used--;
}

void ashi_broad_move(ashi_broad *broad, uint32_t proxy, ash_bounds box, ash_vec3 motion)
{
    ashi_proxy *p = &broad->proxies.data[proxy];
    ashi_proxy_home place = place_of(&box);
    if (place != (ashi_proxy_home)p->place) {
        leave_place(broad, proxy);
        p->box = box;
        enter_place(broad, proxy, motion);
        return;
    }
    p->box = box;
    if (place == ASHI_PROXY_BOUNDED && broad->kind == ASHI_BROAD_TREE)
        ashi_broad_tree_move(broad, proxy, motion);
}

bool ashi_broad_move_within(ashi_broad *broad, uint32_t proxy, ash_bounds box, ash_vec3 motion)
{
    ashi_proxy *p = &broad->proxies.data[proxy];
    ashi_proxy_home place = place_of(&box);
    if (place != (ashi_proxy_home)p->place || (place == ASHI_PROXY_BOUNDED && broad->kind == ASHI_BROAD_TREE &&
                                               !ashi_broad_tree_holds(broad, proxy, &box, motion)))
        return false;
    p->box = box;
    return true;
}

void ashi_broad_set_moves(ashi_broad *broad, uint32_t proxy, bool moves)
{
    ashi_proxy *p = &broad->proxies.data[proxy];
    if (p->moves == moves)
        return;
    leave_place(broad, proxy);
    p->moves = moves;
    enter_place(broad, proxy, (ash_vec3){0, 0, 0});
}

static void find_unbounded(const ashi_broad *broad, uint32_t begin, uint32_t end, ashi_finder *finder)
{
    const ashi_proxy *proxies = broad->proxies.data;
    for (uint32_t i = 0; i < broad->unbounded.count; i++) {
        uint32_t p = broad->unbounded.data[i];
        for (uint32_t q = begin; q < end; q++) {
            bool candidate =
                proxies[q].place == ASHI_PROXY_BOUNDED || (proxies[q].place == ASHI_PROXY_UNBOUNDED && p < q);
            if (!candidate || !(proxies[p].moves || proxies[q].moves))
                continue;
            finder->tests++;
            if (bounds_overlap(&proxies[p].box, &proxies[q].box))
                ashi_finder_put(finder, broad, p, q);
        }
    }
}

/* Adds the pairs of unbounded boxes, merging from the end so that no other list is needed. */
static bool report_unbounded(ashi_broad *broad, ashi_tasks *tasks, ashi_broad_pairs *pairs)
{
    if (broad->unbounded.count == 0)
        return true;
    if (!ashi_broad_gather(broad, tasks, broad->proxies.count, 256, find_unbounded, false) ||
        !ashi_candidates_sort(&broad->found, &broad->spare) ||
        !ashi_array_reserve(pairs, (uint64_t)pairs->count + broad->found.count))
        return false;
    uint32_t i = pairs->count, k = broad->found.count;
    pairs->count += k;
    for (uint32_t next = pairs->count; k > 0;) {
        uint64_t key = broad->found.data[k - 1].key;
        if (i > 0 && ((uint64_t)pairs->data[i - 1].a << 32 | pairs->data[i - 1].b) > key) {
            pairs->data[--next] = pairs->data[--i];
        } else {
            pairs->data[--next] = (ashi_broad_pair){(uint32_t)(key >> 32), (uint32_t)key};
            k--;
        }
    }
    return true;
}

static bool update(ashi_broad *broad, ashi_tasks *tasks)
{
    switch (broad->kind) {
    case ASHI_BROAD_ALL_PAIRS:
        return ashi_broad_update_all_pairs(broad, tasks);
    case ASHI_BROAD_SWEEP_1:
        return ashi_broad_update_sweep_1(broad, tasks);
    case ASHI_BROAD_SWEEP_3:
        return ashi_broad_update_sweep_3(broad, tasks);
    default:
        return ashi_broad_update_tree(broad, tasks);
    }
}

/* Whether candidates kept from earlier searches and the new ones may together be too many. All must then be searched
 * again at once, so that they are counted. */
static bool has_gathered_too_many(ashi_broad *broad)
{
    uint32_t changed = broad->changed.count;
    uint64_t most = ASHI_PAIRS_ALWAYS + (uint64_t)ASHI_PAIRS_EACH * broad->used;
    if (broad->keep != ASHI_KEEP_UNCHANGED || (uint64_t)broad->candidates.count + broad->found.count <= most)
        return false;
    ashi_broad_mark_all(broad);
    return broad->changed.count > changed;
}

bool ashi_broad_find_pairs(ashi_broad *broad, ashi_tasks *tasks, ashi_broad_pairs *pairs)
{
    if (broad->left_out > 0) { /* pairs left out before may be possible now: search everything again */
        ashi_broad_mark_all(broad);
        broad->sweep.sorted = false;
    }
    broad->span = UINT32_MAX;
    broad->left_out = 0;
    broad->stats = (ashi_broad_stats){.proxies = broad->used, .moved = broad->changed.count};
    pairs->count = 0;
    if (!update(broad, tasks) || (has_gathered_too_many(broad) && !update(broad, tasks)) ||
        !ashi_broad_merge(broad, tasks, pairs)) {
        broad->sweep.sorted = false;
        return false;
    }
    unmark_all(broad);
    broad->some_left = false;
    if (!report_unbounded(broad, tasks, pairs)) {
        pairs->count = 0;
        return false;
    }
    broad->stats.pairs = pairs->count;
    return true;
}

uint32_t ashi_broad_left_out(const ashi_broad *broad)
{
    return broad->left_out < UINT32_MAX ? (uint32_t)broad->left_out : UINT32_MAX;
}

ashi_broad_stats ashi_broad_last(const ashi_broad *broad)
{
    return broad->stats;
}
