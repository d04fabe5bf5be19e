/* Joints held by impulses: measured order and symmetry, energy over long times, errors at every step, one system
 * against joint by joint, loops, redundancy, contradiction, reactions, contacts and drives beside them, and the same
 * bits. */
#include "math/transform.h"
#include "worlds.h"

#include <string.h>

static const double gravity = 9.81;

static ash_world *make_jointed(const char *method, const char *const (*fields)[2], uint32_t count)
{
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    ash_world *world = NULL;
    if (ash_method_find(method, &def.method, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    for (uint32_t i = 0; i < count; i++)
        if (ash_method_set(&def.method, fields[i][0], fields[i][1], &diagnostic) != ASH_OK)
            fail_msg("%s", diagnostic.message);
    def.gravity = v3(0, 0, -gravity);
    if (ash_world_create(&def, &world, &diagnostic) != ASH_OK)
        fail_msg("world: %s", diagnostic.message);
    return world;
}

static ash_joint join(ash_world *world, ash_joint_kind kind, ash_body a, ash_body b, ash_vec3 point, ash_vec3 axis)
{
    ash_joint_def def = ash_default_joint_def(kind);
    ash_diagnostic diagnostic = {0};
    ash_joint joint = {0};
    def.body_a = a;
    def.body_b = b;
    assert_int_equal(ash_joint_def_place(world, &def, point, axis), ASH_OK);
    if (ash_joint_create(world, &def, &joint, &diagnostic) != ASH_OK)
        fail_msg("joint: %s", diagnostic.message);
    return joint;
}

static const ash_body background = {0};

/* A bar of 1 m and 2 kg from `end` along `way`, no shape. */
static ash_body make_bar(ash_world *world, ash_vec3 end, ash_vec3 way)
{
    ash_body_def def = ash_default_body_def();
    def.mass = 2;
    def.inertia = (ash_sym3){1.0 / 6, 1.0 / 6, 0.01, 0, 0, 0};
    def.position = v3_add_scaled(end, way, 0.5);
    ash_vec3 axis = v3_cross(v3(0, 0, 1), way);
    double sine = v3_norm(axis);
    def.rotation = sine > 0 ? q_exp(v3_scale(axis, atan2(sine, way.z) / sine)) : q_identity();
    return make_body(world, &def);
}

/* Bars on balls, each at the end of the last, turned a little more. */
static void make_chain(ash_world *world, uint32_t count, ash_body *bars, ash_joint *joints)
{
    ash_vec3 end = v3(0, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        double angle = 0.3 * i;
        ash_vec3 way = v3(cos(angle), 0.5 * sin(angle), 0);
        way = v3_scale(way, 1 / v3_norm(way));
        bars[i] = make_bar(world, end, way);
        joints[i] = join(world, ASH_JOINT_BALL, i > 0 ? bars[i - 1] : background, bars[i], end, v3(1, 0, 0));
        end = v3_add(end, way);
    }
}

static void step(ash_world *world, double h, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ash_world_step(world, h) != ASH_OK)
            fail_msg("step: %s", ash_world_get_last_diagnostic(world).message);
}

static const char *const methods[] = {"engineering", "bender-schmitt-2006", "bender-iterative"};
enum { METHODS = 3 };
static const char *const exactly[][2] = {{"joint-tolerance", "1e-13"}, {"joint-velocity-tolerance", "1e-13"}};

/* The angle from the vertical of a bar that falls from the horizontal, by Runge-Kutta on its equation of motion. */
static double pendulum_angle(double time)
{
    enum { STEPS = 200000 };
    const double rate = 1.5 * gravity; /* m g l/2 over m l2/3, l = 1 */
    double h = time / STEPS, angle = ASHI_PI / 2, speed = 0;
    for (int i = 0; i < STEPS; i++) {
        double k1 = speed, a1 = -rate * sin(angle);
        double k2 = speed + 0.5 * h * a1, a2 = -rate * sin(angle + 0.5 * h * k1);
        double k3 = speed + 0.5 * h * a2, a3 = -rate * sin(angle + 0.5 * h * k2);
        double k4 = speed + h * a3, a4 = -rate * sin(angle + h * k3);
        angle += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        speed += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return angle;
}

/* Where the end of the bar is after 1 s, against the truth. */
static double pendulum_error(const char *method, uint32_t steps)
{
    ash_world *w = make_jointed(method, exactly, 2);
    ash_body bar = make_bar(w, v3(0, 0, 0), v3(1, 0, 0));
    join(w, ASH_JOINT_HINGE, background, bar, v3(0, 0, 0), v3(0, 1, 0));
    step(w, 1.0 / steps, steps);
    double angle = pendulum_angle(1);
    ash_vec3 at = ash_body_get_centre(w, bar);
    ash_world_destroy(w);
    return v3_distance(at, v3(0.5 * sin(angle), 0, -0.5 * cos(angle)));
}

static void a_pendulum_converges_with_order_2(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        double coarse = pendulum_error(methods[m], 200), fine = pendulum_error(methods[m], 400);
        print_message("%-20s order %.3f, error %.1e at h = 2.5 ms\n", methods[m], log2(coarse / fine), fine);
        assert_near(log2(coarse / fine), 2, 0.05);
    }
}

/* Forwards, then with all velocities turned round back: a symmetric method arrives where it began. */
static void a_chain_goes_back_where_it_came_from(void **state)
{
    (void)state;
    enum { BARS = 5, STEPS = 200 };
    for (int m = 0; m < METHODS; m++) {
        ash_world *w = make_jointed(methods[m], exactly, 2);
        ash_body bars[BARS];
        ash_joint joints[BARS];
        make_chain(w, BARS, bars, joints);
        ash_vec3 start = ash_body_get_centre(w, bars[BARS - 1]);
        step(w, 0.005, STEPS);
        double way = v3_distance(ash_body_get_centre(w, bars[BARS - 1]), start);
        for (int i = 0; i < BARS; i++) {
            ash_body_set_velocity(w, bars[i], v3_scale(ash_body_get_velocity(w, bars[i]), -1));
            ash_body_set_angular_velocity(w, bars[i], v3_scale(ash_body_get_angular_velocity(w, bars[i]), -1));
        }
        step(w, 0.005, STEPS);
        double off = v3_distance(ash_body_get_centre(w, bars[BARS - 1]), start);
        print_message("%-20s went %.2f m and came back to %.1e m\n", methods[m], way, off);
        assert_true(way > 0.5);
        /* rk4 itself is symmetric but to order 5 */
        assert_below(off, m == 0 ? 1e-8 : 1e-4);
        ash_world_destroy(w);
    }
}

static void energy_does_not_drift(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *w = make_jointed(methods[m], exactly, 2);
        ash_body bars[3];
        ash_joint joints[3];
        make_chain(w, 3, bars, joints);
        double start = ash_world_get_ledger(w).total, largest[2] = {0, 0};
        const uint32_t steps = TRIALS(8) == 8 ? 40000 : 10000; /* fewer have no halves that are alike */
        for (uint32_t i = 0; i < steps; i++) {
            step(w, 0.0025, 1);
            double off = fabs(ash_world_get_ledger(w).total - start);
            largest[2 * i / steps] = fmax(largest[2 * i / steps], off);
        }
        ash_ledger ledger = ash_world_get_ledger(w);
        print_message("%-20s energy off by at most %.1e J in the first half of %g s, %.1e J in the second\n",
                      methods[m], largest[0], 0.0025 * steps, largest[1]);
        assert_below(largest[1], 2 * largest[0]);
        assert_below(largest[1], 0.3); /* of 200 J that go to and fro */
        /* what is off is in the books of the joints, not in the remainder */
        assert_near(ledger.joints, ledger.total - ledger.initial, 1e-6);
        ash_world_destroy(w);
    }
}

static void joints_hold_at_every_step(void **state)
{
    (void)state;
    enum { BARS = 12 };
    for (int m = 0; m < METHODS; m++) {
        static const char *const loosely[][2] = {{"joint-tolerance", "1e-6"}, {"joint-velocity-tolerance", "1e-6"}};
        ash_world *w = make_jointed(methods[m], loosely, 2);
        ash_body bars[BARS];
        ash_joint joints[BARS];
        make_chain(w, BARS, bars, joints);
        double error = 0, joint = 0, velocity = 0;
        for (int i = 0; i < 100; i++) {
            step(w, 1.0 / 120, 1);
            ash_step_report report = ash_world_get_report(w);
            assert_int_equal(report.flags, 0);
            for (int k = 0; k < BARS; k++)
                error = fmax(error, ash_joint_get_error(w, joints[k]).distance);
            joint += report.joint_corrections;
            velocity += report.velocity_corrections;
        }
        print_message("%-20s error %.1e m, %.2f and %.2f corrections a step\n", methods[m], error, joint / 100,
                      velocity / 100);
        assert_below(error, 1e-6 * (1 + 1e-6));
        if (m < 2) {
            assert_below(joint / 100, 4);
            assert_near(velocity / 100, 1, 0);
        }
        ash_world_destroy(w);
    }
}

/* One system and joint by joint have the same solution. */
static void both_ways_agree(void **state)
{
    (void)state;
    enum { BARS = 6 };
    ash_vec3 at[2];
    for (int m = 0; m < 2; m++) {
        ash_world *w = make_jointed(methods[m + 1], exactly, 2);
        ash_body bars[BARS];
        ash_joint joints[BARS];
        make_chain(w, BARS, bars, joints);
        step(w, 0.01, 50);
        at[m] = ash_body_get_centre(w, bars[BARS - 1]);
        ash_world_destroy(w);
    }
    assert_below(v3_distance(at[0], at[1]), 1e-9);
}

/* Bodies predicted singly, and the world by its integrator because a force depends on the state, if by nothing. */
static void predictions_agree(void **state)
{
    (void)state;
    enum { BARS = 4 };
    for (int m = 0; m < METHODS; m++) {
        ash_vec3 at[2];
        for (int general = 0; general < 2; general++) {
            ash_world *w = make_jointed(methods[m], exactly, 2);
            ash_body bars[BARS];
            ash_joint joints[BARS];
            make_chain(w, BARS, bars, joints);
            ash_spring_def spring = ash_default_spring_def();
            spring.body_b = bars[0];
            spring.stiffness = 1e-200;
            if (general)
                make_spring(w, &spring);
            step(w, 0.0025, 100);
            at[general] = ash_body_get_centre(w, bars[BARS - 1]);
            for (int k = 0; k < BARS; k++)
                assert_below(ash_joint_get_error(w, joints[k]).distance, 1e-12);
            ash_world_destroy(w);
        }
        print_message("%-20s differ by %.1e m\n", methods[m], v3_distance(at[0], at[1]));
        assert_below(v3_distance(at[0], at[1]), m == 0 ? 1e-10 : 1e-8); /* rk4 in body axes, and in the world's */
    }
}

/* The pendulum in a flat world is the same pendulum. */
static void flat_worlds_swing_alike(void **state)
{
    (void)state;
    double height[2];
    for (int planar = 0; planar < 2; planar++) {
        ash_world_def def = ash_default_world_def();
        ash_diagnostic diagnostic = {0};
        ash_world *w = NULL;
        assert_int_equal(ash_method_find("engineering", &def.method, &diagnostic), ASH_OK);
        def.planar = planar == 1;
        def.gravity = v3(0, -gravity, 0);
        assert_int_equal(ash_world_create(&def, &w, &diagnostic), ASH_OK);
        ash_body bar = make_rotor(w, 2, v3(1.0 / 6, 1.0 / 6, 1.0 / 6), v3(0.5, 0, 0), v3(0, 0, 0));
        join(w, ASH_JOINT_HINGE, background, bar, v3(0, 0, 0), v3(0, 0, 1));
        step(w, 0.0025, 400);
        height[planar] = ash_body_get_centre(w, bar).y;
        ash_world_destroy(w);
    }
    assert_near(height[0], -0.5 * cos(pendulum_angle(1)), 1e-5);
    assert_near(height[1], height[0], 1e-9);
}

/* ---- loops ---- */

/* A parallelogram of four bars' sides, the base being the world, with `extra` coupler bars across. */
static double swing_parallelogram(const char *method, const char *cut, uint32_t extra, ash_vec3 *at)
{
    const char *const fields[][2] = {
        {"joint-tolerance", "1e-12"}, {"joint-velocity-tolerance", "1e-12"}, {"cut-loops", cut}};
    ash_world *w = make_jointed(method, fields, 3);
    ash_vec3 y = v3(0, 1, 0), way = v3(0.6, 0, -0.8);
    ash_body left = make_bar(w, v3(0, 0, 0), way), right = make_bar(w, v3(1, 0, 0), way);
    ash_body across = make_bar(w, way, v3(1, 0, 0));
    ash_joint joints[8];
    uint32_t count = 0;
    joints[count++] = join(w, ASH_JOINT_HINGE, background, left, v3(0, 0, 0), y);
    joints[count++] = join(w, ASH_JOINT_HINGE, background, right, v3(1, 0, 0), y);
    joints[count++] = join(w, ASH_JOINT_HINGE, left, across, way, y);
    joints[count++] = join(w, ASH_JOINT_HINGE, right, across, v3_add(way, v3(1, 0, 0)), y);
    for (uint32_t i = 0; i < extra; i++) {
        ash_vec3 from = v3_scale(way, 0.5);
        ash_body more = make_bar(w, from, v3(1, 0, 0));
        joints[count++] = join(w, ASH_JOINT_HINGE, left, more, from, y);
        joints[count++] = join(w, ASH_JOINT_HINGE, right, more, v3_add(from, v3(1, 0, 0)), y);
    }
    double error = 0;
    for (int i = 0; i < 300; i++) {
        step(w, 0.01, 1);
        assert_int_equal(ash_world_get_report(w).flags & ASH_FLAG_NOT_FINITE, 0);
        for (uint32_t k = 0; k < count; k++) {
            ash_joint_error e = ash_joint_get_error(w, joints[k]);
            error = fmax(error, fmax(e.distance, e.angle));
        }
    }
    *at = ash_body_get_centre(w, across);
    ash_world_destroy(w);
    return error;
}

/* Every hinge of a planar loop in space is redundant by three. */
static void loops_close(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra < 2; extra++) {
        ash_vec3 together, apart;
        double error = swing_parallelogram("bender-schmitt-2006", "off", extra, &together);
        double cut = swing_parallelogram("bender-schmitt-2006", "on", extra, &apart);
        print_message("%u extra bars: error %.1e m in one system, %.1e in two\n", extra, error, cut);
        assert_below(error, 2e-12);
        assert_below(cut, 2e-12);
        assert_below(v3_distance(together, apart), 1e-7);
        assert_below(fabs(together.y), 1e-9);
        ash_vec3 by_joint;
        assert_below(swing_parallelogram("bender-iterative", "off", extra, &by_joint), 2e-12);
    }
}

/* Two joints that want one bar's end in different places. */
static void contradictions_are_told_and_harmless(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        ash_world *w = make_jointed(methods[m], NULL, 0);
        ash_body bar = make_bar(w, v3(0, 0, 0), v3(1, 0, 0));
        ash_method method = ash_world_get_method(w);
        method.joint_iterations = 50;
        assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
        for (int i = 0; i < 2; i++) {
            ash_joint_def def = ash_default_joint_def(ASH_JOINT_BALL);
            ash_joint joint;
            ash_diagnostic diagnostic;
            def.body_b = bar;
            def.frame_a.position = v3(0, 0, 0.2 * i);
            def.frame_b.position = v3(0, 0, -0.5);
            assert_int_equal(ash_joint_create(w, &def, &joint, &diagnostic), ASH_OK);
        }
        for (int i = 0; i < 20; i++) {
            assert_int_equal(ash_world_step(w, 0.01), ASH_OK);
            assert_true(ash_world_get_report(w).flags & ASH_FLAG_NOT_CONVERGED);
        }
        assert_below(v3_norm(ash_body_get_centre(w, bar)), 2);
        assert_below(v3_norm(ash_body_get_velocity(w, bar)), 1000);
        ash_world_destroy(w);
    }
}

/* ---- reactions ---- */

static void reactions_are_those_of_statics(void **state)
{
    (void)state;
    enum { BARS = 3 };
    for (int m = 0; m < METHODS; m++) {
        ash_world *w = make_jointed(methods[m], exactly, 2);
        ash_body bars[BARS];
        ash_joint joints[BARS];
        for (uint32_t i = 0; i < BARS; i++) {
            bars[i] = make_bar(w, v3(0, 0, -1.0 * i), v3(0, 0, -1));
            joints[i] =
                join(w, ASH_JOINT_BALL, i > 0 ? bars[i - 1] : background, bars[i], v3(0, 0, -1.0 * i), v3(1, 0, 0));
        }
        step(w, 0.01, 10);
        for (uint32_t i = 0; i < BARS; i++) {
            ash_joint_reaction reaction = ash_joint_get_reaction(w, joints[i], ASH_FRAME_WORLD);
            assert_near(reaction.force.z, 2 * gravity * (BARS - i), 1e-7);
            assert_below(fabs(reaction.force.x) + fabs(reaction.force.y), 1e-7);
            assert_false(reaction.indeterminate);
        }
        ash_world_destroy(w);
    }
}

/* ---- contacts and drives ---- */

static ash_body make_box(ash_world *world, ash_vec3 centre, ash_vec3 half, double mass)
{
    ash_geometry_def shape = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_diagnostic diagnostic = {0};
    ash_body_def def = ash_default_body_def();
    ash_shape_def solid = ash_default_shape_def();
    ash_body body = {0};
    shape.half_extents = half;
    def.mass = mass;
    def.position = centre;
    if (ash_geometry_create(&shape, &solid.geometry, &diagnostic) != ASH_OK ||
        ash_body_create(world, &def, &solid, 1, &body, &diagnostic) != ASH_OK)
        fail_msg("box: %s", diagnostic.message);
    ash_geometry_release(solid.geometry);
    return body;
}

static void make_floor(ash_world *world)
{
    ash_geometry_def shape = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    ash_diagnostic diagnostic = {0};
    ash_body_def def = ash_default_body_def();
    ash_shape_def solid = ash_default_shape_def();
    ash_body body = {0};
    def.type = ASH_BODY_STATIC;
    if (ash_geometry_create(&shape, &solid.geometry, &diagnostic) != ASH_OK ||
        ash_body_create(world, &def, &solid, 1, &body, &diagnostic) != ASH_OK)
        fail_msg("floor: %s", diagnostic.message);
    ash_geometry_release(solid.geometry);
}

/* A table: a heavy top on four legs by fixed joints and hinges that are held by their limits, dropped by a centimetre.
 */
static void a_jointed_figure_stands_on_a_floor(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *w = make_jointed(methods[m], NULL, 0);
        make_floor(w);
        ash_body top = make_box(w, v3(0, 0, 1.11), v3(0.6, 0.6, 0.05), 20);
        ash_joint joints[4];
        for (int i = 0; i < 4; i++) {
            ash_vec3 at = v3(i % 2 == 0 ? 0.5 : -0.5, i < 2 ? 0.5 : -0.5, 1.06);
            ash_body leg = make_box(w, v3(at.x, at.y, 0.535), v3(0.05, 0.05, 0.525), 1);
            joints[i] = join(w, ASH_JOINT_FIXED, top, leg, at, v3(1, 0, 0));
        }
        double error = 0, lowest = INFINITY;
        for (int i = 0; i < 200; i++) {
            step(w, 0.01, 1);
            for (int k = 0; k < 4; k++) {
                ash_joint_error e = ash_joint_get_error(w, joints[k]);
                error = fmax(error, fmax(e.distance, e.angle));
            }
            lowest = fmin(lowest, ash_body_get_centre(w, top).z);
        }
        ash_vec3 at = ash_body_get_centre(w, top);
        double borne = 0;
        for (int k = 0; k < 4; k++)
            borne += ash_joint_get_reaction(w, joints[k], ASH_FRAME_WORLD).force.z;
        print_message("%-20s top at %.6f m (lowest %.6f), joint error %.1e, legs bear %.6f N\n", methods[m], at.z,
                      lowest, error, -borne);
        assert_below(error, 2e-6);
        assert_near(at.z, 1.10, 1e-3);
        assert_near(fabs(at.x) + fabs(at.y), 0, 1e-3);
        assert_below(1.099, lowest);
        assert_below(v3_norm(ash_body_get_velocity(w, top)), 1e-3);
        assert_near(-borne, 20 * gravity, 0.01 * 20 * gravity);
        ash_world_destroy(w);
    }
}

/* A wheel on a motored hinge that hangs on a bar: the motor reaches its speed, and joints hold. */
static void motors_turn_what_impulses_hold(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        ash_world *w = make_jointed(methods[m], NULL, 0);
        ash_body bars[2];
        ash_joint joints[2];
        make_chain(w, 2, bars, joints);
        ash_vec3 end = v3_add(ash_body_get_centre(w, bars[1]), v3_sub(ash_body_get_centre(w, bars[1]), v3(1, 0, 0)));
        ash_body wheel = make_rotor(w, 1, v3(0.1, 0.1, 0.2), end, v3(0, 0, 0));
        ash_joint hinge = join(w, ASH_JOINT_HINGE, bars[1], wheel, end, v3(0, 0, 1));
        assert_int_equal(ash_joint_set_motor(w, hinge, ASH_TURN_X, ASH_DRIVE_VELOCITY, 5, 100), ASH_OK);
        for (int i = 0; i < 100; i++) {
            step(w, 0.005, 1);
            assert_below(ash_joint_get_error(w, hinge).distance, 1e-6);
            assert_below(ash_joint_get_error(w, joints[1]).distance, 1e-6);
        }
        assert_near(ash_joint_get_rate(w, hinge, ASH_TURN_X), 5, 0.02);
        ash_world_destroy(w);
    }
}

/* ---- the same bits ---- */

static uint64_t hash_of_run(bool touched, bool restored)
{
    enum { BARS = 8 };
    ash_world *w = make_jointed("bender-schmitt-2006", NULL, 0);
    ash_body bars[BARS];
    ash_joint joints[BARS];
    make_chain(w, BARS, bars, joints);
    for (int i = 0; i < 60; i++) {
        step(w, 0.01, 1);
        if (touched) /* nothing that is kept may be used */
            ash_world_set_gravity(w, ash_world_get_gravity(w));
        if (restored && i == 30) {
            ash_diagnostic diagnostic = {0};
            size_t size = 0;
            void *bytes = NULL;
            assert_int_equal(ash_world_save(w, &bytes, &size, &diagnostic), ASH_OK);
            step(w, 0.01, 7);
            assert_int_equal(ash_world_restore(w, bytes, size, &diagnostic), ASH_OK);
            ash_free(bytes);
        }
    }
    uint64_t hash = ash_world_get_hash(w);
    ash_world_destroy(w);
    return hash;
}

static void what_is_kept_changes_no_bits(void **state)
{
    (void)state;
    uint64_t plain = hash_of_run(false, false);
    assert_true(plain == hash_of_run(true, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_converges_with_order_2),
        cmocka_unit_test(a_chain_goes_back_where_it_came_from),
        cmocka_unit_test(energy_does_not_drift),
        cmocka_unit_test(joints_hold_at_every_step),
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(predictions_agree),
        cmocka_unit_test(flat_worlds_swing_alike),
        cmocka_unit_test(loops_close),
        cmocka_unit_test(contradictions_are_told_and_harmless),
        cmocka_unit_test(reactions_are_those_of_statics),
        cmocka_unit_test(a_jointed_figure_stands_on_a_floor),
        cmocka_unit_test(motors_turn_what_impulses_hold),
        cmocka_unit_test(what_is_kept_changes_no_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
