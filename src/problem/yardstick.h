/* The yardstick: the same measure for every solver (SOLVERS.md, docs/yardstick.md). */
#ifndef ASHI_PROBLEM_YARDSTICK_H
#define ASHI_PROBLEM_YARDSTICK_H

#include "problem/patch.h"

/* Bytes of working memory for measuring an island or (null) the whole problem. */
size_t ashi_yardstick_room(const ashi_system *problem, const ash_problem_island *island);

/* Judges the impulses in the rows, for one island or (null) the whole problem; `velocity` must be theirs
 * (ashi_system_velocities). Neither is changed. `work` has ashi_yardstick_room bytes, aligned to 64. */
void ashi_yardstick_measure(const ashi_system *problem, const ash_problem_island *island, const ashi_law *law,
                            void *work, ash_yardstick *yardstick);

/* The same in parts, for a solver that already has some of the data. */
typedef struct ashi_measuring {
    const ashi_system *problem;
    ash_problem_island island;
    const ashi_law *law;
    uint32_t first_row, row_count; /* of the island's blocks */
    ashi_patches patches;
    ashi_wide_motion *change;   /* of the island's bodies: impulses by lambda' - lambda, then what these change */
    struct ashi_kept_row *kept; /* by row of the island */
    ashi_judgement found;
} ashi_measuring;

/* Places `patches` in the memory; ashi_patches_find must follow, then responses and impulses must be set, ... */
ashi_measuring ashi_yardstick_begin(const ashi_system *problem, const ash_problem_island *island, const ashi_law *law,
                                    void *work);
/* The same in scratch memory. False when memory ran out. */
bool ashi_yardstick_take(const ashi_system *problem, const ash_problem_island *island, const ashi_law *law,
                         ashi_arena *scratch, ashi_measuring *measuring);
/* ... all of which this function does. */
void ashi_yardstick_read(ashi_measuring *measuring);
/* Judges the final impulses and velocities. Returns how many blocks were judged. */
uint32_t ashi_yardstick_end(ashi_measuring *measuring, ash_yardstick *yardstick);

#endif
