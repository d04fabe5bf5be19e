/* Contacts by impulses, pair by pair: the scheme of Guendelman, Bridson & Fedkiw 2003 (`scheme` = passes). */
#ifndef ASHI_STEP_PASSES_H
#define ASHI_STEP_PASSES_H

#include "step/step.h"

/* Whether the step is taken in this way. */
bool ashi_passes_act(const ashi_step *step);

/* Collisions: impulses with restitution at the velocities of `now`, which they change, wherever bodies will overlap
 * that move by these and by the forces of the step, whose free motion over h is in `next`. Works are added to `work`.
 * `collided`: there were some, and free motion must be found again. False when memory ran out. */
bool ashi_passes_collide(ashi_step *step, double h, ashi_work *work, bool *collided);

/* Contact and shock propagation at the velocities of `next`, after free motion over h: `next` is corrected. The problem
 * of the contacts within `reach` is assembled, gets the impulses, and is measured. False when memory ran out. */
bool ashi_passes_hold(ashi_step *step, double h, double reach);

#endif
