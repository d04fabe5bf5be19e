/* Faure's solutions of articulated solids, inside: the rows of a forest, all others, and what both do to the bodies.
 *
 * The five solvers of the family differ in whether a forest is eliminated, and in what finds the forces of the rows
 * that are left: `structured` (forest, projected conjugate gradients), `biconjugate` (forest, Faure's own gradients and
 * active set), `structured-dense` (forest, a dense matrix), `full-iterative` and `full-dense` (no forest). */
#ifndef ASHI_SOLVE_STRUCTURED_H
#define ASHI_SOLVE_STRUCTURED_H

#include "solve/direct/direct.h"
#include "solve/solve.h"

/* A row that is not the forest's, in the scale in which its own response is 1: x = impulse / scale. */
typedef struct ashi_loose_row {
    uint32_t block, row;
    double scale;
    double lower, upper; /* of x */
} ashi_loose_row;

typedef struct ashi_structured {
    ashi_solve *solve;
    ashi_system *problem;
    ashi_system tree; /* the problem with the blocks of the forest only */
    ash_problem_island tree_island;
    ashi_direct *factor;
    ash_solver_settings own; /* of the solve, without a tolerance: where the yardstick asks for friction */
    uint32_t count;
    bool eliminates; /* there is a forest, if there are joints; else all rows are loose */
    bool bounded;    /* some loose row is */
    bool ignores;    /* some contact has friction, of which nothing is solved */
    ashi_loose_row *loose;
    double *x, *gradient, *direction, *product; /* by loose row */
    /* of the last product: what the direction does to the bodies, and the forest's impulses in it */
    ash_motion *motion, *change; /* by body of the problem; the island's are used */
    double *wanted, *held;       /* by row of the problem; the island's are used */
    double *matrix;              /* A by rows; null: not made yet */
} ashi_structured;

/* Makes the forest's rows hold. */
void ashi_structured_hold(ashi_structured *s);
/* product = A x, with the motions and the forest's impulses that go with x. */
void ashi_structured_multiply(ashi_structured *s, const double *x, double *product);
/* Goes `times` along what was multiplied last, no row beyond its bounds by rounding. */
void ashi_structured_go(ashi_structured *s, const double *along, double times);
/* The same, bounds or not. */
void ashi_structured_go_freely(ashi_structured *s, const double *along, double times);
/* gradient = A x + b */
void ashi_structured_gradient(ashi_structured *s);
bool ashi_structured_is_free(const ashi_structured *s, uint32_t row);
/* What a row at its bound wants of its gradient: to leave. */
double ashi_structured_release(const ashi_structured *s, uint32_t row);
/* Whether to go on: by the yardstick or, where that asks for friction, by the error without it, now
 * or when it is due. */
bool ashi_structured_goes_on(ashi_structured *s, bool now);

/* structured_dense.c: the rows that are loose, all at once. False when memory ran out. */
bool ashi_structured_solve_densely(ashi_structured *s);
/* The loops of the solvers, from bodies that the forest holds. False when memory ran out. */
bool ashi_structured_by_gradients(ashi_structured *s);
bool ashi_structured_by_matrix(ashi_structured *s);
bool ashi_structured_by_biconjugates(ashi_structured *s);

#endif
