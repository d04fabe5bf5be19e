/* Events of a scene done on its instance: each once, in the order of their times, between two steps. */
#include "scene/instance/efforts.h"
#include "scene/instance/instance.h"

#include "base/diagnostic.h"
#include "scene/file/source.h"
#include "scene/instance/object.h"

#include <math.h>

static ash_status set_body(ash_world *world, ash_body body, const ashi_scene_event *event)
{
    ash_status status = ASH_OK;
    if (event->fields & ASHI_SET_VELOCITY)
        status = ash_body_set_velocity(world, body, event->velocity);
    if (status == ASH_OK && (event->fields & ASHI_SET_ANGULAR_VELOCITY))
        status = ash_body_set_angular_velocity(world, body, event->angular_velocity);
    return status;
}

static ash_status set_force(ash_world *world, ash_force force, const ashi_scene_event *event)
{
    ash_status status = ASH_OK;
    if (event->fields & ASHI_SET_ENABLED)
        status = ash_force_set_enabled(world, force, event->enabled);
    if (status == ASH_OK && (event->fields & ASHI_SET_SPRING))
        status = ash_spring_set(world, force, event->stiffness, event->damping, event->rest_length);
    if (status == ASH_OK && (event->fields & ASHI_SET_TARGET))
        status = ash_pull_set_target(world, force, event->target);
    if (status == ASH_OK && (event->fields & ASHI_SET_LOAD))
        status = ash_load_set(world, force, event->force, event->torque);
    return status;
}

static ash_status change_force(ash_world *world, ash_force force, const ashi_scene_event *event)
{
    if (!ash_force_is_valid(world, force))
        return ASH_OK;
    return event->kind == ASHI_EVENT_REMOVE ? ash_force_destroy(world, force) : set_force(world, force, event);
}

static ash_status set_joint(ash_world *world, ash_joint joint, const ashi_scene_event *event)
{
    ash_status status = ASH_OK;
    if (event->fields & ASHI_SET_ENABLED)
        status = ash_joint_set_enabled(world, joint, event->enabled);
    if (status == ASH_OK && (event->fields & ASHI_SET_MOTOR))
        status = ash_joint_set_motor(world, joint, event->freedom, event->drive, event->motor_target, event->max_force);
    if (status == ASH_OK && (event->fields & ASHI_SET_PISTON))
        status = ash_joint_set_piston(world, joint, event->piston);
    if (status == ASH_OK && (event->fields & ASHI_SET_LENGTH))
        status = ash_joint_set_length(world, joint, event->length);
    return status;
}

static ash_status change_joint(ash_world *world, ash_joint joint, const ashi_scene_event *event)
{
    if (!ash_joint_is_valid(world, joint))
        return ASH_OK;
    return event->kind == ASHI_EVENT_REMOVE ? ash_joint_destroy(world, joint) : set_joint(world, joint, event);
}

static ash_status change_body(ash_world *world, ash_body body, const ashi_scene_event *event)
{
    if (!ash_body_is_valid(world, body))
        return ASH_OK;
    switch (event->kind) {
    case ASHI_EVENT_REMOVE:
        return ash_body_destroy(world, body);
    case ASHI_EVENT_RELEASE:
        return ash_body_set_type(world, body, ASH_BODY_DYNAMIC);
    default:
        return set_body(world, body, event);
    }
}

static ash_status change(const ashi_instance *instance, const ashi_scene_event *event)
{
    switch (event->owner) {
    case ASHI_OF_FORCE:
        return change_force(instance->world, instance->forces[event->object], event);
    case ASHI_OF_JOINT:
        return change_joint(instance->world, instance->joints[event->object], event);
    default:
        return change_body(instance->world, instance->bodies[event->object], event);
    }
}

static ash_status apply(ashi_instance *instance, const ash_scene *scene, const ashi_scene_event *event,
                        ash_diagnostic *diagnostic)
{
    ash_world *world = instance->world;
    if (event->kind == ASHI_EVENT_ADD) {
        if (ash_body_is_valid(world, instance->bodies[event->object]))
            return ASH_OK;
        return ashi_instantiate_body(world, instance->materials, scene, event->object, &instance->bodies[event->object],
                                     diagnostic);
    }
    ash_status status = change(instance, event);
    if (status != ASH_OK && diagnostic != NULL)
        *diagnostic = ash_world_get_last_diagnostic(world);
    return status;
}

double ashi_instance_next_event(const ashi_instance *instance, const ash_scene *scene)
{
    if (instance->next_turn == instance->turn_count)
        return (double)INFINITY;
    return scene->events.data[instance->turns[instance->next_turn].event].time;
}

ash_status ashi_instance_apply_events(ashi_instance *instance, const ash_scene *scene, double time,
                                      ash_diagnostic *diagnostic)
{
    while (instance->next_turn < instance->turn_count) {
        uint32_t number = instance->turns[instance->next_turn].event;
        const ashi_scene_event *event = &scene->events.data[number];
        if (event->time > time + 1e-6 * scene->step)
            break;
        instance->next_turn++;
        ash_status status = apply(instance, scene, event, diagnostic);
        if (status != ASH_OK)
            return ashi_source_locate(scene, ashi_at_object(diagnostic, status, "events", number), diagnostic);
    }
    return ashi_efforts_apply(instance, scene, time, diagnostic);
}
