/* The yardstick: the same measure for every solver (SOLVERS.md, docs/yardstick.md). */
#ifndef ASHI_PROBLEM_YARDSTICK_H
#define ASHI_PROBLEM_YARDSTICK_H

#include "problem/law.h"

/* Bytes of work memory that measuring an island, or (null) the whole problem, takes. */
size_t ashi_yardstick_room(const ash_problem *problem, const ash_problem_island *island);

/* Judges the impulses in the rows, for one island or (null) the whole problem; `velocity` must be theirs
 * (ashi_problem_velocities). Neither is changed. `work` has ashi_yardstick_room bytes, aligned for doubles. `theta` may
 * be left out: it takes some time. */
void ashi_yardstick_measure(const ash_problem *problem, const ash_problem_island *island, const ashi_law *law,
                            void *work, bool with_theta, ash_yardstick *yardstick);

#endif
