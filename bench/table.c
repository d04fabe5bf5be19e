/* Rows of benchmarks as Markdown. Numbers have three significant digits: more would be noise. */
#include "bench.h"

#include <stdio.h>

static void print_value(const json_t *value)
{
    if (json_is_string(value))
        printf(" %s |", json_string_value(value));
    else if (json_is_integer(value))
        printf(" %" JSON_INTEGER_FORMAT " |", json_integer_value(value));
    else if (json_is_real(value))
        printf(" %.3g |", json_real_value(value));
    else
        printf(" |");
}

void bench_print_table(const char *title, const json_t *rows)
{
    const json_t *first = json_array_get(rows, 0);
    const char *key;
    json_t *value;
    printf("\n## %s\n\n|", title);
    json_object_foreach((json_t *)first, key, value) printf(" %s |", key);
    printf("\n|");
    json_object_foreach((json_t *)first, key, value) printf(json_is_string(value) ? "---|" : "---:|");
    printf("\n");
    for (size_t i = 0; i < json_array_size(rows); ++i) {
        printf("|");
        json_object_foreach(json_array_get(rows, i), key, value) print_value(value);
        printf("\n");
    }
    fflush(stdout);
}
