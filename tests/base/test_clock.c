/* The clock moves forwards only. */
#include "check.h"

#include "base/clock.h"

static void test_time_never_runs_backwards(void **state)
{
    (void)state;
    double first = ashi_seconds(), last = first;
    for (int i = 0; i < 100000; i++) {
        double now = ashi_seconds();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_never_runs_backwards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
