/* Methods by name, fields from text. */
#include "ashlar/method.h"
#include "check.h"

#include <string.h>

static void presets_and_integrators_are_found(void **state)
{
    (void)state;
    ash_method method;
    for (uint32_t i = 0; i < ash_method_count(); i++) {
        assert_int_equal(ash_method_find(ash_method_name(i), &method, NULL), ASH_OK);
        assert_string_equal(method.name, ash_method_name(i));
        assert_true(strlen(ash_method_summary(i)) > 10);
    }
    for (int i = 0; i < ASH_INTEGRATORS; i++) {
        assert_int_equal(ash_method_find(ash_integrator_name((ash_integrator)i), &method, NULL), ASH_OK);
        assert_int_equal(method.integrator, i);
    }
    assert_int_equal(ash_method_find(NULL, &method, NULL), ASH_OK);
    assert_string_equal(method.name, "realtime");
    assert_string_equal(ash_method_name(99), "");
    assert_string_equal(ash_integrator_name((ash_integrator)99), "");
}

static void unknown_names_get_a_suggestion(void **state)
{
    (void)state;
    ash_method method;
    ash_diagnostic d;
    assert_int_equal(ash_method_find("enginering", &method, &d), ASH_NOT_FOUND);
    assert_non_null(strstr(d.message, "engineering"));
    assert_int_equal(ash_method_find("guendelman-2004", &method, &d), ASH_NOT_FOUND);
    assert_non_null(strstr(d.message, "guendelman-2003"));
}

/* What describes a method makes it again. */
static void methods_are_described(void **state)
{
    (void)state;
    ash_method method, again;
    char text[128], tiny[12], small[24];
    for (uint32_t i = 0; i < ash_method_count(); i++) {
        assert_int_equal(ash_method_find(ash_method_name(i), &method, NULL), ASH_OK);
        assert_string_equal(ash_method_describe(&method, text, sizeof text), ash_method_name(i));
    }
    assert_int_equal(ash_method_find("rk4", &method, NULL), ASH_OK);
    assert_string_equal(ash_method_describe(&method, text, sizeof text), "rk4");
    assert_int_equal(ash_method_find("gribel-2009", &method, NULL), ASH_OK);
    assert_int_equal(ash_method_set(&method, "iterations", "100", NULL), ASH_OK);
    assert_int_equal(ash_method_set(&method, "slop", "0.004", NULL), ASH_OK);
    assert_string_equal(ash_method_describe(&method, text, sizeof text), "gribel-2009:iterations=100:slop=0.004");
    assert_string_equal(ash_method_describe(&method, tiny, sizeof tiny), "custom");
    assert_string_equal(ash_method_describe(&method, small, sizeof small), "custom");
    static const char *const changes[][2] = {{"integrator", "rk4"}, {"solver", "apgd"},     {"iterations", "7"},
                                             {"slop", "0.5"},       {"warm-start", "off"},  {"max-speed", "3"},
                                             {"max-spin", "5"},     {"contact-margin", "1"}};
    again = method;
    for (int i = 0; i < 8; i++)
        assert_int_equal(ash_method_set(&again, changes[i][0], changes[i][1], NULL), ASH_OK);
    assert_string_equal(ash_method_describe(&again, text, sizeof text), "custom");
}

static void fields_are_set_and_read_back(void **state)
{
    (void)state;
    ash_method method;
    ash_diagnostic d;
    char text[64];
    assert_int_equal(ash_method_find("realtime", &method, NULL), ASH_OK);
    assert_int_equal(ash_method_set(&method, "integrator", "rk4", &d), ASH_OK);
    assert_string_equal(method.name, "custom");
    assert_string_equal(ash_method_get(&method, "integrator", text, sizeof text), "rk4");
    assert_int_equal(ash_method_set(&method, "tolerance", "1e-6", &d), ASH_OK);
    assert_near(method.tolerance, 1e-6, 0);
    assert_int_equal(ash_method_set(&method, "max-iterations", "17", &d), ASH_OK);
    assert_string_equal(ash_method_get(&method, "max-iterations", text, sizeof text), "17");
    assert_int_equal(ash_method_set(&method, "broad-phase", "sweep-3", &d), ASH_OK);
    assert_int_equal(method.broad_phase, ASH_BROAD_SWEEP_3);
    assert_int_equal(ash_method_set(&method, "continuous", "off", &d), ASH_OK);
    assert_false(method.continuous);
    assert_string_equal(ash_method_get(&method, "continuous", text, sizeof text), "off");
    assert_null(ash_method_get(&method, "colour", text, sizeof text));
    for (uint32_t i = 0; i < ash_method_field_count(); i++)
        assert_non_null(ash_method_get(&method, ash_method_field_name(i), text, sizeof text));
}

static void bad_values_change_nothing(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"integrator", "rk5"},   {"tolerance", "0"},           {"tolerance", "nan"},     {"tolerance", "1e-3x"},
        {"max-iterations", "0"}, {"max-iterations", "1.5"},    {"max-iterations", "-3"}, {"max-iterations", "1e99"},
        {"integrator", ""},      {"friction-directions", "7"}, {"contacts", "solved"},   {"contact-margin", "-1"},
        {"continuous", "maybe"}};
    ash_method method, before;
    ash_diagnostic d;
    assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
    before = method;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ash_method_set(&method, bad[i][0], bad[i][1], &d), ASH_BAD_DATA);
        assert_true(d.expected[0] != 0);
        assert_memory_equal(&method, &before, sizeof method);
    }
    assert_int_equal(ash_method_set(&method, "intergator", "rk4", &d), ASH_NOT_FOUND);
    assert_non_null(strstr(d.message, "integrator"));
}

/* Every field refuses what is none of its values, with the value and what it takes in the message, and keeps its own;
 * what it has can be written and set again. */
static void every_field_refuses_by_name(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "nan", "inf", "-inf", "1e400", "-1e300", "0x10", " 1", "1 ", "bogus"};
    for (uint32_t i = 0; i < ash_method_field_count(); i++) {
        const char *field = ash_method_field_name(i);
        ash_method method, before;
        char own[64], shown[80];
        assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
        before = method;
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            ash_diagnostic d = {0};
            snprintf(shown, sizeof shown, "\"%s\" is not a value for %s", bad[k], field);
            if (ash_method_set(&method, field, bad[k], &d) != ASH_BAD_DATA || strstr(d.message, shown) == NULL ||
                strstr(d.expected, ash_method_field_summary(i)) == NULL)
                fail_msg("%s = \"%s\": %s, expected %s", field, bad[k], d.message, d.expected);
            assert_memory_equal(&method, &before, sizeof method);
        }
        assert_int_equal(ash_method_set(&method, field, ash_method_get(&before, field, own, sizeof own), NULL), ASH_OK);
        assert_memory_equal(&method, &before, sizeof method);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_and_integrators_are_found),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(methods_are_described),
        cmocka_unit_test(fields_are_set_and_read_back),
        cmocka_unit_test(bad_values_change_nothing),
        cmocka_unit_test(every_field_refuses_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
