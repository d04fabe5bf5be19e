/* Contacts from the rows that files of version 1 have. A frame's moments about a centre are r x n, r x t and r x s for
 * one r, which is known from the first two. */
#include "scene/file/problem_version1.h"

#define TO_ROUNDING 1e-13

static bool is_close(ash_vec3 a, ash_vec3 b, double size)
{
    return v3_norm(v3_sub(a, b)) <= TO_ROUNDING * size;
}

static bool are_equal(ash_vec3 a, ash_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* r from a centre to where the rows act, if they are those of a frame at one point; `side` 1: of b, -1: of a. */
static ash_vec3 arm_of(const ash_problem_row *row, double side)
{
    ash_vec3 n = row[0].linear_b, t = row[1].linear_b, s = v3_cross(n, t);
    ash_vec3 moment_n = side > 0 ? row[0].angular_b : v3_neg(row[0].angular_a);
    ash_vec3 moment_t = side > 0 ? row[1].angular_b : v3_neg(row[1].angular_a);
    return v3_add_scaled(v3_cross(n, moment_n), n, v3_dot(s, moment_t));
}

/* Whether they are. */
static bool is_at_point(const ash_problem_row *row, uint32_t count, double side)
{
    const ash_vec3 axes[3] = {row[0].linear_b, row[1].linear_b, v3_cross(row[0].linear_b, row[1].linear_b)};
    ash_vec3 arm = arm_of(row, side);
    bool good = fabs(v3_norm(axes[0]) - 1) <= TO_ROUNDING && fabs(v3_norm(axes[1]) - 1) <= TO_ROUNDING &&
                fabs(v3_dot(axes[0], axes[1])) <= TO_ROUNDING;
    for (uint32_t i = 0; i < count && good; i++) {
        ash_vec3 moment = side > 0 ? row[i].angular_b : v3_neg(row[i].angular_a);
        good = is_close(row[i].linear_b, axes[i], 1) && is_close(row[i].linear_a, v3_neg(axes[i]), 1) &&
               is_close(moment, v3_cross(arm, axes[i]), v3_norm(arm));
    }
    return good;
}

/* Rolling about the tangents, in the plane about z, and spinning about the normal. */
static bool turns_about_axes(const ash_problem *p, const ash_problem_block *block, const ash_problem_row *row)
{
    const ash_vec3 rolling[2] = {p->planar ? v3(0, 0, 1) : row[1].linear_b, v3_cross(row[0].linear_b, row[1].linear_b)};
    uint32_t first = 1u + block->tangents, turns = (uint32_t)block->rollings + block->spins;
    bool good = !(p->planar && turns > 1);
    for (uint32_t i = 0; i < turns && good; i++) {
        const ash_problem_row *turn = &row[first + i];
        ash_vec3 axis = i < block->rollings ? rolling[i] : row[0].linear_b;
        good = is_close(turn->angular_b, axis, 1) && is_close(turn->angular_a, v3_neg(axis), 1) &&
               v3_norm2(turn->linear_a) == 0 && v3_norm2(turn->linear_b) == 0 && turn->bias == 0 && turn->softness == 0;
    }
    return good;
}

static bool is_contact(const ash_problem *p, const ash_problem_block *block)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    bool good = block->kind == ASH_BLOCK_CONTACT && block->tangents > 0;
    for (uint32_t i = 1; i <= block->tangents && good; i++)
        good = row[i].softness == 0 && row[i].error == 0;
    return good && is_at_point(row, 1u + block->tangents, 1) && is_at_point(row, 1u + block->tangents, -1) &&
           turns_about_axes(p, block, row);
}

static ash_problem_contact contact_of(const ash_problem *p, const ash_problem_block *block)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    return (ash_problem_contact){.body_a = block->body_a,
                                 .body_b = block->body_b,
                                 .first_point = p->point_count,
                                 .first_turn = p->turn_count,
                                 .tangents = block->tangents,
                                 .rollings = block->rollings,
                                 .spins = block->spins,
                                 .normal = row[0].linear_b,
                                 .tangent = {row[1].linear_b, v3_cross(row[0].linear_b, row[1].linear_b)},
                                 .slide = {row[1].bias, block->tangents > 1 ? row[2].bias : 0},
                                 .sliding_friction = block->sliding_friction,
                                 .rolling = block->rolling,
                                 .spinning = block->spinning};
}

/* Whether both see the two centres equally far from each other: one contact's points do. */
static bool are_as_far(const ash_problem_row *row, const ash_problem_point *other)
{
    ash_vec3 a = arm_of(row, -1), b = arm_of(row, 1);
    double size = v3_norm(a) + v3_norm(b) + v3_norm(other->arm_a) + v3_norm(other->arm_b);
    return is_close(v3_sub(a, b), v3_sub(other->arm_a, other->arm_b), size);
}

static bool goes_on(const ash_problem *p, const ash_problem_contact *with, const ash_problem_row *row)
{
    const ash_problem_contact *last = &p->contacts[p->contact_count - 1];
    return last->body_a == with->body_a && last->body_b == with->body_b && last->tangents == with->tangents &&
           last->rollings == with->rollings && last->spins == with->spins && are_equal(last->normal, with->normal) &&
           are_equal(last->tangent[0], with->tangent[0]) && last->slide[0] == with->slide[0] &&
           last->slide[1] == with->slide[1] && last->sliding_friction == with->sliding_friction &&
           last->rolling == with->rolling && last->spinning == with->spinning &&
           are_as_far(row, &p->points[p->point_count - 1]);
}

static bool add_contact(ash_problem *p, const ash_problem_block *block, bool follows)
{
    const ash_problem_row *row = &p->rows[block->first_row];
    if (!ashi_problem_reserve_contacts(p, p->contact_count + 1, p->point_count + 1, p->turn_count + 1))
        return false;
    ash_problem_contact contact = contact_of(p, block);
    if (!follows || p->contact_count == 0 || !goes_on(p, &contact, row))
        p->contacts[p->contact_count++] = contact;
    p->contacts[p->contact_count - 1].point_count++;
    p->points[p->point_count++] =
        (ash_problem_point){.arm_a = arm_of(row, -1),
                            .arm_b = arm_of(row, 1),
                            .impulse = v3(row[0].impulse, row[1].impulse, block->tangents > 1 ? row[2].impulse : 0),
                            .gap = row[0].error,
                            .bias = row[0].bias,
                            .softness = row[0].softness,
                            .rebound = block->rebound,
                            .friction = block->friction,
                            .friction_limit = block->friction_limit,
                            .label = block->label};
    if (block->rollings == 0 && block->spins == 0)
        return true;
    const ash_problem_row *turn = &row[1 + block->tangents];
    bool first = block->rollings > 0, second = block->rollings > 1;
    p->turns[p->turn_count++] = v3(first ? turn[0].impulse : 0, second ? turn[1].impulse : 0,
                                   block->spins > 0 ? turn[block->rollings].impulse : 0);
    return true;
}

bool ashi_contacts_of_blocks(ash_problem *p)
{
    uint32_t blocks = p->block_count, rows = 0;
    bool follows = false;
    p->block_count = 0;
    for (uint32_t k = 0; k < blocks; k++) {
        ash_problem_block block = p->blocks[k];
        bool contact = is_contact(p, &block);
        if (contact && !add_contact(p, &block, follows))
            return false;
        follows = contact;
        if (contact)
            continue;
        for (uint32_t i = 0; i < block.row_count; i++)
            p->rows[rows + i] = p->rows[block.first_row + i];
        block.first_row = rows;
        rows += block.row_count;
        p->blocks[p->block_count++] = block;
    }
    p->row_count = rows;
    return true;
}
