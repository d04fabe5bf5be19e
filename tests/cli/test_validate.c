/* ashlar validate with experiments played by this test: verdicts, counts and exit statuses that the real ones, which
 * pass, never show. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/command.h"
#include "ashlar/scene.h"
#include "base/diagnostic.h"

/* What the experiments give. */
static ash_validation_row rows[4];
static uint32_t row_count, calls;
static ash_status outcome;

ash_status __wrap_ash_validate(const char *scene, bool (*row)(const ash_validation_row *row, void *user), void *user,
                               ash_diagnostic *diagnostic);
ash_status __wrap_ash_validate(const char *scene, bool (*row)(const ash_validation_row *row, void *user), void *user,
                               ash_diagnostic *diagnostic)
{
    (void)scene;
    calls++;
    for (uint32_t i = 0; i < row_count; i++)
        if (!row(&rows[i], user))
            return ASH_OK;
    return outcome == ASH_OK ? ASH_OK : ashi_fail(diagnostic, outcome, "test", "it broke off");
}

/* Runs the command; gives the exit status and, in `text`, what it printed. */
static char text[4096];
static int run_captured(int count, char **arguments)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int kept = dup(1);
    assert_true(kept >= 0 && dup2(fileno(file), 1) == 1);
    calls = 0;
    int status = cli_validate.run(count, arguments);
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return status;
}

static int validate(int count, const char *first, const char *second)
{
    char *arguments[] = {(char *)(uintptr_t)first, (char *)(uintptr_t)second};
    return run_captured(count, arguments);
}

static int set_up(void **state)
{
    (void)state;
    outcome = ASH_OK;
    row_count = 3;
    rows[0] = (ash_validation_row){"a", "x|y", "exact", 1.23456789, 1.23456788, 1e-6, ASH_PASS, "", NAN};
    rows[1] = (ash_validation_row){"a", "told", "paper", NAN, 2, NAN, ASH_REPORTED, "", NAN};
    rows[2] = (ash_validation_row){"a", "z", "exact", 1, INFINITY, 0.5, ASH_FAIL, "because", NAN};
    return 0;
}

static void test_a_failing_row_exits_with_1(void **state)
{
    (void)state;
    assert_int_equal(validate(0, NULL, NULL), CLI_CHECK_FAILED);
    assert_non_null(strstr(text, "pass           1.23457       1.23457        1e-06  a: x|y [exact]\n"));
    assert_non_null(strstr(text, "reported             -             2            -  a: told [paper]\n"));
    assert_non_null(strstr(text, "fail                 1           inf          0.5  a: z [exact]\n"));
    assert_non_null(strstr(text, " because\n"));
    assert_non_null(strstr(text, "\n3 rows: 1 pass, 1 fail, 1 reported\n"));
    row_count = 2;
    assert_int_equal(validate(0, NULL, NULL), CLI_DONE);
}

static void test_markdown_escapes(void **state)
{
    (void)state;
    assert_int_equal(validate(1, "--markdown", NULL), CLI_CHECK_FAILED);
    assert_non_null(strstr(text, "| a | x\\|y | exact | 1.23457 | 1.23457 | 1e-06 | pass |\n"));
    assert_non_null(strstr(text, "| a | told | paper | - | 2 | - | reported |\n"));
    assert_non_null(strstr(text, "| fail: because |\n"));
}

static void test_json_has_null_where_there_is_no_number(void **state)
{
    (void)state;
    assert_int_equal(validate(1, "--json", NULL), CLI_CHECK_FAILED);
    assert_non_null(strstr(text, "\"expected\": null,\n      \"ours\": 2.0,\n      \"limit\": null,\n"
                                 "      \"verdict\": \"reported\""));
    assert_non_null(strstr(text, "\"ours\": null"));
}

static void test_points_are_no_rows(void **state)
{
    (void)state;
    rows[3] = (ash_validation_row){"a", "a curve", "figure 1", NAN, 3, NAN, ASH_POINT, "", 0.5};
    row_count = 4;
    assert_int_equal(validate(0, NULL, NULL), CLI_CHECK_FAILED);
    assert_non_null(strstr(text, "\n3 rows: 1 pass, 1 fail, 1 reported\n"));
    assert_null(strstr(text, "a curve"));
    assert_int_equal(validate(1, "--markdown", NULL), CLI_CHECK_FAILED);
    assert_null(strstr(text, "a curve"));
    assert_int_equal(validate(1, "--json", NULL), CLI_CHECK_FAILED);
    assert_non_null(strstr(text, "\"figure\": \"figure 1\",\n      \"curve\": \"a curve\",\n      \"at\": 0.5,\n"));
}

static void test_each_name_is_run_and_counted_together(void **state)
{
    (void)state;
    row_count = 1;
    assert_int_equal(validate(2, "free-fall", "oscillator"), CLI_DONE);
    assert_int_equal(calls, 2);
    assert_non_null(strstr(text, "\n2 rows: 2 pass, 0 fail, 0 reported\n"));
    assert_int_equal(validate(2, "free-fall", "no-such"), CLI_BAD_INPUT);
    assert_int_equal(calls, 0);
}

/* The mock's rows are of no scene that was asked for, but are counted; those of the scenes come in their order. */
static void test_several_at_once(void **state)
{
    (void)state;
    const char *const scenes[] = {"bounce", "free-fall"};
    row_count = 1;
    for (int i = 0; i < 2; i++) {
        snprintf(rows[0].scene, sizeof rows[0].scene, "%s", scenes[i]);
        char *arguments[] = {"--jobs", "3", "bounce", "free-fall", "bounce"};
        assert_int_equal(run_captured(5, arguments), CLI_DONE);
        assert_int_equal(calls, 0); /* in this process */
        assert_non_null(strstr(text, "\n2 rows: 2 pass, 0 fail, 0 reported\n"));
        assert_non_null(strstr(text, scenes[i]));
    }
    row_count = 3;
    char *all[] = {"--jobs", "2", "bounce", "free-fall"};
    assert_int_equal(run_captured(4, all), CLI_CHECK_FAILED);
    assert_non_null(strstr(text, "\n6 rows: 2 pass, 2 fail, 2 reported\n"));
    outcome = ASH_NUMERICS;
    assert_int_equal(run_captured(4, all), CLI_CANNOT_GO_ON);
}

static void test_what_breaks_off(void **state)
{
    (void)state;
    outcome = ASH_NUMERICS;
    assert_int_equal(validate(2, "free-fall", "oscillator"), CLI_CANNOT_GO_ON);
    assert_int_equal(calls, 1);
    assert_non_null(strstr(text, "3 rows"));
    outcome = ASH_OUT_OF_MEMORY;
    assert_int_equal(validate(0, NULL, NULL), CLI_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_failing_row_exits_with_1, set_up),
        cmocka_unit_test_setup(test_markdown_escapes, set_up),
        cmocka_unit_test_setup(test_json_has_null_where_there_is_no_number, set_up),
        cmocka_unit_test_setup(test_points_are_no_rows, set_up),
        cmocka_unit_test_setup(test_each_name_is_run_and_counted_together, set_up),
        cmocka_unit_test_setup(test_several_at_once, set_up),
        cmocka_unit_test_setup(test_what_breaks_off, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
