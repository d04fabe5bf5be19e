/* The graph's islands: bodies that a chain of blocks connects, immovable bodies not counting as links.
 *
 * Union and find over bodies, the smaller number being the root, so that an island is known by its first body; then one
 * counting sort of the bodies and one of the blocks, both stable. Linear but for the inverse of Ackermann's function.
 */
#include "problem/problem.h"

#include <string.h>

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

typedef struct sorting {
    uint32_t *parent;      /* by body */
    uint32_t *island;      /* by body: 0 for immovable ones, else 1 + its island */
    uint32_t *next;        /* by island: where its next element goes */
    uint32_t *body_place;  /* by body */
    uint32_t *block_place; /* by block */
    ash_problem_body *bodies;
    ash_problem_block *blocks;
    ash_problem_row *rows;
} sorting;

static bool take_scratch(const ash_problem *p, ashi_arena *scratch, sorting *s)
{
    s->parent = ashi_arena_take_array(scratch, p->body_count, sizeof *s->parent);
    s->island = ashi_arena_take_array(scratch, p->body_count, sizeof *s->island);
    s->next = ashi_arena_take_array(scratch, (size_t)p->body_count + 2, sizeof *s->next);
    s->body_place = ashi_arena_take_array(scratch, p->body_count, sizeof *s->body_place);
    s->block_place = ashi_arena_take_array(scratch, p->block_count, sizeof *s->block_place);
    s->bodies = ashi_arena_take_array(scratch, p->body_count, sizeof *s->bodies);
    s->blocks = ashi_arena_take_array(scratch, p->block_count, sizeof *s->blocks);
    s->rows = ashi_arena_take_array(scratch, p->row_count, sizeof *s->rows);
    return s->parent != NULL && s->island != NULL && s->next != NULL && s->body_place != NULL &&
           s->block_place != NULL && s->bodies != NULL && s->blocks != NULL && s->rows != NULL;
}

/* Numbers the islands by their first bodies; returns how many there are. */
static uint32_t number_islands(const ash_problem *p, sorting *s)
{
    for (uint32_t i = 0; i < p->body_count; i++)
        s->parent[i] = i;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        if (!ashi_body_is_fixed(&p->bodies[block->body_a]) && !ashi_body_is_fixed(&p->bodies[block->body_b]))
            unite(s->parent, block->body_a, block->body_b);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->body_count; i++) {
        uint32_t root = find_root(s->parent, i);
        s->island[i] = ashi_body_is_fixed(&p->bodies[i]) ? 0 : root == i ? ++count : s->island[root];
    }
    return count;
}

static uint32_t island_of(const sorting *s, const ash_problem_block *block)
{
    uint32_t a = s->island[block->body_a];
    return a != 0 ? a : s->island[block->body_b];
}

/* Turns counts by island, stored one place later, into first places. */
static void add_up(uint32_t *next, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++)
        next[i] += next[i - 1];
}

static void place_bodies(ash_problem *p, sorting *s, uint32_t islands)
{
    memset(s->next, 0, ((size_t)islands + 2) * sizeof *s->next);
    for (uint32_t i = 0; i < p->body_count; i++)
        s->next[s->island[i] + 1]++;
    add_up(s->next, islands + 1);
    p->fixed_count = s->next[1];
    for (uint32_t i = 0; i < islands; i++)
        p->islands[i] = (ash_problem_island){s->next[i + 1], s->next[i + 2] - s->next[i + 1], 0, 0};
    for (uint32_t i = 0; i < p->body_count; i++)
        s->body_place[i] = s->next[s->island[i]]++;
}

/* Blocks between immovable bodies only are of no island: they come first. */
static void place_blocks(ash_problem *p, sorting *s, uint32_t islands)
{
    memset(s->next, 0, ((size_t)islands + 2) * sizeof *s->next);
    for (uint32_t k = 0; k < p->block_count; k++)
        s->next[island_of(s, &p->blocks[k]) + 1]++;
    add_up(s->next, islands + 1);
    for (uint32_t i = 0; i < islands; i++) {
        p->islands[i].first_block = s->next[i + 1];
        p->islands[i].block_count = s->next[i + 2] - s->next[i + 1];
    }
    for (uint32_t k = 0; k < p->block_count; k++)
        s->block_place[k] = s->next[island_of(s, &p->blocks[k])]++;
}

/* Nothing may come from and go to nowhere. */
static void copy(void *to, const void *from, uint32_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

static void move_all(ash_problem *p, sorting *s)
{
    for (uint32_t i = 0; i < p->body_count; i++)
        s->bodies[s->body_place[i]] = p->bodies[i];
    for (uint32_t k = 0; k < p->block_count; k++)
        s->blocks[s->block_place[k]] = p->blocks[k];
    uint32_t row = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        ash_problem_block *block = &s->blocks[k];
        copy(s->rows + row, p->rows + block->first_row, block->row_count, sizeof *s->rows);
        block->first_row = row;
        row += block->row_count;
        block->body_a = s->body_place[block->body_a];
        block->body_b = s->body_place[block->body_b];
    }
    copy(p->bodies, s->bodies, p->body_count, sizeof *p->bodies);
    copy(p->blocks, s->blocks, p->block_count, sizeof *p->blocks);
    copy(p->rows, s->rows, p->row_count, sizeof *p->rows);
}

bool ashi_problem_sort(ash_problem *p, ashi_arena *scratch, uint32_t *body_place, uint32_t *block_place)
{
    sorting s;
    if (p->body_count == 0) {
        p->fixed_count = p->island_count = 0;
        return true;
    }
    if (!take_scratch(p, scratch, &s))
        return false;
    uint32_t islands = number_islands(p, &s);
    if (!ashi_problem_reserve(p, 0, 0, 0, p->body_room)) /* as many as there may be */
        return false;
    p->island_count = islands;
    place_bodies(p, &s, islands);
    place_blocks(p, &s, islands);
    move_all(p, &s);
    if (body_place != NULL)
        copy(body_place, s.body_place, p->body_count, sizeof *body_place);
    if (block_place != NULL)
        copy(block_place, s.block_place, p->block_count, sizeof *block_place);
    return true;
}
