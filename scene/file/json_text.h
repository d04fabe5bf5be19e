/* JSON written for people: objects and lists with one member per line if requested, else flowing and wrapped. */
#ifndef ASHI_SCENE_JSON_TEXT_H
#define ASHI_SCENE_JSON_TEXT_H

#include "ashlar/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASHI_JSON_DEEPEST 100

typedef struct ashi_json_text {
    char *text; /* of ashi_alloc */
    size_t size, capacity, line_start;
    ash_status failure; /* ASH_OUT_OF_MEMORY; ASH_BAD_DATA: a number that is not finite, or nesting too deep */
    uint32_t depth;
    struct {
        char closing;
        bool lines, empty;
    } levels[ASHI_JSON_DEEPEST];
} ashi_json_text;

/* `key` is null in lists. `open` is '{' or '['; `lines`: one member a line. */
void ashi_json_open(ashi_json_text *json, const char *key, char open, bool lines);
void ashi_json_close(ashi_json_text *json);
void ashi_json_number(ashi_json_text *json, const char *key, double number);
void ashi_json_count(ashi_json_text *json, const char *key, uint32_t count);
void ashi_json_bool(ashi_json_text *json, const char *key, bool value);
void ashi_json_null(ashi_json_text *json, const char *key);
void ashi_json_string(ashi_json_text *json, const char *key, const char *text);
void ashi_json_vector(ashi_json_text *json, const char *key, ash_vec3 vector);
void ashi_json_numbers(ashi_json_text *json, const char *key, const double *numbers, uint32_t count);

#endif
