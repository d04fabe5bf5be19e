/* The accelerated gradient: the relaxed problem's own solution, exact where it is Coulomb's, and what it is where
 * contacts slide. */
#include "builder.h"

#include "problem/problems.h"

static ash_solver_settings settings_of(uint32_t iterations, double tolerance)
{
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_APGD);
    settings.iterations = iterations;
    settings.tolerance = tolerance;
    settings.warm_start = false;
    return settings;
}

/* A point at 1 m/s along the ground, 0.1 m/s into it, mu 0.5: u = v* + P_K(-v*), which opens with mu |u_t|. */
static void a_sliding_point_opens(void **state)
{
    (void)state;
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t point = add_body(b, 2, 0, v3(0, 0, 0), v3(0, 1, -0.1));
    add_contact(b, ground, point, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5);
    finish(b);
    ash_solver_settings settings = settings_of(100, 1e-14);
    ash_solve_result result = solve_with(&b->problem, &settings);
    assert_int_equal(result.flags, ASH_SOLVE_CONVERGED | ASH_SOLVE_RELAXED);
    assert_near(b->problem.velocity[1].linear.y, 0.76, 1e-13);
    assert_near(b->problem.velocity[1].linear.z, 0.38, 1e-13);
    assert_true(result.error.largest > 0.1); /* Coulomb's law is another */
    free_builder(b);
}

/* Boxes at rest stick: relaxation costs nothing, and the gradient reaches what sweeps do not. */
static void stacks_are_solved_exactly(void **state)
{
    (void)state;
    static const char *const names[] = {"rest", "stack", "pile", "planar", "wedged"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ashi_system p = problem_named(names[i]);
        ash_solver_settings settings = settings_of(1500, 1e-11);
        ash_solve_result result = solve_with(&p, &settings);
        assert_int_equal(result.flags, ASH_SOLVE_CONVERGED | ASH_SOLVE_RELAXED);
        assert_below(result.error.largest, 5e-11);
        ashi_system_release(&p);
    }
}

/* Without friction the relaxed problem is the problem, with joints and rows with bounds as well. */
static void without_friction_it_is_exact(void **state)
{
    (void)state;
    static const char *const names[] = {"chain", "impact", "shove", "sliding", "rolling"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ashi_system p = problem_named(names[i]);
        for (uint32_t k = 0; k < p.block_count; k++)
            p.blocks[k].friction = p.blocks[k].sliding_friction = p.blocks[k].rolling = p.blocks[k].spinning = 0;
        ash_solver_settings settings = settings_of(5000, 1e-11);
        ash_solve_result result = solve_with(&p, &settings);
        if (!(result.flags & ASH_SOLVE_CONVERGED) || !(result.error.largest <= 1e-10))
            fail_msg("%s: %g after %u", names[i], result.error.largest, result.iterations);
        ashi_system_release(&p);
    }
}

/* The relaxed conditions, looked at from outside: u in the dual cone, normal to the impulse. Returns how many slide. */
static int check_conditions(const ashi_system *p)
{
    int slide = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ashi_row *row = &p->rows[block->first_row];
        double u[3], power = 0;
        for (int i = 0; i < 3; i++) {
            u[i] = row[i].bias + ashi_row_speed(&row[i], &p->velocity[block->body_a], &p->velocity[block->body_b]);
            power += u[i] * row[i].impulse;
        }
        double slip = hypot(u[1], u[2]);
        assert_true(u[0] >= block->friction * slip - 1e-8);
        assert_below(fabs(power), 1e-8 * (1 + row[0].impulse));
        slide += slip > 1e-3 && row[0].impulse > 0;
    }
    return slide;
}

static void the_relaxed_conditions_hold(void **state)
{
    (void)state;
    static const char *const names[] = {"redundant", "impact", "giving-way"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ashi_system p = problem_named(names[i]);
        ash_solver_settings settings = settings_of(5000, 1e-9);
        assert_true(solve_with(&p, &settings).flags & ASH_SOLVE_CONVERGED);
        assert_true(check_conditions(&p) > 0);
        ashi_system_release(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_point_opens),
        cmocka_unit_test(stacks_are_solved_exactly),
        cmocka_unit_test(without_friction_it_is_exact),
        cmocka_unit_test(the_relaxed_conditions_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
