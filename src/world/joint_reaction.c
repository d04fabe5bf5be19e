/* Reactions of joints in the last step, expressed in a frame, and the joints that broke. */
#include "model/joint_class.h"
#include "world/world.h"

/* The rotation from a frame to the world. */
static ash_quat frame_of(const ash_world *world, const ashi_joint_entry *joint, ash_frame frame)
{
    const ash_quat *rotations = world->model.bodies.now.rotation;
    switch (frame) {
    case ASH_FRAME_BODY_A:
        return rotations[joint->body_a];
    case ASH_FRAME_BODY_B:
        return rotations[joint->body_b];
    case ASH_FRAME_JOINT_A:
        return q_mul(rotations[joint->body_a], joint->frame_a.rotation);
    case ASH_FRAME_JOINT_B:
        return q_mul(rotations[joint->body_b], joint->frame_b.rotation);
    default:
        return q_identity();
    }
}

ash_joint_reaction ash_joint_get_reaction(const ash_world *world, ash_joint joint, ash_frame frame)
{
    ash_joint_reaction reaction = {0};
    uint32_t slot = ashi_world_joint(world, joint, __func__);
    if (slot == ASHI_NO_SLOT)
        return reaction;
    if ((unsigned)frame >= ASH_FRAMES || frame == ASH_FRAME_CONTACT) {
        ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.frame", "%s: joints have no frame %d", __func__, (int)frame);
        return reaction;
    }
    const ashi_joint_entry *found = &world->model.joints.entries.data[slot];
    ash_quat rotation = frame_of(world, found, frame);
    reaction.force = q_unrotate(rotation, found->reaction_force);
    reaction.torque = q_unrotate(rotation, found->reaction_torque);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        reaction.drive[i] =
            found->force[ASHI_DRIVE_KEY + i] + found->force[ASHI_SPRING_KEY + i] + found->force[ASHI_FRICTION_KEY + i];
    reaction.indeterminate = found->indeterminate;
    return reaction;
}

double ash_joint_get_line_force(const ash_world *world, ash_joint joint)
{
    uint32_t slot = ashi_world_joint(world, joint, __func__);
    if (slot == ASHI_NO_SLOT)
        return 0;
    const ashi_joint_entry *found = &world->model.joints.entries.data[slot];
    if (!ashi_joint_class_of(found->kind)->has_line)
        return 0;
    ash_vec3 from = ash_joint_get_frame_a(world, joint).position, to = ash_joint_get_frame_b(world, joint).position;
    ash_vec3 way = v3_sub(to, from);
    double length = v3_norm(way), drive = 0;
    for (int key = ASHI_DRIVE_KEY; key <= ASHI_FRICTION_KEY; key += ASH_FREEDOMS)
        drive += found->force[key + ASH_MOVE_X];
    return length > 0 ? drive + v3_dot(found->reaction_force, way) / length : 0;
}

uint32_t ash_world_get_joint_events(const ash_world *world, ash_joint_event *events, uint32_t capacity)
{
    const ashi_joints *joints = &world->model.joints;
    for (uint32_t i = 0; i < joints->events.count && i < capacity; i++)
        events[i] = joints->events.data[i];
    return joints->events.count;
}
