/* Jacobi: all visits see the velocities of the last sweep.
 *
 * Undamped, it diverges as soon as several blocks act on one body: each would stop it alone. Every body is therefore
 * split in as many equal parts as blocks act on it (Tonge 2012): J M^-1 J^T is never larger than the block diagonal of
 * the split one, so that each sweep is a step of descent and a relaxation below 2 converges, for the convex part of the
 * problem at least. With more relaxation, or due to friction, it may diverge: growing velocity changes show this, and
 * it is flagged. */
#include "solve/sweeps/sweep.h"

#define JUDGE_EVERY 10
#define GROWTH      1e6 /* of the velocity changes of a sweep over the largest of the first sweeps: diverged */
#define FIRST       10

/* Adds the sums of the sweep to the velocities; returns the largest change. */
static double apply(ashi_sweep_state *sweep)
{
    double largest = 0;
    for (uint32_t i = 0; i < sweep->motion_count; i++) {
        double change = sweep->target[i];
        sweep->motion[i] += change;
        sweep->target[i] = 0;
        largest = fabs(change) > largest || isnan(change) ? fabs(change) : largest;
    }
    return largest;
}

bool ashi_solve_jacobi(ashi_solve *solve)
{
    ashi_sweep_state sweep;
    if (!ashi_sweep_prepare(&sweep, solve, solve->settings->relaxation, solve->settings->regularization, true))
        return false;
    sweep.target = ashi_arena_take_array(solve->scratch, sweep.motion_count, sizeof *sweep.target);
    if (sweep.target == NULL)
        return false;
    memset(sweep.target, 0, sweep.motion_count * sizeof *sweep.target);
    double first = 0;
    while (ashi_sweep_goes_on(&sweep, JUDGE_EVERY)) {
        ashi_sweep_once(&sweep);
        double change = apply(&sweep);
        if (solve->iterations <= FIRST && change > first)
            first = change;
        if (!(change <= GROWTH * first)) {
            solve->flags |= ASH_SOLVE_FAILED; /* the problem keeps the last published impulses */
            break;
        }
    }
    return true;
}
