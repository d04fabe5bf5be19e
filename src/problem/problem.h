/* Public problems inside the library: their memory, and conversion to and from the internal form (system.h). */
#ifndef ASHI_PROBLEM_PROBLEM_H
#define ASHI_PROBLEM_PROBLEM_H

#include "problem/system.h"

/* Reserves capacity; counts do not change. False when there is no memory. */
bool ashi_public_reserve(ash_problem *problem, uint32_t bodies, uint32_t blocks, uint32_t rows, uint32_t islands);
bool ashi_public_reserve_contacts(ash_problem *problem, uint32_t contacts, uint32_t points, uint32_t turns);
void ashi_public_release(ash_problem *problem);
bool ashi_public_copy(ash_problem *to, const ash_problem *from);

/* The same problem in the library's form, its contacts not written out in blocks. False when memory ran out. */
bool ashi_system_of(ashi_system *to, const ash_problem *from);
/* The same with its contacts written out in blocks. */
bool ashi_system_by_rows(ashi_system *to, const ash_problem *from);
/* Converts back everything except the rows of contacts, since these are in the points. False when memory ran out; never
 * if `to` was as large before. */
bool ashi_public_of(ash_problem *to, const ashi_system *from);

/* Writes the rows of a point (by number) of a contact; returns how many. */
uint32_t ashi_public_point_rows(const ash_problem *problem, const ash_problem_contact *contact, uint32_t point,
                                ash_problem_row *rows);

#endif
