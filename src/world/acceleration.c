/* Accelerations of bodies over a step, and what sensors on bodies read. */
#include "world/world.h"

bool ash_world_get_accelerations(const ash_world *world)
{
    return world->finds_accelerations;
}

ash_status ash_world_set_accelerations(ash_world *world, bool found)
{
    world->finds_accelerations = found;
    world->motions.count = 0;
    return ASH_OK;
}

bool ashi_world_note_velocities(ash_world *world)
{
    const ashi_bodies *b = &world->model.bodies;
    uint32_t slots = world->finds_accelerations ? ashi_body_slots(b) : 0;
    if (!ashi_array_reserve(&world->motions, slots))
        return false;
    world->motions.count = 0; /* no accelerations until the step is taken */
    for (uint32_t i = 0; i < slots; i++)
        world->motions.data[i] =
            (ashi_body_motion){ashi_pool_handle(&b->pool, i), {b->now.velocity[i], b->now.spin[i]}};
    return true;
}

void ashi_world_find_accelerations(ash_world *world, double h)
{
    const ashi_bodies *b = &world->model.bodies;
    uint32_t slots = world->finds_accelerations ? ashi_body_slots(b) : 0;
    for (uint32_t i = 0; i < slots; i++) {
        ash_acceleration *value = &world->motions.data[i].value;
        value->linear = v3_scale(v3_sub(b->now.velocity[i], value->linear), 1 / h);
        value->angular = v3_scale(v3_sub(b->now.spin[i], value->angular), 1 / h);
    }
    world->motions.count = slots;
}

ash_acceleration ash_body_get_acceleration(const ash_world *world, ash_body body)
{
    uint32_t slot = ashi_world_body(world, body, __func__);
    if (slot == ASHI_NO_SLOT || slot >= world->motions.count || world->motions.data[slot].handle != body.id)
        return (ash_acceleration){0};
    return world->motions.data[slot].value;
}

ash_vec3 ash_body_get_proper_acceleration(const ash_world *world, ash_body body, ash_vec3 local_point)
{
    const ashi_bodies *b = &world->model.bodies;
    uint32_t slot = ashi_world_body(world, body, __func__);
    if (slot == ASHI_NO_SLOT || !v3_is_finite(local_point))
        return v3(0, 0, 0);
    ash_acceleration a = ash_body_get_acceleration(world, body);
    ash_quat rotation = b->now.rotation[slot];
    ash_vec3 arm = q_rotate(rotation, v3_sub(local_point, b->info[slot].mass.centre)), spin = b->now.spin[slot];
    ash_vec3 turning = v3_add(v3_cross(a.angular, arm), v3_cross(spin, v3_cross(spin, arm)));
    ash_vec3 whole = v3_add(a.linear, turning);
    return q_unrotate(rotation, v3_add_scaled(whole, world->model.gravity, -b->info[slot].gravity_scale));
}

ash_vec3 ash_body_get_turn_rate(const ash_world *world, ash_body body)
{
    const ashi_bodies *b = &world->model.bodies;
    uint32_t slot = ashi_world_body(world, body, __func__);
    return slot != ASHI_NO_SLOT ? q_unrotate(b->now.rotation[slot], b->now.spin[slot]) : v3(0, 0, 0);
}
