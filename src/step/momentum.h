/* Angular momentum is kept to rounding between bodies that act on each other alone (momentum.c). */
#ifndef ASHI_STEP_MOMENTUM_H
#define ASHI_STEP_MOMENTUM_H

#include "step/step.h"

typedef struct ashi_free_motion ashi_free_motion;

/* Where free motion has taken the problem's bodies: after assembly, before `next` is corrected. Null when scratch
 * memory ran out. */
ashi_free_motion *ashi_momentum_of_free_motion(ashi_step *step);

/* The spin of a body in `next`, whose rotation is the new one: of the angular momentum that free motion left it, and
 * what a gain of spin at the start adds. `spin` where that is the spin itself. */
ash_vec3 ashi_momentum_spin(const ashi_bodies *bodies, uint32_t slot, ash_vec3 momentum, ash_vec3 gained,
                            ash_vec3 spin);

/* The spins of `next`, whose rotations have been corrected, from the momenta. */
void ashi_momentum_to_spins(ashi_step *step, const ashi_free_motion *motion);

/* Bodies that pushed only each other take up the couples that their motion within the step has left. False when scratch
 * memory ran out. */
bool ashi_momentum_return_couples(ashi_step *step, const ashi_free_motion *motion);

#endif
