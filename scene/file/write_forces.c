/* Forces written as JSON. */
#include "scene/file/write.h"

void ashi_write_body_unless_background(ashi_writer *writer, const char *key, ash_body body)
{
    if (body.id != 0)
        ashi_write_body_reference(writer, key, (uint32_t)(body.id - 1));
}

void ashi_write_signal(ashi_json_text *json, const ash_signal *signal)
{
    if (signal->kind == ASH_SIGNAL_CONSTANT)
        return;
    ashi_json_open(json, "signal", '{', false);
    ashi_json_string(json, "kind", ashi_signal_kind_words().list[signal->kind]);
    if (signal->kind == ASH_SIGNAL_HARMONIC) {
        ashi_json_number(json, "rate", signal->rate);
        ashi_json_number(json, "phase", signal->phase);
    } else {
        ashi_json_numbers(json, "times", signal->times, signal->count);
        ashi_json_numbers(json, "values", signal->values, signal->count);
    }
    ashi_json_close(json);
}

static void write_force(ashi_writer *writer, const ashi_scene_force *force)
{
    ashi_json_open(&writer->json, NULL, '{', false);
    ashi_json_string(&writer->json, "kind", ashi_force_kind_words().list[force->kind]);
    ashi_write_keys(writer, ashi_force_keys(force->kind), force);
    ashi_json_close(&writer->json);
}

void ashi_write_forces(ashi_writer *writer)
{
    if (writer->scene->forces.count == 0)
        return;
    ashi_json_open(&writer->json, "forces", '[', true);
    for (uint32_t i = 0; i < writer->scene->forces.count; i++)
        write_force(writer, &writer->scene->forces.data[i]);
    ashi_json_close(&writer->json);
}
