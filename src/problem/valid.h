/* Whether counts, indices and numbers of a problem from outside make sense. */
#ifndef ASHI_PROBLEM_VALID_H
#define ASHI_PROBLEM_VALID_H

#include "ashlar/problem.h"

/* The diagnostic names the first fault. */
bool ashi_problem_is_valid(const ash_problem *problem, ash_diagnostic *diagnostic);
/* Whether it can be an inverse inertia: without negative eigenvalues. */
bool ashi_sym3_is_semidefinite(ash_sym3 matrix);

#endif
