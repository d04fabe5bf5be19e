/* Objects read by their table of keys: one function for each type of value. */
#include "scene/file/read.h"

#include <string.h>

typedef bool (*read_value)(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value);

static bool read_number(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    return ashi_read_number(reader, object, key->name, ASHI_OPTIONAL, key->range, value);
}

static bool read_whole(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    ashi_place place = ashi_at_key(object, key->name);
    double number = json_is_number(place.value) ? json_number_value(place.value) : 0.5;
    if (!(number >= -2147483647.0 && number <= 2147483647.0) || number != (double)(int32_t)number)
        return ashi_read_wrong(reader, &place, "scene.type", "a whole number");
    *(int32_t *)value = (int32_t)number;
    return true;
}

static bool read_switch(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    return ashi_read_bool(reader, object, key->name, value);
}

static bool read_not(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    bool on = !*(bool *)value, read = ashi_read_bool(reader, object, key->name, &on);
    *(bool *)value = !on;
    return read;
}

static bool read_word(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    uint32_t number;
    if (!ashi_read_word(reader, object, key->name, ASHI_OPTIONAL, key->words(), &number))
        return false;
    memcpy(value, &number, sizeof number);
    return true;
}

static bool read_text(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    return ashi_read_text(reader, object, key->name, ASHI_OPTIONAL, value);
}

static bool read_vector(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    return ashi_read_vector(reader, object, key->name, ASHI_OPTIONAL, value);
}

/* Numbers that are each from 0 to 1. */
static bool read_shares(ashi_reader *reader, const ashi_place *list, size_t count, double *numbers)
{
    if (!ashi_read_tuple(reader, list, count, numbers))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place at = ashi_at_index(list, i);
        if (!(numbers[i] >= 0 && numbers[i] <= 1))
            return ashi_read_wrong(reader, &at, "scene.value", "a number from 0 to 1");
    }
    return true;
}

static bool read_share_vector(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    ashi_place place = ashi_at_key(object, key->name);
    double xyz[3];
    if (!read_shares(reader, &place, 3, xyz))
        return false;
    *(ash_vec3 *)value = (ash_vec3){xyz[0], xyz[1], xyz[2]};
    return true;
}

static bool read_rotation(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    return ashi_read_rotation(reader, object, key->name, value);
}

static bool read_inertia(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    double entries[6] = {0};
    ashi_place place = ashi_at_key(object, key->name);
    size_t count = json_array_size(place.value);
    bool planar = reader->scene->planar;
    if (json_is_number(place.value)) {
        if (!planar)
            return ashi_read_wrong(reader, &place, "scene.value", "[xx, yy, zz]: only planar worlds take a number");
        /* A flat body: what turns it lies in its plane. */
        double about_z = json_number_value(place.value);
        *(ash_sym3 *)value = (ash_sym3){about_z / 2, about_z / 2, about_z, 0, 0, 0};
        return true;
    }
    if (!json_is_array(place.value) || (count != 3 && count != 6))
        return ashi_read_wrong(reader, &place, "scene.type", "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]%s",
                               planar ? ", or what it is about z" : "");
    if (!ashi_read_tuple(reader, &place, count, entries))
        return false;
    *(ash_sym3 *)value = (ash_sym3){entries[0], entries[1], entries[2], entries[3], entries[4], entries[5]};
    return true;
}

static bool read_locks(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    ashi_place list = ashi_at_key(object, key->name);
    ashi_words words = ashi_lock_words();
    uint32_t *locks = value;
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        char text[256];
        uint32_t bit = json_is_string(place.value) ? ashi_word_find(words, json_string_value(place.value)) : ASHI_NONE;
        if (bit == ASHI_NONE)
            return ashi_read_wrong(reader, &place, json_is_string(place.value) ? "scene.unknown-word" : "scene.type",
                                   "%s", ashi_words_text(words, text, sizeof text));
        *locks |= bit < 6 ? 1u << bit : ASH_LOCK_ROTATION;
    }
    return true;
}

static bool read_bits(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    ashi_place list = ashi_at_key(object, key->name);
    uint64_t *bits = value;
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    *bits = 0;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        double number = json_is_number(place.value) ? json_number_value(place.value) : -1;
        if (!(number >= 0 && number <= 63) || number != (double)(uint32_t)number)
            return ashi_read_wrong(reader, &place, "scene.type", "the number of a bit, 0 to 63");
        *bits |= (uint64_t)1 << (uint32_t)number;
    }
    return true;
}

static bool read_colour(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    ashi_place place = ashi_at_key(object, key->name);
    const char *text = NULL;
    if (!ashi_read_text(reader, object, key->name, ASHI_OPTIONAL, &text))
        return false;
    if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
        return ashi_read_wrong(reader, &place, "scene.value", "a colour \"#rrggbb\", such as \"#c4694a\"");
    *(uint32_t *)value = (uint32_t)strtoul(text + 1, NULL, 16);
    return true;
}

static bool read_paint(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    ashi_place place = ashi_at_key(object, key->name);
    ashi_paint *paint = value;
    size_t count = json_array_size(place.value);
    paint->given = true;
    paint->rgba[3] = 1;
    if (!json_is_array(place.value) || (count != 3 && count != 4))
        return ashi_read_wrong(reader, &place, "scene.type", "[red, green, blue] or [red, green, blue, opacity]");
    return read_shares(reader, &place, count, paint->rgba);
}

static bool read_length(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    return ashi_read_length(reader, object, key->name, value);
}

static bool read_signal(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    (void)key;
    return ashi_read_signal(reader, object, value, &reader->signal_times, &reader->signal_values);
}

static bool read_material(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    return ashi_read_material_name(reader, object, key->name, value);
}

static bool read_body(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    return ashi_read_present_body(reader, object, key->name, value);
}

/* An object that acts on one body needs a body other than the background. */
static bool read_own_body(ashi_reader *reader, const ashi_place *object, const ashi_key *key, void *value)
{
    ashi_place at = ashi_at_key(object, key->name);
    if (at.value == NULL || json_is_null(at.value))
        return ashi_read_wrong(reader, &at, "scene.type", "the name of a body, or its number from 0");
    return ashi_read_present_body(reader, object, key->name, value);
}

static const read_value readers[ASHI_VALUE_TYPES] = {
    [ASHI_VALUE_NUMBER] = read_number,     [ASHI_VALUE_WHOLE] = read_whole,
    [ASHI_VALUE_SWITCH] = read_switch,     [ASHI_VALUE_NOT] = read_not,
    [ASHI_VALUE_WORD] = read_word,         [ASHI_VALUE_TEXT] = read_text,
    [ASHI_VALUE_VECTOR] = read_vector,     [ASHI_VALUE_SHARES] = read_share_vector,
    [ASHI_VALUE_ROTATION] = read_rotation, [ASHI_VALUE_INERTIA] = read_inertia,
    [ASHI_VALUE_LOCKS] = read_locks,       [ASHI_VALUE_BITS] = read_bits,
    [ASHI_VALUE_COLOUR] = read_colour,     [ASHI_VALUE_PAINT] = read_paint,
    [ASHI_VALUE_LENGTH] = read_length,     [ASHI_VALUE_SIGNAL] = read_signal,
    [ASHI_VALUE_MATERIAL] = read_material, [ASHI_VALUE_BODY] = read_body,
    [ASHI_VALUE_OWN_BODY] = read_own_body,
};

bool ashi_read_keys(ashi_reader *reader, const ashi_place *place, const ashi_key_table *table, void *object,
                    uint32_t *given)
{
    const char *names[ASHI_MOST_KEYS];
    *given = 0;
    if (!ashi_read_object(reader, place, ashi_key_names(table, names)))
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        const ashi_key *key = &table->keys[i];
        bool there = ashi_at_key(place, key->name).value != NULL;
        *given |= there ? 1u << i : 0;
        if ((there || key->type == ASHI_VALUE_OWN_BODY) && readers[key->type] != NULL &&
            !readers[key->type](reader, place, key, ashi_value_at(object, key)))
            return false;
    }
    return true;
}
