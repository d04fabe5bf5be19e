/* Writes contact points as rows: one point, those of a contact, or all of a problem. */
#include "problem/expand.h"

#include "problem/point_rows.h"

/* ---- contacts ---- */

void ashi_point_expand(const ashi_system *p, const ash_problem_contact *contact, uint32_t point, ashi_point_rows *rows)
{
    ashi_axes of = ashi_axes_of(contact);
    ashi_quad arm_a = quad_of_vector(p->points[point].arm_a), arm_b = quad_of_vector(p->points[point].arm_b);
    ashi_write_block(p, (uint32_t)(contact - p->contacts), contact, point, 0, &rows->block);
    ashi_write_rows(p, contact, point, &of, arm_a, arm_b, rows->row);
}

ASHI_MERGED void expand_contact(ashi_system *p, uint32_t number)
{
    const ash_problem_contact *contact = &p->contacts[number];
    ashi_axes of = ashi_axes_of(contact);
    for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
        ashi_block *block = &p->blocks[p->block_count++];
        ashi_quad arm_a = quad_of_vector(p->points[k].arm_a), arm_b = quad_of_vector(p->points[k].arm_b);
        ashi_write_block(p, number, contact, k, p->row_count, block);
        ashi_write_rows(p, contact, k, &of, arm_a, arm_b, &p->rows[p->row_count]);
        p->row_count += block->row_count;
    }
}

ASHI_WIDE static void expand_wide(ashi_system *p, uint32_t number)
{
    expand_contact(p, number);
}

bool ashi_contact_expand(ashi_system *p, uint32_t number, bool wide)
{
    const ash_problem_contact *contact = &p->contacts[number];
    uint32_t blocks = p->block_count + contact->point_count;
    uint32_t rows = p->row_count + contact->point_count * (1u + contact->tangents + contact->rollings + contact->spins);
    if ((blocks > p->block_room || rows > p->row_room) && !ashi_system_reserve(p, 0, blocks, rows, 0))
        return false;
    if (wide)
        expand_wide(p, number);
    else
        expand_contact(p, number);
    return true;
}

/* ---- problems ---- */

static bool expand_range(ashi_system *to, const ashi_system *from, const ash_problem_island *range)
{
    for (uint32_t k = range->first_block; k < range->first_block + range->block_count; k++) {
        const ashi_block *block = &from->blocks[k];
        if (!ashi_system_reserve(to, 0, to->block_count + 1, to->row_count + block->row_count, 0))
            return false;
        ashi_block *copy = &to->blocks[to->block_count++];
        *copy = *block;
        copy->first_row = to->row_count;
        copy->contact = copy->point = UINT32_MAX;
        copy->bent = false;
        for (uint32_t i = 0; i < block->row_count; i++)
            to->rows[to->row_count++] = from->rows[block->first_row + i];
    }
    for (uint32_t c = range->first_contact; c < range->first_contact + range->contact_count; c++)
        if (!ashi_contact_expand(to, c, ashi_machine_is_wide()))
            return false;
    return true;
}

bool ashi_system_expand(ashi_system *to, const ashi_system *from)
{
    if (!ashi_system_copy(to, from))
        return false;
    bool any = from->island_count > 0;
    ash_problem_island loose = ashi_system_whole(from);
    loose.block_count = any ? from->islands[0].first_block : loose.block_count;
    loose.contact_count = any ? from->islands[0].first_contact : loose.contact_count;
    to->block_count = to->row_count = 0;
    bool good = expand_range(to, from, &loose);
    for (uint32_t i = 0; i < from->island_count && good; i++) {
        to->islands[i].first_block = to->block_count;
        good = expand_range(to, from, &from->islands[i]);
        to->islands[i].block_count = to->block_count - to->islands[i].first_block;
    }
    to->expanded = true;
    return good;
}

static void gather_block(const ashi_system *p, const ashi_block *block, ash_problem_point *points, ash_vec3 *turns)
{
    const ash_problem_contact *contact = &p->contacts[block->contact];
    const ashi_row *row = &p->rows[block->first_row];
    ash_problem_point *point = &points[block->point];
    point->friction = block->friction;
    point->impulse.x = row[0].impulse;
    point->impulse.y = block->tangents > 0 ? row[1].impulse : 0;
    point->impulse.z = block->tangents > 1 ? row[2].impulse : 0;
    if (block->rollings == 0 && block->spins == 0)
        return;
    ash_vec3 *turn = &turns[contact->first_turn + block->point - contact->first_point];
    row += 1 + block->tangents;
    turn->x = block->rollings > 0 ? (row++)->impulse : 0;
    turn->y = block->rollings > 1 ? (row++)->impulse : 0;
    turn->z = block->spins > 0 ? row->impulse : 0;
}

void ashi_system_gather(const ashi_system *p, ash_problem_point *points, ash_vec3 *turns)
{
    for (uint32_t k = 0; k < p->block_count && p->expanded; k++)
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK && p->blocks[k].point != UINT32_MAX)
            gather_block(p, &p->blocks[k], points, turns);
}

void ashi_system_gather_to(ashi_system *to, ashi_system *expanded)
{
    ashi_system_gather(expanded, to->points, to->turns);
    for (uint32_t i = 0; i < to->body_count; i++)
        to->velocity[i] = expanded->velocity[i];
    uint32_t next = 0;
    for (uint32_t k = 0; k < expanded->block_count; k++) {
        const ashi_block *block = &expanded->blocks[k];
        if (block->kind == ASHI_CONTACT_BLOCK && block->point != UINT32_MAX)
            continue;
        ashi_block *own = &to->blocks[next++];
        own->friction = block->friction;
        own->held_a = block->held_a;
        own->held_b = block->held_b;
        for (uint32_t i = 0; i < block->row_count; i++)
            to->rows[own->first_row + i] = expanded->rows[block->first_row + i];
    }
}
