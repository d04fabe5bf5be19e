/* Caps on speeds, shares for each kind of constraint, and the two thresholds of sleep: what Gribel 2009 has beside the
 * contacts themselves. */
#include "check.h"

#include "ashlar/ashlar.h"

#include <math.h>

static ash_world *make_world(const char *const fields[][2], ash_vec3 gravity)
{
    ash_world_def def = ash_default_world_def();
    assert_int_equal(ash_method_find("gribel-2009", &def.method, NULL), ASH_OK);
    for (int i = 0; fields[i][0] != NULL; i++)
        assert_int_equal(ash_method_set(&def.method, fields[i][0], fields[i][1], NULL), ASH_OK);
    def.gravity = gravity;
    ash_world *world;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    return world;
}

static ash_body add_ball(ash_world *world, ash_vec3 at)
{
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body body;
    sphere.radius = 0.1;
    def.position = at;
    assert_int_equal(ash_geometry_create(&sphere, &shape.geometry, NULL), ASH_OK);
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    return body;
}

static void speeds_are_cut(void **state)
{
    (void)state;
    static const char *const fields[][2] = {{"max-speed", "3"}, {"max-spin", "2"}, {NULL, NULL}};
    ash_world *world = make_world(fields, (ash_vec3){0, 0, -10});
    ash_body ball = add_ball(world, (ash_vec3){0, 0, 0});
    ash_body_set_angular_velocity(world, ball, (ash_vec3){3, 0, 4});
    for (int i = 0; i < 100; i++)
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    assert_below(fabs(ash_body_get_velocity(world, ball).z + 3), 1e-12);
    ash_vec3 spin = ash_body_get_angular_velocity(world, ball);
    assert_below(fabs(spin.x - 1.2) + fabs(spin.z - 1.6), 1e-12); /* its direction stays */
    /* 0.3 s to 3 m/s, then 0.7 s of it: free fall would be at -5 m; a step moves by the speed before it is cut. */
    assert_below(fabs(ash_body_get_centre(world, ball).z + 0.45 + 2.1), 0.1);
    /* What was taken is in the ledger. */
    ash_ledger ledger = ash_world_get_ledger(world);
    assert_true(ledger.dampers < -1);
    assert_below(fabs(ledger.remainder), 0.05 * fabs(ledger.dampers)); /* the integrator's: g h / 2 of the way */
    ash_world_destroy(world);
}

static const double start = 1e-4; /* m: what removes it is slow beside a fall, or the step would be cut */

/* What is left of a joint's error after a step: 1 - erp of its kind. */
static double left_of_error(const char *erp, const char *joint_erp)
{
    const char *const fields[][2] = {{"erp", erp}, {"joint-erp", joint_erp}, {NULL, NULL}};
    ash_world *world = make_world(fields, (ash_vec3){0, 0, -10});
    ash_joint_def rod = ash_default_joint_def(ASH_JOINT_DISTANCE);
    ash_joint joint;
    rod.body_b = add_ball(world, (ash_vec3){1 + start, 0, 0});
    rod.length = 1;
    assert_int_equal(ash_joint_create(world, &rod, &joint, NULL), ASH_OK);
    assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    double error = ash_world_get_report(world).joint_error;
    ash_world_destroy(world);
    return error / start;
}

static void joints_have_their_own_share(void **state)
{
    (void)state;
    assert_below(fabs(left_of_error("0.4", "-1") - 0.6), 0.01);
    assert_below(fabs(left_of_error("0.4", "0.1") - 0.9), 0.01);
    assert_below(fabs(left_of_error("0", "0.5") - 0.5), 0.01);
}

/* Whether a body that drifts and turns sleeps by Gribel's rule. */
static bool sleeps(double speed, double spin, const char *sleep_spin)
{
    const char *const fields[][2] = {{"sleeping", "velocity"},
                                     {"sleep-speed", "0.05"},
                                     {"sleep-spin", sleep_spin},
                                     {"sleep-time", "0.1"},
                                     {NULL, NULL}};
    ash_world *world = make_world(fields, (ash_vec3){0, 0, 0});
    ash_body ball = add_ball(world, (ash_vec3){0, 0, 0});
    ash_body_set_velocity(world, ball, (ash_vec3){speed, 0, 0});
    ash_body_set_angular_velocity(world, ball, (ash_vec3){0, 0, spin});
    for (int i = 0; i < 30; i++)
        assert_int_equal(ash_world_step(world, 0.01), ASH_OK);
    bool asleep = ash_world_get_report(world).sleeping == 1;
    /* Only positions are suspended. */
    assert_true(ash_body_get_velocity(world, ball).x == speed);
    assert_true(asleep == (ash_body_get_centre(world, ball).x < 0.2 * speed));
    ash_world_destroy(world);
    return asleep;
}

static void sleep_has_two_thresholds(void **state)
{
    (void)state;
    assert_true(sleeps(0.04, 0.04, "0"));   /* its fastest point: 0.044 m/s */
    assert_false(sleeps(0.04, 0.2, "0"));   /* 0.06 m/s */
    assert_true(sleeps(0.04, 0.2, "0.3"));  /* both below their own thresholds */
    assert_false(sleeps(0.04, 0.2, "0.1")); /* it turns too fast */
    assert_false(sleeps(0.06, 0.2, "0.3")); /* it is too fast */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_are_cut),
        cmocka_unit_test(joints_have_their_own_share),
        cmocka_unit_test(sleep_has_two_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
