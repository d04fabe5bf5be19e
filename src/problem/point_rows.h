/* Writes the rows of contact points. Everything that the points of a contact have in common is computed once for them;
 * blocks and rows are written once, completely, and not read again. Vectors are quads whose last number has no meaning;
 * callers are compiled twice, the second time for machines with registers for quads. */
#ifndef ASHI_PROBLEM_POINT_ROWS_H
#define ASHI_PROBLEM_POINT_ROWS_H

#include "math/quad.h"
#include "problem/law.h"

#include <stddef.h>

/* The three directions, and the same as (y, z, x) and (z, x, y). */
typedef struct ashi_axes {
    ashi_quad axis[3], ahead[3], behind[3];
} ashi_axes;

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

ASHI_MERGED ashi_axes ashi_axes_of(const ash_problem_contact *contact)
{
    const ash_vec3 axis[3] = {contact->normal, contact->tangent[0], contact->tangent[1]};
    ashi_axes of;
    for (int i = 0; i < 3; i++) {
        of.axis[i] = quad_of_vector(axis[i]);
        of.ahead[i] = ahead_of(of.axis[i]);
        of.behind[i] = behind_of(of.axis[i]);
    }
    return of;
}

/* ---- rows ---- */

/* A field's place in its row. */
#define IN_ROW(field) (offsetof(ashi_row, field) / sizeof(double))

_Static_assert(IN_ROW(linear_a) == 0 && IN_ROW(angular_a) == 3 && IN_ROW(angular_b) == 6 && IN_ROW(linear_b) == 9 &&
                   IN_ROW(impulse) == 12 && IN_ROW(bias) == 13 && IN_ROW(error) == 14 && IN_ROW(softness) == 15 &&
                   IN_ROW(lower) == 16 && IN_ROW(upper) == 17 && IN_ROW(drift) == 18 && IN_ROW(work) == 19 &&
                   sizeof(ashi_row) == 20 * sizeof(double),
               "rows are written from their beginning to their end");

/* In order from the beginning: the extra number of each quad of J is then overwritten by the next. */
ASHI_MERGED void write_row(ashi_row *row, ashi_quad linear, ashi_quad angular_a, ashi_quad angular_b, double impulse,
                           double lower)
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

ASHI_MERGED void write_turn(ashi_row *row, ash_vec3 axis, double impulse)
{
    ashi_quad none = quad_of(0), about = quad_of_vector(axis);
    write_row(row, none, about * quad_of(-1), about, impulse, -INFINITY);
    row->linear_a = v3(0, 0, 0);
}

/* Resistance to rolling and to spinning, the rows after the tangents'. */
ASHI_MERGED void write_turns(const ashi_system *p, const ash_problem_contact *contact, uint32_t point, ashi_row *rows)
{
    const ash_vec3 *turn = &p->turns[contact->first_turn + point - contact->first_point];
    if (contact->rollings > 0)
        write_turn(rows++, p->planar ? v3(0, 0, 1) : contact->tangent[0], turn->x);
    if (contact->rollings > 1)
        write_turn(rows++, contact->tangent[1], turn->y);
    if (contact->spins > 0)
        write_turn(rows, contact->normal, turn->z);
}

/* For a point with these arms, which the caller already has for a new point. */
ASHI_MERGED void ashi_write_rows(const ashi_system *p, const ash_problem_contact *contact, uint32_t number,
                                 const ashi_axes *of, ashi_quad arm_a, ashi_quad arm_b, ashi_row *rows)
{
    const ash_problem_point *point = &p->points[number];
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
ASHI_MERGED void ashi_write_block(const ashi_system *p, uint32_t number, const ash_problem_contact *contact,
                                  uint32_t point, uint32_t first_row, ashi_block *block)
{
    const ash_problem_point *of = &p->points[point];
    block->kind = ASHI_CONTACT_BLOCK;
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
    block->bent = block->held_a = block->held_b = false;
}

#endif
