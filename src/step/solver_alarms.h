/* Alarms that a solve raises, or contacts after a step. */
#ifndef ASHI_STEP_SOLVER_ALARMS_H
#define ASHI_STEP_SOLVER_ALARMS_H

#include "step/step.h"

/* Flags a solver that failed, friction that it does not know, and penalty contacts too stiff for the step. */
void ashi_note_solver(ashi_step *step, const ash_solve_result *result);

/* Flags shapes that have sunk into each other by half of the thinner one: they may come out on the other side. */
void ashi_note_overlap(ashi_step *step);
/* Of a scheme in which overlap stays as long as bodies are pressed: flags contacts that bear a load with more than a
 * tenth of the thinner shape inside the other. After the velocities of the problem are known. */
void ashi_note_pressed(ashi_step *step);

#endif
