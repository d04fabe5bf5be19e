/* Materials and the laws of their pairs. */
#include "scene/file/read.h"

#include "model/materials.h"

#include <stdio.h>

/* Checks a law whose numbers are each within their range: friction may still be too large, or less than sliding
 * friction. */
static bool check_surface(ashi_reader *reader, const ashi_place *place, ash_surface surface)
{
    ash_status status = ashi_surface_check(&surface, &reader->diagnostic);
    if (status == ASH_OK)
        return true;
    surface.sliding_friction = -1;
    bool sliding = ashi_surface_check(&surface, NULL) == ASH_OK;
    ashi_place at = ashi_at_key(place, sliding ? "sliding_friction" : "friction");
    return ashi_read_passed_on(reader, &at, status);
}

static bool read_material(ashi_reader *reader, const ashi_place *place)
{
    const ashi_key_table *table = ashi_key_table_of(ASHI_TABLE_MATERIAL);
    ashi_scene_material material;
    uint32_t given;
    table->usual(&material);
    material.def.name = place->key;
    if (!ashi_read_keys(reader, place, table, &material, &given) || !check_surface(reader, place, material.def.surface))
        return false;
    uint32_t number = ashi_scene_add_material(reader->scene, &material.def);
    if (number == ASHI_NONE)
        return ashi_read_no_memory(reader);
    reader->scene->material_looks.data[number] = material.look;
    return ashi_read_enter_name(reader, reader->materials, place->key, number);
}

bool ashi_read_materials(ashi_reader *reader, const ashi_place *root)
{
    ashi_place materials = ashi_at_key(root, "materials");
    if (materials.value == NULL)
        return true;
    if (!json_is_object(materials.value))
        return ashi_read_wrong(reader, &materials, "scene.type", "an object {name: {\"density\": ...}, ...}");
    const char *name;
    json_t *value;
    json_object_foreach(materials.value, name, value)
    {
        ashi_place place = {&materials, name, 0, value};
        if (*name == 0)
            return ashi_read_fail_key(reader, &place, ASH_BAD_DATA, "scene.value", "a material's name cannot be empty");
        if (!read_material(reader, &place))
            return false;
    }
    return true;
}

bool ashi_read_material_name(ashi_reader *reader, const ashi_place *object, const char *key, uint32_t *material)
{
    ashi_place place = ashi_at_key(object, key);
    *material = ASHI_NONE;
    if (place.value == NULL)
        return true;
    if (!json_is_string(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "the name of a material");
    return ashi_read_reference(reader, object, key, ASHI_REQUIRED, reader->materials, 0, "material", material);
}

/* Notes that the pair has a law; false after a diagnostic when it had one already. */
static bool enter_pair(ashi_reader *reader, const ashi_place *place, const ashi_scene_material_pair *pair, json_t *seen)
{
    bool ordered = pair->material_a < pair->material_b;
    char key[32];
    snprintf(key, sizeof key, "%u %u", ordered ? pair->material_a : pair->material_b,
             ordered ? pair->material_b : pair->material_a);
    if (json_object_get(seen, key) != NULL)
        return ashi_read_fail(reader, place, ASH_BAD_DATA, "scene.pair-twice",
                              "these two materials have a law already");
    return json_object_set_new(seen, key, json_true()) == 0 || ashi_read_no_memory(reader);
}

/* Checks the given part of a pair's law; the rest comes from the materials when the world is made. */
static bool check_pair(ashi_reader *reader, const ashi_place *place, const ashi_scene_material_pair *pair)
{
    ash_surface surface = pair->surface;
    if ((pair->given & 1) == 0 && surface.sliding_friction > surface.friction)
        surface.friction = surface.sliding_friction;
    return check_surface(reader, place, surface);
}

static bool read_pair(ashi_reader *reader, const ashi_place *place, json_t *seen)
{
    const ashi_key_table *table = ashi_key_table_of(ASHI_TABLE_MATERIAL_PAIR);
    ashi_scene_material_pair pair;
    uint32_t given;
    table->usual(&pair);
    if (!ashi_read_keys(reader, place, table, &pair, &given))
        return false;
    pair.given = given >> ASHI_PAIR_SURFACE_KEY;
    if (!check_pair(reader, place, &pair) || !enter_pair(reader, place, &pair, seen))
        return false;
    return ashi_scene_add_material_pair(reader->scene, &pair) != ASHI_NONE || ashi_read_no_memory(reader);
}

bool ashi_read_material_pairs(ashi_reader *reader, const ashi_place *root)
{
    ashi_place pairs = ashi_at_key(root, "material_pairs");
    size_t count;
    if (!ashi_read_array(reader, &pairs, &count))
        return false;
    json_t *seen = json_object();
    bool done = seen != NULL || ashi_read_no_memory(reader);
    for (size_t i = 0; done && i < count; i++) {
        ashi_place place = ashi_at_index(&pairs, i);
        done = read_pair(reader, &place, seen);
    }
    json_decref(seen);
    return done;
}
