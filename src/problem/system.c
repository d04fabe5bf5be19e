/* The memory of a step's problem, and the velocities that its impulses make. */
#include "problem/expand.h"

#include "problem/room.h"

#include <string.h>

void ashi_system_release(ashi_system *problem)
{
    ashi_dealloc(problem->bodies);
    ashi_dealloc(problem->contacts);
    ashi_dealloc(problem->points);
    ashi_dealloc(problem->turns);
    ashi_dealloc(problem->blocks);
    ashi_dealloc(problem->rows);
    ashi_dealloc(problem->islands);
    ashi_dealloc(problem->velocity);
    ashi_dealloc(problem->shift);
    *problem = (ashi_system){0};
}

static bool reserve_bodies(ashi_system *p, uint32_t wanted)
{
    uint32_t shifts = p->body_room, velocities = p->body_room;
    return ashi_room_grow((void **)&p->shift, &shifts, wanted, sizeof *p->shift) &&
           ashi_room_grow((void **)&p->velocity, &velocities, wanted, sizeof *p->velocity) &&
           ashi_room_grow((void **)&p->bodies, &p->body_room, wanted, sizeof *p->bodies);
}

bool ashi_system_reserve(ashi_system *p, uint32_t bodies, uint32_t blocks, uint32_t rows, uint32_t islands)
{
    return reserve_bodies(p, bodies) &&
           ashi_room_grow((void **)&p->blocks, &p->block_room, blocks, sizeof *p->blocks) &&
           ashi_room_grow((void **)&p->rows, &p->row_room, rows, sizeof *p->rows) &&
           ashi_room_grow((void **)&p->islands, &p->island_room, islands, sizeof *p->islands);
}

bool ashi_system_reserve_contacts(ashi_system *p, uint32_t contacts, uint32_t points, uint32_t turns)
{
    return ashi_room_grow((void **)&p->contacts, &p->contact_room, contacts, sizeof *p->contacts) &&
           ashi_room_grow((void **)&p->points, &p->point_room, points, sizeof *p->points) &&
           ashi_room_grow((void **)&p->turns, &p->turn_room, turns, sizeof *p->turns);
}

void ashi_system_clear(ashi_system *p)
{
    p->fixed_count = p->body_count = p->block_count = p->row_count = p->island_count = 0;
    p->contact_count = p->point_count = p->turn_count = 0;
    p->shifted = p->releases = p->finite = p->expanded = false;
}

static void copy_array(void *to, const void *from, uint32_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, (size_t)count * size);
}

bool ashi_system_copy(ashi_system *to, const ashi_system *from)
{
    if (!ashi_system_reserve(to, from->body_count, from->block_count, from->row_count, from->island_count) ||
        !ashi_system_reserve_contacts(to, from->contact_count, from->point_count, from->turn_count))
        return false;
    ashi_system room = *to;
    *to = *from;
    to->bodies = room.bodies;
    to->contacts = room.contacts;
    to->points = room.points;
    to->turns = room.turns;
    to->blocks = room.blocks;
    to->rows = room.rows;
    to->islands = room.islands;
    to->velocity = room.velocity;
    to->shift = room.shift;
    to->body_room = room.body_room;
    to->contact_room = room.contact_room;
    to->point_room = room.point_room;
    to->turn_room = room.turn_room;
    to->block_room = room.block_room;
    to->row_room = room.row_room;
    to->island_room = room.island_room;
    copy_array(to->bodies, from->bodies, from->body_count, sizeof *to->bodies);
    copy_array(to->contacts, from->contacts, from->contact_count, sizeof *to->contacts);
    copy_array(to->points, from->points, from->point_count, sizeof *to->points);
    copy_array(to->turns, from->turns, from->turn_count, sizeof *to->turns);
    copy_array(to->blocks, from->blocks, from->block_count, sizeof *to->blocks);
    copy_array(to->rows, from->rows, from->row_count, sizeof *to->rows);
    copy_array(to->islands, from->islands, from->island_count, sizeof *to->islands);
    copy_array(to->velocity, from->velocity, from->body_count, sizeof *to->velocity);
    copy_array(to->shift, from->shift, from->body_count, sizeof *to->shift);
    return true;
}

/* Of contacts that are not written out in blocks. */
static void push_points(ashi_system *p, const ash_problem_island *island)
{
    for (uint32_t c = island->first_contact; c < island->first_contact + island->contact_count; c++) {
        const ash_problem_contact *contact = &p->contacts[c];
        for (uint32_t k = 0; k < contact->point_count; k++) {
            ashi_point_rows rows;
            ashi_point_expand(p, contact, contact->first_point + k, &rows);
            for (uint32_t i = 0; i < rows.block.row_count; i++)
                ashi_row_push(p, &rows.block, &rows.row[i], rows.row[i].impulse, p->velocity);
        }
    }
}

void ashi_system_velocities(ashi_system *p, const ash_problem_island *island)
{
    ash_problem_island all = ashi_system_whole(p);
    if (island == NULL)
        island = &all;
    for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++)
        p->velocity[i] = (ash_motion){p->bodies[i].velocity, p->bodies[i].spin};
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t r = block->first_row; r < block->first_row + block->row_count; r++)
            ashi_row_push(p, block, &p->rows[r], p->rows[r].impulse, p->velocity);
    }
    if (!p->expanded)
        push_points(p, island);
}
