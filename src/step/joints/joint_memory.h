/* What joints keep in time, beside the states of bodies: for steps that are taken back. */
#ifndef ASHI_STEP_JOINTS_JOINT_MEMORY_H
#define ASHI_STEP_JOINTS_JOINT_MEMORY_H

#include "base/arena.h"
#include "model/forces.h"

/* Of one joint; see ashi_joint_entry. */
typedef struct ashi_joint_memory {
    double turn[ASH_FREEDOMS], integral[ASH_FREEDOMS], held_length;
    double force[ASHI_JOINT_KEYS];
    ash_vec3 reaction_force, reaction_torque;
    bool indeterminate;
} ashi_joint_memory;

/* Room for all joints, by slot. Null when memory ran out. */
ashi_joint_memory *ashi_joint_memory_take(const ashi_joints *joints, ashi_arena *arena);
void ashi_joint_memory_keep(const ashi_joints *joints, ashi_joint_memory *memory);
void ashi_joint_memory_restore(ashi_joints *joints, const ashi_joint_memory *memory);

#endif
