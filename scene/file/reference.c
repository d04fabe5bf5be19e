/* References between the objects of a scene file: by name, or by number where a list has numbers. */
#include "scene/file/fields.h"

#include <stdio.h>

bool ashi_read_enter_name(ashi_reader *reader, json_t *table, const char *name, uint32_t number)
{
    if (name == NULL || *name == 0)
        return true;
    json_int_t entry = json_object_get(table, name) == NULL ? (json_int_t)number : -1;
    return json_object_set_new_nocheck(table, name, json_integer(entry)) == 0 || ashi_read_no_memory(reader);
}

static const char *with_article(const char *what, char *text, size_t size)
{
    snprintf(text, size, "%s %s", *what == 'o' ? "an" : "a", what); /* "output" is the only one that starts with a
                                                                       vowel */
    return text;
}

static bool unknown_name(ashi_reader *reader, const ashi_place *place, json_t *table, const char *what)
{
    const char *word = json_string_value(place->value);
    size_t count = json_object_size(table);
    const char **names = ashi_alloc_array(count, sizeof *names);
    if (names == NULL)
        return ashi_read_no_memory(reader);
    size_t i = 0;
    const char *name;
    json_t *number;
    json_object_foreach(table, name, number) names[i++] = name;
    char hint[96], text[24];
    ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.unknown-name", "there is no %s \"%.100s\"%s", what, word,
                   ashi_did_you_mean(word, names, count, hint, sizeof hint));
    ashi_dealloc(names);
    return ashi_read_expect(reader, "the name of %s of this scene", with_article(what, text, sizeof text));
}

static bool find_by_name(ashi_reader *reader, const ashi_place *place, json_t *table, const char *what,
                         uint32_t *number)
{
    const char *name = json_string_value(place->value);
    const json_t *entry = json_object_get(table, name);
    if (entry == NULL)
        return unknown_name(reader, place, table, what);
    if (json_integer_value(entry) < 0)
        return ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.ambiguous-name",
                              "\"%.100s\" is the name of more than one %s, so it cannot be referred to", name, what);
    *number = (uint32_t)json_integer_value(entry);
    return true;
}

bool ashi_read_reference(ashi_reader *reader, const ashi_place *object, const char *key, ashi_need need, json_t *table,
                         uint32_t count, const char *what, uint32_t *number)
{
    char text[24];
    ashi_place place = ashi_at_key(object, key);
    *number = ASHI_NONE;
    if (need == ASHI_OPTIONAL && (place.value == NULL || json_is_null(place.value)))
        return true;
    if (json_is_string(place.value))
        return find_by_name(reader, &place, table, what, number);
    if (!json_is_integer(place.value) || json_integer_value(place.value) < 0)
        return ashi_read_wrong(reader, &place, "scene.type", "the name of %s, or its number from 0",
                               with_article(what, text, sizeof text));
    if ((uint64_t)json_integer_value(place.value) >= count) {
        ashi_read_wrong(reader, &place, "scene.unknown-name", "the number of %s, below %u",
                        with_article(what, text, sizeof text), count);
        return false;
    }
    *number = (uint32_t)json_integer_value(place.value);
    return true;
}
