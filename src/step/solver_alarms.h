/* Alarms that a solve raises, or contacts after a step. */
#ifndef ASHI_STEP_SOLVER_ALARMS_H
#define ASHI_STEP_SOLVER_ALARMS_H

#include "step/step.h"

/* Flags a solver that failed, friction that it does not know, and penalty contacts too stiff for the step. */
void ashi_note_solver(ashi_step *step, const ash_solve_result *result);

/* Flags solvers that leave more open than weights gain in a step, in many steps in a row. */
void ashi_note_sinking(ashi_step *step);
/* Flags shapes that have sunk into each other by half of the thinner one, as they may come out on the other side, or
 * that stay in each other by a tenth: contacts that yield carry a load, or the solver is not up to it. */
void ashi_note_overlap(ashi_step *step);
/* Flags bodies that met others on their way through the part, by the collision's impacts, and are past them at its
 * end. */
void ashi_note_passed(ashi_step *step);

#endif
