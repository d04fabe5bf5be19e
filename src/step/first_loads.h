/* Loads of bodies that stand still from the start, by an exact solution. */
#ifndef ASHI_STEP_FIRST_LOADS_H
#define ASHI_STEP_FIRST_LOADS_H

#include "step/step.h"

/* Writes forces to the contact points that are `unheld`, as the part of length h begins: those that make it exact.
 * *found: they were. False when memory ran out. */
bool ashi_first_loads_find(ashi_step *step, double h, double reach, const bool *unheld, bool *found);

#endif
