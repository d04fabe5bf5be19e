/* A dense square matrix factored by elimination with row exchanges, and solutions refined to the accuracy of its data.
 */
#ifndef ASHI_SOLVE_DENSE_FACTOR_H
#define ASHI_SOLVE_DENSE_FACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ashi_dense_factor {
    uint32_t count;
    double *lower_upper; /* count x count: L below the diagonal, U above and on it */
    uint32_t *order;     /* the row of the matrix that is row i of L U */
} ashi_dense_factor;

/* Factors the matrix that is in `lower_upper`, in place. False when it is singular to working precision. */
bool ashi_dense_factor_make(ashi_dense_factor *factor);
/* x = A^-1 b; b and x must not overlap. */
void ashi_dense_factor_solve(const ashi_dense_factor *factor, const double *b, double *x);

/* b - sum a_i x_i with products and sums of twice the precision, rounded once. `at` picks entries of a (null: all). */
double ashi_exact_remainder(uint32_t count, const double *a, const uint32_t *at, const double *x, double b);

#endif
