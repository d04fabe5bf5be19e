/* The yardstick: the same measure for every solver (SOLVERS.md, docs/yardstick.md). */
#ifndef ASHI_PROBLEM_YARDSTICK_H
#define ASHI_PROBLEM_YARDSTICK_H

#include "problem/law.h"

/* Judges the impulses in the rows, for one island or (null) the whole problem; `velocity` must be theirs
 * (ashi_problem_velocities). Neither is changed. `work` has room for the island's bodies (all bodies). `theta` may be
 * left out: it costs as much again. */
void ashi_yardstick_measure(const ash_problem *problem, const ash_problem_island *island, const ashi_law *law,
                            ash_motion *work, bool with_theta, ash_yardstick *yardstick);

#endif
