/* Assembly of a scene. Bodies that the world did not move keep their places bit for bit. */
#include "scene/instance/assemble.h"

#include "base/diagnostic.h"
#include "scene/instance/instance.h"

#include <string.h>

/* The state of a body of the world, in the form of a description. */
typedef struct body_state {
    ash_transform place;
    ash_vec3 velocity, angular_velocity;
} body_state;

static body_state state_of(const ash_world *world, ash_body body)
{
    return (body_state){ash_body_get_transform(world, body), ash_body_get_velocity(world, body),
                        ash_body_get_angular_velocity(world, body)};
}

static void take_states(const ash_scene *scene, const ashi_instance *instance, body_state *states)
{
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        if (instance->bodies[i].id != 0)
            states[i] = state_of(instance->world, instance->bodies[i]);
}

/* Copies the changes since `before` into the description. */
static void put_back(ash_scene *scene, const ashi_instance *instance, const body_state *before,
                     ashi_closed_scene *assembly)
{
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        ash_body_def *def = &scene->bodies.data[i].def;
        if (instance->bodies[i].id == 0 || def->type != ASH_BODY_DYNAMIC)
            continue;
        body_state now = state_of(instance->world, instance->bodies[i]);
        if (memcmp(&now.place, &before[i].place, sizeof now.place) != 0) {
            def->position = now.place.position;
            def->rotation = now.place.rotation;
            assembly->moved_bodies++;
        }
        if (memcmp(&now.velocity, &before[i].velocity, sizeof now.velocity) != 0)
            def->velocity = now.velocity;
        if (memcmp(&now.angular_velocity, &before[i].angular_velocity, sizeof now.velocity) != 0)
            def->angular_velocity = now.angular_velocity;
    }
}

static void note_before(const ash_scene *scene, const ashi_instance *instance, ashi_closed_scene *assembly)
{
    for (uint32_t i = 0; i < scene->joints.count; i++)
        if (!scene->joints.data[i].disabled)
            assembly->joints[assembly->joint_count++] =
                (ashi_joint_closing){.joint = i, .before = ash_joint_get_error(instance->world, instance->joints[i])};
}

static void note_after(const ashi_instance *instance, double tolerance, ashi_closed_scene *assembly)
{
    for (uint32_t i = 0; i < assembly->joint_count; i++) {
        ashi_joint_closing *closing = &assembly->joints[i];
        closing->after = ash_joint_get_error(instance->world, instance->joints[closing->joint]);
        closing->open = !(closing->after.distance <= tolerance && closing->after.angle <= tolerance);
    }
}

static ash_status assemble(ash_scene *scene, ashi_instance *instance, double tolerance, ashi_closed_scene *assembly,
                           ash_diagnostic *diagnostic)
{
    body_state *before = ashi_alloc_array(scene->bodies.count, sizeof *before);
    assembly->joints = ashi_alloc_array(scene->joints.count, sizeof *assembly->joints);
    ash_status status = ASH_OUT_OF_MEMORY;
    if (before != NULL && assembly->joints != NULL) {
        take_states(scene, instance, before);
        note_before(scene, instance, assembly);
        status = ash_world_assemble(instance->world, tolerance, &assembly->report, diagnostic);
    } else {
        ashi_out_of_memory(diagnostic);
    }
    if (status == ASH_OK || status == ASH_BAD_DATA) {
        note_after(instance, tolerance, assembly);
        put_back(scene, instance, before, assembly);
    }
    ashi_dealloc(before);
    return status;
}

ash_status ashi_scene_assemble(ash_scene *scene, double tolerance, ashi_closed_scene *assembly,
                               ash_diagnostic *diagnostic)
{
    ashi_instance instance;
    *assembly = (ashi_closed_scene){0};
    if (!(tolerance > 0)) {
        ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "assemble.tolerance", "the tolerance is %g", tolerance);
        return ashi_expect(diagnostic, "a number above 0"), ASH_BAD_ARGUMENT;
    }
    ash_status status = ashi_scene_build(scene, 1, &instance, diagnostic);
    if (status != ASH_OK)
        return status;
    status = assemble(scene, &instance, tolerance, assembly, diagnostic);
    ashi_instance_release(&instance);
    if (status != ASH_OK && status != ASH_BAD_DATA)
        ashi_assembly_release(assembly);
    return status;
}

void ashi_assembly_release(ashi_closed_scene *assembly)
{
    ashi_dealloc(assembly->joints);
    *assembly = (ashi_closed_scene){0};
}
