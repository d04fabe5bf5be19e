/* What joints keep in time is copied, joint by joint, and put back when a step or a part of one is not taken. Joints
 * neither come nor go within a step. */
#include "step/joints/joint_memory.h"

#include <string.h>

ashi_joint_memory *ashi_joint_memory_take(const ashi_joints *joints, ashi_arena *arena)
{
    return ashi_arena_take_array(arena, joints->entries.count, sizeof(ashi_joint_memory));
}

void ashi_joint_memory_keep(const ashi_joints *joints, ashi_joint_memory *memory)
{
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        ashi_joint_memory *m = &memory[i];
        memcpy(m->turn, joint->turn, sizeof m->turn);
        memcpy(m->integral, joint->integral, sizeof m->integral);
        memcpy(m->force, joint->force, sizeof m->force);
        m->held_length = joint->held_length;
        m->reaction_force = joint->reaction_force;
        m->reaction_torque = joint->reaction_torque;
        m->indeterminate = joint->indeterminate;
    }
}

void ashi_joint_memory_restore(ashi_joints *joints, const ashi_joint_memory *memory)
{
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        ashi_joint_entry *joint = &joints->entries.data[i];
        const ashi_joint_memory *m = &memory[i];
        memcpy(joint->turn, m->turn, sizeof m->turn);
        memcpy(joint->integral, m->integral, sizeof m->integral);
        memcpy(joint->force, m->force, sizeof m->force);
        joint->held_length = m->held_length;
        joint->reaction_force = m->reaction_force;
        joint->reaction_torque = m->reaction_torque;
        joint->indeterminate = m->indeterminate;
    }
}
