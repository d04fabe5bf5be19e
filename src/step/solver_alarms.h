/* Alarms that a solve raises. */
#ifndef ASHI_STEP_SOLVER_ALARMS_H
#define ASHI_STEP_SOLVER_ALARMS_H

#include "step/step.h"

/* Flags a solver that failed, friction that it does not know, and penalty contacts too stiff for the step. */
void ashi_note_solver(ashi_step *step, const ash_solve_result *result);

#endif
