/* JSON text, grown piece by piece. After a failure everything is ignored; the caller checks at the end. */
#include "scene/file/json_text.h"

#include "base/alloc.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 110 };

static void put(ashi_json_text *json, const char *piece, size_t length)
{
    if (json->failure != ASH_OK)
        return;
    if (json->capacity - json->size < length + 1) {
        size_t capacity = 2 * json->capacity + length + 256;
        char *text = ashi_realloc(json->text, capacity);
        if (text == NULL) {
            json->failure = ASH_OUT_OF_MEMORY;
            return;
        }
        json->text = text;
        json->capacity = capacity;
    }
    memcpy(json->text + json->size, piece, length);
    json->size += length;
    json->text[json->size] = 0;
}

static void put_line(ashi_json_text *json, uint32_t depth)
{
    put(json, "\n", 1);
    json->line_start = json->size;
    for (uint32_t i = 0; i < depth; i++)
        put(json, "  ", 2);
}

static void put_string(ashi_json_text *json, const char *text)
{
    put(json, "\"", 1);
    for (; *text != 0; text++) {
        char escape[8];
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            put(json, escape, (size_t)snprintf(escape, sizeof escape, "\\%c", c));
        else if (c < 0x20)
            put(json, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
        else
            put(json, text, 1);
    }
    put(json, "\"", 1);
}

/* Writes the separator from the previous member, and the key. */
static void put_start(ashi_json_text *json, const char *key)
{
    if (json->depth == 0)
        return;
    bool lines = json->levels[json->depth - 1].lines, first = json->levels[json->depth - 1].empty;
    json->levels[json->depth - 1].empty = false;
    if (!first)
        put(json, ",", 1);
    if (lines || (!first && json->size - json->line_start > WIDTH))
        put_line(json, json->depth);
    else if (!first)
        put(json, " ", 1);
    if (key != NULL) {
        put_string(json, key);
        put(json, ": ", 2);
    }
}

void ashi_json_open(ashi_json_text *json, const char *key, char open, bool lines)
{
    if (json->depth == ASHI_JSON_DEEPEST && json->failure == ASH_OK)
        json->failure = ASH_BAD_DATA;
    if (json->failure != ASH_OK)
        return;
    put_start(json, key);
    put(json, &open, 1);
    json->levels[json->depth].closing = open == '{' ? '}' : ']';
    json->levels[json->depth].lines = lines;
    json->levels[json->depth].empty = true;
    json->depth++;
}

void ashi_json_close(ashi_json_text *json)
{
    if (json->failure != ASH_OK)
        return;
    json->depth--;
    if (json->levels[json->depth].lines && !json->levels[json->depth].empty)
        put_line(json, json->depth);
    put(json, &json->levels[json->depth].closing, 1);
    if (json->depth == 0)
        put(json, "\n", 1);
}

void ashi_json_number(ashi_json_text *json, const char *key, double number)
{
    char text[ASHI_NUMBER_SIZE];
    if (!isfinite(number) && json->failure == ASH_OK)
        json->failure = ASH_BAD_DATA;
    put_start(json, key);
    put(json, text, strlen(ashi_number_text(number, text)));
}

void ashi_json_count(ashi_json_text *json, const char *key, uint32_t count)
{
    char text[16];
    put_start(json, key);
    put(json, text, (size_t)snprintf(text, sizeof text, "%u", count));
}

void ashi_json_bool(ashi_json_text *json, const char *key, bool value)
{
    put_start(json, key);
    put(json, value ? "true" : "false", value ? 4 : 5);
}

void ashi_json_null(ashi_json_text *json, const char *key)
{
    put_start(json, key);
    put(json, "null", 4);
}

void ashi_json_string(ashi_json_text *json, const char *key, const char *text)
{
    put_start(json, key);
    put_string(json, text);
}

void ashi_json_vector(ashi_json_text *json, const char *key, ash_vec3 vector)
{
    const double xyz[3] = {vector.x, vector.y, vector.z};
    ashi_json_numbers(json, key, xyz, 3);
}

void ashi_json_numbers(ashi_json_text *json, const char *key, const double *numbers, uint32_t count)
{
    ashi_json_open(json, key, '[', false);
    for (uint32_t i = 0; i < count; i++)
        ashi_json_number(json, NULL, numbers[i]);
    ashi_json_close(json);
}
