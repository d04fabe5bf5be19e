/* The solvers `full-dense` and `structured-dense` (Faure's table of costs): A = J M^-1 J^T of all rows, or of those
 * that a forest leaves, made row by row, and factored.
 *
 * Without bounds that is one Cholesky factor with pivots (rank_factor.h), which serves every refinement; with bounds,
 * block principal pivoting (bounded_dense.h), which makes a factor for each set of rows at their bounds. Time grows
 * with the cube of the rows, memory with the square, so there is a limit on both; beyond it, and where pivoting finds
 * no end, the rows are left to gradients, and ASH_SOLVE_REPLACED says so. */
#include "solve/linear/bounded_dense.h"
#include "solve/linear/rank_factor.h"
#include "solve/structured/structured.h"

#define MOST_ROWS  2048 /* of a matrix */
#define REFINEMENT 6    /* solutions at most: each leaves some 1e-9 of the error, mostly less */

/* A, row by row. False when memory ran out. */
static bool make_matrix(ashi_structured *s)
{
    s->matrix = ashi_arena_take_array(s->solve->scratch, (size_t)s->count * s->count, sizeof *s->matrix);
    if (s->matrix == NULL)
        return false;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t k = 0; k < s->count; k++)
            s->direction[k] = k == i ? 1 : 0;
        ashi_structured_multiply(s, s->direction, &s->matrix[(size_t)i * s->count]);
    }
    s->solve->visits += (uint64_t)s->count * s->solve->island->block_count;
    return true;
}

/* Within bounds. `lost`: no end was found. False when memory ran out. */
static bool pivot(ashi_structured *s, bool *lost)
{
    ashi_arena *scratch = s->solve->scratch;
    double *bounds = ashi_arena_take_array(scratch, 2 * (size_t)s->count, sizeof *bounds);
    if (bounds == NULL || (s->matrix == NULL && !make_matrix(s)))
        return false;
    for (uint32_t i = 0; i < s->count; i++) {
        bounds[i] = s->loose[i].lower;
        bounds[s->count + i] = s->loose[i].upper;
    }
    ashi_bounded_dense dense = {.count = s->count,
                                .matrix = s->matrix,
                                .gradient = s->gradient,
                                .x = s->x,
                                .lower = bounds,
                                .upper = bounds + s->count,
                                .step = s->direction};
    ashi_bounded_dense_solve(&dense, scratch);
    s->solve->visits += (uint64_t)dense.factors * s->count * s->count / 64;
    *lost = dense.end != ASHI_BOUNDED_SOLVED;
    if (!*lost) {
        ashi_structured_multiply(s, s->direction, s->product);
        ashi_structured_go(s, s->direction, 1);
    }
    return dense.end != ASHI_BOUNDED_NO_MEMORY;
}

bool ashi_structured_solve_densely(ashi_structured *s)
{
    bool lost;
    return pivot(s, &lost);
}

/* Through the factor of A, which the first call makes in its place. */
static bool substitute(ashi_structured *s, ashi_rank_factor *factor)
{
    if (s->matrix == NULL) {
        *factor = (ashi_rank_factor){.count = s->count};
        factor->order = ashi_arena_take_array(s->solve->scratch, s->count, sizeof *factor->order);
        factor->work = ashi_arena_take_array(s->solve->scratch, s->count, sizeof *factor->work);
        if (factor->order == NULL || factor->work == NULL || !make_matrix(s))
            return false;
        factor->matrix = s->matrix;
        s->solve->visits += ashi_rank_factor_make(factor) / ASHI_OF_A_VISIT;
    }
    for (uint32_t i = 0; i < s->count; i++)
        s->gradient[i] = -s->gradient[i];
    s->solve->visits += ashi_rank_factor_solve(factor, s->gradient, s->direction) / ASHI_OF_A_VISIT;
    ashi_structured_multiply(s, s->direction, s->product);
    ashi_structured_go_freely(s, s->direction, 1);
    return true;
}

static bool is_too_large(const ashi_structured *s)
{
    const ashi_solve *solve = s->solve;
    uint64_t n = s->count, visits = n * n * n / 6 / ASHI_OF_A_VISIT;
    return n > MOST_ROWS || visits > solve->most_visits - solve->visits;
}

bool ashi_structured_by_matrix(ashi_structured *s)
{
    ashi_rank_factor factor = {0};
    ashi_solve *solve = s->solve;
    bool lost = is_too_large(s);
    if (lost) {
        solve->flags |= ASH_SOLVE_TOO_LARGE | ASH_SOLVE_REPLACED;
        return ashi_structured_by_gradients(s);
    }
    for (uint32_t turn = 0; turn < REFINEMENT && !lost; turn++) {
        if (!ashi_structured_goes_on(s, true))
            return true;
        ashi_structured_gradient(s);
        if (!(s->bounded ? pivot(s, &lost) : substitute(s, &factor)))
            return false;
        ashi_structured_hold(s); /* what rounding left of the forest's rows */
    }
    if (lost)
        solve->flags |= ASH_SOLVE_REPLACED;
    return lost ? ashi_structured_by_gradients(s) : (ashi_structured_goes_on(s, true), true);
}
