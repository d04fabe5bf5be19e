/* Bender & Schmitt's tables 1 to 3 beside ours: trees and the star with one system for all joints and joint by joint.
 *
 * Times are medians over the steps of a run, of processor time, and reported only. Speed-ups and exponents are those of
 * counted multiplications over whole steps, the parts that a step is cut into included: the same on every machine. */
#include "experiments/analysis.h"
#include "experiments/builtin/tree.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 30, LONGEST = 150 };
static const char *const paper = "Bender & Schmitt 2006";

/* What a run of some steps shows. */
typedef struct seen {
    double milliseconds; /* of a step, or of a part where it is cut for the tension in it, median */
    double error;        /* largest of any joint after any step, m */
    double joint_corrections, velocity_corrections; /* a step, on average */
    uint32_t unconverged;                           /* steps */
    double parts;                                   /* of a step, on average */
    double operations;                              /* multiplications of a step, on average */
    double times[LONGEST + 1];
    uint32_t count;
    clock_t clock; /* when the last step had been looked at */
} seen;

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    seen *s = data;
    ash_step_report report = ash_world_get_report(world);
    clock_t now = clock();
    double time = 1000.0 * (double)(now - s->clock) / CLOCKS_PER_SEC / fmax(report.parts, 1);
    s->clock = clock();
    if (step == 0)
        return true;
    s->times[s->count++] = time;
    s->parts += report.parts;
    s->operations += (double)report.operations;
    s->error = fmax(s->error, report.joint_error);
    s->joint_corrections += report.joint_corrections;
    s->velocity_corrections += report.velocity_corrections;
    s->unconverged += (report.flags & ASH_FLAG_NOT_CONVERGED) != 0;
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static ash_status run(const char *scene, const char *method, uint32_t count, double tolerance, uint32_t steps, seen *s,
                      ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(
        &experiment, diagnostic, scene, "method=%s n=%u tolerance=%g joint-tolerance=%g joint-velocity-tolerance=%g",
        method, count, tolerance, tolerance, tolerance);
    if (status != ASH_OK)
        return status;
    *s = (seen){0};
    status = ashi_experiment_run(&experiment, 1.0 / 30, steps, observe, s, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    if (s->count < steps)
        s->error = 1e300;
    qsort(s->times, s->count, sizeof *s->times, compare_numbers);
    s->milliseconds = s->times[s->count / 2];
    s->operations /= fmax(s->count, 1);
    s->parts /= fmax(s->count, 1);
    s->joint_corrections /= fmax(s->count, 1);
    s->velocity_corrections /= fmax(s->count, 1);
    return status;
}

/* ---- the tree ---- */

static ash_status validate_table_1(ashi_validation *v, ash_diagnostic *diagnostic)
{
    seen one, by_one;
    ash_status status = run("tree", "bender-schmitt-2006", 127, 1e-6, LONGEST, &one, diagnostic);
    if (status == ASH_OK)
        status = run("tree", "bender-iterative", 127, 1e-6, STEPS, &by_one, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_below(v, "tree of 127, 1e-6: largest joint error of any step, m, one system", paper, one.error,
                          1e-6);
    ashi_validation_below(v, "tree of 127, 1e-6: largest joint error of any step, m, joint by joint", paper,
                          by_one.error, 1e-6);
    ashi_validation_below(v, "tree of 127, 1e-6: steps that did not converge", paper,
                          (double)(one.unconverged + by_one.unconverged), 0);
    ashi_validation_below(v, "tree of 127, 1e-6: joint corrections a step, one system (paper: 2)", paper,
                          one.joint_corrections, 3);
    ashi_validation_near(v, "tree of 127, 1e-6: velocity corrections a step, one system", paper, 1,
                         one.velocity_corrections, 0);
    ashi_validation_report(v, "tree of 127, 1e-6: joint corrections a step, joint by joint", paper, 518.15,
                           by_one.joint_corrections);
    ashi_validation_report(v, "tree of 127, 1e-6: velocity corrections a step, joint by joint", paper, 745.54,
                           by_one.velocity_corrections);
    ashi_validation_above(v, "tree of 127, 1e-6: work joint by joint over that of one system (paper: 11.4 in time)",
                          paper, by_one.operations / one.operations, 228.57 / 20.09);
    ashi_validation_report(v, "tree of 127, 1e-6: the same in time, here and now", paper, 228.57 / 20.09,
                           by_one.milliseconds / one.milliseconds);
    return ASH_OK;
}

enum { SIZES = 4, TOLERANCES = 3 };
static const uint32_t sizes[SIZES] = {31, 63, 127, 255};
static const double tolerances[TOLERANCES] = {1e-2, 1e-4, 1e-6};

static ash_status validate_tables_2_3(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const double without[SIZES][TOLERANCES] = {
        {0.97, 6.78, 14.31}, {2.48, 28.46, 67.50}, {6.25, 87.05, 228.57}, {15.86, 246.71, 703.48}};
    static const double with[SIZES][TOLERANCES] = {
        {3.23, 3.54, 3.79}, {7.12, 7.14, 7.69}, {18.78, 18.95, 20.09}, {62.06, 63.21, 63.61}};
    char quantity[96];
    for (int i = 0; i < SIZES; i++) {
        double loosest = 0;
        for (int k = 0; k < TOLERANCES && !v->stopped; k++) {
            seen one, by_one;
            ash_status status = run("tree", "bender-schmitt-2006", sizes[i], tolerances[k], LONGEST, &one, diagnostic);
            if (status == ASH_OK)
                status = run("tree", "bender-iterative", sizes[i], tolerances[k], 10, &by_one, diagnostic);
            if (status != ASH_OK)
                return status;
            snprintf(quantity, sizeof quantity, "tree of %u, %g: time of a step, ms, joint by joint", sizes[i],
                     tolerances[k]);
            ashi_validation_report(v, quantity, "Bender & Schmitt 2006, table 2", without[i][k], by_one.milliseconds);
            snprintf(quantity, sizeof quantity, "tree of %u, %g: time of a step, ms, one system", sizes[i],
                     tolerances[k]);
            ashi_validation_report(v, quantity, "Bender & Schmitt 2006, table 3", with[i][k], one.milliseconds);
            snprintf(quantity, sizeof quantity, "tree of %u, %g: largest joint error of any step, m", sizes[i],
                     tolerances[k]);
            ashi_validation_below(v, quantity, paper, fmax(one.error, by_one.error), tolerances[k]);
            if (k == TOLERANCES - 1) { /* the tables in one picture; what does not wait for the machine is judged */
                const char *figure = "Bender & Schmitt 2006, tables 2 and 3";
                ashi_validation_point(v, figure, "joint by joint", sizes[i], without[i][k], by_one.milliseconds);
                ashi_validation_point(v, figure, "one system", sizes[i], with[i][k], one.milliseconds);
                snprintf(quantity, sizeof quantity, "tree of %u, 1e-6: work joint by joint over that of one system",
                         sizes[i]);
                ashi_validation_above(v, quantity, "Bender & Schmitt 2006, tables 2, 3",
                                      by_one.operations / one.operations, without[i][k] / with[i][k]);
                snprintf(quantity, sizeof quantity, "tree of %u, one system: work at 1e-6 over that at 1e-2", sizes[i]);
                ashi_validation_below(v, quantity, "Bender & Schmitt 2006, 5: hardly depends on it",
                                      one.operations / loosest, 2);
            }
            loosest = k == 0 ? one.operations : loosest;
        }
    }
    return ASH_OK;
}

/* The paper's times of table 3 at 1e-6 grow with this exponent over its sizes; those of whole steps may not grow
 * faster. */
static ash_status validate_paper_growth(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const double times[SIZES] = {3.79, 7.69, 20.09, 63.61};
    double x[SIZES], one[SIZES], plain[SIZES];
    char quantity[128];
    for (int i = 0; i < SIZES; i++) {
        seen cut, alone;
        ash_status status = run("tree", "bender-schmitt-2006", sizes[i], 1e-6, STEPS, &cut, diagnostic);
        if (status == ASH_OK)
            status = run("tree", "bender-schmitt-2006 plain-rounds=on", sizes[i], 1e-6, STEPS, &alone, diagnostic);
        if (status != ASH_OK)
            return status;
        x[i] = sizes[i];
        one[i] = cut.operations;
        plain[i] = alone.operations;
    }
    double most = ashi_fitted_order(x, times, SIZES);
    snprintf(quantity, sizeof quantity, "exponent of work over bodies, 31 to 255, whole steps (paper's times: %.2f)",
             most);
    ashi_validation_below(v, quantity, "Bender & Schmitt 2006, table 3", ashi_fitted_order(x, one, SIZES), most);
    snprintf(quantity, sizeof quantity, "exponent of work over bodies, 31 to 255, plain rounds (paper's times: %.2f)",
             most);
    ashi_validation_below(v, quantity, "Bender & Schmitt 2006, table 3", ashi_fitted_order(x, plain, SIZES), most);
    return ASH_OK;
}

enum { COUNTS = 6 };
static const uint32_t counts[COUNTS] = {127, 255, 511, 1023, 2047, 4095};

/* Far beyond the paper's sizes. A solve is linear in the bodies. What one bar carries grows with those that hang on it,
 * the rate of its swings with the root of that, and so do the parts of a step that follow them: the power 3/2 of the
 * bodies for a whole step. The paper's own rounds do not follow swings: their number grows slowly. */
static ash_status validate_growth(ashi_validation *v, ash_diagnostic *diagnostic)
{
    double x[COUNTS], work[COUNTS], part[COUNTS], plain[COUNTS], round[COUNTS];
    char quantity[96];
    for (int i = 0; i < COUNTS && !v->stopped; i++) {
        seen one, alone;
        ash_status status = run("tree", "bender-schmitt-2006", counts[i], 1e-6, STEPS, &one, diagnostic);
        if (status == ASH_OK)
            status = run("tree", "bender-schmitt-2006 plain-rounds=on", counts[i], 1e-6, STEPS, &alone, diagnostic);
        if (status != ASH_OK)
            return status;
        plain[i] = alone.operations;
        round[i] = alone.operations / alone.joint_corrections;
        snprintf(quantity, sizeof quantity, "tree of %u, plain rounds: largest joint error, m", counts[i]);
        ashi_validation_below(v, quantity, paper, alone.error, 1e-6);
        ashi_validation_point(v, "Bender & Schmitt 2006, 4.5, corrections", "plain rounds", counts[i],
                              i == 0 ? 2 : (double)NAN, alone.joint_corrections);
        x[i] = counts[i];
        work[i] = one.operations;
        part[i] = one.operations / one.parts;
        ashi_validation_point(v, "Bender & Schmitt 2006, 4.5, work", "a step", counts[i], NAN, one.operations);
        ashi_validation_point(v, "Bender & Schmitt 2006, 4.5, work", "a part of a step", counts[i], NAN, part[i]);
        ashi_validation_point(v, "Bender & Schmitt 2006, 4.5, work", "a plain round", counts[i], NAN, round[i]);
    }
    ashi_validation_below(v, "work of 255 over work of 127 (paper: 3.2 in time)", paper, work[1] / work[0], 2.2);
    ashi_validation_below(v, "exponent of work over bodies, 127 to 4095, a part of a step (linear: 1)", "linear time",
                          ashi_fitted_order(x, part, COUNTS), 1.1);
    ashi_validation_below(v, "exponent of work over bodies, 127 to 4095, a plain round (linear: 1)", "linear time",
                          ashi_fitted_order(x, round, COUNTS), 1.1);
    ashi_validation_below(v, "exponent of work over bodies, 127 to 4095, whole steps that follow every swing (3/2)",
                          "exact", ashi_fitted_order(x, work, COUNTS), 1.6);
    ashi_validation_report(v, "exponent of work over bodies, 127 to 4095, whole steps by plain rounds", "linear time",
                           1, ashi_fitted_order(x, plain, COUNTS));
    return ASH_OK;
}

ash_status ashi_tree_validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_table_1(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_tables_2_3(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_paper_growth(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_growth(validation, diagnostic);
    return status;
}

/* ---- the star ---- */

ash_status ashi_star_validate(ashi_validation *v, ash_diagnostic *diagnostic)
{
    seen one, by_one;
    ash_status status = run("star", "bender-schmitt-2006", 127, 1e-4, LONGEST, &one, diagnostic);
    if (status == ASH_OK)
        status = run("star", "bender-iterative", 127, 1e-4, STEPS, &by_one, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_below(v, "star of 127, 1e-4: largest joint error of any step, m, one system", paper, one.error,
                          1e-4);
    ashi_validation_below(v, "star of 127, 1e-4: largest joint error of any step, m, joint by joint", paper,
                          by_one.error, 1e-4);
    ashi_validation_report(v, "star of 127, 1e-4: time of a step, ms, one system", paper, NAN, one.milliseconds);
    ashi_validation_report(v, "star of 127, 1e-4: time of a step, ms, joint by joint", paper, NAN, by_one.milliseconds);
    ashi_validation_report(v, "star of 127, 1e-4: corrections a step, joint by joint", paper, NAN,
                           by_one.joint_corrections + by_one.velocity_corrections);
    ashi_validation_above(
        v, "star of 127, 1e-4: work joint by joint over that of one system (paper: 80 in time), at a torque for it",
        paper, by_one.operations / one.operations, 80);
    ashi_validation_report(v, "star of 127, 1e-4: the same in time, here and now", paper, 80,
                           by_one.milliseconds / one.milliseconds);
    return ASH_OK;
}
