/* What a contact costs in one sweep of Gauss-Seidel, beside Bullet's sequential impulses on the same contacts.
 *
 * A pyramid of boxes at rest, cold: with few and with many iterations, whose difference is the sweeps; the rest is what
 * is made ready before and, with ours, the yardstick after. Processor time, the least of the repeats, ours and Bullet's
 * by turns. The yardstick after the many iterations shows that all have solved the same problem. Bullet computes in
 * single precision. */
#include "bench.h"

#include "base/diagnostic.h"
#include "experiments/problem_maker.h"
#include "problem/problem.h"
#include "solve/solve.h"
#ifdef BENCH_BULLET
#include "bullet_solve.h"
#endif

#include <math.h>

enum { FEW = 10, MANY = 60, REPEATS = 5 };

typedef struct way {
    const char *name;
    bool bullet;
    bool by_rows;        /* ours */
    bool two_directions; /* Bullet's */
} way;

static const way ways[] = {
    {"pgs", false, false, false},
    {"pgs, by rows", false, true, false},
#ifdef BENCH_BULLET
    {"Bullet, two directions", true, false, true},
    {"Bullet, one direction", true, false, false},
#endif
};
enum { WAYS = sizeof ways / sizeof *ways };

/* A pyramid whose lowest row has so many unit cubes; a box rests on two with four points each. */
static bool make_contacts(ash_problem *problem, uint32_t width)
{
    const ashi_surface_law surface = {.friction = 0.5, .sliding_friction = 0.5};
    ashi_problem_maker maker = ashi_make_begin(problem, 1.0 / 60, v3(0, 0, -9.81));
    uint32_t ground = ashi_make_body(&maker, v3(0, 0, 0), 0, v3(0, 0, 0)), below = 0;
    for (uint32_t row = 0; row < width; row++) {
        uint32_t first = 0;
        for (uint32_t i = 0; i + row < width; i++) {
            ash_vec3 place = v3(i + 0.5 * row, 0, row + 0.5);
            uint32_t box = ashi_make_box(&maker, place, v3(1, 1, 1), 1);
            first = i == 0 ? box : first;
            for (uint32_t k = 0; k < (row == 0 ? 4u : 8u); k++) {
                double side = row == 0 ? (k & 1 ? 0.5 : -0.5) : k & 4 ? (k & 1 ? 0.5 : 0) : (k & 1 ? 0 : -0.5);
                ash_vec3 point = v3(place.x + side, k & 2 ? 0.5 : -0.5, row);
                ashi_make_contact(&maker, row == 0 ? ground : below + i + (k & 4 ? 1 : 0), box, point, v3(0, 0, 1),
                                  &surface);
            }
        }
        below = first;
    }
    return ashi_make_end(&maker);
}

/* Its contacts by their rows, as sweeps take them. */
static bool make_pyramid(ashi_system *problem, uint32_t width)
{
    ash_problem made = {0};
    bool good = make_contacts(&made, width) && ashi_system_by_rows(problem, &made);
    ash_problem_release(&made);
    return good;
}

typedef struct subject {
    ashi_system problem;
    ashi_solver_memory *memory;
#ifdef BENCH_BULLET
    bullet_solve *bullet;
#endif
    double few[WAYS], many[WAYS]; /* s, the least */
    double residual[WAYS];
} subject;

static void release(subject *s)
{
    ashi_system_release(&s->problem);
    ashi_solver_memory_destroy(s->memory);
#ifdef BENCH_BULLET
    bullet_solve_destroy(s->bullet);
#endif
}

static bool prepare(subject *s, uint32_t width)
{
    *s = (subject){.memory = ashi_solver_memory_create()};
    for (int i = 0; i < WAYS; i++)
        s->few[i] = s->many[i] = INFINITY;
    if (!s->memory || !make_pyramid(&s->problem, width))
        return false;
#ifdef BENCH_BULLET
    s->bullet = bullet_solve_create(&s->problem);
    return s->bullet != NULL;
#else
    return true;
#endif
}

#ifdef BENCH_BULLET
/* Our yardstick on Bullet's impulses, by a solve without iterations. */
static bool judge_bullet(subject *s, int number)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    ash_solve_result result;
    settings.iterations = 0;
    bullet_solve_take_impulses(s->bullet, &s->problem);
    if (!ashi_solve_problem(&s->problem, &settings, s->memory, NULL, NULL, &result))
        return false;
    s->residual[number] = result.error.largest;
    return true;
}
#endif

static bool run(subject *s, int number, uint32_t iterations, double *least)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    settings.iterations = iterations;
    settings.tolerance = 0;
    settings.warm_start = false;
    settings.by_rows = ways[number].by_rows;
    double started = bench_processor_seconds();
#ifdef BENCH_BULLET
    if (ways[number].bullet) {
        bullet_solve_run(s->bullet, &s->problem, (int)iterations, ways[number].two_directions);
        *least = fmin(*least, bench_processor_seconds() - started);
        return judge_bullet(s, number);
    }
#endif
    ash_solve_result result;
    if (!ashi_solve_problem(&s->problem, &settings, s->memory, NULL, NULL, &result))
        return false;
    *least = fmin(*least, bench_processor_seconds() - started);
    s->residual[number] = result.error.largest;
    return true;
}

static json_t *row_of(const subject *s, int number)
{
    double contacts = s->problem.block_count, sweep = (s->many[number] - s->few[number]) / (MANY - FEW);
    return json_pack("{s:s, s:I, s:f, s:f, s:f}", "solver", ways[number].name, "contacts",
                     (json_int_t)s->problem.block_count, "ns per contact and sweep", sweep * 1e9 / contacts,
                     "ns per contact, the rest", (s->few[number] - FEW * sweep) * 1e9 / contacts, "residual, m/s",
                     s->residual[number]);
}

static bool measure(subject *s, uint32_t width, json_t *rows)
{
    bool good = prepare(s, width);
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (int i = 0; good && i < WAYS; i++)
            good = run(s, i, FEW, &s->few[i]) && run(s, i, MANY, &s->many[i]);
    for (int i = 0; good && i < WAYS; i++)
        good = json_array_append_new(rows, row_of(s, i)) == 0;
    return good;
}

json_t *bench_sweeps(ash_diagnostic *diagnostic)
{
    const uint32_t widths[] = {20, 70};
    json_t *rows = json_array();
    bool good = rows != NULL;
    for (size_t i = 0; good && i < sizeof widths / sizeof *widths; i++) {
        subject s;
        good = measure(&s, widths[i], rows);
        release(&s);
    }
    if (good)
        return rows;
    json_decref(rows);
    ashi_out_of_memory(diagnostic);
    return NULL;
}
