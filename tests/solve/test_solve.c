/* The frame around all solvers, and what holds for each that sweeps: momentum, energy, threads, stops, warm start,
 * numbers that are not finite, static friction that gives way. */
#include "builder.h"

#include "base/alloc.h"
#include "base/tasks.h"

static const ash_solver sweeping[] = {ASH_SOLVER_JACOBI, ASH_SOLVER_PGS,  ASH_SOLVER_SOR,
                                      ASH_SOLVER_NNCG,   ASH_SOLVER_APGD, ASH_SOLVER_DIRECT};
enum { SWEEPING = sizeof sweeping / sizeof *sweeping };

static ash_solver_settings settings_of(ash_solver solver, uint32_t iterations, double tolerance)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.iterations = iterations;
    settings.tolerance = tolerance;
    settings.warm_start = false;
    return settings;
}

static ash_vec3 random_vector(ashi_random *random, double size)
{
    double x = ashi_random_range(random, -size, size), y = ashi_random_range(random, -size, size);
    return v3(x, y, ashi_random_range(random, -size, size));
}

/* Free bodies of random masses around each other, each touching the two before it. */
static builder *random_cluster(ashi_random *random, ash_friction_law law, uint32_t bodies)
{
    builder *b = new_builder(law);
    for (uint32_t i = 0; i < bodies; i++) {
        double mass = ashi_random_range(random, 0.2, 5);
        uint32_t body = add_body(b, mass, 1, random_vector(random, 1), random_vector(random, 2));
        b->problem.bodies[body].spin = random_vector(random, 2);
        b->problem.bodies[body].inverse_inertia =
            s3_rotated(s3_diagonal(3 / mass, 6 / mass, 12 / mass), (ash_quat){0.5, 0.5, 0.1, sqrt(0.49)});
        for (uint32_t k = 1; k <= 2 && k <= i; k++) {
            ash_vec3 middle = v3_scale(v3_add(b->place[body], b->place[body - k]), 0.5);
            ash_vec3 normal = v3_unit(v3_sub(b->place[body], b->place[body - k]));
            add_contact(b, body - k, body, v3_add(middle, random_vector(random, 0.2)), normal, 2,
                        ashi_random_range(random, 0, 1));
        }
    }
    finish(b);
    return b;
}

typedef struct totals {
    ash_vec3 momentum, angular; /* about the origin */
    double energy;
} totals;

/* Sort keeps the order of one island of free bodies, so that places still belong to them. */
static totals totals_of(const builder *b, bool solved)
{
    totals sum = {{0, 0, 0}, {0, 0, 0}, 0};
    for (uint32_t i = 0; i < b->problem.body_count; i++) {
        const ash_problem_body *body = &b->problem.bodies[i];
        ash_vec3 v = solved ? b->problem.velocity[i].linear : body->velocity;
        ash_vec3 w = solved ? b->problem.velocity[i].angular : body->spin;
        ash_vec3 p = v3_scale(v, 1 / body->inverse_mass.x), l = s3_apply(s3_inverse(body->inverse_inertia), w);
        sum.momentum = v3_add(sum.momentum, p);
        sum.angular = v3_add(sum.angular, v3_add(l, v3_cross(b->place[i], p)));
        sum.energy += 0.5 * (v3_dot(v, p) + v3_dot(w, l));
    }
    return sum;
}

/* After few iterations as after many: impulses act on both bodies alike. */
static void momentum_stays(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (int trial = 0; trial < 20; trial++)
        for (int s = 0; s < SWEEPING; s++) {
            builder *b = random_cluster(&random, (ash_friction_law)(trial % 3), 8);
            ash_solver_settings settings = settings_of(sweeping[s], trial % 2 ? 3 : 200, 0);
            settings.by_rows = trial % 4 > 1;
            solve_with(&b->problem, &settings);
            totals before = totals_of(b, false), after = totals_of(b, true);
            assert_below(v3_distance(before.momentum, after.momentum), 1e-13);
            assert_below(v3_distance(before.angular, after.angular), 1e-13);
            free_builder(b);
        }
}

static void friction_adds_no_energy(void **state)
{
    (void)state;
    ashi_random random = {12};
    for (int trial = 0; trial < 40; trial++)
        for (int s = 0; s < SWEEPING; s++)
            for (uint32_t iterations = 1; iterations < 2000; iterations *= 6) {
                builder *b = random_cluster(&random, (ash_friction_law)(trial % 3), 6);
                ash_solver_settings settings = settings_of(sweeping[s], iterations, 0);
                settings.by_rows = trial % 2;
                solve_with(&b->problem, &settings);
                double before = totals_of(b, false).energy, after = totals_of(b, true).energy;
                if (!(after <= before * (1 + 1e-12)))
                    fail_msg("%s, law %d, %u iterations%s: %g J became %g", ash_solver_name(sweeping[s]), trial % 3,
                             iterations, settings.by_rows ? " by rows" : "", before, after);
                free_builder(b);
            }
}

/* Bodies whose axes are not the world's: what sweeps believe of them is what the yardstick sees. */
static void any_inertia_is_taken_as_it_is(void **state)
{
    (void)state;
    ashi_random random = {13};
    for (int trial = 0; trial < 10; trial++)
        for (int s = 0; s < SWEEPING; s++) {
            builder *b = random_cluster(&random, ASH_FRICTION_CONE, 4);
            for (uint32_t k = 0; k < b->problem.block_count; k++)
                b->problem.blocks[k].friction = b->problem.blocks[k].sliding_friction =
                    sweeping[s] == ASH_SOLVER_APGD ? 0 : 0.2;
            ash_solver_settings settings = settings_of(sweeping[s], 20000, 1e-11);
            ash_solve_result result = solve_with(&b->problem, &settings);
            assert_true(result.flags & ASH_SOLVE_CONVERGED);
            assert_below(result.error.largest, 1e-10);
            free_builder(b);
        }
}

/* ---- islands and threads ---- */

/* Towers of different height side by side. */
static builder *towers(uint32_t count)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t below = ground;
        for (uint32_t k = 0; k <= i % 5; k++) {
            uint32_t box = add_body(b, 1 + k, 1, v3(3.0 * i, 0, k + 0.5), v3(0.02 * i, 0.01 * k, -0.1));
            add_face_contacts(b, below, box, 1, 0.4);
            below = box;
        }
    }
    finish(b);
    assert_int_equal(b->problem.island_count, count);
    return b;
}

static void threads_give_the_same_bits(void **state)
{
    (void)state;
    for (int s = 0; s < SWEEPING; s++) {
        ash_motion *first = NULL;
        for (uint32_t threads = 1; threads <= 4; threads++) {
            builder *b = towers(24);
            ash_solver_settings settings = settings_of(sweeping[s], 40, 1e-9);
            ashi_tasks *tasks = ashi_tasks_create(threads, NULL);
            ashi_solver_memory *memory = ashi_solver_memory_create();
            ash_solve_result result;
            assert_true(ashi_solve_problem(&b->problem, &settings, memory, tasks, NULL, &result));
            size_t size = b->problem.body_count * sizeof *first;
            if (first == NULL) {
                assert_non_null(first = malloc(size));
                memcpy(first, b->problem.velocity, size);
            }
            assert_memory_equal(first, b->problem.velocity, size);
            ashi_solver_memory_destroy(memory);
            ashi_tasks_destroy(tasks);
            free_builder(b);
        }
        free(first);
    }
}

/* ---- stops ---- */

static void iterations_tolerance_and_time_stop(void **state)
{
    (void)state;
    for (int s = 0; s < SWEEPING; s++) {
        builder *b = towers(5);
        ash_solver_settings settings = settings_of(sweeping[s], 7, 0);
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_int_equal(result.iterations, 7);
        assert_false(result.flags & (ASH_SOLVE_CONVERGED | ASH_SOLVE_BUDGET));

        settings = settings_of(sweeping[s], 100000, 1e-3);
        result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_true(result.iterations < 100000);
        if (sweeping[s] != ASH_SOLVER_APGD) /* whose tolerance is that of its own problem */
            assert_below(result.error.largest, 1e-3);

        settings = settings_of(sweeping[s], 100000, 0);
        settings.time_budget = 1e-9;
        result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_BUDGET);
        assert_true(result.iterations < 100000);
        for (uint32_t i = 0; i < b->problem.body_count; i++)
            assert_true(v3_is_finite(b->problem.velocity[i].linear));
        free_builder(b);
    }
}

static void a_trace_has_every_iteration(void **state)
{
    (void)state;
    double residual[64], theta[64], seconds[64];
    for (int s = 0; s < SWEEPING; s++) {
        builder *b = towers(1);
        ash_solver_settings settings = settings_of(sweeping[s], 30, 0);
        ash_solve_trace trace = {.capacity = 64, .residual = residual, .theta = theta, .seconds = seconds};
        ashi_solver_memory *memory = ashi_solver_memory_create();
        ash_solve_result result;
        assert_true(ashi_solve_problem(&b->problem, &settings, memory, NULL, &trace, &result));
        assert_int_equal(trace.count, result.iterations + 1);
        assert_true(residual[0] > 0.05); /* 0.1 m/s into the ground */
        assert_below(residual[trace.count - 1], residual[0] / 10);
        assert_below(theta[trace.count - 1], theta[0] / 10);
        for (uint32_t i = 1; i < trace.count; i++)
            assert_true(seconds[i] >= seconds[i - 1]);
        ashi_solver_memory_destroy(memory);
        free_builder(b);
    }
}

/* ---- first guesses ---- */

static void a_solution_is_left_as_it_is(void **state)
{
    (void)state;
    for (int s = 0; s < SWEEPING; s++)
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            builder *b = towers(sweeping[s] == ASH_SOLVER_JACOBI ? 2 : 10); /* it is slow in higher ones */
            ash_solver_settings settings = settings_of(sweeping[s], 100000, 1e-12);
            settings.by_rows = by_rows;
            ash_solve_result result = solve_with(&b->problem, &settings);
            if (!(result.flags & ASH_SOLVE_CONVERGED))
                fail_msg("%s%s: %g after %u", ash_solver_name(sweeping[s]), by_rows ? " by rows" : "",
                         result.error.largest, result.iterations);
            ashi_system before = {0};
            assert_true(ashi_system_copy(&before, &b->problem));
            settings.iterations = 1;
            settings.tolerance = 0;
            settings.warm_start = true;
            solve_with(&b->problem, &settings);
            for (uint32_t i = 0; i < b->problem.body_count; i++)
                assert_below(v3_distance(b->problem.velocity[i].linear, before.velocity[i].linear), 1e-11);
            settings.tolerance = 2e-12;
            assert_int_equal(solve_with(&b->problem, &settings).iterations, 0);
            ashi_system_release(&before);
            free_builder(b);
        }
}

static void numbers_that_are_not_finite(void **state)
{
    (void)state;
    for (int s = 0; s < SWEEPING; s++) {
        ash_solver_settings settings = settings_of(sweeping[s], 50, 1e-9);
        builder *b = towers(4), *same = towers(4);
        settings.warm_start = true;
        solve_with(&same->problem, &settings);
        b->problem.rows[1].impulse = NAN; /* no guess at all, then: as from zero */
        solve_with(&b->problem, &settings);
        assert_memory_equal(b->problem.velocity, same->problem.velocity,
                            b->problem.body_count * sizeof *b->problem.velocity);
        free_builder(same);

        /* A velocity spoils its own island only. */
        const ash_problem_island *last = &b->problem.islands[3];
        b->problem.bodies[last->first_body].velocity.x = (double)INFINITY;
        assert_true(solve_with(&b->problem, &settings).flags & ASH_SOLVE_FAILED);
        for (uint32_t i = 0; i < last->first_body; i++)
            assert_true(v3_is_finite(b->problem.velocity[i].linear));

        /* A row that is not finite: the impulses stay what they were. */
        b->problem.bodies[last->first_body].velocity.x = 0;
        b->problem.rows[b->problem.blocks[last->first_block].first_row].bias = NAN;
        settings.warm_start = false;
        assert_true(solve_with(&b->problem, &settings).flags & ASH_SOLVE_FAILED);
        for (uint32_t i = 0; i < b->problem.body_count; i++)
            assert_true(v3_is_finite(b->problem.velocity[i].linear));
        free_builder(b);
    }
}

/* ---- memory ---- */

/* Every allocation fails in turn: the solve says so, and works again with memory. */
static void memory_that_runs_out(void **state)
{
    (void)state;
    for (int s = 0; s < SWEEPING; s++)
        for (uint64_t k = 1;; k++) {
            builder *b = towers(6);
            b->problem.blocks[0].sliding_friction = 0.1;
            ash_solver_settings settings = settings_of(sweeping[s], 5, 1e-9);
            ash_solve_result result;
            ashi_alloc_fail_at(k, false);
            ashi_solver_memory *memory = ashi_solver_memory_create();
            bool good = memory != NULL && ashi_solve_problem(&b->problem, &settings, memory, NULL, NULL, &result);
            ashi_alloc_fail_at(0, false);
            if (memory != NULL)
                assert_true(ashi_solve_problem(&b->problem, &settings, memory, NULL, NULL, &result));
            assert_true(b->problem.blocks[0].sliding_friction == 0.1);
            ashi_solver_memory_destroy(memory);
            free_builder(b);
            if (good) {
                assert_true(k > 3);
                break;
            }
        }
}

/* The third solve of a kind finds all memory that it needs. */
static void a_warm_solve_does_not_allocate(void **state)
{
    (void)state;
    for (int s = 0; s < SWEEPING; s++) {
        builder *b = towers(20);
        ash_solver_settings settings = settings_of(sweeping[s], 20, 1e-9);
        ashi_solver_memory *memory = ashi_solver_memory_create();
        ash_solve_result result;
        for (int i = 0; i < 3; i++) {
            if (i == 2)
                ashi_alloc_fail_at(1, false);
            assert_true(ashi_solve_problem(&b->problem, &settings, memory, NULL, NULL, &result));
        }
        ashi_alloc_fail_at(0, false);
        ashi_solver_memory_destroy(memory);
        free_builder(b);
    }
}

/* ---- static friction ---- */

/* A cube pushed along the ground: g h = 0.1 m/s, 0.5 and 0.3: up to 0.05 m/s it stays, beyond it loses 0.03. */
static double pushed_speed(ash_solver solver, bool by_rows, int points, double push)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t cube = add_body(b, 2, points == 1 ? 0 : 1, v3(0, 0, 0.5), v3(0.6 * push, 0.8 * push, -0.1));
    if (points == 1)
        add_contact(b, ground, cube, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5);
    else
        add_face_contacts(b, ground, cube, 1, 0.5);
    for (uint32_t k = 0; k < b->problem.block_count; k++)
        b->problem.blocks[k].sliding_friction = 0.3;
    finish(b);
    ash_solver_settings settings = settings_of(solver, 20000, 1e-13);
    settings.by_rows = by_rows;
    ash_solve_result result = solve_with(&b->problem, &settings);
    if (!(result.flags & ASH_SOLVE_CONVERGED))
        fail_msg("%s%s, %d points, %g m/s: residual %g", ash_solver_name(solver), by_rows ? " by rows" : "", points,
                 push, result.error.largest);
    for (uint32_t k = 0; k < b->problem.block_count; k++)
        assert_true(b->problem.blocks[k].sliding_friction == 0.3);
    double speed = v3_norm(b->problem.velocity[1].linear);
    free_builder(b);
    return speed;
}

static void static_friction_gives_way(void **state)
{
    (void)state;
    static const ash_solver exact[] = {ASH_SOLVER_JACOBI, ASH_SOLVER_PGS, ASH_SOLVER_SOR, ASH_SOLVER_NNCG,
                                       ASH_SOLVER_DIRECT};
    for (int s = 0; s < 5; s++) {
        for (int by_rows = 0; by_rows < 2; by_rows++) {
            assert_near(pushed_speed(exact[s], by_rows, 1, 0.0499), 0, 1e-12);
            assert_near(pushed_speed(exact[s], by_rows, 1, 0.0501), 0.0201, 1e-12);
        }
        /* At the points of a cube: the torque of friction loads those in front, and single points reach their bound
         * long before the cube slips. */
        assert_near(pushed_speed(exact[s], false, 4, 0.02), 0, 1e-11);
        assert_near(pushed_speed(exact[s], false, 4, 0.0499), 0, 1e-11);
        assert_near(pushed_speed(exact[s], false, 4, 0.0501), 0.0201, 1e-11);
        assert_near(pushed_speed(exact[s], false, 4, 0.2), 0.17, 1e-11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_stays),
        cmocka_unit_test(friction_adds_no_energy),
        cmocka_unit_test(any_inertia_is_taken_as_it_is),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(iterations_tolerance_and_time_stop),
        cmocka_unit_test(a_trace_has_every_iteration),
        cmocka_unit_test(a_solution_is_left_as_it_is),
        cmocka_unit_test(numbers_that_are_not_finite),
        cmocka_unit_test(memory_that_runs_out),
        cmocka_unit_test(a_warm_solve_does_not_allocate),
        cmocka_unit_test(static_friction_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
