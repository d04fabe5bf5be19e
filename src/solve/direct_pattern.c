/* The symbolic phase: which blocks the factor has in an order of elimination, and where everything lies in memory.
 *
 * The entries right of place k are its own later neighbours and those of the places whose first entry is k (the
 * children in the elimination tree). */
#include "solve/direct_parts.h"

#include <string.h>

#define NONE ASHI_DIRECT_NONE

typedef struct symbolic {
    const ashi_direct *direct;
    const ashi_direct_plan *plan;
    ashi_arena *scratch;
    uint32_t *child, *sibling, *mark; /* by place: lists of the elimination tree; last place that saw it */
    uint32_t *node_begin, *node_near; /* neighbours by node */
    uint32_t *begin;                  /* by place: entries so far, unsorted */
    ASHI_ARRAY(uint32_t) entries;
} symbolic;

static bool list_neighbours(symbolic *s)
{
    const ashi_direct *d = s->direct;
    uint32_t n = d->body_count + s->plan->unit_count;
    s->node_begin = ashi_arena_take_array(s->scratch, (size_t)n + 2, sizeof *s->node_begin);
    s->node_near = ashi_arena_take_array(s->scratch, 4 * (size_t)s->plan->unit_count, sizeof *s->node_near);
    if (s->node_begin == NULL || s->node_near == NULL)
        return false;
    uint32_t *next = s->node_begin + 1;
    memset(s->node_begin, 0, ((size_t)n + 2) * sizeof *s->node_begin);
    for (uint32_t k = 0; k < d->block_count; k++) {
        uint32_t first = ashi_direct_first_unit(d, s->plan, k), end = ashi_direct_first_unit(d, s->plan, k + 1);
        for (int side = 0; side < 2; side++)
            for (uint32_t unit = first; d->graph.data[k].body[side] != NONE && unit < end; unit++) {
                s->node_begin[d->graph.data[k].body[side] + 2]++;
                s->node_begin[d->body_count + unit + 2]++;
            }
    }
    for (uint32_t i = 0; i < n; i++)
        s->node_begin[i + 2] += s->node_begin[i + 1];
    for (uint32_t k = 0; k < d->block_count; k++) {
        uint32_t first = ashi_direct_first_unit(d, s->plan, k), end = ashi_direct_first_unit(d, s->plan, k + 1);
        for (int side = 0; side < 2; side++)
            for (uint32_t unit = first; d->graph.data[k].body[side] != NONE && unit < end; unit++) {
                uint32_t body = d->graph.data[k].body[side], node = d->body_count + unit;
                s->node_near[next[body]++] = node;
                s->node_near[next[node]++] = body;
            }
    }
    return true;
}

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

static bool find_entries(symbolic *s, const ashi_direct_pattern *p, uint32_t at)
{
    uint32_t node = p->order[at], first = NONE;
    s->begin[at] = s->entries.count;
    for (uint32_t i = s->node_begin[node]; i < s->node_begin[node + 1]; i++)
        if (!add_entry(s, at, p->place[s->node_near[i]]))
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

static uint32_t node_size(const ashi_direct *d, const ashi_direct_plan *plan, uint32_t node)
{
    uint32_t unit = node - d->body_count;
    if (node < d->body_count)
        return ASHI_DIRECT_SIZE;
    return ashi_direct_unit_row(d, plan, unit + 1) - ashi_direct_unit_row(d, plan, unit);
}

static double cost_of(const ashi_direct *d, const ashi_direct_plan *plan, const ashi_direct_pattern *p)
{
    double cost = 0;
    for (uint32_t at = 0; at < p->node_count; at++) {
        double own = node_size(d, plan, p->order[at]), others = 0;
        for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++)
            others += node_size(d, plan, p->order[p->right[i]]);
        cost += own * (own + others) * (own + others);
    }
    return cost;
}

/* The order of nodes from that of bodies and blocks. */
static bool make_order(const ashi_direct *d, const ashi_direct_plan *plan, ashi_arena *scratch, ashi_direct_rule rule,
                       bool by_degree, uint32_t *order)
{
    uint32_t blocks_and_bodies = d->body_count + d->block_count, count = 0;
    uint32_t *whole = ashi_arena_take_array(scratch, blocks_and_bodies, sizeof *whole);
    if (whole == NULL || !ashi_direct_order(d, scratch, rule, by_degree, whole))
        return false;
    for (uint32_t i = 0; i < blocks_and_bodies; i++) {
        if (whole[i] < d->body_count) {
            order[count++] = whole[i];
            continue;
        }
        uint32_t block = whole[i] - d->body_count, end = ashi_direct_first_unit(d, plan, block + 1);
        for (uint32_t unit = ashi_direct_first_unit(d, plan, block); unit < end; unit++)
            order[count++] = d->body_count + unit;
    }
    return true;
}

static bool take_marks(symbolic *s, ashi_direct_pattern *p)
{
    size_t n = p->node_count;
    uint32_t **by_place[] = {&s->child, &s->sibling, &s->mark, &p->place};
    bool good = (s->begin = ashi_arena_take_array(s->scratch, n + 1, sizeof *s->begin)) != NULL;
    for (size_t i = 0; i < sizeof by_place / sizeof *by_place; i++) {
        *by_place[i] = ashi_arena_take_array(i == 3 ? s->plan->memory : s->scratch, n, sizeof(uint32_t));
        good = good && *by_place[i] != NULL;
    }
    if (!good)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        s->child[i] = s->sibling[i] = s->mark[i] = NONE;
        p->place[p->order[i]] = i;
    }
    s->begin[0] = 0;
    return true;
}

static bool make_pattern(const ashi_direct *d, const ashi_direct_plan *plan, ashi_arena *scratch, ashi_direct_rule rule,
                         bool by_degree, ashi_direct_pattern *p)
{
    symbolic s = {.direct = d, .plan = plan, .scratch = scratch};
    *p = (ashi_direct_pattern){.node_count = d->body_count + plan->unit_count};
    p->order = ashi_arena_take_array(plan->memory, p->node_count, sizeof *p->order);
    bool good = p->order != NULL && make_order(d, plan, scratch, rule, by_degree, p->order) && take_marks(&s, p) &&
                list_neighbours(&s);
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

/* The cheaper one of the two orders of bodies. */
static bool choose_pattern(const ashi_direct *d, ashi_arena *scratch, ashi_direct_rule rule, ashi_direct_plan *plan)
{
    ashi_direct_pattern by_degree;
    if (!make_pattern(d, plan, scratch, rule, false, &plan->pattern))
        return false;
    if (rule == ASHI_DIRECT_LOOPS_LAST || (d->loop_rows == 0 && rule == ASHI_DIRECT_QUICK))
        return true;
    if (!make_pattern(d, plan, scratch, rule, true, &by_degree))
        return false;
    if (by_degree.cost < plan->pattern.cost)
        plan->pattern = by_degree;
    return true;
}

/* ---- memory ---- */

static bool lay_out_pattern(const ashi_direct *direct, ashi_direct_plan *d)
{
    const ashi_direct_pattern *p = &d->pattern;
    size_t n = p->node_count, entries = p->begin[n];
    d->size = ashi_arena_take_array(d->memory, n, sizeof *d->size);
    d->start = ashi_arena_take_array(d->memory, n, sizeof *d->start);
    d->diagonal_at = ashi_arena_take_array(d->memory, n + 1, sizeof *d->diagonal_at);
    d->upper_at = ashi_arena_take_array(d->memory, entries + 1, sizeof *d->upper_at);
    if (d->size == NULL || d->start == NULL || d->diagonal_at == NULL || d->upper_at == NULL)
        return false;
    uint64_t upper = 0, diagonal = 0, unknowns = 0;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t size = node_size(direct, d, p->order[at]);
        d->size[at] = (uint8_t)size;
        d->start[at] = (uint32_t)unknowns;
        d->diagonal_at[at] = (uint32_t)diagonal;
        unknowns += size;
        diagonal += (uint64_t)size * size;
    }
    for (uint32_t at = 0; at < n; at++)
        for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++) {
            d->upper_at[i] = (uint32_t)upper;
            upper += (uint64_t)d->size[at] * d->size[p->right[i]];
        }
    d->upper_at[entries] = (uint32_t)upper;
    d->diagonal_at[n] = (uint32_t)diagonal;
    d->unknowns = (uint32_t)unknowns;
    return upper < UINT32_MAX && diagonal < UINT32_MAX;
}

static uint32_t find_entry(const ashi_direct_pattern *p, uint32_t at, uint32_t right)
{
    uint32_t low = p->begin[at], high = p->begin[at + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->right[middle] < right)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where the rows of the problem go, and which entries nothing goes to. */
static void find_targets(const ashi_direct *direct, ashi_direct_plan *plan, bool *is_given)
{
    const ashi_direct_pattern *p = &plan->pattern;
    for (uint32_t k = 0, unit = 0; k < direct->block_count; k++)
        for (uint32_t end = ashi_direct_first_unit(direct, plan, k + 1); unit < end; unit++) {
            uint32_t place = p->place[direct->body_count + unit], row = ashi_direct_unit_row(direct, plan, unit);
            for (uint32_t i = 0; i < plan->size[place]; i++)
                plan->row_place[row + i] = plan->start[place] + i;
            for (int side = 0; side < 2; side++) {
                plan->target[unit][side] = (ashi_direct_target){NONE, false};
                if (direct->graph.data[k].body[side] == NONE)
                    continue;
                uint32_t body = p->place[direct->graph.data[k].body[side]];
                uint32_t entry = body < place ? find_entry(p, body, place) : find_entry(p, place, body);
                plan->target[unit][side] = (ashi_direct_target){plan->upper_at[entry], body < place};
                is_given[entry] = true;
            }
        }
}

static bool lay_out_rows(const ashi_direct *direct, ashi_direct_plan *plan, ashi_arena *scratch)
{
    uint32_t entries = plan->pattern.begin[plan->pattern.node_count];
    bool *is_given = ashi_arena_take_array(scratch, entries, sizeof *is_given);
    plan->target = ashi_arena_take_array(plan->memory, plan->unit_count, sizeof *plan->target);
    plan->filled = ashi_arena_take_array(plan->memory, entries, sizeof *plan->filled);
    plan->row_place = ashi_arena_take_array(plan->memory, direct->row_count, sizeof *plan->row_place);
    if (is_given == NULL || plan->target == NULL || plan->filled == NULL || plan->row_place == NULL)
        return false;
    memset(is_given, 0, entries * sizeof *is_given);
    find_targets(direct, plan, is_given);
    plan->filled_count = 0;
    for (uint32_t i = 0; i < entries; i++)
        if (!is_given[i])
            plan->filled[plan->filled_count++] = i;
    return true;
}

static bool take_numbers(ashi_direct_plan *d)
{
    const ashi_direct_pattern *p = &d->pattern;
    uint32_t entries = p->begin[p->node_count], widest = 0;
    for (uint32_t at = 0; at < p->node_count; at++) {
        uint32_t width = d->upper_at[p->begin[at + 1]] - d->upper_at[p->begin[at]];
        widest = width > widest ? width : widest;
    }
    d->column = ashi_arena_take_array(d->memory, widest, sizeof *d->column);
    d->upper = ashi_arena_take_array(d->memory, d->upper_at[entries], sizeof *d->upper);
    d->unknown = ashi_arena_take_array(d->memory, d->unknowns, sizeof *d->unknown);
    d->diagonal = ashi_arena_take_array(d->memory, d->diagonal_at[p->node_count], sizeof *d->diagonal);
    return d->column != NULL && d->upper != NULL && d->unknown != NULL && d->diagonal != NULL;
}

ashi_direct_plan *ashi_direct_plan_for(ashi_direct *direct, ashi_direct_rule rule)
{
    ashi_direct_plan *plan = &direct->plans[rule];
    if (plan->memory != NULL)
        return plan;
    ashi_arena *scratch = ashi_arena_create(1 << 14);
    plan->memory = ashi_arena_create(1 << 12);
    plan->by_rows = rule != ASHI_DIRECT_QUICK;
    plan->unit_count = plan->by_rows ? direct->row_count : direct->block_count;
    direct->pattern_count++;
    bool good = scratch != NULL && plan->memory != NULL && choose_pattern(direct, scratch, rule, plan) &&
                lay_out_pattern(direct, plan) && lay_out_rows(direct, plan, scratch) && take_numbers(plan);
    ashi_arena_destroy(scratch);
    if (good)
        return plan;
    ashi_arena_destroy(plan->memory);
    *plan = (ashi_direct_plan){0};
    return NULL;
}

void ashi_direct_forget_plans(ashi_direct *direct)
{
    for (int rule = 0; rule < ASHI_DIRECT_RULES; rule++) {
        ashi_arena_destroy(direct->plans[rule].memory);
        direct->plans[rule] = (ashi_direct_plan){0};
    }
    direct->plan = NULL;
}
