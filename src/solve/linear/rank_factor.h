/* A Cholesky factor with pivots of a symmetric positive semidefinite matrix: L L^T = P S P^T, as far as its rank goes.
 *
 * Rows that depend on the others get no part in the solution; what they ask for is met if the others' can meet it. */
#ifndef ASHI_SOLVE_RANK_FACTOR_H
#define ASHI_SOLVE_RANK_FACTOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct ashi_rank_factor {
    uint32_t count;
    double *matrix;  /* S, count x count; its lower triangle becomes L, in the order of pivots */
    uint32_t *order; /* out: row by place */
    double *work;    /* count */
    uint32_t rank;   /* out */
} ashi_rank_factor;

/* Factors the matrix. Returns the multiplications that it took. */
uint64_t ashi_rank_factor_make(ashi_rank_factor *factor);
/* x with S x = b. Returns the multiplications that it took. */
uint64_t ashi_rank_factor_solve(const ashi_rank_factor *factor, const double *b, double *x);

#endif
