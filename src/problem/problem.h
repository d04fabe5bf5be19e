/* Public problems inside the library: their memory, and the way to its own form (system.h) and back. */
#ifndef ASHI_PROBLEM_PROBLEM_H
#define ASHI_PROBLEM_PROBLEM_H

#include "problem/system.h"

/* Room for that many; counts stay. False when there is no memory. */
bool ashi_public_reserve(ash_problem *problem, uint32_t bodies, uint32_t blocks, uint32_t rows, uint32_t islands);
bool ashi_public_reserve_contacts(ash_problem *problem, uint32_t contacts, uint32_t points, uint32_t turns);
void ashi_public_release(ash_problem *problem);
bool ashi_public_copy(ash_problem *to, const ash_problem *from);

/* The same problem in the library's form, its contacts not written out in blocks. False when memory ran out. */
bool ashi_system_of(ashi_system *to, const ash_problem *from);
/* The same with its contacts written out in blocks. */
bool ashi_system_by_rows(ashi_system *to, const ash_problem *from);
/* And back: all of it except for the rows of contacts, which its points have. False when memory ran out; never where
 * `to` has been as large before. */
bool ashi_public_of(ash_problem *to, const ashi_system *from);

/* Writes the rows of a point (by number) of a contact; returns how many. */
uint32_t ashi_public_point_rows(const ash_problem *problem, const ash_problem_contact *contact, uint32_t point,
                                ash_problem_row *rows);

#endif
