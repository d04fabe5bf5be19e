/* The engineering solver: exact small problems, every stored problem, extreme numbers, agreement with other solvers
 * where the solution is unique, conservation, threads, memory, and what happens when numbers are not numbers. */
#include "builder.h"
#include "problem/problems.h"

#include "base/tasks.h"

static ash_solver_settings settings_of(ash_solver solver, double tolerance, uint32_t iterations)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.tolerance = tolerance;
    settings.iterations = iterations;
    settings.warm_start = false;
    return settings;
}

static ash_solve_result solve_exactly(ashi_system *problem)
{
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, 100);
    return solve_with(problem, &settings);
}

static void assert_solved(ashi_system *problem)
{
    ash_solve_result result = solve_exactly(problem);
    assert_true(result.flags & ASH_SOLVE_CONVERGED);
    assert_below(result.error.largest, 1e-10);
}

/* A box on the ground with g h, and a shove. */
static builder *sliding_box(double friction, ash_vec3 velocity)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t box = add_body(b, 2, 0, v3(0, 0, 0.5), velocity);
    add_contact(b, ground, box, v3(0, 0, 0), v3(0, 0, 1), 2, friction);
    finish(b);
    return b;
}

static void test_a_point_slides_sticks_and_parts(void **state)
{
    (void)state;
    builder *b = sliding_box(0.5, v3(0.6, -0.8, -0.1));
    assert_solved(&b->problem);
    assert_near(b->problem.velocity[1].linear.x, 0.6 * 0.95, 1e-9);
    assert_near(b->problem.velocity[1].linear.y, -0.8 * 0.95, 1e-9);
    assert_near(b->problem.velocity[1].linear.z, 0, 1e-9);
    assert_near(b->problem.rows[0].impulse, 0.2, 1e-9);
    free_builder(b);

    b = sliding_box(0.5, v3(0.03, -0.039, -0.1));
    assert_solved(&b->problem);
    assert_near(v3_norm(b->problem.velocity[1].linear), 0, 1e-9);
    free_builder(b);

    b = sliding_box(0.5, v3(1, 0, 0.1));
    assert_solved(&b->problem);
    assert_true(b->problem.rows[0].impulse == 0 && b->problem.rows[1].impulse == 0);
    free_builder(b);
}

/* A wall of boxes, each on two below it; `ratio` is the mass of the top one. */
static builder *wall(ash_friction_law law, uint32_t height, double friction, double ratio, double shove)
{
    builder *b = new_builder(law);
    ashi_random random = {7};
    uint32_t below[32] = {0}, here[32];
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    for (uint32_t r = 0; r < height; r++) {
        for (uint32_t k = 0; k < height - r; k++) {
            ash_vec3 v = v3(ashi_random_range(&random, -0.05, 0.05), ashi_random_range(&random, -0.05, 0.05), -0.16);
            ash_vec3 place = v3(k + 0.5 * r, 0, r + 0.5);
            here[k] = add_body(b, r + 1 == height ? ratio : 1, 1, place, v);
            if (r == 0)
                add_face_contacts(b, ground, here[k], 1, friction);
            else
                for (int i = 0; i < 8; i++)
                    add_contact(b, below[k + (i >= 4)], here[k],
                                v3_add(place, v3((i & 1) * 0.5 - (i < 4) * 0.5, i & 2 ? 0.5 : -0.5, -0.5)), v3(0, 0, 1),
                                2, friction);
        }
        memcpy(below, here, sizeof below);
    }
    b->problem.bodies[1 + height / 2].velocity.x += shove;
    finish(b);
    return b;
}

static void test_walls_are_solved_under_every_law(void **state)
{
    (void)state;
    for (int law = 0; law < ASH_FRICTION_LAWS; law++)
        for (int way = 0; way < 4; way++) {
            builder *b = wall((ash_friction_law)law, 6, 0.5, way & 1 ? 1000 : 1, way & 2 ? 3 : 0);
            ash_solve_result result = solve_exactly(&b->problem);
            if (!(result.error.largest <= 1e-10))
                fail_msg("law %d, way %d: %g after %u", law, way, result.error.largest, result.iterations);
            free_builder(b);
        }
}

/* By the yardstick, of the impulses in the problem. */
static double error_of(ashi_system *problem)
{
    ash_yardstick error;
    ashi_law law = ashi_law_of(problem);
    void *work = ashi_alloc(ashi_yardstick_room(problem, NULL));
    assert_non_null(work);
    ashi_system_velocities(problem, NULL);
    ashi_yardstick_measure(problem, NULL, &law, work, &error);
    ashi_dealloc(work);
    return error.largest;
}

/* Nothing breaks down. A friction of a million makes each contact a joint that can only break: walls that are shoved
 * are not always solved then (docs/newton.md), and their first guess stays. */
static void test_extreme_numbers_do_not_break_it(void **state)
{
    (void)state;
    static const double frictions[] = {0, 0.5, 1e6}, ratios[] = {1e-8, 1, 1e8}, shoves[] = {0, 2};
    for (int i = 0; i < 18; i++) {
        double friction = frictions[i / 6], ratio = ratios[i / 2 % 3], shove = shoves[i % 2];
        builder *b = wall(ASH_FRICTION_CONE, 4, friction, ratio, shove);
        double cold = error_of(&b->problem);
        ash_solve_result result = solve_exactly(&b->problem);
        for (uint32_t k = 0; k < b->problem.body_count; k++)
            assert_true(v3_is_finite(b->problem.velocity[k].linear) && v3_is_finite(b->problem.velocity[k].angular));
        /* A light body between heavy ones: its velocity is a difference of impulses `ratio` times as large, and the
         * yardstick counts its slip mu times. */
        double limit = friction > 1 && shove > 0 ? cold : fmax(1e-10, 1e-15 * ratio * fmax(1, friction));
        if (!(result.error.largest <= limit) || result.flags & ASH_SOLVE_FAILED)
            fail_msg("mu %g, ratio %g, shove %g: %g", friction, ratio, shove, result.error.largest);
        free_builder(b);
    }
}

static void test_every_stored_problem_is_solved(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ash_stored_problem_count(); i++) {
        const ashi_named_problem *stored = ashi_named_problem_get(i);
        ashi_system p = problem_named(stored->name);
        ash_solve_result result = solve_exactly(&p);
        if (!(result.error.largest <= (stored->degenerate ? 1e-8 : 1e-10)))
            fail_msg("%s: %g after %u rounds", stored->name, result.error.largest, result.iterations);
        ashi_system_release(&p);
    }
}

/* The largest difference of velocities between two solutions of one problem. */
static double difference(const ashi_system *a, const ashi_system *b)
{
    double largest = 0;
    for (uint32_t i = 0; i < a->body_count; i++) {
        largest = fmax(largest, v3_norm(v3_sub(a->velocity[i].linear, b->velocity[i].linear)));
        largest = fmax(largest, v3_norm(v3_sub(a->velocity[i].angular, b->velocity[i].angular)));
    }
    return largest;
}

/* Slabs on three feet on each other, in random motion: nothing is redundant, so that friction is determined. */
static builder *tripods(ash_friction_law law, uint64_t seed)
{
    builder *b = new_builder(law);
    ashi_random random = {seed};
    uint32_t below = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    for (uint32_t i = 0; i < 3; i++) {
        ash_vec3 v = v3(ashi_random_range(&random, -1, 1), ashi_random_range(&random, -1, 1), -0.5);
        uint32_t slab = add_body(b, ashi_random_range(&random, 1, 4), 1, v3(0, 0, 0.3 * i + 0.15), v);
        for (int k = 0; k < 3; k++)
            add_contact(b, below, slab, v3(k == 0 ? 0.5 : -0.3, k - 1.0, 0.3 * i), v3(0, 0, 1), 2,
                        ashi_random_range(&random, 0.05, 0.4));
        below = slab;
    }
    finish(b);
    return b;
}

/* Both ways to the same problem give the same velocities. */
static void assert_agreement(ash_solver other, ash_friction_law law, double tolerance, uint32_t iterations)
{
    ash_solver_settings settings = settings_of(other, 1e-9, iterations);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        builder *exact = tripods(law, seed), *second = tripods(law, seed);
        ash_solve_result result = solve_with(&second->problem, &settings);
        assert_below(result.error.largest, tolerance);
        assert_solved(&exact->problem);
        double off = difference(&exact->problem, &second->problem);
        if (!(off <= 1e-6))
            fail_msg("%s, law %d, seed %u: velocities differ by %g", ash_solver_name(other), law, (unsigned)seed, off);
        free_builder(exact);
        free_builder(second);
    }
}

static void test_other_solvers_agree(void **state)
{
    (void)state;
    for (int law = 0; law < ASH_FRICTION_LAWS; law++)
        assert_agreement(ASH_SOLVER_PGS, (ash_friction_law)law, 1e-9, 20000);
    assert_agreement(ASH_SOLVER_LEMKE, ASH_FRICTION_PYRAMID, 1e-9, 5000);
    assert_agreement(ASH_SOLVER_LEMKE, ASH_FRICTION_BOX, 1e-9, 5000);
}

static void test_gauss_seidel_agrees_on_stored_problems(void **state)
{
    (void)state;
    static const char *names[] = {"rest", "impact", "rolling", "wedged", "chain"}; /* those with one solution */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ashi_system exact = problem_named(names[i]), swept = problem_named(names[i]);
        ash_solver_settings settings = settings_of(ASH_SOLVER_PGS, 1e-9, 20000);
        ash_solve_result result = solve_with(&swept, &settings);
        assert_below(result.error.largest, 1e-9);
        assert_solved(&exact);
        double off = difference(&exact, &swept);
        if (!(off <= 1e-6))
            fail_msg("%s: velocities differ by %g", names[i], off);
        ashi_system_release(&exact);
        ashi_system_release(&swept);
    }
}

/* ---- mechanics ---- */

/* At rest the floor carries the weight; nothing moves. */
static void test_a_resting_pile_weighs_what_it_weighs(void **state)
{
    (void)state;
    builder *b = wall(ASH_FRICTION_CONE, 8, 0.6, 50, 0);
    double momentum = 0, carried = 0;
    for (uint32_t i = 1; i < b->problem.body_count; i++) {
        b->problem.bodies[i].velocity = v3(0, 0, -9.81 / 60);
        momentum += 9.81 / 60 / b->problem.bodies[i].inverse_mass.z;
    }
    assert_solved(&b->problem);
    for (uint32_t k = 0; k < b->problem.block_count; k++) {
        const ashi_block *block = &b->problem.blocks[k];
        if (block->body_a == 0 || block->body_b == 0)
            carried += b->problem.rows[block->first_row].impulse;
    }
    assert_near(carried / momentum, 1, 1e-8);
    for (uint32_t i = 1; i < b->problem.body_count; i++)
        assert_below(v3_norm(b->problem.velocity[i].linear), 1e-8);
    free_builder(b);
}

/* Free bodies that hit each other: contacts with random places and normals. */
static builder *collision(ashi_random *random)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t bodies = 2 + ashi_random_below(random, 6);
    for (uint32_t i = 0; i < bodies; i++) {
        ash_vec3 v =
            v3(ashi_random_range(random, -2, 2), ashi_random_range(random, -2, 2), ashi_random_range(random, -2, 2));
        add_body(b, ashi_random_range(random, 0.5, 5), 1, v3(i, 0, 0), v);
        b->problem.bodies[i].spin = v3(v.y, v.z, v.x);
    }
    for (uint32_t i = 0; i < 3 * bodies; i++) {
        uint32_t a = ashi_random_below(random, bodies), other = ashi_random_below(random, bodies - 1);
        ash_vec3 normal = v3_unit(v3(ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1), 0.3));
        add_contact(b, a, other >= a ? other + 1 : other,
                    v3(ashi_random_range(random, -1, 3), ashi_random_range(random, -1, 1), 0), normal, 2,
                    ashi_random_range(random, 0, 1));
    }
    finish(b);
    return b;
}

static void test_free_bodies_keep_momentum_and_gain_no_energy(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (int trial = 0; trial < TRIALS(100); trial++) {
        builder *b = collision(&random);
        ash_solve_result result = solve_exactly(&b->problem);
        ash_vec3 change = v3(0, 0, 0);
        double scale = 0;
        for (uint32_t i = 0; i < b->problem.body_count; i++) {
            const ash_problem_body *body = &b->problem.bodies[i];
            change =
                v3_add_scaled(change, v3_sub(b->problem.velocity[i].linear, body->velocity), 1 / body->inverse_mass.x);
            scale += v3_norm(body->velocity) / body->inverse_mass.x;
        }
        assert_below(v3_norm(change), 1e-13 * scale);
        double before = kinetic_energy(&b->problem, false), after = kinetic_energy(&b->problem, true);
        assert_below(after, before * (1 + 1e-9) + 1e-9 * result.error.largest);
        free_builder(b);
    }
}

/* ---- the machinery around it ---- */

static void test_no_solution_is_worse_than_the_first_guess(void **state)
{
    (void)state;
    ashi_random random = {12};
    for (int trial = 0; trial < TRIALS(100); trial++) {
        builder *b = collision(&random);
        ashi_system *p = &b->problem;
        ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, trial % 4);
        settings.warm_start = true;
        for (uint32_t r = 0; r < p->row_count; r++)
            p->rows[r].impulse = ashi_random_range(&random, 0, 1);
        double before = error_of(p);
        ash_solve_result result = solve_with(p, &settings);
        assert_below(result.error.largest, before);
        free_builder(b);
    }
}

/* From its own solution a solve has nothing to do. */
static void test_a_warm_start_is_used(void **state)
{
    (void)state;
    ashi_system p = problem_named("stack");
    assert_solved(&p);
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, 100);
    settings.warm_start = true;
    ash_solve_result result = solve_with(&p, &settings);
    assert_true(result.flags & ASH_SOLVE_CONVERGED);
    assert_int_equal(result.iterations, 0);
    ashi_system_release(&p);
}

static void test_numbers_that_break_down_are_told(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        builder *b = wall(ASH_FRICTION_CONE, 3, 0.5, 1, 0);
        if (way == 0)
            b->problem.rows[4].bias = NAN;
        else
            b->problem.rows[4].linear_b.x = 1e200; /* whose square is not finite */
        ash_solve_result result = solve_exactly(&b->problem);
        assert_true(result.flags & ASH_SOLVE_FAILED);
        assert_false(result.flags & ASH_SOLVE_CONVERGED);
        for (uint32_t i = 0; i < b->problem.body_count; i++)
            assert_true(v3_is_finite(b->problem.velocity[i].linear));
        free_builder(b);
    }
}

/* Without a tolerance it goes on as long as it may, and keeps the best. */
static void test_no_tolerance_is_no_stop(void **state)
{
    (void)state;
    ashi_system p = problem_named("stack");
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 0, 15);
    ash_solve_result result = solve_with(&p, &settings);
    assert_int_equal(result.iterations, 15);
    assert_int_equal(result.flags, 0);
    assert_below(result.error.largest, 1e-10);
    ashi_system_release(&p);
}

/* Many islands of different sizes; the same bits whoever solves them, and again in the same memory without taking more.
 */
static void test_threads_and_repeats_give_the_same_bits(void **state)
{
    (void)state;
    ashi_system cold = problem_named("giving-way"), one = {0}, many = {0};
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, 100);
    ashi_solver_memory *memory = ashi_solver_memory_create();
    ashi_tasks *tasks = ashi_tasks_create(3, NULL);
    ash_solve_result result;
    assert_true(memory != NULL && tasks != NULL && ashi_system_copy(&one, &cold));
    assert_true(ashi_solve_problem(&one, &settings, memory, NULL, NULL, &result));
    for (int round = 0; round < 3; round++) {
        assert_true(ashi_system_copy(&many, &cold));
        assert_true(ashi_solve_problem(&many, &settings, memory, tasks, NULL, &result));
        assert_memory_equal(one.velocity, many.velocity, one.body_count * sizeof *one.velocity);
    }
    assert_true(ashi_system_copy(&many, &cold));
    ashi_alloc_fail_at(0, false);
    assert_true(ashi_solve_problem(&many, &settings, memory, NULL, NULL, &result));
    assert_int_equal(ashi_alloc_fail_at(0, false), 0);
    ashi_tasks_destroy(tasks);
    ashi_solver_memory_destroy(memory);
    ashi_system_release(&cold);
    ashi_system_release(&one);
    ashi_system_release(&many);
}

/* Balls that all overlap each other: no factor is tried, and sweeps do what they can. */
static void test_what_is_too_large_is_swept(void **state)
{
    (void)state;
    enum { BODIES = 500 };
    ashi_system p = {.h = 0.01};
    assert_true(ashi_system_reserve(&p, BODIES, BODIES * BODIES / 2, BODIES * BODIES / 2, 1));
    ashi_random random = {13};
    p.body_count = BODIES;
    for (uint32_t i = 0; i < BODIES; i++)
        p.bodies[i] = (ash_problem_body){.inverse_mass = v3(1, 1, 1), .velocity = v3(i % 7 - 3.0, i % 5 - 2.0, 0)};
    for (uint32_t a = 0; a < BODIES; a++)
        for (uint32_t b = a + 1; b < BODIES; b++) {
            ash_vec3 n = v3_unit(v3(ashi_random_range(&random, -1, 1), ashi_random_range(&random, -1, 1), 1));
            p.rows[p.row_count] = (ashi_row){.linear_a = v3_neg(n), .linear_b = n, .upper = HUGE_VAL};
            p.blocks[p.block_count++] = (ashi_block){.kind = ASHI_CONTACT_BLOCK,
                                                     .body_a = a,
                                                     .body_b = b,
                                                     .first_row = p.row_count++,
                                                     .row_count = 1,
                                                     .friction_limit = -1};
        }
    p.island_count = 1;
    p.islands[0] = (ash_problem_island){.body_count = BODIES, .block_count = p.block_count};
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, 1);
    ash_solve_result result = solve_with(&p, &settings);
    assert_true(result.flags & ASH_SOLVE_TOO_LARGE);
    assert_false(result.flags & (ASH_SOLVE_CONVERGED | ASH_SOLVE_FAILED));
    assert_below(result.error.largest, 1); /* it was 6 m/s */
    ashi_system_release(&p);
}

/* Work that ends before the first factor: nothing falls as if there were no contacts. */
static void test_a_budget_that_ends_leaves_impulses_that_hold(void **state)
{
    (void)state;
    builder *b = wall(ASH_FRICTION_CONE, 4, 0.5, 1, 0);
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, 100);
    ashi_solver_memory *memory = ashi_solver_memory_create();
    ash_solve_result result;
    ashi_solver_grant(memory, 1);
    assert_true(ashi_solve_problem(&b->problem, &settings, memory, NULL, NULL, &result));
    assert_true(result.flags & ASH_SOLVE_BUDGET);
    assert_false(result.flags & ASH_SOLVE_CONVERGED);
    assert_below(result.error.largest, 1e-3); /* g h is 0.1 m/s */
    ashi_solver_memory_destroy(memory);
    free_builder(b);
}

static void test_memory_that_runs_out_is_told(void **state)
{
    (void)state;
    ashi_system cold = problem_named("planar"), p = {0};
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, 100);
    ash_solve_result result;
    assert_true(ashi_system_copy(&p, &cold));
    uint64_t failures = 0;
    for (bool good = false; !good; failures++) {
        ashi_solver_memory *memory = ashi_solver_memory_create();
        assert_true(memory != NULL && ashi_system_copy(&p, &cold));
        ashi_alloc_fail_at(failures + 1, false);
        good = ashi_solve_problem(&p, &settings, memory, NULL, NULL, &result);
        ashi_alloc_fail_at(0, false);
        ashi_solver_memory_destroy(memory);
    }
    assert_true(failures > 3);
    assert_below(result.error.largest, 1e-10);
    ashi_system_release(&cold);
    ashi_system_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_point_slides_sticks_and_parts),
        cmocka_unit_test(test_walls_are_solved_under_every_law),
        cmocka_unit_test(test_extreme_numbers_do_not_break_it),
        cmocka_unit_test(test_every_stored_problem_is_solved),
        cmocka_unit_test(test_other_solvers_agree),
        cmocka_unit_test(test_gauss_seidel_agrees_on_stored_problems),
        cmocka_unit_test(test_a_resting_pile_weighs_what_it_weighs),
        cmocka_unit_test(test_free_bodies_keep_momentum_and_gain_no_energy),
        cmocka_unit_test(test_no_solution_is_worse_than_the_first_guess),
        cmocka_unit_test(test_a_warm_start_is_used),
        cmocka_unit_test(test_numbers_that_break_down_are_told),
        cmocka_unit_test(test_no_tolerance_is_no_stop),
        cmocka_unit_test(test_threads_and_repeats_give_the_same_bits),
        cmocka_unit_test(test_what_is_too_large_is_swept),
        cmocka_unit_test(test_a_budget_that_ends_leaves_impulses_that_hold),
        cmocka_unit_test(test_memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
