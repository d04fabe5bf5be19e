/* The cases that a command line asks for. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "app/sweep/plan.h"

#include <stdlib.h>
#include <string.h>

#include "ashlar/base.h"

static void assert_case(const cli_plan *plan, uint32_t number, const char *expected)
{
    char text[512] = "";
    for (uint32_t i = 0; i < plan->factors.count; i++) {
        char value[64];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s=%s", i > 0 ? " " : "", plan->factors.data[i].name,
                 cli_plan_value(plan, number, i, value, sizeof value));
    }
    assert_string_equal(text, expected);
}

static void test_grids(void **state)
{
    (void)state;
    cli_plan plan = {0};
    assert_true(cli_plan_vary(&plan, "mu=0.1:0.9:9") && cli_plan_vary(&plan, "method=a,b:x=y") &&
                cli_plan_vary(&plan, "k=1:100:3:log") && cli_plan_finish(&plan, 0, NULL, 0));
    assert_int_equal(plan.cases, 9 * 2 * 3);
    assert_case(&plan, 0, "mu=0.1 method=a k=1");
    assert_case(&plan, 1, "mu=0.1 method=a k=10");
    assert_case(&plan, 2, "mu=0.1 method=a k=100");
    assert_case(&plan, 3, "mu=0.1 method=b:x=y k=1");
    assert_case(&plan, 6, "mu=0.2 method=a k=1");
    assert_case(&plan, 12, "mu=0.3 method=a k=1"); /* not 0.30000000000000004 */
    assert_case(&plan, 53, "mu=0.9 method=b:x=y k=100");
    cli_plan_release(&plan);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_random_samples_are_those_of_every_combination(void **state)
{
    (void)state;
    cli_plan plan = {0};
    assert_true(cli_plan_vary(&plan, "n=1,2") && cli_plan_random(&plan, "m=uniform(0,1)") &&
                cli_plan_random(&plan, "w=choice(left,right)") && cli_plan_finish(&plan, 10, "sobol", 4));
    assert_int_equal(plan.cases, 20);
    uint32_t left = 0;
    for (uint32_t i = 0; i < 10; i++) {
        char first[64], second[64];
        for (uint32_t factor = 1; factor < 3; factor++) {
            const char *a = cli_plan_value(&plan, i, factor, first, sizeof first);
            assert_string_equal(a, cli_plan_value(&plan, 10 + i, factor, second, sizeof second));
            left += strcmp(a, "left") == 0;
        }
        assert_true(strtod(cli_plan_value(&plan, i, 1, first, sizeof first), NULL) ==
                    cli_sample(CLI_SAMPLE_SOBOL, 4, i, 10, 0));
    }
    assert_true(left >= 3 && left <= 7); /* five of ten, but for the shift within slices */
    cli_plan_release(&plan);
}

static void test_files_of_cases(void **state)
{
    (void)state;
    char path[] = "/tmp/ashlar-plan-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "wb");
    assert_non_null(file);
    fputs("mu, name\r\n0.1, a\r\n\r\n0.5,b\n", file);
    fclose(file);
    cli_plan plan = {0};
    assert_true(cli_plan_vary(&plan, "k=7,8") && cli_plan_file(&plan, path) && cli_plan_finish(&plan, 0, NULL, 0));
    assert_int_equal(plan.cases, 4);
    assert_case(&plan, 0, "k=7 mu=0.1 name=a");
    assert_case(&plan, 1, "k=7 mu=0.5 name=b");
    assert_case(&plan, 3, "k=8 mu=0.5 name=b");
    cli_plan_release(&plan);
    static const char *const bad[] = {"",           "mu\n",      "mu,k\n1\n",  "mu,k\n1,2,3\n", "mu,mu\n1,2\n",
                                      "mu,k\n1,\n", ",k\n1,2\n", "mu\n\"1\"\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        file = fopen(path, "wb");
        assert_non_null(file);
        fputs(bad[i], file);
        fclose(file);
        plan = (cli_plan){0};
        if (cli_plan_file(&plan, path))
            fail_msg("\"%s\" is taken", bad[i]);
        cli_plan_release(&plan);
    }
    remove(path);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_what_is_wrong_is_refused(void **state)
{
    (void)state;
    static const char *const vary[] = {"",         "mu",         "=1",           "mu=",        "mu=1,,2",
                                       "mu=1:2:0", "mu=1:2:1.5", "mu=0:2:3:log", "mu=1:2:3:4", "mu=1:2:3:log:5"};
    for (size_t i = 0; i < sizeof vary / sizeof *vary; i++) {
        cli_plan plan = {0};
        if (cli_plan_vary(&plan, vary[i]))
            fail_msg("%s is taken", vary[i]);
        cli_plan_release(&plan);
    }
    cli_plan plan = {0};
    assert_true(cli_plan_vary(&plan, "mu=1,2"));
    assert_false(cli_plan_random(&plan, "mu=uniform(0,1)")); /* twice */
    assert_false(cli_plan_random(&plan, "nu=uniform(1,0)"));
    cli_plan_release(&plan);
    plan = (cli_plan){0};
    assert_true(cli_plan_vary(&plan, "mu=0:1:100000") && cli_plan_vary(&plan, "nu=0:1:100000"));
    assert_false(cli_plan_finish(&plan, 0, NULL, 0)); /* 1e10 cases */
    assert_false(cli_plan_finish(&plan, 5, NULL, 0)); /* runs of what? */
    assert_false(cli_plan_finish(&plan, 0, "lattice", 0));
    cli_plan_release(&plan);
    plan = (cli_plan){0};
    assert_true(cli_plan_random(&plan, "mu=uniform(0,1)"));
    assert_false(cli_plan_finish(&plan, 0, NULL, 0));
    assert_true(cli_plan_finish(&plan, 5, "latin", 0));
    cli_plan_release(&plan);
    assert_int_equal(ash_memory_used().blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grids),
        cmocka_unit_test(test_random_samples_are_those_of_every_combination),
        cmocka_unit_test(test_files_of_cases),
        cmocka_unit_test(test_what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
