/* Parameters of scene files: numbers, true or false, words, or expressions of other parameters, in any order.
 *
 *   "mu": 0.5      "width": "2*$radius"      "n": {"value": 5, "low": 1, "high": 100, "summary": "stones"}
 *   "surface": {"value": "rough", "choices": ["rough", "smooth"]} */
#include "scene/file/parameters.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

typedef enum progress { UNKNOWN, BEING_FOUND, FOUND } progress;

typedef struct parameter {
    ashi_place place; /* of the whole entry */
    ash_scene_parameter info;
    progress progress;
} parameter;

typedef struct section {
    ashi_reader *reader;
    ashi_scope *scope;
    ash_scene *scene; /* has the texts */
    const ashi_given *given;
    parameter *list;
    uint32_t count;
} section;

static ashi_place value_place(const parameter *p)
{
    return json_is_object(p->place.value) ? ashi_at_key(&p->place, "value") : p->place;
}

/* The words of "choices" as "a|b|c". */
static bool read_choices(section *s, parameter *p)
{
    ashi_place list = ashi_at_key(&p->place, "choices");
    char text[1024] = "";
    size_t used = 0, count;
    if (!ashi_read_array(s->reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        const char *word = json_string_value(place.value);
        if (word == NULL || *word == 0 || strchr(word, '|') != NULL || strchr(word, '$') != NULL)
            return ashi_read_wrong(s->reader, &place, "scene.type", "a word without '|' and '$'");
        size_t length = strlen(word);
        if (used + length + 2 > sizeof text)
            return ashi_read_fail(s->reader, &place, ASH_BAD_DATA, "scene.value", "these are too many choices");
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? "|" : "", word);
    }
    p->info.choices = count > 0 ? ashi_scene_text(s->scene, "%s", text) : NULL;
    return count == 0 || p->info.choices != NULL || ashi_read_no_memory(s->reader);
}

static bool read_entry(section *s, parameter *p)
{
    static const char *const keys[] = {"value", "summary", "low", "high", "choices"};
    const char *summary = "";
    p->info = (ash_scene_parameter){.low = -INFINITY, .high = INFINITY};
    if (!ashi_scope_check_name(s->reader, &p->place))
        return false;
    if (json_is_object(p->place.value) &&
        (!ashi_read_object(s->reader, &p->place, WORDS(keys)) ||
         !ashi_read_text(s->reader, &p->place, "summary", ASHI_OPTIONAL, &summary) ||
         !ashi_read_number(s->reader, &p->place, "low", ASHI_OPTIONAL, ASHI_ANY, &p->info.low) ||
         !ashi_read_number(s->reader, &p->place, "high", ASHI_OPTIONAL, ASHI_ANY, &p->info.high) ||
         !read_choices(s, p)))
        return false;
    p->info.name = ashi_scene_text(s->scene, "%s", p->place.key);
    p->info.summary = ashi_scene_text(s->scene, "%s", summary);
    ashi_place value = value_place(p);
    if (!json_is_number(value.value) && !json_is_boolean(value.value) && !json_is_string(value.value))
        return ashi_read_wrong(s->reader, &value, "scene.type", "a number, true or false, a word, or an expression");
    return (p->info.name != NULL && p->info.summary != NULL) || ashi_read_no_memory(s->reader);
}

static bool is_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = choices; at != NULL; at = strchr(at, '|') != NULL ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == 0 || at[length] == '|'))
            return true;
    return false;
}

/* Is the value one that the parameter can have? The failure is at `at`, or without a place. */
static bool is_allowed(section *s, const parameter *p, const json_t *value, const ashi_place *at)
{
    char text[80];
    const ash_scene_parameter *info = &p->info;
    bool word = json_is_string(value), number = json_is_number(value);
    bool in_range = !number || (json_number_value(value) >= info->low && json_number_value(value) <= info->high);
    bool chosen = info->choices == NULL || (word && is_choice(info->choices, json_string_value(value)));
    if (in_range && chosen)
        return true;
    ashi_value_text(value, text, sizeof text);
    if (at != NULL) {
        ashi_read_fail(s->reader, at, ASH_BAD_DATA, "scene.parameter", "%s cannot be %s", info->name, text);
    } else {
        s->reader->status = ASH_BAD_DATA;
        ashi_fail(&s->reader->diagnostic, ASH_BAD_DATA, "scene.parameter", "%s cannot be %s", info->name, text);
    }
    if (!chosen)
        return ashi_read_expect(s->reader, "one of %s", info->choices);
    return ashi_read_expect(s->reader, "a number from %g to %g", info->low, info->high);
}

/* A value from a command line, with the type of the file's own value. */
static json_t *value_of_text(section *s, const parameter *p, const char *text)
{
    static const char *const words[] = {"false", "off", "0", "true", "on", "1"};
    ashi_place own = value_place(p);
    double number;
    if (json_is_boolean(own.value)) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strcmp(text, words[i]) == 0)
                return json_boolean(i >= 3);
    } else if (json_is_string(own.value) && strchr(json_string_value(own.value), '$') == NULL) {
        json_t *word = json_string(text);
        if (word != NULL)
            return word;
    } else if (ashi_parse_number(text, &number)) {
        json_t *json = ashi_number_json(number);
        if (json == NULL)
            ashi_read_no_memory(s->reader);
        return json;
    }
    s->reader->status = ASH_BAD_DATA;
    ashi_fail(&s->reader->diagnostic, ASH_BAD_DATA, "scene.parameter", "%s cannot be \"%.100s\"", p->info.name, text);
    ashi_read_expect(s->reader, json_is_boolean(own.value)                             ? "true or false"
                                : json_is_string(own.value) && p->info.choices != NULL ? "a word"
                                                                                       : "a number");
    return NULL;
}

/* The value given from outside, a new reference; null without a failure when there is none. */
static bool take_given(section *s, const parameter *p, json_t **value)
{
    *value = NULL;
    for (uint32_t i = 0; i < s->given->count; i++) {
        if (strcmp(s->given->settings[i].key, p->info.name) != 0)
            continue;
        json_decref(*value);
        *value = value_of_text(s, p, s->given->settings[i].value);
        if (*value == NULL || !is_allowed(s, p, *value, NULL))
            return false;
        if (s->given->taken != NULL)
            s->given->taken[i] = true;
    }
    json_t *inner = json_object_get(s->given->values, p->info.name);
    if (inner != NULL) {
        *value = json_incref(inner);
        return is_allowed(s, p, inner, &p->place);
    }
    return true;
}

static bool find_value(section *s, uint32_t number);

static bool is_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool names(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
        if ((at == text || !is_in_name(at[-1])) && !is_in_name(at[length]))
            return true;
    return false;
}

/* First finds the values of the parameters that this text uses. */
static bool find_named(section *s, const char *text)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (names(text, s->list[i].info.name) && !find_value(s, i))
            return false;
    return true;
}

static bool find_value(section *s, uint32_t number)
{
    parameter *p = &s->list[number];
    ashi_place place = value_place(p);
    if (p->progress == FOUND)
        return true;
    if (p->progress == BEING_FOUND)
        return ashi_read_fail(s->reader, &place, ASH_BAD_DATA, "scene.parameter", "%s depends on itself", p->info.name);
    p->progress = BEING_FOUND;
    json_t *value;
    if (!take_given(s, p, &value)) {
        json_decref(value);
        return false;
    }
    const char *text = json_string_value(place.value);
    if (value == NULL && text != NULL && strchr(text, '$') != NULL)
        value = find_named(s, text) ? ashi_scope_evaluate(s->reader, s->scope, &place) : NULL;
    else if (value == NULL)
        value = json_incref(place.value);
    if (value == NULL)
        return false;
    ashi_scope_set(s->scope, number, value);
    p->progress = FOUND;
    return is_allowed(s, p, value, &place);
}

/* Enters the parameter into the scene, with the value that it has now. */
static bool enter(section *s, uint32_t number)
{
    ash_scene_parameter info = s->list[number].info;
    const json_t *value = s->scope->values.data[number];
    if (json_is_boolean(value))
        info.choices = "false|true";
    if (json_is_boolean(value) || json_is_string(value)) {
        const char *word = json_is_string(value) ? json_string_value(value) : json_is_true(value) ? "true" : "false";
        info.choice_value = ashi_scene_text(s->scene, "%s", word);
        if (info.choice_value == NULL)
            return ashi_read_no_memory(s->reader);
        if (info.choices == NULL)
            info.choices = ""; /* any word */
    } else {
        info.value = json_number_value(value);
    }
    if (!ashi_array_extend(&s->scene->parameters))
        return ashi_read_no_memory(s->reader);
    s->scene->parameters.data[s->scene->parameters.count - 1] = info;
    return true;
}

static bool read_section(section *s, const ashi_place *place, bool own)
{
    const char *name;
    json_t *value;
    json_object_foreach(place->value, name, value)
    {
        parameter *p = &s->list[s->count++];
        *p = (parameter){.place = {place, name, 0, value}};
        if (!read_entry(s, p) || !ashi_scope_push(s->reader, s->scope, name, NULL))
            return false;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (!find_value(s, i) || (own && !enter(s, i)))
            return false;
    return true;
}

bool ashi_read_parameters(ashi_reader *reader, const ashi_place *place, const ashi_given *given, ashi_scope *scope,
                          bool own)
{
    if (place->value == NULL)
        return true;
    size_t count = json_object_size(place->value);
    if (!json_is_object(place->value))
        return ashi_read_wrong(reader, place, "scene.type", "an object {name: value, ...}");
    if (count > ASHI_MOST_PARAMETERS)
        return ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.value", "%zu parameters are too many", count);
    section s = {.reader = reader, .scope = scope, .scene = reader->scene, .given = given};
    s.list = ashi_alloc_array(count, sizeof *s.list);
    bool done = s.list != NULL ? read_section(&s, place, own) : ashi_read_no_memory(reader);
    ashi_dealloc(s.list);
    return done;
}
