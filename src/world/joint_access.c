/* Reading joints, switching and removing them. */
#include "model/joint_class.h"
#include "world/world.h"

#include <string.h>

/* The joint of a handle; null after reporting the misuse. */
static const ashi_joint_entry *reading(const ash_world *world, ash_joint joint, const char *call)
{
    uint32_t slot = ashi_world_joint(world, joint, call);
    return slot != ASHI_NO_SLOT ? &world->model.joints.entries.data[slot] : NULL;
}

void ashi_world_disturb_joint(ash_world *world, const ashi_joint_entry *joint)
{
    /* The background is static, but a joint affects only the bodies that it joins. */
    const ashi_bodies *bodies = &world->model.bodies;
    ashi_world_note_change(world);
    if (bodies->info[joint->body_a].type != ASH_BODY_STATIC)
        ashi_world_disturb(world, joint->body_a);
    if (bodies->info[joint->body_b].type != ASH_BODY_STATIC)
        ashi_world_disturb(world, joint->body_b);
}

bool ash_joint_is_valid(const ash_world *world, ash_joint joint)
{
    return ashi_pool_slot_of(&world->model.joints.pool, joint.id) != ASHI_NO_SLOT;
}

ash_status ash_joint_destroy(ash_world *world, ash_joint joint)
{
    uint32_t slot = ashi_world_joint(world, joint, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_world_disturb_joint(world, &world->model.joints.entries.data[slot]);
    ashi_joints_remove(&world->model.joints, slot);
    return ASH_OK;
}

ash_joint_kind ash_joint_get_kind(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL ? found->kind : ASH_JOINT_KINDS;
}

const char *ash_joint_get_name(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL && found->name != NULL ? found->name : "";
}

void *ash_joint_get_user_data(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL ? found->user_data : NULL;
}

ash_body ash_joint_get_body_a(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL ? (ash_body){ashi_pool_handle(&world->model.bodies.pool, found->body_a)} : (ash_body){0};
}

ash_body ash_joint_get_body_b(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL ? (ash_body){ashi_pool_handle(&world->model.bodies.pool, found->body_b)} : (ash_body){0};
}

static ash_transform frame_of(const ash_world *world, uint32_t body, ash_transform frame)
{
    const ashi_bodies *bodies = &world->model.bodies;
    return t_mul(ashi_body_frame(bodies, &bodies->now, body), frame);
}

ash_transform ash_joint_get_frame_a(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL ? frame_of(world, found->body_a, found->frame_a) : ash_identity();
}

ash_transform ash_joint_get_frame_b(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL ? frame_of(world, found->body_b, found->frame_b) : ash_identity();
}

ash_status ash_joint_set_enabled(ash_world *world, ash_joint joint, bool enabled)
{
    uint32_t slot = ashi_world_joint(world, joint, __func__);
    if (slot == ASHI_NO_SLOT)
        return ASH_BAD_HANDLE;
    ashi_joint_entry *found = &world->model.joints.entries.data[slot];
    if (enabled && found->broken)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.broken", "%s: the joint is broken", __func__);
    if (found->enabled == enabled)
        return ASH_OK;
    ashi_world_disturb_joint(world, found);
    ashi_joints_switch(&world->model.joints, slot, enabled);
    memset(found->force, 0, sizeof found->force); /* first guesses from another time */
    return ASH_OK;
}

bool ash_joint_get_enabled(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL && found->enabled;
}

bool ash_joint_is_broken(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL && found->broken;
}

uint32_t ash_joint_get_kept(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL ? found->kept : 0;
}

ash_joint_error ash_joint_get_error(const ash_world *world, ash_joint joint)
{
    const ashi_joint_entry *found = reading(world, joint, __func__);
    return found != NULL ? ashi_joint_error_at(&world->model, found, &world->model.bodies.now)
                         : (ash_joint_error){0, 0};
}

uint32_t ash_world_get_joints(const ash_world *world, ash_joint *joints, uint32_t capacity)
{
    const ashi_pool *pool = &world->model.joints.pool;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < pool->slots.count && count < capacity; slot++)
        if (ashi_pool_in_use(pool, slot))
            joints[count++].id = ashi_pool_handle(pool, slot);
    return pool->used;
}

ash_joint ash_world_find_joint(const ash_world *world, const char *name)
{
    const ashi_joints *joints = &world->model.joints;
    for (uint32_t slot = 0; slot < joints->entries.count; slot++)
        if (ashi_pool_in_use(&joints->pool, slot) && joints->entries.data[slot].name != NULL &&
            strcmp(joints->entries.data[slot].name, name) == 0)
            return (ash_joint){ashi_pool_handle(&joints->pool, slot)};
    return (ash_joint){0};
}
