/* Forces of scene files: the keys of each kind stand in its table. */
#include "scene/file/read.h"

#include <string.h>

bool ashi_read_present_body(ashi_reader *reader, const ashi_place *place, const char *key, ash_body *body)
{
    uint32_t number;
    if (!ashi_read_reference(reader, place, key, ASHI_OPTIONAL, reader->bodies, reader->scene->bodies.count, "body",
                             &number))
        return false;
    *body = number == ASHI_NONE ? (ash_body){0} : ashi_scene_body_ref(number);
    if (number != ASHI_NONE && reader->scene->bodies.data[number].absent) {
        ashi_place at = ashi_at_key(place, key);
        return ashi_read_wrong(reader, &at, "scene.absent", "a body that is in the world at time 0");
    }
    return true;
}

bool ashi_read_length(ashi_reader *reader, const ashi_place *place, const char *key, double *length)
{
    ashi_place at = ashi_at_key(place, key);
    if (at.value == NULL)
        return true;
    if (json_is_string(at.value) && strcmp(json_string_value(at.value), "initial") == 0) {
        *length = -1;
        return true;
    }
    if (!json_is_number(at.value) || json_number_value(at.value) < 0)
        return ashi_read_wrong(reader, &at, json_is_number(at.value) ? "scene.value" : "scene.type",
                               "a number, 0 or more, or \"initial\" for the distance at the start");
    *length = json_number_value(at.value);
    return true;
}

/* The two columns of a table; the caller releases them. */
static bool read_table(ashi_reader *reader, const ashi_place *place, double **times, double **values, uint32_t *count)
{
    uint32_t value_count;
    if (!ashi_read_numbers(reader, place, "times", times, count) ||
        !ashi_read_numbers(reader, place, "values", values, &value_count))
        return false;
    ashi_place at_times = ashi_at_key(place, "times"), at_values = ashi_at_key(place, "values");
    if (*count == 0)
        return ashi_read_wrong(reader, &at_times, "scene.value", "one time or more");
    if (value_count != *count) {
        ashi_read_fail(reader, &at_values, ASH_BAD_DATA, "scene.value", "there are %u values", value_count);
        return ashi_read_expect(reader, "%u, one for each of \"times\"", *count);
    }
    for (uint32_t i = 1; i < *count; i++) {
        ashi_place at = ashi_at_index(&at_times, i);
        if (!((*times)[i] > (*times)[i - 1]))
            return ashi_read_wrong(reader, &at, "scene.value", "a time after the one before it");
    }
    return true;
}

bool ashi_read_signal(ashi_reader *reader, const ashi_place *load, ash_signal *signal, double **times, double **values)
{
    static const char *const keys[ASH_SIGNAL_KINDS][3] = {[ASH_SIGNAL_CONSTANT] = {"kind"},
                                                          [ASH_SIGNAL_HARMONIC] = {"kind", "rate", "phase"},
                                                          [ASH_SIGNAL_TABLE] = {"kind", "times", "values"}};
    ashi_place place = ashi_at_key(load, "signal");
    uint32_t kind;
    if (place.value == NULL)
        return true;
    if (!json_is_object(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "a signal {\"kind\": ...}");
    if (!ashi_read_word(reader, &place, "kind", ASHI_REQUIRED, ashi_signal_kind_words(), &kind) ||
        !ashi_read_object(reader, &place, (ashi_words){keys[kind], kind == ASH_SIGNAL_CONSTANT ? 1 : 3}))
        return false;
    signal->kind = (ash_signal_kind)kind;
    if (kind == ASH_SIGNAL_HARMONIC)
        return ashi_read_number(reader, &place, "rate", ASHI_REQUIRED, ASHI_ANY, &signal->rate) &&
               ashi_read_number(reader, &place, "phase", ASHI_OPTIONAL, ASHI_ANY, &signal->phase);
    if (kind == ASH_SIGNAL_TABLE && !read_table(reader, &place, times, values, &signal->count))
        return false;
    signal->times = *times;
    signal->values = *values;
    return true;
}

static bool read_force(ashi_reader *reader, const ashi_place *place)
{
    ashi_scene_force force;
    uint32_t kind, given;
    if (!json_is_object(place->value))
        return ashi_read_wrong(reader, place, "scene.type", "a force {\"kind\": ...}");
    if (!ashi_read_word(reader, place, "kind", ASHI_REQUIRED, ashi_force_kind_words(), &kind))
        return false;
    const ashi_key_table *table = ashi_force_keys((ash_force_kind)kind);
    table->usual(&force);
    bool done = ashi_read_keys(reader, place, table, &force, &given);
    uint32_t number = done ? ashi_scene_add_force(reader->scene, &force) : ASHI_NONE;
    ashi_dealloc(reader->signal_times);
    ashi_dealloc(reader->signal_values);
    reader->signal_times = reader->signal_values = NULL;
    if (!done)
        return false;
    if (number == ASHI_NONE)
        return ashi_read_no_memory(reader);
    return ashi_read_enter_name(reader, reader->forces, ashi_scene_force_name(&force), number);
}

bool ashi_read_forces(ashi_reader *reader, const ashi_place *root)
{
    ashi_place list = ashi_at_key(root, "forces");
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        if (!read_force(reader, &place))
            return false;
    }
    return true;
}
