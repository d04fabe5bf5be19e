/* Numbers as text: they read back bit for bit, in any locale. */
#include "check.h"

#include "base/number.h"
#include "base/random.h"
#include "base/text.h"

#include <float.h>
#include <locale.h>
#include <string.h>

static void check_number(double number)
{
    char text[ASHI_NUMBER_SIZE];
    double read;
    assert_true(ashi_parse_number(ashi_number_text(number, text), &read));
    assert_memory_equal(&read, &number, sizeof number);
    assert_null(strchr(text, ','));
}

static void check_many(void)
{
    ashi_random random = {7};
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = ashi_random_bits(&random);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number))
            check_number(number);
        check_number(ashi_random_range(&random, -10, 10));
    }
}

static void numbers_read_back(void **state)
{
    (void)state;
    const double edges[] = {0, -0.0, 1, -1, 0.1, DBL_MAX, DBL_MIN, 4.9406564584124654e-324, 9007199254740993.0, 1e22};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        check_number(edges[i]);
    check_many();
}

static void few_digits_are_enough(void **state)
{
    (void)state;
    char text[ASHI_NUMBER_SIZE];
    assert_string_equal(ashi_number_text(0.1, text), "0.1");
    assert_string_equal(ashi_number_text(-9.81, text), "-9.81");
    assert_string_equal(ashi_number_text(1.0 / 3, text), "0.3333333333333333");
    assert_string_equal(ashi_number_text(-0.0, text), "-0.0");
    assert_string_equal(ashi_number_text(1e-10, text), "1e-10");
}

static void the_locale_does_not_matter(void **state)
{
    (void)state;
    const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < 3; i++) {
        if (setlocale(LC_ALL, names[i]) == NULL)
            continue;
        check_many();
        setlocale(LC_ALL, "C");
        return;
    }
    skip(); /* no such locale on this machine */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(few_digits_are_enough),
        cmocka_unit_test(the_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
