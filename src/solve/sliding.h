/* Static and sliding friction for solvers that use one coefficient. A contact starts with the coefficient that its slip
 * at the start of the step allows. If with static friction it slips faster than the stick speed, it slides: it is
 * solved again with the sliding coefficient (Gribel 2009, (32)-(33)). The contacts of two bodies start to slide
 * together: on a face, friction impulses at single points are not unique, and a single one at its bound has no meaning.
 */
#ifndef ASHI_SOLVE_SLIDING_H
#define ASHI_SOLVE_SLIDING_H

#include "problem/law.h"

/* Whether the block is a contact with two coefficients. */
bool ashi_sliding_matters(const ashi_block *block);

/* Switches contacts that slip under static friction to the sliding coefficient. True when there are any. */
bool ashi_sliding_begins(ashi_system *problem, const ashi_law *law, const ash_problem_island *island);

#endif
