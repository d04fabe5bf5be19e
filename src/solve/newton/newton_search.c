/* One augmented Lagrangian problem: lambda and rho are given, z is sought with residual(z) = 0.
 *
 * Convex law: the residual is the gradient of  1/2 |z|^2 + sum 1/(2 rho) |P(lambda - rho u)|^2  and the matrix its
 * Hessian, symmetric and at least 1: Newton's method by Cholesky with an exact line search. Coulomb's law: no function
 * lies behind the residual, the matrix is not symmetric: LU, and the best of the steps 1, 1/2, 1/4, ... by |residual|.
 *
 * The full step is tried with its matrix at once, since most are taken. */
#include "solve/newton/newton.h"

#include "base/clock.h"

#include <math.h>

#define SLOPE_LEFT    0.1 /* of the slope at the start: the line search is done */
#define MOST_TRIALS   16  /* of the convex line search */
#define MOST_HALVINGS 10
#define LEAST_FALL    1e-4 /* of |residual|^2, times the step's length */
#define GOOD_FALL     0.5  /* of |residual|^2: no shorter step is tried */

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static size_t numbers_of(const ashi_newton *newton)
{
    return 6 * (size_t)newton->body_count;
}

static void move(ashi_newton *newton, double along)
{
    size_t count = numbers_of(newton);
    for (size_t i = 0; i < count; i++)
        newton->z[i] += along * newton->step[i];
    for (uint32_t r = 0; r < newton->row_count; r++)
        newton->speed[r] += along * newton->step_speed[r];
}

/* Goes from one length of the step to another and evaluates there. */
static void try_length(ashi_newton *newton, ashi_newton_law kind, double from, double to, bool assemble)
{
    move(newton, to - from);
    ashi_newton_evaluate(newton, kind, assemble);
}

/* ---- convex ---- */

/* The derivative of the convex function along the step, at z + along * step. */
static double slope_along(const ashi_newton *newton, double along)
{
    size_t count = numbers_of(newton);
    double sum = dot(newton->z, newton->step, count) + along * dot(newton->step, newton->step, count);
    for (uint32_t k = 0; k < newton->block_count; k++) {
        const ashi_newton_block *view = &newton->blocks[k];
        double answer[ASHI_NEWTON_ROWS];
        ashi_newton_answer_block(newton, ASHI_NEWTON_CONVEX, k, along, answer, NULL);
        sum -= dot(answer, &newton->step_speed[view->first_row], view->row_count);
    }
    return sum;
}

/* The root of the slope in (0, 1) by the method of false position, the end that stays being weighted down (Illinois).
 */
static double find_lowest(ashi_newton *newton, double at_start, double at_end)
{
    double low = 0, high = 1, at_low = at_start, at_high = at_end, along = 1;
    int kept = 0; /* which end stayed: -1 low, 1 high */
    for (int i = 0; i < MOST_TRIALS; i++) {
        along = low + (high - low) * (at_low / (at_low - at_high));
        double here = slope_along(newton, along);
        newton->solve->visits += newton->block_count;
        if (!(fabs(here) > SLOPE_LEFT * fabs(at_start)))
            break;
        if (here > 0) {
            high = along;
            at_high = here;
            at_low *= kept == -1 ? 0.5 : 1;
            kept = -1;
        } else {
            low = along;
            at_low = here;
            at_high *= kept == 1 ? 0.5 : 1;
            kept = 1;
        }
    }
    return along;
}

/* Takes the step to the lowest point along it, or all of it while the function still falls there. */
static void search_convex(ashi_newton *newton)
{
    size_t count = numbers_of(newton);
    double at_start = dot(newton->residual, newton->step, count);
    try_length(newton, ASHI_NEWTON_CONVEX, 0, 1, true);
    double at_end = dot(newton->residual, newton->step, count);
    if (at_end <= SLOPE_LEFT * fabs(at_start))
        return;
    move(newton, -1);
    try_length(newton, ASHI_NEWTON_CONVEX, 0, find_lowest(newton, at_start, at_end), true);
}

/* ---- Coulomb ---- */

/* False: no step makes |residual| smaller. */
static bool search_coulomb(ashi_newton *newton)
{
    size_t count = numbers_of(newton);
    double before = dot(newton->residual, newton->residual, count), least = before, best = 0, at = 0, along = 1;
    for (int i = 0; i < MOST_HALVINGS; i++, along /= 2) {
        try_length(newton, ASHI_NEWTON_COULOMB, at, along, i == 0);
        at = along;
        double here = dot(newton->residual, newton->residual, count);
        if (i == 0 && here <= GOOD_FALL * before)
            return true;
        if (here < (1 - LEAST_FALL * along) * least) {
            least = here;
            best = along;
        } else if (best > 0) {
            break;
        }
    }
    if (best > 0)
        try_length(newton, ASHI_NEWTON_COULOMB, at, best, true);
    return best > 0;
}

/* ---- both ---- */

static bool solve_for_step(ashi_newton *newton, ashi_newton_law kind)
{
    size_t count = numbers_of(newton);
    bool convex = kind == ASHI_NEWTON_CONVEX;
    newton->solve->visits += newton->pattern->products;
    if (!(convex ? ashi_block_cholesky : ashi_block_lu)(&newton->factor))
        return false;
    for (size_t i = 0; i < count; i++)
        newton->step[i] = -newton->residual[i];
    (convex ? ashi_block_cholesky_solve : ashi_block_lu_solve)(&newton->factor, newton->step);
    ashi_newton_speeds(newton, newton->step, newton->step_speed);
    return isfinite(dot(newton->step, newton->step, count));
}

bool ashi_newton_descend(ashi_newton *newton, ashi_newton_law kind, double tolerance, uint32_t most_steps)
{
    ashi_solve *solve = newton->solve;
    ashi_newton_evaluate(newton, kind, true);
    for (uint32_t i = 0;; i++) {
        double error = ashi_newton_velocity(newton, newton->residual);
        /* At least one step: without any, lambda would follow what rounding left in the speeds. */
        if ((error <= tolerance && i > 0) || error <= ashi_newton_noise(newton, kind))
            return true;
        if (i == most_steps || !isfinite(error) || ashi_solve_is_spent(solve) || !solve_for_step(newton, kind) ||
            (solve->deadline > 0 && ashi_seconds() >= solve->deadline))
            return false;
        if (kind == ASHI_NEWTON_CONVEX)
            search_convex(newton);
        else if (!search_coulomb(newton))
            return false;
    }
}
