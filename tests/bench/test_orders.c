/* The table of orders: what docs/accuracy.md says of each method. */
#include "bench.h"
#include "check.h"

#include <string.h>

static double order_of(const json_t *rows, const char *problem, const char *method, double *error)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (strcmp(json_string_value(json_object_get(row, "problem")), problem) == 0 &&
            strcmp(json_string_value(json_object_get(row, "method")), method) == 0) {
            *error = json_real_value(json_object_get(row, "at h/16 (m)"));
            return json_real_value(json_object_get(row, "order"));
        }
    }
    fail_msg("%s by %s was not measured", problem, method);
    return 0;
}

static void methods_have_the_orders_that_the_page_says(void **state)
{
    static const struct {
        const char *method, *problem;
        double order;
    } said[] = {
        {"engineering", "joints: two bars", 2},
        {"engineering", "spring as a force", 2},
        {"engineering", "spring in a joint", 2},
        {"engineering", "servo", 2},
        {"engineering", "motor at its torque", 2},
        {"engineering", "rolling", 2},
        {"engineering", "sliding", 2},
        {"bender-schmitt-2006", "joints: two bars", 2},
        {"bender-schmitt-2006", "spring in a joint", 2},
        {"bender-schmitt-2006", "servo", 2},
        {"bender-schmitt-2006", "motor at its torque", 2},
        {"bender-iterative", "joints: two bars", 2},
        {"faure", "joints: two bars", 4},
        {"faure", "spring as a force", 4},
        {"realtime", "joints: two bars", 1},
        {"realtime", "rolling", 1},
        {"realtime", "sliding", 1},
    };
    ash_diagnostic diagnostic = {0};
    double error;
    (void)state;
    json_t *rows = bench_orders(&diagnostic);
    if (rows == NULL)
        fail_msg("%s", diagnostic.message);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        double order = order_of(rows, said[i].problem, said[i].method, &error);
        if (!(fabs(order - said[i].order) < 0.1))
            fail_msg("%s by %s is of order %.2f, expected %g", said[i].problem, said[i].method, order, said[i].order);
    }
    order_of(rows, "impacts", "engineering", &error);
    assert_below(error, 1e-8); /* located to the tolerance of their gap */
    json_decref(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(methods_have_the_orders_that_the_page_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
