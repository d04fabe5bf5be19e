/* Projected Gauss-Seidel (de Jong 2014, Algorithm 1; Erleben 2007, 2.3) and, over-relaxed, successive over-relaxation.
 *
 * Each visit sees the velocities that all visits before have made. Convergence is linear and, in tall or heavily loaded
 * stacks, slow: errors travel one contact a sweep. */
#include "solve/sweep.h"

#define JUDGE_EVERY 10

bool ashi_solve_pgs(ashi_solve *solve)
{
    ashi_sweep sweep;
    const ash_solver_settings *settings = solve->settings;
    double relaxation = settings->solver == ASH_SOLVER_SOR ? settings->relaxation : 1;
    if (!ashi_sweep_prepare(&sweep, solve, relaxation, false))
        return false;
    while (ashi_sweep_goes_on(&sweep, JUDGE_EVERY))
        ashi_sweep_once(&sweep);
    return true;
}
