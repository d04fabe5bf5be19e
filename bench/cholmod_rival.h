/* CHOLMOD on the equality rows of a problem, in three ways. The symbolic phase is done once, beforehand. */
#ifndef BENCH_CHOLMOD_RIVAL_H
#define BENCH_CHOLMOD_RIVAL_H

#include "problem/system_types.h"

typedef enum bench_cholmod_way {
    BENCH_CHOLMOD_WHOLE,      /* bodies and rows together, quasi-definite: L D L^T, simplicial */
    BENCH_CHOLMOD_SIMPLICIAL, /* J M^-1 J^T: L L^T */
    BENCH_CHOLMOD_SUPERNODAL,
    BENCH_CHOLMOD_WAYS
} bench_cholmod_way;

typedef struct bench_cholmod bench_cholmod;

/* Null when memory ran out or the matrix would have more than `most` entries. All rows must be equalities. */
bench_cholmod *bench_cholmod_create(const ashi_system *problem, bench_cholmod_way way, size_t most);
void bench_cholmod_destroy(bench_cholmod *cholmod);
/* The numeric factor of the matrix, whose entries are there already. */
bool bench_cholmod_factor(bench_cholmod *cholmod);
/* `wanted` and `impulse` by row. */
bool bench_cholmod_solve(bench_cholmod *cholmod, const double *wanted, double *impulse);

#endif
