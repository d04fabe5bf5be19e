/* The pattern of a block factor: the body with the fewest neighbours is eliminated first, and its neighbours become
 * neighbours of each other (minimum degree on the explicit elimination graph; ties go to the body that came into its
 * degree last, so the order depends on the graph alone).
 *
 * The neighbours at elimination are the rows of the factor's column, so that keeping the graph explicitly costs no more
 * memory than the factor's indices, and joining two lists is cheap beside the product of blocks that it stands for. */
#include "solve/linear/block_factor.h"

#include <string.h>

#define NOBODY UINT32_MAX

#define LEAST_ROOM 512 /* entries to spare: small islands that grow need no memory */

typedef struct neighbours {
    uint32_t *data; /* ascending */
    uint32_t count, room;
} neighbours;

typedef struct graph {
    uint32_t count;
    neighbours *of;            /* by body */
    uint32_t *first;           /* by degree: a body of it */
    uint32_t *next, *previous; /* by body: others of its degree */
    neighbours joined;         /* scratch */
    uint64_t blocks, products; /* of all columns so far */
    ashi_arena *arena;
} graph;

static bool reserve(graph *g, neighbours *list, uint32_t wanted)
{
    if (wanted <= list->room)
        return true;
    uint32_t room = wanted + wanted / 2 + 4;
    uint32_t *data = ashi_arena_take_array(g->arena, room, sizeof *data);
    if (data == NULL)
        return false;
    if (list->count > 0)
        memcpy(data, list->data, list->count * sizeof *data);
    list->data = data;
    list->room = room;
    return true;
}

/* ---- bodies by degree ---- */

static void enter(graph *g, uint32_t body)
{
    uint32_t degree = g->of[body].count;
    g->previous[body] = NOBODY;
    g->next[body] = g->first[degree];
    if (g->next[body] != NOBODY)
        g->previous[g->next[body]] = body;
    g->first[degree] = body;
}

static void leave(graph *g, uint32_t body)
{
    if (g->previous[body] != NOBODY)
        g->next[g->previous[body]] = g->next[body];
    else
        g->first[g->of[body].count] = g->next[body];
    if (g->next[body] != NOBODY)
        g->previous[g->next[body]] = g->previous[body];
}

/* ---- elimination ---- */

/* Ascending, by Shell's method with Knuth's distances: lists are short or nearly sorted, but need not be. */
static void sort(uint32_t *data, uint32_t count)
{
    uint32_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t value = data[i], k = i;
            for (; k >= gap && data[k - gap] > value; k -= gap)
                data[k] = data[k - gap];
            data[k] = value;
        }
}

static bool is_too_large(const graph *g)
{
    return g->blocks > ASHI_MOST_BLOCKS || g->products > ASHI_MOST_PRODUCTS;
}

static bool make_graph(graph *g, const ashi_block_pair *pairs, uint32_t pair_count)
{
    uint32_t n = g->count;
    g->of = ashi_arena_take_array(g->arena, n, sizeof *g->of);
    g->first = ashi_arena_take_array(g->arena, (size_t)n + 1, sizeof *g->first);
    g->next = ashi_arena_take_array(g->arena, n, sizeof *g->next);
    g->previous = ashi_arena_take_array(g->arena, n, sizeof *g->previous);
    if (g->of == NULL || g->first == NULL || g->next == NULL || g->previous == NULL)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        g->of[i] = (neighbours){NULL, 0, 0};
        g->first[i] = NOBODY;
    }
    g->first[n] = NOBODY;
    for (uint32_t i = 0; i < pair_count; i++) {
        neighbours *a = &g->of[pairs[i].a], *b = &g->of[pairs[i].b];
        if (a->count > 0 && a->data[a->count - 1] == pairs[i].b)
            continue; /* the next point of the same contact */
        if (!reserve(g, a, a->count + 1) || !reserve(g, b, b->count + 1))
            return false;
        a->data[a->count++] = pairs[i].b;
        b->data[b->count++] = pairs[i].a;
    }
    for (uint32_t i = 0; i < n; i++) {
        neighbours *list = &g->of[i];
        sort(list->data, list->count);
        uint32_t kept = 0;
        for (uint32_t k = 0; k < list->count; k++)
            if (kept == 0 || list->data[kept - 1] != list->data[k])
                list->data[kept++] = list->data[k];
        list->count = kept;
        g->blocks += kept;
        enter(g, i);
    }
    g->blocks /= 2; /* each coupling is known to both */
    return true;
}

/* The neighbours of `body` and those of `gone`, without the two themselves. */
static bool join(graph *g, uint32_t body, uint32_t gone)
{
    neighbours *mine = &g->of[body], *other = &g->of[gone], *joined = &g->joined;
    if (!reserve(g, joined, mine->count + other->count))
        return false;
    uint32_t i = 0, k = 0, count = 0;
    while (i < mine->count || k < other->count) {
        uint32_t a = i < mine->count ? mine->data[i] : NOBODY, b = k < other->count ? other->data[k] : NOBODY;
        uint32_t least = a < b ? a : b;
        i += a == least;
        k += b == least;
        if (least != body && least != gone)
            joined->data[count++] = least;
    }
    leave(g, body);
    if (!reserve(g, mine, count))
        return false;
    memcpy(mine->data, joined->data, count * sizeof *joined->data);
    mine->count = count;
    enter(g, body);
    return true;
}

/* Stops where the factor becomes too large. */
static bool eliminate(graph *g, uint32_t *order)
{
    uint32_t degree = 0;
    if (is_too_large(g))
        return true;
    g->blocks = 0;
    for (uint32_t place = 0; place < g->count && !is_too_large(g); place++) {
        while (g->first[degree] == NOBODY)
            degree++;
        uint32_t body = g->first[degree];
        leave(g, body);
        order[place] = body;
        const neighbours *list = &g->of[body];
        g->blocks += list->count;
        g->products += (uint64_t)list->count * list->count;
        for (uint32_t i = 0; i < list->count; i++)
            if (!join(g, list->data[i], body))
                return false;
        degree = degree > 0 ? degree - 1 : 0; /* a neighbour may have lost one */
    }
    return true;
}

/* ---- the pattern ---- */

void ashi_block_pattern_release(ashi_block_pattern *pattern)
{
    ashi_dealloc(pattern->memory);
    *pattern = (ashi_block_pattern){0};
}

static bool lay_out(ashi_block_pattern *p, uint32_t count, uint64_t blocks, uint32_t pair_count)
{
    size_t entries = 4 * (size_t)count + 2 + 3 * (size_t)blocks + 2 * (size_t)pair_count;
    if (entries > p->room) {
        size_t room = entries + entries / 2 + LEAST_ROOM;
        uint32_t *memory = ashi_alloc_array(room, sizeof *memory);
        if (memory == NULL)
            return false;
        ashi_dealloc(p->memory);
        p->memory = memory;
        p->room = room;
    }
    uint32_t *next = p->memory;
    p->pairs = (ashi_block_pair *)next;
    p->order = next += 2 * (size_t)pair_count;
    p->place = next += count;
    p->column = next += count;
    p->left = next += (size_t)count + 1;
    p->row = next += (size_t)count + 1;
    p->left_column = next += blocks;
    p->left_block = next + blocks;
    p->count = count;
    p->blocks = (uint32_t)blocks;
    p->pair_count = pair_count;
    return true;
}

/* Counts to starts: the sum of all before. */
static void add_up(uint32_t *counts, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t j = 0; j <= n; j++) {
        uint32_t here = counts[j];
        counts[j] = sum;
        sum += here;
    }
}

/* Starts that were moved to the ends of their lists go back. */
static void rewind_starts(uint32_t *starts, uint32_t n)
{
    memmove(&starts[1], &starts[0], n * sizeof *starts);
    starts[0] = 0;
}

/* First the blocks by rows, then, from these, by columns: each pass leaves its lists ascending. */
static void fill(ashi_block_pattern *p, const graph *g)
{
    uint32_t n = p->count;
    memset(p->left, 0, ((size_t)n + 1) * sizeof *p->left);
    for (uint32_t j = 0; j < n; j++) {
        const neighbours *list = &g->of[p->order[j]];
        p->column[j] = list->count;
        for (uint32_t i = 0; i < list->count; i++)
            p->left[p->place[list->data[i]]]++;
    }
    p->column[n] = 0;
    add_up(p->left, n);
    add_up(p->column, n);
    for (uint32_t j = 0; j < n; j++) {
        const neighbours *list = &g->of[p->order[j]];
        for (uint32_t i = 0; i < list->count; i++)
            p->left_column[p->left[p->place[list->data[i]]]++] = j;
    }
    rewind_starts(p->left, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t at = p->left[i]; at < p->left[i + 1]; at++) {
            p->left_block[at] = p->column[p->left_column[at]]++;
            p->row[p->left_block[at]] = i;
        }
    rewind_starts(p->column, n);
}

bool ashi_block_pattern_fit(ashi_block_pattern *pattern, uint32_t count, const ashi_block_pair *pairs,
                            uint32_t pair_count, ashi_arena *scratch)
{
    if (pattern->memory != NULL && pattern->count == count && pattern->pair_count == pair_count &&
        (pair_count == 0 || memcmp(pattern->pairs, pairs, pair_count * sizeof *pairs) == 0))
        return true;
    graph g = {.count = count, .arena = scratch};
    uint32_t *order = ashi_arena_take_array(scratch, count, sizeof *order);
    if (order == NULL || !make_graph(&g, pairs, pair_count) || !eliminate(&g, order) ||
        !lay_out(pattern, count, is_too_large(&g) ? 0 : g.blocks, pair_count)) {
        ashi_block_pattern_release(pattern);
        return false;
    }
    if (pair_count > 0)
        memcpy(pattern->pairs, pairs, pair_count * sizeof *pairs);
    pattern->too_large = is_too_large(&g);
    pattern->products = g.products;
    if (pattern->too_large)
        return true;
    for (uint32_t j = 0; j < count; j++) {
        pattern->order[j] = order[j];
        pattern->place[order[j]] = j;
    }
    fill(pattern, &g);
    return true;
}

uint32_t ashi_block_pattern_find(const ashi_block_pattern *pattern, uint32_t a, uint32_t b)
{
    uint32_t i = pattern->place[a], k = pattern->place[b];
    uint32_t column = i < k ? i : k, row = i < k ? k : i;
    uint32_t low = pattern->column[column], high = pattern->column[column + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pattern->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
