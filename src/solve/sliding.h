/* Static and sliding friction for solvers that know one coefficient. A contact starts with the coefficient that its
 * slip at the start of the step allows. Where it comes out slipping faster than the stick speed by static friction, it
 * slides: it is solved again with the sliding coefficient (Gribel 2009, (32)-(33)). The contacts of two bodies give way
 * together: of a face, friction impulses at single points are not unique, and one of them at its bound means nothing.
 */
#ifndef ASHI_SOLVE_SLIDING_H
#define ASHI_SOLVE_SLIDING_H

#include "problem/law.h"

/* Whether the block is a contact with two coefficients. */
bool ashi_sliding_matters(const ashi_block *block);

/* Switches contacts that slip under static friction to the sliding coefficient. True when there are any. */
bool ashi_sliding_begins(ashi_system *problem, const ashi_law *law, const ash_problem_island *island);

#endif
