/* First guesses of solves. */
#ifndef ASHI_SOLVE_FIRST_GUESS_H
#define ASHI_SOLVE_FIRST_GUESS_H

#include "problem/system.h"

/* Clears a first guess that is not finite; impulses are checked unless the problem's `finite` is set. False when the
 * predicted velocities are not finite either. */
bool ashi_first_guess_check(ashi_system *problem, const ash_problem_island *island);

/* Shortens or clears a guess that is worse than none. `velocity` is that of the guess, before and after. */
void ashi_first_guess_shorten(ashi_system *problem, const ash_problem_island *island);

#endif
