/* The experiments on the stiff string: what bounds an explicit step, and what implicit springs give beyond it (de Jong
 * 2014, 10-1). Times taken are told, never judged. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/stiff_string.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const char *const paper = "de Jong 2014, figure 10-1";

/* What a run shows. */
typedef struct outcome {
    double growth;  /* largest total energy over the first */
    double seconds; /* of computing */
    double first;
} outcome;

static bool observe_growth(const ash_world *world, uint32_t step, void *data)
{
    outcome *seen = data;
    double energy = ash_world_get_ledger(world).total;
    if (step == 0)
        seen->first = energy;
    seen->growth = fmax(seen->growth, energy / seen->first);
    return seen->growth < 1e6;
}

static ash_status run_string(const char *integrator, double omega, double zeta, double pull, double h, double time,
                             outcome *seen, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status =
        ashi_experiment_open(&experiment, diagnostic, "stiff-string",
                             "omega_e=%.17g zeta=%g amplitude=%g integrator=%s", omega, zeta, pull, integrator);
    if (status != ASH_OK)
        return status;
    *seen = (outcome){0};
    uint32_t steps = (uint32_t)lround(time / h), taken = 0;
    double started = ashi_seconds();
    status = ashi_experiment_run(&experiment, h, steps, observe_growth, seen, &taken, diagnostic);
    seen->seconds = ashi_seconds() - started;
    if (taken < steps)
        seen->growth = 1e300;
    ashi_experiment_close(&experiment);
    return status;
}

/* The largest stable explicit step, bisected in 12 runs of 2000 steps. */
static ash_status stable_step(double omega, double zeta, double bound, double *h, ash_diagnostic *diagnostic)
{
    double low = 0.7 * bound, high = 1.4 * bound;
    for (int i = 0; i < 12; ++i) {
        double middle = 0.5 * (low + high);
        outcome seen;
        ash_status status =
            run_string("symplectic-euler", omega, zeta, 0.001, middle, 2000 * middle, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        *(seen.growth < 1.5 ? &low : &high) = middle;
    }
    *h = 0.5 * (low + high);
    return ASH_OK;
}

static const double ratios[] = {0, 0.01, 0.1, 1}, frequencies[] = {1e3, 1e4, 1e5};
enum { RATIOS = sizeof ratios / sizeof *ratios, FREQUENCIES = sizeof frequencies / sizeof *frequencies };

static ash_status validate_explicit(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    char quantity[96];
    for (int i = 0; i < RATIOS; ++i) {
        ashi_strand strand = ashi_stiff_strand(1e4, ratios[i]);
        double bound = 1e4 * ashi_strand_step_bound(&strand), h = 0;
        ash_status status = stable_step(1e4, ratios[i], bound / 1e4, &h, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "largest stable explicit step times omega_e, zeta %g", ratios[i]);
        ashi_validation_near(validation, quantity, "exact", bound, 1e4 * h, 0.01 * bound);
        for (int f = 0; f < FREQUENCIES; ++f) {
            outcome seen;
            double step = 0.95 * bound / frequencies[f];
            status = run_string("symplectic-euler", frequencies[f], ratios[i], 0.01, step, 1, &seen, diagnostic);
            if (status != ASH_OK)
                return status;
            snprintf(quantity, sizeof quantity, "explicit, zeta %g", ratios[i]);
            ashi_validation_point(validation, paper, quantity, frequencies[f], NAN, seen.seconds);
        }
    }
    return ASH_OK;
}

/* Implicit springs at steps of 1, 10 and 100 / omega_e: no energy appears, whatever the damping. */
static ash_status validate_implicit(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    char quantity[96];
    for (int f = 0; f < FREQUENCIES; ++f) {
        double largest = 0;
        for (int i = 0; i < RATIOS; ++i) {
            outcome seen;
            ash_status status =
                run_string("implicit-euler", frequencies[f], ratios[i], 0.01, 0.001, 1, &seen, diagnostic);
            if (status != ASH_OK)
                return status;
            largest = fmax(largest, seen.growth);
            snprintf(quantity, sizeof quantity, "implicit, zeta %g", ratios[i]);
            ashi_validation_point(validation, paper, quantity, frequencies[f], NAN, seen.seconds);
        }
        snprintf(quantity, sizeof quantity, "largest energy over the first, implicit springs, h = %g / omega_e",
                 0.001 * frequencies[f]);
        ashi_validation_below(validation, quantity, "stable", largest, 1 + 1e-9);
    }
    return ASH_OK;
}

/* Distance of the middle from the reference over the first period of the first mode, relative to the pull. */
static ash_status period_error(const char *integrator, double h, uint32_t steps, const double *reference,
                               uint32_t refinement, double *error, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "stiff-string",
                                             "omega_e=1e4 zeta=0.1 amplitude=0.001 integrator=%s", integrator);
    if (status != ASH_OK)
        return status;
    double *trace = ashi_alloc_array((size_t)steps + 1, sizeof *trace);
    status = trace ? ashi_experiment_trace(&experiment, "node-15", ASHI_X, h, steps, trace, diagnostic)
                   : ashi_out_of_memory(diagnostic);
    *error = 0;
    for (uint32_t i = 0; status == ASH_OK && i <= steps; ++i)
        *error = fmax(*error, fmin(fabs(trace[i] - reference[(size_t)i * refinement]) / 0.001, 1e300));
    ashi_dealloc(trace);
    ashi_experiment_close(&experiment);
    return status;
}

enum { PERIOD_STEPS = 40, REFINEMENT = 200, FINE_STEPS = PERIOD_STEPS * REFINEMENT };

/* Implicit Euler is of order 1 and damps what it does not resolve: far beyond 1 / omega_e it is stable, not accurate.
 */
static ash_status compare_with(const double *reference, double h, ashi_validation *validation,
                               ash_diagnostic *diagnostic)
{
    static const uint32_t refinements[] = {1, 10, 20, 50, 100};
    enum { RUNS = sizeof refinements / sizeof *refinements };
    double sizes[RUNS], errors[RUNS];
    for (int i = 0; i < RUNS; ++i) {
        sizes[i] = h / refinements[i];
        ash_status status = period_error("implicit-euler", sizes[i], PERIOD_STEPS * refinements[i], reference,
                                         REFINEMENT / refinements[i], &errors[i], diagnostic);
        if (status != ASH_OK)
            return status;
        ashi_validation_point(validation, "de Jong 2014, 10-1, error", "implicit", sizes[i] * 1e4, NAN, errors[i]);
    }
    ashi_validation_near(validation, "order of that error, h from 0.5 to 0.1 / omega_e", "theory", 1,
                         ashi_fitted_order(sizes + 2, errors + 2, RUNS - 2), 0.2);
    return ASH_OK;
}

static ash_status validate_accuracy(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    const double h = 1e-3;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "stiff-string",
                                             "omega_e=1e4 zeta=0.1 amplitude=0.001 integrator=rk4");
    if (status != ASH_OK)
        return status;
    double *reference = ashi_alloc_array(FINE_STEPS + 1, sizeof *reference);
    status = reference ? ashi_experiment_trace(&experiment, "node-15", ASHI_X, h / REFINEMENT, FINE_STEPS, reference,
                                               diagnostic)
                       : ashi_out_of_memory(diagnostic);
    ashi_experiment_close(&experiment);
    if (status == ASH_OK)
        status = compare_with(reference, h, validation, diagnostic);
    ashi_dealloc(reference);
    return status;
}

/* ---- figure 10-1 at equal error ---- */

/* De Jong's Bullet takes 1 / omega_e and gets what error it may, Adams a tolerance. Here each method takes the steps
 * that one and the same error needs. */
enum { NODES = ASHI_STIFF_STRING_MASSES };
static const double equal_pull = 0.01, equal_error = 1e-4, reference_error = 1e-7, equal_omega = 1e3; /* m, 1/s */

/* One second by steps of a wanted accuracy. */
typedef struct course {
    ash_vec3 nodes[NODES];
    double seconds;       /* of computing */
    uint32_t steps;       /* taken, halves */
    uint32_t evaluations; /* of all forces, those of steps taken back and of estimates too */
} course;

static ash_status take_course(const char *integrator, double zeta, double error, course *c, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "stiff-string",
                                             "omega_e=%.17g zeta=%g amplitude=%g integrator=%s", equal_omega, zeta,
                                             equal_pull, integrator);
    if (status != ASH_OK)
        return status;
    ash_accuracy accuracy = {.error = error};
    double started = ashi_seconds();
    bool good = ash_world_advance(experiment.world, 1, &accuracy) == ASH_OK;
    ash_step_report report = ash_world_get_report(experiment.world);
    *c = (course){
        .seconds = ashi_seconds() - started, .steps = report.advance_steps, .evaluations = report.force_evaluations};
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "node-%u", i + 1);
        ash_vec3 at = ash_body_get_centre(experiment.world, ash_world_find_body(experiment.world, name));
        c->nodes[i] = good ? at : v3(NAN, NAN, NAN);
    }
    ashi_experiment_close(&experiment);
    return ASH_OK;
}

/* Not a number where one was not reached. */
static double farthest(const course *a, const course *b)
{
    double most = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        double way = v3_distance(a->nodes[i], b->nodes[i]);
        most = way <= most ? most : way;
    }
    return most;
}

static const char *const rivals[] = {"symplectic-euler", "implicit-euler", "rk4", "sdirk2"};
enum { SYMPLECTIC, IMPLICIT, EXPLICIT, STIFF, RIVALS };

/* From the first rival on: those of order 1 take most of the time. */
static ash_status run_rivals(double zeta, int first, course *found, ashi_validation *v, ash_diagnostic *diagnostic)
{
    char quantity[128];
    course reference;
    ash_status status = take_course("rk4", zeta, reference_error, &reference, diagnostic);
    for (int m = first; m < RIVALS && status == ASH_OK; m++) {
        status = take_course(rivals[m], zeta, equal_error, &found[m], diagnostic);
        if (status != ASH_OK)
            break;
        snprintf(quantity, sizeof quantity, "error at 1 s, 0.1 mm wanted, omega_e 1000, zeta %g, m, %s", zeta,
                 rivals[m]);
        ashi_validation_below(v, quantity, "rk4, 0.1 um wanted", farthest(&found[m], &reference), equal_error);
        ashi_validation_point(v, "de Jong 2014, 10-1, equal error", rivals[m], zeta, NAN, found[m].evaluations);
    }
    return status;
}

/* What he found of Bullet and Adams, of methods that are bound by stability and by accuracy: damping takes the steps of
 * the former away, and costs the latter nothing. */
static ash_status validate_equal_error(ashi_validation *v, ash_diagnostic *diagnostic)
{
    course found[RATIOS][RIVALS] = {0};
    for (int i = 0; i < RATIOS && !v->stopped; i++) {
        bool ends = i == 0 || i == RATIOS - 1;
        ash_status status = run_rivals(ratios[i], ends ? SYMPLECTIC : EXPLICIT, found[i], v, diagnostic);
        if (status != ASH_OK)
            return status;
    }
    ashi_validation_above(v, "equal error: explicit steps with zeta 1 over those with zeta 0.1, rk4", paper,
                          (double)found[RATIOS - 1][EXPLICIT].steps / found[RATIOS - 2][EXPLICIT].steps, 1);
    ashi_validation_below(v, "equal error: implicit steps with zeta 0.01 over those without damping, sdirk2", paper,
                          (double)found[1][STIFF].steps / found[0][STIFF].steps, 1);
    ashi_validation_below(v, "equal error: implicit steps with zeta 1 over those without damping, sdirk2", paper,
                          (double)found[RATIOS - 1][STIFF].steps / found[0][STIFF].steps, 1);
    ashi_validation_below(v, "equal error: steps of sdirk2 over those of rk4, zeta 1", paper,
                          (double)found[RATIOS - 1][STIFF].steps / found[RATIOS - 1][EXPLICIT].steps, 1);
    return ASH_OK;
}

ash_status ashi_stiff_string_validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_explicit(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_implicit(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_accuracy(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_equal_error(validation, diagnostic);
    return status;
}
