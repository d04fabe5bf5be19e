/* First guesses of solves. */
#ifndef ASHI_SOLVE_FIRST_GUESS_H
#define ASHI_SOLVE_FIRST_GUESS_H

#include "problem/system.h"

/* A first guess that is not finite is none; impulses are looked at where `finite` of the problem is not set. False when
 * the predicted velocities are not finite, either. */
bool ashi_first_guess_check(ashi_system *problem, const ash_problem_island *island);

/* Makes a guess that is worse than none shorter, or none. `velocity` is that of the guess, before and after. */
void ashi_first_guess_shorten(ashi_system *problem, const ash_problem_island *island);

#endif
