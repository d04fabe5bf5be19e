/* The symbolic phase: which blocks the factor has in an order of elimination, and where everything lies in memory.
 *
 * The entries right of place k are its own later neighbours and those of the places whose first entry is k (the
 * children in the elimination tree). */
#include "solve/direct_parts.h"

#include <string.h>

#define NONE ASHI_DIRECT_NONE

typedef struct symbolic {
    ashi_direct *direct;
    ashi_arena *scratch;
    uint32_t *child, *sibling, *mark; /* by place: lists of the elimination tree; last place that saw it */
    uint32_t *node_begin, *node_near; /* neighbours by node */
    uint32_t *begin;                  /* by place: entries so far, unsorted */
    ASHI_ARRAY(uint32_t) entries;
} symbolic;

static bool list_neighbours(symbolic *s)
{
    const ashi_direct *d = s->direct;
    uint32_t n = d->body_count + d->block_count;
    s->node_begin = ashi_arena_take_array(s->scratch, (size_t)n + 2, sizeof *s->node_begin);
    s->node_near = ashi_arena_take_array(s->scratch, 4 * (size_t)d->block_count, sizeof *s->node_near);
    if (s->node_begin == NULL || s->node_near == NULL)
        return false;
    uint32_t *next = s->node_begin + 1;
    memset(s->node_begin, 0, ((size_t)n + 2) * sizeof *s->node_begin);
    for (uint32_t k = 0; k < d->block_count; k++)
        for (int side = 0; side < 2; side++)
            if (d->graph.data[k].body[side] != NONE) {
                s->node_begin[d->graph.data[k].body[side] + 2]++;
                s->node_begin[d->body_count + k + 2]++;
            }
    for (uint32_t i = 0; i < n; i++)
        s->node_begin[i + 2] += s->node_begin[i + 1];
    for (uint32_t k = 0; k < d->block_count; k++)
        for (int side = 0; side < 2; side++) {
            uint32_t body = d->graph.data[k].body[side], block = d->body_count + k;
            if (body == NONE)
                continue;
            s->node_near[next[body]++] = block;
            s->node_near[next[block]++] = body;
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

static double cost_of(const ashi_direct *d, const ashi_direct_pattern *p)
{
    double cost = 0;
    for (uint32_t at = 0; at < p->node_count; at++) {
        double own = ashi_direct_node_size(d, p->order[at]), others = 0;
        for (uint32_t i = p->begin[at]; i < p->begin[at + 1]; i++)
            others += ashi_direct_node_size(d, p->order[p->right[i]]);
        cost += own * (own + others) * (own + others);
    }
    return cost;
}

static bool take_marks(symbolic *s, ashi_direct_pattern *p)
{
    size_t n = p->node_count;
    uint32_t **by_place[] = {&s->child, &s->sibling, &s->mark, &p->place};
    bool good = (s->begin = ashi_arena_take_array(s->scratch, n + 1, sizeof *s->begin)) != NULL;
    for (size_t i = 0; i < sizeof by_place / sizeof *by_place; i++) {
        *by_place[i] = ashi_arena_take_array(i == 3 ? s->direct->memory : s->scratch, n, sizeof(uint32_t));
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

/* The pattern of an order, which it keeps. */
static bool make_pattern(ashi_direct *d, ashi_arena *scratch, uint32_t *order, ashi_direct_pattern *p)
{
    symbolic s = {.direct = d, .scratch = scratch};
    *p = (ashi_direct_pattern){.node_count = d->body_count + d->block_count, .order = order};
    bool good = take_marks(&s, p) && list_neighbours(&s);
    for (uint32_t at = 0; good && at < p->node_count; at++)
        good = find_entries(&s, p, at);
    if (good) {
        p->begin = ashi_arena_take_array(d->memory, (size_t)p->node_count + 1, sizeof *p->begin);
        p->right = ashi_arena_take_array(d->memory, s.entries.count, sizeof *p->right);
        good = p->begin != NULL && p->right != NULL && sort_entries(&s, p);
    }
    ashi_array_release(&s.entries);
    if (good)
        p->cost = cost_of(d, p);
    return good;
}

static bool choose_pattern(ashi_direct *d, ashi_arena *scratch)
{
    size_t nodes = (size_t)d->body_count + d->block_count;
    uint32_t *order = ashi_arena_take_array(d->memory, nodes, sizeof *order), loops = 0;
    if (order == NULL || !ashi_direct_order_tree(d, scratch, order, &loops) ||
        !make_pattern(d, scratch, order, &d->pattern))
        return false;
    if (loops == 0)
        return true;
    ashi_direct_pattern other;
    uint32_t *other_order = ashi_arena_take_array(d->memory, nodes, sizeof *other_order);
    if (other_order == NULL || !ashi_direct_order_amd(d, scratch, other_order) ||
        !make_pattern(d, scratch, other_order, &other))
        return false;
    if (other.cost < d->pattern.cost)
        d->pattern = other;
    return true;
}

/* ---- memory ---- */

static bool lay_out_pattern(ashi_direct *d)
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
        uint32_t size = ashi_direct_node_size(d, p->order[at]);
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
static bool find_targets(ashi_direct *d, ashi_arena *scratch)
{
    const ashi_direct_pattern *p = &d->pattern;
    uint32_t entries = p->begin[p->node_count];
    bool *is_given = ashi_arena_take_array(scratch, entries, sizeof *is_given);
    d->target = ashi_arena_take_array(d->memory, d->block_count, sizeof *d->target);
    d->filled = ashi_arena_take_array(d->memory, entries, sizeof *d->filled);
    d->first_row = ashi_arena_take_array(d->memory, d->block_count, sizeof *d->first_row);
    d->row_place = ashi_arena_take_array(d->memory, d->row_count, sizeof *d->row_place);
    if (is_given == NULL || d->target == NULL || d->filled == NULL || d->first_row == NULL || d->row_place == NULL)
        return false;
    memset(is_given, 0, entries * sizeof *is_given);
    uint32_t row = 0;
    for (uint32_t k = 0; k < d->block_count; k++) {
        uint32_t block = p->place[d->body_count + k];
        d->first_row[k] = row;
        for (uint32_t i = 0; i < d->size[block]; i++)
            d->row_place[row++] = d->start[block] + i;
        for (int side = 0; side < 2; side++) {
            d->target[k][side] = (ashi_direct_target){NONE, false};
            if (d->graph.data[k].body[side] == NONE)
                continue;
            uint32_t body = p->place[d->graph.data[k].body[side]];
            uint32_t entry = body < block ? find_entry(p, body, block) : find_entry(p, block, body);
            d->target[k][side] = (ashi_direct_target){d->upper_at[entry], body < block};
            is_given[entry] = true;
        }
    }
    d->filled_count = 0;
    for (uint32_t i = 0; i < entries; i++)
        if (!is_given[i])
            d->filled[d->filled_count++] = i;
    return true;
}

static bool take_numbers(ashi_direct *d)
{
    const ashi_direct_pattern *p = &d->pattern;
    uint32_t entries = p->begin[p->node_count], widest = 0;
    for (uint32_t at = 0; at < p->node_count; at++) {
        uint32_t width = d->upper_at[p->begin[at + 1]] - d->upper_at[p->begin[at]];
        widest = width > widest ? width : widest;
    }
    size_t rows = d->row_count;
    struct {
        double **array;
        size_t count;
    } wanted[] = {{&d->softness, rows},
                  {&d->scale, rows},
                  {&d->held, rows},
                  {&d->residual, rows},
                  {&d->guess, rows},
                  {&d->conflict, rows},
                  {&d->right, rows},
                  {&d->column, widest},
                  {&d->upper, d->upper_at[entries]},
                  {&d->unknown, d->unknowns},
                  {&d->diagonal, d->diagonal_at[p->node_count]},
                  {&d->z, 6 * (size_t)d->body_count}};
    bool good = true;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        good = (*wanted[i].array = ashi_arena_take_array(d->memory, wanted[i].count, sizeof(double))) != NULL && good;
    d->root = ashi_arena_take_array(d->memory, d->body_count, sizeof *d->root);
    d->jacobian = ashi_arena_take_array(d->memory, rows, sizeof *d->jacobian);
    d->suspects = ashi_arena_take_array(d->memory, rows, sizeof *d->suspects);
    d->suspect = ashi_arena_take_array(d->memory, rows, sizeof *d->suspect);
    d->redundant = ashi_arena_take_array(d->memory, rows, sizeof *d->redundant);
    d->undetermined = ashi_arena_take_array(d->memory, rows, sizeof *d->undetermined);
    return good && d->root != NULL && d->jacobian != NULL && d->suspects != NULL && d->suspect != NULL &&
           d->redundant != NULL && d->undetermined != NULL;
}

bool ashi_direct_fit(ashi_direct *direct)
{
    ashi_arena *scratch = ashi_arena_create(1 << 14);
    ashi_arena_reset(direct->memory);
    bool good = scratch != NULL && choose_pattern(direct, scratch) && lay_out_pattern(direct) &&
                find_targets(direct, scratch) && take_numbers(direct);
    ashi_arena_destroy(scratch);
    return good;
}
