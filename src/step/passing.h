/* Contacts within the margin that free motion never closes because their shapes pass each other. */
#ifndef ASHI_STEP_PASSING_H
#define ASHI_STEP_PASSING_H

#include "step/step.h"

/* Which contact points of `now` are to be left out of the problem, by number, after free motion over h has written
 * `next`: those of step->leaves, and those of shapes that pass each other. Null in *leaves: none. Contacts with a gap
 * above `reach` are ignored. False when memory ran out. */
bool ashi_passing_note(ashi_step *step, double h, double reach, const bool **leaves);

#endif
