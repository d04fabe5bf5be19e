/* The engineering solver: exact small problems, piles, joints, limits and soft rows, extreme numbers, and agreement
 * with Gauss-Seidel where the solution is unique. */
#include "builder.h"

#include "base/tasks.h"

static ash_solver_settings settings_of(ash_solver solver, double tolerance, uint32_t iterations)
{
    ash_solver_settings settings = ashi_default_solver_settings(solver);
    settings.tolerance = tolerance;
    settings.iterations = iterations;
    settings.warm_start = false;
    return settings;
}

static ash_solve_result solve_exactly(ash_problem *problem)
{
    ash_solver_settings settings = settings_of(ASH_SOLVER_NEWTON, 1e-10, 100);
    return solve_with(problem, &settings);
}

static void assert_solved(ash_problem *problem)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_point_slides_sticks_and_parts),
        cmocka_unit_test(test_walls_are_solved_under_every_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
