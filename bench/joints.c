/* The direct solver of joints: what a factor and a solution of trees, chains, stars, ladders and grids cost, in
 * microseconds of one core, beside CHOLMOD's, with the exponent of the growth.
 *
 * Ours goes from the problem to the factor and solves until the residual is rounding. CHOLMOD's has its matrix given
 * and its symbolic phase done, and solves once; the best of three ways (bench/cholmod_rival.h) is compared. */
#include "bench.h"

#include "base/diagnostic.h"
#ifdef BENCH_CHOLMOD
#include "cholmod_rival.h"
#endif
#include "experiments/analysis.h"
#include "experiments/problem_maker.h"
#include "problem/problem.h"
#include "solve/direct/direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 8, LEAST_REPEATS = 15, MOST_ENTRIES = 4000000 };
static const uint32_t sizes[SIZES] = {31, 63, 127, 255, 511, 1023, 2047, 4095};
static const double enough = 0.05; /* s of repeats */

typedef enum graph { TREE, CHAIN, STAR, LADDER, GRID, GRAPHS } graph;
static const char *const graph_names[GRAPHS] = {"tree", "chain", "star", "ladder", "grid"};

/* Body i's partner towards the root: a binary tree, a row, a hub, two rows, many rows. */
static uint32_t parent_of(graph shape, uint32_t width, uint32_t i)
{
    switch (shape) {
    case TREE:
        return (i - 1) / 2;
    case CHAIN:
        return i - 1;
    case STAR:
        return 0;
    case LADDER:
        return i < 2 ? 0 : i - 2;
    default:
        return i < width ? i - 1 : i - width;
    }
}

static ash_vec3 place_of(graph shape, uint32_t width, uint32_t i)
{
    double level = floor(log2(i + 1.0)), in_level = i + 1 - exp2(level);
    switch (shape) {
    case TREE:
        return (ash_vec3){(in_level + 0.5) * exp2(-level) * 20, level, 0.3 * sin(i)};
    case STAR:
        return (ash_vec3){(i > 0) * cos(2.4 * i), (i > 0) * sin(2.4 * i), 0.1 * cos(i)};
    case LADDER:
        return (ash_vec3){i / 2, i % 2, 0.3 * sin(i)};
    case GRID:
        return (ash_vec3){i % width, i / width, 0.3 * sin(i)};
    default:
        return (ash_vec3){i, 0.3 * sin(i), 0.3 * cos(i)};
    }
}

/* A point held in three directions, or, where loops close, in one: more would leave nothing to move. */
static void add_joint(ashi_problem_maker *maker, uint32_t a, uint32_t b, ash_vec3 point, int rows)
{
    static const ash_vec3 axes[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    ashi_make_rows(maker, a, b);
    for (int i = 0; i < rows; ++i) {
        ash_problem_row *row = ashi_make_force_row(maker, point, axes[i]);
        row->lower = -HUGE_VAL;
        row->upper = HUGE_VAL;
    }
}

/* All hang in the air: the first body is joined to none that is immovable. */
static bool make_problem(graph shape, uint32_t bodies, ash_problem *problem)
{
    ashi_problem_maker maker = ashi_make_begin(problem, 0.01, (ash_vec3){0, 0, -9.81});
    uint32_t width = (uint32_t)sqrt(bodies);
    for (uint32_t i = 0; i < bodies; ++i) {
        ash_vec3 place = place_of(shape, width, i);
        uint32_t body = ashi_make_box(&maker, place, (ash_vec3){0.4, 0.5, 0.6}, 1 + 0.5 * sin(3.0 * i));
        if (i == 0)
            continue;
        uint32_t parent = parent_of(shape, width, i);
        ash_vec3 other = place_of(shape, width, parent);
        ash_vec3 point = {(place.x + other.x) / 2, (place.y + other.y) / 2, (place.z + other.z) / 2 + 0.2};
        add_joint(&maker, parent, body, point, 3);
        bool rung = shape == LADDER && i % 2 == 1 && i > 2, mesh = shape == GRID && i > width && i % width > 0;
        if (rung || mesh)
            add_joint(&maker, i - 1, body, point, 1);
    }
    return ashi_make_end(&maker);
}

/* ---- times ---- */

typedef struct timing {
    double factor, solve; /* s, the best of the repeats; not a number: not done */
    double error;         /* of impulses, relative to ours */
} timing;

typedef struct contender {
    const ashi_system *problem;
    double *wanted, *impulse;
    ashi_direct *direct;
#ifdef BENCH_CHOLMOD
    bench_cholmod *cholmod; /* null: ours */
#endif
} contender;

static bool factor_once(contender *c)
{
#ifdef BENCH_CHOLMOD
    if (c->cholmod)
        return bench_cholmod_factor(c->cholmod);
#endif
    return ashi_direct_factor(c->direct, c->problem, NULL);
}

static bool solve_once(contender *c)
{
#ifdef BENCH_CHOLMOD
    if (c->cholmod)
        return bench_cholmod_solve(c->cholmod, c->wanted, c->impulse);
#endif
    return isfinite(ashi_direct_solve(c->direct, c->wanted, c->impulse, NULL));
}

/* The fastest of some calls after a warm one. */
static double time_calls(contender *c, bool (*once)(contender *))
{
    double best = HUGE_VAL, spent = 0;
    if (!once(c))
        return (double)NAN;
    for (int i = 0; i < LEAST_REPEATS || spent < enough; ++i) {
        double start = bench_processor_seconds();
        bool good = once(c);
        double seconds = bench_processor_seconds() - start;
        if (!good)
            return (double)NAN;
        if (seconds > 0) /* a clock that stood still, as some virtual machines' do at times, has measured nothing */
            best = fmin(best, seconds);
        spent += seconds;
    }
    return best;
}

static timing time_contender(contender *c, const double *expected)
{
    timing taken = {.factor = time_calls(c, factor_once)};
    taken.solve = isnan(taken.factor) ? (double)NAN : time_calls(c, solve_once);
    double size = 0;
    for (uint32_t i = 0; expected && i < c->problem->row_count; ++i) {
        taken.error = fmax(taken.error, fabs(c->impulse[i] - expected[i]));
        size = fmax(size, fabs(expected[i]));
    }
    taken.error = size > 0 ? taken.error / size : 0;
    return taken;
}

#ifdef BENCH_CHOLMOD
static timing time_cholmod(contender c, bench_cholmod_way way, const double *expected)
{
    timing taken = {(double)NAN, (double)NAN, (double)NAN};
    double *impulse = calloc(c.problem->row_count + 1, sizeof *impulse);
    c.cholmod = bench_cholmod_create(c.problem, way, MOST_ENTRIES);
    c.impulse = impulse;
    if (c.cholmod && impulse)
        taken = time_contender(&c, expected);
    bench_cholmod_destroy(c.cholmod);
    free(impulse);
    return taken;
}
#endif

/* ---- rows ---- */

static json_t *number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

static void add_rivals(json_t *row, const contender *c, const timing *ours)
{
#ifdef BENCH_CHOLMOD
    static const char *const names[BENCH_CHOLMOD_WAYS][2] = {
        {"CHOLMOD whole: factor", "solve "}, {"simplicial: factor", "solve  "}, {"supernodal: factor", "solve   "}};
    double best = HUGE_VAL, error = HUGE_VAL;
    for (int way = 0; way < BENCH_CHOLMOD_WAYS; ++way) {
        timing taken = time_cholmod(*c, (bench_cholmod_way)way, c->impulse);
        json_object_set_new(row, names[way][0], number_or_null(1e6 * taken.factor));
        json_object_set_new(row, names[way][1], number_or_null(1e6 * taken.solve));
        if (taken.factor + taken.solve < best)
            best = taken.factor + taken.solve;
        error = fmin(error, isnan(taken.error) ? HUGE_VAL : taken.error);
    }
    json_object_set_new(row, "best of CHOLMOD / ours", number_or_null(best / (ours->factor + ours->solve)));
    json_object_set_new(row, "difference", number_or_null(error));
#else
    (void)row, (void)c, (void)ours;
#endif
}

static json_t *measure_problem(graph shape, const ashi_system *problem, timing *ours)
{
    contender c = {.problem = problem, .direct = ashi_direct_create()};
    c.wanted = calloc(problem->row_count + 1, sizeof *c.wanted);
    c.impulse = calloc(problem->row_count + 1, sizeof *c.impulse);
    json_t *row = NULL;
    if (c.direct && c.wanted && c.impulse) {
        for (uint32_t i = 0; i < problem->row_count; ++i)
            c.wanted[i] = cos(1.7 * i);
        *ours = time_contender(&c, NULL);
        row = json_pack("{s:s, s:I, s:I, s:f, s:f}", "graph", graph_names[shape], "bodies",
                        (json_int_t)problem->body_count, "rows", (json_int_t)problem->row_count, "factor",
                        1e6 * ours->factor, "solve", 1e6 * ours->solve);
        if (row)
            add_rivals(row, &c, ours);
    }
    free(c.impulse);
    free(c.wanted);
    ashi_direct_destroy(c.direct);
    return row;
}

static ash_status measure_graph(graph shape, uint32_t most, json_t *rows, ash_diagnostic *diagnostic)
{
    double bodies[SIZES], factors[SIZES], solves[SIZES];
    uint32_t count = 0;
    for (int i = 0; i < SIZES && (sizes[i] <= most || i == 0); ++i) {
        ash_problem problem = {0};
        ashi_system system = {0};
        timing ours;
        bool made = make_problem(shape, sizes[i], &problem) && ashi_system_of(&system, &problem);
        json_t *row = made ? measure_problem(shape, &system, &ours) : NULL;
        ashi_system_release(&system);
        ash_problem_release(&problem);
        if (!row)
            return ashi_out_of_memory(diagnostic);
        bool last = i + 1 == SIZES || sizes[i + 1] > most;
        bodies[count] = sizes[i];
        factors[count] = ours.factor;
        solves[count++] = ours.solve;
        double before = count > 1 ? factors[count - 2] + solves[count - 2] : (double)NAN;
        json_object_set_new(row, "over half", number_or_null((ours.factor + ours.solve) / before));
        bool fits = last && count > 1;
        json_object_set_new(row, "exponents: factor",
                            fits ? json_real(ashi_fitted_order(bodies, factors, count)) : json_null());
        json_object_set_new(row, "solve    ", fits ? json_real(ashi_fitted_order(bodies, solves, count)) : json_null());
        if (json_array_append_new(rows, row) != 0)
            return ashi_out_of_memory(diagnostic);
    }
    return ASH_OK;
}

json_t *bench_joints(uint32_t most, ash_diagnostic *diagnostic)
{
    json_t *rows = json_array();
    ash_status status = rows ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (int shape = 0; shape < GRAPHS && status == ASH_OK; ++shape)
        status = measure_graph((graph)shape, most, rows, diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
