/* The island in scaled coordinates: v = v* + F z with F F^T = M^-1 by body, rows J F, and the memory of a solve. A
 * locked axis or an immovable body has zero columns in F and zero entries in J F. */
#include "solve/linear/body_root.h"
#include "solve/newton/newton.h"

#include <math.h>
#include <string.h>

/* ---- bodies ---- */

/* The largest component of F z of one body; not finite when z is not. */
static double fastest(const double *root, const double *z)
{
    double largest = 0, spoilt = 0;
    for (int i = 0; i < 3; i++) {
        double linear = fabs(root[i] * z[i]);
        double angular = fabs(root[3 + 3 * i] * z[3] + root[4 + 3 * i] * z[4] + root[5 + 3 * i] * z[5]);
        largest = linear > largest ? linear : largest;
        largest = angular > largest ? angular : largest;
        spoilt += (linear - linear) + (angular - angular);
    }
    return largest + spoilt;
}

double ashi_newton_velocity(const ashi_newton *newton, const double *z)
{
    double largest = 0, spoilt = 0;
    for (uint32_t b = 0; b < newton->body_count; b++) {
        double here = fastest(newton->root[b], &z[6 * (size_t)b]);
        largest = here > largest ? here : largest;
        spoilt += here - here;
    }
    return largest + spoilt;
}

/* ---- rows ---- */

static double squared(const double *row, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += row[i] * row[i];
    return sum;
}

/* The mean of D over rows that share one. */
static void share_unit(ashi_newton *newton, uint32_t first, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = first; i < first + count; i++)
        sum += squared(newton->jacobian[i], 12) + newton->softness[i];
    for (uint32_t i = first; i < first + count; i++)
        newton->unit[i] = sum > 0 && isfinite(count / sum) ? count / sum : 0;
}

static void scale_block(ashi_newton *newton, ashi_newton_block *view, uint32_t first_row)
{
    const ashi_system *p = newton->solve->problem;
    const ashi_block *block = view->block;
    const ash_problem_body *bodies[2] = {&p->bodies[block->body_a], &p->bodies[block->body_b]};
    view->first_row = first_row;
    view->row_count = block->row_count;
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_row *row = &p->rows[block->first_row + i];
        uint32_t r = first_row + i;
        double *scaled = newton->jacobian[r];
        memset(scaled, 0, sizeof *newton->jacobian);
        if (view->body[0] != ASHI_NEWTON_FIXED)
            ashi_scale_row(newton->root[view->body[0]], row->linear_a, row->angular_a, scaled);
        if (view->body[1] != ASHI_NEWTON_FIXED)
            ashi_scale_row(newton->root[view->body[1]], row->linear_b, row->angular_b, scaled + 6);
        for (uint32_t side = 0; side < 2; side++)
            newton->mobility[2 * (size_t)r + side] =
                view->body[side] != ASHI_NEWTON_FIXED ? fastest(newton->root[view->body[side]], scaled + 6 * side) : 0;
        ash_motion a = {bodies[0]->velocity, bodies[0]->spin}, b = {bodies[1]->velocity, bodies[1]->spin};
        newton->speed_free[r] = ashi_row_speed(row, &a, &b) + row->bias;
        newton->softness[r] = row->softness;
        newton->lower[r] = row->lower;
        newton->upper[r] = row->upper;
        newton->impulse[r] = row->impulse;
        if (block->kind == ASHI_PLAIN_BLOCK)
            share_unit(newton, r, 1);
    }
    if (block->kind == ASHI_CONTACT_BLOCK) {
        uint32_t normal = 1u + block->tangents;
        share_unit(newton, first_row, normal);
        share_unit(newton, first_row + normal, block->rollings);
        share_unit(newton, first_row + normal + block->rollings, block->spins);
    }
}

/* ---- memory ---- */

static uint32_t place_in_island(const ash_problem_island *island, uint32_t body)
{
    return body - island->first_body < island->body_count ? body - island->first_body : ASHI_NEWTON_FIXED;
}

static uint32_t count_rows(const ashi_solve *solve)
{
    uint32_t rows = 0;
    for (uint32_t k = 0; k < solve->island->block_count; k++)
        rows += solve->problem->blocks[solve->island->first_block + k].row_count;
    return rows;
}

static bool take_memory(ashi_newton *newton, ashi_arena *arena)
{
    size_t rows = newton->row_count, numbers = 6 * (size_t)newton->body_count;
    double **by_row[] = {&newton->speed_free, &newton->softness, &newton->lower,   &newton->upper,      &newton->unit,
                         &newton->impulse,    &newton->speed,    &newton->answer,  &newton->step_speed, &newton->best,
                         &newton->kept_speed, &newton->guess,    &newton->accepted};
    double **by_body[] = {&newton->z, &newton->residual, &newton->step, &newton->kept};
    newton->blocks = ashi_arena_take_array(arena, newton->block_count, sizeof *newton->blocks);
    newton->slip = ashi_arena_take_array(arena, newton->block_count, sizeof *newton->slip);
    newton->root = ashi_arena_take_array(arena, newton->body_count, sizeof *newton->root);
    newton->noise = ashi_arena_take_array(arena, newton->body_count, sizeof *newton->noise);
    newton->mobility = ashi_arena_take_array(arena, 2 * rows, sizeof *newton->mobility);
    newton->jacobian = ashi_arena_take_array(arena, rows, sizeof *newton->jacobian);
    bool good = newton->blocks != NULL && newton->slip != NULL && newton->root != NULL && newton->noise != NULL &&
                newton->mobility != NULL && newton->jacobian != NULL;
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++)
        good = (*by_row[i] = ashi_arena_take_array(arena, rows, sizeof(double))) != NULL && good;
    for (size_t i = 0; i < sizeof by_body / sizeof *by_body; i++)
        good = (*by_body[i] = ashi_arena_take_array(arena, numbers, sizeof(double))) != NULL && good;
    return good;
}

/* Which bodies are coupled, and by which block of the matrix. */
static bool find_couplings(ashi_newton *newton, ashi_arena *arena)
{
    ashi_block_pair *pairs = ashi_arena_take_array(arena, newton->block_count, sizeof *pairs);
    uint32_t count = 0;
    if (pairs == NULL)
        return false;
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const uint32_t *body = newton->blocks[k].body;
        bool both = body[0] != ASHI_NEWTON_FIXED && body[1] != ASHI_NEWTON_FIXED && body[0] != body[1];
        if (both && (count == 0 || pairs[count - 1].a != body[0] || pairs[count - 1].b != body[1]))
            pairs[count++] = (ashi_block_pair){body[0], body[1]};
    }
    if (!ashi_block_pattern_fit(newton->pattern, newton->body_count, pairs, count, arena))
        return false;
    if (newton->pattern->too_large)
        return true;
    if (!ashi_block_factor_make(&newton->factor, newton->pattern, arena))
        return false;
    for (uint32_t k = 0; k < newton->block_count; k++) {
        ashi_newton_block *view = &newton->blocks[k];
        if (view->body[0] != ASHI_NEWTON_FIXED && view->body[1] != ASHI_NEWTON_FIXED)
            view->coupling = ashi_block_pattern_find(newton->pattern, view->body[0], view->body[1]);
    }
    return true;
}

bool ashi_newton_prepare(ashi_newton *newton, ashi_solve *solve, ashi_block_pattern *pattern)
{
    const ash_problem_island *island = solve->island;
    *newton = (ashi_newton){.solve = solve,
                            .body_count = island->body_count,
                            .block_count = island->block_count,
                            .row_count = count_rows(solve),
                            .pattern = pattern};
    if (!take_memory(newton, solve->scratch))
        return false;
    for (uint32_t b = 0; b < newton->body_count; b++)
        ashi_body_root(&solve->problem->bodies[island->first_body + b], newton->root[b]);
    uint32_t row = 0;
    for (uint32_t k = 0; k < newton->block_count; k++) {
        ashi_newton_block *view = &newton->blocks[k];
        view->block = &solve->problem->blocks[island->first_block + k];
        view->body[0] = place_in_island(island, view->block->body_a);
        view->body[1] = place_in_island(island, view->block->body_b);
        scale_block(newton, view, row);
        row += view->row_count;
    }
    return find_couplings(newton, solve->scratch);
}
