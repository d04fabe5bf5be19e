/* Rotation of one free body: what each way keeps over a minute of tumbling, and its order. */
#include "check.h"
#include "step/integrate/rotation.h"

static ashi_rotor make_rotor_of(ash_sym3 inertia)
{
    ashi_rotor rotor = {.inertia = inertia, .inverse = s3_inverse(inertia)};
    ashi_eigen_sym3(inertia, &rotor.principal, &rotor.principal_axes);
    return rotor;
}

typedef void (*turn_function)(const ashi_rotor *rotor, double h, ash_quat *q, ash_vec3 *w);

static void by_splitting(const ashi_rotor *rotor, double h, ash_quat *q, ash_vec3 *w)
{
    ashi_rotate_by_splitting(rotor, h, q, w);
}

static void by_midpoint(const ashi_rotor *rotor, double h, ash_quat *q, ash_vec3 *w)
{
    ash_quat middle;
    assert_true(ashi_rotate_by_midpoint(rotor, h, v3(0, 0, 0), q, w, &middle));
}

static void by_momentum(const ashi_rotor *rotor, double h, ash_quat *q, ash_vec3 *w)
{
    ashi_rotate_by_momentum(rotor, h, v3(0, 0, 0), q, w);
}

static double energy(const ashi_rotor *rotor, ash_quat q, ash_vec3 w)
{
    ash_vec3 b = q_unrotate(q, w);
    return 0.5 * v3_dot(b, s3_apply(rotor->inertia, b));
}

/* The largest relative errors of energy and momentum over `time` from a start near the unstable axis. */
static void tumble(const ashi_rotor *rotor, turn_function turn, double h, double time, double *energy_error,
                   double *momentum_error)
{
    ash_quat q = q_identity();
    ash_vec3 w = v3(0.1, 10, 0.1), l0 = ashi_angular_momentum(rotor, q, w);
    double e0 = energy(rotor, q, w);
    *energy_error = *momentum_error = 0;
    for (int i = 0; i < (int)(time / h + 0.5); i++) {
        turn(rotor, h, &q, &w);
        double e = fabs(energy(rotor, q, w) / e0 - 1);
        double l = v3_distance(ashi_angular_momentum(rotor, q, w), l0) / v3_norm(l0);
        *energy_error = e > *energy_error ? e : *energy_error;
        *momentum_error = l > *momentum_error ? l : *momentum_error;
    }
}

static void tumbling_keeps_what_it_should(void **state)
{
    (void)state;
    ashi_rotor rotor = make_rotor_of(s3_diagonal(1, 2, 3));
    double e, l;
    tumble(&rotor, by_midpoint, 1.0 / 60, 60, &e, &l);
    print_message("midpoint at 1/60 s over 60 s: energy %.1e, momentum %.1e\n", e, l);
    assert_below(e, 2e-13);
    assert_below(l, 2e-13);
    tumble(&rotor, by_splitting, 1.0 / 60, 60, &e, &l);
    print_message("splitting at 1/60 s over 60 s: energy %.1e, momentum %.1e\n", e, l);
    assert_below(e, 3e-4);
    assert_below(l, 2e-13);
    double twice = e;
    tumble(&rotor, by_splitting, 1.0 / 60, 600, &e, &l);
    assert_below(e, 1.5 * twice); /* bounded: ten times longer is no worse */
    tumble(&rotor, by_momentum, 1.0 / 60, 60, &e, &l);
    print_message("momentum Euler at 1/60 s over 60 s: energy %.1e, momentum %.1e\n", e, l);
    assert_below(l, 2e-13);
}

/* Where the body points after one second, against the midpoint rule with a tiny step. */
static double order_of(const ashi_rotor *rotor, turn_function turn)
{
    ash_quat exact = q_identity();
    ash_vec3 w = v3(0.3, 2, -1);
    for (int i = 0; i < 1 << 17; i++)
        by_midpoint(rotor, 1.0 / (1 << 17), &exact, &w);
    double errors[2];
    for (int k = 0; k < 2; k++) {
        int n = 100 << k;
        ash_quat q = q_identity();
        w = v3(0.3, 2, -1);
        for (int i = 0; i < n; i++)
            turn(rotor, 1.0 / n, &q, &w);
        errors[k] = v3_norm(q_log(q_mul(q, q_conjugate(exact))));
    }
    return log2(errors[0] / errors[1]);
}

static void orders_are_as_told(void **state)
{
    (void)state;
    ashi_rotor rotor = make_rotor_of((ash_sym3){1.2, 2.1, 2.8, 0.1, -0.2, 0.15}); /* not along its axes */
    assert_near(order_of(&rotor, by_splitting), 2, 0.02);
    assert_near(order_of(&rotor, by_midpoint), 2, 0.02);
    assert_near(order_of(&rotor, by_momentum), 1, 0.05);
}

static void midpoint_changes_momentum_by_the_torque(void **state)
{
    (void)state;
    ashi_rotor rotor = make_rotor_of((ash_sym3){1.2, 2.1, 2.8, 0.1, -0.2, 0.15});
    ash_quat q = ash_rotation(v3(1, 2, -1), 0.7), middle;
    ash_vec3 w = v3(1, -2, 0.5), torque = v3(0.3, -4, 2);
    for (int i = 0; i < 100; i++) {
        ash_vec3 before = ashi_angular_momentum(&rotor, q, w);
        assert_true(ashi_rotate_by_midpoint(&rotor, 0.05, torque, &q, &w, &middle));
        ash_vec3 gained = v3_sub(ashi_angular_momentum(&rotor, q, w), before);
        assert_near(v3_distance(gained, v3_scale(torque, 0.05)), 0, 1e-13);
    }
}

static void implicit_gyroscopic_torque_never_gains_energy(void **state)
{
    (void)state;
    ashi_rotor rotor = make_rotor_of(s3_diagonal(1, 2, 3));
    ash_quat q = q_identity();
    ash_vec3 w = v3(0.1, 30, 0.1);
    double before = energy(&rotor, q, w);
    for (int i = 0; i < 2000; i++) {
        w = ashi_gyroscopic_implicit(&rotor, 0.05, q, w);
        q = q_unit(q_mul(q_exp(v3_scale(w, 0.05)), q));
        double now = energy(&rotor, q, w);
        assert_true(now <= before * (1 + 1e-9));
        before = now;
    }
}

static void a_step_far_too_large_is_told(void **state)
{
    (void)state;
    ashi_rotor rotor = make_rotor_of(s3_diagonal(1, 2, 3));
    ash_quat q = q_identity(), middle;
    ash_vec3 w = v3(1e200, 1e200, 1e200);
    assert_false(ashi_rotate_by_midpoint(&rotor, 1, v3(0, 0, 0), &q, &w, &middle));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tumbling_keeps_what_it_should),
        cmocka_unit_test(orders_are_as_told),
        cmocka_unit_test(midpoint_changes_momentum_by_the_torque),
        cmocka_unit_test(implicit_gyroscopic_torque_never_gains_energy),
        cmocka_unit_test(a_step_far_too_large_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
