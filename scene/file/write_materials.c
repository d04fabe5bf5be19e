/* Materials and the laws of their pairs, as a file has them. */
#include "scene/file/write.h"

static void write_material(ashi_writer *writer, const char *name, const ash_material_def *def, uint32_t colour)
{
    ash_material_def usual = ash_default_material_def();
    ash_surface surface = def->surface;
    ashi_words fields = ashi_surface_words(), rules = ashi_combine_words();
    ashi_json_open(&writer->json, name, '{', false);
    ashi_json_number(&writer->json, "density", def->density);
    for (uint32_t i = 0; i < fields.count; i++) {
        double *field = ashi_surface_field(&surface, i);
        if (field != &surface.sliding_friction || *field >= 0) /* negative: as the static one */
            ashi_write_number_unless(writer, fields.list[i], *field, *ashi_surface_field(&usual.surface, i));
    }
    if (def->friction_combine != usual.friction_combine)
        ashi_json_string(&writer->json, "friction_combine", rules.list[def->friction_combine]);
    if (def->restitution_combine != usual.restitution_combine)
        ashi_json_string(&writer->json, "restitution_combine", rules.list[def->restitution_combine]);
    ashi_write_colour(writer, colour);
    ashi_json_close(&writer->json);
}

static void write_pair(ashi_writer *writer, const ashi_scene_material_pair *pair)
{
    ash_surface surface = pair->surface;
    ashi_words fields = ashi_surface_words();
    ashi_json_open(&writer->json, NULL, '{', false);
    if (pair->material_a != ASHI_NONE)
        ashi_json_string(&writer->json, "material_a", writer->material_names[pair->material_a]);
    if (pair->material_b != ASHI_NONE)
        ashi_json_string(&writer->json, "material_b", writer->material_names[pair->material_b]);
    for (uint32_t i = 0; i < fields.count; i++)
        if ((pair->given >> i & 1) != 0)
            ashi_json_number(&writer->json, fields.list[i], *ashi_surface_field(&surface, i));
    ashi_json_close(&writer->json);
}

void ashi_write_materials(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    if (scene->materials.count > 0) {
        ashi_json_open(&writer->json, "materials", '{', true);
        for (uint32_t i = 0; i < scene->materials.count; i++)
            write_material(writer, writer->material_names[i], &scene->materials.data[i],
                           scene->material_colours.data[i]);
        ashi_json_close(&writer->json);
    }
    if (scene->material_pairs.count > 0) {
        ashi_json_open(&writer->json, "material_pairs", '[', true);
        for (uint32_t i = 0; i < scene->material_pairs.count; i++)
            write_pair(writer, &scene->material_pairs.data[i]);
        ashi_json_close(&writer->json);
    }
}
