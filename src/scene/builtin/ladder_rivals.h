/* Ways to solve a problem of equality rows only, J M^-1 J^T lambda = -(J v* + bias), to measure `structured` by. */
#ifndef ASHI_SCENE_BUILTIN_LADDER_RIVALS_H
#define ASHI_SCENE_BUILTIN_LADDER_RIVALS_H

#include "problem/problem.h"

/* Rows of a spanning forest of the blocks, and the rows of those that close loops. False when memory ran out. */
bool ashi_rival_count(const ash_problem *problem, uint32_t *acyclic, uint32_t *loops);

/* The impulses by row, to `tolerance` (m/s) where that means something, and the multiplications that it took, about.
 * False when memory ran out, or the matrix is singular. */
typedef bool (*ashi_rival)(const ash_problem *problem, double tolerance, double *impulse, double *operations);

bool ashi_rival_full_dense(const ash_problem *problem, double tolerance, double *impulse, double *operations);
bool ashi_rival_full_iterative(const ash_problem *problem, double tolerance, double *impulse, double *operations);
bool ashi_rival_structured_dense(const ash_problem *problem, double tolerance, double *impulse, double *operations);
/* The solver itself, from nothing: its symbolic phase counts as well. */
bool ashi_rival_structured(const ash_problem *problem, double tolerance, double *impulse, double *operations);

/* v* + M^-1 J^T lambda, by body. */
void ashi_rival_velocities(const ash_problem *problem, const double *impulse, ash_motion *velocity);

#endif
