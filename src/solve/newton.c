/* The engineering solver: an augmented Lagrangian in velocity space (SOLVERS.md, docs/newton.md).
 *
 * For impulses lambda and penalties rho = sigma / D the velocities are those with  M (v - v*) = J^T P(lambda - rho u),
 * found by Newton's method with a sparse factor; then lambda becomes that P(lambda - rho u). The fixed points are the
 * solutions, whatever rho is; redundant contacts are harmless, because the matrix is that of the bodies.
 *
 * Stage 1 solves the convex relaxation roughly. Stage 2 is Coulomb's law. Its inner problem need not be solvable:
 * lambda is accepted only when it was solved; otherwise the velocities go back, one convex problem with the slip speeds
 * held is solved instead, and rho falls. The best iterate by the yardstick, the first guess included, is what is
 * returned. */
#include "solve/newton.h"

#include <math.h>
#include <string.h>

#define FIRST_SIGMA    1e3
#define LARGEST_SIGMA  1e8
#define SMALLEST_SIGMA 1
#define ROUGH          1e-3 /* m/s: the convex relaxation is near enough */
#define ROUGH_ROUNDS   12
#define CONVEX_STEPS   80
#define LAGGED_STEPS   60
#define COULOMB_STEPS  25
#define WANTED_FALL    0.1 /* of the error in a round: else rho grows */

/* Impulses to the problem, and the velocities that follow from them. */
static void publish(ashi_newton *newton, const double *impulse)
{
    ash_problem *p = newton->solve->problem;
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const ashi_newton_block *view = &newton->blocks[k];
        for (uint32_t i = 0; i < view->row_count; i++)
            p->rows[view->block->first_row + i].impulse = impulse[view->first_row + i];
    }
    ashi_problem_velocities(p, newton->solve->island);
}

/* Judges the impulses, keeps them if they are the best so far, and says whether to go on. */
static bool goes_on(ashi_newton *newton)
{
    ashi_solve *solve = newton->solve;
    publish(newton, newton->impulse);
    solve->residual = HUGE_VAL;
    bool more = ashi_solve_goes_on(solve, 1);
    if (solve->settings->tolerance == 0 && solve->trace == NULL) {
        ash_yardstick error;
        ashi_yardstick_measure(solve->problem, solve->island, solve->law, newton->judged, false, &error);
        solve->residual = error.largest;
    }
    if (solve->residual <= newton->best_error) {
        memcpy(newton->best, newton->impulse, newton->row_count * sizeof *newton->best);
        newton->best_error = solve->residual;
    }
    return more;
}

/* lambda = Lambda. The largest change in units of speed: by so much the solved problem differs from the wanted one. */
static double accept(ashi_newton *newton)
{
    double largest = 0;
    for (uint32_t r = 0; r < newton->row_count; r++) {
        double rho = newton->sigma * newton->unit[r];
        double change = rho > 0 ? fabs(newton->answer[r] - newton->impulse[r]) / rho : 0;
        if (!(change <= largest))
            largest = change;
        newton->impulse[r] = newton->answer[r];
    }
    return largest;
}

static void keep(ashi_newton *newton)
{
    memcpy(newton->kept, newton->z, 6 * (size_t)newton->body_count * sizeof *newton->z);
    memcpy(newton->kept_speed, newton->speed, newton->row_count * sizeof *newton->speed);
}

static void go_back(ashi_newton *newton)
{
    memcpy(newton->z, newton->kept, 6 * (size_t)newton->body_count * sizeof *newton->z);
    memcpy(newton->speed, newton->kept_speed, newton->row_count * sizeof *newton->speed);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void stiffen(ashi_newton *newton)
{
    newton->sigma = least(10 * newton->sigma, LARGEST_SIGMA);
}

/* Stage 1. False when it is all over. */
static bool relax(ashi_newton *newton)
{
    double error = 1;
    memset(newton->slip, 0, newton->block_count * sizeof *newton->slip);
    for (int round = 0; round < ROUGH_ROUNDS && error > ROUGH; round++) {
        double before = error;
        if (!ashi_newton_descend(newton, ASHI_NEWTON_CONVEX, 0.05 * least(before, ROUGH), CONVEX_STEPS))
            return true; /* the impulses of the round before will do */
        error = accept(newton);
        if (!goes_on(newton))
            return false;
        if (error > WANTED_FALL * before)
            stiffen(newton);
    }
    return true;
}

/* A round of stage 2. False when numbers broke down. */
static bool settle(ashi_newton *newton, double error)
{
    double tolerance = least(1e-4, 0.02 * error);
    keep(newton);
    if (ashi_newton_descend(newton, ASHI_NEWTON_COULOMB, tolerance, COULOMB_STEPS)) {
        accept(newton);
        newton->settled = true;
        return true;
    }
    go_back(newton);
    newton->settled = false;
    ashi_newton_lag(newton);
    if (ashi_newton_descend(newton, ASHI_NEWTON_CONVEX, tolerance, LAGGED_STEPS))
        accept(newton);
    else
        go_back(newton);
    newton->sigma = newton->sigma > 10 * SMALLEST_SIGMA ? newton->sigma / 10 : SMALLEST_SIGMA;
    return true;
}

bool ashi_solve_newton(ashi_solve *solve)
{
    ashi_newton newton;
    ashi_block_pattern *pattern = ashi_solver_pattern(solve);
    if (!ashi_newton_prepare(&newton, solve, pattern))
        return false;
    newton.sigma = FIRST_SIGMA;
    newton.best_error = HUGE_VAL;
    memcpy(newton.best, newton.impulse, newton.row_count * sizeof *newton.best);
    bool more = goes_on(&newton);
    ashi_newton_start(&newton);
    if (more && solve->residual > ROUGH)
        more = relax(&newton);
    while (more) {
        double before = solve->residual;
        if (!settle(&newton, before))
            break;
        more = goes_on(&newton);
        if (newton.settled && solve->residual > WANTED_FALL * before)
            stiffen(&newton);
    }
    publish(&newton, newton.best);
    solve->residual = newton.best_error;
    return true;
}
