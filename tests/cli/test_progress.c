/* The progress bar's text: what it tells, and that it fits. */
#include "check.h"

#include <string.h>

#include "app/cli/progress.h"
#include "app/cli/table.h"

static void test_it_tells_part_speed_and_time_left(void **state)
{
    (void)state;
    char text[512];
    cli_progress_text(text, sizeof text, "string", 2.5, 5, 0.5, 100, false);
    assert_string_equal(
        text, "string  [====================>                   ]   50 %  2.5 of 5 s  5x real time  0:00 left");
    cli_progress_text(text, sizeof text, "net", 1, 1001, 100, 100, false);
    assert_non_null(strstr(text, "27:46:40 left"));
    cli_progress_text(text, sizeof text, "net", 5, 5, 1, 100, false);
    assert_non_null(strstr(text, "[========================================]  100 %"));
    cli_progress_text(text, sizeof text, "net", 0, 5, 0, 100, false);
    assert_non_null(strstr(text, "0 %  0 of 5 s"));
    assert_null(strstr(text, "left")); /* not known yet */
}

static void test_work_without_simulated_time(void **state)
{
    (void)state;
    char text[512];
    cli_progress_share_text(text, sizeof text, "net", 0.25, 30, 100, false);
    assert_string_equal(text, "net  [==========>                             ]   25 %  1:30 left");
    cli_progress_share_text(text, sizeof text, "net", 0, 3, 100, false);
    assert_null(strstr(text, "left"));
}

static void test_it_fits_the_window(void **state)
{
    (void)state;
    char text[512];
    for (int columns = 0; columns < 200; columns++)
        for (int unicode = 0; unicode < 2; unicode++) {
            cli_progress_text(text, sizeof text, "a-scene-with-a-long-name", 123.456, 1234.5, 7, columns, unicode);
            assert_true(cli_text_width(text) <= columns);
            cli_progress_share_text(text, sizeof text, "a-scene-with-a-long-name", 0.3, 7, columns, unicode);
            assert_true(cli_text_width(text) <= columns);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_tells_part_speed_and_time_left),
        cmocka_unit_test(test_work_without_simulated_time),
        cmocka_unit_test(test_it_fits_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
