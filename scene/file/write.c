/* A scene as JSON text: the format's sections in order, numbers with the fewest digits that read back exactly, so that
 * reading and writing again gives the same bytes. */
#include "scene/file/write.h"

#include "base/diagnostic.h"
#include "base/text.h"

#include <string.h>

static void write_method(ashi_json_text *json, const ash_method *method)
{
    ash_method preset;
    if (ash_method_find(method->name, &preset, NULL) == ASH_OK) {
        ashi_json_string(json, "method", method->name);
        return;
    }
    ashi_json_open(json, "method", '{', false);
    ashi_json_string(json, "name", "custom");
    for (uint32_t i = 0; i < ash_method_field_count(); i++) {
        char text[64];
        double number;
        const char *field = ash_method_field_name(i);
        ash_method_get(method, field, text, sizeof text);
        if (ashi_parse_number(text, &number))
            ashi_json_number(json, field, number);
        else
            ashi_json_string(json, field, text);
    }
    ashi_json_close(json);
}

static void write_world(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    ashi_json_text *json = &writer->json;
    ashi_json_open(json, "world", '{', false);
    ashi_json_vector(json, "gravity", scene->gravity);
    if (scene->planar)
        ashi_json_bool(json, "planar", true);
    write_method(json, &scene->method);
    ashi_json_number(json, "step", scene->step);
    ashi_json_number(json, "time", scene->time);
    ashi_write_number_unless(writer, "sample", scene->sample_interval, 0);
    ashi_write_number_unless(writer, "accuracy", scene->accuracy, 0);
    ashi_json_close(json);
}

static void write_checks(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    ashi_json_text *json = &writer->json;
    if (scene->checks.count == 0)
        return;
    ashi_json_open(json, "checks", '[', true);
    for (uint32_t i = 0; i < scene->checks.count; i++) {
        const ashi_scene_check *check = &scene->checks.data[i];
        ashi_json_open(json, NULL, '{', false);
        ashi_json_string(json, "name", check->name);
        ashi_json_string(json, "output", scene->outputs.data[check->output].name);
        if (check->reduction != ASHI_FINAL)
            ashi_json_string(json, "reduction", ashi_reduction_name(check->reduction));
        ashi_json_number(json, "expected", check->expected);
        ashi_json_number(json, "tolerance", check->tolerance);
        ashi_write_number_unless(writer, "from", check->from, 0);
        ashi_write_number_unless(writer, "until", check->until, 0);
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

static void write_all(ashi_writer *writer)
{
    ashi_json_text *json = &writer->json;
    ashi_json_open(json, NULL, '{', true);
    ashi_json_count(json, "ashlar", ASHI_SCENE_FORMAT);
    ashi_json_string(json, "name", writer->scene->name);
    if (writer->scene->summary[0] != 0)
        ashi_json_string(json, "summary", writer->scene->summary);
    write_world(writer);
    ashi_write_materials(writer);
    ashi_write_shapes(writer);
    ashi_write_bodies(writer);
    ashi_write_ignored_pairs(writer);
    ashi_write_joints(writer);
    ashi_write_forces(writer);
    ashi_write_outputs(writer);
    ashi_write_events(writer);
    write_checks(writer);
    ashi_json_close(json);
}

ash_status ash_scene_write(const ash_scene *scene, char **text, size_t *size, ash_diagnostic *diagnostic)
{
    if (scene == NULL || text == NULL || size == NULL)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "scene.null", "the scene or the place for its text is null");
    *text = NULL;
    *size = 0;
    ashi_writer writer = {.scene = scene};
    if (ashi_writer_prepare(&writer))
        write_all(&writer);
    else
        writer.json.failure = ASH_OUT_OF_MEMORY;
    ashi_writer_release(&writer);
    if (writer.json.failure != ASH_OK) {
        ashi_dealloc(writer.json.text);
        if (writer.json.failure == ASH_OUT_OF_MEMORY)
            return ashi_out_of_memory(diagnostic);
        return ashi_fail(diagnostic, ASH_BAD_DATA, "scene.not-writable",
                         "the scene \"%s\" holds a number that is not finite, or shapes nested too deep for a file",
                         scene->name);
    }
    *text = writer.json.text;
    *size = writer.json.size;
    return ASH_OK;
}
