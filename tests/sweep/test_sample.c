/* Sampling: how evenly points lie, and whether random quantities are distributed as they say. */
#include "check.h"

#include "app/sweep/sample.h"

#include <stdlib.h>
#include <string.h>

/* Each of `count` slices of a coordinate has one point. */
static void assert_sliced(cli_sampling sampling, uint64_t seed, uint32_t count, uint32_t dimension)
{
    bool *taken = calloc(count, sizeof *taken);
    assert_non_null(taken);
    for (uint32_t i = 0; i < count; i++) {
        double u = cli_sample(sampling, seed, i, count, dimension);
        assert_true(u > 0 && u < 1);
        uint32_t slice = (uint32_t)(u * count);
        if (slice >= count || taken[slice])
            fail_msg("%s: slice %u of dimension %u is taken twice", cli_sampling_name(sampling), slice, dimension);
        taken[slice] = true;
    }
    free(taken);
}

static void test_latin_hypercubes_have_a_point_in_each_slice(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 10, 64, 1000, 4097};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t dimension = 0; dimension < 5; dimension++)
            assert_sliced(CLI_SAMPLE_LATIN, 17 + i, counts[i], dimension);
}

static void test_sobol_points_are_nets(void **state)
{
    (void)state;
    for (uint32_t dimension = 0; dimension < CLI_SOBOL_DIMENSIONS; dimension++)
        for (uint32_t count = 1; count <= 4096; count *= 4)
            assert_sliced(CLI_SAMPLE_SOBOL, 5, count, dimension);
    /* The first two coordinates: every box of 2^-a by 2^-(10 - a) has one of 2^10 points. */
    for (int a = 0; a <= 10; a++) {
        bool taken[1024] = {false};
        for (uint32_t i = 0; i < 1024; i++) {
            uint32_t column = (uint32_t)(cli_sample(CLI_SAMPLE_SOBOL, 3, i, 1024, 0) * (1 << a));
            uint32_t row = (uint32_t)(cli_sample(CLI_SAMPLE_SOBOL, 3, i, 1024, 1) * (1 << (10 - a)));
            uint32_t box = column << (10 - a) | row;
            assert_false(taken[box]);
            taken[box] = true;
        }
    }
}

/* The mean of the product of two coordinates, centred, is as small as chance makes it, or smaller. A wrong direction
 * number can make two coordinates the same. */
static void test_coordinates_are_independent(void **state)
{
    (void)state;
    enum { COUNT = 4096, DIMENSIONS = CLI_SOBOL_DIMENSIONS };
    static double u[DIMENSIONS][COUNT];
    for (int sampling = 0; sampling < CLI_SAMPLINGS; sampling++) {
        for (uint32_t d = 0; d < DIMENSIONS; d++)
            for (uint32_t i = 0; i < COUNT; i++)
                u[d][i] = cli_sample((cli_sampling)sampling, 1, i, COUNT, d) - 0.5;
        for (int a = 0; a < DIMENSIONS; a++)
            for (int b = 0; b < a; b++) {
                double sum = 0;
                for (int i = 0; i < COUNT; i++)
                    sum += u[a][i] * u[b][i];
                /* 1/144: the variance of a product; five standard deviations. */
                assert_near(sum / COUNT, 0, 5 * sqrt(1.0 / 144 / COUNT));
            }
    }
}

static void test_seeds_differ_and_repeat(void **state)
{
    (void)state;
    for (int sampling = 0; sampling < CLI_SAMPLINGS; sampling++) {
        double first = cli_sample((cli_sampling)sampling, 1, 3, 10, 0);
        assert_true(first == cli_sample((cli_sampling)sampling, 1, 3, 10, 0));
        assert_true(first != cli_sample((cli_sampling)sampling, 2, 3, 10, 0));
        assert_true(first != cli_sample((cli_sampling)sampling, 1, 3, 10, 1));
    }
}

static double quantile(const char *text, double u)
{
    cli_distribution d;
    const char *words;
    char message[400];
    if (!cli_distribution_read(text, &d, &words, message, sizeof message))
        fail_msg("%s: %s", text, message);
    return cli_distribution_value(&d, u);
}

static void test_quantiles_are_those_of_the_distributions(void **state)
{
    (void)state;
    static const double ps[] = {1e-15, 1e-9, 1e-3, 0.05, 0.07500001, 0.3, 0.5, 0.77, 0.95, 0.999, 1 - 1e-9};
    for (size_t i = 0; i < sizeof ps / sizeof *ps; i++) {
        double p = ps[i], x = quantile("normal(0,1)", p);
        /* erfc on the side where it is small; 1e-16 relative in x moves it by about x^2 times as much. */
        double tail = 0.5 * erfc(fabs(x) / sqrt(2.0)), smaller = p < 0.5 ? p : 1 - p;
        assert_near(tail / smaller, 1, 1e-14 * (1 + x * x));
        assert_near(quantile("normal(3,0.5)", p), 3 + 0.5 * x, 1e-15 * (3 + fabs(x)));
        assert_near(log(quantile("lognormal(1,0.25)", p)), 1 + 0.25 * x, 4e-16 * (1 + fabs(x)) + 1e-15);
        assert_near(quantile("uniform(-2,4)", p), -2 + 6 * p, 1e-15);
        assert_near(log(quantile("loguniform(0.01,100)", p)), log(0.01) + p * log(1e4), 1e-14);
        assert_near(exp(-quantile("exponential(2)", p) / 2), 1 - p, 1e-15);
        double t = quantile("triangular(1,2,5)", p);
        double below = t < 2 ? (t - 1) * (t - 1) / 4 : 1 - (5 - t) * (5 - t) / 12;
        assert_near(below, p, 1e-15);
        double whole = quantile("integer(-3,3)", p);
        assert_true(whole == floor(p * 7) - 3);
        assert_true(quantile("choice(a,b,c,d)", p) == floor(4 * p));
    }
}

static void test_what_is_no_distribution(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "1",
                                      "normal",
                                      "normal(1)",
                                      "normal(1,2",
                                      "normal(1,2) ",
                                      "normal(1,-2)",
                                      "normal(a,b)",
                                      "uniform(2,1)",
                                      "uniform(1,1)",
                                      "loguniform(0,1)",
                                      "triangular(1,0,2)",
                                      "integer(0.5,2)",
                                      "exponential(0)",
                                      "choice()",
                                      "choice(a,,b)",
                                      "choice(a,b,)",
                                      "gauss(0,1)",
                                      "normal(1,2,3)",
                                      "uniform(1,2,3,4)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cli_distribution d;
        const char *words;
        char message[400] = "";
        if (cli_distribution_read(bad[i], &d, &words, message, sizeof message) || message[0] == 0)
            fail_msg("%s is taken", bad[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latin_hypercubes_have_a_point_in_each_slice),
        cmocka_unit_test(test_sobol_points_are_nets),
        cmocka_unit_test(test_coordinates_are_independent),
        cmocka_unit_test(test_seeds_differ_and_repeat),
        cmocka_unit_test(test_quantiles_are_those_of_the_distributions),
        cmocka_unit_test(test_what_is_no_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
