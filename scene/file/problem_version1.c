/* Contacts from the rows that files of version 1 have. A frame's moments about a centre are r x n, r x t and r x s for
 * one r, which is known from the first two. */
#include "scene/file/problem_version1.h"

#include "math/vec3.h"

#define TO_ROUNDING 1e-13

static bool is_close(ash_vec3 a, ash_vec3 b, double size)
{
    return v3_norm(v3_sub(a, b)) <= TO_ROUNDING * size;
}

static bool are_equal(ash_vec3 a, ash_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The first tangent: of a point without friction any that a rolling axis does not give. */
static ash_vec3 tangent_of(const ash_problem *p, const ashi_point_by_rows *from)
{
    ash_vec3 n = from->row[0].linear_b;
    if (from->tangents > 0)
        return from->row[1].linear_b;
    if (p->planar)
        return v3(-n.y, n.x, 0);
    return from->rollings > 0 ? from->row[1].angular_b : v3_perpendicular(n);
}

static ash_vec3 moment_of(const ash_problem_row *row, double side)
{
    return side > 0 ? row->angular_b : v3_neg(row->angular_a);
}

/* r from a centre to where the rows act, if they are those of a frame at one point; `side` 1: of b, -1: of a. Along the
 * normal only the tangents' rows tell. */
static ash_vec3 arm_of(const ashi_point_by_rows *from, double side)
{
    ash_vec3 n = from->row[0].linear_b, arm = v3_cross(n, moment_of(&from->row[0], side));
    if (from->tangents == 0)
        return arm;
    ash_vec3 s = v3_cross(n, from->row[1].linear_b);
    return v3_add_scaled(arm, n, v3_dot(s, moment_of(&from->row[1], side)));
}

/* Whether the rows act at one point. */
static bool is_at_point(const ashi_point_by_rows *from, ash_vec3 tangent, double side)
{
    const ash_vec3 axes[3] = {from->row[0].linear_b, tangent, v3_cross(from->row[0].linear_b, tangent)};
    ash_vec3 arm = arm_of(from, side);
    bool good = true;
    for (uint32_t i = 0; i <= from->tangents && good; i++) {
        const ash_problem_row *row = &from->row[i];
        good = is_close(row->linear_b, axes[i], 1) && is_close(row->linear_a, v3_neg(axes[i]), 1) &&
               is_close(moment_of(row, side), v3_cross(arm, axes[i]), v3_norm(arm));
    }
    return good;
}

/* Rolling about the tangents, in the plane about z, and spinning about the normal. */
static bool turns_about_axes(const ash_problem *p, const ashi_point_by_rows *from, ash_vec3 tangent)
{
    const ash_vec3 normal = from->row[0].linear_b;
    const ash_vec3 rolling[2] = {p->planar ? v3(0, 0, 1) : tangent, v3_cross(normal, tangent)};
    uint32_t first = 1u + from->tangents, turns = (uint32_t)from->rollings + from->spins;
    bool good = !(p->planar && turns > 1);
    for (uint32_t i = 0; i < turns && good; i++) {
        const ash_problem_row *turn = &from->row[first + i];
        ash_vec3 axis = i < from->rollings ? rolling[i] : normal;
        good = is_close(turn->angular_b, axis, 1) && is_close(turn->angular_a, v3_neg(axis), 1) &&
               v3_norm2(turn->linear_a) == 0 && v3_norm2(turn->linear_b) == 0 && turn->bias == 0 && turn->softness == 0;
    }
    return good;
}

bool ashi_rows_are_of_point(const ash_problem *p, const ashi_point_by_rows *from)
{
    ash_vec3 n = from->row[0].linear_b, t = tangent_of(p, from);
    bool good =
        fabs(v3_norm(n) - 1) <= TO_ROUNDING && fabs(v3_norm(t) - 1) <= TO_ROUNDING && fabs(v3_dot(n, t)) <= TO_ROUNDING;
    for (uint32_t i = 1; i <= from->tangents && good; i++)
        good = from->row[i].softness == 0 && from->row[i].error == 0;
    return good && is_at_point(from, t, 1) && is_at_point(from, t, -1) && turns_about_axes(p, from, t);
}

static ash_problem_contact contact_of(const ash_problem *p, const ashi_point_by_rows *from)
{
    const ash_problem_row *row = from->row;
    ash_vec3 tangent = tangent_of(p, from);
    return (ash_problem_contact){.body_a = from->block.body_a,
                                 .body_b = from->block.body_b,
                                 .first_point = p->point_count,
                                 .first_turn = p->turn_count,
                                 .tangents = from->tangents,
                                 .rollings = from->rollings,
                                 .spins = from->spins,
                                 .normal = row[0].linear_b,
                                 .tangent = {tangent, v3_cross(row[0].linear_b, tangent)},
                                 .slide = {from->tangents > 0 ? row[1].bias : 0, from->tangents > 1 ? row[2].bias : 0},
                                 .sliding_friction = from->sliding_friction,
                                 .rolling = from->rolling,
                                 .spinning = from->spinning};
}

/* Whether both give the same distance of the two centres, as points of one contact do. */
static bool are_as_far(const ashi_point_by_rows *from, const ash_problem_point *other)
{
    ash_vec3 a = arm_of(from, -1), b = arm_of(from, 1);
    double size = v3_norm(a) + v3_norm(b) + v3_norm(other->arm_a) + v3_norm(other->arm_b);
    return is_close(v3_sub(a, b), v3_sub(other->arm_a, other->arm_b), size);
}

static bool goes_on(const ash_problem *p, const ash_problem_contact *with, const ashi_point_by_rows *from)
{
    if (p->contact_count == 0)
        return false;
    const ash_problem_contact *last = &p->contacts[p->contact_count - 1];
    return last->body_a == with->body_a && last->body_b == with->body_b && last->tangents == with->tangents &&
           last->rollings == with->rollings && last->spins == with->spins && are_equal(last->normal, with->normal) &&
           are_equal(last->tangent[0], with->tangent[0]) && last->slide[0] == with->slide[0] &&
           last->slide[1] == with->slide[1] && last->sliding_friction == with->sliding_friction &&
           last->rolling == with->rolling && last->spinning == with->spinning &&
           are_as_far(from, &p->points[p->point_count - 1]);
}

bool ashi_add_point_by_rows(ash_problem *p, const ashi_point_by_rows *from)
{
    const ash_problem_row *row = from->row;
    if (ash_problem_reserve_contacts(p, p->contact_count + 1, p->point_count + 1, p->turn_count + 1, NULL) != ASH_OK)
        return false;
    ash_problem_contact contact = contact_of(p, from);
    if (!goes_on(p, &contact, from))
        p->contacts[p->contact_count++] = contact;
    p->contacts[p->contact_count - 1].point_count++;
    p->points[p->point_count++] = (ash_problem_point){
        .arm_a = arm_of(from, -1),
        .arm_b = arm_of(from, 1),
        .impulse = v3(row[0].impulse, from->tangents > 0 ? row[1].impulse : 0, from->tangents > 1 ? row[2].impulse : 0),
        .gap = row[0].error,
        .bias = row[0].bias,
        .softness = row[0].softness,
        .rebound = from->rebound,
        .friction = from->friction,
        .friction_limit = from->friction_limit,
        .label = from->block.label};
    if (from->rollings == 0 && from->spins == 0)
        return true;
    const ash_problem_row *turn = &row[1 + from->tangents];
    bool first = from->rollings > 0, second = from->rollings > 1;
    p->turns[p->turn_count++] = v3(first ? turn[0].impulse : 0, second ? turn[1].impulse : 0,
                                   from->spins > 0 ? turn[from->rollings].impulse : 0);
    return true;
}
