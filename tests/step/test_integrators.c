/* The integrators on whole worlds: measured orders, conservation, agreement with each other, locks, kinematic bodies.
 */
#include "math/transform.h"
#include "worlds.h"

/* Where a point of body a is after 0.5 s in the busy world. */
static ash_vec3 busy_answer(ash_integrator integrator, uint32_t steps)
{
    busy_world busy;
    make_busy(&busy, integrator, 1);
    take_steps(busy.world, 0.5 / steps, steps);
    ash_vec3 where = ash_body_point_to_world(busy.world, busy.a, v3(0.1, 0.05, 0.2));
    ash_world_destroy(busy.world);
    return where;
}

static void measured_orders(void **state)
{
    (void)state;
    static const double orders[ASH_INTEGRATORS] = {
        [ASH_EXPLICIT_EULER] = 1,    [ASH_SYMPLECTIC_EULER] = 1, [ASH_IMPLICIT_EULER] = 1, [ASH_RK4] = 4,
        [ASH_IMPLICIT_MIDPOINT] = 2, [ASH_AXIS_SPLITTING] = 1,   [ASH_SDIRK2] = 2,
    };
    ash_vec3 exact = busy_answer(ASH_RK4, 8000);
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        uint32_t n = k == ASH_RK4 ? 100 : orders[k] == 2 ? 200 : 2000;
        double coarse = v3_distance(busy_answer((ash_integrator)k, n), exact);
        double fine = v3_distance(busy_answer((ash_integrator)k, 2 * n), exact);
        double order = log2(coarse / fine);
        print_message("%-18s order %.3f (error %.1e at h = %g s)\n", ash_integrator_name((ash_integrator)k), order,
                      coarse, 0.5 / n);
        assert_near(order, orders[k], orders[k] == 4 ? 0.2 : 0.1);
    }
}

static void free_fall_is_exact_or_off_by_a_known_amount(void **state)
{
    (void)state;
    const double g = 10, h = 0.01;
    const int n = 100;
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        ash_world *w = make_world((ash_integrator)k, v3(0, 0, -g), 1);
        ash_body a = make_point(w, 2, v3(0, 0, 0), v3(1, 0, 3));
        take_steps(w, h, n);
        ash_vec3 x = ash_body_get_centre(w, a);
        double t = n * h, exact = 3 * t - 0.5 * g * t * t;
        double shift = 0.5 * g * h * t; /* x_n = x(t) -+ g h t / 2 for the Euler methods */
        double expected = k == ASH_RK4 || k == ASH_IMPLICIT_MIDPOINT || k == ASH_SDIRK2 ? exact
                          : k == ASH_EXPLICIT_EULER                                     ? exact + shift
                                                                                        : exact - shift;
        assert_near(x.z, expected, 1e-12);
        assert_near(x.x, 1, 1e-13);
        assert_near(ash_world_get_time(w), 1, 1e-15);
        ash_world_destroy(w);
    }
}

/* Two bodies on springs far from everything: momentum is kept by all but the linearized implicit step's angular part.
 */
/* The limit of iterations is a part's, not the step's: bodies of a pile that meet one after the other make a step of
 * hundreds of parts, and forces must act in the last of them, too. */
static void forces_act_in_every_part_of_a_step(void **state)
{
    (void)state;
    static const ash_integrator implicit[] = {ASH_IMPLICIT_MIDPOINT, ASH_IMPLICIT_EULER};
    for (int k = 0; k < 2; k++) {
        ash_world_def def = ash_default_world_def();
        ash_diagnostic diagnostic = {0};
        ash_world *w = NULL;
        assert_int_equal(ash_method_find(ash_integrator_name(implicit[k]), &def.method, &diagnostic), ASH_OK);
        assert_int_equal(ash_method_set(&def.method, "step-control", "substeps", &diagnostic), ASH_OK);
        assert_int_equal(ash_method_set(&def.method, "substeps", "16", &diagnostic), ASH_OK);
        assert_int_equal(ash_method_set(&def.method, "max-iterations", "4", &diagnostic), ASH_OK);
        def.gravity = v3(0, 0, -10);
        assert_int_equal(ash_world_create(&def, &w, &diagnostic), ASH_OK);
        ash_body a = make_point(w, 2, v3(0, 0, 0), v3(0, 0, 0));
        take_steps(w, 0.16, 1);
        double speed = ash_body_get_velocity(w, a).z;
        print_message("%-18s falls at %.6f m/s after 0.16 s in 16 parts\n", ash_integrator_name(implicit[k]), speed);
        assert_near(speed, -1.6, 1e-12);
        ash_world_destroy(w);
    }
}

static void momentum_is_kept(void **state)
{
    (void)state;
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        ash_world *w = make_world((ash_integrator)k, v3(0, 0, 0), 1);
        ash_spring_def def = ash_default_spring_def();
        def.body_a = make_point(w, 1, v3(0, 0, 0), v3(0, 1, 0));
        def.body_b = make_point(w, 3, v3(1, 0, 0), v3(0, -1, 0.5));
        def.stiffness = 50;
        def.damping = 0.5;
        def.rest_length = 0.8;
        make_spring(w, &def);
        ash_vec3 p0 = ash_world_get_momentum(w), l0 = ash_world_get_angular_momentum(w);
        take_steps(w, 0.002, 1000);
        assert_near(v3_distance(ash_world_get_momentum(w), p0), 0, 1e-12);
        double turned = v3_distance(ash_world_get_angular_momentum(w), l0);
        print_message("%-18s angular momentum off by %.1e\n", ash_integrator_name((ash_integrator)k), turned);
        if (k == ASH_SYMPLECTIC_EULER || k == ASH_AXIS_SPLITTING || k == ASH_IMPLICIT_MIDPOINT)
            assert_below(turned, 1e-12);
        ash_world_destroy(w);
    }
}

static void midpoint_conserves_linear_springs(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_IMPLICIT_MIDPOINT, v3(0, 0, -9.81), 1);
    ash_spring_def def = ash_default_spring_def();
    def.body_a = make_point(w, 1, v3(1, 0, 0), v3(0, 2, 0));
    def.stiffness = 100;
    def.rest_length = 0;
    make_spring(w, &def);
    take_steps(w, 0.05, 2000); /* h omega = 0.5 */
    ash_ledger ledger = ash_world_get_ledger(w);
    assert_below(fabs(ledger.remainder) / ledger.initial, 1e-11);
    assert_int_equal(ash_world_get_report(w).flags, 0);
    ash_world_destroy(w);
}

static void midpoint_says_when_it_does_not_converge(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_IMPLICIT_MIDPOINT, v3(0, 0, 0), 1);
    ash_method method = ash_world_get_method(w);
    method.max_iterations = 2;
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    ash_spring_def def = ash_default_spring_def();
    def.body_a = make_point(w, 1, v3(1, 0, 0), v3(0, 0, 0));
    def.stiffness = 100;
    def.rest_length = 0;
    make_spring(w, &def);
    ash_world_step(w, 0.3); /* h omega = 3 */
    assert_true(ash_world_get_report(w).flags & ASH_FLAG_INTEGRATOR_NOT_CONVERGED);
    ash_world_destroy(w);
}

/* All integrators agree on a planar-like body: only z turns, so there is no gyroscopic torque. */
static void locked_axes_do_not_move(void **state)
{
    (void)state;
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        ash_world *w = make_world((ash_integrator)k, v3(1, 2, 3), 1);
        ash_body_def def = ash_default_body_def();
        def.mass = 1;
        def.inertia = (ash_sym3){2, 2.5, 3, 0.2, 0.1, 0.3};
        def.locks = ASH_LOCK_Y | ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y;
        def.velocity = v3(1, 1, 1);
        def.angular_velocity = v3(1, 1, 1);
        ash_body a = make_body(w, &def);
        assert_near(ash_body_get_velocity(w, a).y, 0, 0);
        assert_near(ash_body_get_angular_velocity(w, a).x, 0, 0);
        ash_load_def load = ash_default_load_def();
        ash_force f;
        load.body = a;
        load.torque = v3(1, 1, 1);
        load.force = v3(0, 1, 0);
        assert_int_equal(ash_load_create(w, &load, &f, NULL), ASH_OK);
        take_steps(w, 0.001, 1000);
        ash_vec3 x = ash_body_get_centre(w, a), s = ash_body_get_angular_velocity(w, a);
        assert_near(x.y, 0, 0);
        assert_near(x.x, 1.5, 2e-3);
        assert_near(s.x, 0, 0);
        assert_near(s.y, 0, 0);
        assert_near(s.z, 1 + 1.0 / 3, 1e-9);
        ash_world_destroy(w);
    }
}

/* A rod that may turn about x and y but not z: its energy must be kept by the derivation in bodies.c. */
static void two_free_axes_keep_energy(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body_def def = ash_default_body_def();
    def.mass = 1;
    def.inertia = (ash_sym3){1, 2, 2.5, 0, 0, 0};
    def.locks = ASH_LOCK_ROTATION_Z;
    def.angular_velocity = v3(1, 2, 0);
    ash_body a = make_body(w, &def);
    double before = ash_body_get_kinetic_energy(w, a);
    take_steps(w, 0.001, 3000);
    assert_near(ash_body_get_kinetic_energy(w, a), before, 1e-10);
    assert_near(ash_body_get_angular_velocity(w, a).z, 0, 0);
    ash_world_destroy(w);
}

static void kinematic_bodies_follow_their_velocity(void **state)
{
    (void)state;
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        busy_world busy;
        make_busy(&busy, (ash_integrator)k, 1);
        take_steps(busy.world, 0.01, 100);
        ash_transform t = ash_body_get_transform(busy.world, busy.driven);
        assert_near(t.position.x, 0.1, 1e-14);
        assert_near(t.position.z, 2, 0);
        assert_near(v3_norm(q_log(t.rotation)), 0.4, 1e-13);
        ash_world_destroy(busy.world);
    }
}

static void quaternions_stay_unit(void **state)
{
    (void)state;
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        busy_world busy;
        make_busy(&busy, (ash_integrator)k, 1);
        for (int i = 0; i < 300; i++) {
            take_steps(busy.world, 0.005, 1);
            assert_near(q_norm2(ash_body_get_transform(busy.world, busy.a).rotation), 1, 1e-14);
        }
        ash_world_destroy(busy.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_orders),
        cmocka_unit_test(free_fall_is_exact_or_off_by_a_known_amount),
        cmocka_unit_test(forces_act_in_every_part_of_a_step),
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(midpoint_conserves_linear_springs),
        cmocka_unit_test(midpoint_says_when_it_does_not_converge),
        cmocka_unit_test(locked_axes_do_not_move),
        cmocka_unit_test(two_free_axes_keep_energy),
        cmocka_unit_test(kinematic_bodies_follow_their_velocity),
        cmocka_unit_test(quaternions_stay_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
