/* Problem files of version 1 have contacts by their rows. */
#ifndef ASHI_SCENE_PROBLEM_VERSION1_H
#define ASHI_SCENE_PROBLEM_VERSION1_H

#include "ashlar/problem.h"

/* A contact point by its rows: the normal's, the tangents', and those of rolling and spinning. */
typedef struct ashi_point_by_rows {
    ash_problem_block block;
    uint8_t tangents, rollings, spins;
    double friction, sliding_friction, rolling, spinning;
    double friction_limit, rebound;
    ash_problem_row row[ASH_POINT_ROWS];
} ashi_point_by_rows;

/* Whether the rows are those of one point of both bodies. */
bool ashi_rows_are_of_point(const ash_problem *problem, const ashi_point_by_rows *from);
/* Adds the point to the problem's contacts: to the newest one if it has the same directions and materials. False when
 * memory ran out. */
bool ashi_add_point_by_rows(ash_problem *problem, const ashi_point_by_rows *from);

#endif
