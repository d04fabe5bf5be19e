/* Which contacts of a problem are at a point, and which are like the one before: what the assembly knows of its own
 * contacts, found out from the rows of any. A frame's moments about a centre are r x n, r x t and r x s for one r. */
#include "problem/patch.h"

#define TO_ROUNDING 1e-13

static bool is_close(ash_vec3 a, ash_vec3 b, double size)
{
    return v3_norm(v3_sub(a, b)) <= TO_ROUNDING * size;
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

/* Whether both see the two centres equally far from each other: patches have but one distance. */
static bool are_as_far(const ash_problem_row *row, const ash_problem_row *twin)
{
    ash_vec3 a = arm_of(row, -1), b = arm_of(row, 1), twin_a = arm_of(twin, -1), twin_b = arm_of(twin, 1);
    return is_close(v3_sub(a, b), v3_sub(twin_a, twin_b), v3_norm(a) + v3_norm(b) + v3_norm(twin_a) + v3_norm(twin_b));
}

static bool are_alike(const ash_problem *p, const ash_problem_block *one, const ash_problem_block *other)
{
    const ash_problem_row *row = &p->rows[one->first_row], *twin = &p->rows[other->first_row];
    bool alike = one->body_a == other->body_a && one->body_b == other->body_b && one->row_count == other->row_count &&
                 one->tangents == other->tangents && one->friction == other->friction &&
                 one->sliding_friction == other->sliding_friction &&
                 (one->friction_limit < 0) == (other->friction_limit < 0) && are_as_far(row, twin);
    for (uint32_t i = 0; alike && i <= one->tangents; i++) {
        ash_vec3 a = row[i].linear_b, b = twin[i].linear_b;
        alike = a.x == b.x && a.y == b.y && a.z == b.z &&
                (i == 0 || (row[i].bias == twin[i].bias && row[i].softness == twin[i].softness));
    }
    return alike;
}

void ashi_patches_recognize(ash_problem *p)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        ash_problem_block *block = &p->blocks[k];
        const ash_problem_row *row = &p->rows[block->first_row];
        block->at_point = block->kind == ASH_BLOCK_CONTACT && block->tangents > 0 &&
                          is_at_point(row, 1u + block->tangents, 1) && is_at_point(row, 1u + block->tangents, -1);
        block->alike = block->at_point && k > 0 && block[-1].at_point && are_alike(p, block, block - 1);
    }
}
