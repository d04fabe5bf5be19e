/* An assembly under way: bodies get their numbers when a block first needs them. */
#ifndef ASHI_PROBLEM_ASSEMBLING_H
#define ASHI_PROBLEM_ASSEMBLING_H

#include "problem/assemble.h"

typedef struct ashi_assembling {
    const ashi_model *model;
    const ashi_state *start, *predicted;
    ash_problem *out;
    uint32_t *number; /* by body slot: its number in the problem, or UINT32_MAX */
} ashi_assembling;

/* Empties the problem and takes what the assembly needs; `in` as in ashi_assembly. False when memory ran out. */
bool ashi_assembling_begin(ashi_assembling *assembling, ashi_arena *scratch);
/* The number of a body in the problem. */
uint32_t ashi_assembling_body(ashi_assembling *assembling, uint32_t slot);
/* A body's inverse inertia in world axes, locks included; zero where it cannot turn. */
ash_sym3 ashi_inverse_inertia_at(const ashi_bodies *bodies, uint32_t slot, ash_quat rotation);
/* A new row of the last block, unbounded. */
ash_problem_row *ashi_assembling_row(ash_problem *problem, ash_problem_block *block);

/* Blocks for all joints that act: one for the held rows of a joint, one for each other row. False when memory ran out.
 */
bool ashi_assembling_joints(ashi_assembling *assembling, const ashi_assembly *in);
/* How many blocks and rows they may come to be, as joints are now: room for these is enough until joints change. */
void ashi_assembling_joint_room(const ashi_model *model, uint32_t *blocks, uint32_t *rows);

#endif
