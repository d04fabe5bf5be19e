/* Expressions. The first line of an input has the names of variables, the rest is the expression. What compiles is
 * evaluated for a few values, some of them extreme. */
#include "target.h"

#include "scene/expression/expression.h"

#include <math.h>

enum { NAMES_MOST = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const double samples[] = {0, -0.0, 1, -2.5, 1e-320, 1.7e308, INFINITY, NAN};
    char *input = copy_input(bytes, size), *rest = input, *names[NAMES_MOST];
    uint32_t count = 0;
    char *line = next_line(&rest);
    for (char *name = strtok(line, " "); name != NULL && count < NAMES_MOST; name = strtok(NULL, " "))
        names[count++] = name;
    ash_diagnostic diagnostic = {0};
    ashi_expression *expression;
    const char *text = rest != NULL ? rest : "";
    ash_status status = ashi_expression_compile(text, (const char *const *)names, count, &expression, &diagnostic);
    if (status != ASH_OK) {
        CHECK(expression == NULL);
        check_refusal(status, &diagnostic);
        CHECK(diagnostic.column >= 1 && (size_t)diagnostic.column <= strlen(text) + 1);
    } else {
        for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
            double values[NAMES_MOST];
            for (uint32_t i = 0; i < count; i++)
                values[i] = samples[(s + i) % (sizeof samples / sizeof *samples)];
            double a = ashi_expression_evaluate(expression, values), b = ashi_expression_evaluate(expression, values);
            CHECK(a == b || (isnan(a) && isnan(b)));
        }
    }
    ashi_expression_destroy(expression);
    free(input);
    CHECK(ash_memory_used().blocks == 0);
    return 0;
}
