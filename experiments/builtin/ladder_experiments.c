/* Faure's table of costs beside ours: chains and ladders solved by `structured` and its rivals, over the a rows of the
 * tree and the l rows of loops; and how the error of joints follows the accuracy that is asked for.
 *
 * Times are the least of several, of processor time, and reported only; exponents and ratios are those of counted
 * multiplications and of counted bytes, the same on every machine. */
#include "base/alloc.h"
#include "base/diagnostic.h"
#include "base/random.h"
#include "experiments/analysis.h"
#include "experiments/builtin/ladder.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { WAYS = 5, SIZES = 4, MOST_RUNS = 20, MOST_TURNS = 40 };
static const double solve_tolerance = 1e-10, agreement = 1e-8; /* m/s */
static const double long_enough = 0.05;                        /* s in all */
static const char *const paper = "Faure, table of costs";
static const char *const trade = "Faure, accuracy for time";

static const struct {
    const char *name, *cost, *space; /* by the paper */
    double order, space_order;       /* of both in a, l being small */
    ash_solver solver;
} ways[WAYS] = {{"full dense", "(a + l)^3", "a^2 + a l + l^2", 3, 2, ASH_SOLVER_FULL_DENSE},
                {"full iterative", "a^2 + a l + l^2", "a + l", 2, 1, ASH_SOLVER_FULL_ITERATIVE},
                {"structured dense", "a + a l + l^3", "a + l + l^2", 1, 1, ASH_SOLVER_STRUCTURED_DENSE},
                {"structured", "a + a l + l^2", "a + l", 1, 1, ASH_SOLVER_STRUCTURED},
                {"biconjugate", "a + a l + l^2", "a + l", 1, 1, ASH_SOLVER_BICONJUGATE}};
enum { DENSE = 0, STRUCTURED_DENSE = 2, OURS = 3 }; /* and those after it: the paper's method */

/* What the ways make of one problem. */
typedef struct measurement {
    uint32_t acyclic, loops;   /* rows: a and l */
    double milliseconds[WAYS]; /* of a solve */
    double operations[WAYS];   /* the same in multiplications */
    double memory[WAYS];       /* bytes that it worked in */
    double disagreement;       /* largest between velocities by any way and by the dense one, m/s or rad/s */
} measurement;

/* Rows of a spanning forest of the joints, and of those that close loops. Immovable bodies are one: the first. */
static bool count_rows(const ash_problem *p, uint32_t *acyclic, uint32_t *loops)
{
    uint32_t *root = ashi_alloc_array(p->body_count, sizeof *root);
    *acyclic = *loops = 0;
    for (uint32_t i = 0; i < p->body_count && root != NULL; i++)
        root[i] = i < p->fixed_count ? 0 : i;
    for (uint32_t k = 0; k < p->block_count && root != NULL; k++) {
        uint32_t a = root[p->blocks[k].body_a], b = root[p->blocks[k].body_b];
        *(a != b ? acyclic : loops) += p->blocks[k].row_count;
        for (uint32_t i = 0; i < p->body_count && a != b; i++)
            root[i] = root[i] == b ? a : root[i];
    }
    ashi_dealloc(root);
    return root != NULL;
}

/* A way's solution from nothing; `velocity` by body. */
static ash_status solve_by(const ash_problem *problem, ash_solver solver, ash_solve_result *result,
                           ash_motion *velocity, ash_diagnostic *diagnostic)
{
    ash_problem own = {0};
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.iterations = MOST_TURNS * problem->row_count;
    settings.tolerance = solve_tolerance;
    settings.warm_start = false;
    ash_status status = ash_problem_copy(&own, problem, diagnostic);
    if (status == ASH_OK)
        status = ash_problem_solve(&own, &settings, 1, NULL, result, diagnostic);
    for (uint32_t i = 0; i < problem->body_count && status == ASH_OK; i++)
        velocity[i] = own.velocity[i];
    ash_problem_release(&own);
    return status;
}

static ash_status time_way(const ash_problem *problem, int way, ash_motion *velocity, measurement *m,
                           ash_diagnostic *diagnostic)
{
    double all = 0;
    ash_solve_result result;
    m->milliseconds[way] = INFINITY;
    for (int run = 0; run < MOST_RUNS && all < long_enough; run++) {
        clock_t start = clock();
        ash_status status = solve_by(problem, ways[way].solver, &result, velocity, diagnostic);
        if (status != ASH_OK)
            return status;
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        m->milliseconds[way] = fmin(m->milliseconds[way], 1000 * seconds);
        all += seconds;
    }
    m->operations[way] = (double)result.operations;
    m->memory[way] = (double)result.memory;
    if (!(result.flags & ASH_SOLVE_CONVERGED) || (result.flags & ASH_SOLVE_REPLACED))
        m->disagreement = INFINITY;
    return ASH_OK;
}

static double distance(const ash_problem *problem, const ash_motion *a, const ash_motion *b)
{
    double most = 0;
    for (uint32_t i = 0; i < problem->body_count; i++)
        most = fmax(most, fmax(v3_norm(v3_sub(a[i].linear, b[i].linear)), v3_norm(v3_sub(a[i].angular, b[i].angular))));
    return most;
}

static ash_status measure_problem(const ash_problem *problem, measurement *m, ash_diagnostic *diagnostic)
{
    ash_motion *velocity = ashi_alloc_array(2 * (size_t)problem->body_count, sizeof *velocity);
    bool good = velocity != NULL && count_rows(problem, &m->acyclic, &m->loops);
    ash_status status = good ? ASH_OK : ashi_out_of_memory(diagnostic);
    m->disagreement = 0;
    for (int way = 0; way < WAYS && status == ASH_OK; way++) {
        ash_motion *own = velocity + (way == DENSE ? 0 : problem->body_count);
        status = time_way(problem, way, own, m, diagnostic);
        if (status == ASH_OK && way != DENSE)
            m->disagreement = fmax(m->disagreement, distance(problem, velocity, own));
    }
    ashi_dealloc(velocity);
    return status;
}

/* Bodies that move anyhow: a ladder at rest would ask for little, both sides being alike. */
static void shake(ash_problem *problem)
{
    ashi_random random = {1};
    for (uint32_t i = problem->fixed_count; i < problem->body_count; i++) {
        double numbers[6];
        for (int k = 0; k < 6; k++)
            numbers[k] = ashi_random_range(&random, -1, 1);
        problem->bodies[i].velocity = v3(numbers[0], numbers[1], numbers[2]);
        problem->bodies[i].spin = v3(numbers[3], numbers[4], numbers[5]);
    }
}

/* The problem of all joints in the first step of a scene, without contacts and stabilization, from any velocities. */
static ash_status measure(const char *scene, const char *size, measurement *m, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_problem problem = {0};
    ash_status status = ashi_experiment_open(&experiment, diagnostic, scene,
                                             "method=faure joints=velocity stabilization=none %s", size);
    if (status != ASH_OK)
        return status;
    status = ash_world_next_problem(experiment.world, experiment.scene->step, &problem);
    if (status == ASH_OK)
        shake(&problem);
    if (status == ASH_OK)
        status = measure_problem(&problem, m, diagnostic);
    ash_problem_release(&problem);
    ashi_experiment_close(&experiment);
    return status;
}

/* ---- rows ---- */

/* The points of six figures: time, work and memory of a solve, over a for the chain and over l for the ladder. */
static void draw_costs(ashi_validation *v, const char *scene, const measurement *m, bool over_loops)
{
    static const char *const names[] = {"time", "work", "space"};
    char quantity[120], figure[64];
    for (int way = 0; way < WAYS; way++) {
        const double costs[] = {m->milliseconds[way], m->operations[way], 1e-3 * m->memory[way]};
        for (int k = 0; k < 3; k++) {
            snprintf(figure, sizeof figure, "Faure, efficiency, %s, %s", names[k], scene);
            ashi_validation_point(v, figure, ways[way].name, over_loops ? m->loops : m->acyclic, NAN, costs[k]);
        }
    }
    snprintf(quantity, sizeof quantity, "%s, a = %u, l = %u: velocities by all ways agree, m/s", scene, m->acyclic,
             m->loops);
    ashi_validation_below(v, quantity, "all solve the same", m->disagreement, agreement);
}

/* What costs grow with: for ways without a forest all rows are alike. */
static const char *name_of_rows(int way, bool over_loops)
{
    return over_loops ? "l" : way < STRUCTURED_DENSE ? "a + l" : "a";
}

/* Exponents of work over a, a + l or l. */
static void report_work(ashi_validation *v, const char *scene, int way, const double x[SIZES], const measurement *m,
                        bool over_loops)
{
    char quantity[120];
    double work[SIZES];
    for (int i = 0; i < SIZES; i++)
        work[i] = m[i].operations[way];
    double order = ashi_fitted_order(x, work, SIZES);
    snprintf(quantity, sizeof quantity, "%s: exponent of work over %s, %s (paper: %s)", scene,
             name_of_rows(way, over_loops), ways[way].name, ways[way].cost);
    if (way >= OURS)
        ashi_validation_below(v, quantity, paper, order, over_loops ? 2 : 1.1);
    else if (over_loops) /* a is many times l: the terms of a alone hide those of l */
        ashi_validation_report(v, quantity, paper, NAN, order);
    else
        ashi_validation_near(v, quantity, paper, ways[way].order, order, 0.25);
}

/* The same of memory. Over l, only what a matrix adds is in question: a is many times l, and all else grows with it. */
static void report_space(ashi_validation *v, const char *scene, int way, const double x[SIZES], const measurement *m,
                         bool over_loops)
{
    char quantity[120];
    double space[SIZES];
    bool matrix = over_loops && way == STRUCTURED_DENSE;
    for (int i = 0; i < SIZES; i++)
        space[i] = m[i].memory[way] - (matrix ? m[i].memory[OURS] : 0);
    double order = ashi_fitted_order(x, space, SIZES);
    snprintf(quantity, sizeof quantity, "%s: exponent of memory over %s, %s%s (paper: %s)", scene,
             name_of_rows(way, over_loops), ways[way].name, matrix ? " beyond structured" : "", ways[way].space);
    if (over_loops && way < STRUCTURED_DENSE)
        ashi_validation_report(v, quantity, paper, NAN, order);
    else if (over_loops && !matrix)
        ashi_validation_below(v, quantity, paper, order, 1.1);
    else
        ashi_validation_near(v, quantity, paper, matrix ? 2 : ways[way].space_order, order, 0.25);
}

/* Exponents, and how much less ours is at the largest. */
static void report_growth(ashi_validation *v, const char *scene, const measurement *m, bool over_loops)
{
    char quantity[120];
    double x[SIZES];
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < SIZES; i++)
            x[i] = over_loops ? m[i].loops : m[i].acyclic + (way < STRUCTURED_DENSE ? m[i].loops : 0);
        report_work(v, scene, way, x, m, over_loops);
        report_space(v, scene, way, x, m, over_loops);
    }
    snprintf(quantity, sizeof quantity, "%s, largest: work of full dense over that of structured", scene);
    ashi_validation_above(v, quantity, paper, m[SIZES - 1].operations[DENSE] / m[SIZES - 1].operations[OURS], 1);
}

static ash_status measure_sizes(ashi_validation *v, const char *scene, const char *const sizes[SIZES], bool over_loops,
                                ash_diagnostic *diagnostic)
{
    measurement m[SIZES];
    for (int i = 0; i < SIZES; i++) {
        ash_status status = measure(scene, sizes[i], &m[i], diagnostic);
        if (status != ASH_OK || v->stopped)
            return status;
        draw_costs(v, scene, &m[i], over_loops);
    }
    report_growth(v, scene, m, over_loops);
    return ASH_OK;
}

ash_status ashi_chain_validate(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const char *const sizes[SIZES] = {"n=50", "n=100", "n=200", "n=400"};
    ash_status status = ashi_validate_checks(v, "Faure", diagnostic);
    if (status == ASH_OK && !v->stopped)
        status = ashi_drift_validate(v, diagnostic);
    return status == ASH_OK && !v->stopped ? measure_sizes(v, "chain", sizes, false, diagnostic) : status;
}

ash_status ashi_ladder_validate(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const char *const longer[SIZES] = {"n=30 loops=5", "n=60 loops=5", "n=120 loops=5", "n=240 loops=5"};
    static const char *const denser[SIZES] = {"n=160 loops=20", "n=160 loops=40", "n=160 loops=80", "n=160 loops=160"};
    ash_status status = ashi_validate_checks(v, "Faure", diagnostic);
    if (status == ASH_OK && !v->stopped)
        status = measure_sizes(v, "ladder", longer, false, diagnostic);
    return status == ASH_OK && !v->stopped ? measure_sizes(v, "ladder", denser, true, diagnostic) : status;
}

/* ---- accuracy ---- */

typedef struct course {
    double error, milliseconds, operations; /* the largest of any step; of all steps, in means */
    clock_t clock;
    uint32_t steps;
} course;

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    course *c = data;
    ash_step_report report = ash_world_get_report(world);
    if (step > 0) {
        c->milliseconds += 1000.0 * (double)(clock() - c->clock) / CLOCKS_PER_SEC;
        c->operations += (double)report.operations;
        c->error = fmax(c->error, report.joint_error);
        c->steps = step;
    }
    c->clock = clock();
    return true;
}

static ash_status follow(double accuracy, double budget, uint32_t turns, course *c, ash_diagnostic *diagnostic)
{
    enum { STEPS = 100 };
    ashi_experiment experiment;
    *c = (course){0};
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "refine", "accuracy=%g budget=%g iterations=%u",
                                             accuracy, budget, turns);
    if (status != ASH_OK)
        return status;
    status = ashi_experiment_run(&experiment, experiment.scene->step, STEPS, observe, c, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    c->milliseconds /= fmax(c->steps, 1);
    c->operations /= fmax(c->steps, 1);
    if (c->steps < STEPS)
        c->error = INFINITY;
    return status;
}

/* Conjugate gradients that stop after a number of turns, or after a time, which leaves one turn at least. */
static ash_status refine_by_work(ashi_validation *v, ash_diagnostic *diagnostic)
{
    enum { LIMITS = 3, BUDGETS = 3 };
    static const uint32_t turns[LIMITS] = {1, 3, 10};
    static const double budgets[BUDGETS] = {1e-6, 1e-4, 1e-2};
    char quantity[120];
    double first = 0, before = 0, little = 0;
    course c;
    for (int i = 0; i < LIMITS && !v->stopped; i++) {
        ash_status status = follow(1e-9, 0, turns[i], &c, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "%u turns a solve: largest joint error of any step, m", turns[i]);
        ashi_validation_below(v, quantity, "within a millimetre", c.error, 1e-3);
        if (i > 0) {
            snprintf(quantity, sizeof quantity, "%u turns a solve: error over that of %u", turns[i], turns[i - 1]);
            ashi_validation_below(v, quantity, "Faure: more work, less error", c.error / before, 0.5);
        }
        ashi_validation_point(v, trade, "turns", c.error, NAN, c.milliseconds);
        first = i == 0 ? c.error : first;
        little = i == 0 ? c.operations : little;
        before = c.error;
    }
    ashi_validation_below(v, "1 turn a solve: multiplications of a step over those of 10", "Faure: less work",
                          little / c.operations, 1);
    for (int i = 0; i < BUDGETS && !v->stopped; i++) {
        ash_status status = follow(1e-9, budgets[i], 1000, &c, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "budget %g s: largest joint error of any step, m", budgets[i]);
        ashi_validation_below(v, quantity, "no more than twice that of one turn", c.error, 2 * first);
        ashi_validation_point(v, trade, "budget", c.error, NAN, c.milliseconds);
    }
    return ASH_OK;
}

ash_status ashi_refine_validate(ashi_validation *v, ash_diagnostic *diagnostic)
{
    enum { ACCURACIES = 4 };
    static const double accuracies[ACCURACIES] = {1e-3, 1e-5, 1e-7, 1e-9};
    char quantity[120];
    double before = INFINITY, little = 0;
    course c = {0};
    for (int i = 0; i < ACCURACIES && !v->stopped; i++) {
        ash_status status = follow(accuracies[i], 0, 1000, &c, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "accuracy %g: largest joint error of any step, m", accuracies[i]);
        ashi_validation_below(v, quantity, "what was asked for", c.error, accuracies[i]);
        if (i > 0) {
            snprintf(quantity, sizeof quantity, "accuracy %g: error over that at %g", accuracies[i], accuracies[i - 1]);
            ashi_validation_below(v, quantity, "it falls", c.error / before, 0.5);
        }
        ashi_validation_point(v, trade, "accuracy", c.error, NAN, c.milliseconds);
        before = c.error;
        little = i == 0 ? c.operations : little;
    }
    ashi_validation_below(v, "accuracy 0.001: multiplications of a step over those at 1e-09", "Faure: less work",
                          little / c.operations, 1);
    return refine_by_work(v, diagnostic);
}
