/* The scheme `propagation`: velocity-based shock propagation (Erleben 2007, figure 14; docs/shock.md). */
#ifndef ASHI_STEP_PROPAGATION_H
#define ASHI_STEP_PROPAGATION_H

#include "step/step.h"

/* A part of length h from now to next: dynamics(a h) by the inner solver, then dynamics((1 - a) h) and the correction
 * by the method's solver. False when memory ran out. */
bool ashi_propagation_part(ashi_step *step, double h, double reach);

/* The last correction: of the present state, whose contacts have been found, by the inner solver; contacts are then
 * found once more. Nothing in other schemes. False when memory ran out or a state is not finite; `lost`: contacts of
 * the part's start are in `kept`. */
bool ashi_propagation_correct(ashi_step *step, bool *lost);

#endif
