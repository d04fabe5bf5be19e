/* Queries of sleeping bodies, waking them, and putting bodies to sleep. */
#include "world/world.h"

bool ash_body_is_awake(const ash_world *world, ash_body body)
{
    uint32_t slot = ashi_world_body(world, body, __func__);
    return slot == ASHI_NO_SLOT || ashi_sleep_is_awake(&world->model.bodies, &world->method, slot);
}

ash_status ash_body_wake(ash_world *world, ash_body body)
{
    uint32_t slot = ashi_world_body(world, body, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_sleep_wake_group(&world->model.bodies, slot);
    return ASH_OK;
}

ash_status ash_body_sleep(ash_world *world, ash_body body)
{
    ashi_bodies *b = &world->model.bodies;
    uint32_t slot = ashi_world_body(world, body, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    if (b->info[slot].type != ASH_BODY_DYNAMIC)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.sleep", "ash_body_sleep: body %u is not dynamic", slot);
    if (world->method.sleeping != ASH_SLEEP_ISLANDS)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "body.sleep",
                                 "ash_body_sleep: the method %s has no sleeping islands", world->method.name);
    if (b->motion[slot] & ASHI_ASLEEP)
        return ASH_OK;
    ashi_world_note_change(world);
    ashi_bodies_lay(b, slot, ++b->last_group);
    b->rest[slot].weighed = false;
    return ASH_OK;
}
