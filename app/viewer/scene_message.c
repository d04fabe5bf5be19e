/* The scene message: what there is to see and to plot. Bodies stand in the order of the frames, and keep their places
 * and ids (1 for the first; 0 is the background) whatever is added or deleted. */
#include <stdio.h>

#include "app/picture/palette.h"
#include "app/viewer/parts.h"
#include "scene/description/names.h"

/* `colour`: red, green, blue, opacity; null: as the body's. `look`: of its material; null: as most. */
static void write_shape(const view_session *session, ashi_json_text *json, uint32_t surface, ash_transform pose,
                        bool sensor, const double *colour, const ashi_material_look *look)
{
    const double rotation[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    ashi_json_open(json, NULL, '{', false);
    ashi_json_count(json, "geometry", session->surfaces.data[surface].number);
    ashi_json_vector(json, "position", pose.position);
    ashi_json_numbers(json, "rotation", rotation, 4);
    ashi_json_bool(json, "sensor", sensor);
    if (colour != NULL)
        ashi_json_numbers(json, "colour", colour, 4);
    if (look != NULL && (look->roughness != ASHI_ROUGHNESS || look->metal != 0)) {
        ashi_json_number(json, "roughness", look->roughness);
        ashi_json_number(json, "metal", look->metal);
    }
    ashi_json_close(json);
}

static void write_shapes(const view_session *session, ashi_json_text *json, const ashi_scene_body *body)
{
    ashi_json_open(json, "shapes", '[', false);
    for (uint32_t i = body->first_shape; i < body->first_shape + body->shape_count; i++) {
        const ashi_scene_shape *shape = &session->scene->shapes.data[i];
        uint32_t surface = i < session->shape_surfaces.count ? session->shape_surfaces.data[i] : ASHI_NONE;
        if (surface != ASHI_NONE && !shape->hidden)
            write_shape(session, json, surface, shape->pose, shape->sensor,
                        shape->paint.given ? shape->paint.rgba : NULL,
                        shape->material != ASHI_NONE ? &session->scene->material_looks.data[shape->material] : NULL);
    }
    if (body->shape_count == 0 && session->point_surface != ASHI_NONE)
        write_shape(session, json, session->point_surface, (ash_transform){body->def.centre, {1, 0, 0, 0}}, false, NULL,
                    NULL);
    ashi_json_close(json);
}

static void write_body(const view_session *session, ashi_json_text *json, uint32_t number, uint32_t colour)
{
    char text[16];
    const ashi_scene_body *body = &session->scene->bodies.data[number];
    const view_world *world = &session->worlds[0];
    ash_body_type type = view_has_body(world, number)
                             ? ash_body_get_type(world->instance.world, world->instance.bodies[number])
                             : body->def.type;
    ashi_json_open(json, NULL, '{', false);
    ashi_json_count(json, "id", number + 1);
    ashi_json_string(json, "name", body->def.name != NULL ? body->def.name : "");
    ashi_json_string(json, "type", ashi_body_type_words().list[type]);
    snprintf(text, sizeof text, "#%06x", colour & 0xffffff);
    if (colour != ASHI_NONE)
        ashi_json_string(json, "colour", text);
    write_shapes(session, json, body);
    ashi_json_close(json);
}

static void write_bodies(const view_session *session, ashi_json_text *json)
{
    uint32_t count = session->scene->bodies.count, *colours = ashi_alloc_array((size_t)count + 1, sizeof *colours);
    if (colours != NULL)
        cli_body_colours(session->scene, colours);
    ashi_json_open(json, "bodies", '[', false);
    for (uint32_t i = 0; i < count; i++)
        write_body(session, json, i, colours != NULL ? colours[i] : ASHI_NONE);
    ashi_json_close(json);
    ashi_dealloc(colours);
}

/* What connects two bodies: a joint or a force. */
static void write_link(ashi_json_text *json, uint32_t id, const char *name, const char *kind, ash_body a, ash_body b)
{
    ashi_json_open(json, NULL, '{', false);
    ashi_json_count(json, "id", id);
    ashi_json_string(json, "name", name != NULL ? name : "");
    ashi_json_string(json, "kind", kind);
    ashi_json_count(json, "a", (uint32_t)a.id);
    ashi_json_count(json, "b", (uint32_t)b.id);
    ashi_json_close(json);
}

/* Those that are there. */
static void write_joints(const view_session *session, ashi_json_text *json)
{
    const ashi_instance *instance = &session->worlds[0].instance;
    ashi_json_open(json, "joints", '[', false);
    for (uint32_t i = 0; i < session->scene->joints.count; i++) {
        const ash_joint_def *def = &session->scene->joints.data[i].def;
        if (ash_joint_is_valid(instance->world, instance->joints[i]))
            write_link(json, i + 1, def->name, ash_joint_kind_name(def->kind), def->body_a, def->body_b);
    }
    ashi_json_close(json);
}

static void write_force(ashi_json_text *json, uint32_t id, ashi_scene_force force)
{
    const ash_body *a = ashi_scene_force_body(&force, 0), *b = ashi_scene_force_body(&force, 1);
    const ash_body none = {0};
    write_link(json, id, ashi_scene_force_name(&force), ash_force_kind_name(force.kind), *a, b != NULL ? *b : none);
}

static void write_forces(const view_session *session, ashi_json_text *json)
{
    const ashi_instance *instance = &session->worlds[0].instance;
    ashi_json_open(json, "forces", '[', false);
    for (uint32_t i = 0; i < session->scene->forces.count; i++)
        if (ash_force_is_valid(instance->world, instance->forces[i]))
            write_force(json, i + 1, session->scene->forces.data[i]);
    ashi_json_close(json);
}

static void write_parameters(const view_session *session, ashi_json_text *json)
{
    const char *name;
    json_t *value;
    ashi_json_open(json, "parameters", '{', false);
    json_object_foreach(session->parameters, name, value)
    {
        if (json_is_string(value))
            ashi_json_string(json, name, json_string_value(value));
        else
            ashi_json_number(json, name, json_number_value(value));
    }
    ashi_json_close(json);
}

static void send_surfaces(view_session *session, view_sink sink, bool all)
{
    for (uint32_t i = 0; i < session->surfaces.count; i++) {
        view_surface *surface = &session->surfaces.data[i];
        if (all || surface->is_new)
            view_send_bytes(sink, &surface->message);
        surface->is_new &= all; /* to one page all are sent, but the others have not got the new ones */
    }
}

void view_send_scene(view_session *session, view_sink sink, bool to_one_page)
{
    const ash_scene *scene = session->scene;
    bool recorded = view_is_recorded(session);
    send_surfaces(session, sink, to_one_page);
    ashi_json_text json;
    view_begin_text(&json, "scene");
    ashi_json_count(&json, "generation", session->generation);
    ashi_json_string(&json, "name", scene->name);
    ashi_json_string(&json, "summary", scene->summary);
    ashi_json_bool(&json, "planar", scene->planar);
    ashi_json_number(&json, "step", session->clock.h);
    ashi_json_number(&json, "time", scene->time);
    ashi_json_string(&json, "method", session->worlds[0].method.name);
    write_parameters(session, &json);
    ashi_json_count(&json, "worlds", session->world_count);
    ashi_json_vector(&json, "gravity", scene->gravity);
    ashi_json_number(&json, "size", session->size);
    write_bodies(session, &json);
    write_joints(session, &json);
    write_forces(session, &json);
    view_write_curves(session, &json);
    ashi_json_bool(&json, "recorded", recorded);
    ashi_json_number(&json, "duration", recorded ? view_playback_end(session) : scene->time);
    ashi_json_bool(&json, "editable", !recorded);
    if (to_one_page)
        view_write_past(session, &json);
    view_send_text(sink, &json);
}

void view_renew_scene(view_session *session, view_sink everybody)
{
    session->generation++;
    session->changed = true;
    view_send_scene(session, everybody, false);
}
