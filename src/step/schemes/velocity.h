/* The scheme `velocity`, whose stages others build on. */
#ifndef ASHI_STEP_SCHEMES_VELOCITY_H
#define ASHI_STEP_SCHEMES_VELOCITY_H

#include "step/scheme.h"

/* The integrator's free motion over step->h. */
bool ashi_velocity_move(ashi_step *step);
/* Contacts to be solved, or joints. */
bool ashi_velocity_holds(const ashi_step *step);
/* Free motion over h, then contacts and joints; `corrects`: then positions are projected, too. */
bool ashi_velocity_stage(ashi_step *step, double h, double reach, bool corrects);

/* What `hold` (as ashi_hold) does on `next`, and what that changes of the forces' works: free motion has recorded its
 * own. False when memory ran out. */
bool ashi_scheme_hold(ashi_step *step, double h, double reach, bool (*hold)(ashi_step *, double, double));

#endif
