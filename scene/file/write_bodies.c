/* Shapes and bodies written as JSON. Values that are the default of their definition are left out. */
#include "scene/file/write.h"

#include <stdio.h>
#include <string.h>

void ashi_write_number_unless(ashi_writer *writer, const char *key, double number, double usual)
{
    if (memcmp(&number, &usual, sizeof number) != 0)
        ashi_json_number(&writer->json, key, number);
}

void ashi_write_vector_unless(ashi_writer *writer, const char *key, ash_vec3 vector, ash_vec3 usual)
{
    if (memcmp(&vector, &usual, sizeof vector) != 0)
        ashi_json_vector(&writer->json, key, vector);
}

void ashi_write_rotation(ashi_writer *writer, const char *key, ash_quat rotation)
{
    const ash_quat identity = {1, 0, 0, 0};
    const double wxyz[4] = {rotation.w, rotation.x, rotation.y, rotation.z};
    if (memcmp(&rotation, &identity, sizeof rotation) != 0)
        ashi_json_numbers(&writer->json, key, wxyz, 4);
}

void ashi_write_pose(ashi_writer *writer, ash_vec3 position, ash_quat rotation)
{
    ashi_write_vector_unless(writer, "position", position, (ash_vec3){0, 0, 0});
    ashi_write_rotation(writer, "rotation", rotation);
}

static void write_points(ashi_json_text *json, const ash_geometry_def *def, bool flat)
{
    ashi_json_open(json, "points", '[', false);
    for (uint32_t i = 0; i < def->point_count; i++) {
        const double xyz[3] = {def->points[i].x, def->points[i].y, def->points[i].z};
        ashi_json_numbers(json, NULL, xyz, flat ? 2 : 3);
    }
    ashi_json_close(json);
}

static void write_triangles(ashi_json_text *json, const ash_geometry_def *def)
{
    ashi_json_open(json, "triangles", '[', false);
    for (uint32_t i = 0; i < def->triangle_count; i++) {
        ashi_json_open(json, NULL, '[', false);
        for (uint32_t k = 0; k < 3; k++)
            ashi_json_count(json, NULL, def->triangles[3 * i + k]);
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

static void write_grid(ashi_json_text *json, const ash_geometry_def *def, uint32_t axes)
{
    const double spacing[3] = {def->spacing.x, def->spacing.y, def->spacing.z};
    uint32_t count = 1;
    ashi_json_open(json, "cells", '[', false);
    for (uint32_t i = 0; i < axes; i++) {
        ashi_json_count(json, NULL, def->cells[i]);
        count *= def->cells[i];
    }
    ashi_json_close(json);
    ashi_json_vector(json, "origin", def->origin);
    ashi_json_numbers(json, "spacing", spacing, axes);
    ashi_json_numbers(json, "values", def->values, count);
}

/* The name under which the file has the geometry, or null. */
static const char *name_of(const ashi_writer *writer, const ash_geometry *geometry)
{
    for (uint32_t i = 0; i < writer->scene->geometries.count; i++)
        if (writer->scene->geometries.data[i].geometry == geometry && writer->geometry_names[i] != NULL)
            return writer->geometry_names[i];
    return NULL;
}

static void write_parts(ashi_writer *writer, const ash_geometry_def *def)
{
    ashi_json_open(&writer->json, "parts", '[', false);
    for (uint32_t i = 0; i < def->part_count; i++) {
        const char *name = name_of(writer, def->parts[i].geometry);
        ashi_json_open(&writer->json, NULL, '{', false);
        if (name != NULL)
            ashi_json_string(&writer->json, "shape", name);
        else
            ashi_write_geometry(writer, "shape", def->parts[i].geometry);
        ashi_write_pose(writer, def->parts[i].pose.position, def->parts[i].pose.rotation);
        ashi_json_close(&writer->json);
    }
    ashi_json_close(&writer->json);
}

static void write_sizes(ashi_writer *writer, const ash_geometry_def *def)
{
    ashi_json_text *json = &writer->json;
    switch (def->kind) {
    case ASH_GEOMETRY_SPHERE:
    case ASH_GEOMETRY_CIRCLE:
        ashi_json_number(json, "radius", def->radius);
        break;
    case ASH_GEOMETRY_CAPSULE:
    case ASH_GEOMETRY_CYLINDER:
    case ASH_GEOMETRY_CONE:
    case ASH_GEOMETRY_FLAT_CAPSULE:
        ashi_json_number(json, "radius", def->radius);
        ashi_json_number(json, "height", def->height);
        break;
    case ASH_GEOMETRY_BOX:
    case ASH_GEOMETRY_ELLIPSOID:
        ashi_json_vector(json, "half_extents", def->half_extents);
        break;
    case ASH_GEOMETRY_HULL:
        write_points(json, def, false);
        break;
    case ASH_GEOMETRY_MESH:
        write_points(json, def, false);
        write_triangles(json, def);
        if (def->open)
            ashi_json_bool(json, "open", true);
        break;
    case ASH_GEOMETRY_HEIGHT_FIELD:
        write_grid(json, def, 2);
        break;
    case ASH_GEOMETRY_DISTANCE_FIELD:
        write_grid(json, def, 3);
        break;
    case ASH_GEOMETRY_COMPOUND:
        write_parts(writer, def);
        break;
    case ASH_GEOMETRY_POLYGON:
        write_points(json, def, true);
        break;
    case ASH_GEOMETRY_SEGMENT:
        write_points(json, def, true);
        ashi_write_number_unless(writer, "radius", def->radius, 0);
        break;
    default: /* a plane has no sizes */
        break;
    }
}

void ashi_write_geometry(ashi_writer *writer, const char *key, const ash_geometry *geometry)
{
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    ashi_json_open(&writer->json, key, '{', false);
    ashi_json_string(&writer->json, "kind", ash_geometry_kind_name(def->kind));
    write_sizes(writer, def);
    ashi_json_close(&writer->json);
}

void ashi_write_shapes(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    bool any = false;
    for (uint32_t i = 0; i < scene->geometries.count; i++) {
        if (writer->geometry_names[i] == NULL)
            continue;
        if (!any)
            ashi_json_open(&writer->json, "shapes", '{', true);
        any = true;
        ashi_write_geometry(writer, writer->geometry_names[i], scene->geometries.data[i].geometry);
    }
    if (any)
        ashi_json_close(&writer->json);
}

static void write_shape(ashi_writer *writer, const ashi_scene_shape *shape)
{
    ashi_json_open(&writer->json, NULL, '{', false);
    if (writer->geometry_names[shape->geometry] != NULL)
        ashi_json_string(&writer->json, "shape", writer->geometry_names[shape->geometry]);
    else
        ashi_write_geometry(writer, "shape", writer->scene->geometries.data[shape->geometry].geometry);
    ashi_write_keys(writer, ashi_key_table_of(ASHI_TABLE_SHAPE), shape);
    ashi_json_close(&writer->json);
}

static void write_body(ashi_writer *writer, const ashi_scene_body *body)
{
    ashi_json_text *json = &writer->json;
    ashi_json_open(json, NULL, '{', false);
    ashi_write_keys(writer, ashi_key_table_of(ASHI_TABLE_BODY), body);
    if (body->shape_count > 0) {
        ashi_json_open(json, "shapes", '[', false);
        for (uint32_t i = 0; i < body->shape_count; i++)
            write_shape(writer, &writer->scene->shapes.data[body->first_shape + i]);
        ashi_json_close(json);
    }
    ashi_json_close(json);
}

void ashi_write_bodies(ashi_writer *writer)
{
    if (writer->scene->bodies.count == 0)
        return;
    ashi_json_open(&writer->json, "bodies", '[', true);
    for (uint32_t i = 0; i < writer->scene->bodies.count; i++)
        write_body(writer, &writer->scene->bodies.data[i]);
    ashi_json_close(&writer->json);
}

void ashi_write_ignored_pairs(ashi_writer *writer)
{
    const ash_scene *scene = writer->scene;
    if (scene->ignored_pairs.count == 0)
        return;
    ashi_json_open(&writer->json, "ignored_pairs", '[', true);
    for (uint32_t i = 0; i < scene->ignored_pairs.count; i++) {
        ashi_json_open(&writer->json, NULL, '{', false);
        ashi_write_body_reference(writer, "body_a", scene->ignored_pairs.data[i].body_a);
        ashi_write_body_reference(writer, "body_b", scene->ignored_pairs.data[i].body_b);
        ashi_json_close(&writer->json);
    }
    ashi_json_close(&writer->json);
}
