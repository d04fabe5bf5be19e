/* The solver `direct`: equality rows exactly by one sparse factor, in turn with sweeps over contacts, limits and other
 * rows with bounds, until the yardstick is content.
 *
 * After every turn all equalities hold to rounding. What is done to contacts in between is a projected step, and turns
 * are the sweeps of the conjugate directions of nncg: extrapolation keeps the equalities, which are linear. Without
 * contacts and bounds one turn is the solution. */
#include "solve/direct/direct_parts.h"
#include "solve/sweeps/sweep.h"

#define JUDGE_EVERY 5

/* Makes all equality rows right for the velocities of the moment. */
static void hold(ashi_sweep_state *sweep, ashi_direct *direct)
{
    uint32_t row = 0;
    for (int pass = 0; pass < 2; pass++) { /* speeds, then impulses; the factor has the rows in the same order */
        for (uint32_t k = row = 0; k < sweep->plain_count; k++) {
            const ashi_sweep_block *block = &sweep->blocks[k];
            double *a = &sweep->motion[block->a], *b = &sweep->motion[block->b];
            for (uint32_t i = block->first; i < block->first + block->count; i++) {
                if (isfinite(sweep->bounds[i].lower) || isfinite(sweep->bounds[i].upper))
                    continue;
                if (pass == 0) {
                    direct->right[row] = -ashi_sweep_speed(&sweep->rows[i], a, b, sweep->impulse[i]);
                } else {
                    sweep->impulse[i] += direct->held[row];
                    ashi_sweep_push(&sweep->rows[i], a, b, direct->held[row]);
                }
                row++;
            }
        }
        if (pass == 0)
            ashi_direct_solve_rows(direct);
    }
}

static void take_turn(ashi_sweep_state *sweep, void *data)
{
    ashi_sweep_bounded(sweep);
    hold(sweep, data);
}

/* Whether there is nothing but equality rows. */
static bool are_all_equal(const ashi_sweep_state *sweep)
{
    for (uint32_t k = 0; k < sweep->block_count; k++)
        if (!sweep->links[k].equal)
            return false;
    return true;
}

bool ashi_solve_direct(ashi_solve *solve)
{
    ashi_sweep_state sweep;
    ashi_direct *direct = ashi_solver_factor(solve);
    if (direct == NULL || !ashi_direct_factor(direct, solve->problem, solve->island) ||
        !ashi_sweep_prepare(&sweep, solve, 1, 0, false) /* the factor is of A */)
        return false;
    return ashi_sweep_conjugate(&sweep, take_turn, direct, are_all_equal(&sweep) ? 1 : JUDGE_EVERY);
}
