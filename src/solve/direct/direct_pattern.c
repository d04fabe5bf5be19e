/* The symbolic phase: which blocks the factor has in an order of elimination.
 *
 * The entries right of place k are its own later neighbours and those of the places whose first entry is k (the
 * children in the elimination tree). */
#include "solve/direct/direct_parts.h"

#include <string.h>

#define NONE ASHI_DIRECT_NONE

typedef struct symbolic {
    const ashi_direct *direct;
    const ashi_direct_plan *plan;
    ashi_arena *scratch;
    uint32_t *child, *sibling, *mark; /* by place: lists of the elimination tree; last place that saw it */
    const ashi_direct_shares *shares;
    uint32_t *begin; /* by place: entries so far, unsorted */
    ASHI_ARRAY(uint32_t) entries;
} symbolic;

/* Adds a place to the entries of `at`, once. */
static bool add_entry(symbolic *s, uint32_t at, uint32_t place)
{
    if (place <= at || s->mark[place] == at)
        return true;
    s->mark[place] = at;
    if (!ashi_array_extend(&s->entries))
        return false;
    s->entries.data[s->entries.count - 1] = place;
    return true;
}

static bool add_units(symbolic *s, const ashi_direct_pattern *p, uint32_t at, uint32_t body)
{
    for (uint32_t i = s->shares->begin[body]; i < s->shares->begin[body + 1]; i++)
        if (!add_entry(s, at, p->place[s->direct->body_count + s->shares->unit[i]]))
            return false;
    return true;
}

/* Of a hub its units; of a unit its hubs, and who else acts on its light bodies. */
static bool add_neighbours(symbolic *s, const ashi_direct_pattern *p, uint32_t at)
{
    uint32_t node = p->order[at];
    if (node < s->direct->body_count)
        return add_units(s, p, at, node);
    for (int side = 0; side < 2; side++) {
        uint32_t body = s->shares->body[node - s->direct->body_count][side];
        if (body == NONE)
            continue;
        if (s->shares->light[body] ? !add_units(s, p, at, body) : !add_entry(s, at, p->place[body]))
            return false;
    }
    return true;
}

static bool find_entries(symbolic *s, const ashi_direct_pattern *p, uint32_t at)
{
    uint32_t first = NONE;
    s->begin[at] = s->entries.count;
    if (!add_neighbours(s, p, at))
        return false;
    for (uint32_t child = s->child[at]; child != NONE; child = s->sibling[child])
        for (uint32_t i = s->begin[child]; i < s->begin[child + 1]; i++)
            if (!add_entry(s, at, s->entries.data[i]))
                return false;
    s->begin[at + 1] = s->entries.count;
    for (uint32_t i = s->begin[at]; i < s->entries.count; i++)
        first = s->entries.data[i] < first ? s->entries.data[i] : first;
    if (first != NONE) {
        s->sibling[at] = s->child[first];
        s->child[first] = at;
    }
    return true;
}

/* Ascending entries: first by the later place, then, from these lists, by the earlier. */
static bool sort_entries(symbolic *s, ashi_direct_pattern *p)
{
    uint32_t n = p->node_count, count = s->entries.count;
    uint32_t *above = ashi_arena_take_array(s->scratch, (size_t)n + 2, sizeof *above);
    uint32_t *earlier = ashi_arena_take_array(s->scratch, count, sizeof *earlier);
    if (above == NULL || earlier == NULL)
        return false;
    memset(above, 0, ((size_t)n + 2) * sizeof *above);
    for (uint32_t i = 0; i < count; i++)
        above[s->entries.data[i] + 2]++;
    for (uint32_t i = 0; i < n; i++)
        above[i + 2] += above[i + 1];
    for (uint32_t at = 0; at < n; at++)
        for (uint32_t i = s->begin[at]; i < s->begin[at + 1]; i++)
            earlier[above[s->entries.data[i] + 1]++] = at;
    memcpy(p->begin, s->begin, ((size_t)n + 1) * sizeof *p->begin);
    for (uint32_t place = 0; place < n; place++)
        for (uint32_t i = above[place]; i < above[place + 1]; i++)
            p->right[s->begin[earlier[i]]++] = place;
    return true;
}

static double cost_of(const ashi_direct *d, const ashi_direct_plan *plan, const ashi_direct_pattern *p)
{
    double cost = 0;
    for (uint32_t at = 0; at < p->node_count; at++) {
        double own = ashi_direct_node_size(d, plan, p->order[at]), others = 0;
        for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++)
            others += ashi_direct_node_size(d, plan, p->order[p->right[i]]);
        cost += own * (own + others) * (own + others);
    }
    return cost;
}

/* The order of nodes from that of bodies and blocks. */
static bool make_order(const ashi_direct *d, const ashi_direct_plan *plan, const ashi_direct_shares *shares,
                       ashi_arena *scratch, ashi_direct_rule rule, ashi_direct_ordering ordering,
                       ashi_direct_pattern *p)
{
    uint32_t blocks_and_bodies = d->body_count + d->block_count, count = 0;
    uint32_t *whole = ashi_arena_take_array(scratch, blocks_and_bodies, sizeof *whole);
    if (whole == NULL || !ashi_direct_order(d, scratch, rule, ordering, whole))
        return false;
    for (uint32_t i = 0; i < blocks_and_bodies; i++) {
        if (whole[i] < d->body_count) {
            if (!shares->light[whole[i]])
                p->order[count++] = whole[i];
            continue;
        }
        uint32_t block = whole[i] - d->body_count, end = ashi_direct_first_unit(d, plan, block + 1);
        for (uint32_t unit = ashi_direct_first_unit(d, plan, block); unit < end; unit++)
            p->order[count++] = d->body_count + unit;
    }
    p->node_count = count;
    return true;
}

static bool take_marks(symbolic *s, ashi_direct_pattern *p)
{
    size_t n = p->node_count, numbers = (size_t)s->direct->body_count + s->plan->unit_count;
    s->begin = ashi_arena_take_array(s->scratch, n + 1, sizeof *s->begin);
    s->child = ashi_arena_take_array(s->scratch, n, sizeof *s->child);
    s->sibling = ashi_arena_take_array(s->scratch, n, sizeof *s->sibling);
    s->mark = ashi_arena_take_array(s->scratch, n, sizeof *s->mark);
    p->place = ashi_arena_take_array(s->plan->memory, numbers, sizeof *p->place);
    if (s->begin == NULL || s->child == NULL || s->sibling == NULL || s->mark == NULL || p->place == NULL)
        return false;
    for (size_t i = 0; i < numbers; i++)
        p->place[i] = NONE;
    for (uint32_t i = 0; i < n; i++) {
        s->child[i] = s->sibling[i] = s->mark[i] = NONE;
        p->place[p->order[i]] = i;
    }
    s->begin[0] = 0;
    return true;
}

static bool make_pattern(const ashi_direct *d, const ashi_direct_plan *plan, const ashi_direct_shares *shares,
                         ashi_arena *scratch, ashi_direct_rule rule, ashi_direct_ordering ordering,
                         ashi_direct_pattern *p)
{
    symbolic s = {.direct = d, .plan = plan, .shares = shares, .scratch = scratch};
    *p = (ashi_direct_pattern){0};
    p->order = ashi_arena_take_array(plan->memory, (size_t)d->body_count + plan->unit_count, sizeof *p->order);
    bool good = p->order != NULL && make_order(d, plan, shares, scratch, rule, ordering, p) && take_marks(&s, p);
    for (uint32_t at = 0; good && at < p->node_count; at++)
        good = find_entries(&s, p, at);
    if (good) {
        p->begin = ashi_arena_take_array(plan->memory, (size_t)p->node_count + 1, sizeof *p->begin);
        p->right = ashi_arena_take_array(plan->memory, s.entries.count, sizeof *p->right);
        good = p->begin != NULL && p->right != NULL && sort_entries(&s, p);
    }
    ashi_array_release(&s.entries);
    if (good)
        p->cost = cost_of(d, plan, p);
    return good;
}

bool ashi_direct_choose_pattern(const ashi_direct *direct, ashi_arena *scratch, ashi_direct_rule rule,
                                const ashi_direct_shares *shares, ashi_direct_plan *plan)
{
    ashi_direct_pattern by_degree;
    ashi_direct_ordering ordering = ASHI_DIRECT_BLOCKS_BY_DEGREE;
    if (!make_pattern(direct, plan, shares, scratch, rule, ASHI_DIRECT_ALONG_TREE, &plan->pattern))
        return false;
    if (rule == ASHI_DIRECT_LOOPS_LAST || direct->loop_rows == 0)
        return true;
    for (uint32_t b = 0; b < direct->body_count; b++)
        ordering = shares->light[b] ? ordering : ASHI_DIRECT_BODIES_BY_DEGREE;
    if (!make_pattern(direct, plan, shares, scratch, rule, ordering, &by_degree))
        return false;
    if (by_degree.cost < plan->pattern.cost)
        plan->pattern = by_degree;
    return true;
}
