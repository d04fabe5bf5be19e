/* Light bodies under tension: slows rotations that are too fast for an explicit step. */
#ifndef ASHI_PROBLEM_TENSION_H
#define ASHI_PROBLEM_TENSION_H

#include "model/forces.h"
#include "problem/system.h"

/* Raises the inertia of bodies in an assembled problem, for a step of length h from a state, if the joint forces of the
 * last step make them oscillate too fast for the step; and by a share `lag` of the effect of these forces in the step,
 * if positions lag behind velocities. False when memory ran out. */
bool ashi_system_slow_turning(ashi_system *problem, const ashi_model *model, const ashi_state *state, double h,
                              double lag, bool predicts, ashi_arena *scratch);

#endif
