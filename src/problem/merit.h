/* Erleben's merit function of the diagonally scaled problem (docs/convergence.md). */
#ifndef ASHI_PROBLEM_MERIT_H
#define ASHI_PROBLEM_MERIT_H

#include "problem/law.h"

/* theta of D^-1/2 A D^-1/2, J, for one island or (null) the whole problem: of the impulses in the rows and the
 * velocities, which must be theirs. */
double ashi_merit_scaled(const ash_problem *problem, const ash_problem_island *island, const ashi_law *law);

#endif
