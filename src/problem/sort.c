/* The graph's islands: bodies that a chain of links connects, immovable bodies not counting as links.
 *
 * Union-find over bodies with the smaller number as root, so that an island is identified by its first body; then one
 * stable counting sort each of bodies and links. Linear, apart from the inverse Ackermann function.
 */
#include "problem/system.h"

#include "base/groups.h"

#include <string.h>

/* ---- islands of links ---- */

typedef struct sorting {
    const ashi_links *links;
    uint32_t *parent; /* by body */
    uint32_t *island; /* by body: 0 for immovable ones, else 1 + its island */
    uint32_t *next;   /* by island: the place of its next element */
} sorting;

/* Numbers the islands by their first bodies; returns how many there are. */
static uint32_t number_islands(const sorting *s)
{
    const ashi_links *links = s->links;
    ashi_groups_begin(s->parent, links->body_count);
    for (uint32_t k = 0; k < links->count; k++) {
        uint32_t a = links->link[k].a, b = links->link[k].b;
        if (!links->fixed[a] && !links->fixed[b])
            ashi_groups_join(s->parent, a, b);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < links->body_count; i++) {
        uint32_t root = ashi_group_of(s->parent, i);
        s->island[i] = links->fixed[i] ? 0 : root == i ? ++count : s->island[root];
    }
    return count;
}

static uint32_t island_of(const sorting *s, ashi_link link)
{
    uint32_t a = s->island[link.a];
    return a != 0 ? a : s->island[link.b];
}

/* Turns counts by island, stored one place later, into first places. */
static void add_up(uint32_t *next, uint32_t count)
{
    for (uint32_t i = 1; i <= count; i++)
        next[i] += next[i - 1];
}

static void place_bodies(ashi_system *p, const sorting *s, uint32_t *place)
{
    uint32_t islands = p->island_count, bodies = s->links->body_count;
    memset(s->next, 0, ((size_t)islands + 2) * sizeof *s->next);
    for (uint32_t i = 0; i < bodies; i++)
        s->next[s->island[i] + 1]++;
    add_up(s->next, islands + 1);
    p->fixed_count = s->next[1];
    for (uint32_t i = 0; i < islands; i++)
        p->islands[i] =
            (ash_problem_island){.first_body = s->next[i + 1], .body_count = s->next[i + 2] - s->next[i + 1]};
    for (uint32_t i = 0; i < bodies; i++)
        place[i] = s->next[s->island[i]]++;
}

/* Links between two immovable bodies have no island: they come first. */
static void place_links(ashi_system *p, const sorting *s, uint32_t *place)
{
    const ashi_links *links = s->links;
    uint32_t islands = p->island_count;
    memset(s->next, 0, ((size_t)islands + 2) * sizeof *s->next);
    for (uint32_t k = 0; k < links->count; k++) {
        place[k] = island_of(s, links->link[k]);
        s->next[place[k] + 1]++;
    }
    add_up(s->next, islands + 1);
    for (uint32_t i = 0; i < islands; i++) {
        p->islands[i].first_block = s->next[i + 1];
        p->islands[i].block_count = s->next[i + 2] - s->next[i + 1];
    }
    for (uint32_t k = 0; k < links->count; k++)
        place[k] = s->next[place[k]]++; /* from its island to its place */
}

bool ashi_links_sort(const ashi_links *links, ashi_arena *scratch, ashi_system *p, uint32_t *body_place,
                     uint32_t *link_place)
{
    sorting s = {.links = links};
    s.parent = ashi_arena_take_array(scratch, links->body_count, sizeof *s.parent);
    s.island = ashi_arena_take_array(scratch, links->body_count, sizeof *s.island);
    s.next = ashi_arena_take_array(scratch, (size_t)links->body_count + 2, sizeof *s.next);
    if (s.parent == NULL || s.island == NULL || s.next == NULL)
        return false;
    uint32_t islands = number_islands(&s);
    if (!ashi_system_reserve(p, 0, 0, 0, p->body_room)) /* as many as there may be */
        return false;
    p->island_count = islands;
    place_bodies(p, &s, body_place);
    place_links(p, &s, link_place);
    return true;
}

/* ---- the problem ---- */

/* The data that is sorted: bodies, and the links between them, first blocks, then contacts. */
typedef struct moving {
    ashi_link *links;
    bool *fixed; /* by body */
    uint32_t *body_place, *link_place;
    uint32_t *sorted; /* the links in the order of islands */
    ashi_system old;  /* as it was */
} moving;

static bool take_scratch(const ashi_system *p, ashi_arena *scratch, moving *m)
{
    uint32_t links = p->block_count + p->contact_count;
    m->links = ashi_arena_take_array(scratch, links, sizeof *m->links);
    m->fixed = ashi_arena_take_array(scratch, p->body_count, sizeof *m->fixed);
    m->body_place = ashi_arena_take_array(scratch, p->body_count, sizeof *m->body_place);
    m->link_place = ashi_arena_take_array(scratch, links, sizeof *m->link_place);
    m->sorted = ashi_arena_take_array(scratch, links, sizeof *m->sorted);
    return m->links != NULL && m->fixed != NULL && m->body_place != NULL && m->link_place != NULL && m->sorted != NULL;
}

/* A copy; null when memory ran out. */
static void *copy_of(ashi_arena *scratch, const void *from, uint32_t count, size_t size)
{
    void *to = ashi_arena_take_array(scratch, count, size);
    if (to != NULL && count > 0)
        memcpy(to, from, count * size);
    return to;
}

static bool keep_old(const ashi_system *p, ashi_arena *scratch, ashi_system *old)
{
    *old = *p;
    old->bodies = copy_of(scratch, p->bodies, p->body_count, sizeof *p->bodies);
    old->contacts = copy_of(scratch, p->contacts, p->contact_count, sizeof *p->contacts);
    old->points = copy_of(scratch, p->points, p->point_count, sizeof *p->points);
    old->turns = copy_of(scratch, p->turns, p->turn_count, sizeof *p->turns);
    old->blocks = copy_of(scratch, p->blocks, p->block_count, sizeof *p->blocks);
    old->rows = copy_of(scratch, p->rows, p->row_count, sizeof *p->rows);
    return old->bodies != NULL && old->contacts != NULL && old->points != NULL && old->turns != NULL &&
           old->blocks != NULL && old->rows != NULL;
}

/* Nothing may come from and go to nowhere. */
static void copy(void *to, const void *from, uint32_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

static void put_block(ashi_system *p, const moving *m, uint32_t number)
{
    const ashi_block *from = &m->old.blocks[number];
    ashi_block *block = &p->blocks[p->block_count++];
    *block = *from;
    block->body_a = m->body_place[from->body_a];
    block->body_b = m->body_place[from->body_b];
    block->first_row = p->row_count;
    copy(p->rows + p->row_count, m->old.rows + from->first_row, from->row_count, sizeof *p->rows);
    p->row_count += from->row_count;
}

static void put_contact(ashi_system *p, const moving *m, uint32_t number)
{
    const ash_problem_contact *from = &m->old.contacts[number];
    ash_problem_contact *contact = &p->contacts[p->contact_count++];
    *contact = *from;
    contact->body_a = m->body_place[from->body_a];
    contact->body_b = m->body_place[from->body_b];
    contact->first_point = p->point_count;
    contact->first_turn = p->turn_count;
    copy(p->points + p->point_count, m->old.points + from->first_point, from->point_count, sizeof *p->points);
    p->point_count += from->point_count;
    if (from->rollings == 0 && from->spins == 0)
        return;
    copy(p->turns + p->turn_count, m->old.turns + from->first_turn, from->point_count, sizeof *p->turns);
    p->turn_count += from->point_count;
}

static void move_all(ashi_system *p, moving *m)
{
    uint32_t next = 0, links = m->old.block_count + m->old.contact_count;
    for (uint32_t i = 0; i < p->body_count; i++)
        p->bodies[m->body_place[i]] = m->old.bodies[i];
    for (uint32_t i = 0; i < links; i++)
        m->sorted[m->link_place[i]] = i;
    p->block_count = p->row_count = p->contact_count = p->point_count = p->turn_count = 0;
    for (uint32_t i = 0; i <= p->island_count; i++) {
        uint32_t end = i < p->island_count ? p->islands[i].first_block : links; /* of links, so far */
        for (; next < end; next++) {
            uint32_t link = m->sorted[next];
            if (link < m->old.block_count) {
                m->link_place[link] = p->block_count;
                put_block(p, m, link);
            } else {
                put_contact(p, m, link - m->old.block_count);
            }
        }
        if (i > 0)
            ashi_island_ends(p, i - 1);
        if (i < p->island_count)
            ashi_island_begins(p, i);
    }
}

bool ashi_system_sort(ashi_system *p, ashi_arena *scratch, uint32_t *body_place, uint32_t *block_place)
{
    moving m;
    if (p->body_count == 0) {
        p->fixed_count = p->island_count = 0;
        return true;
    }
    if (!take_scratch(p, scratch, &m) || !keep_old(p, scratch, &m.old))
        return false;
    for (uint32_t i = 0; i < p->body_count; i++)
        m.fixed[i] = ashi_body_is_fixed(&p->bodies[i]);
    for (uint32_t k = 0; k < p->block_count; k++)
        m.links[k] = (ashi_link){p->blocks[k].body_a, p->blocks[k].body_b};
    for (uint32_t c = 0; c < p->contact_count; c++)
        m.links[p->block_count + c] = (ashi_link){p->contacts[c].body_a, p->contacts[c].body_b};
    ashi_links links = {p->body_count, p->block_count + p->contact_count, m.fixed, m.links};
    if (!ashi_links_sort(&links, scratch, p, m.body_place, m.link_place))
        return false;
    move_all(p, &m);
    if (body_place != NULL)
        copy(body_place, m.body_place, p->body_count, sizeof *body_place);
    if (block_place != NULL)
        copy(block_place, m.link_place, p->block_count, sizeof *block_place);
    return true;
}
