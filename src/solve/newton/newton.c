/* The engineering solver: an augmented Lagrangian in velocity space (SOLVERS.md, docs/newton.md).
 *
 * For impulses lambda and penalties rho = sigma / D the velocities are those with  M (v - v*) = J^T P(lambda - rho u),
 * found by Newton's method with a sparse factor; then lambda becomes that P(lambda - rho u). The fixed points are the
 * solutions, whatever rho is; redundant contacts are harmless, because the matrix is that of the bodies.
 *
 * Stage 1 solves the convex relaxation roughly; where much slides it is a bad guess, and sweeps make another. Stage 2
 * is Coulomb's law. Its inner problem need not be solvable: lambda is accepted only when it was solved; otherwise the
 * velocities go back and rho falls, and when that does not help a convex problem with the slip speeds held is solved
 * instead. The best iterate by the yardstick, the first guess included, is what is returned. */
#include "solve/newton/newton.h"

#include <math.h>
#include <string.h>

#define FIRST_SIGMA    1e3
#define SWEPT_SIGMA    1e2 /* after sweeps */
#define LARGEST_SIGMA  1e12
#define SMALLEST_SIGMA 1
#define ROUGH          1e-3 /* m/s: near enough for stage 2 */
#define ROUGH_ROUNDS   12
#define SWEEPS         200
#define SWEEPS_A_ROUND 20 /* where no factor can be made */
#define CONVEX_STEPS   80
#define COULOMB_STEPS  25
#define WANTED_FALL    0.1      /* of the error in a round: else rho grows */
#define INNER          0.1      /* of the error: how well the inner problem is solved */
#define FARTHEST       1e4      /* of all momentum: larger impulses are no answer */
#define PATIENCE       1000000u /* visits without a fall of the error to a tenth, besides as many as there were before */
#define CAUTION        4        /* rounds that succeed before a penalty that failed is tried again */
#define SLOW           0.5 /* of the error that is left by a round: impulses go on in the direction of their change */

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void stiffen(ashi_newton *newton)
{
    newton->sigma = least(10 * newton->sigma, LARGEST_SIGMA);
}

static void soften(ashi_newton *newton)
{
    newton->sigma = newton->sigma > 10 * SMALLEST_SIGMA ? newton->sigma / 10 : SMALLEST_SIGMA;
}

/* ---- what the caller sees ---- */

/* Impulses to the problem, and the velocities that follow from them. */
static void publish(ashi_newton *newton, const double *impulse)
{
    ashi_system *p = newton->solve->problem;
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const ashi_newton_block *view = &newton->blocks[k];
        for (uint32_t i = 0; i < view->row_count; i++)
            p->rows[view->block->first_row + i].impulse = impulse[view->first_row + i];
    }
    ashi_system_velocities(p, newton->solve->island);
}

/* Contacts that contradict each other drive their impulses apart without end. Such impulses would act as they are
 * rounded, and momentum would not be kept: what is beyond all momentum there is, is no answer. */
static bool is_sane(const ashi_newton *newton)
{
    const ashi_system *p = newton->solve->problem;
    const ash_problem_body *bodies = &p->bodies[newton->solve->island->first_body];
    double momentum = 0, largest = 0;
    for (uint32_t i = 0; i < newton->body_count; i++) {
        double inverse = fmax(bodies[i].inverse_mass.x, fmax(bodies[i].inverse_mass.y, bodies[i].inverse_mass.z));
        momentum += inverse > 0 ? v3_norm(bodies[i].velocity) / inverse : 0;
    }
    for (uint32_t r = 0; r < newton->row_count; r++) {
        momentum += fabs(newton->speed_free[r]) * newton->unit[r];
        largest = fmax(largest, fabs(newton->impulse[r]));
    }
    return largest <= FARTHEST * momentum;
}

/* Judges the impulses, keeps them if they are the best so far, and says whether to go on. */
static bool goes_on(ashi_newton *newton)
{
    ashi_solve *solve = newton->solve;
    publish(newton, newton->impulse);
    solve->residual = HUGE_VAL;
    bool judged = ashi_solve_is_judged(solve, 1), more = ashi_solve_goes_on(solve, 1);
    if (!judged)
        ashi_solve_judge(solve);
    if (solve->residual <= newton->best_error && (solve->residual <= ROUGH || is_sane(newton))) {
        memcpy(newton->best, newton->impulse, newton->row_count * sizeof *newton->best);
        newton->best_error = solve->residual;
    }
    if (more && !isfinite(solve->residual)) {
        solve->flags |= ASH_SOLVE_FAILED;
        return false;
    }
    return more;
}

/* ---- rounds ---- */

/* lambda = Lambda. The largest change in units of speed: by so much the solved problem differs from the wanted one. */
static double accept(ashi_newton *newton)
{
    double largest = 0;
    for (uint32_t r = 0; r < newton->row_count; r++) {
        double rho = newton->sigma * newton->unit[r];
        double change = rho > 0 ? fabs(newton->answer[r] - newton->impulse[r]) / rho : 0;
        largest = change > largest ? change : largest;
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

/* Stage 1. False: there is no more to do. */
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

/* Instead of stage 1, from the first guess. */
static bool sweep(ashi_newton *newton)
{
    memcpy(newton->impulse, newton->guess, newton->row_count * sizeof *newton->impulse);
    ashi_newton_start(newton);
    ashi_newton_sweep(newton, SWEEPS);
    newton->sigma = SWEPT_SIGMA;
    return goes_on(newton);
}

/* Instead of everything, when the factor would be too large. */
static void sweep_on(ashi_newton *newton)
{
    newton->solve->flags |= ASH_SOLVE_TOO_LARGE;
    do
        ashi_newton_sweep(newton, SWEEPS_A_ROUND);
    while (goes_on(newton));
}

/* One round of stage 2: true when Coulomb's law was solved. */
static bool settle(ashi_newton *newton, double error)
{
    double tolerance = least(1e-4, INNER * error);
    keep(newton);
    for (int attempt = 0; attempt < 2; attempt++) {
        if (ashi_newton_descend(newton, ASHI_NEWTON_COULOMB, tolerance, COULOMB_STEPS)) {
            accept(newton);
            return true;
        }
        go_back(newton);
        soften(newton);
    }
    ashi_newton_lag(newton);
    if (ashi_newton_descend(newton, ASHI_NEWTON_CONVEX, tolerance, CONVEX_STEPS))
        accept(newton);
    else
        go_back(newton);
    return false;
}

/* The work granted was done before a factor or two had led anywhere. Contacts without impulses would let everything
 * fall: sweeps from the best so far, beyond the grant but few, find something that holds. */
static void fall_back(ashi_newton *newton)
{
    ashi_solve *solve = newton->solve;
    memcpy(newton->impulse, newton->best, newton->row_count * sizeof *newton->impulse);
    ashi_newton_start(newton);
    solve->most_visits = solve->visits + (uint64_t)SWEEPS * newton->block_count;
    ashi_newton_sweep(newton, SWEEPS);
    goes_on(newton);
}

/* How stage 2 goes on from round to round. */
typedef struct pace {
    double ceiling;   /* of sigma: the next larger one has failed, ... */
    int good;         /* ... and so many rounds have succeeded since */
    double goal;      /* the next tenth of the error, and ... */
    uint64_t until;   /* ... the visits by which it has to be reached */
    double *accepted; /* by row: impulses of the last round, without what was added to them */
} pace;

/* Impulses of redundant contacts drift evenly, round by round, until one of them ends: that takes half as many rounds
 * when each goes twice as far. */
static void reach_out(ashi_newton *newton, pace *p, bool slow)
{
    for (uint32_t r = 0; r < newton->row_count; r++) {
        double accepted = newton->impulse[r];
        newton->impulse[r] += slow ? accepted - p->accepted[r] : 0;
        p->accepted[r] = accepted;
    }
}

/* A round of stage 2. A penalty that has failed is a ceiling until a few rounds have succeeded: to try it again in each
 * would take most of the time. False: there is no more to do. */
static bool take_round(ashi_newton *newton, pace *p)
{
    ashi_solve *solve = newton->solve;
    double before = solve->residual, sigma = newton->sigma;
    bool settled = settle(newton, before), held = newton->sigma >= sigma;
    p->good = held ? p->good + (sigma >= p->ceiling) : 0;
    p->ceiling = held ? p->ceiling : newton->sigma;
    if (p->good >= CAUTION) {
        p->ceiling = least(10 * p->ceiling, LARGEST_SIGMA);
        p->good = 0;
    }
    bool more = goes_on(newton);
    bool slow = solve->residual > SLOW * before && solve->residual <= ROUGH; /* above, impulses may have no end */
    if (newton->best_error <= p->goal) {
        p->goal = WANTED_FALL * newton->best_error;
        p->until = 2 * solve->visits + PATIENCE;
    }
    more = more && solve->visits < p->until;
    reach_out(newton, p, settled && held && slow);
    if (settled && solve->residual > WANTED_FALL * before && newton->sigma < p->ceiling)
        stiffen(newton);
    return more;
}

bool ashi_solve_newton(ashi_solve *solve)
{
    ashi_newton newton;
    if (!ashi_newton_prepare(&newton, solve, ashi_solver_pattern(solve)))
        return false;
    newton.sigma = FIRST_SIGMA;
    newton.best_error = HUGE_VAL;
    memcpy(newton.guess, newton.impulse, newton.row_count * sizeof *newton.guess);
    memcpy(newton.best, newton.impulse, newton.row_count * sizeof *newton.best);
    ashi_newton_start(&newton);
    bool more = goes_on(&newton);
    if (more && newton.pattern->too_large) {
        sweep_on(&newton);
        more = false;
    }
    if (more && solve->residual > ROUGH)
        more = relax(&newton);
    if (more && solve->residual > ROUGH)
        more = sweep(&newton);
    pace p = {.ceiling = LARGEST_SIGMA, .accepted = newton.accepted, .goal = HUGE_VAL, .until = UINT64_MAX};
    memcpy(p.accepted, newton.impulse, newton.row_count * sizeof *p.accepted);
    while (more)
        more = take_round(&newton, &p);
    if (newton.best_error > ROUGH && ashi_solve_is_spent(solve))
        fall_back(&newton);
    publish(&newton, newton.best);
    solve->residual = newton.best_error;
    return true;
}
