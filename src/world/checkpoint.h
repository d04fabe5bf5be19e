/* A world's state, kept in memory so that a tried step can be undone. Nothing may be created, removed
 * or changed by the caller between keeping and restoring. */
#ifndef ASHI_WORLD_CHECKPOINT_H
#define ASHI_WORLD_CHECKPOINT_H

#include "step/joints/joint_memory.h"
#include "world/world.h"

typedef struct ashi_checkpoint {
    ashi_arena *arena; /* of the arrays */
    ashi_state state;
    uint8_t *motion;
    ashi_rest *rest;
    ashi_joint_memory *joints;
    bool *enabled, *broken; /* by joint */
    ashi_contact_set contacts;
    uint32_t damped_count, kinematic_count, dynamic_count, asleep_count;
    uint64_t last_group, steps, step_count;
    double time, time_base, step_length;
    ashi_account account;
    ashi_watch watch;
    bool detected;
} ashi_checkpoint;

/* Zeroed before the first call. False when memory ran out. */
bool ashi_checkpoint_keep(ashi_checkpoint *checkpoint, const ash_world *world);
/* May be called any number of times after ashi_checkpoint_keep. The next impulses of joints are computed again. False
 * when memory ran out: the contacts are then those of another state. */
bool ashi_checkpoint_restore(const ashi_checkpoint *checkpoint, ash_world *world);
void ashi_checkpoint_release(ashi_checkpoint *checkpoint);

#endif
