/* Each setter has a getter that answers what was set. */
#include "worlds.h"

#include "math/vec3.h"

#include <string.h>

static bool refuse_all(ash_shape a, ash_shape b, void *user)
{
    (void)a, (void)b, (void)user;
    return false;
}

static ash_body make_ball(ash_world *w, ash_vec3 at)
{
    ash_body_def def = ash_default_body_def();
    def.position = at;
    def.mass = 1;
    def.inertia = (ash_sym3){0.4, 0.4, 0.4, 0, 0, 0};
    return make_body(w, &def);
}

static void test_bodies(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, 0), 1);
    ash_body body = make_ball(w, v3(0, 0, 0));
    assert_true(ash_body_get_linear_damping(w, body) == 0);
    assert_int_equal(ash_body_set_damping(w, body, 0.25, 0.5), ASH_OK);
    assert_true(ash_body_get_linear_damping(w, body) == 0.25);
    assert_true(ash_body_get_angular_damping(w, body) == 0.5);
    assert_int_equal(ash_body_set_damping(w, body, -1, 0), ASH_BAD_ARGUMENT);
    assert_true(ash_body_get_linear_damping(w, body) == 0.25);
    ash_world_destroy(w);
}

static void test_worlds(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, 0), 2);
    int mark;
    void *user = &mark;
    assert_int_equal(ash_world_get_threads(w), 2);
    assert_int_equal(ash_world_set_threads(w, 3), ASH_OK);
    assert_int_equal(ash_world_get_threads(w), 3);
    assert_int_equal(ash_world_set_threads(w, 0), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_world_get_threads(w), 3);
    assert_true(ash_world_get_pair_filter(w, &user) == NULL && user == NULL);
    assert_int_equal(ash_world_set_pair_filter(w, refuse_all, &mark), ASH_OK);
    assert_true(ash_world_get_pair_filter(w, &user) == refuse_all && user == &mark);
    assert_true(ash_world_get_pair_filter(w, NULL) == refuse_all);
    ash_world_destroy(w);
}

static void test_springs_and_pulls(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, 0), 1);
    ash_spring_def def = ash_default_spring_def(), now;
    ash_force spring, pull;
    def.body_b = make_ball(w, v3(2, 0, 0));
    def.point_b = v3(0.5, 0, 0);
    def.stiffness = 3, def.damping = 0.5, def.rest_length = -1, def.tension_only = true, def.name = "string";
    assert_int_equal(ash_spring_create(w, &def, &spring, NULL), ASH_OK);
    now = ash_spring_get(w, spring);
    assert_true(now.body_a.id == 0 && now.body_b.id == def.body_b.id && now.point_b.x == 0.5);
    assert_true(now.stiffness == 3 && now.damping == 0.5 && now.tension_only && !now.damper_pushes);
    assert_near(now.rest_length, 2.5, 1e-15); /* as at creation */
    assert_string_equal(now.name, "string");
    assert_int_equal(ash_spring_set(w, spring, 4, 1, 2), ASH_OK);
    now = ash_spring_get(w, spring);
    assert_true(now.stiffness == 4 && now.damping == 1 && now.rest_length == 2);

    ash_pull_def mouse = ash_default_pull_def();
    mouse.body = def.body_b;
    mouse.target = v3(1, 2, 3);
    assert_int_equal(ash_pull_create(w, &mouse, &pull, NULL), ASH_OK);
    assert_true(ash_pull_get_target(w, pull).z == 3);
    assert_int_equal(ash_pull_set_target(w, pull, v3(4, 5, 6)), ASH_OK);
    assert_true(ash_pull_get_target(w, pull).z == 6);
    assert_true(ash_pull_get_target(w, spring).z == 0); /* no pull */
    assert_int_equal(ash_world_get_last_diagnostic(w).status, ASH_BAD_HANDLE);
    ash_world_destroy(w);
}

static void test_loads(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, 0), 1);
    const double times[] = {0, 1}, values[] = {0, 2};
    ash_load_def def = ash_default_load_def(), now;
    ash_force load;
    def.body = make_ball(w, v3(0, 0, 0));
    def.force = v3(1, 0, 0), def.point = v3(0, 1, 0), def.body_axes = true, def.start = 0.5, def.stop = 2;
    def.signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 2};
    assert_int_equal(ash_load_create(w, &def, &load, NULL), ASH_OK);
    assert_int_equal(ash_load_set(w, load, v3(0, 7, 0), v3(0, 0, 8)), ASH_OK);
    now = ash_load_get(w, load);
    assert_true(now.body.id == def.body.id && now.force.y == 7 && now.torque.z == 8 && now.point.y == 1);
    assert_true(now.body_axes && now.start == 0.5 && now.stop == 2);
    assert_true(now.signal.kind == ASH_SIGNAL_TABLE && now.signal.count == 2 && now.signal.values[1] == 2);
    ash_world_destroy(w);
}

static ash_joint make_joint(ash_world *w, ash_body body, ash_joint_kind kind)
{
    ash_joint_def def = ash_default_joint_def(kind);
    ash_joint joint;
    def.body_b = body;
    if (kind == ASH_JOINT_HINGE)
        def.axes[ASH_TURN_X].friction = 0.5;
    else
        def.length = 2;
    assert_int_equal(ash_joint_create(w, &def, &joint, NULL), ASH_OK);
    return joint;
}

static void test_joints(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, 0), 1);
    ash_body body = make_ball(w, v3(0, 0, 0));
    ash_joint hinge = make_joint(w, body, ASH_JOINT_HINGE), rope = make_joint(w, body, ASH_JOINT_ROPE);
    assert_int_not_equal(ash_joint_set_motor(w, hinge, ASH_TURN_X, ASH_DRIVE_SERVO, 1, 10), ASH_OK); /* no gains yet */
    assert_int_equal(ash_joint_set_servo(w, hinge, ASH_TURN_X, 5, 6, 7), ASH_OK);
    assert_int_equal(ash_joint_set_motor(w, hinge, ASH_TURN_X, ASH_DRIVE_SERVO, 1, 10), ASH_OK);
    ash_joint_axis axis = ash_joint_get_axis(w, hinge, ASH_TURN_X);
    assert_true(axis.motor.drive == ASH_DRIVE_SERVO && axis.motor.target == 1 && axis.motor.max_force == 10);
    assert_true(axis.motor.proportional == 5 && axis.motor.integral == 6 && axis.motor.derivative == 7);
    assert_true(axis.friction == 0.5);
    assert_int_not_equal(ash_joint_set_servo(w, hinge, ASH_TURN_X, NAN, 0, 0), ASH_OK);
    assert_int_not_equal(ash_joint_set_servo(w, hinge, ASH_MOVE_X, 1, 0, 0), ASH_OK); /* which a hinge removes */
    assert_true(ash_joint_get_axis(w, hinge, ASH_TURN_X).motor.proportional == 5);
    assert_true(ash_joint_get_length(w, rope) == 2);
    assert_int_equal(ash_joint_set_length(w, rope, 3), ASH_OK);
    assert_true(ash_joint_get_length(w, rope) == 3);
    assert_true(ash_joint_get_length(w, hinge) == 0); /* it has none */
    assert_int_equal(ash_world_get_last_diagnostic(w).status, ASH_BAD_HANDLE);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies), cmocka_unit_test(test_worlds), cmocka_unit_test(test_springs_and_pulls),
        cmocka_unit_test(test_loads),  cmocka_unit_test(test_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
