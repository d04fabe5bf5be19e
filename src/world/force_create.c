/* Making forces: each definition is checked, turned into its element, and added. */
#include "world/force_check.h"
#include "world/signal_copy.h"
#include "world/world.h"

ash_spring_def ash_default_spring_def(void)
{
    return (ash_spring_def){.rest_length = -1};
}

ash_angular_spring_def ash_default_angular_spring_def(void)
{
    return (ash_angular_spring_def){.rest_rotation = {1, 0, 0, 0}};
}

ash_bending_spring_def ash_default_bending_spring_def(void)
{
    return (ash_bending_spring_def){0};
}

ash_drag_def ash_default_drag_def(void)
{
    return (ash_drag_def){.coefficient = 0.5, .density = 1.2, .mask = {1, 1, 1}};
}

ash_pull_def ash_default_pull_def(void)
{
    return (ash_pull_def){0};
}

ash_load_def ash_default_load_def(void)
{
    return (ash_load_def){.stop = INFINITY};
}

/* The last part of every create function: adds the element or returns the diagnostic. */
static ash_status add(ash_world *world, ash_force_kind kind, const void *element, const char *name, ash_force *force,
                      bool good, ash_diagnostic *own, ash_diagnostic *diagnostic)
{
    uint32_t slot = ASHI_NO_SLOT;
    if (good && ashi_world_has_room(&world->model.forces.pool, 1, "forces", own)) {
        ashi_world_note_change(world);
        slot = ashi_forces_add(&world->model.forces, kind, element, name);
        if (slot == ASHI_NO_SLOT)
            ashi_out_of_memory(own);
    }
    if (slot == ASHI_NO_SLOT) {
        ashi_world_note(world, own);
        if (diagnostic != NULL)
            *diagnostic = *own;
        return own->status;
    }
    const ashi_force_class *class = ashi_force_class_of(kind);
    if (class->recentre != NULL)
        class->recentre(&world->model, world->model.forces.entries.data[slot].index);
    force->id = ashi_pool_handle(&world->model.forces.pool, slot);
    return ASH_OK;
}

static ash_vec3 world_point(const ash_world *world, uint32_t body, ash_vec3 point)
{
    const ashi_bodies *b = &world->model.bodies;
    return t_point(ashi_body_frame(b, &b->now, body), point);
}

ash_status ash_spring_create(ash_world *world, const ash_spring_def *def, ash_force *force, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    uint32_t a = ashi_world_end(world, def->body_a, "body_a", &own);
    uint32_t b = a != ASHI_NO_SLOT ? ashi_world_end(world, def->body_b, "body_b", &own) : ASHI_NO_SLOT;
    ashi_spring element = {
        .body_a = a,
        .body_b = b,
        .stiffness = def->stiffness,
        .damping = def->damping,
        .rest_length = def->rest_length,
        .tension_only = def->tension_only,
        .damper_pushes = def->damper_pushes,
        .point_a = def->point_a,
        .point_b = def->point_b,
    };
    bool good = a != ASHI_NO_SLOT && b != ASHI_NO_SLOT;
    if (good && isfinite(def->rest_length) && def->rest_length < 0)
        element.rest_length = v3_distance(world_point(world, a, def->point_a), world_point(world, b, def->point_b));
    good = good && ashi_check_spring(&element, &own);
    return add(world, ASH_FORCE_SPRING, &element, def->name, force, good, &own, diagnostic);
}

ash_status ash_angular_spring_create(ash_world *world, const ash_angular_spring_def *def, ash_force *force,
                                     ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    uint32_t a = ashi_world_end(world, def->body_a, "body_a", &own);
    uint32_t b = a != ASHI_NO_SLOT ? ashi_world_end(world, def->body_b, "body_b", &own) : ASHI_NO_SLOT;
    ashi_angular_spring element = {
        .body_a = a,
        .body_b = b,
        .rest_rotation = def->rest_rotation,
        .stiffness = def->stiffness,
        .damping = def->damping,
    };
    bool good = a != ASHI_NO_SLOT && b != ASHI_NO_SLOT && ashi_check_angular_spring(&element, &own);
    if (good)
        element.rest_rotation = q_unit(def->rest_rotation);
    return add(world, ASH_FORCE_ANGULAR_SPRING, &element, def->name, force, good, &own, diagnostic);
}

ash_status ash_bending_spring_create(ash_world *world, const ash_bending_spring_def *def, ash_force *force,
                                     ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    const ash_body body[3] = {def->body_a, def->body_b, def->body_c};
    static const char *const names[3] = {"body_a", "body_b", "body_c"};
    ashi_bending_spring element = {
        .head.enabled = true,
        .stiffness = def->stiffness,
        .damping = def->damping,
        .rest_angle = def->rest_angle,
        .point = {def->point_a, def->point_b, def->point_c},
    };
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        element.body[i] = ashi_world_end(world, body[i], names[i], &own);
        good = element.body[i] != ASHI_NO_SLOT;
        if (good)
            element.arm[i] = ashi_arm(&world->model.bodies, element.body[i], element.point[i]);
    }
    if (good && isfinite(def->rest_angle) && def->rest_angle < 0)
        element.rest_angle = ashi_bending_spring_angle(&element, &world->model.bodies.now);
    good = good && ashi_check_bending_spring(&element, &own);
    return add(world, ASH_FORCE_BENDING_SPRING, &element, def->name, force, good, &own, diagnostic);
}

ash_status ash_drag_create(ash_world *world, const ash_drag_def *def, ash_force *force, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    uint32_t body = ashi_world_end(world, def->body, "body", &own);
    ashi_drag element = {
        .body = body,
        .factor = 0.5 * def->density * def->coefficient,
        .area = def->area,
        .linear = def->linear,
        .mask = def->mask,
        .wind = def->wind,
    };
    bool good = body != ASHI_NO_SLOT && ashi_check_coefficient(def->coefficient, "coefficient", &own) &&
                ashi_check_coefficient(def->density, "density", &own) &&
                ashi_check_drag(&world->model.bodies, &element, &own);
    return add(world, ASH_FORCE_DRAG, &element, def->name, force, good, &own, diagnostic);
}

ash_status ash_pull_create(ash_world *world, const ash_pull_def *def, ash_force *force, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    uint32_t body = ashi_world_end(world, def->body, "body", &own);
    ashi_pull element = {
        .body = body,
        .point = def->point,
        .target = def->target,
        .stiffness = def->stiffness,
        .damping = def->damping,
        .max_force = def->max_force,
    };
    bool good = body != ASHI_NO_SLOT && ashi_check_pull(&element, &own);
    return add(world, ASH_FORCE_PULL, &element, def->name, force, good, &own, diagnostic);
}

ash_status ash_load_create(ash_world *world, const ash_load_def *def, ash_force *force, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    uint32_t body = ashi_world_end(world, def->body, "body", &own);
    ashi_load element = {
        .body = body,
        .force = def->force,
        .torque = def->torque,
        .point = def->point,
        .body_axes = def->body_axes,
        .signal = def->signal,
        .start = def->start,
        .stop = def->stop,
    };
    bool good = body != ASHI_NO_SLOT && ashi_check_load(&element, &own) && ashi_copy_signal(&element.signal, &own);
    ash_status status = add(world, ASH_FORCE_LOAD, &element, def->name, force, good, &own, diagnostic);
    if (good && status != ASH_OK)
        ashi_load_class.release(&element);
    return status;
}

ash_status ash_callback_create(ash_world *world, ash_force_callback callback, void *user, const char *name,
                               ash_force *force, ash_diagnostic *diagnostic)
{
    ash_diagnostic own = {0};
    if (callback == NULL)
        ashi_fail(&own, ASH_BAD_DATA, "callback.null", "the callback is null");
    ashi_callback element = {.function = callback, .user = user};
    return add(world, ASH_FORCE_CALLBACK, &element, name, force, callback != NULL, &own, diagnostic);
}
