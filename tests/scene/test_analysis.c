/* The measures that experiments are judged by, on signals whose answers are known. */
#include "check.h"

#include "experiments/analysis.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static void test_fitted_order_of_powers(void **state)
{
    (void)state;
    double h[] = {0.1, 0.05, 0.02, 0.01}, error[4];
    for (int order = 1; order <= 4; ++order) {
        for (int i = 0; i < 4; ++i)
            error[i] = 3.7 * pow(h[i], order);
        assert_near(ashi_fitted_order(h, error, 4), order, 1e-12);
    }
}

static void test_fitted_order_is_least_squares(void **state)
{
    (void)state;
    /* ln x = 0, 1, 2; ln y = 0, 3, 3: slope 1.5 */
    double x[] = {1, exp(1), exp(2)}, y[] = {1, exp(3), exp(3)};
    assert_near(ashi_fitted_order(x, y, 3), 1.5, 1e-12);
}

static void test_fitted_order_refuses_what_has_no_logarithm(void **state)
{
    (void)state;
    double x[] = {1, 2}, zero[] = {1, 0}, infinite[] = {1, (double)INFINITY}, same[] = {2, 2};
    assert_true(isnan(ashi_fitted_order(x, zero, 2)));
    assert_true(isnan(ashi_fitted_order(x, infinite, 2)));
    assert_true(isnan(ashi_fitted_order(same, x, 2)));
    assert_true(isnan(ashi_fitted_order(x, x, 1)));
}

static void test_crossing_frequency(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    double *values = malloc(COUNT * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < COUNT; ++i)
        values[i] = sin(2 * pi * 1.2345 * 0.01 * i + 0.3);
    assert_near(ashi_crossing_frequency(values, COUNT, 0.01), 1.2345, 1e-7);
    for (int i = 0; i < COUNT; ++i)
        values[i] = 1;
    assert_near(ashi_crossing_frequency(values, COUNT, 0.01), 0, 0);
    free(values);
}

static void test_spectral_peak_between_bins(void **state)
{
    (void)state;
    enum { COUNT = 8000 };
    double *values = malloc(COUNT * sizeof *values);
    assert_non_null(values);
    /* A strong sine nearby must not pull the weak one's peak. */
    for (int i = 0; i < COUNT; ++i)
        values[i] = 3 * sin(2 * pi * 5.1634 * 0.001 * i) + 0.01 * cos(2 * pi * 15.477 * 0.001 * i + 1);
    ashi_peak strong = ashi_spectral_peak(values, COUNT, 0.001, 4, 6);
    ashi_peak weak = ashi_spectral_peak(values, COUNT, 0.001, 14, 17);
    assert_near(strong.frequency, 5.1634, 1e-5);
    assert_near(strong.amplitude, 3, 1e-4);
    assert_near(weak.frequency, 15.477, 1e-3);
    assert_near(weak.amplitude, 0.01, 1e-4);
    assert_near(ashi_spectral_peak(values, 2, 0.001, 4, 6).amplitude, 0, 0);
    assert_near(ashi_spectral_peak(values, COUNT, 0.001, 6, 4).amplitude, 0, 0);
    free(values);
}

/* The eigenvector of the tridiagonal chain belongs to the frequency given. */
static void test_chain_frequency_is_an_eigenvalue(void **state)
{
    (void)state;
    const double tension = 1.9, mass = 3.5e-4, spacing = 0.0487;
    const uint32_t masses = 31;
    for (uint32_t mode = 1; mode <= masses; ++mode) {
        double omega = ashi_chain_frequency(tension, mass, spacing, masses, mode);
        for (uint32_t i = 1; i <= masses; ++i) {
            double left = sin(mode * pi * (i - 1) / (masses + 1.0)), here = sin(mode * pi * i / (masses + 1.0));
            double right = sin(mode * pi * (i + 1) / (masses + 1.0));
            double force = tension / spacing * (2 * here - left - right);
            assert_near(force, mass * omega * omega * here, 1e-9);
        }
    }
}

static void test_fall_with_drag(void **state)
{
    (void)state;
    const double g = 9.81;
    ashi_fall vacuum = ashi_fall_with_drag(g, 0, 2);
    assert_near(vacuum.distance, 2 * g, 1e-12);
    assert_near(vacuum.speed, 2 * g, 1e-12);
    /* thin air: nearly the same, without cancellation */
    assert_near(ashi_fall_with_drag(g, 1e-14, 2).distance, 2 * g, 1e-11);
    /* thick air: the terminal speed */
    assert_near(ashi_fall_with_drag(g, 10, 1000).speed, sqrt(g / 10), 1e-12);
    assert_near(ashi_fall_with_drag(g, 10, 1000).distance, 1000 * sqrt(g / 10) - log(2.0) / 10, 1e-9);
    /* the equation of motion, by central differences, on both sides of the change of formula */
    for (double t = 0.1; t < 3; t += 0.1) {
        const double k = 0.2, d = 1e-4;
        ashi_fall before = ashi_fall_with_drag(g, k, t - d), now = ashi_fall_with_drag(g, k, t);
        ashi_fall after = ashi_fall_with_drag(g, k, t + d);
        assert_near((after.distance - before.distance) / (2 * d), now.speed, 1e-6);
        assert_near((after.speed - before.speed) / (2 * d), g - k * now.speed * now.speed, 1e-6);
    }
}

/* dv/dt = -g - k |v| v by Runge and Kutta's method, with impacts found between steps. */
static ashi_flight stepped_bounce(double g, double k, double drop, double e, double time)
{
    double h = 1e-5, z = drop, v = 0;
    uint32_t bounces = 0;
    for (double t = 0; t < time - h / 2; t += h) {
        double a = -g - k * fabs(v) * v, v2 = v + h / 2 * a, b = -g - k * fabs(v2) * v2, v3 = v + h / 2 * b;
        double c = -g - k * fabs(v3) * v3, v4 = v + h * c, d = -g - k * fabs(v4) * v4;
        double next_z = z + h / 6 * (v + 2 * v2 + 2 * v3 + v4), next_v = v + h / 6 * (a + 2 * b + 2 * c + d);
        if (next_z < 0) {
            /* Within a step the motion is all but straight: the part after the impact is flown upwards. */
            double part = z / (z - next_z), hit = v + part * (next_v - v);
            next_v = -e * hit - g * (1 - part) * h;
            next_z = -e * hit * (1 - part) * h;
            bounces++;
        }
        z = next_z;
        v = next_v;
    }
    return (ashi_flight){z, v, bounces};
}

static void test_bounces_with_drag_are_those_of_an_integration(void **state)
{
    (void)state;
    for (double k = 0; k < 0.5; k += 0.2)
        for (double time = 0.1; time < 2.5; time += 0.37) {
            ashi_flight exact = ashi_bounce_with_drag(9.81, k, 1.5, 0.73, time);
            ashi_flight stepped = stepped_bounce(9.81, k, 1.5, 0.73, time);
            assert_int_equal(exact.bounces, stepped.bounces);
            assert_near(exact.height, stepped.height, 1e-4);
            assert_near(exact.velocity, stepped.velocity, 1e-3);
        }
    assert_near(ashi_bounce_with_drag(9.81, 0.02, 1.5, 0.73, 1000).height, 0, 0);
    assert_int_equal(ashi_bounce_with_drag(9.81, 0.02, 1.5, 0, 10).bounces, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounces_with_drag_are_those_of_an_integration),
        cmocka_unit_test(test_fitted_order_of_powers),
        cmocka_unit_test(test_fitted_order_is_least_squares),
        cmocka_unit_test(test_fitted_order_refuses_what_has_no_logarithm),
        cmocka_unit_test(test_crossing_frequency),
        cmocka_unit_test(test_spectral_peak_between_bins),
        cmocka_unit_test(test_chain_frequency_is_an_eigenvalue),
        cmocka_unit_test(test_fall_with_drag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
