/* Bodies of scene files, with their shapes. */
#include "scene/file/read.h"

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

/* A set of bits as a list of their numbers, 0 to 63. */
static bool read_bits(ashi_reader *reader, const ashi_place *object, const char *key, uint64_t *bits)
{
    ashi_place list = ashi_at_key(object, key);
    size_t count;
    if (list.value == NULL)
        return true;
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

static bool read_group(ashi_reader *reader, const ashi_place *object, int32_t *group)
{
    ashi_place place = ashi_at_key(object, "group");
    double number = json_is_number(place.value) ? json_number_value(place.value) : 0.5;
    if (place.value == NULL)
        return true;
    if (!(number >= -2147483647.0 && number <= 2147483647.0) || number != (double)(int32_t)number)
        return ashi_read_wrong(reader, &place, "scene.type", "a whole number");
    *group = (int32_t)number;
    return true;
}

/* [red, green, blue], or opacity after them. */
static bool read_colour(ashi_reader *reader, const ashi_place *object, ashi_scene_shape *shape)
{
    ashi_place place = ashi_at_key(object, "colour");
    size_t count = json_array_size(place.value);
    if (place.value == NULL)
        return true;
    shape->coloured = true;
    shape->colour[3] = 1;
    if (!json_is_array(place.value) || (count != 3 && count != 4))
        return ashi_read_wrong(reader, &place, "scene.type", "[red, green, blue] or [red, green, blue, opacity]");
    if (!ashi_read_tuple(reader, &place, count, shape->colour))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place at = ashi_at_index(&place, i);
        if (!(shape->colour[i] >= 0 && shape->colour[i] <= 1))
            return ashi_read_wrong(reader, &at, "scene.value", "a number from 0 to 1");
    }
    return true;
}

static bool read_shape_on_body(ashi_reader *reader, const ashi_place *place, uint32_t body)
{
    static const char *const keys[] = {"shape",  "material", "density", "position",        "rotation",
                                       "name",   "category", "mask",    "group",           "sensor",
                                       "visual", "hidden",   "colour",  "surface_velocity"};
    ashi_scene_shape shape = ashi_default_scene_shape();
    if (!ashi_read_object(reader, place, WORDS(keys)) || !ashi_read_shape(reader, place, &shape.geometry) ||
        !ashi_read_pose(reader, place, &shape.pose) ||
        !ashi_read_text(reader, place, "name", ASHI_OPTIONAL, &shape.name) ||
        !read_bits(reader, place, "category", &shape.category) || !read_bits(reader, place, "mask", &shape.mask) ||
        !read_group(reader, place, &shape.group) || !ashi_read_bool(reader, place, "sensor", &shape.sensor))
        return false;
    if (!ashi_read_material_name(reader, place, "material", &shape.material) ||
        !ashi_read_number(reader, place, "density", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &shape.density) ||
        !ashi_read_vector(reader, place, "surface_velocity", ASHI_OPTIONAL, &shape.surface_velocity))
        return false;
    if (!ashi_read_bool(reader, place, "visual", &shape.visual) ||
        !ashi_read_bool(reader, place, "hidden", &shape.hidden) || !read_colour(reader, place, &shape))
        return false;
    ashi_place at = ashi_at_key(place, "shape");
    if (!shape.visual && ash_geometry_get_definition(reader->scene->geometries.data[shape.geometry].geometry)->open)
        return ashi_read_wrong(reader, &at, "scene.conflict", "a closed mesh, or \"visual\": true beside the shape");
    return ashi_scene_add_shape(reader->scene, body, &shape) != ASHI_NONE || ashi_read_no_memory(reader);
}

static bool read_inertia(ashi_reader *reader, const ashi_place *body, ash_sym3 *inertia)
{
    double entries[6] = {0};
    ashi_place place = ashi_at_key(body, "inertia");
    size_t count = json_array_size(place.value);
    if (place.value == NULL)
        return true;
    if (!json_is_array(place.value) || (count != 3 && count != 6))
        return ashi_read_wrong(reader, &place, "scene.type", "[xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    if (!ashi_read_tuple(reader, &place, count, entries))
        return false;
    *inertia = (ash_sym3){entries[0], entries[1], entries[2], entries[3], entries[4], entries[5]};
    return true;
}

static bool read_locks(ashi_reader *reader, const ashi_place *body, uint32_t *locks)
{
    ashi_place list = ashi_at_key(body, "locks");
    ashi_words words = ashi_lock_words();
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

static bool read_definition(ashi_reader *reader, const ashi_place *place, ash_body_def *def)
{
    uint32_t type = ASH_BODY_DYNAMIC;
    ash_transform pose = {def->position, def->rotation};
    if (!ashi_read_text(reader, place, "name", ASHI_OPTIONAL, &def->name) ||
        !ashi_read_word(reader, place, "type", ASHI_OPTIONAL, ashi_body_type_words(), &type) ||
        !ashi_read_pose(reader, place, &pose) ||
        !ashi_read_vector(reader, place, "velocity", ASHI_OPTIONAL, &def->velocity) ||
        !ashi_read_vector(reader, place, "angular_velocity", ASHI_OPTIONAL, &def->angular_velocity) ||
        !ashi_read_number(reader, place, "mass", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &def->mass) ||
        !ashi_read_vector(reader, place, "centre", ASHI_OPTIONAL, &def->centre) ||
        !read_inertia(reader, place, &def->inertia) ||
        !ashi_read_number(reader, place, "gravity_scale", ASHI_OPTIONAL, ASHI_ANY, &def->gravity_scale) ||
        !ashi_read_number(reader, place, "linear_damping", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &def->linear_damping) ||
        !ashi_read_number(reader, place, "angular_damping", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &def->angular_damping))
        return false;
    def->type = (ash_body_type)type;
    def->position = pose.position;
    def->rotation = pose.rotation;
    return read_locks(reader, place, &def->locks);
}

static bool read_body(ashi_reader *reader, const ashi_place *place)
{
    static const char *const keys[] = {
        "name",   "type",    "position",      "rotation",       "velocity",        "mass",  "angular_velocity",
        "centre", "inertia", "gravity_scale", "linear_damping", "angular_damping", "locks", "absent",
        "fast",   "colour",  "shapes"};
    ash_body_def def = ash_default_body_def();
    bool absent = false;
    uint32_t colour = ASHI_NONE;
    if (!ashi_read_object(reader, place, WORDS(keys)) || !read_definition(reader, place, &def) ||
        !ashi_read_bool(reader, place, "absent", &absent) || !ashi_read_bool(reader, place, "fast", &def.fast) ||
        !ashi_read_colour(reader, place, &colour))
        return false;
    uint32_t number = ashi_scene_add_body(reader->scene, &def);
    if (number == ASHI_NONE)
        return ashi_read_no_memory(reader);
    reader->scene->bodies.data[number].absent = absent;
    reader->scene->bodies.data[number].colour = colour;
    if (!ashi_read_enter_name(reader, reader->bodies, def.name, number))
        return false;
    ashi_place list = ashi_at_key(place, "shapes");
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place shape = ashi_at_index(&list, i);
        if (!read_shape_on_body(reader, &shape, number))
            return false;
    }
    return true;
}

bool ashi_read_bodies(ashi_reader *reader, const ashi_place *root)
{
    ashi_place list = ashi_at_key(root, "bodies");
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        if (!read_body(reader, &place))
            return false;
    }
    return true;
}

bool ashi_read_ignored_pairs(ashi_reader *reader, const ashi_place *root)
{
    static const char *const keys[] = {"body_a", "body_b"};
    ashi_place list = ashi_at_key(root, "ignored_pairs");
    size_t count;
    if (!ashi_read_array(reader, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&list, i);
        uint32_t pair[2];
        if (!ashi_read_object(reader, &place, WORDS(keys)))
            return false;
        for (int k = 0; k < 2; k++) {
            ash_body body;
            if (!ashi_read_reference(reader, &place, keys[k], ASHI_REQUIRED, reader->bodies,
                                     reader->scene->bodies.count, "body", &pair[k]) ||
                !ashi_read_present_body(reader, &place, keys[k], &body))
                return false;
        }
        ashi_place second = ashi_at_key(&place, "body_b");
        if (pair[0] == pair[1])
            return ashi_read_wrong(reader, &second, "scene.conflict", "another body than \"body_a\"");
        if (ashi_scene_add_ignored_pair(reader->scene, pair[0], pair[1]) == ASHI_NONE)
            return ashi_read_no_memory(reader);
    }
    return true;
}
