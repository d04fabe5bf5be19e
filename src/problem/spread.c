/* The rows of contact points. Everything that is the same for the points of a contact is found once for them; blocks
 * and rows are written once, whole, and not read again. Vectors are quads of which the last number means nothing. */
#include "problem/spread.h"

#include "math/quad.h"

#include <stddef.h>

/* The three directions, and the same as (y, z, x) and (z, x, y). */
typedef struct axes {
    ashi_quad axis[3], ahead[3], behind[3];
} axes;

ASHI_MERGED ashi_quad quad_of_vector(ash_vec3 v)
{
    return (ashi_quad){v.x, v.y, v.z, v.z};
}

ASHI_MERGED ashi_quad ahead_of(ashi_quad v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

ASHI_MERGED ashi_quad behind_of(ashi_quad v)
{
    return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}

ASHI_MERGED axes axes_of(const ash_problem_contact *contact)
{
    const ash_vec3 axis[3] = {contact->normal, contact->tangent[0], contact->tangent[1]};
    axes of;
    for (int i = 0; i < 3; i++) {
        of.axis[i] = quad_of_vector(axis[i]);
        of.ahead[i] = ahead_of(of.axis[i]);
        of.behind[i] = behind_of(of.axis[i]);
    }
    return of;
}

/* ---- rows ---- */

/* A field's place in its row. */
#define IN_ROW(field) (offsetof(ash_problem_row, field) / sizeof(double))

_Static_assert(IN_ROW(linear_a) == 0 && IN_ROW(angular_a) == 3 && IN_ROW(angular_b) == 6 && IN_ROW(linear_b) == 9 &&
                   IN_ROW(impulse) == 12 && IN_ROW(bias) == 13 && IN_ROW(error) == 14 && IN_ROW(softness) == 15 &&
                   IN_ROW(lower) == 16 && IN_ROW(upper) == 17 && IN_ROW(drift) == 18 && IN_ROW(work) == 19 &&
                   sizeof(ash_problem_row) == 20 * sizeof(double),
               "rows are written from their beginning to their end");

/* From the beginning to the end: what a quad of J has too much is then overwritten. */
ASHI_MERGED void write_row(ash_problem_row *row, ashi_quad linear, ashi_quad angular_a, ashi_quad angular_b,
                           double impulse, double lower)
{
    double *to = (double *)row;
    quad_store(to + IN_ROW(linear_a), linear * quad_of(-1));
    quad_store(to + IN_ROW(angular_a), angular_a);
    quad_store(to + IN_ROW(angular_b), angular_b);
    quad_store(to + IN_ROW(linear_b), linear);
    row->impulse = impulse;
    row->bias = row->error = row->softness = 0;
    row->lower = lower;
    row->upper = INFINITY;
    row->drift = row->work = 0;
}

ASHI_MERGED void write_turn(ash_problem_row *row, ash_vec3 axis, double impulse)
{
    ashi_quad none = quad_of(0), about = quad_of_vector(axis);
    write_row(row, none, about * quad_of(-1), about, impulse, -INFINITY);
    row->linear_a = v3(0, 0, 0);
}

/* Resistance to rolling and to spinning, the rows after the tangents'. */
static void write_turns(const ash_problem *p, const ash_problem_contact *contact, uint32_t point, ash_problem_row *rows)
{
    const ash_vec3 *turn = &p->turns[contact->first_turn + point - contact->first_point];
    if (contact->rollings > 0)
        write_turn(rows++, p->planar ? v3(0, 0, 1) : contact->tangent[0], turn->x);
    if (contact->rollings > 1)
        write_turn(rows++, contact->tangent[1], turn->y);
    if (contact->spins > 0)
        write_turn(rows, contact->normal, turn->z);
}

ASHI_MERGED void write_rows(const ash_problem *p, const ash_problem_contact *contact, uint32_t number, const axes *of,
                            ash_problem_row *rows)
{
    const ash_problem_point *point = &p->points[number];
    ashi_quad arm_a = quad_of_vector(point->arm_a), arm_b = quad_of_vector(point->arm_b);
    ashi_quad turned[4] = {ahead_of(arm_a), behind_of(arm_a), ahead_of(arm_b), behind_of(arm_b)};
    const double impulse[3] = {point->impulse.x, point->impulse.y, point->impulse.z};
    for (int i = 0; i <= contact->tangents; i++) {
        write_row(&rows[i], of->axis[i], of->ahead[i] * turned[1] - of->behind[i] * turned[0],
                  turned[2] * of->behind[i] - turned[3] * of->ahead[i], impulse[i], i == 0 ? 0 : -INFINITY);
        if (i > 0)
            rows[i].bias = contact->slide[i - 1];
    }
    rows[0].bias = point->bias;
    rows[0].error = point->gap;
    rows[0].softness = point->softness;
    if (contact->rollings > 0 || contact->spins > 0)
        write_turns(p, contact, number, &rows[1 + contact->tangents]);
}

/* Field by field: a literal would be cleared first, and so written twice. */
ASHI_MERGED void write_block(const ash_problem *p, uint32_t number, const ash_problem_contact *contact, uint32_t point,
                             uint32_t first_row, ash_problem_block *block)
{
    const ash_problem_point *of = &p->points[point];
    block->kind = ASH_BLOCK_CONTACT;
    block->body_a = contact->body_a;
    block->body_b = contact->body_b;
    block->first_row = first_row;
    block->row_count = 1u + contact->tangents + contact->rollings + contact->spins;
    block->label = of->label;
    block->friction = of->friction;
    block->sliding_friction = contact->sliding_friction;
    block->rolling = contact->rolling;
    block->spinning = contact->spinning;
    block->friction_limit = of->friction_limit;
    block->rebound = of->rebound;
    block->tangents = contact->tangents;
    block->rollings = contact->rollings;
    block->spins = contact->spins;
    block->contact = number;
    block->point = point;
    block->held_a = block->held_b = false;
}

/* ---- contacts ---- */

void ashi_point_spread(const ash_problem *p, const ash_problem_contact *contact, uint32_t point, ashi_point_rows *rows)
{
    axes of = axes_of(contact);
    write_block(p, (uint32_t)(contact - p->contacts), contact, point, 0, &rows->block);
    write_rows(p, contact, point, &of, rows->row);
}

ASHI_MERGED void spread_contact(ash_problem *p, uint32_t number)
{
    const ash_problem_contact *contact = &p->contacts[number];
    axes of = axes_of(contact);
    for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
        ash_problem_block *block = &p->blocks[p->block_count++];
        write_block(p, number, contact, k, p->row_count, block);
        write_rows(p, contact, k, &of, &p->rows[p->row_count]);
        p->row_count += block->row_count;
    }
}

ASHI_WIDE static void spread_wide(ash_problem *p, uint32_t number)
{
    spread_contact(p, number);
}

bool ashi_contact_spread(ash_problem *p, uint32_t number, bool wide)
{
    const ash_problem_contact *contact = &p->contacts[number];
    uint32_t blocks = p->block_count + contact->point_count;
    uint32_t rows = p->row_count + contact->point_count * (1u + contact->tangents + contact->rollings + contact->spins);
    if ((blocks > p->block_room || rows > p->row_room) && !ashi_problem_reserve(p, 0, blocks, rows, 0))
        return false;
    if (wide)
        spread_wide(p, number);
    else
        spread_contact(p, number);
    return true;
}

/* ---- problems ---- */

static bool spread_range(ash_problem *to, const ash_problem *from, const ash_problem_island *range)
{
    for (uint32_t k = range->first_block; k < range->first_block + range->block_count; k++) {
        const ash_problem_block *block = &from->blocks[k];
        if (!ashi_problem_reserve(to, 0, to->block_count + 1, to->row_count + block->row_count, 0))
            return false;
        ash_problem_block *copy = &to->blocks[to->block_count++];
        *copy = *block;
        copy->first_row = to->row_count;
        copy->contact = copy->point = UINT32_MAX;
        for (uint32_t i = 0; i < block->row_count; i++)
            to->rows[to->row_count++] = from->rows[block->first_row + i];
    }
    for (uint32_t c = range->first_contact; c < range->first_contact + range->contact_count; c++)
        if (!ashi_contact_spread(to, c, ashi_machine_is_wide()))
            return false;
    return true;
}

bool ashi_problem_spread(ash_problem *to, const ash_problem *from)
{
    if (!ashi_problem_copy(to, from))
        return false;
    bool any = from->island_count > 0;
    ash_problem_island loose = ashi_problem_whole(from);
    loose.block_count = any ? from->islands[0].first_block : loose.block_count;
    loose.contact_count = any ? from->islands[0].first_contact : loose.contact_count;
    to->block_count = to->row_count = 0;
    bool good = spread_range(to, from, &loose);
    for (uint32_t i = 0; i < from->island_count && good; i++) {
        to->islands[i].first_block = to->block_count;
        good = spread_range(to, from, &from->islands[i]);
        to->islands[i].block_count = to->block_count - to->islands[i].first_block;
    }
    to->spread = true;
    return good;
}

static void gather_block(ash_problem *p, const ash_problem_block *block)
{
    const ash_problem_contact *contact = &p->contacts[block->contact];
    const ash_problem_row *row = &p->rows[block->first_row];
    ash_problem_point *point = &p->points[block->point];
    point->friction = block->friction;
    point->impulse.x = row[0].impulse;
    point->impulse.y = block->tangents > 0 ? row[1].impulse : 0;
    point->impulse.z = block->tangents > 1 ? row[2].impulse : 0;
    if (block->rollings == 0 && block->spins == 0)
        return;
    ash_vec3 *turn = &p->turns[contact->first_turn + block->point - contact->first_point];
    row += 1 + block->tangents;
    turn->x = block->rollings > 0 ? (row++)->impulse : 0;
    turn->y = block->rollings > 1 ? (row++)->impulse : 0;
    turn->z = block->spins > 0 ? row->impulse : 0;
}

void ashi_problem_gather(ash_problem *p)
{
    for (uint32_t k = 0; k < p->block_count && p->spread; k++)
        if (p->blocks[k].kind == ASH_BLOCK_CONTACT && p->blocks[k].point != UINT32_MAX)
            gather_block(p, &p->blocks[k]);
}

void ashi_problem_gather_to(ash_problem *to, ash_problem *spread)
{
    ashi_problem_gather(spread);
    for (uint32_t i = 0; i < to->point_count; i++)
        to->points[i] = spread->points[i];
    for (uint32_t i = 0; i < to->turn_count; i++)
        to->turns[i] = spread->turns[i];
    for (uint32_t i = 0; i < to->body_count; i++)
        to->velocity[i] = spread->velocity[i];
    uint32_t next = 0;
    for (uint32_t k = 0; k < spread->block_count; k++) {
        const ash_problem_block *block = &spread->blocks[k];
        if (block->kind == ASH_BLOCK_CONTACT && block->point != UINT32_MAX)
            continue;
        ash_problem_block *own = &to->blocks[next++];
        own->friction = block->friction;
        own->held_a = block->held_a;
        own->held_b = block->held_b;
        for (uint32_t i = 0; i < block->row_count; i++)
            to->rows[own->first_row + i] = spread->rows[block->first_row + i];
    }
}
