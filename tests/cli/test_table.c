/* Tables: alignment, wrapping, Markdown. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "app/cli/table.h"

static cli_table fill(void)
{
    cli_table table = cli_table_begin("lrl", true);
    static const char *const cells[] = {"name", "n", "what", "a", "1", "short", "b\xc3\xa9", "100", "a text|of words"};
    for (size_t i = 0; i < 9; i++)
        cli_table_cell(&table, "%s", cells[i]);
    return table;
}

static void assert_prints(const cli_table *table, int width, bool markdown, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_true(markdown ? cli_table_print_markdown(table, stream) : cli_table_print(table, stream, width));
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

static void test_columns_line_up(void **state)
{
    (void)state;
    cli_table table = fill();
    table.indent = 1;
    assert_prints(&table, 0, false,
                  " name    n  what\n"
                  " a       1  short\n"
                  " b\xc3\xa9    100  a text|of words\n");
    cli_table_release(&table);
}

static void test_the_last_column_wraps(void **state)
{
    (void)state;
    cli_table table = cli_table_begin("ll", false);
    cli_table_cell(&table, "key");
    cli_table_cell(&table, "several words that do not fit into one line of the window");
    assert_prints(&table, 31, false,
                  "key  several words that do not\n"
                  "     fit into one line of the\n"
                  "     window\n");
    assert_prints(&table, 20, false, /* too narrow to be worth it */
                  "key  several words that do not fit into one line of the window\n");
    cli_table_release(&table);
}

static void test_markdown(void **state)
{
    (void)state;
    cli_table table = fill();
    assert_prints(&table, 0, true,
                  "| name | n | what |\n"
                  "|---|---:|---|\n"
                  "| a | 1 | short |\n"
                  "| b\xc3\xa9 | 100 | a text\\|of words |\n");
    cli_table_release(&table);
}

static void test_numbers(void **state)
{
    (void)state;
    char text[32];
    assert_string_equal(cli_number_text(NAN, text, sizeof text), "-");
    assert_string_equal(cli_number_text(3.14159265, text, sizeof text), "3.14159");
    assert_string_equal(cli_number_text(-1e-12, text, sizeof text), "-1e-12");
}

static void test_shortening_counts_characters(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(cli_shorten("b\xc3\xa9\xc3\xa9t", 4, text, sizeof text), "b\xc3\xa9\xc3\xa9t");
    assert_string_equal(cli_shorten("b\xc3\xa9\xc3\xa9ts", 4, text, sizeof text), "b...");
    assert_string_equal(cli_shorten("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 5, text, sizeof text),
                        "\xc3\xa9\xc3\xa9...");
}

static void test_no_memory_is_noticed(void **state)
{
    (void)state;
    ashi_alloc_fail_at(3, true);
    cli_table table = fill();
    ashi_alloc_fail_at(0, false);
    assert_false(cli_table_print(&table, stdout, 0));
    assert_false(cli_table_print_markdown(&table, stdout));
    cli_table_release(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_line_up),
        cmocka_unit_test(test_the_last_column_wraps),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_shortening_counts_characters),
        cmocka_unit_test(test_no_memory_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
