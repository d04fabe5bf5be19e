/* Orders of elimination.
 *
 * A spanning forest grows from the immovable bodies, level by level; where there are none, from the body with the most
 * blocks, its hub. A block of the forest follows its lower body, which most often can move in all of the block's
 * directions: that makes a sound pivot. A block that closes a loop follows both of its bodies. Bodies come leaf to
 * root, depth first (without loops nothing fills, and every step has one neighbour: Baraff 1996), or by approximate
 * minimum degree of their graph, dense hubs last (AMD: Amestoy, Davis, Duff 1996). */
#include "solve/direct/direct_parts.h"

#include <amd.h>
#include <limits.h>
#include <string.h>

#define NONE ASHI_DIRECT_NONE

typedef struct forest {
    const ashi_direct *direct;
    uint32_t *begin, *blocks; /* blocks by body */
    uint32_t *parent;         /* by body: the block towards the root, or none */
    uint32_t *reached;        /* bodies, level by level: parents first */
    uint32_t reached_count;
    bool *is_reached, *in_forest; /* by body, by block */
} forest;

/* The other body of a block, or none. */
static uint32_t across(const ashi_direct_block *block, uint32_t body)
{
    return block->body[0] == body ? block->body[1] : block->body[0];
}

static bool list_blocks(forest *f, ashi_arena *scratch)
{
    const ashi_direct *d = f->direct;
    f->begin = ashi_arena_take_array(scratch, (size_t)d->body_count + 2, sizeof *f->begin);
    f->blocks = ashi_arena_take_array(scratch, 2 * (size_t)d->block_count, sizeof *f->blocks);
    if (f->begin == NULL || f->blocks == NULL)
        return false;
    memset(f->begin, 0, ((size_t)d->body_count + 2) * sizeof *f->begin);
    for (uint32_t k = 0; k < d->block_count; k++)
        for (int side = 0; side < 2; side++)
            if (d->graph.data[k].body[side] != NONE)
                f->begin[d->graph.data[k].body[side] + 2]++;
    for (uint32_t b = 0; b < d->body_count; b++)
        f->begin[b + 2] += f->begin[b + 1];
    for (uint32_t k = 0; k < d->block_count; k++)
        for (int side = 0; side < 2; side++)
            if (d->graph.data[k].body[side] != NONE)
                f->blocks[f->begin[d->graph.data[k].body[side] + 1]++] = k;
    return true;
}

static void reach(forest *f, uint32_t body, uint32_t by)
{
    f->is_reached[body] = true;
    f->parent[body] = by;
    f->reached[f->reached_count++] = body;
    if (by != NONE)
        f->in_forest[by] = true;
}

/* Everything that hangs on what was reached from `from` on. */
static void spread(forest *f, uint32_t from)
{
    for (uint32_t i = from; i < f->reached_count; i++) {
        uint32_t body = f->reached[i];
        for (uint32_t at = f->begin[body]; at < f->begin[body + 1]; at++) {
            uint32_t other = across(&f->direct->graph.data[f->blocks[at]], body);
            if (other != NONE && !f->is_reached[other])
                reach(f, other, f->blocks[at]);
        }
    }
}

/* From the hub of a part that touches nothing immovable. */
static void spread_from_hub(forest *f, uint32_t body)
{
    uint32_t from = f->reached_count, hub = body, most = 0;
    reach(f, body, NONE);
    spread(f, from);
    for (uint32_t i = from; i < f->reached_count; i++) {
        uint32_t here = f->reached[i], degree = f->begin[here + 1] - f->begin[here];
        if (degree > most || (degree == most && here < hub)) {
            most = degree;
            hub = here;
        }
    }
    for (uint32_t i = from; i < f->reached_count; i++) {
        f->is_reached[f->reached[i]] = false;
        if (f->parent[f->reached[i]] != NONE)
            f->in_forest[f->parent[f->reached[i]]] = false;
    }
    f->reached_count = from;
    reach(f, hub, NONE);
    spread(f, from);
}

static bool grow_forest(forest *f, const ashi_direct *d, ashi_arena *scratch)
{
    *f = (forest){.direct = d};
    if (!list_blocks(f, scratch))
        return false;
    f->parent = ashi_arena_take_array(scratch, d->body_count, sizeof *f->parent);
    f->reached = ashi_arena_take_array(scratch, d->body_count, sizeof *f->reached);
    f->is_reached = ashi_arena_take_array(scratch, d->body_count, sizeof *f->is_reached);
    f->in_forest = ashi_arena_take_array(scratch, d->block_count, sizeof *f->in_forest);
    if (f->parent == NULL || f->reached == NULL || f->is_reached == NULL || f->in_forest == NULL)
        return false;
    memset(f->is_reached, 0, d->body_count * sizeof *f->is_reached);
    memset(f->in_forest, 0, d->block_count * sizeof *f->in_forest);
    for (uint32_t k = 0; k < d->block_count; k++) {
        const uint32_t *body = d->graph.data[k].body;
        uint32_t movable = body[0] == NONE ? body[1] : body[1] == NONE ? body[0] : NONE;
        if (movable != NONE && !f->is_reached[movable])
            reach(f, movable, k);
    }
    spread(f, 0);
    for (uint32_t b = 0; b < d->body_count; b++)
        if (!f->is_reached[b])
            spread_from_hub(f, b);
    return true;
}

/* Puts the blocks behind the bodies that they follow. */
static bool add_blocks(const forest *f, ashi_arena *scratch, ashi_direct_rule rule, const uint32_t *bodies,
                       uint32_t *order)
{
    const ashi_direct *d = f->direct;
    bool early = rule != ASHI_DIRECT_BODIES_FIRST, late = rule == ASHI_DIRECT_LOOPS_LAST;
    bool *is_out = ashi_arena_take_array(scratch, d->body_count, sizeof *is_out);
    uint32_t count = 0;
    if (is_out == NULL)
        return false;
    memset(is_out, 0, d->body_count * sizeof *is_out);
    for (uint32_t i = 0; i < d->body_count; i++) {
        uint32_t body = bodies[i];
        order[count++] = body;
        is_out[body] = true;
        if (early && f->parent[body] != NONE)
            order[count++] = d->body_count + f->parent[body];
        for (uint32_t at = f->begin[body]; at < f->begin[body + 1]; at++) {
            uint32_t other = across(&d->graph.data[f->blocks[at]], body);
            bool later = late || (early && f->in_forest[f->blocks[at]]);
            if (!later && (other == NONE || is_out[other]))
                order[count++] = d->body_count + f->blocks[at];
        }
    }
    for (uint32_t k = 0; k < d->block_count; k++) {
        bool between_immovable = d->graph.data[k].body[0] == NONE && d->graph.data[k].body[1] == NONE;
        if (between_immovable || (late && !f->in_forest[k]))
            order[count++] = d->body_count + k;
    }
    return true;
}

/* Depth first, children before their parents. */
static bool post_order(const forest *f, ashi_arena *scratch, uint32_t *bodies)
{
    const ashi_direct *d = f->direct;
    uint32_t *stack = ashi_arena_take_array(scratch, d->body_count, sizeof *stack);
    uint32_t *next = ashi_arena_take_array(scratch, d->body_count, sizeof *next);
    uint32_t count = 0;
    if (stack == NULL || next == NULL)
        return false;
    memcpy(next, f->begin, d->body_count * sizeof *next);
    for (uint32_t i = 0; i < f->reached_count; i++) {
        uint32_t root = f->reached[i], depth = 0;
        uint32_t parent = f->parent[root];
        if (parent != NONE && across(&d->graph.data[parent], root) != NONE)
            continue;
        stack[depth++] = root;
        while (depth > 0) {
            uint32_t body = stack[depth - 1];
            if (next[body] == f->begin[body + 1]) {
                bodies[count++] = body;
                depth--;
                continue;
            }
            uint32_t block = f->blocks[next[body]++];
            uint32_t other = across(&d->graph.data[block], body);
            if (other != NONE && f->parent[other] == block)
                stack[depth++] = other;
        }
    }
    return true;
}

/* ---- AMD ---- */

/* Neighbours of each body, once each, for amd_2, which works in the memory it is given. */
typedef struct degree_memory {
    int *begin, *length, *neighbours, *sizes, *next, *last, *head, *elements, *degree, *work;
    size_t room;
} degree_memory;

static bool take_memory(degree_memory *m, size_t n, size_t pairs, ashi_arena *scratch)
{
    int **arrays[] = {&m->begin, &m->length,   &m->sizes,  &m->next, &m->last,
                      &m->head,  &m->elements, &m->degree, &m->work};
    m->room = pairs + pairs / 5 + n + 1;
    if (pairs > INT_MAX / 2 || m->room > INT_MAX)
        return false;
    m->neighbours = ashi_arena_take_array(scratch, m->room, sizeof *m->neighbours);
    bool good = m->neighbours != NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        good = (*arrays[i] = ashi_arena_take_array(scratch, n + 1, sizeof(int))) != NULL && good;
    return good;
}

static int list_neighbours(const forest *f, degree_memory *m)
{
    const ashi_direct *d = f->direct;
    int count = 0;
    for (uint32_t b = 0; b < d->body_count; b++)
        m->work[b] = -1;
    for (uint32_t b = 0; b < d->body_count; b++) {
        m->begin[b] = count;
        m->work[b] = (int)b;
        for (uint32_t at = f->begin[b]; at < f->begin[b + 1]; at++) {
            uint32_t other = across(&d->graph.data[f->blocks[at]], b);
            if (other == NONE || m->work[other] == (int)b)
                continue;
            m->work[other] = (int)b;
            m->neighbours[count++] = (int)other;
        }
        m->length[b] = count - m->begin[b];
    }
    return count;
}

static void order_by_degree(degree_memory *m, uint32_t count, int used, uint32_t *order)
{
    double control[AMD_CONTROL], info[AMD_INFO];
    amd_defaults(control);
    amd_2((int)count, m->begin, m->neighbours, m->length, (int)m->room, used, m->sizes, m->next, m->last, m->head,
          m->elements, m->degree, m->work, control, info);
    for (uint32_t i = 0; i < count; i++)
        order[i] = (uint32_t)m->last[i];
}

static bool order_bodies(const forest *f, ashi_arena *scratch, uint32_t *bodies)
{
    degree_memory m;
    if (!take_memory(&m, f->direct->body_count, 2 * (size_t)f->direct->block_count, scratch))
        return false;
    order_by_degree(&m, f->direct->body_count, list_neighbours(f, &m), bodies);
    return true;
}

/* Blocks that share a body are neighbours, once each. */
static int list_block_neighbours(const forest *f, degree_memory *m)
{
    const ashi_direct *d = f->direct;
    int count = 0;
    for (uint32_t k = 0; k < d->block_count; k++)
        m->work[k] = -1;
    for (uint32_t k = 0; k < d->block_count; k++) {
        m->begin[k] = count;
        m->work[k] = (int)k;
        for (int side = 0; side < 2; side++) {
            uint32_t body = d->graph.data[k].body[side];
            for (uint32_t at = body == NONE ? 0 : f->begin[body]; body != NONE && at < f->begin[body + 1]; at++) {
                uint32_t other = f->blocks[at];
                if (m->work[other] == (int)k)
                    continue;
                m->work[other] = (int)k;
                m->neighbours[count++] = (int)other;
            }
        }
        m->length[k] = count - m->begin[k];
    }
    return count;
}

/* All bodies, then all blocks by degree: for light bodies, which are taken out beforehand. */
static bool order_blocks(const forest *f, ashi_arena *scratch, uint32_t *order)
{
    const ashi_direct *d = f->direct;
    degree_memory m;
    size_t pairs = 0;
    for (uint32_t b = 0; b < d->body_count; b++) {
        size_t degree = f->begin[b + 1] - f->begin[b];
        pairs += degree * degree;
        order[b] = b;
    }
    if (!take_memory(&m, d->block_count, pairs, scratch))
        return false;
    order_by_degree(&m, d->block_count, list_block_neighbours(f, &m), order + d->body_count);
    for (uint32_t k = 0; k < d->block_count; k++)
        order[d->body_count + k] += d->body_count;
    return true;
}

/* ---- */

bool ashi_direct_find_forest(ashi_direct *direct, ashi_arena *scratch)
{
    forest f;
    if (!grow_forest(&f, direct, scratch))
        return false;
    direct->loop_rows = 0;
    for (uint32_t k = 0; k < direct->block_count; k++) {
        const uint32_t *body = direct->graph.data[k].body;
        bool first = body[0] != NONE && f.parent[body[0]] == k;
        direct->lower[k] = !f.in_forest[k] ? 2 : first ? 0 : 1;
        if (!f.in_forest[k] && (body[0] != NONE || body[1] != NONE))
            direct->loop_rows += direct->first_row[k + 1] - direct->first_row[k];
    }
    return true;
}

bool ashi_direct_order(const ashi_direct *direct, ashi_arena *scratch, ashi_direct_rule rule,
                       ashi_direct_ordering ordering, uint32_t *order)
{
    forest f;
    uint32_t *bodies = ashi_arena_take_array(scratch, direct->body_count, sizeof *bodies);
    if (bodies == NULL || !grow_forest(&f, direct, scratch))
        return false;
    if (ordering == ASHI_DIRECT_BLOCKS_BY_DEGREE)
        return order_blocks(&f, scratch, order);
    return (ordering == ASHI_DIRECT_BODIES_BY_DEGREE ? order_bodies(&f, scratch, bodies)
                                                     : post_order(&f, scratch, bodies)) &&
           add_blocks(&f, scratch, rule, bodies, order);
}
