/* Projected Gauss-Seidel (de Jong 2014, Algorithm 1; Erleben 2007, 2.3) and, over-relaxed, successive over-relaxation.
 *
 * Each visit sees the velocities after all earlier visits. Convergence is linear and, in tall or heavily loaded stacks,
 * slow: errors travel one contact per sweep.
 *
 * Contacts that require different motions of one body, each with more load than a sweep can remove, contradict each
 * other for many thousands of sweeps. During these, sweeps run in a cycle, at the end of which the contact visited last
 * is satisfied completely. With corrections by 1/2, 1/3, 1/4 ... in the last sweeps (`settling`) the cycle shrinks to a
 * point, close to the least-squares solution.
 *
 * With `regularization-decay` gamma of A + gamma I goes to zero over the sweeps, as in Erleben 2007 (41): the first
 * ones converge faster, and the last ones solve the problem itself. */
#include "solve/sweeps/sweep.h"

#define JUDGE_EVERY 10

static double relaxation_of(const ashi_solve *solve, double full)
{
    const ash_solver_settings *settings = solve->settings;
    uint32_t settled = (uint32_t)(settings->settling * settings->iterations);
    uint32_t first = settings->iterations - settled + 1; /* `iterations` counts the sweep that is about to be made */
    return solve->iterations < first ? full : full / (solve->iterations - first + 2);
}

bool ashi_solve_pgs(ashi_solve *solve)
{
    ashi_sweep_state sweep;
    const ash_solver_settings *settings = solve->settings;
    double relaxation = ashi_solver_traits_of(settings->solver)->relaxes ? settings->relaxation : 1;
    if (!ashi_sweep_prepare(&sweep, solve, relaxation, settings->regularization, false))
        return false;
    while (ashi_sweep_goes_on(&sweep, JUDGE_EVERY)) {
        sweep.relaxation = relaxation_of(solve, relaxation);
        ashi_sweep_once(&sweep);
        if (sweep.gamma > 0 && settings->regularization_decay < 1)
            ashi_sweep_regularize(&sweep, settings->regularization_decay * sweep.gamma);
    }
    return true;
}
