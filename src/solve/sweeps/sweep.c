/* One sweep over an island, block by block or row by row: the heart of jacobi, pgs, sor and nncg.
 *
 * Every visit solves the block's, or the row's, own impulses for the present velocities. A visit does not change the
 * solution: sweeps differ only in how they reach it. */
#include "solve/sweeps/sweep.h"

/* ---- block by block ---- */

/* x = lambda - A^-1 u: zero relative velocity after the visit. */
static inline void stick(const double *inverse, const double *u, const double *impulse, double *x)
{
    x[0] = impulse[0] - (inverse[0] * u[0] + inverse[1] * u[1] + inverse[3] * u[2]);
    x[1] = impulse[1] - (inverse[1] * u[0] + inverse[2] * u[1] + inverse[4] * u[2]);
    x[2] = impulse[2] - (inverse[3] * u[0] + inverse[4] * u[1] + inverse[5] * u[2]);
}

/* Whether the contact would open without any impulse. */
static inline bool parts(const double *matrix, const double *u, const double *impulse)
{
    return u[0] - (matrix[0] * impulse[0] + matrix[1] * impulse[1] + matrix[3] * impulse[2]) >= 0;
}

static inline bool is_inside(const double *x, double friction)
{
    double bound = friction * x[0];
    return x[0] >= 0 && x[1] * x[1] + x[2] * x[2] <= bound * bound;
}

/* The nearest point of the disk. */
static inline void shrink(double *tangent, double radius)
{
    double square = tangent[0] * tangent[0] + tangent[1] * tangent[1];
    if (square <= radius * radius)
        return;
    double scale = radius / sqrt(square);
    tangent[0] *= scale;
    tangent[1] *= scale;
}

/* Moves a part of the way to the block's own solution, or beyond it and back into the cone. */
static void relax_cone(const ashi_sweep_block *block, double relaxation, const double *impulse, double *x)
{
    for (int i = 0; i < 3; i++)
        x[i] = impulse[i] + relaxation * (x[i] - impulse[i]);
    x[0] = x[0] < 0 ? 0 : x[0];
    shrink(x + 1, block->friction * x[0]);
}

/* Three rows pushed at once: velocities are loaded and stored one time. */
static inline void push_three(const ashi_sweep_row *row, double *a, double *b, const double *change)
{
    ashi_double_pair x = pair_of(change[0]), y = pair_of(change[1]), z = pair_of(change[2]);
    for (int i = 0; i < ASHI_SWEEP_HALF; i += 2) {
        int k = i + ASHI_SWEEP_HALF;
        ashi_double_pair on_a = pair_load(row[0].scaled + i) * x + pair_load(row[1].scaled + i) * y;
        ashi_double_pair on_b = pair_load(row[0].scaled + k) * x + pair_load(row[1].scaled + k) * y;
        pair_store(a + i, pair_load(a + i) + (on_a + pair_load(row[2].scaled + i) * z));
        pair_store(b + i, pair_load(b + i) + (on_b + pair_load(row[2].scaled + k) * z));
    }
}

static inline void visit_cone(ashi_sweep_state *sweep, ashi_sweep_block *block)
{
    const ashi_sweep_row *row = &sweep->rows[block->first];
    double *impulse = &sweep->impulse[block->first], u[3], x[3];
    const double *a = &sweep->motion[block->a], *b = &sweep->motion[block->b];
    for (int i = 0; i < 3; i++)
        u[i] = ashi_sweep_speed(&row[i], a, b, impulse[i]);
    stick(block->inverse, u, impulse, x);
    if (!is_inside(x, block->friction) || parts(block->matrix, u, impulse)) {
        memcpy(x, impulse, sizeof x);
        ashi_sweep_solve_cone(block, u, x);
    }
    if (sweep->relaxation != 1)
        relax_cone(block, sweep->relaxation, impulse, x);
    double change[3] = {x[0] - impulse[0], x[1] - impulse[1], x[2] - impulse[2]};
    memcpy(impulse, x, sizeof x);
    push_three(row, &sweep->target[block->a], &sweep->target[block->b], change);
}

/* Rows one after the other. */
static void visit_any(ashi_sweep_state *sweep, uint32_t number)
{
    const ashi_sweep_block *block = &sweep->blocks[number];
    const ashi_sweep_row *row = &sweep->rows[block->first];
    double *impulse = &sweep->impulse[block->first], u[ASHI_BLOCK_ROWS], before[ASHI_BLOCK_ROWS];
    for (uint32_t i = 0; i < block->count; i++) {
        before[i] = impulse[i];
        u[i] = ashi_sweep_speed(&row[i], &sweep->motion[block->a], &sweep->motion[block->b], impulse[i]);
    }
    if (block->kind == ASHI_SWEEP_ROWS)
        ashi_sweep_solve_plain(sweep, number, u, impulse);
    else
        ashi_sweep_solve_groups(sweep, number, u, impulse);
    for (uint32_t i = 0; i < block->count; i++)
        ashi_sweep_push(&row[i], &sweep->target[block->a], &sweep->target[block->b], impulse[i] - before[i]);
}

static inline bool is_inside_box(const double *x, double friction)
{
    double bound = friction * x[0];
    return x[0] >= 0 && fabs(x[1]) <= bound && fabs(x[2]) <= bound;
}

static void visit_box(ashi_sweep_state *sweep, uint32_t number)
{
    const ashi_sweep_block *block = &sweep->blocks[number];
    const ashi_sweep_row *row = &sweep->rows[block->first];
    double *impulse = &sweep->impulse[block->first], u[3], x[3], change[3];
    const double *a = &sweep->motion[block->a], *b = &sweep->motion[block->b];
    for (int i = 0; i < 3; i++)
        u[i] = ashi_sweep_speed(&row[i], a, b, impulse[i]);
    stick(block->inverse, u, impulse, x);
    if (!is_inside_box(x, block->friction) || parts(block->matrix, u, impulse)) {
        visit_any(sweep, number);
        return;
    }
    for (int i = 0; i < 3; i++)
        x[i] = impulse[i] + sweep->relaxation * (x[i] - impulse[i]);
    x[0] = x[0] < 0 ? 0 : x[0];
    for (int i = 1; i < 3; i++)
        x[i] = ashi_clamped(x[i], -block->friction * x[0], block->friction * x[0]);
    for (int i = 0; i < 3; i++) {
        change[i] = x[i] - impulse[i];
        impulse[i] = x[i];
    }
    push_three(row, &sweep->target[block->a], &sweep->target[block->b], change);
}

static void sweep_blocks(ashi_sweep_state *sweep, bool bounded)
{
    for (uint32_t k = 0; k < sweep->block_count; k++) {
        if (bounded && sweep->links[k].equal)
            continue;
        if (sweep->blocks[k].kind == ASHI_SWEEP_CONE)
            visit_cone(sweep, &sweep->blocks[k]);
        else if (sweep->blocks[k].kind == ASHI_SWEEP_BOX)
            visit_box(sweep, k);
        else
            visit_any(sweep, k);
    }
}

/* ---- row by row ---- */

static inline void visit_row(ashi_sweep_state *sweep, const ashi_sweep_block *block, uint32_t number, double lower,
                             double upper)
{
    const ashi_sweep_row *row = &sweep->rows[block->first + number];
    double *impulse = &sweep->impulse[block->first + number];
    double u = ashi_sweep_speed(row, &sweep->motion[block->a], &sweep->motion[block->b], *impulse);
    double x = ashi_clamped(*impulse - sweep->relaxation * row->inverse_diagonal * u, lower, upper);
    ashi_sweep_push(row, &sweep->target[block->a], &sweep->target[block->b], x - *impulse);
    *impulse = x;
}

/* Two tangents in a disk: a gradient step, the same for both, and back into the disk. Steps by each row's own diagonal
 * would end where friction does not oppose slip. */
static inline void visit_disk(ashi_sweep_state *sweep, const ashi_sweep_block *block, double radius)
{
    const ashi_sweep_row *row = &sweep->rows[block->first + 1];
    double *impulse = &sweep->impulse[block->first + 1], x[2];
    double step = sweep->relaxation * row->step;
    for (int i = 0; i < 2; i++)
        x[i] = impulse[i] -
               step * ashi_sweep_speed(&row[i], &sweep->motion[block->a], &sweep->motion[block->b], impulse[i]);
    shrink(x, radius);
    for (int i = 0; i < 2; i++) {
        ashi_sweep_push(&row[i], &sweep->target[block->a], &sweep->target[block->b], x[i] - impulse[i]);
        impulse[i] = x[i];
    }
}

/* The rows from `first` on, `count` of them, that the law bounds together, whatever the law. */
static void visit_group(ashi_sweep_state *sweep, uint32_t number, uint32_t first, uint32_t count)
{
    const ashi_sweep_block *block = &sweep->blocks[number];
    const ashi_block *source = sweep->links[number].source;
    const ashi_sweep_row *row = &sweep->rows[block->first];
    double *impulse = &sweep->impulse[block->first], x[ASHI_BLOCK_ROWS];
    double step = sweep->relaxation * row[first].step;
    memcpy(x, impulse, block->count * sizeof *x);
    for (uint32_t i = first; i < first + count; i++)
        x[i] -= step * ashi_sweep_speed(&row[i], &sweep->motion[block->a], &sweep->motion[block->b], x[i]);
    ashi_law_clamp(sweep->solve->law, source, ashi_bounding_impulse(source, impulse[0]), x + 1);
    for (uint32_t i = 1; i < block->count; i++) {
        if (x[i] == impulse[i])
            continue;
        ashi_sweep_push(&row[i], &sweep->target[block->a], &sweep->target[block->b], x[i] - impulse[i]);
        impulse[i] = x[i];
    }
}

static void visit_groups(ashi_sweep_state *sweep, uint32_t number)
{
    const ashi_block *source = sweep->links[number].source;
    bool together = sweep->solve->law->law != ASH_FRICTION_BOX;
    uint32_t tangents = source->tangents, rollings = source->rollings;
    for (uint32_t i = 0; !together && i < tangents; i++)
        visit_group(sweep, number, 1 + i, 1);
    if (together && tangents > 0)
        visit_group(sweep, number, 1, tangents);
    if (rollings > 0)
        visit_group(sweep, number, 1 + tangents, rollings);
    if (source->spins > 0)
        visit_group(sweep, number, 1 + tangents + rollings, 1);
}

static inline void visit_friction(ashi_sweep_state *sweep, uint32_t number)
{
    const ashi_sweep_block *block = &sweep->blocks[number];
    double bound = block->friction * sweep->impulse[block->first];
    ash_friction_law law = sweep->solve->law->law;
    if (block->tangents == 2 && law == ASH_FRICTION_CONE)
        visit_disk(sweep, block, bound);
    else if (block->tangents == 1 || (block->tangents == 2 && law == ASH_FRICTION_BOX))
        for (uint32_t i = 1; i <= block->tangents; i++)
            visit_row(sweep, block, i, -bound, bound);
    else if (block->count > 1)
        visit_groups(sweep, number);
}

static void sweep_rows(ashi_sweep_state *sweep, bool bounded)
{
    for (uint32_t k = 0; k < sweep->plain_count; k++)
        for (uint32_t i = 0; i < sweep->blocks[k].count; i++) {
            ashi_sweep_bounds bounds = sweep->bounds[sweep->blocks[k].first + i];
            if (!bounded || isfinite(bounds.lower) || isfinite(bounds.upper))
                visit_row(sweep, &sweep->blocks[k], i, bounds.lower, bounds.upper);
        }
    bool in_turn = sweep->solve->settings->contact_by_contact;
    for (uint32_t k = sweep->plain_count; k < sweep->block_count; k++) {
        visit_row(sweep, &sweep->blocks[k], 0, 0, INFINITY);
        if (in_turn)
            visit_friction(sweep, k);
    }
    for (uint32_t k = sweep->plain_count; !in_turn && k < sweep->block_count; k++)
        visit_friction(sweep, k);
}

static void sweep_all(ashi_sweep_state *sweep, bool bounded)
{
    if (sweep->solve->settings->by_rows)
        sweep_rows(sweep, bounded);
    else
        sweep_blocks(sweep, bounded);
}

void ashi_sweep_once(ashi_sweep_state *sweep)
{
    sweep_all(sweep, false);
}

void ashi_sweep_bounded(ashi_sweep_state *sweep)
{
    sweep_all(sweep, true);
}
