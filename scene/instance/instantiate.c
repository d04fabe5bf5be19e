/* From a description to a world: materials, bodies, joints, then forces, each in the scene's order, so that handles are
 * the same in every instance. */
#include "scene/instance/efforts.h"
#include "scene/instance/instance.h"

#include "base/diagnostic.h"
#include "scene/file/source.h"
#include "scene/instance/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ash_status ashi_at_object(ash_diagnostic *diagnostic, ash_status status, const char *section, uint32_t number)
{
    if (status != ASH_OK && diagnostic != NULL) {
        char rest[sizeof diagnostic->path];
        memcpy(rest, diagnostic->path, sizeof rest);
        const char *slash = rest[0] != 0 && rest[0] != '/' ? "/" : "";
        snprintf(diagnostic->path, sizeof diagnostic->path, "/%s/%u%s%.200s", section, number, slash, rest);
    }
    return status;
}

/* Makes the body with its shapes, but as this type. */
static ash_status make_body(ash_world *world, const ash_material *materials, const ash_scene *scene, uint32_t number,
                            ash_body_type type, ash_body *body, ash_diagnostic *diagnostic)
{
    const ashi_scene_body *entry = &scene->bodies.data[number];
    ash_body_def def = entry->def;
    def.type = type;
    ash_shape_def *defs = ashi_alloc_array(entry->shape_count, sizeof *defs);
    if (defs == NULL)
        return ashi_out_of_memory(diagnostic);
    uint32_t count = 0;
    for (uint32_t k = 0; k < entry->shape_count; k++) {
        const ashi_scene_shape *shape = &scene->shapes.data[entry->first_shape + k];
        if (shape->visual)
            continue;
        uint32_t i = count++;
        defs[i] = ash_default_shape_def();
        defs[i].geometry = scene->geometries.data[shape->geometry].geometry;
        defs[i].pose = shape->pose;
        if (shape->material != ASHI_NONE)
            defs[i].material = materials[shape->material];
        defs[i].density = shape->density;
        defs[i].surface_velocity = shape->surface_velocity;
        defs[i].category = shape->category;
        defs[i].mask = shape->mask;
        defs[i].group = shape->group;
        defs[i].sensor = shape->sensor;
        defs[i].name = shape->name;
    }
    ash_status status = ash_body_create(world, &def, defs, count, body, diagnostic);
    ashi_dealloc(defs);
    return status;
}

ash_status ashi_instantiate_body(ash_world *world, const ash_material *materials, const ash_scene *scene,
                                 uint32_t number, ash_body *body, ash_diagnostic *diagnostic)
{
    return make_body(world, materials, scene, number, scene->bodies.data[number].def.type, body, diagnostic);
}

/* Turns a description's reference into a handle; false when that body is absent. */
static bool resolve(const ashi_instance *instance, ash_body *body)
{
    if (body->id == 0)
        return true;
    *body = instance->bodies[body->id - 1];
    return body->id != 0;
}

static ash_status absent_body(ash_diagnostic *diagnostic, const char *what)
{
    ashi_fail(diagnostic, ASH_BAD_DATA, "scene.absent", "the %s acts on a body that is absent at the start", what);
    return ashi_expect(diagnostic, "a body that is in the world at time 0");
}

static ash_status instantiate_force(ashi_instance *instance, const ashi_scene_force *entry, ash_force *force,
                                    ash_diagnostic *diagnostic)
{
    ashi_scene_force copy = *entry;
    for (int i = 0; i < ASHI_FORCE_BODIES; i++) {
        ash_body *body = ashi_scene_force_body(&copy, i);
        if (body != NULL && !resolve(instance, body))
            return absent_body(diagnostic, "force");
    }
    return ashi_scene_force_create(instance->world, &copy, force, diagnostic);
}

static ash_status instantiate_joint(ashi_instance *instance, const ashi_scene_joint *entry, ash_joint *joint,
                                    ash_diagnostic *diagnostic)
{
    ash_joint_def def = entry->def;
    if (!resolve(instance, &def.body_a) || !resolve(instance, &def.body_b))
        return absent_body(diagnostic, "joint");
    ash_status status = ash_joint_create(instance->world, &def, joint, diagnostic);
    if (status == ASH_OK && entry->disabled)
        status = ash_joint_set_enabled(instance->world, *joint, false);
    return status;
}

/* The law of a pair: missing fields follow the combine rules; missing sliding friction equals the given friction. */
static ash_status make_pair(ash_world *world, const ash_material *materials, const ashi_scene_material_pair *pair,
                            ash_diagnostic *diagnostic)
{
    ash_material usual = ash_world_get_default_material(world);
    ash_material a = pair->material_a != ASHI_NONE ? materials[pair->material_a] : usual;
    ash_material b = pair->material_b != ASHI_NONE ? materials[pair->material_b] : usual;
    ash_surface given = pair->surface, surface = ash_material_get_pair(world, a, b);
    if (pair->given & 1)
        surface.sliding_friction = -1;
    for (uint32_t i = 0; i < ASHI_SURFACE_FIELDS; i++)
        if ((pair->given >> i & 1) != 0)
            *ashi_surface_field(&surface, i) = *ashi_surface_field(&given, i);
    return ash_material_set_pair(world, a, b, &surface, diagnostic);
}

static ash_status make_materials(ash_world *world, const ash_scene *scene, ash_material *materials,
                                 ash_diagnostic *diagnostic)
{
    for (uint32_t i = 0; i < scene->materials.count; i++) {
        ash_status status = ash_material_create(world, &scene->materials.data[i], &materials[i], diagnostic);
        if (status != ASH_OK)
            return ashi_at_object(diagnostic, status, "materials", i);
    }
    for (uint32_t i = 0; i < scene->material_pairs.count; i++) {
        ash_status status = make_pair(world, materials, &scene->material_pairs.data[i], diagnostic);
        if (status != ASH_OK)
            return ashi_at_object(diagnostic, status, "material_pairs", i);
    }
    return ASH_OK;
}

static ash_status make_world(const ash_scene *scene, uint32_t threads, ash_world **world, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    def.gravity = scene->gravity;
    def.planar = scene->planar;
    def.method = scene->method;
    def.threads = threads > 0 ? threads : 1;
    ash_status status = ash_world_create(&def, world, diagnostic);
    if (status != ASH_OK && diagnostic != NULL && strcmp(diagnostic->code, "world.gravity") == 0)
        snprintf(diagnostic->path, sizeof diagnostic->path, "/world");
    return status;
}

/* Tries, in a world of their own, the bodies that are absent at first and, as dynamic ones, those that an event
 * releases, so that a bad one is found now and not in the middle of a run. */
static ash_status try_later_bodies(const ash_scene *scene, ash_world *trial, ash_material *materials,
                                   ash_diagnostic *diagnostic)
{
    ash_status status = make_materials(trial, scene, materials, diagnostic);
    ash_body body;
    for (uint32_t i = 0; i < scene->bodies.count && status == ASH_OK; i++)
        if (scene->bodies.data[i].absent)
            status = ashi_at_object(diagnostic, ashi_instantiate_body(trial, materials, scene, i, &body, diagnostic),
                                    "bodies", i);
    for (uint32_t i = 0; i < scene->events.count && status == ASH_OK; i++) {
        const ashi_scene_event *event = &scene->events.data[i];
        if (event->kind == ASHI_EVENT_RELEASE)
            status = ashi_at_object(
                diagnostic, make_body(trial, materials, scene, event->object, ASH_BODY_DYNAMIC, &body, diagnostic),
                "events", i);
    }
    return status;
}

static int compare_turns(const void *left, const void *right)
{
    const ashi_turn *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->event < b->event ? -1 : 1;
}

static void order_events(const ash_scene *scene, ashi_instance *instance)
{
    instance->turn_count = scene->events.count;
    for (uint32_t i = 0; i < scene->events.count; i++)
        instance->turns[i] = (ashi_turn){scene->events.data[i].time, i};
    qsort(instance->turns, instance->turn_count, sizeof *instance->turns, compare_turns);
}

static ash_status fill(const ash_scene *scene, ashi_instance *instance, ash_diagnostic *diagnostic)
{
    ash_status made = make_materials(instance->world, scene, instance->materials, diagnostic);
    if (made != ASH_OK)
        return made;
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        if (scene->bodies.data[i].absent)
            continue;
        ash_status status =
            ashi_instantiate_body(instance->world, instance->materials, scene, i, &instance->bodies[i], diagnostic);
        if (status != ASH_OK)
            return ashi_at_object(diagnostic, status, "bodies", i);
    }
    for (uint32_t i = 0; i < scene->ignored_pairs.count; i++) {
        const ashi_scene_ignored_pair *pair = &scene->ignored_pairs.data[i];
        if (ash_world_ignore_pair(instance->world, instance->bodies[pair->body_a], instance->bodies[pair->body_b],
                                  true) == ASH_OUT_OF_MEMORY)
            return ashi_out_of_memory(diagnostic);
    }
    for (uint32_t i = 0; i < scene->joints.count; i++) {
        ash_status status = instantiate_joint(instance, &scene->joints.data[i], &instance->joints[i], diagnostic);
        if (status != ASH_OK)
            return ashi_at_object(diagnostic, status, "joints", i);
    }
    for (uint32_t i = 0; i < scene->forces.count; i++) {
        ash_status status = instantiate_force(instance, &scene->forces.data[i], &instance->forces[i], diagnostic);
        if (status != ASH_OK)
            return ashi_at_object(diagnostic, status, "forces", i);
        if (scene->forces.data[i].disabled)
            ash_force_set_enabled(instance->world, instance->forces[i], false);
    }
    for (uint32_t i = 0; i < scene->outputs.count; i++)
        if (scene->outputs.data[i].quantity == ASHI_BODY_ACCELEROMETER)
            ash_world_set_accelerations(instance->world, true);
    /* The energy that creation recorded as external belongs to the scene's start. */
    return ash_world_reset_ledger(instance->world);
}

static ash_status build(const ash_scene *scene, uint32_t threads, ashi_instance *instance, ash_diagnostic *diagnostic)
{
    *instance = (ashi_instance){.materials = ashi_alloc_zeroed(scene->materials.count * sizeof *instance->materials)};
    ash_world *trial = NULL;
    if (instance->materials == NULL)
        return ashi_out_of_memory(diagnostic);
    ash_status status = make_world(scene, 1, &trial, diagnostic);
    if (status == ASH_OK)
        status = try_later_bodies(scene, trial, instance->materials, diagnostic);
    ash_world_destroy(trial);
    if (status != ASH_OK) {
        ashi_instance_release(instance);
        return status;
    }
    instance->bodies = ashi_alloc_zeroed(scene->bodies.count * sizeof *instance->bodies);
    instance->forces = ashi_alloc_zeroed(scene->forces.count * sizeof *instance->forces);
    instance->joints = ashi_alloc_zeroed(scene->joints.count * sizeof *instance->joints);
    instance->joint_count = scene->joints.count;
    instance->turns = ashi_alloc_zeroed(scene->events.count * sizeof *instance->turns);
    if (instance->bodies == NULL || instance->forces == NULL || instance->joints == NULL || instance->turns == NULL)
        status = ashi_out_of_memory(diagnostic);
    else
        status = make_world(scene, threads, &instance->world, diagnostic);
    if (status == ASH_OK) {
        order_events(scene, instance);
        status = ashi_efforts_make(instance, scene, diagnostic);
    }
    if (status == ASH_OK) {
        status = fill(scene, instance, diagnostic);
    }
    if (status != ASH_OK)
        ashi_instance_release(instance);
    return status;
}

ash_status ashi_scene_build(const ash_scene *scene, uint32_t threads, ashi_instance *instance,
                            ash_diagnostic *diagnostic)
{
    return ashi_source_locate(scene, build(scene, threads, instance, diagnostic), diagnostic);
}

void ashi_instance_release(ashi_instance *instance)
{
    ash_world_destroy(instance->world);
    ashi_efforts_release(instance);
    ashi_dealloc(instance->materials);
    ashi_dealloc(instance->bodies);
    ashi_dealloc(instance->forces);
    ashi_dealloc(instance->joints);
    ashi_dealloc(instance->turns);
    *instance = (ashi_instance){0};
}

ash_status ash_scene_instantiate(const ash_scene *scene, uint32_t threads, ash_world **world,
                                 ash_diagnostic *diagnostic)
{
    ashi_instance instance;
    *world = NULL;
    ash_status status = ashi_scene_build(scene, threads, &instance, diagnostic);
    if (status != ASH_OK)
        return status;
    *world = instance.world;
    instance.world = NULL;
    ashi_instance_release(&instance);
    return ASH_OK;
}
