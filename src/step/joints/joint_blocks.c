/* Joints one by one (Bender & Schmitt 2006, (8) and (12)): the matrix J M^-1 J^T of each joint by itself, inverted, and
 * its impulses. Rows that depend on others of the same joint get no impulse. */
#include "step/joints/joint_system.h"

#include <math.h>

#define LEAST_PIVOT 1e-12 /* of the diagonal: below, a row depends on those before */

/* The inverse of a symmetric matrix by sweeps, in place; dependent rows and columns become zero. */
static void invert(double matrix[ASHI_HOLD_ROWS][ASHI_HOLD_ROWS], uint32_t count)
{
    double least[ASHI_HOLD_ROWS];
    for (uint32_t k = 0; k < count; k++)
        least[k] = LEAST_PIVOT * matrix[k][k];
    for (uint32_t k = 0; k < count; k++) {
        double pivot = matrix[k][k];
        bool depends = !(pivot > least[k]);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < count && i != k; j++)
                if (j != k && !depends)
                    matrix[i][j] -= matrix[i][k] * matrix[k][j] / pivot;
        for (uint32_t i = 0; i < count; i++) {
            matrix[i][k] = depends ? 0 : i == k ? -1 / pivot : matrix[i][k] / pivot;
            matrix[k][i] = matrix[i][k];
        }
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            matrix[i][j] = -matrix[i][j];
}

bool ashi_joint_system_invert(ashi_joint_system *s)
{
    const ashi_system *p = &s->problem;
    if (s->inverted)
        return true;
    if (!ashi_array_reserve(&s->inverses, ASHI_HOLD_ROWS * (uint64_t)p->row_count))
        return false;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        double matrix[ASHI_HOLD_ROWS][ASHI_HOLD_ROWS];
        for (uint32_t i = 0; i < block->row_count; i++)
            for (uint32_t j = 0; j < block->row_count; j++) {
                const ashi_row *row = &p->rows[block->first_row + i];
                matrix[i][j] =
                    ashi_row_response(p, block, row, &p->rows[block->first_row + j]) + (i == j ? row->softness : 0);
            }
        invert(matrix, block->row_count);
        for (uint32_t i = 0; i < block->row_count; i++)
            for (uint32_t j = 0; j < block->row_count; j++)
                s->inverses.data[ASHI_HOLD_ROWS * (block->first_row + i) + j] = matrix[i][j];
    }
    return s->inverted = true;
}

void ashi_joint_system_solve_block(const ashi_joint_system *s, const ashi_block *block, const double *wanted,
                                   double *impulse)
{
    for (uint32_t i = 0; i < block->row_count; i++) {
        const double *inverse = &s->inverses.data[ASHI_HOLD_ROWS * (block->first_row + i)];
        impulse[i] = 0;
        for (uint32_t j = 0; j < block->row_count; j++)
            impulse[i] += inverse[j] * wanted[j];
    }
}

static void push_body(const ash_problem_body *body, const ashi_state *state, uint32_t slot, ash_vec3 linear,
                      ash_vec3 angular)
{
    state->velocity[slot] = v3_add(state->velocity[slot], v3_mul(body->inverse_mass, linear));
    state->spin[slot] = v3_add(state->spin[slot], s3_apply(body->inverse_inertia, angular));
}

void ashi_joint_system_push(ashi_joint_system *s, const ashi_block *block, const double *impulse,
                            const ashi_state *state)
{
    const ashi_system *p = &s->problem;
    ash_vec3 linear_a = v3(0, 0, 0), angular_a = linear_a, linear_b = linear_a, angular_b = linear_a;
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_row *row = &p->rows[block->first_row + i];
        linear_a = v3_add_scaled(linear_a, row->linear_a, impulse[i]);
        angular_a = v3_add_scaled(angular_a, row->angular_a, impulse[i]);
        linear_b = v3_add_scaled(linear_b, row->linear_b, impulse[i]);
        angular_b = v3_add_scaled(angular_b, row->angular_b, impulse[i]);
        s->impulse.data[block->first_row + i] += impulse[i];
    }
    if (block->body_a >= p->fixed_count)
        push_body(&p->bodies[block->body_a], state, s->places.data[block->body_a].slot, linear_a, angular_a);
    if (block->body_b >= p->fixed_count)
        push_body(&p->bodies[block->body_b], state, s->places.data[block->body_b].slot, linear_b, angular_b);
}
