/* The solver `direct`: joints alone in one turn, joints with contacts, limits and motors as newton finds them, whatever
 * the masses, and no allocation once it is warm. */
#include "jointed.h"

static ash_solver_settings settings_of(ash_solver solver, double tolerance)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.iterations = solver == ASH_SOLVER_DIRECT ? 20000 : 200;
    settings.tolerance = tolerance;
    settings.warm_start = false;
    return settings;
}

static void set_moving(builder *b, uint64_t seed)
{
    ashi_random random = {seed};
    for (uint32_t i = 1; i < b->problem.body_count; i++) {
        b->problem.bodies[i].velocity = random_vector(&random);
        b->problem.bodies[i].spin = random_vector(&random);
    }
}

static void test_joints_alone_take_one_turn(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        builder *b = make((enum shape)shape, 40, true, 5);
        set_moving(b, 3);
        finish(b);
        ash_solver_settings settings = settings_of(ASH_SOLVER_DIRECT, 1e-10);
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_int_equal(result.flags, ASH_SOLVE_CONVERGED);
        assert_int_equal(result.iterations, 1);
        assert_below(result.error.largest, 1e-12);
        free_builder(b);
    }
}

/* A chain of boxes, one end on the ground, its first joint driven by a motor that is too weak, its others with limits
 * that are reached. */
static builder *chain_with_everything(double heavy)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0)), before = ground;
    for (int i = 0; i < 6; i++) {
        uint32_t body = add_body(b, i == 5 ? heavy : 1, 1, v3(1 + i, 0.1 * i * i, 0.5), v3(0.3, 0.1 * i, -1));
        b->problem.bodies[body].spin = v3(0.1, 0.5, 0.2 * i);
        if (i > 0) {
            add_hinge(b, before, body, v3(0.5 + i, 0.1 * i * i, 0.5), v3_unit(v3(0.1, 1, 0.1 * i)));
            ashi_block *block = add_ball_joint(b, before, body, v3(0, 0, 0));
            ashi_row *row = &b->problem.rows[block->first_row];
            b->problem.row_count = block->first_row + 1;
            block->row_count = 1;
            *row = (ashi_row){.angular_a = v3(0, -1, 0), .angular_b = v3(0, 1, 0), .upper = HUGE_VAL};
            if (i == 1) {
                row->bias = -2;
                row->lower = -0.02;
                row->upper = 0.02;
            }
        }
        if (i < 3)
            add_contact(b, ground, body, v3(1 + i, 0.1 * i * i, 0), v3(0, 0, 1), 2, 0.2);
        before = body;
    }
    finish(b);
    return b;
}

static void test_agrees_with_newton(void **state)
{
    (void)state;
    static const double masses[] = {0.01, 1, 20};
    for (int by_rows = 0; by_rows < 2; by_rows++)
        for (int i = 0; i < 3; i++) {
            builder *one = chain_with_everything(masses[i]), *two = chain_with_everything(masses[i]);
            ash_solver_settings direct = settings_of(ASH_SOLVER_DIRECT, 1e-12);
            ash_solver_settings newton = settings_of(ASH_SOLVER_NEWTON, 1e-11);
            direct.by_rows = by_rows;
            ash_solve_result result = solve_with(&one->problem, &direct), exact = solve_with(&two->problem, &newton);
            assert_true(result.flags & ASH_SOLVE_CONVERGED);
            assert_true(exact.flags & ASH_SOLVE_CONVERGED);
            for (uint32_t k = 0; k < one->problem.body_count; k++) {
                const ash_motion *a = &one->problem.velocity[k], *b = &two->problem.velocity[k];
                assert_below(v3_norm(v3_sub(a->linear, b->linear)), 1e-8);
                assert_below(v3_norm(v3_sub(a->angular, b->angular)), 1e-8);
            }
            free_builder(two);
            free_builder(one);
        }
}

/* Too many joints, and some that ask for different things: contacts still end well. */
static void test_redundant_and_conflicting_joints(void **state)
{
    (void)state;
    builder *b = parallelogram(4, true);
    add_contact(b, 0, 1, v3(1, 0.5, 0.9), v3_unit(v3(0.2, 0, 1)), 2, 0.3);
    for (uint32_t i = 1; i < b->problem.body_count; i++)
        b->problem.bodies[i].velocity = v3(0.2, 0.1, -1);
    finish(b);
    ash_solver_settings settings = settings_of(ASH_SOLVER_DIRECT, 1e-10);
    ash_solve_result result = solve_with(&b->problem, &settings);
    assert_true(result.flags & ASH_SOLVE_CONVERGED);
    for (uint32_t i = 0; i < b->problem.row_count; i++)
        assert_below(fabs(b->problem.rows[i].impulse), 100);
    b->problem.rows[b->problem.blocks[0].first_row].bias = 0.5; /* against what the others hold */
    settings.iterations = 50;
    result = solve_with(&b->problem, &settings);
    assert_false(result.flags & (ASH_SOLVE_CONVERGED | ASH_SOLVE_FAILED));
    assert_below(result.error.largest, 1);
    for (uint32_t i = 0; i < b->problem.row_count; i++)
        assert_below(fabs(b->problem.rows[i].impulse), 100);
    free_builder(b);
}

static void test_warm_solves_do_not_allocate(void **state)
{
    (void)state;
    builder *b = chain_with_everything(2);
    ash_solver_settings settings = settings_of(ASH_SOLVER_DIRECT, 1e-10);
    ashi_solver_memory *memory = ashi_solver_memory_create();
    ash_solve_result result;
    for (int i = 0; i < 4; i++) {
        if (i == 2)
            ashi_alloc_fail_at(0, false);
        assert_true(ashi_solve_problem(&b->problem, &settings, memory, NULL, NULL, &result));
    }
    assert_int_equal(ashi_alloc_fail_at(0, false), 0);
    ashi_solver_memory_destroy(memory);
    free_builder(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_alone_take_one_turn),
        cmocka_unit_test(test_agrees_with_newton),
        cmocka_unit_test(test_redundant_and_conflicting_joints),
        cmocka_unit_test(test_warm_solves_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
