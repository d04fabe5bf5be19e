/* Plans: a pattern, where everything lies in memory, and what goes where when the matrix is made. */
#include "solve/direct/direct_parts.h"

#include <string.h>

#define NONE ASHI_DIRECT_NONE

static bool lay_out_pattern(const ashi_direct *direct, ashi_direct_plan *d)
{
    const ashi_direct_pattern *p = &d->pattern;
    size_t n = p->node_count, entries = p->begin[n];
    d->size = ashi_arena_take_array(d->memory, n, sizeof *d->size);
    d->equal = ashi_arena_take_array(d->memory, n, sizeof *d->equal);
    d->start = ashi_arena_take_array(d->memory, n, sizeof *d->start);
    d->diagonal_at = ashi_arena_take_array(d->memory, n + 1, sizeof *d->diagonal_at);
    d->upper_at = ashi_arena_take_array(d->memory, entries + 1, sizeof *d->upper_at);
    if (d->size == NULL || d->equal == NULL || d->start == NULL || d->diagonal_at == NULL || d->upper_at == NULL)
        return false;
    uint64_t upper = 0, diagonal = 0, unknowns = 0;
    d->hub_count = 0;
    for (uint32_t at = 0; at < n; at++) {
        uint32_t size = ashi_direct_node_size(direct, d, p->order[at]);
        d->size[at] = (uint8_t)size;
        d->start[at] = (uint32_t)unknowns;
        d->diagonal_at[at] = (uint32_t)diagonal;
        unknowns += size;
        d->hub_count += p->order[at] < direct->body_count;
        diagonal += (uint64_t)size * size;
    }
    for (uint32_t at = 0; at < n; at++) {
        d->equal[at] = d->size[at];
        for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++) {
            d->upper_at[i] = (uint32_t)upper;
            upper += (uint64_t)d->size[at] * d->size[p->right[i]];
            d->equal[at] = d->size[p->right[i]] == d->size[at] ? d->equal[at] : 0;
        }
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

/* Where rows go that act on hubs, and where the unknowns of all rows are. */
static void find_targets(const ashi_direct *direct, const ashi_direct_shares *shares, ashi_direct_plan *plan,
                         bool *is_given)
{
    const ashi_direct_pattern *p = &plan->pattern;
    for (uint32_t unit = 0; unit < plan->unit_count; unit++) {
        uint32_t place = p->place[direct->body_count + unit], row = ashi_direct_unit_row(direct, plan, unit);
        for (uint32_t i = 0; i < plan->size[place]; i++)
            plan->row_place[row + i] = plan->start[place] + i;
        for (int side = 0; side < 2; side++) {
            uint32_t number = shares->body[unit][side], body = number == NONE ? NONE : p->place[number];
            plan->target[unit][side] = (ashi_direct_target){NONE, false};
            if (body == NONE)
                continue;
            uint32_t entry = body < place ? find_entry(p, body, place) : find_entry(p, place, body);
            plan->target[unit][side] = (ashi_direct_target){plan->upper_at[entry], body < place};
            is_given[entry] = true;
        }
    }
}

static void add_product(const ashi_direct *direct, const ashi_direct_shares *shares, ashi_direct_plan *plan,
                        uint32_t body, uint32_t one, uint32_t two, bool *is_given)
{
    const uint32_t *place = plan->pattern.place + direct->body_count;
    uint32_t early = place[one] <= place[two] ? one : two, late = early == one ? two : one;
    ashi_direct_product *product = &plan->products[plan->product_count++];
    *product = (ashi_direct_product){.row = ashi_direct_unit_row(direct, plan, early),
                                     .other_row = ashi_direct_unit_row(direct, plan, late),
                                     .side = shares->body[early][0] == body ? 0 : 1,
                                     .other_side = shares->body[late][0] == body ? 0 : 1,
                                     .size = plan->size[place[early]],
                                     .other_size = plan->size[place[late]]};
    uint32_t entry = find_entry(&plan->pattern, place[early], place[late]);
    product->at = plan->upper_at[entry];
    product->first = !is_given[entry];
    is_given[entry] = true;
}

static bool find_products(const ashi_direct *direct, const ashi_direct_shares *shares, ashi_direct_plan *plan,
                          bool *is_given)
{
    uint64_t count = 0;
    for (uint32_t b = 0; b < direct->body_count; b++) {
        uint64_t units = shares->begin[b + 1] - shares->begin[b];
        count += shares->light[b] && units > 0 ? units * (units - 1) / 2 : 0;
    }
    plan->product_count = 0;
    if (count > UINT32_MAX ||
        (plan->products = ashi_arena_take_array(plan->memory, count, sizeof *plan->products)) == NULL)
        return false;
    for (uint32_t b = 0; b < direct->body_count; b++)
        for (uint32_t i = shares->begin[b]; shares->light[b] && i < shares->begin[b + 1]; i++)
            for (uint32_t k = shares->begin[b]; k < i; k++)
                add_product(direct, shares, plan, b, shares->unit[i], shares->unit[k], is_given);
    return true;
}

static bool lay_out_rows(const ashi_direct *direct, const ashi_direct_shares *shares, ashi_direct_plan *plan,
                         ashi_arena *scratch)
{
    uint32_t entries = plan->pattern.begin[plan->pattern.node_count];
    bool *is_given = ashi_arena_take_array(scratch, entries, sizeof *is_given);
    plan->target = ashi_arena_take_array(plan->memory, plan->unit_count, sizeof *plan->target);
    plan->filled = ashi_arena_take_array(plan->memory, entries, sizeof *plan->filled);
    plan->row_place = ashi_arena_take_array(plan->memory, direct->row_count, sizeof *plan->row_place);
    if (is_given == NULL || plan->target == NULL || plan->filled == NULL || plan->row_place == NULL)
        return false;
    memset(is_given, 0, entries * sizeof *is_given);
    find_targets(direct, shares, plan, is_given);
    if (!find_products(direct, shares, plan, is_given))
        return false;
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

/* ---- who acts on whom ---- */

static bool find_shares(const ashi_direct *direct, const ashi_direct_plan *plan, ashi_direct_rule rule,
                        ashi_arena *scratch, ashi_direct_shares *shares)
{
    uint32_t bodies = direct->body_count, units = plan->unit_count;
    shares->body = ashi_arena_take_array(scratch, units, sizeof *shares->body);
    shares->begin = ashi_arena_take_array(scratch, (size_t)bodies + 2, sizeof *shares->begin);
    shares->unit = ashi_arena_take_array(scratch, 2 * (size_t)units, sizeof *shares->unit);
    shares->light = ashi_arena_take_array(scratch, bodies, sizeof *shares->light);
    uint32_t *rows = ashi_arena_take_array(scratch, bodies, sizeof *rows);
    if (shares->body == NULL || shares->begin == NULL || shares->unit == NULL || shares->light == NULL || rows == NULL)
        return false;
    memset(shares->begin, 0, ((size_t)bodies + 2) * sizeof *shares->begin);
    memset(rows, 0, bodies * sizeof *rows);
    for (uint32_t k = 0, unit = 0; k < direct->block_count; k++)
        for (uint32_t end = ashi_direct_first_unit(direct, plan, k + 1); unit < end; unit++)
            for (int side = 0; side < 2; side++) {
                uint32_t body = shares->body[unit][side] = direct->graph.data[k].body[side];
                if (body == NONE)
                    continue;
                shares->begin[body + 2]++;
                rows[body] += ashi_direct_node_size(direct, plan, bodies + unit);
            }
    for (uint32_t b = 0; b < bodies; b++) {
        shares->begin[b + 2] += shares->begin[b + 1];
        shares->light[b] = rule == ASHI_DIRECT_BODIES_FIRST || rows[b] <= ASHI_DIRECT_LIGHT;
    }
    for (uint32_t unit = 0; unit < units; unit++)
        for (int side = 0; side < 2; side++)
            if (shares->body[unit][side] != NONE)
                shares->unit[shares->begin[shares->body[unit][side] + 1]++] = unit;
    return true;
}

ashi_direct_plan *ashi_direct_plan_for(ashi_direct *direct, ashi_direct_rule rule)
{
    ashi_direct_plan *plan = &direct->plans[rule];
    if (plan->memory != NULL)
        return plan;
    ashi_direct_shares shares;
    ashi_arena *scratch = ashi_arena_create(1 << 14);
    plan->memory = ashi_arena_create(1 << 12);
    plan->by_rows = rule != ASHI_DIRECT_QUICK;
    plan->unit_count = plan->by_rows ? direct->row_count : direct->block_count;
    direct->pattern_count++;
    bool good = scratch != NULL && plan->memory != NULL && find_shares(direct, plan, rule, scratch, &shares) &&
                ashi_direct_choose_pattern(direct, scratch, rule, &shares, plan) && lay_out_pattern(direct, plan) &&
                lay_out_rows(direct, &shares, plan, scratch) && take_numbers(plan);
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
