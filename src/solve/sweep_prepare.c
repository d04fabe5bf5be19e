/* The island's rows made ready for sweeps, and their results brought back. */
#include "solve/sweep.h"

#define NEGLIGIBLE 1e-12 /* pivots below this part of their diagonal are of redundant rows */

static uint32_t slot_of(const ash_problem_island *island, uint32_t body)
{
    uint32_t number = body - island->first_body; /* wraps around for immovable bodies, which come before */
    return number < island->body_count ? number + 1 : 0;
}

/* ---- rows ---- */

/* Fills one body's half of a row; returns what an immovable body adds to the row's speed. */
static double fill_half(const ash_problem *p, uint32_t body, uint32_t slot, ash_vec3 linear, ash_vec3 angular,
                        double *jacobian, double *response)
{
    if (slot == 0) {
        memset(jacobian, 0, ASHI_SWEEP_HALF * sizeof *jacobian);
        memset(response, 0, ASHI_SWEEP_HALF * sizeof *response);
        return v3_dot(linear, p->velocity[body].linear) + v3_dot(angular, p->velocity[body].angular);
    }
    ash_motion half = {linear, angular}, pushed = {{0, 0, 0}, {0, 0, 0}};
    ashi_body_push(&p->bodies[body], &pushed, linear, angular, 1);
    memcpy(jacobian, &half, sizeof half);
    memcpy(response, &pushed, sizeof pushed);
    return 0;
}

static void fill_row(const ash_problem *p, const ash_problem_row *from, const ashi_sweep_block *block,
                     ashi_sweep_row *row)
{
    const ash_problem_block *source = block->source;
    *row = (ashi_sweep_row){.bias = from->bias, .softness = from->softness, .lower = from->lower, .upper = from->upper};
    row->bias += fill_half(p, source->body_a, block->a, from->linear_a, from->angular_a, row->jacobian, row->response);
    row->bias += fill_half(p, source->body_b, block->b, from->linear_b, from->angular_b,
                           row->jacobian + ASHI_SWEEP_HALF, row->response + ASHI_SWEEP_HALF);
}

static double half_response(const double *jacobian, const double *response)
{
    double sum = 0;
    for (int i = 0; i < ASHI_SWEEP_HALF; i++)
        sum += jacobian[i] * response[i];
    return sum;
}

/* J_i M^-1 J_k^T, each body's part by its own factor. */
static double row_response(const ashi_sweep_row *i, const ashi_sweep_row *k, double factor_a, double factor_b)
{
    return factor_a * half_response(i->jacobian, k->response) +
           factor_b * half_response(i->jacobian + ASHI_SWEEP_HALF, k->response + ASHI_SWEEP_HALF);
}

/* ---- matrices ---- */

/* Inverts the rows and columns marked in a packed symmetric matrix in place by Gauss and Jordan; other rows, and those
 * that earlier ones make redundant, become zero. */
static void invert_marked(const double *matrix, uint32_t count, const bool *marked, double *inverse)
{
    double full[ASHI_BLOCK_ROWS][ASHI_BLOCK_ROWS];
    bool done[ASHI_BLOCK_ROWS];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++)
            full[i][k] = full[k][i] = matrix[ASHI_PACKED(i, k)];
    for (uint32_t p = 0; p < count; p++) {
        done[p] = marked[p] && full[p][p] > NEGLIGIBLE * matrix[ASHI_PACKED(p, p)];
        if (!done[p])
            continue;
        double scale = 1 / full[p][p];
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; i != p && k < count; k++)
                if (k != p)
                    full[i][k] -= full[i][p] * full[p][k] * scale;
        for (uint32_t i = 0; i < count; i++) {
            full[i][p] *= -scale;
            full[p][i] *= scale;
        }
        full[p][p] = scale;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++)
            inverse[ASHI_PACKED(i, k)] = done[i] && done[k] ? full[i][k] : 0;
}

static void fill_matrix(const ashi_sweep *sweep, const ashi_sweep_block *block, const double *shares)
{
    const ashi_sweep_row *row = &sweep->rows[block->first];
    double share_a = shares != NULL ? shares[block->a] : 1, share_b = shares != NULL ? shares[block->b] : 1;
    for (uint32_t i = 0; i < block->count; i++) {
        for (uint32_t k = 0; k <= i; k++)
            block->matrix[ASHI_PACKED(i, k)] = row_response(&row[i], &row[k], share_a, share_b);
        block->matrix[ASHI_PACKED(i, i)] += row[i].softness;
    }
}

/* The planar cone's missing tangent: it moves nothing and stays zero. */
static void add_empty_row(ashi_sweep *sweep, const ashi_sweep_block *block)
{
    sweep->rows[block->first + 2] = (ashi_sweep_row){.softness = 1};
    sweep->impulse[block->first + 2] = 0;
}

/* A cone whose matrix cannot be inverted (a point mass in a groove) is solved in groups. */
static void invert_cone(ashi_sweep_block *block)
{
    const double *m = block->small_matrix;
    bool all[3] = {true, true, true};
    invert_marked(m, 3, all, block->small_inverse);
    for (uint32_t i = 0; i < 3; i++)
        if (!(block->small_inverse[ASHI_PACKED(i, i)] > 0))
            block->kind = ASHI_SWEEP_GROUPS;
}

/* 1 / the largest eigenvalue of one or two rows' own matrix. */
static double step_of(const double *matrix, uint32_t first, uint32_t count)
{
    double largest = matrix[ASHI_PACKED(first, first)];
    if (count == 2) {
        double other = matrix[ASHI_PACKED(first + 1, first + 1)], cross = matrix[ASHI_PACKED(first + 1, first)];
        double half = (largest - other) / 2;
        largest = (largest + other) / 2 + sqrt(half * half + cross * cross);
    }
    return largest > 0 ? 1 / largest : 0;
}

static void fill_steps(const ashi_sweep *sweep, const ashi_sweep_block *block)
{
    const ash_problem_block *source = block->source;
    bool together = sweep->solve->law->law != ASH_FRICTION_BOX && source->tangents == 2;
    uint32_t sizes[4] = {together ? 2 : source->tangents > 0, together ? 0 : source->tangents == 2, source->rollings,
                         source->spins};
    uint32_t first = 1;
    for (uint32_t g = 0; g < 4; g++) {
        double step = sizes[g] > 0 ? step_of(block->matrix, first, sizes[g]) : 0;
        for (uint32_t i = 0; i < sizes[g]; i++)
            sweep->rows[block->first + first + i].step = step;
        first += sizes[g];
    }
}

static bool fill_block(ashi_sweep *sweep, ashi_sweep_block *block, const double *shares)
{
    ashi_arena *scratch = sweep->solve->scratch;
    uint32_t entries = ASHI_PACKED(block->count, 0);
    if (block->kind == ASHI_SWEEP_CONE)
        block->matrix = block->small_matrix;
    else if ((block->matrix = ashi_arena_take_array(scratch, entries, sizeof *block->matrix)) == NULL)
        return false;
    fill_matrix(sweep, block, shares);
    ashi_sweep_row *row = &sweep->rows[block->first];
    for (uint32_t i = 0; i < block->count; i++) {
        double diagonal = block->matrix[ASHI_PACKED(i, i)];
        row[i].inverse_diagonal = diagonal > 0 ? 1 / diagonal : 0;
    }
    if (block->kind != ASHI_SWEEP_ROWS) {
        row[0].lower = 0;
        row[0].upper = INFINITY;
        fill_steps(sweep, block);
    }
    if (block->kind == ASHI_SWEEP_CONE)
        invert_cone(block);
    if (block->kind == ASHI_SWEEP_ROWS) {
        bool equality[ASHI_BLOCK_ROWS];
        for (uint32_t i = 0; i < block->count; i++)
            equality[i] = !isfinite(row[i].lower) && !isfinite(row[i].upper);
        if ((block->inverse = ashi_arena_take_array(scratch, entries, sizeof *block->inverse)) == NULL)
            return false;
        invert_marked(block->matrix, block->count, equality, block->inverse);
    }
    return true;
}

/* ---- blocks ---- */

static ashi_sweep_kind kind_of(const ashi_sweep *sweep, const ash_problem_block *source)
{
    if (source->kind == ASH_BLOCK_ROWS)
        return ASHI_SWEEP_ROWS;
    bool disk = sweep->solve->law->corners == 0 || source->tangents == 1;
    bool plain = source->tangents > 0 && source->rollings == 0 && source->spins == 0 && source->friction_limit < 0;
    return disk && plain && source->friction > 0 && !sweep->solve->settings->by_rows ? ASHI_SWEEP_CONE
                                                                                     : ASHI_SWEEP_GROUPS;
}

static void add_block(ashi_sweep *sweep, const ash_problem_block *source)
{
    const ash_problem *p = sweep->solve->problem;
    ashi_sweep_block *block = &sweep->blocks[sweep->block_count++];
    *block = (ashi_sweep_block){.a = slot_of(sweep->solve->island, source->body_a),
                                .b = slot_of(sweep->solve->island, source->body_b),
                                .first = sweep->row_count,
                                .kind = kind_of(sweep, source),
                                .first_row = source->first_row,
                                .row_count = source->row_count,
                                .source = source,
                                .friction = source->friction,
                                .sliding = source->sliding_friction};
    block->count = block->kind == ASHI_SWEEP_CONE ? 3 : source->row_count;
    for (uint32_t i = 0; i < source->row_count; i++) {
        fill_row(p, &p->rows[source->first_row + i], block, &sweep->rows[block->first + i]);
        sweep->impulse[block->first + i] = p->rows[source->first_row + i].impulse;
    }
    if (block->count > source->row_count)
        add_empty_row(sweep, block);
    sweep->row_count += block->count;
}

/* Blocks of plain rows, or the others. */
static void add_blocks(ashi_sweep *sweep, bool plain)
{
    const ash_problem_island *island = sweep->solve->island;
    const ash_problem_block *blocks = sweep->solve->problem->blocks + island->first_block;
    for (uint32_t k = 0; k < island->block_count; k++)
        if ((blocks[k].kind == ASH_BLOCK_ROWS) == plain)
            add_block(sweep, &blocks[k]);
}

/* By velocity: how many blocks or rows act on it. */
static double *count_shares(const ashi_sweep *sweep)
{
    double *shares = ashi_arena_take_array(sweep->solve->scratch, sweep->motion_count, sizeof *shares);
    if (shares == NULL)
        return NULL;
    memset(shares, 0, sweep->motion_count * sizeof *shares);
    for (uint32_t k = 0; k < sweep->block_count; k++) {
        const ashi_sweep_block *block = &sweep->blocks[k];
        double units = sweep->solve->settings->by_rows ? block->row_count : 1;
        shares[block->a] += units;
        shares[block->b] += units;
    }
    return shares;
}

static bool take_memory(ashi_sweep *sweep, ashi_solve *solve)
{
    const ash_problem *p = solve->problem;
    const ash_problem_island *island = solve->island;
    uint32_t rows = 0;
    for (uint32_t k = 0; k < island->block_count; k++) {
        uint32_t count = p->blocks[island->first_block + k].row_count;
        rows += count == 2 ? 3 : count; /* a planar cone gets an empty row */
    }
    sweep->motion_count = island->body_count + 1;
    sweep->blocks = ashi_arena_take_array(solve->scratch, island->block_count, sizeof *sweep->blocks);
    sweep->rows = ashi_arena_take_array(solve->scratch, rows, sizeof *sweep->rows);
    sweep->impulse = ashi_arena_take_array(solve->scratch, rows, sizeof *sweep->impulse);
    sweep->motion = ashi_arena_take_array(solve->scratch, sweep->motion_count, sizeof(ash_motion));
    return sweep->blocks != NULL && sweep->rows != NULL && sweep->impulse != NULL && sweep->motion != NULL;
}

static void load_motion(ashi_sweep *sweep)
{
    const ash_problem_island *island = sweep->solve->island;
    memset(sweep->motion, 0, sizeof(ash_motion));
    memcpy(sweep->motion + ASHI_SWEEP_HALF, sweep->solve->problem->velocity + island->first_body,
           island->body_count * sizeof(ash_motion));
}

bool ashi_sweep_prepare(ashi_sweep *sweep, ashi_solve *solve, double relaxation, bool split)
{
    *sweep = (ashi_sweep){.solve = solve, .relaxation = relaxation};
    if (!take_memory(sweep, solve))
        return false;
    add_blocks(sweep, true);
    sweep->plain_count = sweep->block_count;
    add_blocks(sweep, false);
    double *shares = split ? count_shares(sweep) : NULL;
    if (split && shares == NULL)
        return false;
    for (uint32_t k = 0; k < sweep->block_count; k++)
        if (!fill_block(sweep, &sweep->blocks[k], shares))
            return false;
    sweep->target = sweep->motion;
    load_motion(sweep);
    return true;
}

/* ---- results ---- */

static bool all_finite(const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

bool ashi_sweep_publish(ashi_sweep *sweep)
{
    ash_problem *p = sweep->solve->problem;
    if (!all_finite(sweep->impulse, sweep->row_count) ||
        !all_finite(sweep->motion, sweep->motion_count * ASHI_SWEEP_HALF)) {
        sweep->solve->flags |= ASH_SOLVE_FAILED;
        return false;
    }
    for (uint32_t k = 0; k < sweep->block_count; k++) {
        const ashi_sweep_block *block = &sweep->blocks[k];
        for (uint32_t i = 0; i < block->row_count; i++)
            p->rows[block->first_row + i].impulse = sweep->impulse[block->first + i];
    }
    ashi_problem_velocities(p, sweep->solve->island);
    load_motion(sweep);
    return true;
}

bool ashi_sweep_keep_best(ashi_sweep *sweep)
{
    sweep->best = ashi_arena_take_array(sweep->solve->scratch, sweep->row_count, sizeof *sweep->best);
    sweep->best_residual = INFINITY;
    return sweep->best != NULL;
}

static void compare_with_best(ashi_sweep *sweep)
{
    if (!(sweep->solve->residual < sweep->best_residual))
        return;
    sweep->best_residual = sweep->solve->residual;
    memcpy(sweep->best, sweep->impulse, sweep->row_count * sizeof *sweep->best);
}

static void return_to_best(ashi_sweep *sweep)
{
    if (!isfinite(sweep->best_residual) || !(sweep->solve->residual > sweep->best_residual))
        return;
    memcpy(sweep->impulse, sweep->best, sweep->row_count * sizeof *sweep->best);
    load_motion(sweep); /* finite numbers, whatever was there before */
    sweep->solve->residual = sweep->best_residual;
    ashi_sweep_publish(sweep);
}

bool ashi_sweep_goes_on(ashi_sweep *sweep, uint32_t judge_every)
{
    ashi_solve *solve = sweep->solve;
    bool judged = ashi_solve_is_judged(solve, judge_every);
    bool seen = judged || solve->iterations >= solve->settings->iterations;
    if (seen && solve->iterations > 0 && !ashi_sweep_publish(sweep)) {
        if (sweep->best != NULL)
            return_to_best(sweep);
        return false;
    }
    bool goes_on = ashi_solve_goes_on(solve, judge_every);
    if (judged && sweep->best != NULL)
        compare_with_best(sweep);
    if (!goes_on && !seen) /* out of time */
        ashi_sweep_publish(sweep);
    if (!goes_on && seen && sweep->best != NULL)
        return_to_best(sweep);
    return goes_on;
}
