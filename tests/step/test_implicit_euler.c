/* Implicit springs: stiff strings far beyond the explicit bound, agreement of the solve with a dense one. */
#include "math/mat3.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

enum { MASSES = 12 };

/* A hanging string of point masses on stiff damped springs. */
static void make_string(ash_world *w, ash_body *bodies, double stiffness, double damping)
{
    for (int i = 0; i < MASSES; i++) {
        bodies[i] = make_point(w, 0.01, v3(0.1 * (i + 1), 0, 0), v3(0, 0, 0));
        ash_spring_def def = ash_default_spring_def();
        def.body_a = bodies[i];
        if (i > 0)
            def.body_b = bodies[i - 1];
        def.stiffness = stiffness;
        def.damping = damping;
        def.rest_length = 0.1;
        make_spring(w, &def);
    }
}

static void a_stiff_string_steps_far_beyond_the_bound(void **state)
{
    (void)state;
    const double stiffness = 1e6, mass = 0.01, omega = sqrt(stiffness / mass); /* 1e4 rad/s */
    ash_world *w = make_world(ASH_IMPLICIT_EULER, v3(0, 0, -9.81), 1);
    ash_body bodies[MASSES];
    make_string(w, bodies, stiffness, 1);
    const double h = 100 / omega; /* an explicit step must stay below 1 / omega */
    take_steps(w, h, 2000);       /* 20 s: it swings out */
    for (int i = 0; i < MASSES; i++) {
        ash_vec3 x = ash_body_get_centre(w, bodies[i]);
        ash_vec3 previous = i > 0 ? ash_body_get_centre(w, bodies[i - 1]) : v3(0, 0, 0);
        assert_near(v3_distance(x, previous), 0.1, 1e-4);
    }
    assert_below(ash_body_get_centre(w, bodies[MASSES - 1]).z, -1.15); /* nearly hanging */
    assert_int_equal(ash_world_get_report(w).flags, 0);
    ash_ledger ledger = ash_world_get_ledger(w);
    assert_true(ledger.remainder < 0); /* it loses energy, never gains */
    ash_world_destroy(w);
}

static void an_explicit_step_of_that_size_fails_and_says_so(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_SYMPLECTIC_EULER, v3(0, 0, -9.81), 1);
    ash_body bodies[MASSES];
    make_string(w, bodies, 1e6, 0);
    ash_status status = ASH_OK;
    for (int i = 0; i < 2000 && status == ASH_OK; i++)
        status = ash_world_step(w, 0.01);
    assert_int_equal(status, ASH_NUMERICS);
    assert_true(ash_world_get_report(w).flags & ASH_FLAG_NOT_FINITE);
    assert_non_null(strstr(ash_world_get_last_diagnostic(w).message, "not finite"));
    /* the last good state is kept */
    for (int i = 0; i < MASSES; i++)
        assert_true(v3_is_finite(ash_body_get_centre(w, bodies[i])));
    double time = ash_world_get_time(w);
    assert_int_equal(ash_world_step(w, 0.01), ASH_NUMERICS);
    assert_near(ash_world_get_time(w), time, 0);
    ash_world_destroy(w);
}

/* One step against the same linear system written out densely for a string on a line: masses m, springs k between
 * neighbours, all along x, displaced. */
static void one_step_equals_a_dense_solve(void **state)
{
    (void)state;
    enum { N = MASSES };
    const double m = 0.01, k = 3e4, c = 0.7, h = 0.02;
    ash_world *w = make_world(ASH_IMPLICIT_EULER, v3(0, 0, 0), 1);
    ash_body bodies[N];
    make_string(w, bodies, k, c);
    double x[N + 1] = {0}, v[N + 1] = {0};
    for (int i = 0; i < N; i++) {
        x[i + 1] = 0.1 * (i + 1) + 0.02 * sin(1.0 + 2 * i);
        v[i + 1] = 0.5 * cos(3.0 * i);
        ash_body_set_transform(w, bodies[i], (ash_transform){v3(x[i + 1], 0, 0), q_identity()});
        ash_body_set_velocity(w, bodies[i], v3(v[i + 1], 0, 0));
    }
    double a[N][N + 1];
    memset(a, 0, sizeof a);
    for (int i = 0; i < N; i++)
        a[i][i] = m;
    for (int s = 0; s < N; s++) { /* spring s between s (a wall for 0) and s + 1 */
        double stretch = x[s + 1] - x[s] - 0.1, rate = v[s + 1] - v[s], factor = h * h * k + h * c;
        double impulse = -h * (k * stretch + c * rate) - h * h * k * rate;
        a[s][s] += factor;
        a[s][N] += impulse;
        if (s > 0) {
            a[s - 1][s - 1] += factor;
            a[s][s - 1] -= factor;
            a[s - 1][s] -= factor;
            a[s - 1][N] -= impulse;
        }
    }
    for (int p = 0; p < N; p++) /* elimination without pivoting: positive definite */
        for (int i = p + 1; i < N; i++)
            for (int j = N; j >= p; j--)
                a[i][j] -= a[i][p] / a[p][p] * a[p][j];
    double change[N];
    for (int i = N - 1; i >= 0; i--) {
        change[i] = a[i][N];
        for (int j = i + 1; j < N; j++)
            change[i] -= a[i][j] * change[j];
        change[i] /= a[i][i];
    }
    take_steps(w, h, 1);
    for (int i = 0; i < N; i++)
        assert_near(ash_body_get_velocity(w, bodies[i]).x, v[i + 1] + change[i], 1e-8);
    ash_world_destroy(w);
}

/* A body on an offset spring with strong damping of its own: nothing may blow up at a step far beyond 1 / c. */
static void strong_damping_is_implicit(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_IMPLICIT_EULER, v3(0, 0, 0), 1);
    ash_body_def def = ash_default_body_def();
    def.mass = 1;
    def.inertia = (ash_sym3){1, 2, 3, 0.1, 0, 0};
    def.velocity = v3(1, 2, 3);
    def.angular_velocity = v3(3, 2, 1);
    def.linear_damping = def.angular_damping = 1e4;
    ash_body a = make_body(w, &def);
    take_steps(w, 0.1, 10);
    assert_below(v3_norm(ash_body_get_velocity(w, a)), 1e-20);
    assert_below(v3_norm(ash_body_get_angular_velocity(w, a)), 1e-20);
    ash_ledger ledger = ash_world_get_ledger(w);
    assert_below(ledger.kinetic, 1e-30);
    ash_world_destroy(w);
}

static void the_iteration_limit_is_flagged(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_IMPLICIT_EULER, v3(0, 0, -9.81), 1);
    ash_body bodies[MASSES];
    ash_method method = ash_world_get_method(w);
    make_string(w, bodies, 1e6, 0);
    ash_body_set_velocity(w, bodies[3], v3(1, 0, 0)); /* along the string, so that all springs answer */
    method.max_iterations = 2;
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    take_steps(w, 0.01, 1);
    assert_true(ash_world_get_report(w).flags & ASH_FLAG_INTEGRATOR_NOT_CONVERGED);
    assert_true(ash_world_get_report(w).residual > method.tolerance);
    assert_int_equal(ash_world_get_report(w).iterations, 2);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_string_steps_far_beyond_the_bound),
        cmocka_unit_test(an_explicit_step_of_that_size_fails_and_says_so),
        cmocka_unit_test(one_step_equals_a_dense_solve),
        cmocka_unit_test(strong_damping_is_implicit),
        cmocka_unit_test(the_iteration_limit_is_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
