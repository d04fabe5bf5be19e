/* The directory of joints: adding and removing. The behaviour of a joint is in the files of its kind. */
#include "model/joints.h"

#include "base/alloc.h"
#include "model/forces.h"

#include <string.h>

static void release(ashi_joint_entry *joint)
{
    for (uint32_t i = 0; i < ASH_FREEDOMS && joint->axes != NULL; i++) {
        ashi_dealloc((void *)joint->axes[i].motor.signal.times);
        ashi_dealloc((void *)joint->axes[i].motor.signal.values);
    }
    ashi_dealloc(joint->axes);
    ashi_dealloc(joint->path);
    ashi_dealloc(joint->name);
    *joint = (ashi_joint_entry){0};
}

/* Pairs of bodies that joints keep apart: a sorted list with an entry for each joint, so that removing the last one
 * lets them touch again. Room for all joints is reserved when they are added: switching them never fails. */
static uint64_t pair_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static uint32_t place_of(const ashi_joints *joints, uint64_t pair)
{
    uint32_t low = 0, high = joints->apart.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (joints->apart.data[middle] < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool keeps_apart(const ashi_joint_entry *joint)
{
    return joint->enabled && !joint->collide;
}

static void list(ashi_joints *joints, const ashi_joint_entry *joint)
{
    if (!keeps_apart(joint))
        return;
    uint64_t pair = pair_of(joint->body_a, joint->body_b), *data = joints->apart.data;
    uint32_t place = place_of(joints, pair);
    memmove(data + place + 1, data + place, (joints->apart.count++ - place) * sizeof *data);
    data[place] = pair;
}

static void unlist(ashi_joints *joints, const ashi_joint_entry *joint)
{
    if (!keeps_apart(joint))
        return;
    uint64_t *data = joints->apart.data;
    uint32_t place = place_of(joints, pair_of(joint->body_a, joint->body_b));
    memmove(data + place, data + place + 1, (--joints->apart.count - place) * sizeof *data);
}

bool ashi_joints_keep_apart(const ashi_joints *joints, uint32_t a, uint32_t b)
{
    if (joints->apart.count == 0)
        return false;
    uint64_t pair = pair_of(a, b);
    uint32_t place = place_of(joints, pair);
    return place < joints->apart.count && joints->apart.data[place] == pair;
}

bool ashi_joints_list_apart(ashi_joints *joints)
{
    if (!ashi_array_reserve(&joints->apart, joints->entries.count))
        return false;
    joints->apart.count = 0;
    for (uint32_t i = 0; i < joints->entries.count; i++)
        if (ashi_pool_in_use(&joints->pool, i))
            list(joints, &joints->entries.data[i]);
    return true;
}

void ashi_joints_switch(ashi_joints *joints, uint32_t slot, bool enabled)
{
    ashi_joint_entry *joint = &joints->entries.data[slot];
    if (joint->enabled == enabled || joint->broken)
        return;
    unlist(joints, joint);
    joint->enabled = enabled;
    list(joints, joint);
    joints->revision++;
}

void ashi_joints_release(ashi_joints *joints)
{
    for (uint32_t i = 0; i < joints->entries.count; i++)
        release(&joints->entries.data[i]);
    ashi_pool_release(&joints->pool);
    ashi_array_release(&joints->entries);
    ashi_array_release(&joints->events);
    ashi_array_release(&joints->apart);
    *joints = (ashi_joints){0};
}

uint32_t ashi_joints_add(ashi_joints *joints, const ashi_joint_entry *joint, const char *name)
{
    char *copy = NULL;
    if (name != NULL && name[0] != 0 && (copy = ashi_copy_text(name)) == NULL)
        return ASHI_NO_SLOT;
    uint32_t slot = ashi_pool_next(&joints->pool);
    if (!ashi_array_reserve(&joints->entries, (uint64_t)slot + 1) ||
        !ashi_array_reserve(&joints->apart, (uint64_t)joints->pool.used + 1) ||
        (slot = ashi_pool_take(&joints->pool)) == ASHI_NO_SLOT) {
        ashi_dealloc(copy);
        return ASHI_NO_SLOT;
    }
    if (joints->entries.count <= slot)
        joints->entries.count = slot + 1;
    joints->entries.data[slot] = *joint;
    joints->entries.data[slot].name = copy;
    list(joints, &joints->entries.data[slot]);
    joints->revision++;
    return slot;
}

void ashi_joints_remove(ashi_joints *joints, uint32_t slot)
{
    unlist(joints, &joints->entries.data[slot]);
    release(&joints->entries.data[slot]);
    ashi_pool_give_back(&joints->pool, slot);
    joints->revision++;
}

void ashi_joints_remove_body(ashi_joints *joints, uint32_t body)
{
    for (uint32_t i = 0; i < joints->entries.count; i++)
        if (ashi_pool_in_use(&joints->pool, i) && ashi_joint_uses(&joints->entries.data[i], body))
            ashi_joints_remove(joints, i);
}

bool ashi_joint_uses(const ashi_joint_entry *joint, uint32_t body)
{
    return joint->body_a == body || joint->body_b == body;
}

bool ashi_joint_acts(const ashi_model *model, const ashi_joint_entry *joint)
{
    const uint8_t *motion = model->bodies.motion;
    return joint->enabled && ((motion[joint->body_a] | motion[joint->body_b]) & ASHI_DYNAMIC) != 0;
}

void ashi_joints_recentre(ashi_model *model, uint32_t body)
{
    ashi_joints *joints = &model->joints;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        ashi_joint_entry *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !ashi_joint_uses(joint, body))
            continue;
        joint->arm_a = ashi_arm(&model->bodies, joint->body_a, joint->frame_a.position);
        joint->arm_b = ashi_arm(&model->bodies, joint->body_b, joint->frame_b.position);
    }
}
