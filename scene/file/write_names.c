/* Names in written files. Bodies, joints and forces are referred to by name where the name is theirs alone, else by
 * number. Shapes and materials have only names: one without a name, or with a name that another has, is given a new
 * one; a shape without a name that is used once is written in its place. */
#include "scene/file/write.h"

#include <stdio.h>
#include <string.h>

static bool enter(json_t *table, const char *name, uint32_t number)
{
    if (name == NULL || *name == 0)
        return true;
    json_int_t entry = json_object_get(table, name) == NULL ? (json_int_t)number : -1;
    return json_object_set_new_nocheck(table, name, json_integer(entry)) == 0;
}

/* "stem-number", with the first number from `number` on that no name in the table has; entered into the table. */
static const char *make_name(ashi_writer *writer, json_t *table, const char *stem, uint32_t number)
{
    char text[32];
    do
        snprintf(text, sizeof text, "%s-%u", stem, number++);
    while (json_object_get(table, text) != NULL);
    return enter(table, text, 0) ? ashi_arena_text(writer->generated, text) : NULL;
}

/* A name that stands in the table for this number alone is kept. */
static const char *own_name(const json_t *table, const char *name, uint32_t number)
{
    if (name == NULL)
        return NULL;
    const json_t *entry = json_object_get(table, name);
    return json_is_integer(entry) && json_integer_value(entry) == (json_int_t)number ? name : NULL;
}

static bool name_materials(ashi_writer *writer, json_t *table)
{
    const ash_scene *scene = writer->scene;
    for (uint32_t i = 0; i < scene->materials.count; i++)
        if (!enter(table, scene->materials.data[i].name, i))
            return false;
    for (uint32_t i = 0; i < scene->materials.count; i++) {
        const char *name = own_name(table, scene->materials.data[i].name, i);
        writer->material_names[i] = name != NULL ? name : make_name(writer, table, "material", i);
        if (writer->material_names[i] == NULL)
            return false;
    }
    return true;
}

static bool name_geometries(ashi_writer *writer, json_t *table, uint32_t *uses)
{
    const ash_scene *scene = writer->scene;
    for (uint32_t i = 0; i < scene->shapes.count; i++)
        uses[scene->shapes.data[i].geometry]++;
    for (uint32_t i = 0; i < scene->geometries.count; i++)
        if (!enter(table, scene->geometries.data[i].name, i))
            return false;
    for (uint32_t i = 0; i < scene->geometries.count; i++) {
        const char *name = scene->geometries.data[i].name;
        writer->geometry_names[i] = own_name(table, name, i);
        if (writer->geometry_names[i] != NULL || (name == NULL && uses[i] == 1))
            continue;
        writer->geometry_names[i] = make_name(writer, table, "shape", i);
        if (writer->geometry_names[i] == NULL)
            return false;
    }
    return true;
}

bool ashi_writer_prepare(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    writer->geometry_names = ashi_alloc_zeroed(scene->geometries.count * sizeof *writer->geometry_names);
    writer->material_names = ashi_alloc_zeroed(scene->materials.count * sizeof *writer->material_names);
    writer->generated = ashi_arena_create(1024);
    writer->bodies = json_object();
    writer->joints = json_object();
    writer->forces = json_object();
    uint32_t *uses = ashi_alloc_zeroed(scene->geometries.count * sizeof *uses);
    json_t *materials = json_object(), *geometries = json_object();
    bool done = writer->geometry_names != NULL && writer->material_names != NULL && writer->generated != NULL &&
                writer->bodies != NULL && writer->joints != NULL && writer->forces != NULL && uses != NULL &&
                materials != NULL && geometries != NULL;
    for (uint32_t i = 0; done && i < scene->bodies.count; i++)
        done = enter(writer->bodies, scene->bodies.data[i].def.name, i);
    for (uint32_t i = 0; done && i < scene->joints.count; i++)
        done = enter(writer->joints, scene->joints.data[i].def.name, i);
    for (uint32_t i = 0; done && i < scene->forces.count; i++)
        done = enter(writer->forces, ashi_scene_force_name(&scene->forces.data[i]), i);
    done = done && name_materials(writer, materials) && name_geometries(writer, geometries, uses);
    ashi_dealloc(uses);
    json_decref(materials);
    json_decref(geometries);
    return done;
}

void ashi_writer_release(ashi_writer *writer)
{
    ashi_dealloc((void *)writer->geometry_names);
    ashi_dealloc((void *)writer->material_names);
    ashi_arena_destroy(writer->generated);
    json_decref(writer->bodies);
    json_decref(writer->joints);
    json_decref(writer->forces);
}

static void write_reference(ashi_writer *writer, const char *key, const json_t *table, const char *name,
                            uint32_t number)
{
    if (own_name(table, name, number) != NULL)
        ashi_json_string(&writer->json, key, name);
    else
        ashi_json_count(&writer->json, key, number);
}

void ashi_write_body_reference(ashi_writer *writer, const char *key, uint32_t number)
{
    write_reference(writer, key, writer->bodies, writer->scene->bodies.data[number].def.name, number);
}

void ashi_write_force_reference(ashi_writer *writer, const char *key, uint32_t number)
{
    write_reference(writer, key, writer->forces, ashi_scene_force_name(&writer->scene->forces.data[number]), number);
}

void ashi_write_joint_reference(ashi_writer *writer, const char *key, uint32_t number)
{
    write_reference(writer, key, writer->joints, writer->scene->joints.data[number].def.name, number);
}
