/* Counted work: the same on every run and for any number of threads, and as large as the algorithm says. */
#include "check.h"

#include "ashlar/ashlar.h"

static ash_world *make_world(const char *method_name, uint32_t threads)
{
    ash_world_def def = ash_default_world_def();
    assert_int_equal(ash_method_find(method_name, &def.method, NULL), ASH_OK);
    ash_world *world;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    assert_int_equal(ash_world_set_threads(world, threads), ASH_OK);
    return world;
}

static ash_body add_body(ash_world *world, double x, double z, ash_body_type type)
{
    ash_body_def body = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry *cube;
    ash_body handle;
    box.half_extents = (ash_vec3){0.5, 0.5, 0.5};
    assert_int_equal(ash_geometry_create(&box, &cube, NULL), ASH_OK);
    body.position = (ash_vec3){x, 0, z};
    body.type = type;
    shape.geometry = cube;
    assert_int_equal(ash_body_create(world, &body, &shape, 1, &handle, NULL), ASH_OK);
    ash_geometry_release(cube);
    return handle;
}

/* The work of three steps of a chain that hangs from its first link. */
static double work_of_chain(const char *method, uint32_t links, uint32_t threads)
{
    ash_world *world = make_world(method, threads);
    double sum = 0;
    ash_body last = add_body(world, 0, 0, ASH_BODY_STATIC);
    for (uint32_t i = 1; i <= links; i++) {
        ash_body next = add_body(world, 1.1 * i, 0, ASH_BODY_DYNAMIC);
        ash_joint_def joint = ash_default_joint_def(ASH_JOINT_BALL);
        ash_joint handle;
        joint.body_a = last;
        joint.body_b = next;
        assert_int_equal(ash_joint_def_place(world, &joint, (ash_vec3){1.1 * i - 0.55, 0, 0}, (ash_vec3){1, 0, 0}),
                         ASH_OK);
        assert_int_equal(ash_joint_create(world, &joint, &handle, NULL), ASH_OK);
        last = next;
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ash_world_step(world, 0.001), ASH_OK);
        sum += (double)ash_world_get_report(world).operations;
    }
    ash_world_destroy(world);
    return sum;
}

static void joints_cost_in_proportion_to_their_number(void **state)
{
    (void)state;
    static const char *const methods[] = {"bender-schmitt-2006", "engineering", "realtime", "faure"};
    for (int i = 0; i < 4; i++) {
        double one = work_of_chain(methods[i], 100, 1);
        assert_true(one > 100 * 3 * 100);
        assert_true(work_of_chain(methods[i], 100, 2) == one);
        double ratio = work_of_chain(methods[i], 200, 1) / one;
        assert_true(ratio > 1.8 && ratio < 2.2); /* quadratic work would give 4; refinements differ */
    }
}

/* A sweep visits each block once, and a visit counts 64. */
static void sweeps_count_their_visits(void **state)
{
    (void)state;
    ash_world *world = make_world("gribel-2009", 1);
    add_body(world, 0, 0, ASH_BODY_STATIC);
    for (int i = 1; i <= 4; i++)
        add_body(world, 0, 0.999 * i, ASH_BODY_DYNAMIC);
    assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    ash_step_report report = ash_world_get_report(world);
    assert_true(report.blocks >= 16);
    assert_int_equal(report.operations, 64ull * report.solver_iterations * report.blocks);
    ash_world_destroy(world);
}

/* Without contacts and joints there is nothing to solve. */
static void a_free_body_costs_nothing(void **state)
{
    (void)state;
    ash_world *world = make_world("engineering", 1);
    add_body(world, 0, 0, ASH_BODY_DYNAMIC);
    assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    assert_int_equal(ash_world_get_report(world).operations, 0);
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_cost_in_proportion_to_their_number),
        cmocka_unit_test(sweeps_count_their_visits),
        cmocka_unit_test(a_free_body_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
