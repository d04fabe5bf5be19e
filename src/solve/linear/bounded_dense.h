/* Small quadratic problems within bounds, with a dense matrix:
 *
 *   minimize  d S d / 2 + g d   for   lower <= x + d <= upper,
 *
 * S symmetric and positive semidefinite, with diagonal entries of about 1. */
#ifndef ASHI_SOLVE_BOUNDED_DENSE_H
#define ASHI_SOLVE_BOUNDED_DENSE_H

#include "base/arena.h"

typedef struct ashi_bounded_dense {
    uint32_t count;
    const double *matrix;        /* S, count x count */
    const double *gradient;      /* g, at x */
    const double *x;             /* within its bounds */
    const double *lower, *upper; /* infinite: none */
    double *step;                /* out: d */
    enum ashi_bounded_end {
        ASHI_BOUNDED_SOLVED,
        ASHI_BOUNDED_LOST, /* no end was found; d is not set */
        ASHI_BOUNDED_NO_MEMORY
    } end;
    uint32_t factors; /* out: how many were made */
} ashi_bounded_dense;

/* Finds d. The matrix is made regular by 1e-9 of its diagonal: where that matters, solve again from x + d. */
void ashi_bounded_dense_solve(ashi_bounded_dense *problem, ashi_arena *scratch);

#endif
