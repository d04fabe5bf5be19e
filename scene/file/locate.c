/* Places in JSON text. Jansson forgets where values were, so an error's line and column are found by walking the text
 * again: from the start of the parent's value into the wanted member or element.
 *
 * The text was accepted by Jansson before; still, the walk never leaves it, whatever it contains. A null pointer means
 * that the text ended or is not as expected. */
#include "scene/file/place.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ashi_place ashi_at_key(const ashi_place *object, const char *key)
{
    return (ashi_place){object, key, 0, json_object_get(object->value, key)};
}

ashi_place ashi_at_index(const ashi_place *array, size_t index)
{
    return (ashi_place){array, NULL, index, json_array_get(array->value, index)};
}

static size_t append(char *text, size_t size, size_t used, const char *piece, size_t length)
{
    size_t room = size - 1 - used;
    if (length > room)
        length = room;
    memcpy(text + used, piece, length);
    text[used + length] = 0;
    return used + length;
}

static size_t append_path(const ashi_place *place, char *text, size_t size)
{
    if (place->parent == NULL)
        return 0;
    size_t used = append_path(place->parent, text, size);
    used = append(text, size, used, "/", 1);
    if (place->key == NULL) {
        char number[24];
        int length = snprintf(number, sizeof number, "%zu", place->index);
        return append(text, size, used, number, (size_t)length);
    }
    for (const char *c = place->key; *c != 0; c++)
        used = *c == '/'   ? append(text, size, used, "~1", 2)
               : *c == '~' ? append(text, size, used, "~0", 2)
                           : append(text, size, used, c, 1);
    return used;
}

void ashi_place_path(const ashi_place *place, char *text, size_t size)
{
    text[0] = 0;
    append_path(place, text, size);
}

static const char *skip_space(const char *c, const char *end)
{
    while (c < end && (*c == ' ' || *c == '\t' || *c == '\n' || *c == '\r'))
        c++;
    return c < end ? c : NULL;
}

/* From the opening quote to behind the closing one. */
static const char *skip_string(const char *c, const char *end)
{
    for (c++; c < end; c++) {
        if (*c == '"')
            return c + 1;
        if (*c == '\\')
            c++;
    }
    return NULL;
}

static const char *skip_value(const char *c, const char *end)
{
    size_t depth = 0;
    while (c < end) {
        if (*c == '"') {
            c = skip_string(c, end);
            if (c == NULL || depth == 0)
                return c;
        } else if (*c == '{' || *c == '[') {
            depth++;
            c++;
        } else if (*c == '}' || *c == ']') {
            if (depth == 0)
                return c; /* the end of a number or word */
            c++;
            if (--depth == 0)
                return c;
        } else if (depth == 0 && (*c == ',' || *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r')) {
            return c;
        } else {
            c++;
        }
    }
    return NULL;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The four hexadecimal digits after "\u", or UINT32_MAX. */
static uint32_t read_unit(const char *c, const char *end)
{
    uint32_t unit = 0;
    if (end - c < 4)
        return UINT32_MAX;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(c[i]);
        if (digit < 0)
            return UINT32_MAX;
        unit = unit << 4 | (uint32_t)digit;
    }
    return unit;
}

static size_t encode_utf8(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    bytes[0] = (char)(lead[length] | code);
    return length;
}

/* Decodes the escape after a backslash at *c into bytes and moves *c behind it; 0 when it is none. */
static size_t decode_escape(const char **c, const char *end, char bytes[4])
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (*c >= end)
        return 0;
    char letter = *(*c)++;
    if (letter != 'u') {
        const char *found = strchr(letters, letter);
        bytes[0] = found != NULL ? meanings[found - letters] : 0;
        return found != NULL && letter != 0;
    }
    uint32_t code = read_unit(*c, end);
    if (code == UINT32_MAX || code == 0)
        return 0;
    *c += 4;
    if (code >= 0xD800 && code < 0xDC00 && end - *c >= 6 && (*c)[0] == '\\' && (*c)[1] == 'u') {
        uint32_t low = read_unit(*c + 2, end);
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            *c += 6;
        }
    }
    return encode_utf8(code, bytes);
}

/* True when the JSON string that opens at c spells `key`. */
static bool spells(const char *c, const char *end, const char *key)
{
    for (c++; c < end && *c != '"';) {
        char bytes[4] = {*c};
        size_t length = 1;
        bool escaped = *c++ == '\\';
        if (escaped)
            length = decode_escape(&c, end, bytes);
        if (length == 0 || strncmp(key, bytes, length) != 0)
            return false;
        key += length;
    }
    return c < end && *key == 0;
}

/* The key's opening quote and the value's first byte of a member of the object that opens at c. */
static const char *find_member(const char *c, const char *end, const char *wanted, const char **key)
{
    if (*c != '{')
        return NULL;
    for (c = skip_space(c + 1, end); c != NULL && *c == '"'; c = skip_space(c + 1, end)) {
        *key = c;
        c = skip_string(c, end);
        c = c != NULL ? skip_space(c, end) : NULL;
        c = c != NULL && *c == ':' ? skip_space(c + 1, end) : NULL;
        if (c == NULL || spells(*key, end, wanted))
            return c;
        c = skip_value(c, end);
        c = c != NULL ? skip_space(c, end) : NULL;
        if (c == NULL || *c != ',')
            return NULL;
    }
    return NULL;
}

static const char *find_element(const char *c, const char *end, size_t index)
{
    if (*c != '[')
        return NULL;
    c = skip_space(c + 1, end);
    for (size_t i = 0; c != NULL && i < index; i++) {
        c = skip_value(c, end);
        c = c != NULL ? skip_space(c, end) : NULL;
        c = c != NULL && *c == ',' ? skip_space(c + 1, end) : NULL;
    }
    return c;
}

static const char *find(const char *text, const char *end, const ashi_place *place, const char **key)
{
    if (place->parent == NULL)
        return skip_space(text, end);
    const char *parent = find(text, end, place->parent, key);
    if (parent == NULL || place->value == NULL)
        return parent;
    return place->key != NULL ? find_member(parent, end, place->key, key) : find_element(parent, end, place->index);
}

/* Line and column of a place in the text; false for null. */
static bool count_to(const char *text, const char *found, int *line, int *column)
{
    if (found == NULL)
        return false;
    *line = 1;
    *column = 1;
    for (const char *c = text; c < found; c++) {
        bool continues = ((unsigned char)*c & 0xC0) == 0x80; /* a later byte of a character */
        *column = *c == '\n' ? 1 : *column + !continues;
        *line += *c == '\n';
    }
    return true;
}

/* The text of the path's segment at *path, without its escapes; moves *path to the next '/'. */
static void take_segment(const char **path, char *segment, size_t size)
{
    size_t used = 0;
    for ((*path)++; **path != 0 && **path != '/'; (*path)++) {
        char c = **path;
        if (c == '~' && ((*path)[1] == '0' || (*path)[1] == '1'))
            c = *++*path == '1' ? '/' : '~';
        if (used < size - 1)
            segment[used++] = c;
    }
    segment[used] = 0;
}

/* The value at the path, or the last one on the way to it; *whole is then false. *key: where the key of the path's last
 * segment is, null for an element of a list. */
static const char *follow(const char *text, const char *end, const char *path, bool *whole, const char **key)
{
    const char *value = skip_space(text, end);
    *whole = value != NULL;
    *key = NULL;
    while (value != NULL && *path == '/') {
        char segment[256];
        const char *next;
        take_segment(&path, segment, sizeof segment);
        *key = NULL;
        if (*value == '{')
            next = find_member(value, end, segment, key);
        else
            next = find_element(value, end, strtoul(segment, NULL, 10));
        if (next == NULL || *next == ']') {
            *whole = false;
            return value;
        }
        value = next;
    }
    return value;
}

bool ashi_path_exists(const char *text, size_t size, const char *path)
{
    bool whole = false;
    const char *key;
    return size > 0 && follow(text, text + size, path, &whole, &key) != NULL && whole;
}

bool ashi_locate_path(const char *text, size_t size, const char *path, bool key, int *line, int *column)
{
    bool whole = false;
    const char *at_key = NULL;
    const char *value = size > 0 ? follow(text, text + size, path, &whole, &at_key) : NULL;
    return count_to(text, key && whole && at_key != NULL ? at_key : value, line, column);
}

bool ashi_locate(const char *text, size_t size, const ashi_place *place, bool key, int *line, int *column)
{
    const char *key_start = NULL;
    const char *found = size > 0 ? find(text, text + size, place, &key_start) : NULL;
    if (found != NULL && key && place->key != NULL && place->value != NULL)
        found = key_start;
    return count_to(text, found, line, column);
}
