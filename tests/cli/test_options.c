/* Options: every form in which they can be given, and what is said of those that cannot. */
#include "check.h"

#include <string.h>

#include "app/cli/options.h"

typedef struct all_values {
    bool flag;
    const char *text;
    cli_texts texts;
    double seconds;
    uint32_t count, whole;
} all_values;

static const cli_option options[] = {
    {"flag", 0, CLI_FLAG, NULL, "", offsetof(all_values, flag), 0},
    {"text", 'o', CLI_TEXT, "FILE", "", offsetof(all_values, text), 0},
    {"texts", 0, CLI_TEXTS, "KEY=VALUE", "", offsetof(all_values, texts), 0},
    {"seconds", 0, CLI_SECONDS, "H", "", offsetof(all_values, seconds), 0},
    {"count", 0, CLI_COUNT, "N", "", offsetof(all_values, count), 8},
    {"whole", 0, CLI_WHOLE, "N", "", offsetof(all_values, whole), 9},
};
enum { OPTIONS = sizeof options / sizeof *options };

static char message[512];

/* Parses up to 8 arguments; the operands are left in `arguments`. */
static char *arguments[8];
static uint32_t operand_count;
static cli_parsed parse(all_values *values, int count, ...)
{
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(list, char *);
    va_end(list);
    message[0] = 0;
    return cli_options_read(options, OPTIONS, count, arguments, values, &operand_count, message, sizeof message);
}

static void assert_refused(const char *expected_message, int count, ...)
{
    all_values values = {0};
    va_list list;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        arguments[i] = va_arg(list, char *);
    va_end(list);
    message[0] = 0;
    assert_int_equal(
        cli_options_read(options, OPTIONS, count, arguments, &values, &operand_count, message, sizeof message),
        CLI_REFUSED);
    assert_string_equal(message, expected_message);
    cli_options_release(options, OPTIONS, &values);
}

static void test_all_kinds_with_and_without_equals(void **state)
{
    (void)state;
    all_values values = {0};
    assert_int_equal(
        parse(&values, 8, "--flag", "--text", "a", "--seconds=0.25", "--texts", "k=1", "--texts=l=2", "--count=3"),
        CLI_PARSED);
    assert_true(values.flag);
    assert_string_equal(values.text, "a");
    assert_near(values.seconds, 0.25, 0);
    assert_int_equal(values.count, 3);
    assert_int_equal(values.texts.count, 2);
    assert_string_equal(values.texts.data[0], "k=1");
    assert_string_equal(values.texts.data[1], "l=2");
    assert_int_equal(operand_count, 0);
    cli_options_release(options, OPTIONS, &values);
    assert_int_equal(values.texts.count, 0);
}

static void test_short_forms(void **state)
{
    (void)state;
    all_values values = {0};
    assert_int_equal(parse(&values, 2, "-o", "a"), CLI_PARSED);
    assert_string_equal(values.text, "a");
    assert_int_equal(parse(&values, 1, "-ob"), CLI_PARSED);
    assert_string_equal(values.text, "b");
}

static void test_operands_keep_their_order_among_options(void **state)
{
    (void)state;
    all_values values = {0};
    assert_int_equal(parse(&values, 7, "one", "--flag", "-", "--count", "2", "--", "--text"), CLI_PARSED);
    assert_int_equal(operand_count, 3);
    assert_string_equal(arguments[0], "one");
    assert_string_equal(arguments[1], "-");
    assert_string_equal(arguments[2], "--text");
}

static void test_the_last_one_wins(void **state)
{
    (void)state;
    all_values values = {0};
    assert_int_equal(parse(&values, 4, "--count", "2", "--count", "5"), CLI_PARSED);
    assert_int_equal(values.count, 5);
    values.whole = 7;
    assert_int_equal(parse(&values, 2, "--whole", "0"), CLI_PARSED);
    assert_int_equal(values.whole, 0);
}

static void test_help_is_always_known(void **state)
{
    (void)state;
    all_values values = {0};
    assert_int_equal(parse(&values, 1, "--help"), CLI_HELP_WANTED);
    assert_int_equal(parse(&values, 2, "x", "-h"), CLI_HELP_WANTED);
}

static void test_numbers_are_checked(void **state)
{
    (void)state;
    assert_refused("--seconds is \"abc\", expected a number of seconds above 0", 2, "--seconds", "abc");
    assert_refused("--seconds is \"0\", expected a number of seconds above 0", 1, "--seconds=0");
    assert_refused("--seconds is \"-1\", expected a number of seconds above 0", 2, "--seconds", "-1");
    assert_refused("--seconds is \"nan\", expected a number of seconds above 0", 2, "--seconds", "nan");
    assert_refused("--seconds is \"1e999\", expected a number of seconds above 0", 2, "--seconds", "1e999");
    assert_refused("--seconds is \"\", expected a number of seconds above 0", 1, "--seconds=");
    assert_refused("--count is \"0\", expected a whole number from 1 to 8", 2, "--count", "0");
    assert_refused("--count is \"9\", expected a whole number from 1 to 8", 2, "--count", "9");
    assert_refused("--whole is \"10\", expected a whole number from 0 to 9", 1, "--whole=10");
    assert_refused("--count is \"1.5\", expected a whole number from 1 to 8", 2, "--count", "1.5");
}

static void test_missing_and_superfluous_values(void **state)
{
    (void)state;
    assert_refused("--text needs a value: --text FILE", 1, "--text");
    assert_refused("--text needs a value: --text FILE", 1, "-o");
    assert_refused("--text is empty, expected FILE", 1, "--text=");
    assert_refused("--flag takes no value, but \"yes\" was given", 1, "--flag=yes");
    assert_refused("--count is \"x\", expected a whole number from 1 to 8", 3, "--texts=k=1", "--count", "x");
}

static void test_unknown_options_get_a_suggestion(void **state)
{
    (void)state;
    assert_refused("unknown option --cuont (did you mean --count?)", 1, "--cuont=3");
    assert_refused("unknown option --halp (did you mean --help?)", 1, "--halp");
    assert_refused("unknown option --entirely-else", 1, "--entirely-else");
    assert_refused("unknown option -text (did you mean --text?)", 1, "-text");
    assert_refused("unknown option -x", 1, "-x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds_with_and_without_equals),
        cmocka_unit_test(test_short_forms),
        cmocka_unit_test(test_operands_keep_their_order_among_options),
        cmocka_unit_test(test_the_last_one_wins),
        cmocka_unit_test(test_help_is_always_known),
        cmocka_unit_test(test_numbers_are_checked),
        cmocka_unit_test(test_missing_and_superfluous_values),
        cmocka_unit_test(test_unknown_options_get_a_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
