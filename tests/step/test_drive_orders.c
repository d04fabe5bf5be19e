/* The order of springs, dampers and servos in joints: a pendulum on a hinge with each, against its equation of motion
 *   I x'' = m g l cos x - k (x - rest) - c x',   x from the horizontal downwards, I about the hinge. */
#include "math/quat.h"
#include "worlds.h"

static const double gravity = 9.81, mass = 2, arm = 0.5, inertia = 1.0 / 6, stiffness = 20, damping = 1.5, end = 0.8;

typedef enum spring_kind { SPRING, SERVO } spring_kind;

static double acceleration(double x, double rate, double rest)
{
    double torque = mass * gravity * arm * cos(x) - stiffness * (x - rest) - damping * rate;
    return torque / (inertia + mass * arm * arm);
}

/* By Runge and Kutta's method, right to 1e-12. */
static double right_angle(double rest)
{
    const int steps = 4000;
    double h = end / steps, x = 0, rate = 0;
    for (int i = 0; i < steps; i++) {
        double a1 = acceleration(x, rate, rest), rate2 = rate + 0.5 * h * a1;
        double a2 = acceleration(x + 0.5 * h * rate, rate2, rest), rate3 = rate + 0.5 * h * a2;
        double a3 = acceleration(x + 0.5 * h * rate2, rate3, rest), rate4 = rate + h * a3;
        double a4 = acceleration(x + h * rate3, rate4, rest);
        x += h / 6 * (rate + 2 * rate2 + 2 * rate3 + rate4);
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

static ash_world *make_exact(const char *method)
{
    static const char *const exact[][2] = {{"joint-tolerance", "1e-11"}, {"joint-velocity-tolerance", "1e-11"}};
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(method, &def.method, &diagnostic), ASH_OK);
    for (int i = 0; i < 2; i++)
        if (ash_method_set(&def.method, exact[i][0], exact[i][1], &diagnostic) != ASH_OK)
            fail_msg("%s", diagnostic.message);
    def.gravity = v3(0, 0, -gravity);
    if (ash_world_create(&def, &world, &diagnostic) != ASH_OK)
        fail_msg("world: %s", diagnostic.message);
    return world;
}

/* A bar from the origin along x on a hinge about y. */
static ash_joint make_pendulum(ash_world *world, spring_kind kind, double rest)
{
    ash_body_def bar = ash_default_body_def();
    bar.mass = mass;
    bar.inertia = (ash_sym3){0.01, inertia, inertia, 0, 0, 0};
    bar.position = v3(arm, 0, 0);
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
    def.body_b = make_body(world, &bar);
    assert_int_equal(ash_joint_def_place(world, &def, v3(0, 0, 0), v3(0, 1, 0)), ASH_OK);
    ash_joint_axis *axis = &def.axes[ASH_TURN_X];
    if (kind == SPRING) {
        axis->stiffness = stiffness;
        axis->damping = damping;
        axis->rest = rest;
    } else {
        axis->motor.drive = ASH_DRIVE_SERVO;
        axis->motor.target = rest;
        axis->motor.proportional = stiffness;
        axis->motor.derivative = damping;
    }
    ash_joint joint = {0};
    ash_diagnostic diagnostic = {0};
    if (ash_joint_create(world, &def, &joint, &diagnostic) != ASH_OK)
        fail_msg("joint: %s", diagnostic.message);
    return joint;
}

static double angle_after(const char *method, spring_kind kind, double rest, double h)
{
    ash_world *world = make_exact(method);
    ash_joint joint = make_pendulum(world, kind, rest);
    for (long i = lround(end / h); i > 0; i--)
        assert_int_equal(ash_world_step(world, h), ASH_OK);
    double angle = ash_joint_get_position(world, joint, ASH_TURN_X);
    ash_world_destroy(world);
    return angle;
}

static void springs_and_servos_are_of_the_order_that_the_docs_say(void **state)
{
    static const struct {
        const char *name;
        double order;
    } methods[] = {{"engineering", 2}, {"bender-schmitt-2006", 2}, {"realtime", 1}};
    static const char *const kinds[] = {[SPRING] = "spring and damper", [SERVO] = "servo"};
    const double rest = 0.3, right = right_angle(rest);
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int kind = SPRING; kind <= SERVO; kind++) {
            double coarse = angle_after(methods[m].name, (spring_kind)kind, rest, 0.005) - right;
            double fine = angle_after(methods[m].name, (spring_kind)kind, rest, 0.0025) - right;
            double order = log2(fabs(coarse / fine));
            print_message("%-20s %-18s off by %.2e rad at h 2.5 ms, order %.3f\n", methods[m].name, kinds[kind], fine,
                          order);
            assert_near(order, methods[m].order, 0.1);
        }
}

/* ---- motors ---- */

static ash_body add_part(ash_world *world, double x, double part_mass, double part_inertia)
{
    ash_body_def def = ash_default_body_def();
    def.mass = part_mass;
    def.inertia = (ash_sym3){part_inertia, part_inertia, part_inertia, 0, 0, 0};
    def.position = v3(x, 0, 0);
    return make_body(world, &def);
}

static void join(ash_world *world, ash_joint_kind kind, ash_body a, ash_body b, double x, double speed)
{
    ash_joint_def def = ash_default_joint_def(kind);
    ash_joint joint;
    def.body_a = a;
    def.body_b = b;
    assert_int_equal(ash_joint_def_place(world, &def, v3(x, 0, 0), v3(1, 0, 0)), ASH_OK);
    if (speed > 0)
        def.axes[ASH_TURN_Z].motor = (ash_joint_motor){.drive = ASH_DRIVE_VELOCITY, .target = speed, .max_force = 5};
    assert_int_equal(ash_joint_create(world, &def, &joint, NULL), ASH_OK);
}

/* A motor turns a crank that moves a piston for three seconds: the ledger. */
static ash_ledger turn_crank(const char *method, double h)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(method, &def.method, NULL), ASH_OK);
    def.planar = true;
    def.gravity = v3(0, 0, 0);
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_body crank = add_part(world, 0.05, 1, 0.002), rod = add_part(world, 0.2, 0.5, 0.003);
    ash_body piston = add_part(world, 0.3, 0.8, 0.001), none = {0};
    join(world, ASH_JOINT_HINGE, none, crank, 0, 20);
    join(world, ASH_JOINT_HINGE, crank, rod, 0.1, 0);
    join(world, ASH_JOINT_HINGE, rod, piston, 0.3, 0);
    join(world, ASH_JOINT_SLIDER, none, piston, 0.3, 0);
    for (long i = lround(3 / h); i > 0; i--) {
        assert_int_equal(ash_world_step(world, h), ASH_OK);
        assert_int_equal(ash_world_get_report(world).flags, 0);
    }
    ash_ledger ledger = ash_world_get_ledger(world);
    ash_world_destroy(world);
    return ledger;
}

/* Passive joints do no work beside a motor: what the ledger has of theirs is the error of a scheme of order 2. */
static void joints_do_no_work_beside_a_motor(void **state)
{
    static const char *const methods[] = {"engineering", "bender-schmitt-2006"};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        ash_ledger coarse = turn_crank(methods[m], 0.004), fine = turn_crank(methods[m], 0.002);
        print_message("%-20s works of motor %.4f J, of joints %.1e and %.1e J, energy %.4f J\n", methods[m],
                      fine.motors, coarse.joints, fine.joints, fine.total);
        assert_true(fabs(fine.joints) < 0.001 * fine.total);
        assert_true(fabs(coarse.joints) > 3 * fabs(fine.joints));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_and_servos_are_of_the_order_that_the_docs_say),
        cmocka_unit_test(joints_do_no_work_beside_a_motor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
