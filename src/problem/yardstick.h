/* The yardstick: the same measure for every solver (SOLVERS.md, docs/yardstick.md). */
#ifndef ASHI_PROBLEM_YARDSTICK_H
#define ASHI_PROBLEM_YARDSTICK_H

#include "problem/patch.h"

/* Bytes of work memory that measuring an island, or (null) the whole problem, takes. */
size_t ashi_yardstick_room(const ash_problem *problem, const ash_problem_island *island);

/* Judges the impulses in the rows, for one island or (null) the whole problem; `velocity` must be theirs
 * (ashi_problem_velocities). Neither is changed. `work` has ashi_yardstick_room bytes, aligned for doubles. */
void ashi_yardstick_measure(const ash_problem *problem, const ash_problem_island *island, const ashi_law *law,
                            void *work, ash_yardstick *yardstick);

/* The same of an island whose patches a solver has made, with their impulses; all other blocks are looked at in the
 * problem. `work` has ashi_yardstick_rest_room bytes. Returns how many blocks were judged. */
size_t ashi_yardstick_rest_room(const ash_problem *problem, const ash_problem_island *island);
uint32_t ashi_yardstick_measure_patched(const ash_problem *problem, const ash_problem_island *island,
                                        const ashi_law *law, const ashi_patches *patches, void *work,
                                        ash_yardstick *yardstick);

#endif
