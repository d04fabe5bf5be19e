/* Typed fields of JSON objects: failures, objects and their keys, numbers, words, vectors, rotations. */
#include "scene/file/fields.h"
#include "scene/file/foreign.h"
#include "scene/file/source.h"

#include "math/quat.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool finish_failure(ashi_reader *reader, const ashi_place *place, bool key, ash_status status)
{
    ash_diagnostic *d = &reader->diagnostic;
    reader->status = d->status = status;
    snprintf(d->file, sizeof d->file, "%s", reader->label);
    ashi_place_path(place, d->path, sizeof d->path);
    if (reader->source != NULL) {
        char path[ASHI_LONGEST_PATH];
        ashi_place_path(place, path, sizeof path);
        ashi_source_find(reader->source, path, key, d);
    } else if (!ashi_locate(reader->text, reader->size, place, key, &d->line, &d->column))
        d->line = d->column = 0;
    return false;
}

static void start_failure(ashi_reader *reader, const char *code, const char *format, va_list arguments)
{
    char message[sizeof reader->diagnostic.message], own_code[sizeof reader->diagnostic.code];
    vsnprintf(message, sizeof message, format, arguments);
    if (reader->kind != NULL && strncmp(code, "scene.", 6) == 0) { /* the same faults in files of another kind */
        snprintf(own_code, sizeof own_code, "%s.%s", reader->kind, code + 6);
        code = own_code;
    }
    ashi_fail(&reader->diagnostic, ASH_BAD_DATA, code, "%s", message);
}

json_t *ashi_read_json(ashi_reader *reader)
{
    if (ashi_refuse_foreign_bytes(reader))
        return NULL;
    json_error_t error;
    json_t *json = json_loadb(reader->size > 0 ? reader->text : "", reader->size, JSON_REJECT_DUPLICATES, &error);
    if (json != NULL)
        return json;
    enum json_error_code code = json_error_code(&error);
    const ashi_place whole = {0};
    ash_diagnostic *d = &reader->diagnostic;
    if (code == json_error_out_of_memory)
        ashi_read_no_memory(reader);
    else if (code == json_error_duplicate_key)
        ashi_read_fail(reader, &whole, ASH_BAD_DATA, "scene.duplicate-key", "%s", error.text);
    else
        ashi_read_fail(reader, &whole, ASH_BAD_DATA, "scene.syntax", "not JSON: %s", error.text);
    d->line = error.line > 0 && code != json_error_out_of_memory ? error.line : 0;
    d->column = error.column > 0 && code != json_error_out_of_memory ? error.column : 0;
    return NULL;
}

bool ashi_read_fail(ashi_reader *reader, const ashi_place *place, ash_status status, const char *code,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    start_failure(reader, code, format, arguments);
    va_end(arguments);
    return finish_failure(reader, place, false, status);
}

bool ashi_read_fail_key(ashi_reader *reader, const ashi_place *place, ash_status status, const char *code,
                        const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    start_failure(reader, code, format, arguments);
    va_end(arguments);
    return finish_failure(reader, place, true, status);
}

bool ashi_read_expect(ashi_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->diagnostic.expected, sizeof reader->diagnostic.expected, format, arguments);
    va_end(arguments);
    return false;
}

/* What a place is called in a sentence: "mass", "triangles[0][2]". */
static void name_place(const ashi_reader *reader, const ashi_place *place, char *name, size_t size)
{
    if (place->parent == NULL) {
        snprintf(name, size, "the %s", reader->kind != NULL ? reader->kind : "scene");
        return;
    }
    if (place->key != NULL) {
        snprintf(name, size, "%.100s", place->key);
        return;
    }
    name_place(reader, place->parent, name, size);
    size_t used = strlen(name);
    snprintf(name + used, size - used, "[%zu]", place->index);
}

bool ashi_read_wrong(ashi_reader *reader, const ashi_place *place, const char *code, const char *format, ...)
{
    char name[200], value[80];
    name_place(reader, place, name, sizeof name);
    if (place->value == NULL)
        ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.missing", "\"%s\" is missing", name);
    else
        ashi_read_fail(reader, place, ASH_BAD_DATA, code, "%s cannot be %s", name,
                       ashi_value_text(place->value, value, sizeof value));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->diagnostic.expected, sizeof reader->diagnostic.expected, format, arguments);
    va_end(arguments);
    return false;
}

bool ashi_read_passed_on(ashi_reader *reader, const ashi_place *place, ash_status status)
{
    if (status == ASH_OUT_OF_MEMORY)
        return ashi_read_no_memory(reader);
    return finish_failure(reader, place, false, status);
}

bool ashi_read_no_memory(ashi_reader *reader)
{
    reader->status = ashi_out_of_memory(&reader->diagnostic);
    snprintf(reader->diagnostic.file, sizeof reader->diagnostic.file, "%s", reader->label);
    return false;
}

typedef struct window {
    char *text;
    size_t size, used;
} window;

/* Keeps as much as fits and then stops the output, so that a huge value costs no more than a small one. */
static int fill_window(const char *bytes, size_t count, void *user)
{
    window *w = user;
    size_t room = w->size - 1 - w->used;
    bool fits = count <= room;
    memcpy(w->text + w->used, bytes, fits ? count : room);
    w->used += fits ? count : room;
    return fits ? 0 : -1;
}

const char *ashi_value_text(const json_t *value, char *text, size_t size)
{
    window w = {text, size, 0};
    int cut = json_dump_callback(value, fill_window, &w, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (cut != 0 && w.used > 4) {
        w.used -= 4;
        while (w.used > 0 && ((unsigned char)text[w.used] & 0xC0) == 0x80)
            w.used--; /* whole characters only */
        memcpy(text + w.used, "...", 3);
        w.used += 3;
    }
    text[w.used] = 0;
    return text;
}

bool ashi_read_object(ashi_reader *reader, const ashi_place *place, ashi_words keys)
{
    if (!json_is_object(place->value))
        return ashi_read_wrong(reader, place, "scene.type", "an object {...}");
    const char *key;
    json_t *value;
    json_object_foreach(place->value, key, value)
    {
        if (ashi_word_find(keys, key) != ASHI_NONE)
            continue;
        ashi_place member = {place, key, 0, value};
        char hint[160], list[256];
        ashi_did_you_mean(key, keys.list, keys.count, hint, sizeof hint);
        if (hint[0] == 0 && reader->kind == NULL && ashi_key_home(key) != NULL)
            snprintf(hint, sizeof hint, ": %s", ashi_key_home(key));
        ashi_read_fail_key(reader, &member, ASH_BAD_DATA, "scene.unknown-key", "\"%.100s\" is not a key here%s", key,
                           hint);
        return ashi_read_expect(reader, "%s", keys.count > 0 ? ashi_words_text(keys, list, sizeof list) : "none");
    }
    return true;
}

bool ashi_read_array(ashi_reader *reader, const ashi_place *place, size_t *count)
{
    *count = json_array_size(place->value);
    if (place->value != NULL && !json_is_array(place->value))
        return ashi_read_wrong(reader, place, "scene.type", "a list [...]");
    if (*count >= ASHI_NONE)
        return ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.value", "%zu elements are too many", *count);
    return true;
}

static bool is_in_range(double number, ashi_range_kind range)
{
    switch (range) {
    case ASHI_NOT_NEGATIVE:
        return number >= 0;
    case ASHI_POSITIVE:
        return number > 0;
    case ASHI_ZERO_TO_ONE:
        return number >= 0 && number <= 1;
    default:
        return true;
    }
}

bool ashi_read_number(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need,
                      ashi_range_kind range, double *value)
{
    static const char *const expected[] = {"a number", "a number, 0 or more", "a number above 0",
                                           "a number from 0 to 1"};
    ashi_place place = ashi_at_key(object, key);
    if (place.value == NULL && need == ASHI_OPTIONAL)
        return true;
    if (!json_is_number(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "%s", expected[range]);
    double number = json_number_value(place.value);
    if (!is_in_range(number, range))
        return ashi_read_wrong(reader, &place, "scene.value", "%s", expected[range]);
    *value = number;
    return true;
}

bool ashi_read_bool(ashi_reader *reader, const ashi_place *object, const char *key, bool *value)
{
    ashi_place place = ashi_at_key(object, key);
    if (place.value == NULL)
        return true;
    if (!json_is_boolean(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "true or false");
    *value = json_is_true(place.value);
    return true;
}

bool ashi_read_text(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need, const char **text)
{
    ashi_place place = ashi_at_key(object, key);
    if (place.value == NULL && need == ASHI_OPTIONAL)
        return true;
    if (!json_is_string(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "a text \"...\"");
    *text = json_string_value(place.value);
    if (**text == 0 && need == ASHI_REQUIRED)
        return ashi_read_wrong(reader, &place, "scene.value", "a text that is not empty");
    return true;
}

bool ashi_read_word(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need, ashi_words words,
                    uint32_t *number)
{
    char list[256];
    ashi_place place = ashi_at_key(object, key);
    if (place.value == NULL && need == ASHI_OPTIONAL)
        return true;
    ashi_words_text(words, list, sizeof list);
    if (!json_is_string(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "%s", list);
    const char *word = json_string_value(place.value);
    *number = ashi_word_find(words, word);
    if (*number != ASHI_NONE)
        return true;
    char hint[96];
    ashi_read_fail(reader, &place, ASH_BAD_DATA, "scene.unknown-word", "%s cannot be \"%.100s\"%s", key, word,
                   ashi_did_you_mean(word, words.list, words.count, hint, sizeof hint));
    return ashi_read_expect(reader, "%s", list);
}

bool ashi_read_tuple(ashi_reader *reader, const ashi_place *place, size_t count, double *numbers)
{
    if (!json_is_array(place->value) || json_array_size(place->value) != count)
        return ashi_read_wrong(reader, place, "scene.type", "a list of %zu numbers", count);
    for (size_t i = 0; i < count; i++) {
        ashi_place element = ashi_at_index(place, i);
        if (!json_is_number(element.value))
            return ashi_read_wrong(reader, &element, "scene.type", "a number");
        numbers[i] = json_number_value(element.value);
    }
    return true;
}

/* In planar scenes z may be left out of vectors, and a rotation may be a number. */
static bool reads_plane(const ashi_reader *reader)
{
    return reader->scene != NULL && reader->scene->planar;
}

bool ashi_read_vector(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need, ash_vec3 *vector)
{
    ashi_place place = ashi_at_key(object, key);
    if (place.value == NULL && need == ASHI_OPTIONAL)
        return true;
    double xyz[3] = {0};
    bool is_flat = reader->scene != NULL && json_array_size(place.value) == 2;
    if (is_flat && !reads_plane(reader))
        return ashi_read_wrong(reader, &place, "scene.value", "a list of 3 numbers: only planar worlds take [x, y]");
    if (!ashi_read_tuple(reader, &place, is_flat ? 2 : 3, xyz))
        return false;
    *vector = v3(xyz[0], xyz[1], xyz[2]);
    return true;
}

static bool read_axis_rotation(ashi_reader *reader, const ashi_place *place, ash_quat *rotation)
{
    static const char *const keys[] = {"axis", "degrees"};
    ash_vec3 axis;
    double degrees = 0;
    if (!ashi_read_object(reader, place, (ashi_words){keys, 2}) ||
        !ashi_read_vector(reader, place, "axis", ASHI_REQUIRED, &axis) ||
        !ashi_read_number(reader, place, "degrees", ASHI_REQUIRED, ASHI_ANY, &degrees))
        return false;
    double length2 = v3_norm2(axis);
    if (!(length2 > 0) || !isfinite(length2)) {
        ashi_place at = ashi_at_key(place, "axis");
        return ashi_read_wrong(reader, &at, "scene.value", "a vector that is not zero");
    }
    *rotation = ash_rotation(axis, degrees * (3.14159265358979323846 / 180));
    return true;
}

bool ashi_read_rotation(ashi_reader *reader, const ashi_place *object, const char *key, ash_quat *rotation)
{
    ashi_place place = ashi_at_key(object, key);
    if (place.value == NULL)
        return true;
    if (json_is_object(place.value))
        return read_axis_rotation(reader, &place, rotation);
    if (json_is_number(place.value)) {
        if (!reads_plane(reader))
            return ashi_read_wrong(reader, &place, "scene.value",
                                   "{\"axis\": [x, y, z], \"degrees\": angle}: only planar worlds take a number");
        *rotation = ash_rotation(v3(0, 0, 1), json_number_value(place.value) * (3.14159265358979323846 / 180));
        return true;
    }
    double wxyz[4];
    if (!json_is_array(place.value) || json_array_size(place.value) != 4)
        return ashi_read_wrong(reader, &place, "scene.type",
                               "a quaternion [w, x, y, z] or {\"axis\": [x, y, z], \"degrees\": angle}%s",
                               reads_plane(reader) ? ", or degrees about z" : "");
    if (!ashi_read_tuple(reader, &place, 4, wxyz))
        return false;
    ash_quat q = {wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
    double length2 = q_norm2(q);
    if (!(length2 > 0) || !isfinite(length2))
        return ashi_read_wrong(reader, &place, "scene.value", "a quaternion that is not zero");
    /* One that is a unit already stays bit for bit, so that files can be written and read without end. */
    *rotation = fabs(length2 - 1) > 1e-12 ? q_unit(q) : q;
    return true;
}

bool ashi_read_numbers(ashi_reader *reader, const ashi_place *object, const char *key, double **numbers,
                       uint32_t *count)
{
    ashi_place place = ashi_at_key(object, key);
    size_t length;
    if (place.value == NULL)
        return ashi_read_wrong(reader, &place, "scene.missing", "a list of numbers");
    if (!ashi_read_array(reader, &place, &length))
        return false;
    *numbers = ashi_alloc_array(length, sizeof **numbers);
    if (*numbers == NULL)
        return ashi_read_no_memory(reader);
    *count = (uint32_t)length;
    if (ashi_read_tuple(reader, &place, length, *numbers))
        return true;
    ashi_dealloc(*numbers);
    *numbers = NULL;
    return false;
}
