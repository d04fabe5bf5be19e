/* Random numbers: the published sequence, ranges kept, and plain statistics. */
#include "check.h"

#include "base/random.h"

/* The first outputs of SplitMix64 for seed 1234567, as its author gives them. */
static void test_known_sequence(void **state)
{
    (void)state;
    ashi_random random = {1234567};
    assert_true(ashi_random_bits(&random) == 6457827717110365317u);
    assert_true(ashi_random_bits(&random) == 3203168211198807973u);
    assert_true(ashi_random_bits(&random) == 9817491932198370423u);
}

static void test_ranges_and_moments(void **state)
{
    (void)state;
    enum { COUNT = 1000000 };
    ashi_random random = {99};
    double sum = 0, squares = 0, products = 0, last = 0.5;
    for (int i = 0; i < COUNT; i++) {
        double u = ashi_random_unit(&random);
        assert_true(u >= 0 && u < 1);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
        products += (u - 0.5) * (last - 0.5);
        last = u;
    }
    /* Five standard deviations each. */
    assert_near(sum / COUNT, 0.5, 5 * 0.2887e-3);
    assert_near(squares / COUNT, 1 / 12.0, 5 * 0.0745e-3);
    assert_near(products / COUNT, 0, 5 * 0.0833e-3);
}

static void test_a_range_excludes_its_end(void **state)
{
    (void)state;
    ashi_random random = {3};
    double high = nextafter(1, 2); /* the sum would round to it half of the time */
    for (int i = 0; i < 1000; i++) {
        assert_true(ashi_random_range(&random, 1, high) == 1);
        double x = ashi_random_range(&random, -3, 5);
        assert_true(x >= -3 && x < 5);
    }
}

static void test_counts_are_even(void **state)
{
    (void)state;
    ashi_random random = {4};
    int seen[10] = {0};
    for (int i = 0; i < 100000; i++) {
        uint32_t k = ashi_random_below(&random, 10);
        assert_true(k < 10);
        seen[k]++;
    }
    double chi2 = 0;
    for (int i = 0; i < 10; i++)
        chi2 += (seen[i] - 1e4) * (seen[i] - 1e4) / 1e4;
    assert_below(chi2, 9 + 6 * 4.3);
    assert_int_equal(ashi_random_below(&random, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_sequence),
        cmocka_unit_test(test_ranges_and_moments),
        cmocka_unit_test(test_a_range_excludes_its_end),
        cmocka_unit_test(test_counts_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
