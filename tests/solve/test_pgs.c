/* Projected Gauss-Seidel and over-relaxation: exact single contacts, convergence of small piles under every law, block
 * by block and row by row. */
#include "builder.h"

static ash_solver_settings settings_for(ash_solver solver, bool by_rows, uint32_t iterations)
{
    ash_solver_settings settings = ashi_default_solver_settings(solver);
    settings.by_rows = by_rows;
    settings.iterations = iterations;
    settings.tolerance = 1e-12;
    settings.warm_start = false;
    return settings;
}

/* A cube on the ground that slides along some direction, with g h taken off by the contacts. */
static builder *sliding_point(ash_friction_law law, double friction, ash_vec3 velocity)
{
    builder *b = new_builder(law);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t point = add_body(b, 2, 0, v3(0, 0, 0), velocity);
    add_contact(b, ground, point, v3(0, 0, 0), v3(0, 0, 1), 2, friction);
    finish(b);
    return b;
}

static void point_slides_and_sticks_exactly(void **state)
{
    (void)state;
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        ash_solver_settings settings = settings_for(ASH_SOLVER_PGS, by_rows, 4);
        builder *b = sliding_point(ASH_FRICTION_CONE, 0.5, v3(0.6, -0.8, -0.1));
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        /* 0.5 * 0.1 m/s are lost along the velocity of 1 m/s. */
        assert_near(b->problem.velocity[1].linear.x, 0.6 * 0.95, 1e-15);
        assert_near(b->problem.velocity[1].linear.y, -0.8 * 0.95, 1e-15);
        assert_near(b->problem.velocity[1].linear.z, 0, 1e-15);
        assert_near(b->problem.rows[0].impulse, 0.2, 1e-15);
        free_builder(b);

        b = sliding_point(ASH_FRICTION_CONE, 0.5, v3(0.03, -0.039, -0.1));
        result = solve_with(&b->problem, &settings);
        assert_true(result.flags & ASH_SOLVE_CONVERGED);
        assert_near(v3_norm(b->problem.velocity[1].linear), 0, 1e-15);
        free_builder(b);

        b = sliding_point(ASH_FRICTION_CONE, 0.5, v3(1, 0, 0.1));
        solve_with(&b->problem, &settings);
        assert_true(b->problem.rows[0].impulse == 0 && b->problem.rows[1].impulse == 0);
        free_builder(b);
    }
}

/* One contact of random bodies: the block's own solution, at one visit. */
static void one_visit_solves_a_contact(void **state)
{
    (void)state;
    ashi_random random = {4};
    ash_solver_settings settings = settings_for(ASH_SOLVER_PGS, false, 1);
    int slid = 0, stuck = 0;
    settings.tolerance = 1e-11;
    for (int trial = 0; trial < 4000; trial++) {
        builder *b = new_builder(ASH_FRICTION_CONE);
        for (int i = 0; i < 2; i++) {
            ash_vec3 v = v3(ashi_random_range(&random, -1, 1), ashi_random_range(&random, -1, 1),
                            ashi_random_range(&random, -1, 1));
            uint32_t body = add_body(b, ashi_random_range(&random, 0.5, 2), 1, v3(0, 0, i), v);
            b->problem.bodies[body].spin = v3(v.y, v.z, v.x);
        }
        ash_vec3 at = v3(ashi_random_range(&random, -0.5, 0.5), ashi_random_range(&random, -0.5, 0.5), 0.5);
        double mu = ashi_random_range(&random, 0, 1.5);
        add_contact(b, 0, 1, at, v3(0, 0, 1), trial % 5 == 0 ? 1 : 2, mu);
        finish(b);
        ash_solve_result result = solve_with(&b->problem, &settings);
        assert_below(result.error.largest, 1e-11);
        const ash_problem_row *row = b->problem.rows;
        double t = trial % 5 == 0 ? fabs(row[1].impulse) : hypot(row[1].impulse, row[2].impulse);
        slid += t > 0 && t > mu * row[0].impulse * (1 - 1e-9);
        stuck += t > 0 && t < mu * row[0].impulse * (1 - 1e-9);
        free_builder(b);
    }
    if (slid < 500 || stuck < 100)
        fail_msg("only %d contacts slid and %d stuck", slid, stuck);
}

/* Two boxes side by side on the ground carry a third; it is shoved. */
static builder *small_pile(ash_friction_law law, double shove)
{
    builder *b = new_builder(law);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t left = add_body(b, 1, 1, v3(-0.6, 0, 0.5), v3(0, 0, -0.1));
    uint32_t right = add_body(b, 2, 1, v3(0.6, 0, 0.5), v3(0, 0, -0.1));
    uint32_t top = add_body(b, 3, 1, v3(0, 0, 1.5), v3(shove, shove / 2, -0.1));
    add_face_contacts(b, ground, left, 1, 0.5);
    add_face_contacts(b, ground, right, 1, 0.5);
    for (int i = 0; i < 4; i++)
        add_contact(b, i & 1 ? right : left, top, v3(i & 1 ? 0.4 : -0.4, i & 2 ? 0.5 : -0.5, 1), v3(0, 0, 1), 2, 0.5);
    finish(b);
    return b;
}

static void piles_converge_under_every_law(void **state)
{
    (void)state;
    for (int law = 0; law < ASH_FRICTION_LAWS; law++)
        for (int way = 0; way < 8; way++) {
            bool by_rows = way & 1;
            ash_solver solver = way & 2 ? ASH_SOLVER_SOR : ASH_SOLVER_PGS;
            builder *b = small_pile((ash_friction_law)law, way & 4 ? 2 : 0.1);
            ash_solver_settings settings = settings_for(solver, by_rows, 5000);
            ash_solve_result result = solve_with(&b->problem, &settings);
            if (!(result.flags & ASH_SOLVE_CONVERGED))
                fail_msg("law %d, %s%s, shove %d: residual %g after %u", law, ashi_solver_name(solver),
                         by_rows ? " by rows" : "", way & 4, result.error.largest, result.iterations);
            free_builder(b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_slides_and_sticks_exactly),
        cmocka_unit_test(one_visit_solves_a_contact),
        cmocka_unit_test(piles_converge_under_every_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
