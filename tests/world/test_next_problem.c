/* The problem that a step would solve: it is the step's own, and asking for it changes nothing. */
#include "check.h"

#include "ashlar/ashlar.h"

#include <string.h>

/* Three boxes on a floor, the topmost in flight. */
static ash_world *make_world(const char *method_name)
{
    ash_world_def def = ash_default_world_def();
    assert_int_equal(ash_method_find(method_name, &def.method, NULL), ASH_OK);
    ash_world *world;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE),
                     box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry *floor_shape, *cube;
    box.half_extents = (ash_vec3){0.5, 0.5, 0.5};
    assert_int_equal(ash_geometry_create(&plane, &floor_shape, NULL), ASH_OK);
    assert_int_equal(ash_geometry_create(&box, &cube, NULL), ASH_OK);
    for (int i = 0; i < 4; i++) {
        ash_body_def body = ash_default_body_def();
        ash_shape_def shape = ash_default_shape_def();
        body.type = i == 0 ? ASH_BODY_STATIC : ASH_BODY_DYNAMIC;
        body.position.z = i == 0 ? 0 : i - 0.5 + (i == 3 ? 0.3 : 0);
        shape.geometry = i == 0 ? floor_shape : cube;
        shape.density = 100;
        ash_body handle;
        assert_int_equal(ash_body_create(world, &body, &shape, 1, &handle, NULL), ASH_OK);
    }
    ash_geometry_release(floor_shape);
    ash_geometry_release(cube);
    return world;
}

static void asking_changes_nothing(void **state)
{
    (void)state;
    static const char *const methods[] = {"realtime", "engineering", "gribel-2009", "guendelman-2003"};
    for (int i = 0; i < 3; i++) {
        ash_world *asked = make_world(methods[i]), *plain = make_world(methods[i]);
        ash_problem problem = {0};
        for (int n = 0; n < 40; n++) {
            for (int k = 0; k < 1 + n % 2; k++)
                assert_int_equal(ash_world_next_problem(asked, 0.01, &problem), ASH_OK);
            assert_int_equal(ash_problem_check(&problem, NULL), ASH_OK);
            assert_int_equal(ash_world_step(asked, 0.01), ASH_OK);
            assert_int_equal(ash_world_step(plain, 0.01), ASH_OK);
            assert_true(ash_world_get_hash(asked) == ash_world_get_hash(plain));
            assert_true(ash_world_get_ledger(asked).remainder == ash_world_get_ledger(plain).remainder);
        }
        ash_problem_release(&problem);
        ash_world_destroy(asked);
        ash_world_destroy(plain);
    }
}

/* Solved by the method's solver, it gives the velocities of the step. */
static void it_is_the_problem_of_the_step(void **state)
{
    (void)state;
    ash_world *world = make_world("gribel-2009");
    ash_method method = ash_world_get_method(world);
    ash_problem problem = {0};
    ash_solve_result result;
    for (int n = 0; n < 30; n++) {
        assert_int_equal(ash_world_next_problem(world, 0.01, &problem), ASH_OK);
        assert_int_equal(ash_problem_solve(&problem, &method.solver, 1, NULL, &result, NULL), ASH_OK);
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
        assert_int_equal(ash_world_get_report(world).blocks, problem.block_count + problem.point_count);
        assert_true(problem.h == 0.01);
        for (uint32_t i = problem.fixed_count; i < problem.body_count; i++) {
            ash_vec3 velocity = ash_body_get_velocity(world, (ash_body){problem.bodies[i].label});
            assert_memory_equal(&velocity, &problem.velocity[i].linear, sizeof velocity);
        }
    }
    assert_true(problem.point_count >= 8 && problem.contact_count >= 2 && problem.block_count == 0);
    ash_problem_release(&problem);
    ash_world_destroy(world);
}

static void misuse_is_told(void **state)
{
    (void)state;
    ash_world *world = make_world("realtime");
    ash_problem problem = {0};
    assert_int_equal(ash_world_next_problem(world, 0, &problem), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_next_problem(world, NAN, &problem), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_next_problem(world, 0.01, NULL), ASH_BAD_ARGUMENT);
    assert_string_equal(ash_world_get_last_diagnostic(world).code, "world.problem");
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(it_is_the_problem_of_the_step),
        cmocka_unit_test(misuse_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
