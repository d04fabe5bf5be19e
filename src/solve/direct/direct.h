/* All equality rows of a problem as one sparse system (docs/direct.md; SOLVERS.md, `direct`; Baraff 1996).
 *
 * In scaled velocities v = v* + F z, F F^T = M^-1, impulses lambda with J M^-1 J^T lambda + softness lambda = wanted
 * solve
 *
 *   [ 1     (J F)^T ] [  z      ]   [ 0      ]
 *   [ J F   -S      ] [ -lambda ] = [ wanted ],    S = softness,
 *
 * a quasi-definite system with a factor L D L^T for any order. Leaf to root on trees there is no fill and linear time;
 * where blocks close loops the order is that of AMD when it is cheaper. The symbolic phase is kept until the graph
 * changes. Rows that depend on others (small pivots) are redundant: epsilon joins S, the least impulses in a sensible
 * norm are given, and the rows are marked. The same problem gives the same bits, whatever was factored before. */
#ifndef ASHI_SOLVE_DIRECT_H
#define ASHI_SOLVE_DIRECT_H

#include "problem/system.h"

typedef struct ashi_direct ashi_direct;

/* Null when memory ran out. */
ashi_direct *ashi_direct_create(void);
void ashi_direct_destroy(ashi_direct *direct);

/* Factors the system of the equality rows (infinite bounds) in the plain blocks of an island or (null) of the whole
 * problem. No allocation while the graph stays the same. False when memory ran out. */
bool ashi_direct_factor(ashi_direct *direct, const ashi_system *problem, const ash_problem_island *island);

/* Factors a problem again in which nothing but numbers have changed since its last factor: the graph is not looked for
 * again. False when memory ran out. */
bool ashi_direct_factor_again(ashi_direct *direct, const ashi_system *problem);

/* Impulses that change the rows' speeds by `wanted` (softness included), with refinements; both by number of the row in
 * the problem; other rows' entries are not touched. `change`, by body of the problem, receives M^-1 J^T impulse of the
 * island's bodies (null: not wanted). Returns the largest |J M^-1 J^T impulse + softness impulse - wanted| left. */
double ashi_direct_solve(ashi_direct *direct, const double *wanted, double *impulse, ash_motion *change);
/* The same by one substitution, nearly exact, for iterations that look at the result themselves; with refinements where
 * rows depend on each other. */
void ashi_direct_solve_quickly(ashi_direct *direct, const double *wanted, double *impulse, ash_motion *change);

/* Of the last factor: rows in it, and how many of them are independent. */
uint32_t ashi_direct_rows(const ashi_direct *direct);
uint32_t ashi_direct_rank(ashi_direct *direct);
/* Whether a row (by its number in the problem) depends on others before it in the order of elimination, and whether its
 * impulse is determined: a row in no dependency is. The first such question after a factor with small pivots costs some
 * solves for each of them; without any it costs nothing. */
bool ashi_direct_is_redundant(ashi_direct *direct, uint32_t row);
bool ashi_direct_is_determined(ashi_direct *direct, uint32_t row);

/* How often the symbolic phase ran so far. */
uint32_t ashi_direct_patterns(const ashi_direct *direct);
/* Bytes that its factor takes. */
size_t ashi_direct_size(const ashi_direct *direct);
/* Multiplications of all factors and solutions so far, about. */
uint64_t ashi_direct_operations(const ashi_direct *direct);

#endif
