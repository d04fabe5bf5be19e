/* A scene from JSON text (docs/scene-file.md): the text is parsed by Jansson, then read section by section. A text with
 * any error is rejected as a whole. */
#include "scene/file/read.h"
#include "base/number.h"
#include "base/text.h"
#include "model/method_fields.h"
#include "scene/file/expand.h"
#include "scene/file/foreign.h"
#include "scene/file/source.h"

#include <stdio.h>
#include <string.h>

#define WORDS(list) ((ashi_words){list, sizeof(list) / sizeof *(list)})

/* Keys that the format reserves for features that this version does not have yet. */
static bool reject_later_key(ashi_reader *reader, const ashi_place *object, const char *key, const char *what)
{
    ashi_place place = ashi_at_key(object, key);
    if (place.value == NULL)
        return true;
    return ashi_read_fail_key(reader, &place, ASH_UNSUPPORTED, "scene.unsupported",
                              "\"%s\" cannot be used yet: this version of Ashlar has no %s", key, what);
}

static bool read_method_field(ashi_reader *reader, const ashi_place *place, ash_method *method)
{
    char number[ASHI_NUMBER_SIZE];
    const char *text = json_string_value(place->value);
    if (json_is_number(place->value))
        text = ashi_number_text(json_number_value(place->value), number);
    if (json_is_boolean(place->value))
        text = json_is_true(place->value) ? "on" : "off";
    if (text == NULL)
        return ashi_read_wrong(reader, place, "scene.type", "a number, a text, true or false");
    double quoted;
    if (json_is_string(place->value) && ashi_parse_number(text, &quoted))
        return ashi_read_wrong(reader, place, "scene.type", "a number, not a text");
    ash_status status = ash_method_set(method, place->key, text, &reader->diagnostic);
    return status == ASH_OK || ashi_read_passed_on(reader, place, status);
}

static bool read_method_name(ashi_reader *reader, const ashi_place *place, const char *name, ash_method *method)
{
    ash_status status = ash_method_find(name, method, &reader->diagnostic);
    return status == ASH_OK || ashi_read_passed_on(reader, place, status);
}

#define MOST_KEYS 128 /* a method's name and its fields */
_Static_assert(ASHI_METHOD_FIELDS < MOST_KEYS, "there is room for every field of a method");

/* A preset's name, or an object with a name and fields that differ from it. "custom" stands for fields alone. */
static bool read_method(ashi_reader *reader, const ashi_place *world)
{
    ash_method *method = &reader->scene->method;
    ashi_place place = ashi_at_key(world, "method");
    if (place.value == NULL)
        return true;
    if (json_is_string(place.value))
        return read_method_name(reader, &place, json_string_value(place.value), method);
    const char *keys[MOST_KEYS] = {"name"};
    uint32_t count = 1;
    for (uint32_t i = 0; i < ash_method_field_count() && count < MOST_KEYS; i++)
        keys[count++] = ash_method_field_name(i);
    if (!json_is_object(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "the name of a method, or an object {...}");
    const char *name = "realtime";
    if (!ashi_read_object(reader, &place, (ashi_words){keys, count}) ||
        !ashi_read_text(reader, &place, "name", ASHI_OPTIONAL, &name))
        return false;
    ashi_place at_name = ashi_at_key(&place, "name");
    bool custom = strcmp(name, "custom") == 0;
    if (!read_method_name(reader, &at_name, custom ? "realtime" : name, method))
        return false;
    for (uint32_t i = 1; i < count; i++) {
        ashi_place field = ashi_at_key(&place, keys[i]);
        if (field.value != NULL && !read_method_field(reader, &field, method))
            return false;
    }
    if (custom)
        snprintf(method->name, sizeof method->name, "custom");
    return true;
}

bool ashi_read_world(ashi_reader *reader, const ashi_place *root)
{
    static const char *const keys[] = {"gravity", "planar", "method", "step", "time", "sample", "accuracy"};
    ash_scene *scene = reader->scene;
    ashi_place world = ashi_at_key(root, "world");
    if (world.value == NULL)
        return true;
    if (json_is_object(world.value) && !reject_later_key(reader, &world, "contacts", "solver for contacts"))
        return false;
    if (!ashi_read_object(reader, &world, WORDS(keys)) || !ashi_read_bool(reader, &world, "planar", &scene->planar))
        return false;
    if (scene->planar)
        scene->gravity = (ash_vec3){0, -9.81, 0};
    return ashi_read_vector(reader, &world, "gravity", ASHI_OPTIONAL, &scene->gravity) && read_method(reader, &world) &&
           ashi_read_number(reader, &world, "step", ASHI_OPTIONAL, ASHI_POSITIVE, &scene->step) &&
           ashi_read_number(reader, &world, "time", ASHI_OPTIONAL, ASHI_POSITIVE, &scene->time) &&
           ashi_read_number(reader, &world, "sample", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &scene->sample_interval) &&
           ashi_read_number(reader, &world, "accuracy", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &scene->accuracy);
}

/* Reads the times between which samples count for a check. */
static bool read_times(ashi_reader *reader, const ashi_place *place, ashi_scene_check *check)
{
    ashi_place until = ashi_at_key(place, "until");
    if (!ashi_read_number(reader, place, "from", ASHI_OPTIONAL, ASHI_NOT_NEGATIVE, &check->from) ||
        !ashi_read_number(reader, place, "until", ASHI_OPTIONAL, ASHI_POSITIVE, &check->until))
        return false;
    if (until.value != NULL && check->until < check->from)
        return ashi_read_wrong(reader, &until, "scene.conflict", "a time not before \"from\"");
    return true;
}

bool ashi_read_checks(ashi_reader *reader, const ashi_place *root)
{
    static const char *const keys[] = {"name", "output", "reduction", "expected", "tolerance", "from", "until"};
    ashi_place checks = ashi_at_key(root, "checks");
    size_t count;
    if (!ashi_read_array(reader, &checks, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        ashi_place place = ashi_at_index(&checks, i);
        ashi_scene_check check = {.reduction = ASHI_FINAL};
        uint32_t reduction = ASHI_FINAL;
        if (!ashi_read_object(reader, &place, WORDS(keys)) ||
            !ashi_read_text(reader, &place, "name", ASHI_REQUIRED, &check.name) ||
            !ashi_read_reference(reader, &place, "output", ASHI_REQUIRED, reader->outputs, reader->scene->outputs.count,
                                 "output", &check.output) ||
            !ashi_read_word(reader, &place, "reduction", ASHI_OPTIONAL, ashi_reduction_words(), &reduction) ||
            !ashi_read_number(reader, &place, "expected", ASHI_REQUIRED, ASHI_ANY, &check.expected) ||
            !ashi_read_number(reader, &place, "tolerance", ASHI_REQUIRED, ASHI_NOT_NEGATIVE, &check.tolerance) ||
            !read_times(reader, &place, &check))
            return false;
        check.reduction = (ashi_reduction)reduction;
        if (ashi_scene_add_check(reader->scene, &check) == ASHI_NONE)
            return ashi_read_no_memory(reader);
    }
    return true;
}

static bool read_version(ashi_reader *reader, const ashi_place *root)
{
    ashi_place place = ashi_at_key(root, "ashlar");
    if (!json_is_integer(place.value))
        return ashi_read_wrong(reader, &place, "scene.type", "the version of the format, \"ashlar\": %d",
                               ASHI_SCENE_FORMAT);
    if (json_integer_value(place.value) == ASHI_SCENE_FORMAT)
        return true;
    ashi_read_wrong(reader, &place, "scene.version", "%d, the format that this version of Ashlar reads",
                    ASHI_SCENE_FORMAT);
    reader->status = reader->diagnostic.status = ASH_UNSUPPORTED;
    return false;
}

/* A scene without a name gets that of its file, without folders and ".json". */
static const char *name_from_label(ash_scene *scene, const char *label)
{
    const char *slash = strrchr(label, '/');
    const char *base = slash != NULL ? slash + 1 : label;
    size_t length = strlen(base);
    if (length > 5 && strcmp(base + length - 5, ".json") == 0)
        length -= 5;
    return ashi_scene_text(scene, "%.*s", (int)(length < 200 ? length : 200), base);
}

static bool read_head(ashi_reader *reader, const ashi_place *root)
{
    static const char *const keys[] = {"ashlar", "name",    "summary",       "world",   "materials",  "material_pairs",
                                       "shapes", "bodies",  "ignored_pairs", "strings", "nets",       "joints",
                                       "forces", "outputs", "events",        "checks",  "parameters", "include"};
    ash_scene *scene = reader->scene;
    const char *name = NULL, *summary = "";
    if (!json_is_object(root->value))
        return ashi_read_wrong(reader, root, "scene.type", "an object {\"ashlar\": %d, ...}", ASHI_SCENE_FORMAT);
    if (ashi_refuse_foreign_json(reader, root))
        return false;
    if (!read_version(reader, root) || !ashi_read_object(reader, root, WORDS(keys)) ||
        !ashi_read_text(reader, root, "name", ASHI_OPTIONAL, &name) ||
        !ashi_read_text(reader, root, "summary", ASHI_OPTIONAL, &summary))
        return false;
    scene->name = name != NULL ? ashi_scene_text(scene, "%s", name) : name_from_label(scene, reader->label);
    scene->summary = ashi_scene_text(scene, "%s", summary);
    return (scene->name != NULL && scene->summary != NULL) || ashi_read_no_memory(reader);
}

static bool read_sections(ashi_reader *reader, const ashi_place *root)
{
    json_t **const tables[] = {&reader->materials, &reader->geometries, &reader->bodies,
                               &reader->joints,    &reader->forces,     &reader->outputs};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        *tables[i] = json_object();
        if (*tables[i] == NULL)
            return ashi_read_no_memory(reader);
    }
    return read_head(reader, root) && ashi_read_world(reader, root) && ashi_read_materials(reader, root) &&
           ashi_read_material_pairs(reader, root) && ashi_read_shapes(reader, root) && ashi_read_bodies(reader, root) &&
           ashi_read_strings(reader, root) && ashi_read_ignored_pairs(reader, root) && ashi_read_joints(reader, root) &&
           ashi_read_forces(reader, root) && ashi_read_string_forces(reader) && ashi_read_outputs(reader, root) &&
           ashi_read_events(reader, root) && ashi_read_checks(reader, root);
}

/* Everything of the scene, from the parsed text. */
static bool read_scene(ashi_reader *reader, json_t **json, const ashi_expansion *expansion)
{
    ashi_source *source = &reader->scene->source;
    if (!ashi_source_keep(source, reader->text, reader->size, reader->label))
        return ashi_read_no_memory(reader);
    if (!ashi_expand(reader, json, expansion, source))
        return false;
    ashi_place root = {.value = *json};
    return read_sections(reader, &root);
}

ash_status ashi_scene_parse_expanded(const char *text, size_t size, const char *label, const ashi_expansion *expansion,
                                     ash_scene **result, ash_diagnostic *diagnostic)
{
    *result = NULL;
    ashi_reader reader = {.text = text, .size = size, .label = label != NULL ? label : "", .path = expansion->path};
    json_t *root = ashi_read_json(&reader);
    bool done = root != NULL;
    if (done) {
        reader.status = ashi_scene_create("", &reader.scene, &reader.diagnostic);
        done = reader.status == ASH_OK && read_scene(&reader, &root, expansion);
    }
    json_t *const tables[] = {reader.materials, reader.geometries, reader.bodies, reader.joints,
                              reader.forces,    reader.outputs,    root};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        json_decref(tables[i]);
    for (uint32_t i = 0; i < reader.lattices.count; i++)
        ashi_lattice_release(&reader.lattices.data[i]);
    ashi_array_release(&reader.lattices);
    if (!done) {
        ash_scene_destroy(reader.scene);
        if (diagnostic != NULL)
            *diagnostic = reader.diagnostic;
        return reader.status;
    }
    *result = reader.scene;
    return ASH_OK;
}

ash_status ash_scene_parse(const char *text, size_t size, const char *label, ash_scene **result,
                           ash_diagnostic *diagnostic)
{
    if (result == NULL || (text == NULL && size > 0))
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "scene.null", "the text or the place for the scene is null");
    return ashi_scene_parse_expanded(text, size, label, &(ashi_expansion){0}, result, diagnostic);
}
