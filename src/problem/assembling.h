/* An assembly in progress: bodies get their numbers when a block first needs them. */
#ifndef ASHI_PROBLEM_ASSEMBLING_H
#define ASHI_PROBLEM_ASSEMBLING_H

#include "problem/assemble.h"

typedef struct ashi_assembling {
    const ashi_model *model;
    const ashi_state *start, *predicted;
    ashi_system *out;
    uint32_t *number; /* by body slot: its number in the problem, or UINT32_MAX */
} ashi_assembling;

/* Empties the problem and allocates working memory; `in` as in ashi_assembly. False when memory ran out. */
bool ashi_assembling_begin(ashi_assembling *assembling, ashi_arena *scratch);
/* Adds a body to the problem, and returns its number. */
uint32_t ashi_assembling_add_body(ashi_assembling *assembling, uint32_t slot);
/* The number of a body, which is added if it has none. */
static inline uint32_t ashi_assembling_body(ashi_assembling *assembling, uint32_t slot)
{
    uint32_t number = assembling->number[slot];
    return number != UINT32_MAX ? number : ashi_assembling_add_body(assembling, slot);
}
/* A body's inverse inertia in world axes, locks included; zero where it cannot turn. */
ash_sym3 ashi_inverse_inertia_at(const ashi_bodies *bodies, uint32_t slot, ash_quat rotation);

/* ---- contacts ---- */

/* The pose of a shape at the start. */
typedef struct ashi_posed_shape {
    ash_vec3 position;
    ash_mat3 axes;
    double none; /* 0: vectors are read together with the number after them */
} ashi_posed_shape;

typedef struct ashi_contact_assembling {
    const ashi_assembly *in;
    ashi_assembling *shared;
    ashi_posed_shape *places; /* by shape slot; made when a contact first needs it */
    bool *placed;             /* likewise */
    bool wide;                /* the machine has registers for quads */
    bool slides;              /* tangents lie along and across the slip at the start */
} ashi_contact_assembling;

/* False when memory ran out. */
bool ashi_contact_assembling_begin(ashi_contact_assembling *contacts, const ashi_assembly *in, ashi_assembling *shared,
                                   ashi_arena *scratch);
/* Whether a point of the pair is in the problem. */
bool ashi_contact_pair_takes_part(const ashi_contact_assembling *contacts, const ashi_contact_pair *pair);
/* Prefetches the pair's second shape, which may lie anywhere in memory (first ones come in order), and then its body.
 */
void ashi_contact_fetch_shape(const ashi_contact_assembling *contacts, const ashi_contact_pair *pair);
void ashi_contact_fetch_body(const ashi_contact_assembling *contacts, const ashi_contact_pair *pair);
/* Adds a pair's points, one block each. False when memory ran out. */
bool ashi_assembling_pair(const ashi_contact_assembling *contacts, const ashi_contact_pair *pair);

/* Whether one of the bodies is awake: contacts between sleeping or immovable bodies are not in the problem. */
static inline bool ashi_contact_pair_is_awake(const ashi_model *model, const ashi_contact_pair *pair)
{
    const ashi_shape_entry *shapes = model->shapes.entries.data;
    const uint8_t *motion = model->bodies.motion;
    return ((motion[shapes[pair->a].body] | motion[shapes[pair->b].body]) & ASHI_DYNAMIC) != 0;
}

/* ---- joints ---- */

/* Blocks for all joints that act: one for the held rows of a joint, one for each other row. False when memory ran out.
 */
bool ashi_assembling_joints(ashi_assembling *assembling, const ashi_assembly *in);
/* An upper bound of the joints' blocks and rows, valid until joints change. */
void ashi_assembling_joint_room(const ashi_model *model, uint32_t *blocks, uint32_t *rows);

#endif
