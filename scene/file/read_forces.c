/* Forces of scene files: one function a kind; keys are the fields of its definition. */
#include "scene/file/read.h"

#include <string.h>

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

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

/* What acts on one body needs one: the background does not move. */
static bool read_own_body(ashi_reader *reader, const ashi_place *place, ash_body *body)
{
    ashi_place at = ashi_at_key(place, "body");
    if (at.value == NULL || json_is_null(at.value))
        return ashi_read_wrong(reader, &at, "scene.type", "the name of a body, or its number from 0");
    return ashi_read_present_body(reader, place, "body", body);
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

static bool read_stiffness(ashi_reader *reader, const ashi_place *place, double *stiffness, double *damping)
{
    return ashi_read_number(reader, place, "stiffness", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, stiffness) &&
           ashi_read_number(reader, place, "damping", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, damping);
}

/* Of a signal, kept until the scene has copied them. */
typedef struct tables {
    double *times, *values;
} tables;

static bool read_spring(ashi_reader *reader, const ashi_place *place, ashi_scene_force *force, tables *own)
{
    (void)own;
    static const char *const keys[] = {"kind",    "name",        "enabled",      "body_a",
                                       "body_b",  "point_a",     "point_b",      "stiffness",
                                       "damping", "rest_length", "tension_only", "damper_pushes"};
    ash_spring_def *def = &force->def.spring;
    *def = ash_default_spring_def();
    return ashi_read_object(reader, place, WORDS(keys)) &&
           ashi_read_text(reader, place, "name", ASHI_OPTIONAL, &def->name) &&
           ashi_read_present_body(reader, place, "body_a", &def->body_a) &&
           ashi_read_present_body(reader, place, "body_b", &def->body_b) &&
           ashi_read_vector(reader, place, "point_a", ASHI_OPTIONAL, &def->point_a) &&
           ashi_read_vector(reader, place, "point_b", ASHI_OPTIONAL, &def->point_b) &&
           read_stiffness(reader, place, &def->stiffness, &def->damping) &&
           ashi_read_length(reader, place, "rest_length", &def->rest_length) &&
           ashi_read_bool(reader, place, "tension_only", &def->tension_only) &&
           ashi_read_bool(reader, place, "damper_pushes", &def->damper_pushes);
}

static bool read_angular_spring(ashi_reader *reader, const ashi_place *place, ashi_scene_force *force, tables *own)
{
    (void)own;
    static const char *const keys[] = {"kind",   "name",          "enabled",   "body_a",
                                       "body_b", "rest_rotation", "stiffness", "damping"};
    ash_angular_spring_def *def = &force->def.angular_spring;
    *def = ash_default_angular_spring_def();
    return ashi_read_object(reader, place, WORDS(keys)) &&
           ashi_read_text(reader, place, "name", ASHI_OPTIONAL, &def->name) &&
           ashi_read_present_body(reader, place, "body_a", &def->body_a) &&
           ashi_read_present_body(reader, place, "body_b", &def->body_b) &&
           ashi_read_rotation(reader, place, "rest_rotation", &def->rest_rotation) &&
           read_stiffness(reader, place, &def->stiffness, &def->damping);
}

static bool read_mask(ashi_reader *reader, const ashi_place *place, ash_vec3 *mask)
{
    if (!ashi_read_vector(reader, place, "mask", ASHI_OPTIONAL, mask))
        return false;
    const double entries[3] = {mask->x, mask->y, mask->z};
    ashi_place list = ashi_at_key(place, "mask");
    for (size_t i = 0; i < 3 && list.value != NULL; i++) {
        ashi_place at = ashi_at_index(&list, i);
        if (entries[i] < 0 || entries[i] > 1)
            return ashi_read_wrong(reader, &at, "scene.value", "a number from 0 to 1");
    }
    return true;
}

static bool read_drag(ashi_reader *reader, const ashi_place *place, ashi_scene_force *force, tables *own)
{
    (void)own;
    static const char *const keys[] = {"kind",    "name", "enabled", "body", "coefficient",
                                       "density", "area", "linear",  "mask", "wind"};
    ash_drag_def *def = &force->def.drag;
    *def = ash_default_drag_def();
    return ashi_read_object(reader, place, WORDS(keys)) &&
           ashi_read_text(reader, place, "name", ASHI_OPTIONAL, &def->name) &&
           read_own_body(reader, place, &def->body) &&
           ashi_read_number(reader, place, "coefficient", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &def->coefficient) &&
           ashi_read_number(reader, place, "density", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &def->density) &&
           ashi_read_number(reader, place, "area", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &def->area) &&
           ashi_read_number(reader, place, "linear", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &def->linear) &&
           read_mask(reader, place, &def->mask) && ashi_read_vector(reader, place, "wind", ASHI_OPTIONAL, &def->wind);
}

static bool read_pull(ashi_reader *reader, const ashi_place *place, ashi_scene_force *force, tables *own)
{
    (void)own;
    static const char *const keys[] = {"kind",   "name",      "enabled", "body",     "point",
                                       "target", "stiffness", "damping", "max_force"};
    ash_pull_def *def = &force->def.pull;
    *def = ash_default_pull_def();
    return ashi_read_object(reader, place, WORDS(keys)) &&
           ashi_read_text(reader, place, "name", ASHI_OPTIONAL, &def->name) &&
           read_own_body(reader, place, &def->body) &&
           ashi_read_vector(reader, place, "point", ASHI_OPTIONAL, &def->point) &&
           ashi_read_vector(reader, place, "target", ASHI_OPTIONAL, &def->target) &&
           read_stiffness(reader, place, &def->stiffness, &def->damping) &&
           ashi_read_number(reader, place, "max_force", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &def->max_force);
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

static bool read_load(ashi_reader *reader, const ashi_place *place, ashi_scene_force *force, tables *own)
{
    static const char *const keys[] = {"kind",  "name",      "enabled", "body",  "force", "torque",
                                       "point", "body_axes", "signal",  "start", "stop"};
    ash_load_def *def = &force->def.load;
    *def = ash_default_load_def();
    return ashi_read_object(reader, place, WORDS(keys)) &&
           ashi_read_text(reader, place, "name", ASHI_OPTIONAL, &def->name) &&
           read_own_body(reader, place, &def->body) &&
           ashi_read_vector(reader, place, "force", ASHI_OPTIONAL, &def->force) &&
           ashi_read_vector(reader, place, "torque", ASHI_OPTIONAL, &def->torque) &&
           ashi_read_vector(reader, place, "point", ASHI_OPTIONAL, &def->point) &&
           ashi_read_bool(reader, place, "body_axes", &def->body_axes) &&
           ashi_read_signal(reader, place, &def->signal, &own->times, &own->values) &&
           ashi_read_number(reader, place, "start", ASHI_OPTIONAL, ASHI_ANY, &def->start) &&
           ashi_read_number(reader, place, "stop", ASHI_OPTIONAL, ASHI_ANY, &def->stop);
}

static bool (*const kinds[ASH_FORCE_KINDS])(ashi_reader *, const ashi_place *, ashi_scene_force *, tables *) = {
    [ASH_FORCE_SPRING] = read_spring, [ASH_FORCE_ANGULAR_SPRING] = read_angular_spring,
    [ASH_FORCE_DRAG] = read_drag,     [ASH_FORCE_PULL] = read_pull,
    [ASH_FORCE_LOAD] = read_load,
};

static bool read_force(ashi_reader *reader, const ashi_place *place)
{
    uint32_t kind;
    bool enabled = true;
    if (!json_is_object(place->value))
        return ashi_read_wrong(reader, place, "scene.type", "a force {\"kind\": ...}");
    if (!ashi_read_word(reader, place, "kind", ASHI_REQUIRED, ashi_force_kind_words(), &kind))
        return false;
    ashi_scene_force force = {.kind = (ash_force_kind)kind};
    tables own = {NULL, NULL};
    bool done = kinds[kind](reader, place, &force, &own) && ashi_read_bool(reader, place, "enabled", &enabled);
    force.disabled = !enabled;
    uint32_t number = done ? ashi_scene_add_force(reader->scene, &force) : ASHI_NONE;
    ashi_free(own.times);
    ashi_free(own.values);
    if (!done)
        return false;
    if (number == ASHI_NONE)
        return ashi_read_no_memory(reader);
    return ashi_read_enter_name(reader, reader->forces, json_string_value(json_object_get(place->value, "name")),
                                number);
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
