/* Caps on speeds (Gribel 2009, 3: against tunnelling; Erleben 2007, 6.2: against deep overlap). */
#ifndef ASHI_STEP_CAPS_H
#define ASHI_STEP_CAPS_H

#include "step/step.h"

/* At the end of a step: limits the velocities and spins of dynamic bodies to the method's caps. The energy that this
 * removes is recorded as dampers' work. */
void ashi_cap_speeds(ashi_step *step);

#endif
