/* Contacts as rows, for solvers that work on rows: a block per point, with the rows of the normal, the tangents,
 * rolling and spinning.
 *
 * For a point with arms r = p - x from the bodies' centres and an axis x of its contact, a row is (-x, -r_a x x, x, r_b
 * x x); for rolling about the tangents and spinning about the normal it is (0, -x, 0, x). */
#ifndef ASHI_PROBLEM_EXPAND_H
#define ASHI_PROBLEM_EXPAND_H

#include "problem/law.h"

/* A point's block, with its rows; `first_row` has no meaning. */
typedef struct ashi_point_rows {
    ashi_block block;
    ashi_row row[ASHI_CONTACT_ROWS];
} ashi_point_rows;

/* The rows of a point (by number) of a contact. */
void ashi_point_expand(const ashi_system *problem, const ash_problem_contact *contact, uint32_t point,
                       ashi_point_rows *rows);

/* Adds blocks for the points of a contact (by number) at the end of the problem's. `wide`: uses instructions for four
 * doubles; the bits are the same. False when memory ran out. */
bool ashi_contact_expand(ashi_system *problem, uint32_t contact, bool wide);

/* A copy of the problem with its contacts written out as blocks, in each island after the others. */
bool ashi_system_expand(ashi_system *to, const ashi_system *from);

/* Copies the impulses of an expanded problem's blocks to points and turns by their numbers. */
void ashi_system_gather(const ashi_system *problem, ash_problem_point *points, ash_vec3 *turns);
void ashi_system_gather_to(ashi_system *to, ashi_system *expanded);

#endif
