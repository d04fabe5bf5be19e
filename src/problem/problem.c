/* Public problems: their memory, and conversion to and from the library's internal form. */
#include "problem/problem.h"

#include "problem/expand.h"
#include "problem/room.h"

#include <string.h>

/* ---- memory ---- */

bool ashi_public_reserve(ash_problem *p, uint32_t bodies, uint32_t blocks, uint32_t rows, uint32_t islands)
{
    uint32_t velocities = p->body_room;
    return ashi_room_grow((void **)&p->velocity, &velocities, bodies, sizeof *p->velocity) &&
           ashi_room_grow((void **)&p->bodies, &p->body_room, bodies, sizeof *p->bodies) &&
           ashi_room_grow((void **)&p->blocks, &p->block_room, blocks, sizeof *p->blocks) &&
           ashi_room_grow((void **)&p->rows, &p->row_room, rows, sizeof *p->rows) &&
           ashi_room_grow((void **)&p->islands, &p->island_room, islands, sizeof *p->islands);
}

bool ashi_public_reserve_contacts(ash_problem *p, uint32_t contacts, uint32_t points, uint32_t turns)
{
    return ashi_room_grow((void **)&p->contacts, &p->contact_room, contacts, sizeof *p->contacts) &&
           ashi_room_grow((void **)&p->points, &p->point_room, points, sizeof *p->points) &&
           ashi_room_grow((void **)&p->turns, &p->turn_room, turns, sizeof *p->turns);
}

void ashi_public_release(ash_problem *p)
{
    ashi_dealloc(p->bodies);
    ashi_dealloc(p->contacts);
    ashi_dealloc(p->points);
    ashi_dealloc(p->turns);
    ashi_dealloc(p->blocks);
    ashi_dealloc(p->rows);
    ashi_dealloc(p->islands);
    ashi_dealloc(p->velocity);
    *p = (ash_problem){0};
}

/* Nothing may come from and go to nowhere. */
static void copy(void *to, const void *from, uint32_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

bool ashi_public_copy(ash_problem *to, const ash_problem *from)
{
    if (!ashi_public_reserve(to, from->body_count, from->block_count, from->row_count, from->island_count) ||
        !ashi_public_reserve_contacts(to, from->contact_count, from->point_count, from->turn_count))
        return false;
    ash_problem room = *to;
    *to = *from;
    to->bodies = room.bodies;
    to->contacts = room.contacts;
    to->points = room.points;
    to->turns = room.turns;
    to->blocks = room.blocks;
    to->rows = room.rows;
    to->islands = room.islands;
    to->velocity = room.velocity;
    to->body_room = room.body_room;
    to->contact_room = room.contact_room;
    to->point_room = room.point_room;
    to->turn_room = room.turn_room;
    to->block_room = room.block_room;
    to->row_room = room.row_room;
    to->island_room = room.island_room;
    copy(to->bodies, from->bodies, from->body_count, sizeof *to->bodies);
    copy(to->contacts, from->contacts, from->contact_count, sizeof *to->contacts);
    copy(to->points, from->points, from->point_count, sizeof *to->points);
    copy(to->turns, from->turns, from->turn_count, sizeof *to->turns);
    copy(to->blocks, from->blocks, from->block_count, sizeof *to->blocks);
    copy(to->rows, from->rows, from->row_count, sizeof *to->rows);
    copy(to->islands, from->islands, from->island_count, sizeof *to->islands);
    copy(to->velocity, from->velocity, from->body_count, sizeof *to->velocity);
    return true;
}

/* ---- the library's own form ---- */

bool ashi_system_of(ashi_system *to, const ash_problem *from)
{
    if (!ashi_system_reserve(to, from->body_count, from->block_count, from->row_count, from->island_count) ||
        !ashi_system_reserve_contacts(to, from->contact_count, from->point_count, from->turn_count))
        return false;
    ashi_system_clear(to);
    to->h = from->h;
    to->law = from->law;
    to->directions = from->directions;
    to->restitution_law = from->restitution_law;
    to->resting_speed = from->resting_speed;
    to->stick_speed = from->stick_speed;
    to->planar = from->planar;
    to->fixed_count = from->fixed_count;
    to->body_count = from->body_count;
    to->contact_count = from->contact_count;
    to->point_count = from->point_count;
    to->turn_count = from->turn_count;
    to->block_count = from->block_count;
    to->row_count = from->row_count;
    to->island_count = from->island_count;
    copy(to->bodies, from->bodies, from->body_count, sizeof *to->bodies);
    copy(to->contacts, from->contacts, from->contact_count, sizeof *to->contacts);
    copy(to->points, from->points, from->point_count, sizeof *to->points);
    copy(to->turns, from->turns, from->turn_count, sizeof *to->turns);
    copy(to->islands, from->islands, from->island_count, sizeof *to->islands);
    copy(to->velocity, from->velocity, from->body_count, sizeof *to->velocity);
    for (uint32_t k = 0; k < from->block_count; k++) {
        const ash_problem_block *block = &from->blocks[k];
        to->blocks[k] = (ashi_block){.kind = ASHI_PLAIN_BLOCK,
                                     .body_a = block->body_a,
                                     .body_b = block->body_b,
                                     .first_row = block->first_row,
                                     .row_count = block->row_count,
                                     .label = block->label,
                                     .friction_limit = -1,
                                     .contact = UINT32_MAX,
                                     .point = UINT32_MAX};
    }
    for (uint32_t i = 0; i < from->row_count; i++) {
        const ash_problem_row *row = &from->rows[i];
        to->rows[i] = (ashi_row){row->linear_a,
                                 row->angular_a,
                                 row->angular_b,
                                 row->linear_b,
                                 row->impulse,
                                 row->bias,
                                 row->error,
                                 row->softness,
                                 row->lower,
                                 row->upper,
                                 0,
                                 0};
    }
    return true;
}

bool ashi_system_by_rows(ashi_system *to, const ash_problem *from)
{
    ashi_system system = {0};
    bool good = ashi_system_of(&system, from) && ashi_system_expand(to, &system);
    ashi_system_release(&system);
    return good;
}

static ash_problem_row public_row(const ashi_row *row)
{
    return (ash_problem_row){row->linear_a, row->angular_a, row->angular_b, row->linear_b, row->impulse,
                             row->bias,     row->error,     row->softness,  row->lower,    row->upper};
}

/* Blocks of joints in a range. */
static void take_blocks(ash_problem *to, const ashi_system *from, uint32_t first, uint32_t count)
{
    for (uint32_t k = first; k < first + count; k++) {
        const ashi_block *block = &from->blocks[k];
        if (block->kind != ASHI_PLAIN_BLOCK)
            continue;
        to->blocks[to->block_count++] = (ash_problem_block){.body_a = block->body_a,
                                                            .body_b = block->body_b,
                                                            .first_row = to->row_count,
                                                            .row_count = block->row_count,
                                                            .label = block->label};
        for (uint32_t i = 0; i < block->row_count; i++)
            to->rows[to->row_count++] = public_row(&from->rows[block->first_row + i]);
    }
}

bool ashi_public_of(ash_problem *to, const ashi_system *from)
{
    uint32_t blocks = 0, rows = 0, loose = from->island_count > 0 ? from->islands[0].first_block : from->block_count;
    for (uint32_t k = 0; k < from->block_count; k++) {
        bool plain = from->blocks[k].kind == ASHI_PLAIN_BLOCK;
        blocks += plain;
        rows += plain ? from->blocks[k].row_count : 0;
    }
    if (!ashi_public_reserve(to, from->body_count, blocks, rows, from->island_count) ||
        !ashi_public_reserve_contacts(to, from->contact_count, from->point_count, from->turn_count))
        return false;
    to->h = from->h;
    to->law = from->law;
    to->directions = from->directions;
    to->restitution_law = from->restitution_law;
    to->resting_speed = from->resting_speed;
    to->stick_speed = from->stick_speed;
    to->planar = from->planar;
    to->fixed_count = from->fixed_count;
    to->body_count = from->body_count;
    to->contact_count = from->contact_count;
    to->point_count = from->point_count;
    to->turn_count = from->turn_count;
    to->island_count = from->island_count;
    to->block_count = to->row_count = 0;
    copy(to->bodies, from->bodies, from->body_count, sizeof *to->bodies);
    copy(to->contacts, from->contacts, from->contact_count, sizeof *to->contacts);
    copy(to->points, from->points, from->point_count, sizeof *to->points);
    copy(to->turns, from->turns, from->turn_count, sizeof *to->turns);
    copy(to->velocity, from->velocity, from->body_count, sizeof *to->velocity);
    ashi_system_gather(from, to->points, to->turns);
    take_blocks(to, from, 0, loose);
    for (uint32_t i = 0; i < from->island_count; i++) {
        to->islands[i] = from->islands[i];
        to->islands[i].first_block = to->block_count;
        take_blocks(to, from, from->islands[i].first_block, from->islands[i].block_count);
        to->islands[i].block_count = to->block_count - to->islands[i].first_block;
    }
    return true;
}

uint32_t ashi_public_point_rows(const ash_problem *problem, const ash_problem_contact *contact, uint32_t point,
                                ash_problem_row *rows)
{
    ashi_system view = {
        .planar = problem->planar, .contacts = problem->contacts, .points = problem->points, .turns = problem->turns};
    ashi_point_rows own;
    ashi_point_expand(&view, contact, point, &own);
    for (uint32_t i = 0; i < own.block.row_count; i++)
        rows[i] = public_row(&own.row[i]);
    return own.block.row_count;
}
