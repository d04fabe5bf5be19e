/* Dense mixed linear complementarity problems, by Lemke's pivoting:
 *
 *   w = q + M z,   where free: w = 0, z of any sign;   elsewhere: z >= 0, w >= 0, z w = 0.
 *
 * A free variable whose row depends on those of other free ones is left out, its z zero. The matrix should be scaled so
 * that its diagonal is about 1 where it is not zero. */
#ifndef ASHI_SOLVE_COMPLEMENTARITY_H
#define ASHI_SOLVE_COMPLEMENTARITY_H

#include "base/arena.h"

typedef struct ashi_complementarity {
    uint32_t count;
    const double *matrix;   /* M by rows, count x count */
    const double *constant; /* q */
    const bool *free;
    const double *cover; /* > 0: the direction from which a solution is approached, in proportions of w */
    double deadline;     /* by ashi_seconds; 0: none */
    uint64_t most_work;  /* multiplications at most; 0: any number */
} ashi_complementarity;

typedef enum ashi_pivoting_end {
    ASHI_PIVOTING_SOLVED,
    ASHI_PIVOTING_RAY,      /* no solution was found; for copositive matrices there is none */
    ASHI_PIVOTING_LOST,     /* rounding led astray: no end, or what came out is no solution */
    ASHI_PIVOTING_LATE,     /* the deadline passed, or the work is done */
    ASHI_PIVOTING_NO_MEMORY /* the arena has none left */
} ashi_pivoting_end;

typedef struct ashi_pivoting_result {
    ashi_pivoting_end end;
    uint32_t pivots;
    uint64_t work; /* multiplications */
    double error;  /* largest violation of any condition, in units of the largest |q| */
} ashi_pivoting_result;

/* Finds z, which means something only when solved. */
ashi_pivoting_result ashi_complementarity_solve(const ashi_complementarity *problem, ashi_arena *scratch, double *z);

#endif
