/* Angular momentum is conserved to rounding between bodies that act only on each other (momentum.c). */
#ifndef ASHI_STEP_MOMENTUM_H
#define ASHI_STEP_MOMENTUM_H

#include "step/step.h"

/* The momenta of bodies before they pushed each other, and which bodies did. Lives in the step's scratch memory. */
typedef struct ashi_kept_momentum ashi_kept_momentum;

/* Records the positions and momenta of all bodies in a state, or only of a problem's (if not null). Null when scratch
 * memory ran out. */
ashi_kept_momentum *ashi_momentum_keep(ashi_step *step, const ashi_state *state, const ashi_system *problem);
/* The same of free motion, with the spins of the step's problem: after assembly, before `next` is corrected. */
ashi_kept_momentum *ashi_momentum_keep_free_motion(ashi_step *step);
/* The same in two parts: first an empty record; then, after all interacting bodies have been joined and before `next`
 * is corrected, one body of the step's problem. Returns its angular momentum of free motion, for ashi_momentum_spin.
 */
ashi_kept_momentum *ashi_momentum_begin(ashi_step *step);
ash_vec3 ashi_momentum_keep_body(ashi_kept_momentum *kept, uint32_t slot, const ash_problem_body *body);

/* The same of all bodies at the start of the part, `now`, in memory that lasts as long; bodies on which other forces
 * than gravity act count as supported. */
ashi_kept_momentum *ashi_momentum_keep_start(ashi_step *step, ashi_arena *arena);

/* Records that two bodies (by slot) have pushed each other. A body that pushes an immovable one counts as supported,
 * and so do all bodies that push it: their momentum is not restored. */
void ashi_momentum_join(ashi_kept_momentum *kept, uint32_t slot_a, uint32_t slot_b);
void ashi_momentum_note_support(ashi_kept_momentum *kept, uint32_t slot);
/* The same for the blocks of a problem that have impulses. */
void ashi_momentum_join_blocks(ashi_kept_momentum *kept, const ashi_system *problem);

/* The same for all joints that act. */
void ashi_momentum_join_joints(ashi_kept_momentum *kept);

/* The spin of a body in `next`, with its new rotation: from its angular momentum after free motion, plus a gain of spin
 * at the start. `spin` if that is the spin itself. */
ash_vec3 ashi_momentum_spin(const ashi_bodies *bodies, uint32_t slot, ash_vec3 momentum, ash_vec3 gained,
                            ash_vec3 spin);

/* Turns bodies that pushed only each other as one, so that they regain the recorded angular momentum. Velocities of
 * `state` are changed; the change of energy is added to `work`. False when scratch memory ran out. */
bool ashi_momentum_return(ashi_kept_momentum *kept, const ashi_state *state, double *work);

#endif
