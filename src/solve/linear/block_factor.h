/* Sparse systems of 6x6 blocks, one row and column of blocks a body: Cholesky for symmetric positive definite ones, LU
 * for others of the same, symmetric pattern.
 *
 * The pattern (an order that keeps fill low, and where the factor has blocks) depends only on which bodies are coupled.
 * It outlives a solve: while the couplings stay the same it is not rebuilt. */
#ifndef ASHI_SOLVE_BLOCK_FACTOR_H
#define ASHI_SOLVE_BLOCK_FACTOR_H

#include "base/arena.h"

#define ASHI_BLOCK      6
#define ASHI_BLOCK_SIZE 36 /* entries by rows */

/* What a factor may need: blocks (288 bytes, twice for LU) and products of blocks (some 50 ns each). */
#define ASHI_MOST_BLOCKS   (1u << 20)
#define ASHI_MOST_PRODUCTS 40000000u

typedef struct ashi_block_pair {
    uint32_t a, b; /* numbers of bodies, a != b */
} ashi_block_pair;

/* "Place" is a body's position in the order of elimination. Zeroed: empty. */
typedef struct ashi_block_pattern {
    uint32_t count, blocks; /* bodies; blocks below the diagonal */
    uint64_t products;      /* of blocks that a factorization takes */
    bool too_large;         /* a factor would take more memory or time than is sensible: there is no order */
    uint32_t *order;        /* by place: the body */
    uint32_t *place;        /* by body */
    uint32_t *column;       /* by place, count + 1 entries: a column's first block below the diagonal */
    uint32_t *row;          /* by block: place of its row; ascending in a column */
    uint32_t *left;         /* by place, count + 1 entries: first of a row's blocks left of the diagonal */
    uint32_t *left_column;  /* column and number of those blocks, ascending by column */
    uint32_t *left_block;
    ashi_block_pair *pairs; /* what the pattern was made from */
    uint32_t pair_count;
    uint32_t *memory; /* behind all of these */
    size_t room;
} ashi_block_pattern;

/* The pattern of `count` bodies with these couplings (repeated ones are welcome); kept when it is that already. False
 * when memory ran out: the pattern is empty then. */
bool ashi_block_pattern_fit(ashi_block_pattern *pattern, uint32_t count, const ashi_block_pair *pairs,
                            uint32_t pair_count, ashi_arena *scratch);
void ashi_block_pattern_release(ashi_block_pattern *pattern);
/* The number of the block that couples two bodies. Its row belongs to the body that comes later in the order. */
uint32_t ashi_block_pattern_find(const ashi_block_pattern *pattern, uint32_t a, uint32_t b);

/* A matrix, then its factor in the same place. Blocks of body pairs: `lower[k]` has the row of the later body,
 * `upper[k]` that of the earlier one. Diagonal blocks are by place. */
typedef struct ashi_block_factor {
    const ashi_block_pattern *pattern;
    double (*diagonal)[ASHI_BLOCK_SIZE];
    double (*lower)[ASHI_BLOCK_SIZE];
    double (*upper)[ASHI_BLOCK_SIZE]; /* not used by Cholesky */
    uint32_t *where;                  /* by place: block of the column at work */
    double *solution;                 /* in the order of places */
} ashi_block_factor;

/* Memory for a factor from an arena; false when there is none. */
bool ashi_block_factor_make(ashi_block_factor *factor, const ashi_block_pattern *pattern, ashi_arena *arena);
void ashi_block_factor_clear(ashi_block_factor *factor, bool with_upper);

/* A = L L^T from the diagonal (lower triangle used) and lower blocks. False when A is not positive definite. */
bool ashi_block_cholesky(ashi_block_factor *factor);
/* A = (1 + L) (D + U) by blocks, with the inverses of D kept; pivots are sought within diagonal blocks. False when one
 * of these is singular. */
bool ashi_block_lu(ashi_block_factor *factor);
/* x = A^-1 x, six numbers a body, in the order of bodies. */
void ashi_block_cholesky_solve(const ashi_block_factor *factor, double *x);
void ashi_block_lu_solve(const ashi_block_factor *factor, double *x);

#endif
