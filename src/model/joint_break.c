/* Joints that break: the reaction of a joint, from its held rows and limits, is compared with its breaking loads. */
#include "model/forces.h"

bool ashi_joints_break(ashi_model *model)
{
    ashi_joints *joints = &model->joints;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        ashi_joint_entry *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !joint->enabled)
            continue;
        double force = v3_norm(joint->reaction_force), torque = v3_norm(joint->reaction_torque);
        if (!(force > joint->break_force) && !(torque > joint->break_torque))
            continue;
        if (!ashi_array_extend(&joints->events))
            return false;
        joints->events.data[joints->events.count - 1] =
            (ash_joint_event){.joint = {ashi_pool_handle(&joints->pool, i)}, .force = force, .torque = torque};
        ashi_joints_switch(joints, i, false);
        joint->broken = true;
    }
    return true;
}
