/* The directory of joints: what comes and goes. What a joint does is in the files of its kind. */
#include "model/joints.h"

#include "base/alloc.h"
#include "model/forces.h"

static void release(ashi_joint *joint)
{
    for (uint32_t i = 0; i < ASH_FREEDOMS && joint->axes != NULL; i++) {
        ashi_free((void *)joint->axes[i].motor.signal.times);
        ashi_free((void *)joint->axes[i].motor.signal.values);
    }
    ashi_free(joint->axes);
    ashi_free(joint->path);
    ashi_free(joint->name);
    *joint = (ashi_joint){0};
}

void ashi_joints_release(ashi_joints *joints)
{
    for (uint32_t i = 0; i < joints->entries.count; i++)
        release(&joints->entries.data[i]);
    ashi_pool_release(&joints->pool);
    ashi_array_release(&joints->entries);
    ashi_array_release(&joints->events);
    *joints = (ashi_joints){0};
}

uint32_t ashi_joints_add(ashi_joints *joints, const ashi_joint *joint, const char *name)
{
    char *copy = NULL;
    if (name != NULL && name[0] != 0 && (copy = ashi_copy_text(name)) == NULL)
        return ASHI_NO_SLOT;
    uint32_t slot = ashi_pool_next(&joints->pool);
    if (!ashi_array_reserve(&joints->entries, (uint64_t)slot + 1) ||
        (slot = ashi_pool_take(&joints->pool)) == ASHI_NO_SLOT) {
        ashi_free(copy);
        return ASHI_NO_SLOT;
    }
    if (joints->entries.count <= slot)
        joints->entries.count = slot + 1;
    joints->entries.data[slot] = *joint;
    joints->entries.data[slot].name = copy;
    joints->revision++;
    return slot;
}

void ashi_joints_remove(ashi_joints *joints, uint32_t slot)
{
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

bool ashi_joint_uses(const ashi_joint *joint, uint32_t body)
{
    return joint->body_a == body || joint->body_b == body;
}

bool ashi_joint_acts(const ashi_model *model, const ashi_joint *joint)
{
    const uint8_t *motion = model->bodies.motion;
    return joint->enabled && ((motion[joint->body_a] | motion[joint->body_b]) & ASHI_DYNAMIC) != 0;
}

void ashi_joints_recentre(ashi_model *model, uint32_t body)
{
    ashi_joints *joints = &model->joints;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        ashi_joint *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !ashi_joint_uses(joint, body))
            continue;
        joint->arm_a = ashi_arm(&model->bodies, joint->body_a, joint->frame_a.position);
        joint->arm_b = ashi_arm(&model->bodies, joint->body_b, joint->frame_b.position);
    }
}
