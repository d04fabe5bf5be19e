/* Reading and changing forces. */
#include "world/world.h"

#include <string.h>

bool ash_force_is_valid(const ash_world *world, ash_force force)
{
    return ashi_pool_slot_of(&world->model.forces.pool, force.id) != ASHI_NO_SLOT;
}

ash_status ash_force_destroy(ash_world *world, ash_force force)
{
    uint32_t slot = ashi_world_force(world, force, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_world_note_change(world);
    ashi_sleep_wake_all(&world->model.bodies); /* without the last force, nothing else would wake them */
    ashi_forces_remove(&world->model.forces, slot);
    return ASH_OK;
}

ash_force_kind ash_force_get_kind(const ash_world *world, ash_force force)
{
    uint32_t slot = ashi_world_force(world, force, __func__);
    return slot != ASHI_NO_SLOT ? world->model.forces.entries.data[slot].kind : ASH_FORCE_KINDS;
}

const char *ash_force_get_name(const ash_world *world, ash_force force)
{
    uint32_t slot = ashi_world_force(world, force, __func__);
    const char *name = slot != ASHI_NO_SLOT ? world->model.forces.entries.data[slot].name : NULL;
    return name != NULL ? name : "";
}

ash_status ash_force_set_enabled(ash_world *world, ash_force force, bool enabled)
{
    uint32_t slot = ashi_world_force(world, force, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_world_note_change(world);
    ((ashi_force_head *)ashi_forces_element(&world->model.forces, slot))->enabled = enabled;
    return ASH_OK;
}

bool ash_force_get_enabled(const ash_world *world, ash_force force)
{
    uint32_t slot = ashi_world_force(world, force, __func__);
    return slot != ASHI_NO_SLOT && ((ashi_force_head *)ashi_forces_element(&world->model.forces, slot))->enabled;
}

double ash_force_get_energy(const ash_world *world, ash_force force)
{
    const ashi_model *model = &world->model;
    uint32_t slot = ashi_world_force(world, force, __func__);
    if (slot == ASHI_NO_SLOT)
        return 0;
    const ashi_force_entry *entry = &model->forces.entries.data[slot];
    const ashi_force_class *class = ashi_force_class_of(entry->kind);
    return class->energy != NULL ? class->energy(model, &model->bodies.now, entry->index) : 0;
}

uint32_t ash_world_get_forces(const ash_world *world, ash_force *forces, uint32_t capacity)
{
    const ashi_pool *pool = &world->model.forces.pool;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < pool->slots.count && count < capacity; slot++)
        if (ashi_pool_in_use(pool, slot))
            forces[count++].id = ashi_pool_handle(pool, slot);
    return pool->used;
}

ash_force ash_world_find_force(const ash_world *world, const char *name)
{
    const ashi_forces *f = &world->model.forces;
    for (uint32_t slot = 0; slot < f->entries.count; slot++)
        if (ashi_pool_in_use(&f->pool, slot) && f->entries.data[slot].name != NULL &&
            strcmp(f->entries.data[slot].name, name) == 0)
            return (ash_force){ashi_pool_handle(&f->pool, slot)};
    return (ash_force){0};
}

/* The element of a force that must be of one kind; null after reporting the misuse. */
static void *element_of(const ash_world *world, ash_force force, ash_force_kind kind, const char *call)
{
    uint32_t slot = ashi_world_force(world, force, call);
    if (slot == ASHI_NO_SLOT)
        return NULL;
    ash_force_kind found = world->model.forces.entries.data[slot].kind;
    if (found == kind)
        return ashi_forces_element(&world->model.forces, slot);
    ashi_world_misuse(world, ASH_BAD_HANDLE, "force.kind", "%s: the force is a %s, not a %s", call,
                      ash_force_kind_name(found), ash_force_kind_name(kind));
    return NULL;
}

/* The handle of a body that an element names by its slot; the background, slot 0, is null there. */
static ash_body end_of(const ash_world *world, uint32_t slot)
{
    return (ash_body){slot != 0 ? ashi_pool_handle(&world->model.bodies.pool, slot) : 0};
}

ash_spring_def ash_spring_get(const ash_world *world, ash_force force)
{
    const ashi_spring *spring = element_of(world, force, ASH_FORCE_SPRING, __func__);
    if (spring == NULL)
        return ash_default_spring_def();
    return (ash_spring_def){
        .body_a = end_of(world, spring->body_a),
        .body_b = end_of(world, spring->body_b),
        .point_a = spring->point_a,
        .point_b = spring->point_b,
        .stiffness = spring->stiffness,
        .damping = spring->damping,
        .rest_length = spring->rest_length,
        .tension_only = spring->tension_only,
        .damper_pushes = spring->damper_pushes,
        .name = ash_force_get_name(world, force),
    };
}

ash_status ash_spring_set(ash_world *world, ash_force force, double stiffness, double damping, double rest_length)
{
    ashi_spring *spring = element_of(world, force, ASH_FORCE_SPRING, __func__);
    if (spring == NULL)
        return ASH_BAD_HANDLE;
    if (!(isfinite(stiffness) && isfinite(damping) && isfinite(rest_length) && stiffness >= 0 && damping >= 0 &&
          rest_length >= 0))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "spring.set", "%s: stiffness %g, damping %g, rest length %g",
                                 __func__, stiffness, damping, rest_length);
    ashi_world_note_change(world);
    spring->stiffness = stiffness;
    spring->damping = damping;
    spring->rest_length = rest_length;
    world->model.forces.changed = true; /* it may be the first with a damper */
    return ASH_OK;
}

double ash_spring_get_length(const ash_world *world, ash_force force)
{
    const ashi_spring *spring = element_of(world, force, ASH_FORCE_SPRING, __func__);
    return spring != NULL ? ashi_spring_length(spring, &world->model.bodies.now) : 0;
}

double ash_spring_get_tension(const ash_world *world, ash_force force)
{
    const ashi_spring *spring = element_of(world, force, ASH_FORCE_SPRING, __func__);
    return spring != NULL ? ashi_spring_tension(spring, &world->model.bodies.now) : 0;
}

double ash_angular_spring_get_angle(const ash_world *world, ash_force force)
{
    const ashi_angular_spring *spring = element_of(world, force, ASH_FORCE_ANGULAR_SPRING, __func__);
    return spring != NULL ? v3_norm(ashi_angular_spring_deflection(spring, &world->model.bodies.now)) : 0;
}

double ash_bending_spring_get_angle(const ash_world *world, ash_force force)
{
    const ashi_bending_spring *spring = element_of(world, force, ASH_FORCE_BENDING_SPRING, __func__);
    return spring != NULL ? ashi_bending_spring_angle(spring, &world->model.bodies.now) : 0;
}

ash_vec3 ash_pull_get_target(const ash_world *world, ash_force force)
{
    const ashi_pull *pull = element_of(world, force, ASH_FORCE_PULL, __func__);
    return pull != NULL ? pull->target : v3(0, 0, 0);
}

ash_status ash_pull_set_target(ash_world *world, ash_force force, ash_vec3 target)
{
    ashi_pull *pull = element_of(world, force, ASH_FORCE_PULL, __func__);
    if (pull == NULL)
        return ASH_BAD_HANDLE;
    if (!v3_is_finite(target))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "pull.target", "%s: the target is not finite", __func__);
    pull->target = target;
    return ASH_OK;
}

ash_load_def ash_load_get(const ash_world *world, ash_force force)
{
    const ashi_load *load = element_of(world, force, ASH_FORCE_LOAD, __func__);
    if (load == NULL)
        return ash_default_load_def();
    return (ash_load_def){
        .body = end_of(world, load->body),
        .force = load->force,
        .torque = load->torque,
        .point = load->point,
        .body_axes = load->body_axes,
        .signal = load->signal,
        .start = load->start,
        .stop = load->stop,
        .name = ash_force_get_name(world, force),
    };
}

ash_status ash_load_set(ash_world *world, ash_force force, ash_vec3 force_vector, ash_vec3 torque)
{
    ashi_load *load = element_of(world, force, ASH_FORCE_LOAD, __func__);
    if (load == NULL)
        return ASH_BAD_HANDLE;
    if (!v3_is_finite(force_vector) || !v3_is_finite(torque))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "load.set", "%s: force or torque is not finite", __func__);
    load->force = force_vector;
    load->torque = torque;
    return ASH_OK;
}
