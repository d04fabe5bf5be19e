/* Numbers from text: all of it or nothing, and '.' whatever the locale says. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "base/text.h"

#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>

static void test_numbers(void **state)
{
    (void)state;
    struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},      {"-0.5", -0.5},       {"+3", 3},
                {".5", 0.5},   {"1e3", 1000},        {"1E-3", 1e-3},
                {"1e-400", 0}, {"0.1", 0.1},         {"5.", 5},
                {"007", 7},    {"4.9e-324", 5e-324}, {"1.7976931348623157e308", 1.7976931348623157e308}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = -99;
        assert_true(ashi_parse_number(good[i].text, &value));
        assert_true(value == good[i].value);
    }
    const char *bad[] = {"",      " ",   "x",   "1x",   "1 ",   " 1",  "1,5", "1e",  "--1", "1.2.3",
                         "1e999", "inf", "nan", "-INF", "0x10", "1\n", "+",   "1e+", ".",   "e5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = -99;
        if (ashi_parse_number(bad[i], &value))
            fail_msg("\"%s\" was read as %g", bad[i], value);
        assert_true(value == -99); /* untouched */
    }
}

static void test_counts(void **state)
{
    (void)state;
    uint32_t value = 7;
    assert_true(ashi_parse_count("0", &value) && value == 0);
    assert_true(ashi_parse_count("4294967295", &value) && value == 4294967295u);
    assert_true(ashi_parse_count("1e3", &value) && value == 1000);
    value = 7;
    const char *bad[] = {"-1", "1.5", "4294967296", "", "many", "1e10"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ashi_parse_count(bad[i], &value));
    assert_int_equal(value, 7);
}

static void test_decimal_comma(void **state)
{
    (void)state;
    const char *locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "nl_NL.UTF-8", "ru_RU.UTF-8"};
    bool found = false;
    /* Where the build made a locale. Set here, not for the process: some libraries leak when they start under it. */
    const char *made = getenv("ASHLAR_TEST_LOCALES");
    if (made != NULL)
        assert_int_equal(setenv("LOCPATH", made, 1), 0);
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !found; i++)
        found = setlocale(LC_NUMERIC, locales[i]) != NULL;
    if (!found)
        skip();
    double value = 0;
    bool point = ashi_parse_number("1.5", &value) && value == 1.5, comma = ashi_parse_number("1,5", &value);
    setlocale(LC_NUMERIC, "C");
    assert_true(point);
    assert_false(comma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_decimal_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
