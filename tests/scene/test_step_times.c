/* Mean, maximum and median of step times; the median stays right when only part of them is kept. */
#include "check.h"

#include "scene/run/step_times.h"

static void test_no_steps(void **state)
{
    (void)state;
    ashi_step_times times = {0};
    assert_true(ashi_step_times_mean(&times) == 0);
    assert_true(ashi_step_times_median(&times) == 0);
}

static void test_few_steps(void **state)
{
    (void)state;
    const double seconds[] = {5, 1, 4, 2, 100};
    ashi_step_times times = {0};
    for (int i = 0; i < 4; i++)
        assert_true(ashi_step_times_add(&times, seconds[i]));
    assert_true(ashi_step_times_mean(&times) == 3);
    assert_true(ashi_step_times_median(&times) == 3); /* between 2 and 4 */
    assert_true(ashi_step_times_add(&times, seconds[4]));
    assert_true(ashi_step_times_median(&times) == 4);
    assert_true(times.max == 100);
    ashi_step_times_release(&times);
}

/* 0, 1, ..., n-1 in a scattered order: 7919 is a prime that does not divide n. */
static void test_many_steps_are_thinned_evenly(void **state)
{
    (void)state;
    ashi_step_times times = {0};
    const uint64_t n = 5000000;
    for (uint64_t i = 0; i < n; i++)
        assert_true(ashi_step_times_add(&times, (double)(i * 7919 % n)));
    assert_int_equal(times.count, n);
    assert_int_equal(times.stride, 4);
    assert_true(times.kept.count <= ASHI_STEP_TIMES_KEPT);
    assert_int_equal(times.kept.count, (n + 3) / 4);
    assert_true(times.max == (double)(n - 1));
    assert_near(ashi_step_times_mean(&times), (double)(n - 1) / 2, 0);
    assert_near(ashi_step_times_median(&times), (double)(n - 1) / 2, 2);
    ashi_step_times_release(&times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_steps), cmocka_unit_test(test_few_steps),
                                       cmocka_unit_test(test_many_steps_are_thinned_evenly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
