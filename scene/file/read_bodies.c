/* Bodies of scene files, with their shapes. */
#include "scene/file/read.h"

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

static bool read_shape_on_body(ashi_reader *reader, const ashi_place *place, uint32_t body)
{
    ashi_scene_shape shape = ashi_default_scene_shape();
    uint32_t given;
    if (!ashi_read_keys(reader, place, ashi_key_table_of(ASHI_TABLE_SHAPE), &shape, &given) ||
        !ashi_read_shape(reader, place, &shape.geometry))
        return false;
    ashi_place at = ashi_at_key(place, "shape");
    if (!shape.visual && ash_geometry_get_definition(reader->scene->geometries.data[shape.geometry].geometry)->open)
        return ashi_read_wrong(reader, &at, "scene.conflict", "a closed mesh, or \"visual\": true beside the shape");
    return ashi_scene_add_shape(reader->scene, body, &shape) != ASHI_NONE || ashi_read_no_memory(reader);
}

static bool read_body(ashi_reader *reader, const ashi_place *place)
{
    const ashi_key_table *table = ashi_key_table_of(ASHI_TABLE_BODY);
    ashi_scene_body body;
    uint32_t given;
    table->usual(&body);
    if (!ashi_read_keys(reader, place, table, &body, &given))
        return false;
    uint32_t number = ashi_scene_add_body(reader->scene, &body.def);
    if (number == ASHI_NONE)
        return ashi_read_no_memory(reader);
    reader->scene->bodies.data[number].absent = body.absent;
    reader->scene->bodies.data[number].colour = body.colour;
    if (!ashi_read_enter_name(reader, reader->bodies, body.def.name, number))
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
