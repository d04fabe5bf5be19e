/* One sweep over an island, block by block or row by row: the heart of jacobi, pgs, sor and nncg.
 *
 * Every visit makes the block's, or the row's, own impulses right for the velocities of the moment. What a visit does
 * not change is the solution: sweeps differ in how they get there only. */
#include "solve/sweep.h"

/* ---- block by block ---- */

/* x = lambda - A^-1 u: no relative velocity at all after the visit. */
static inline void stick(const double *inverse, const double *u, const double *impulse, double *x)
{
    x[0] = impulse[0] - (inverse[0] * u[0] + inverse[1] * u[1] + inverse[3] * u[2]);
    x[1] = impulse[1] - (inverse[1] * u[0] + inverse[2] * u[1] + inverse[4] * u[2]);
    x[2] = impulse[2] - (inverse[3] * u[0] + inverse[4] * u[1] + inverse[5] * u[2]);
}

/* Without any impulse the contact would open. */
static inline bool parts(const double *matrix, const double *u, const double *impulse)
{
    return u[0] - (matrix[0] * impulse[0] + matrix[1] * impulse[1] + matrix[3] * impulse[2]) >= 0;
}

static inline bool is_inside(const double *x, double friction)
{
    double bound = friction * x[0];
    return x[0] >= 0 && x[1] * x[1] + x[2] * x[2] <= bound * bound;
}

/* Moves on by a part of the way or beyond the block's own solution, and back into the cone. */
static void relax_cone(const ashi_sweep_block *block, double relaxation, const double *impulse, double *x)
{
    for (int i = 0; i < 3; i++)
        x[i] = impulse[i] + relaxation * (x[i] - impulse[i]);
    x[0] = x[0] > 0 ? x[0] : 0;
    double length = sqrt(x[1] * x[1] + x[2] * x[2]);
    if (length > block->friction * x[0]) {
        x[1] *= block->sliding * x[0] / length;
        x[2] *= block->sliding * x[0] / length;
    }
}

/* The three rows of a cone pushed at once: velocities are loaded and stored one time. */
static inline void push_three(const ashi_sweep_row *row, double *a, double *b, const double *change)
{
    ashi_pair x = pair_of(change[0]), y = pair_of(change[1]), z = pair_of(change[2]);
    for (int i = 0; i < ASHI_SWEEP_HALF; i += 2) {
        int k = i + ASHI_SWEEP_HALF;
        ashi_pair on_a = pair_load(row[0].response + i) * x + pair_load(row[1].response + i) * y;
        ashi_pair on_b = pair_load(row[0].response + k) * x + pair_load(row[1].response + k) * y;
        pair_store(a + i, pair_load(a + i) + (on_a + pair_load(row[2].response + i) * z));
        pair_store(b + i, pair_load(b + i) + (on_b + pair_load(row[2].response + k) * z));
    }
}

static inline void visit_cone(ashi_sweep *sweep, ashi_sweep_block *block)
{
    const ashi_sweep_row *row = &sweep->rows[block->first];
    double *impulse = &sweep->impulse[block->first], u[3], x[3];
    const double *a = &sweep->motion[block->a * ASHI_SWEEP_HALF], *b = &sweep->motion[block->b * ASHI_SWEEP_HALF];
    for (int i = 0; i < 3; i++)
        u[i] = ashi_sweep_speed(&row[i], a, b, impulse[i]);
    stick(block->small_inverse, u, impulse, x);
    if (!is_inside(x, block->friction) || parts(block->small_matrix, u, impulse)) {
        memcpy(x, impulse, sizeof x);
        ashi_sweep_solve_cone(block, u, x);
    }
    if (sweep->relaxation != 1)
        relax_cone(block, sweep->relaxation, impulse, x);
    double change[3] = {x[0] - impulse[0], x[1] - impulse[1], x[2] - impulse[2]};
    memcpy(impulse, x, sizeof x);
    push_three(row, &sweep->target[block->a * ASHI_SWEEP_HALF], &sweep->target[block->b * ASHI_SWEEP_HALF], change);
}

static void visit_any(ashi_sweep *sweep, const ashi_sweep_block *block)
{
    const ashi_sweep_row *row = &sweep->rows[block->first];
    double *impulse = &sweep->impulse[block->first], u[ASHI_BLOCK_ROWS], before[ASHI_BLOCK_ROWS];
    const double *a = &sweep->motion[block->a * ASHI_SWEEP_HALF], *b = &sweep->motion[block->b * ASHI_SWEEP_HALF];
    for (uint32_t i = 0; i < block->count; i++) {
        before[i] = impulse[i];
        u[i] = ashi_sweep_speed(&row[i], a, b, impulse[i]);
    }
    if (block->kind == ASHI_SWEEP_ROWS)
        ashi_sweep_solve_plain(sweep, block, u, impulse);
    else
        ashi_sweep_solve_groups(sweep, block, u, impulse);
    double *to_a = &sweep->target[block->a * ASHI_SWEEP_HALF], *to_b = &sweep->target[block->b * ASHI_SWEEP_HALF];
    for (uint32_t i = 0; i < block->count; i++)
        ashi_sweep_push(&row[i], to_a, to_b, impulse[i] - before[i]);
}

void ashi_sweep_blocks(ashi_sweep *sweep)
{
    for (uint32_t k = 0; k < sweep->block_count; k++) {
        ashi_sweep_block *block = &sweep->blocks[k];
        if (block->kind == ASHI_SWEEP_CONE)
            visit_cone(sweep, block);
        else
            visit_any(sweep, block);
    }
}

/* ---- row by row ---- */

static inline void visit_row(ashi_sweep *sweep, const ashi_sweep_block *block, uint32_t number)
{
    const ashi_sweep_row *row = &sweep->rows[block->first + number];
    double *impulse = &sweep->impulse[block->first + number];
    uint32_t a = block->a * ASHI_SWEEP_HALF, b = block->b * ASHI_SWEEP_HALF;
    double u = ashi_sweep_speed(row, &sweep->motion[a], &sweep->motion[b], *impulse);
    double x = *impulse - sweep->relaxation * row->inverse_diagonal * u;
    x = ashi_clamped(x, row->lower, row->upper);
    ashi_sweep_push(row, &sweep->target[a], &sweep->target[b], x - *impulse);
    *impulse = x;
}

/* The rows from `first` on, `count` of them, that the law bounds together: a gradient step, the same for each, and back
 * into the bounds. Steps by each row's own diagonal would end where friction does not oppose slip. */
static void visit_friction(ashi_sweep *sweep, const ashi_sweep_block *block, uint32_t first, uint32_t count,
                           double bound)
{
    const ashi_sweep_row *row = &sweep->rows[block->first];
    double *impulse = &sweep->impulse[block->first], x[ASHI_BLOCK_ROWS];
    uint32_t a = block->a * ASHI_SWEEP_HALF, b = block->b * ASHI_SWEEP_HALF;
    memcpy(x, impulse, block->count * sizeof *x);
    double step = sweep->relaxation * row[first].step;
    for (uint32_t i = first; i < first + count; i++)
        x[i] -= step * ashi_sweep_speed(&row[i], &sweep->motion[a], &sweep->motion[b], x[i]);
    ashi_law_clamp(sweep->solve->law, block->source, bound, x + 1);
    for (uint32_t i = 1; i < block->count; i++) {
        if (x[i] == impulse[i])
            continue;
        ashi_sweep_push(&row[i], &sweep->target[a], &sweep->target[b], x[i] - impulse[i]);
        impulse[i] = x[i];
    }
}

static void visit_all_friction(ashi_sweep *sweep, const ashi_sweep_block *block)
{
    const ash_problem_block *source = block->source;
    double bound = source->friction_limit >= 0 ? source->friction_limit : sweep->impulse[block->first];
    bool together = sweep->solve->law->law != ASH_FRICTION_BOX;
    uint32_t tangents = source->tangents, rollings = source->rollings;
    for (uint32_t i = 0; !together && i < tangents; i++)
        visit_friction(sweep, block, 1 + i, 1, bound);
    if (together && tangents > 0)
        visit_friction(sweep, block, 1, tangents, bound);
    if (rollings > 0)
        visit_friction(sweep, block, 1 + tangents, rollings, bound);
    if (source->spins > 0)
        visit_friction(sweep, block, 1 + tangents + rollings, 1, bound);
}

void ashi_sweep_rows(ashi_sweep *sweep)
{
    for (uint32_t k = 0; k < sweep->plain_count; k++)
        for (uint32_t i = 0; i < sweep->blocks[k].count; i++)
            visit_row(sweep, &sweep->blocks[k], i);
    for (uint32_t k = sweep->plain_count; k < sweep->block_count; k++)
        visit_row(sweep, &sweep->blocks[k], 0);
    for (uint32_t k = sweep->plain_count; k < sweep->block_count; k++)
        if (sweep->blocks[k].count > 1)
            visit_all_friction(sweep, &sweep->blocks[k]);
}
