/* Biconjugate gradients (Fletcher 1976), as Faure has them: for A x = b they go along p with the residual r, beside
 * them a shadow of both with A^T. The shadow begins with A r; for a symmetric A the loop then makes |A x - b| as small
 * as it can with each step, which is also how it copes with an indefinite or singular matrix.
 *
 * The caller multiplies, and keeps x and r. */
#ifndef ASHI_SOLVE_BICONJUGATE_H
#define ASHI_SOLVE_BICONJUGATE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ashi_biconjugate {
    uint32_t count;
    double *left, *shadow, *direction, *shadow_direction; /* r and p, and their shadows */
    double size;                                          /* shadow . r */
} ashi_biconjugate;

enum { ASHI_BICONJUGATE_VECTORS = 4 };

/* Where the vectors are, in memory for that many. */
void ashi_biconjugate_init(ashi_biconjugate *b, double *memory, uint32_t count);
/* Begins at the residual in `left`; `reply` is A r. */
void ashi_biconjugate_begin(ashi_biconjugate *b, const double *reply);
/* How far to go along `direction`, by gain = A p; 0: there is nothing to be gained. */
double ashi_biconjugate_length(const ashi_biconjugate *b, const double *gain);
/* Turns both directions, after the step: `left` is the residual there, `shadow_gain` A^T of the shadow direction. */
void ashi_biconjugate_turn(ashi_biconjugate *b, double length, const double *shadow_gain);

#endif
