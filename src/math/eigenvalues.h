/* Eigenvalues of dense real matrices, for sizes whose cube is affordable. */
#ifndef ASHI_MATH_EIGENVALUES_H
#define ASHI_MATH_EIGENVALUES_H

#include <stdbool.h>
#include <stdint.h>

/* Of a symmetric matrix (count x count; its lower triangle is looked at), ascending. The matrix is overwritten; `work`
 * has count doubles. Errors are of the size of rounding times the largest value. False when an entry is not finite. */
bool ashi_eigenvalues_symmetric(uint32_t count, double *matrix, double *values, double *work);

/* Of any square matrix, in no particular order, conjugate pairs side by side. The matrix is overwritten; `work` has
 * twice count doubles. False when an entry is not finite, or when the iteration did not end. */
bool ashi_eigenvalues_general(uint32_t count, double *matrix, double *real, double *imaginary, double *work);

#endif
