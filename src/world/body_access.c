/* Reading and changing bodies and their shapes. Every call checks its handle and its numbers. */
#include "world/world.h"

#include <string.h>

bool ash_body_is_valid(const ash_world *world, ash_body body)
{
    return ashi_pool_slot_of(&world->model.bodies.pool, body.id) != ASHI_NO_SLOT;
}

ash_body ash_world_get_background(const ash_world *world)
{
    return (ash_body){ashi_pool_handle(&world->model.bodies.pool, 0)};
}

uint32_t ash_world_get_bodies(const ash_world *world, ash_body *bodies, uint32_t capacity)
{
    const ashi_pool *pool = &world->model.bodies.pool;
    uint32_t count = 0;
    for (uint32_t slot = 1; slot < pool->slots.count && count < capacity; slot++)
        if (ashi_pool_in_use(pool, slot))
            bodies[count++].id = ashi_pool_handle(pool, slot);
    return pool->used - 1;
}

ash_body ash_world_find_body(const ash_world *world, const char *name)
{
    const ashi_bodies *b = &world->model.bodies;
    for (uint32_t slot = 1; slot < ashi_body_slots(b); slot++)
        if (ashi_pool_in_use(&b->pool, slot) && b->info[slot].name != NULL && strcmp(b->info[slot].name, name) == 0)
            return (ash_body){ashi_pool_handle(&b->pool, slot)};
    return (ash_body){0};
}

/* An invalid handle reads the background, as the interface promises. */
static uint32_t reading(const ash_world *world, ash_body body, const char *call)
{
    uint32_t slot = ashi_world_body(world, body, call);
    return slot == ASHI_NO_SLOT ? 0 : slot;
}

ash_body_type ash_body_get_type(const ash_world *world, ash_body body)
{
    return world->model.bodies.info[reading(world, body, __func__)].type;
}

const char *ash_body_get_name(const ash_world *world, ash_body body)
{
    const char *name = world->model.bodies.info[reading(world, body, __func__)].name;
    return name != NULL ? name : "";
}

void *ash_body_get_user_data(const ash_world *world, ash_body body)
{
    return world->model.bodies.info[reading(world, body, __func__)].user_data;
}

ash_transform ash_body_get_transform(const ash_world *world, ash_body body)
{
    const ashi_bodies *b = &world->model.bodies;
    return ashi_body_frame(b, &b->now, reading(world, body, __func__));
}

ash_vec3 ash_body_get_centre(const ash_world *world, ash_body body)
{
    return world->model.bodies.now.position[reading(world, body, __func__)];
}

ash_vec3 ash_body_get_velocity(const ash_world *world, ash_body body)
{
    return world->model.bodies.now.velocity[reading(world, body, __func__)];
}

ash_vec3 ash_body_get_angular_velocity(const ash_world *world, ash_body body)
{
    return world->model.bodies.now.spin[reading(world, body, __func__)];
}

ash_mass_properties ash_body_get_mass(const ash_world *world, ash_body body)
{
    return world->model.bodies.info[reading(world, body, __func__)].mass;
}

double ash_body_get_kinetic_energy(const ash_world *world, ash_body body)
{
    const ashi_bodies *b = &world->model.bodies;
    return ashi_body_kinetic_energy(b, &b->now, reading(world, body, __func__));
}

ash_vec3 ash_body_get_momentum(const ash_world *world, ash_body body)
{
    const ashi_bodies *b = &world->model.bodies;
    uint32_t slot = reading(world, body, __func__);
    return v3_scale(b->now.velocity[slot], b->inertial[slot].mass);
}

ash_vec3 ash_body_get_angular_momentum(const ash_world *world, ash_body body)
{
    const ashi_bodies *b = &world->model.bodies;
    uint32_t slot = reading(world, body, __func__);
    return ashi_angular_momentum(&b->rotor[slot], b->now.rotation[slot], b->now.spin[slot]);
}

ash_vec3 ash_body_point_to_world(const ash_world *world, ash_body body, ash_vec3 local_point)
{
    const ashi_bodies *b = &world->model.bodies;
    return t_point(ashi_body_frame(b, &b->now, reading(world, body, __func__)), local_point);
}

ash_vec3 ash_body_point_to_local(const ash_world *world, ash_body body, ash_vec3 world_point)
{
    const ashi_bodies *b = &world->model.bodies;
    return t_point_inverse(ashi_body_frame(b, &b->now, reading(world, body, __func__)), world_point);
}

ash_vec3 ash_body_get_point_velocity(const ash_world *world, ash_body body, ash_vec3 world_point)
{
    const ashi_state *now = &world->model.bodies.now;
    uint32_t slot = reading(world, body, __func__);
    return v3_add(now->velocity[slot], v3_cross(now->spin[slot], v3_sub(world_point, now->position[slot])));
}

double ash_body_get_gravity_scale(const ash_world *world, ash_body body)
{
    return world->model.bodies.info[reading(world, body, __func__)].gravity_scale;
}

double ash_body_get_linear_damping(const ash_world *world, ash_body body)
{
    return world->model.bodies.info[reading(world, body, __func__)].linear_damping;
}

double ash_body_get_angular_damping(const ash_world *world, ash_body body)
{
    return world->model.bodies.info[reading(world, body, __func__)].angular_damping;
}

uint32_t ash_body_get_locks(const ash_world *world, ash_body body)
{
    return world->model.bodies.info[reading(world, body, __func__)].locks;
}

/* The slot of a body that may be changed, never the background's. `finite` says whether the arguments are. */
static uint32_t changing(const ash_world *world, ash_body body, bool finite, const char *call, ash_status *status)
{
    uint32_t slot = ashi_world_body(world, body, call);
    *status = slot == ASHI_NO_SLOT ? ASH_BAD_HANDLE : ASH_OK;
    if (slot == 0)
        *status = ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.background", "%s: not for the background", call);
    else if (*status == ASH_OK && !finite)
        *status = ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.not-finite",
                                    "%s: an argument is not finite or out of range", call);
    return slot;
}

ash_status ash_body_set_name(ash_world *world, ash_body body, const char *name)
{
    ash_status status;
    uint32_t slot = changing(world, body, true, __func__, &status);
    if (status != ASH_OK)
        return status;
    char *copy = NULL;
    if (name != NULL && name[0] != 0 && (copy = ashi_copy_text(name)) == NULL)
        return ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "memory", "%s: out of memory", __func__);
    ashi_dealloc(world->model.bodies.info[slot].name);
    world->model.bodies.info[slot].name = copy;
    return ASH_OK;
}

ash_status ash_body_set_user_data(ash_world *world, ash_body body, void *user_data)
{
    ash_status status;
    uint32_t slot = changing(world, body, true, __func__, &status);
    if (status == ASH_OK)
        world->model.bodies.info[slot].user_data = user_data;
    return status;
}

ash_status ash_body_set_transform(ash_world *world, ash_body body, ash_transform transform)
{
    ash_status status;
    ashi_bodies *b = &world->model.bodies;
    bool usable = t_is_finite(transform) && q_norm2(transform.rotation) > 1e-12 && q_norm2(transform.rotation) < 1e12 &&
                  (!b->planar || (transform.rotation.x == 0 && transform.rotation.y == 0));
    uint32_t slot = changing(world, body, usable, __func__, &status);
    if (status != ASH_OK)
        return status;
    ashi_world_disturb(world, slot);
    if (b->info[slot].type != ASH_BODY_DYNAMIC) /* it may be put among sleeping bodies without a velocity that wakes
                                                   them */
        ashi_sleep_wake_all(b);
    transform.rotation = q_unit(transform.rotation);
    b->now.rotation[slot] = transform.rotation;
    b->now.position[slot] = t_point(transform, b->info[slot].mass.centre);
    return ASH_OK;
}

/* Static bodies have no velocity. */
static ash_status not_static(const ash_world *world, uint32_t slot, const char *call)
{
    if (world->model.bodies.info[slot].type != ASH_BODY_STATIC)
        return ASH_OK;
    return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.static", "%s: body %u is static", call, slot);
}

ash_status ash_body_set_velocity(ash_world *world, ash_body body, ash_vec3 velocity)
{
    ash_status status;
    uint32_t slot = changing(world, body, v3_is_finite(velocity), __func__, &status);
    if (status == ASH_OK)
        status = not_static(world, slot, __func__);
    if (status != ASH_OK)
        return status;
    ashi_world_disturb(world, slot);
    world->model.bodies.now.velocity[slot] = ashi_unlocked_velocity(&world->model.bodies, slot, velocity);
    return ASH_OK;
}

ash_status ash_body_set_angular_velocity(ash_world *world, ash_body body, ash_vec3 angular_velocity)
{
    ash_status status;
    uint32_t slot = changing(world, body, v3_is_finite(angular_velocity), __func__, &status);
    if (status == ASH_OK)
        status = not_static(world, slot, __func__);
    if (status != ASH_OK)
        return status;
    ashi_world_disturb(world, slot);
    world->model.bodies.now.spin[slot] = ashi_unlocked_spin(&world->model.bodies, slot, angular_velocity);
    return ASH_OK;
}

ash_status ash_body_set_damping(ash_world *world, ash_body body, double linear, double angular)
{
    ash_status status;
    bool usable = isfinite(linear) && isfinite(angular) && linear >= 0 && angular >= 0;
    uint32_t slot = changing(world, body, usable, __func__, &status);
    if (status != ASH_OK)
        return status;
    ashi_sleep_disturb(&world->collision, &world->model, slot);
    world->model.bodies.info[slot].linear_damping = linear;
    world->model.bodies.info[slot].angular_damping = angular;
    ashi_bodies_classify(&world->model.bodies, slot);
    return ASH_OK;
}

ash_status ash_body_set_gravity_scale(ash_world *world, ash_body body, double scale)
{
    ash_status status;
    uint32_t slot = changing(world, body, isfinite(scale), __func__, &status);
    if (status != ASH_OK)
        return status;
    ashi_world_disturb(world, slot);
    world->model.bodies.info[slot].gravity_scale = scale;
    ashi_bodies_classify(&world->model.bodies, slot);
    return ASH_OK;
}

/* Force and torque for the next step. */
static ash_status apply(ash_world *world, uint32_t slot, ash_vec3 force, ash_vec3 torque)
{
    ashi_bodies *b = &world->model.bodies;
    b->applied_force[slot] = v3_add(b->applied_force[slot], force);
    b->applied_torque[slot] = v3_add(b->applied_torque[slot], torque);
    ashi_sleep_wake_group(b, slot);
    b->any_applied = true;
    return ASH_OK;
}

ash_status ash_body_apply_force(ash_world *world, ash_body body, ash_vec3 force, ash_vec3 world_point)
{
    ash_status status;
    uint32_t slot = changing(world, body, v3_is_finite(force) && v3_is_finite(world_point), __func__, &status);
    if (status != ASH_OK)
        return status;
    return apply(world, slot, force, v3_cross(v3_sub(world_point, world->model.bodies.now.position[slot]), force));
}

ash_status ash_body_apply_force_to_centre(ash_world *world, ash_body body, ash_vec3 force)
{
    ash_status status;
    uint32_t slot = changing(world, body, v3_is_finite(force), __func__, &status);
    return status == ASH_OK ? apply(world, slot, force, v3(0, 0, 0)) : status;
}

ash_status ash_body_apply_torque(ash_world *world, ash_body body, ash_vec3 torque)
{
    ash_status status;
    uint32_t slot = changing(world, body, v3_is_finite(torque), __func__, &status);
    return status == ASH_OK ? apply(world, slot, v3(0, 0, 0), torque) : status;
}

/* Impulses move only dynamic bodies; they have no effect on others, as on a wall. */
static ash_status give_impulse(ash_world *world, uint32_t slot, ash_vec3 impulse, ash_vec3 angular, const char *call)
{
    ashi_bodies *b = &world->model.bodies;
    ashi_sleep_disturb(&world->collision, &world->model, slot); /* a sleeping body would not respond */
    ash_vec3 change = v3_scale(impulse, b->inertial[slot].inverse_mass);
    ash_vec3 velocity = v3_add(b->now.velocity[slot], ashi_unlocked_velocity(b, slot, change));
    ash_vec3 spin = v3_add(b->now.spin[slot], ashi_angular_response(b, slot, b->now.rotation[slot], angular));
    if (!v3_is_finite(velocity) || !v3_is_finite(spin))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.overflow", "%s: the body's velocity would overflow",
                                 call);
    ashi_world_note_change(world);
    b->now.velocity[slot] = velocity;
    b->now.spin[slot] = spin;
    return ASH_OK;
}

ash_status ash_body_apply_impulse(ash_world *world, ash_body body, ash_vec3 impulse, ash_vec3 world_point)
{
    ash_status status;
    uint32_t slot = changing(world, body, v3_is_finite(impulse) && v3_is_finite(world_point), __func__, &status);
    if (status != ASH_OK)
        return status;
    ash_vec3 arm = v3_sub(world_point, world->model.bodies.now.position[slot]);
    return give_impulse(world, slot, impulse, v3_cross(arm, impulse), __func__);
}

ash_status ash_body_apply_angular_impulse(ash_world *world, ash_body body, ash_vec3 impulse)
{
    ash_status status;
    uint32_t slot = changing(world, body, v3_is_finite(impulse), __func__, &status);
    return status == ASH_OK ? give_impulse(world, slot, v3(0, 0, 0), impulse, __func__) : status;
}
