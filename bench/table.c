/* Rows of benchmarks as Markdown. Numbers have three significant digits: more would be noise. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

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

/* The first value of a column that is not null, or null. */
static const json_t *sample(const json_t *rows, size_t first, size_t last, const char *key)
{
    for (size_t i = first; i < last; ++i) {
        const json_t *value = json_object_get(json_array_get(rows, i), key);
        if (value != NULL && !json_is_null(value))
            return value;
    }
    return NULL;
}

void bench_print_part(const char *title, const json_t *rows, size_t first, size_t last, const char *without)
{
    const char *key;
    json_t *value, *head = json_array_get(rows, first);
    json_t *columns = json_object(); /* by key: whether it is text */
    json_object_foreach(head, key, value)
    {
        const json_t *seen = sample(rows, first, last, key);
        if ((without == NULL || strcmp(key, without) != 0) && seen != NULL)
            json_object_set_new(columns, key, json_boolean(json_is_string(seen)));
    }
    printf("\n## %s\n\n|", title);
    json_object_foreach(columns, key, value) printf(" %s |", key);
    printf("\n|");
    json_object_foreach(columns, key, value) printf(json_is_true(value) ? "---|" : "---:|");
    printf("\n");
    for (size_t i = first; i < last; ++i) {
        printf("|");
        json_object_foreach(columns, key, value) print_value(json_object_get(json_array_get(rows, i), key));
        printf("\n");
    }
    fflush(stdout);
    json_decref(columns);
}

void bench_print_table(const char *title, const json_t *rows)
{
    bench_print_part(title, rows, 0, json_array_size(rows), NULL);
}
