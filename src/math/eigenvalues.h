/* Eigenvalues of dense real matrices; time grows with the cube of the size. */
#ifndef ASHI_MATH_EIGENVALUES_H
#define ASHI_MATH_EIGENVALUES_H

#include <stdbool.h>
#include <stdint.h>

/* The eigenvalues of a symmetric matrix (count x count; only its lower triangle is read), ascending. The matrix is
 * overwritten; `work` has count doubles. Errors are about the machine precision times the largest value. False when an
 * entry is not finite. */
bool ashi_eigenvalues_symmetric(uint32_t count, double *matrix, double *values, double *work);

/* The eigenvalues of any square matrix, in no particular order, conjugate pairs next to each other. The matrix is
 * overwritten; `work` has twice count doubles. False when an entry is not finite, or when the iteration did not end. */
bool ashi_eigenvalues_general(uint32_t count, double *matrix, double *real, double *imaginary, double *work);

#endif
