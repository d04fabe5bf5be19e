/* Impacts at an instant: velocities change, positions do not. */
#ifndef ASHI_STEP_INSTANT_H
#define ASHI_STEP_INSTANT_H

#include "step/step.h"

/* Solves the contacts within `reach` at an instant, by the method's laws and order of impacts: the velocities of `now`
 * change. `count` receives how many contacts approached faster than `least` (m/s); when there is none, velocities stay.
 * False when memory ran out. */
bool ashi_step_instant(ashi_step *step, double reach, double least, uint32_t *count);

#endif
