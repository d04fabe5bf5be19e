/* Materials and the laws of their pairs, as a file has them. */
#include "scene/file/write.h"

static void write_material(ashi_writer *writer, const char *name, const ash_material_def *def, ashi_material_look look)
{
    const ashi_scene_material material = {*def, look};
    ashi_json_open(&writer->json, name, '{', false);
    ashi_write_keys(writer, ashi_key_table_of(ASHI_TABLE_MATERIAL), &material);
    ashi_json_close(&writer->json);
}

static void write_pair(ashi_writer *writer, const ashi_scene_material_pair *pair)
{
    uint32_t materials = (1u << ASHI_PAIR_SURFACE_KEY) - 1;
    ashi_json_open(&writer->json, NULL, '{', false);
    ashi_write_given_keys(writer, ashi_key_table_of(ASHI_TABLE_MATERIAL_PAIR), pair,
                          materials | pair->given << ASHI_PAIR_SURFACE_KEY);
    ashi_json_close(&writer->json);
}

void ashi_write_materials(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    if (scene->materials.count > 0) {
        ashi_json_open(&writer->json, "materials", '{', true);
        for (uint32_t i = 0; i < scene->materials.count; i++)
            write_material(writer, writer->material_names[i], &scene->materials.data[i], scene->material_looks.data[i]);
        ashi_json_close(&writer->json);
    }
    if (scene->material_pairs.count > 0) {
        ashi_json_open(&writer->json, "material_pairs", '[', true);
        for (uint32_t i = 0; i < scene->material_pairs.count; i++)
            write_pair(writer, &scene->material_pairs.data[i]);
        ashi_json_close(&writer->json);
    }
}
