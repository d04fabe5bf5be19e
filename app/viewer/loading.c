/* How scenes come into a session: worlds are built first and take their places only when all could be. */
#include <math.h>
#include <string.h>

#include "app/cli/document.h"
#include "app/picture/subject.h"
#include "app/viewer/parts.h"
#include "base/text.h"
#include "math/vec3.h"

/* Builds a world of the scene for each method, and does the events of the start. */
static ash_status build(ash_scene *scene, const ash_method *methods, uint32_t count, uint32_t threads,
                        ashi_instance *instances, ash_diagnostic *diagnostic)
{
    ash_method own = scene->method;
    ash_status status = ASH_OK;
    uint32_t built = 0;
    for (; built < count && status == ASH_OK; built += status == ASH_OK) {
        scene->method = methods[built];
        status = ashi_scene_build(scene, threads, &instances[built], diagnostic);
    }
    for (uint32_t i = 0; i < built && status == ASH_OK; i++)
        status = ashi_instance_apply_events(&instances[i], scene, 0, diagnostic);
    scene->method = own;
    for (uint32_t i = 0; i < built && status != ASH_OK; i++)
        ashi_instance_release(&instances[i]);
    return status;
}

static void install(view_session *session, ashi_instance *instances, const ash_method *methods, uint32_t count)
{
    for (uint32_t i = 0; i < session->world_count; i++)
        ashi_instance_release(&session->worlds[i].instance);
    for (uint32_t i = 0; i < count; i++) {
        session->worlds[i].instance = instances[i];
        session->worlds[i].method = methods[i];
        session->worlds[i].halt.stuck = session->worlds[i].by_hand = false;
        session->worlds[i].alarms.count = 0;
    }
    session->world_count = count;
    session->clock = (view_clock){.h = session->clock.h};
    session->owed = 0;
    view_be_patient(session);
    session->edited = session->changed = true;
    session->edits = ++session->last_edit;
    session->grabs.count = 0; /* the pulls are gone with the worlds */
    session->changes.count = 0;
    view_history_clear(&session->history);
}

/* How large everything is, for what has no size of its own. */
static void measure(view_session *session)
{
    cli_extent extent = {0};
    bool known = cli_extent_add(&extent, session->scene, &session->worlds[0].instance, true) && extent.boxes.count > 0;
    session->size = known ? cli_extent_size(&extent) : 1;
    session->reach = known ? fmax(v3_norm(extent.all.lower), v3_norm(extent.all.upper)) : 1;
    cli_extent_release(&extent);
    const ash_scene *scene = session->scene;
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->shapes.count; i++) {
        const ash_geometry *geometry = scene->geometries.data[scene->shapes.data[i].geometry].geometry;
        ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
        double diagonal = v3_distance(box.lower, box.upper);
        if (diagonal <= session->size) { /* what is larger, or infinite, is ground */
            sum += diagonal;
            count++;
        }
    }
    session->body_size = count > 0 ? sum / count : 0.05 * session->size;
}

void view_prepare(view_session *session)
{
    measure(session);
    view_surfaces_update(session);
    session->base_surfaces = session->surfaces.count;
    view_past_begin(session);
    session->fastest = session->strongest = 0;
}

static void release_scene(view_session *session)
{
    view_surfaces_release(session);
    if (view_is_recorded(session))
        view_playback_close(session);
    ash_scene_destroy(session->scene);
    json_decref(session->parameters);
    session->scene = NULL;
    session->parameters = NULL;
}

view_base view_counts(const ash_scene *scene)
{
    return (view_base){scene->geometries.count, scene->shapes.count, scene->bodies.count, scene->forces.count,
                       scene->joints.count};
}

ash_status view_load(view_session *session, ash_scene *scene, json_t *parameters, ash_diagnostic *diagnostic)
{
    ash_method methods[VIEW_WORLDS] = {scene->method, session->worlds[1].method};
    ashi_instance instances[VIEW_WORLDS];
    uint32_t count = session->world_count > 0 ? session->world_count : 1;
    ash_status status = build(scene, methods, count, session->threads, instances, diagnostic);
    if (status != ASH_OK) {
        ash_scene_destroy(scene);
        json_decref(parameters);
        return status;
    }
    session->clock.h = scene->step;
    install(session, instances, methods, count);
    release_scene(session);
    session->scene = scene;
    session->parameters = parameters;
    session->base = view_counts(scene);
    view_prepare(session);
    return ASH_OK;
}

static void set_counts(ash_scene *scene, const view_base *counts)
{
    scene->geometries.count = counts->geometries;
    scene->shapes.count = counts->shapes;
    scene->bodies.count = counts->bodies;
    scene->forces.count = counts->forces;
    scene->joints.count = counts->joints;
}

void view_truncate(ash_scene *scene, const view_base *counts)
{
    for (uint32_t i = counts->geometries; i < scene->geometries.count; i++)
        ash_geometry_release(scene->geometries.data[i].geometry);
    set_counts(scene, counts);
}

/* Builds these worlds of the scene as it was loaded. */
static ash_status begin_anew(view_session *session, const ash_method *methods, uint32_t count,
                             ash_diagnostic *diagnostic)
{
    ash_scene *scene = session->scene;
    ashi_instance instances[VIEW_WORLDS];
    view_base with_added = view_counts(scene);
    set_counts(scene, &session->base);
    ash_status status = build(scene, methods, count, session->threads, instances, diagnostic);
    set_counts(scene, &with_added);
    if (status != ASH_OK)
        return status;
    view_truncate(scene, &session->base);
    install(session, instances, methods, count);
    view_surfaces_truncate(session, session->base_surfaces);
    view_surfaces_update(session);
    view_past_begin(session);
    return ASH_OK;
}

ash_status view_reset(view_session *session, ash_diagnostic *diagnostic)
{
    const ash_method methods[VIEW_WORLDS] = {session->worlds[0].method, session->worlds[1].method};
    return begin_anew(session, methods, session->world_count, diagnostic);
}

ash_status view_compare(view_session *session, const ash_method *other, ash_diagnostic *diagnostic)
{
    ash_method methods[VIEW_WORLDS] = {session->worlds[0].method, session->worlds[0].method};
    if (other != NULL)
        methods[1] = *other;
    return begin_anew(session, methods, other != NULL ? 2 : 1, diagnostic);
}

void view_unload(view_session *session)
{
    for (uint32_t i = 0; i < session->world_count; i++)
        ashi_instance_release(&session->worlds[i].instance);
    session->world_count = 0;
    release_scene(session);
}

/* The value that the settings give a parameter, or null. */
static const char *setting_of(const char *key, const ash_setting *settings, uint32_t count)
{
    const char *value = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(settings[i].key, key) == 0)
            value = settings[i].value;
    return value;
}

json_t *view_parameters(const char *name, const ash_setting *settings, uint32_t count)
{
    ash_builtin_info info;
    json_t *parameters = json_object();
    if (!cli_builtin_find(name, &info))
        return parameters;
    for (uint32_t i = 0; i < info.parameter_count; i++) {
        const ash_scene_parameter *parameter = &info.parameters[i];
        const char *given = setting_of(parameter->name, settings, count);
        double number = parameter->value;
        json_t *value = NULL;
        if (parameter->choices != NULL)
            value = cli_json_text(given != NULL ? given : parameter->choice_value);
        else if (given == NULL || ashi_parse_number(given, &number))
            value = json_real(number);
        json_object_set_new(parameters, parameter->name, value);
    }
    return parameters;
}
