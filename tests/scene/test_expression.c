/* Expressions: what they mean, that their functions are as exact as documented, that bad ones are refused where they
 * are bad, and that evaluating allocates nothing. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "base/random.h"
#include "scene/expression/expression.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"q", "qd", "arm.angle", "mu"};
static const double values[] = {0.5, -3, 2, 0.25};
enum { NAMES = sizeof names / sizeof *names };

static double value_of(const char *text)
{
    ash_diagnostic diagnostic = {0};
    ashi_expression *expression;
    if (ashi_expression_compile(text, names, NAMES, &expression, &diagnostic) != ASH_OK)
        fail_msg("%s: %s at %d", text, diagnostic.message, diagnostic.column);
    double value = ashi_expression_evaluate(expression, values);
    ashi_expression_destroy(expression);
    return value;
}

static void test_what_they_mean(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"2", 2},
        {" 1e-3 ", 1e-3},
        {".5 + 2.", 2.5},
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"10 - 4 - 3", 3},
        {"16 / 4 / 2", 2},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"2^-2", 0.25},
        {"- -2", 2},
        {"+2", 2},
        {"7 % 3", 1},
        {"-7 % 3", 2},
        {"7 % -3", -2},
        {"6 % 3", 0},
        {"1 < 2", 1},
        {"2 <= 2", 1},
        {"2 > 2", 0},
        {"2 >= 2", 1},
        {"1 == 1 && 2 != 3", 1},
        {"1 < 0 || 0 > 1", 0},
        {"0 || 0 && 1 || 1", 1},
        {"!0 + !5", 1},
        {"!q == 0", 1},
        {"1 < 2 == 2 > 1", 1},
        {"q > 0 ? 10 : 20", 10},
        {"q < 0 ? 10 : q == 0.5 ? 20 : 30", 20},
        {"1 ? 0 ? 1 : 2 : 3", 2},
        {"q > 0 ? 1/q : 1/0", 2},
        {"-20*q - 2*qd", -4},
        {"$mu * 4", 1},
        {"arm.angle + $arm.angle", 4},
        {"min(3, q, 7)", 0.5},
        {"max(3, q, 7)", 7},
        {"min(4)", 4},
        {"clamp(5, 0, 2) + clamp(-5, -1, 2) + clamp(0.5, 0, 1)", 1.5},
        {"floor(-1.5) + ceil(1.2) + round(2.5) + trunc(-2.9)", 1},
        {"sign(-2) + sign(0) + sign(9)", 0},
        {"abs(-3)", 3},
        {"sqrt(9)", 3},
        {"mod(-1, 4)", 3},
        {"hypot(3, -4)", 5},
        {"pow(2, 10)", 1024},
        {"(-2)^3", -8},
        {"0^0", 1},
        {"4^0.5", 2},
        {"log10(1000)", 3},
        {"ln(1)", 0},
        {"true + true + false", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (value_of(cases[i].text) != cases[i].value)
            fail_msg("%s is %.17g, expected %.17g", cases[i].text, value_of(cases[i].text), cases[i].value);
    assert_near(value_of("pi"), 3.14159265358979323846, 0);
    assert_near(value_of("tau / 2 - pi"), 0, 0);
    assert_near(value_of("e"), 2.71828182845904523536, 0);
    assert_near(value_of("degrees(pi)"), 180, 180 * DBL_EPSILON);
    assert_near(value_of("sin(radians(30))"), 0.5, DBL_EPSILON);
}

static void test_what_is_no_number_shows(void **state)
{
    (void)state;
    static const char *const texts[] = {"0/0",      "sqrt(-1)",          "log(-1)",     "min(0/0, 1)", "max(1, 0/0)",
                                        "(-8)^0.5", "clamp(0/0, 0, 1)",  "sign(0/0)",   "asin(1.1)",   "acos(-1.1)",
                                        "5 % 0",    "0/0 > 1 ? 1 : 0/0", "0/0 ? 1 : 2", "random(0/0)", "(0/0)^2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!isnan(value_of(texts[i])))
            fail_msg("%s is %g", texts[i], value_of(texts[i]));
    assert_true(value_of("1/0") == (double)INFINITY && value_of("log(0)") == -(double)INFINITY);
    assert_true(value_of("0^-1") == (double)INFINITY && value_of("2^2000") == (double)INFINITY);
}

/* What our functions give beside libm's, in units in the last place (of libm's result, rounded). */
static void compare(const char *text, double (*libm)(double), double low, double high, double units)
{
    static const char *const x_name[] = {"x"};
    ashi_expression *expression;
    ashi_random random = {7};
    assert_int_equal(ashi_expression_compile(text, x_name, 1, &expression, NULL), ASH_OK);
    for (int i = 0; i < 20000; i++) {
        double x = ashi_random_range(&random, low, high), expected = libm(x);
        double error = fabs(ashi_expression_evaluate(expression, &x) - expected);
        if (!(error <= units * DBL_EPSILON * fabs(expected)))
            fail_msg("%s at %.17g is off by %g units", text, x, error / fabs(expected) / DBL_EPSILON);
    }
    ashi_expression_destroy(expression);
}

static double two_thirds_power(double x)
{
    return pow(x, 2.0 / 3);
}

static double power_of_three(double x)
{
    return pow(3, x);
}

/* The limits: half a unit for each rounding on the way and one for each function, libm's own error included. Near its
 * zeros the tangent is a quotient of two, the powers have |y ln x| units (functions.c): at most 4.6 and 44 here. */
static void test_functions_are_exact(void **state)
{
    (void)state;
    compare("sin(x)", sin, -100, 100, 2);
    compare("cos(x)", cos, -100, 100, 2);
    compare("tan(x)", tan, -100, 100, 4);
    compare("asin(x)", asin, -1, 1, 4);
    compare("acos(x)", acos, -1, 1, 2);
    compare("atan(x)", atan, -50, 50, 2);
    compare("exp(x)", exp, -700, 700, 2);
    compare("log(x)", log, 1e-9, 1e9, 2);
    compare("log10(x)", log10, 1e-9, 1e9, 3);
    compare("sinh(x)", sinh, -20, 20, 5);
    compare("cosh(x)", cosh, -20, 20, 5);
    compare("tanh(x)", tanh, -25, 25, 12);
    compare("sinh(x)", sinh, -0.6, 0.6, 9); /* the difference at 1/2 cancels a factor of 2.2 */
    compare("x^(2/3)", two_thirds_power, 1e-3, 1e3, 8);
    compare("3^x", power_of_three, -40, 40, 48);
    assert_true(value_of("sinh(710)") < (double)INFINITY && value_of("sinh(-710)") > -(double)INFINITY);
    assert_true(value_of("hypot(1e200, 1e200)") < (double)INFINITY);
}

static void test_random_is_even_and_determined(void **state)
{
    (void)state;
    static const char *const i_name[] = {"i"};
    enum { COUNT = 40000 };
    ashi_expression *expression;
    assert_int_equal(ashi_expression_compile("random(i, 3)", i_name, 1, &expression, NULL), ASH_OK);
    double sum = 0, squares = 0, lagged = 0, before = 0.5;
    for (int i = 0; i < COUNT; i++) {
        double index = i, value = ashi_expression_evaluate(expression, &index);
        assert_true(value >= 0 && value < 1 && value == ashi_expression_evaluate(expression, &index));
        sum += value - 0.5;
        squares += (value - 0.5) * (value - 0.5) - 1.0 / 12;
        lagged += (value - 0.5) * (before - 0.5);
        before = value;
    }
    /* Five standard deviations of each sum: 1/12, 1/180 and 1/144 are the variances of a term. */
    assert_near(sum, 0, 5 * sqrt(COUNT / 12.0));
    assert_near(squares, 0, 5 * sqrt(COUNT / 180.0));
    assert_near(lagged, 0, 5 * sqrt(COUNT / 144.0));
    ashi_expression_destroy(expression);
    assert_true(value_of("random(1, 2) != random(2, 1)") == 1);
    assert_true(value_of("random(-0) == random(0)") == 1);
}

static void test_bad_ones_are_refused_where_they_are_bad(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *code, *message;
    } cases[] = {
        {"", 1, "expression.syntax", "ends too early"},
        {"  ", 3, "expression.syntax", "ends too early"},
        {"1 +", 4, "expression.syntax", "ends too early"},
        {"(1 + 2", 7, "expression.syntax", "ends too early"},
        {"1 2", 3, "expression.syntax", "\"2\" cannot stand here"},
        {"2q", 2, "expression.syntax", "\"q\" cannot stand here"},
        {"1 + * 2", 5, "expression.syntax", "\"*\""},
        {"q = 2", 3, "expression.syntax", "\"=\""},
        {"1)", 2, "expression.syntax", "\")\""},
        {"q ? 1", 6, "expression.syntax", "ends too early"},
        {"1.2.3", 1, "expression.number", "\"1.2.3\" is no number"},
        {"1 + 1e999", 5, "expression.number", "1e999"},
        {"2 * mass", 5, "expression.unknown-name", "there is no variable \"mass\""},
        {"arm.angel", 1, "expression.unknown-name", "did you mean \"arm.angle\"?"},
        {"$pi", 2, "expression.unknown-name", "\"pi\""},
        {"$ 1", 2, "expression.syntax", "\" \""},
        {"sinus(q)", 1, "expression.unknown-name", "there is no function \"sinus\" (did you mean \"sin\"?)"},
        {"q(1)", 1, "expression.unknown-name", "there is no function \"q\""},
        {"1 + atan2(1)", 5, "expression.arguments", "atan2 cannot take 1"},
        {"sin()", 1, "expression.arguments", "sin cannot take 0"},
        {"sin(1, 2)", 1, "expression.arguments", "sin cannot take 2"},
        {"sin(1,)", 7, "expression.syntax", "\")\""},
        {"\xc3\xa9", 1, "expression.syntax", "\"\xc3\xa9\""},
        {"0x10", 2, "expression.syntax", "\"x10\""},
        {"inf", 1, "expression.unknown-name", "inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ash_diagnostic d = {0};
        ashi_expression *expression;
        ash_status status = ashi_expression_compile(cases[i].text, names, NAMES, &expression, &d);
        if (status != ASH_BAD_DATA || expression != NULL || d.column != cases[i].column ||
            strcmp(d.code, cases[i].code) != 0 || strstr(d.message, cases[i].message) == NULL || d.expected[0] == 0)
            fail_msg("\"%s\": %d, column %d, %s: %s (%s)", cases[i].text, status, d.column, d.code, d.message,
                     d.expected);
        assert_int_equal(ashi_expression_compile(cases[i].text, names, NAMES, &expression, NULL), ASH_BAD_DATA);
    }
}

/* `count` times `piece`, between `head` and `tail`. */
static ash_status compile_many(const char *head, const char *piece, int count, const char *tail, const char *ends)
{
    char *text = malloc(strlen(head) + strlen(tail) + (strlen(piece) + strlen(ends)) * (size_t)count + 1);
    assert_non_null(text);
    char *end = stpcpy(text, head);
    for (int i = 0; i < count; i++)
        end = stpcpy(end, piece);
    end = stpcpy(end, tail);
    for (int i = 0; i < count; i++)
        end = stpcpy(end, ends);
    ashi_expression *expression;
    ash_diagnostic d = {0};
    ash_status status = ashi_expression_compile(text, names, NAMES, &expression, &d);
    if (status == ASH_OK)
        assert_true(isfinite(ashi_expression_evaluate(expression, values)));
    else
        assert_string_equal(d.code, "expression.size");
    ashi_expression_destroy(expression);
    free(text);
    return status;
}

static void test_size_and_depth_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(compile_many("", "(", 60, "q", ")"), ASH_OK);
    assert_int_equal(compile_many("", "(", 64, "q", ")"), ASH_BAD_DATA);
    assert_int_equal(compile_many("", "(", 1900, "q", ")"), ASH_BAD_DATA);
    assert_int_equal(compile_many("", "-", 63, "q", ""), ASH_OK);
    assert_int_equal(compile_many("", "-", 4000, "q", ""), ASH_BAD_DATA);
    assert_int_equal(compile_many("1", "^1", 62, "", ""), ASH_OK);
    assert_int_equal(compile_many("1", "^1", 2000, "", ""), ASH_BAD_DATA);
    assert_int_equal(compile_many("1", "+1", 500, "", ""), ASH_OK);
    assert_int_equal(compile_many("1", "+1", 600, "", ""), ASH_BAD_DATA);
    assert_int_equal(compile_many("", "1?2:", 31, "3", ""), ASH_OK);
    assert_int_equal(compile_many("", "1?2:", 900, "3", ""), ASH_BAD_DATA);
    assert_int_equal(compile_many("", "1?", 900, "3", ":4"), ASH_BAD_DATA);
    assert_int_equal(compile_many("", "abs(", 62, "1", ")"), ASH_OK);
    assert_int_equal(compile_many("", " ", 4095, "1", ""), ASH_OK);
    assert_int_equal(compile_many("", " ", 4096, "1", ""), ASH_BAD_DATA);
}

static void test_names(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "_", "mu2", "arm.angle", "A_b.c_d"};
    static const char *const bad[] = {"", "2a", "a.", ".a", "a-b", "a b", "$a", "a..b", "\xc3\xa9", "a.2"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(ashi_expression_is_name(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ashi_expression_is_name(bad[i]));
    static const char *const hiding[] = {"e", "sin"};
    const double hidden[] = {7, 2};
    ashi_expression *expression;
    assert_int_equal(ashi_expression_compile("e + sin + sin(0)", hiding, 2, &expression, NULL), ASH_OK);
    assert_true(ashi_expression_evaluate(expression, hidden) == 9);
    assert_true(ashi_expression_uses(expression, 0) && ashi_expression_uses(expression, 1));
    ashi_expression_destroy(expression);
    assert_int_equal(ashi_expression_compile("2", hiding, 2, &expression, NULL), ASH_OK);
    assert_false(ashi_expression_uses(expression, 0) || ashi_expression_uses(expression, 1));
    ashi_expression_destroy(expression);
}

static void test_evaluating_allocates_nothing(void **state)
{
    (void)state;
    ashi_expression *expression;
    assert_int_equal(
        ashi_expression_compile("q > 0 ? sin(q)^1.5 + random(q, qd) : max(q, qd, 0)", names, NAMES, &expression, NULL),
        ASH_OK);
    uint64_t before = ash_memory_used().allocations;
    double sum = 0;
    for (int i = 0; i < 100; i++)
        sum += ashi_expression_evaluate(expression, values);
    assert_true(isfinite(sum) && ash_memory_used().allocations == before);
    ashi_expression_destroy(expression);
    ashi_expression_destroy(NULL);
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* docs/expressions.md names every function and constant. */
static void test_all_are_documented(void **state)
{
    (void)state;
    static char page[65536];
    FILE *file = fopen(ASHLAR_SOURCE_DIR "/docs/expressions.md", "rb");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = 0;
    fclose(file);
    char code[64];
    for (uint32_t i = 0; ashi_expression_function(i) != NULL; i++) {
        snprintf(code, sizeof code, "`%s(", ashi_expression_function(i));
        if (strstr(page, code) == NULL)
            fail_msg("%s is not documented", ashi_expression_function(i));
    }
    for (uint32_t i = 0; ashi_expression_constant(i) != NULL; i++) {
        snprintf(code, sizeof code, "`%s`", ashi_expression_constant(i));
        if (strstr(page, code) == NULL)
            fail_msg("%s is not documented", ashi_expression_constant(i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_they_mean),
        cmocka_unit_test(test_what_is_no_number_shows),
        cmocka_unit_test(test_functions_are_exact),
        cmocka_unit_test(test_random_is_even_and_determined),
        cmocka_unit_test(test_bad_ones_are_refused_where_they_are_bad),
        cmocka_unit_test(test_size_and_depth_are_bounded),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_evaluating_allocates_nothing),
        cmocka_unit_test(test_all_are_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
