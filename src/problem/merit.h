/* Erleben's merit function of the system that a solver works on (docs/convergence.md). */
#ifndef ASHI_PROBLEM_MERIT_H
#define ASHI_PROBLEM_MERIT_H

#include "problem/law.h"

/* theta of A + gamma I, or of D^-1/2 A D^-1/2 + gamma I when `scaled`, then in J; for one island or (null) the whole
 * problem: for the impulses in the rows and the velocities that belong to them. */
double ashi_merit(const ashi_system *problem, const ash_problem_island *island, const ashi_law *law, double gamma,
                  bool scaled);

#endif
