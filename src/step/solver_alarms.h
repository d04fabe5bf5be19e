/* Alarms that a solve raises, or contacts after a step. */
#ifndef ASHI_STEP_SOLVER_ALARMS_H
#define ASHI_STEP_SOLVER_ALARMS_H

#include "step/step.h"

/* Flags a solver that failed, friction that it does not know, and penalty contacts too stiff for the step. */
void ashi_note_solver(ashi_step *step, const ash_solve_result *result);

/* Flags shapes that have sunk into each other by half of the thinner one: they may come out on the other side. */
void ashi_note_overlap(ashi_step *step);

#endif
