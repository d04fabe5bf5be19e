/* Copies the results of sweeps back to the problem: impulses, their velocities, and the best of them. */
#include "solve/sweeps/sweep.h"

void ashi_sweep_gather(const ashi_sweep_state *sweep, const double *impulse, double *motion)
{
    memset(motion, 0, sweep->motion_count * sizeof *motion);
    for (uint32_t k = 0; k < sweep->block_count; k++) {
        const ashi_sweep_block *block = &sweep->blocks[k];
        for (uint32_t i = block->first; i < block->first + block->count; i++)
            ashi_sweep_push(&sweep->rows[i], &motion[block->a], &motion[block->b], impulse[i]);
    }
}

static bool all_finite(const double *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

bool ashi_sweep_publish(ashi_sweep_state *sweep)
{
    ashi_system *p = sweep->solve->problem;
    bool finite = all_finite(sweep->impulse, sweep->row_count);
    if (finite)
        ashi_sweep_gather(sweep, sweep->impulse, sweep->motion);
    if (!finite || !all_finite(sweep->motion, sweep->motion_count)) {
        sweep->solve->flags |= ASH_SOLVE_FAILED;
        return false;
    }
    for (uint32_t k = 0; k < sweep->block_count; k++) {
        const ashi_block *source = sweep->links[k].source;
        for (uint32_t i = 0; i < source->row_count; i++)
            p->rows[source->first_row + i].impulse = sweep->impulse[sweep->blocks[k].first + i];
    }
    ashi_system_velocities(p, sweep->solve->island);
    return true;
}

/* ---- the best ---- */

bool ashi_sweep_keep_best(ashi_sweep_state *sweep)
{
    sweep->best = ashi_arena_take_array(sweep->solve->scratch, sweep->row_count, sizeof *sweep->best);
    sweep->best_residual = INFINITY;
    return sweep->best != NULL;
}

static void compare_with_best(ashi_sweep_state *sweep)
{
    if (!(sweep->solve->residual < sweep->best_residual))
        return;
    sweep->best_residual = sweep->solve->residual;
    memcpy(sweep->best, sweep->impulse, sweep->row_count * sizeof *sweep->best);
}

static void return_to_best(ashi_sweep_state *sweep)
{
    if (!isfinite(sweep->best_residual) || !(sweep->solve->residual > sweep->best_residual))
        return;
    memcpy(sweep->impulse, sweep->best, sweep->row_count * sizeof *sweep->best);
    sweep->solve->residual = sweep->best_residual;
    ashi_sweep_publish(sweep);
}

bool ashi_sweep_goes_on(ashi_sweep_state *sweep, uint32_t judge_every)
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
