/* Which contacts of a problem are at a point, and which are like the one before: what the assembly knows of its own
 * contacts, found out from the rows of any. A frame's moments about a centre are r x n, r x t and r x s for one r. */
#include "problem/patch.h"

#define TO_ROUNDING 1e-13

static bool is_close(ash_vec3 a, ash_vec3 b, double size)
{
    return v3_norm(v3_sub(a, b)) <= TO_ROUNDING * size;
}

/* Whether the rows are those of a frame at one point of a body; `side` 1: of b, -1: of a. */
static bool is_at_point(const ash_problem_row *row, uint32_t count, double side)
{
    const ash_vec3 axes[3] = {row[0].linear_b, row[1].linear_b, v3_cross(row[0].linear_b, row[1].linear_b)};
    ash_vec3 moment[3], arm = v3(0, 0, 0);
    for (uint32_t i = 0; i < count; i++)
        moment[i] = side > 0 ? row[i].angular_b : v3_neg(row[i].angular_a);
    arm = v3_add_scaled(arm, axes[0], v3_dot(moment[1], axes[2]));
    arm = v3_add_scaled(arm, axes[1], -v3_dot(moment[0], axes[2]));
    arm = v3_add_scaled(arm, axes[2], v3_dot(moment[0], axes[1]));
    bool good = fabs(v3_norm(axes[0]) - 1) <= TO_ROUNDING && fabs(v3_norm(axes[1]) - 1) <= TO_ROUNDING &&
                fabs(v3_dot(axes[0], axes[1])) <= TO_ROUNDING;
    for (uint32_t i = 0; i < count && good; i++)
        good = is_close(row[i].linear_b, axes[i], 1) && is_close(row[i].linear_a, v3_neg(axes[i]), 1) &&
               is_close(moment[i], v3_cross(arm, axes[i]), v3_norm(arm));
    return good;
}

static bool are_alike(const ash_problem *p, const ash_problem_block *one, const ash_problem_block *other)
{
    bool alike = one->body_a == other->body_a && one->body_b == other->body_b && one->row_count == other->row_count &&
                 one->tangents == other->tangents && one->friction == other->friction &&
                 one->sliding_friction == other->sliding_friction &&
                 (one->friction_limit < 0) == (other->friction_limit < 0);
    for (uint32_t i = 0; alike && i <= one->tangents; i++) {
        const ash_problem_row *row = &p->rows[one->first_row + i], *twin = &p->rows[other->first_row + i];
        ash_vec3 a = row->linear_b, b = twin->linear_b;
        alike = a.x == b.x && a.y == b.y && a.z == b.z &&
                (i == 0 || (row->bias == twin->bias && row->softness == twin->softness));
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
