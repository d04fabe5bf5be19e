/* Elementary functions against references in long double (64 bits of mantissa here): errors in units in the last place
 * over dense and random arguments, and special values. Prints the largest errors measured. */
#define _GNU_SOURCE
#include "check.h"

#include "base/hash.h"
#include "base/random.h"
#include "math/elementary.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Distance of value from the reference in units in the last place of the reference rounded to double. */
static double error_in_ulp(double value, long double reference)
{
    double rounded = (double)reference;
    if (isinf(rounded) || isinf(value))
        return value == rounded ? 0 : HUGE_VAL;
    int exponent;
    frexpl(reference, &exponent);
    if (reference == 0 || exponent < DBL_MIN_EXP)
        exponent = DBL_MIN_EXP;
    return (double)(fabsl((long double)value - reference) / ldexpl(1, exponent - DBL_MANT_DIG));
}

typedef struct worst {
    double error, at, at_second;
} worst;

static void keep(worst *w, double error, double at, double at_second)
{
    if (!(error <= w->error))
        *w = (worst){error, at, at_second};
}

static void report(const char *name, worst w)
{
    print_message("%-28s largest error %.4f ulp at %.17g, %.17g\n", name, w.error, w.at, w.at_second);
    if (!(w.error < 1))
        fail_msg("%s: error of %g ulp at %.17g, %.17g", name, w.error, w.at, w.at_second);
}

/* A finite double with any exponent between the two. */
static double any_double(ashi_random *random, int low_exponent, int high_exponent)
{
    int exponent = low_exponent + (int)ashi_random_below(random, (uint32_t)(high_exponent - low_exponent + 1));
    double value = ldexp(1 + ashi_random_unit(random), exponent);
    return ashi_random_bits(random) & 1 ? -value : value;
}

static void check_circular(worst *s, worst *c, double x)
{
    double sine, cosine;
    ashi_sincos(x, &sine, &cosine);
    if (sine != ashi_sin(x) || cosine != ashi_cos(x) || sine != -ashi_sin(-x) || cosine != ashi_cos(-x))
        fail_msg("sincos, sin and cos do not agree at %.17g", x);
    if (!(fabs(sine) <= 1 && fabs(cosine) <= 1))
        fail_msg("sine %.17g, cosine %.17g at %.17g", sine, cosine, x);
    keep(s, error_in_ulp(sine, sinl(x)), x, 0);
    keep(c, error_in_ulp(cosine, cosl(x)), x, 0);
}

static void test_sine_and_cosine(void **state)
{
    (void)state;
    worst s = {0}, c = {0};
    for (int i = -200000; i <= 200000; i++)
        check_circular(&s, &c, i * (10.0 / 200000));
    report("sin, dense in [-10, 10]", s);
    report("cos, dense in [-10, 10]", c);
    ashi_random random = {1};
    for (int i = 0; i < 400000; i++)
        check_circular(&s, &c, any_double(&random, -40, 19));
    report("sin, |x| < 1e6", s);
    report("cos, |x| < 1e6", c);
}

static void test_multiples_of_half_pi(void **state)
{
    (void)state;
    worst s = {0}, c = {0};
    for (int n = 1; n <= 700000; n += n < 1000 ? 1 : 97) {
        double x = (double)(n * 1.57079632679489661923132169163975144L);
        check_circular(&s, &c, x);
        check_circular(&s, &c, nextafter(x, 0));
        check_circular(&s, &c, nextafter(x, HUGE_VAL));
    }
    report("sin near n pi/2", s);
    report("cos near n pi/2", c);
}

/* The double nearest to a multiple of pi/2 (found by Kahan's program for the worst case): 6381956970095103 * 2^797. Its
 * cosine was computed with 2000 bits. */
static void test_large_arguments(void **state)
{
    (void)state;
    double hardest = ldexp(6381956970095103.0, 797);
    assert_below(error_in_ulp(ashi_cos(hardest), -4.68716592425462761112e-19L), 1);
    assert_true(ashi_sin(hardest) == 1);

    worst s = {0}, c = {0};
    ashi_random random = {2};
    for (int i = 0; i < 200000; i++)
        check_circular(&s, &c, any_double(&random, 15, 62)); /* where long double functions reduce exactly */
    report("sin, 2^15 <= |x| < 2^63", s);
    report("cos, 2^15 <= |x| < 2^63", c);
    worst against_libm = {0};
    for (int i = 0; i < 200000; i++) {
        double x = any_double(&random, 63, 1023), sine, cosine;
        ashi_sincos(x, &sine, &cosine);
        assert_near(sine * sine + cosine * cosine, 1, 4e-16);
        keep(&against_libm, error_in_ulp(sine, sin(x)), x, 0);
        keep(&against_libm, error_in_ulp(cosine, cos(x)), x, 0);
    }
    print_message("huge x: at most %.1f ulp from libm\n", against_libm.error);
    assert_below(against_libm.error, 1);
}

static void check_arctan(worst *w, double y, double x)
{
    double value = ashi_atan2(y, x);
    if (value != -ashi_atan2(-y, x))
        fail_msg("atan2(%.17g, %.17g) is not odd", y, x);
    keep(w, error_in_ulp(value, atan2l(y, x)), y, x);
}

static void test_arctan(void **state)
{
    (void)state;
    worst w = {0};
    for (int i = 0; i < 300000; i++) {
        double angle = i * (6.283185307179586 / 300000);
        check_arctan(&w, 3 * sin(angle), 3 * cos(angle));
    }
    report("atan2 on a circle", w);
    ashi_random random = {3};
    for (int i = 0; i < 300000; i++)
        check_arctan(&w, any_double(&random, -30, 30), any_double(&random, -10, 10));
    report("atan2, random", w);
    for (int i = 0; i < 300000; i++) /* the whole range, with quotients that overflow and vanish */
        check_arctan(&w, any_double(&random, -1070, 1023), any_double(&random, -1070, 1023));
    report("atan2, all exponents", w);
    for (int i = 0; i < 100000; i++) /* subnormal pairs */
        check_arctan(&w, any_double(&random, -1074, -1015), any_double(&random, -1074, -1015));
    report("atan2, subnormal", w);
}

static void test_arccos(void **state)
{
    (void)state;
    worst w = {0};
    for (int i = -300000; i <= 300000; i++)
        keep(&w, error_in_ulp(ashi_acos(i / 300000.0), acosl(i / 300000.0)), i / 300000.0, 0);
    ashi_random random = {4};
    for (int i = 0; i < 300000; i++) { /* near the ends and near zero */
        double small = fabs(any_double(&random, -60, -2));
        keep(&w, error_in_ulp(ashi_acos(1 - small), acosl(1 - small)), 1 - small, 0);
        keep(&w, error_in_ulp(ashi_acos(small - 1), acosl(small - 1)), small - 1, 0);
        keep(&w, error_in_ulp(ashi_acos(small), acosl(small)), small, 0);
    }
    report("acos", w);
    assert_true(ashi_acos(1) == 0 && ashi_acos(2) == 0 && ashi_acos(HUGE_VAL) == 0);
    assert_true(ashi_acos(-1) == M_PI && ashi_acos(-7) == M_PI && ashi_acos(-HUGE_VAL) == M_PI);
    assert_true(ashi_acos(0) == M_PI / 2 && ashi_acos(5e-324) == M_PI / 2);
    assert_true(isnan(ashi_acos(NAN)));
}

static void test_exponential(void **state)
{
    (void)state;
    worst w = {0};
    for (int i = -300000; i <= 300000; i++)
        keep(&w, error_in_ulp(ashi_exp(i * 2e-5), expl(i * 2e-5)), i * 2e-5, 0);
    report("exp, dense in [-6, 6]", w);
    ashi_random random = {5};
    for (int i = 0; i < 300000; i++) {
        double x = ashi_random_range(&random, -745.5, 710), tiny = any_double(&random, -70, 2);
        keep(&w, error_in_ulp(ashi_exp(x), expl(x)), x, 0);
        keep(&w, error_in_ulp(ashi_exp(tiny), expl(tiny)), tiny, 0);
    }
    report("exp, all", w);
    assert_true(ashi_exp(0) == 1 && ashi_exp(-0.0) == 1 && ashi_exp(5e-324) == 1);
    assert_true(ashi_exp(HUGE_VAL) == HUGE_VAL && ashi_exp(-HUGE_VAL) == 0 && isnan(ashi_exp(NAN)));
    assert_true(ashi_exp(709.782712893384) == (double)expl(709.782712893384) && isfinite(ashi_exp(709.782712893384)));
    assert_true(ashi_exp(709.79) == HUGE_VAL && ashi_exp(1e308) == HUGE_VAL && ashi_exp(-1e308) == 0);
    assert_true(ashi_exp(-745.13) == 5e-324);
}

static void test_logarithm(void **state)
{
    (void)state;
    worst w = {0};
    for (int i = 1; i <= 400000; i++)
        keep(&w, error_in_ulp(ashi_ln(i * 1e-5), logl(i * 1e-5)), i * 1e-5, 0);
    report("ln, dense in (0, 4]", w);
    ashi_random random = {6};
    for (int i = 0; i < 300000; i++) {
        double x = fabs(any_double(&random, -1074, 1023)), near_one = 1 + any_double(&random, -54, -2);
        keep(&w, error_in_ulp(ashi_ln(x), logl(x)), x, 0);
        keep(&w, error_in_ulp(ashi_ln(near_one), logl(near_one)), near_one, 0);
    }
    report("ln, all", w);
    assert_true(ashi_ln(1) == 0 && !signbit(ashi_ln(1)));
    assert_true(ashi_ln(0) == -HUGE_VAL && ashi_ln(-0.0) == -HUGE_VAL && ashi_ln(HUGE_VAL) == HUGE_VAL);
    assert_true(isnan(ashi_ln(-1)) && isnan(ashi_ln(-5e-324)) && isnan(ashi_ln(-HUGE_VAL)) && isnan(ashi_ln(NAN)));
}

/* The functions give these very bits on every machine and with every compiler: a hash over their values. */
static void test_the_same_bits_everywhere(void **state)
{
    (void)state;
    ashi_random random = {7};
    uint64_t hash = ASHI_HASH_START;
    for (int i = 0; i < 20000; i++) {
        double x = any_double(&random, -20, 12), y = any_double(&random, -20, 12),
               large = any_double(&random, 20, 1000);
        double values[] = {ashi_sin(x),      ashi_cos(x),  ashi_sin(large), ashi_cos(large),
                           ashi_atan2(y, x), ashi_acos(x), ashi_exp(x / 8), ashi_ln(fabs(x))};
        hash = ashi_hash(hash, values, sizeof values);
    }
    print_message("hash of elementary functions: 0x%016llx\n", (unsigned long long)hash);
    assert_true(hash == 0x6d5515c89a0b228e);
}

/* The same number with the same sign: tells -0 from 0. */
static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void test_special_values_of_circular_functions(void **state)
{
    (void)state;
    assert_true(same(ashi_sin(0), 0) && same(ashi_sin(-0.0), -0.0));
    assert_true(ashi_cos(0) == 1 && ashi_cos(-0.0) == 1);
    assert_true(same(ashi_sin(5e-324), 5e-324) && same(ashi_sin(-5e-324), -5e-324) && ashi_cos(5e-324) == 1);
    assert_true(same(ashi_sin(1e-310), 1e-310));
    double not_finite[] = {HUGE_VAL, -HUGE_VAL, NAN};
    for (int i = 0; i < 3; i++) {
        double s = 0, c = 0;
        ashi_sincos(not_finite[i], &s, &c);
        assert_true(isnan(ashi_sin(not_finite[i])) && isnan(ashi_cos(not_finite[i])) && isnan(s) && isnan(c));
    }
}

static void test_special_values_of_arctan(void **state)
{
    (void)state;
    double values[] = {0, -0.0, 1, -1, 5e-324, -5e-324, DBL_MAX, -DBL_MAX, DBL_MIN, -DBL_MIN, HUGE_VAL, -HUGE_VAL, NAN};
    int count = sizeof values / sizeof *values;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double ours = ashi_atan2(values[i], values[j]), theirs = atan2(values[i], values[j]);
            if (isnan(theirs) ? !isnan(ours) : !same(ours, theirs))
                fail_msg("atan2(%g, %g) is %.17g, expected %.17g", values[i], values[j], ours, theirs);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sine_and_cosine),
        cmocka_unit_test(test_multiples_of_half_pi),
        cmocka_unit_test(test_large_arguments),
        cmocka_unit_test(test_arctan),
        cmocka_unit_test(test_arccos),
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_logarithm),
        cmocka_unit_test(test_the_same_bits_everywhere),
        cmocka_unit_test(test_special_values_of_circular_functions),
        cmocka_unit_test(test_special_values_of_arctan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
