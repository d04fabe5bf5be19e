/* Faure's solvers, `structured` and its rivals: trees in one turn, loops and frictionless contacts as direct and newton
 * find them, more accurate the longer they run; memory and work grow as his table of costs says. */
#include "jointed.h"

static const ash_solver family[] = {ASH_SOLVER_STRUCTURED, ASH_SOLVER_BICONJUGATE, ASH_SOLVER_STRUCTURED_DENSE,
                                    ASH_SOLVER_FULL_ITERATIVE, ASH_SOLVER_FULL_DENSE};
enum { FAMILY = sizeof family / sizeof *family };

static ash_solver_settings settings_of(ash_solver solver, double tolerance)
{
    ash_solver_settings settings = ash_default_solver_settings(solver);
    settings.iterations = solver == ASH_SOLVER_NEWTON ? 200 : 20000;
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

static void assert_same_motion(const ashi_system *a, const ashi_system *b, double limit)
{
    for (uint32_t k = 0; k < a->body_count; k++) {
        assert_below(v3_norm(v3_sub(a->velocity[k].linear, b->velocity[k].linear)), limit);
        assert_below(v3_norm(v3_sub(a->velocity[k].angular, b->velocity[k].angular)), limit);
    }
}

static void test_joints_alone_as_direct(void **state)
{
    (void)state;
    for (int trial = 0; trial < SHAPES * FAMILY; trial++) {
        int shape = trial % SHAPES;
        ash_solver solver = family[trial / SHAPES];
        builder *one = make((enum shape)shape, 40, true, 5), *two = make((enum shape)shape, 40, true, 5);
        set_moving(one, 3);
        set_moving(two, 3);
        finish(one);
        finish(two);
        ash_solver_settings structured = settings_of(solver, 1e-11);
        ash_solver_settings direct = settings_of(ASH_SOLVER_DIRECT, 1e-11);
        ash_solve_result result = solve_with(&one->problem, &structured);
        solve_with(&two->problem, &direct);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_false(result.flags & ASH_SOLVE_REPLACED);
        assert_same_motion(&one->problem, &two->problem, 1e-9);
        free_builder(two);
        free_builder(one);
    }
}

/* A swinging chain of hinges above the ground: limits that are reached, a motor that is too weak, contacts. */
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
        add_contact(b, ground, body, v3(1 + i, 0.1 * i * i, 0), v3(0, 0, 1), 0, 0);
        before = body;
    }
    finish(b);
    return b;
}

static void test_contacts_limits_and_motors_as_newton(void **state)
{
    (void)state;
    static const double masses[] = {0.01, 1, 100};
    for (int trial = 0; trial < 3 * FAMILY; trial++) {
        int i = trial % 3;
        builder *one = chain_with_everything(masses[i]), *two = chain_with_everything(masses[i]);
        ash_solver_settings structured = settings_of(family[trial / 3], 1e-12);
        ash_solver_settings newton = settings_of(ASH_SOLVER_NEWTON, 1e-11);
        ash_solve_result result = solve_with(&one->problem, &structured), exact = solve_with(&two->problem, &newton);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_true(exact.flags & ASH_SOLVE_CONVERGED);
        assert_same_motion(&one->problem, &two->problem, 1e-8);
        free_builder(two);
        free_builder(one);
    }
}

/* Balls thrown together: a cloud of bodies with contacts between neighbours, without friction. */
static builder *crowd(uint64_t seed)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    ashi_random random = {seed};
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    for (int i = 0; i < 60; i++) {
        ash_vec3 at = v3(i % 4, i / 4 % 4, 0.5 + i / 16);
        uint32_t body = add_body(b, 1 + i % 3, 0.4, at, v3_add(random_vector(&random), v3(0, 0, -1)));
        if (i < 16)
            add_contact(b, ground, body, v3(at.x, at.y, 0), v3(0, 0, 1), 0, 0);
        else
            for (int k = 0; k < 3; k++) {
                uint32_t below = body - 16 - (uint32_t)(k * (body > 20 ? 1 : 0));
                ash_vec3 normal = v3_unit(v3_add(v3(0, 0, 2), random_vector(&random)));
                add_contact(b, below, body, v3(at.x, at.y, at.z - 0.5), normal, 0, 0);
            }
    }
    finish(b);
    return b;
}

static void test_frictionless_crowd_as_newton(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 5 * FAMILY; trial++) {
        uint64_t seed = 1 + trial % 5;
        builder *one = crowd(seed), *two = crowd(seed);
        ash_solver_settings structured = settings_of(family[trial / 5], 1e-12);
        ash_solver_settings newton = settings_of(ASH_SOLVER_NEWTON, 1e-11);
        ash_solve_result result = solve_with(&one->problem, &structured);
        ash_solve_result exact = solve_with(&two->problem, &newton);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_true(exact.flags & ASH_SOLVE_CONVERGED);
        assert_same_motion(&one->problem, &two->problem, 1e-8);
        free_builder(two);
        free_builder(one);
    }
}

/* Faure's own loop ends by itself where contacts are no more than bodies can move; his dense ways end wherever. */
static void test_rivals_end_by_themselves(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 4 * FAMILY; trial++) {
        builder *b = chain_with_everything(1 + (double)(trial / FAMILY));
        ash_solver_settings settings = settings_of(family[trial % FAMILY], 1e-10);
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_false(result.flags & ASH_SOLVE_REPLACED);
        assert_true(result.memory > 0);
        free_builder(b);
    }
}

/* Friction that it ignores must not keep it going: it ends as soon as without. */
static void test_ends_where_friction_is_ignored(void **state)
{
    (void)state;
    builder *one = chain_with_everything(1), *two = chain_with_everything(1);
    for (uint32_t k = 0; k < two->problem.block_count; k++)
        if (two->problem.blocks[k].kind == ASHI_CONTACT_BLOCK)
            two->problem.blocks[k].friction = two->problem.blocks[k].sliding_friction = 0.6;
    ash_solver_settings settings = settings_of(ASH_SOLVER_STRUCTURED, 1e-10);
    ash_solve_result without = solve_with(&one->problem, &settings), with = solve_with(&two->problem, &settings);
    assert_true(without.flags & ASH_SOLVE_CONVERGED);
    assert_true(with.flags & ASH_SOLVE_CONVERGED);
    assert_true(with.iterations <= without.iterations + 8);
    assert_same_motion(&one->problem, &two->problem, 1e-8);
    free_builder(two);
    free_builder(one);
}

/* Accuracy for time: a few iterations leave an error, more a smaller one. */
static void test_refines(void **state)
{
    (void)state;
    double last = HUGE_VAL;
    static const uint32_t rounds[] = {2, 10, 50, 400};
    for (int i = 0; i < 4; i++) {
        builder *b = crowd(7);
        ash_solver_settings settings = settings_of(ASH_SOLVER_STRUCTURED, 1e-13);
        settings.iterations = rounds[i];
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_true(result.error.largest < last);
        last = result.error.largest;
        free_builder(b);
    }
    assert_below(last, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_alone_as_direct),
        cmocka_unit_test(test_contacts_limits_and_motors_as_newton),
        cmocka_unit_test(test_frictionless_crowd_as_newton),
        cmocka_unit_test(test_rivals_end_by_themselves),
        cmocka_unit_test(test_ends_where_friction_is_ignored),
        cmocka_unit_test(test_refines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
