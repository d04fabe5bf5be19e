/* Baumgarte's stabilization of accelerations beside the projections that Faure puts in its place, on his chain.
 *
 * g'' = -alpha g - beta g' lets errors of the joints fade with the rate w = beta / 2 = alpha^1/2. It has to be chosen:
 * too slow, errors grow; too quick, the equations are stiff, and an explicit integrator blows up (rk4 on a linear
 * equation beyond w h = 2.785). A projection has nothing to choose, and leaves what tolerance it is given. */
#include "experiments/builtin/ladder.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const char *const paper = "Faure, constraint stabilization";
static const double beyond = 1e300; /* m: numbers grew beyond all bounds */

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    double *worst = data, error = ash_world_get_report(world).joint_error;
    *worst = step == 0 ? *worst : fmax(*worst, isfinite(error) ? error : beyond);
    return *worst < beyond;
}

/* The largest error of a joint in 2 s, m. */
static ash_status follow(const char *integrator, double h, const char *drift, double rate, double *error,
                         ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    uint32_t steps = (uint32_t)lround(2 / h), taken = 0;
    *error = 0;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "chain",
                                             "n=5 integrator=%s joint-drift=%s drift-alpha=%.17g drift-beta=%.17g",
                                             integrator, drift, rate * rate, 2 * rate);
    if (status != ASH_OK)
        return status;
    status = ashi_experiment_run(&experiment, h, steps, observe, error, &taken, diagnostic);
    ashi_experiment_close(&experiment);
    if (taken < steps)
        *error = beyond;
    return status;
}

ash_status ashi_drift_validate(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const double h = 0.005, long_step = 0.02, held = 1e-8, broken = 0.1; /* s, m */
    double none = 0, gentle = 0, projected = 0, quick = 0, stiff = 0, far = 0;
    ash_status status = follow("symplectic-euler", h, "none", 0, &none, diagnostic);
    if (status == ASH_OK)
        status = follow("symplectic-euler", h, "baumgarte", 0.1 / h, &gentle, diagnostic);
    if (status == ASH_OK)
        status = follow("symplectic-euler", h, "projection", 0, &projected, diagnostic);
    if (status == ASH_OK)
        status = follow("rk4", h, "baumgarte", 2 / h, &quick, diagnostic);
    if (status == ASH_OK)
        status = follow("rk4", h, "baumgarte", 3 / h, &stiff, diagnostic);
    if (status == ASH_OK)
        status = follow("rk4", long_step, "projection", 0, &far, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_report(v, "chain: drift of joints by symplectic Euler, 5 ms, without stabilization, m", paper, NAN,
                           none);
    ashi_validation_above(v, "chain: that drift over the largest error with Baumgarte, w h = 0.1", paper, none / gentle,
                          2);
    ashi_validation_below(v, "chain: largest error with projections instead, m", paper, projected, held);
    ashi_validation_below(v, "chain: rk4, 5 ms, Baumgarte with w h = 2: joints hold, m", paper, quick, broken);
    ashi_validation_above(v, "chain: the same with w h = 3, beyond the bound of 2.785: it blows up, m", paper, stiff,
                          broken);
    ashi_validation_below(v, "chain: rk4, 20 ms, projections: largest error, m", paper, far, held);
    return ASH_OK;
}
