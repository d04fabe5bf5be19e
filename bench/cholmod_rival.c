/* CHOLMOD beside our direct solver of equality rows: the matrix as CHOLMOD likes it, its factor, its solution. */
#include "cholmod_rival.h"

#include "problem/system.h"
#include "solve/linear/body_root.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

struct bench_cholmod {
    cholmod_common common;
    cholmod_sparse *matrix; /* upper triangle */
    cholmod_factor *factor;
    cholmod_dense *right, *solution, *work[2];
    uint32_t row_count, first; /* where rows begin in the matrix */
};

/* J F: one row a column, six entries for each body that can move. */
static cholmod_sparse *scaled_rows(const ashi_system *p, cholmod_common *common)
{
    uint32_t movable = p->body_count - p->fixed_count;
    cholmod_triplet *entries =
        cholmod_allocate_triplet(6 * (size_t)movable, p->row_count, 12 * (size_t)p->row_count, 0, CHOLMOD_REAL, common);
    if (!entries)
        return NULL;
    for (uint32_t k = 0; k < p->block_count; ++k)
        for (int side = 0; side < 2; ++side) {
            const ashi_block *block = &p->blocks[k];
            uint32_t body = side == 0 ? block->body_a : block->body_b;
            if (body < p->fixed_count)
                continue;
            double root[12], row[6];
            ashi_body_root(&p->bodies[body], root);
            for (uint32_t i = block->first_row; i < block->first_row + block->row_count; ++i) {
                const ashi_row *from = &p->rows[i];
                ashi_scale_row(root, side == 0 ? from->linear_a : from->linear_b,
                               side == 0 ? from->angular_a : from->angular_b, row);
                for (uint32_t n = 0; n < 6; ++n) {
                    ((int *)entries->i)[entries->nnz] = (int)(6 * (body - p->fixed_count) + n);
                    ((int *)entries->j)[entries->nnz] = (int)i;
                    ((double *)entries->x)[entries->nnz++] = row[n];
                }
            }
        }
    cholmod_sparse *rows = cholmod_triplet_to_sparse(entries, 0, common);
    cholmod_free_triplet(&entries, common);
    return rows;
}

/* [1 (J F)^T; J F -softness]: a row that is only held by epsilon gets what our solver would give it at most. */
static cholmod_sparse *whole_matrix(const ashi_system *p, const cholmod_sparse *rows, cholmod_common *common)
{
    uint32_t first = (uint32_t)rows->nrow, n = first + p->row_count;
    const int *begin = rows->p, *index = rows->i;
    const double *value = rows->x;
    cholmod_triplet *entries = cholmod_allocate_triplet(n, n, n + rows->nzmax, 1, CHOLMOD_REAL, common);
    if (!entries)
        return NULL;
    int *i = entries->i, *j = entries->j;
    double *x = entries->x;
    for (uint32_t k = 0; k < n; ++k, ++entries->nnz) {
        i[k] = j[k] = (int)k;
        x[k] = k < first ? 1 : -p->rows[k - first].softness;
    }
    for (uint32_t k = 0; k < p->row_count; ++k)
        for (int at = begin[k]; at < begin[k + 1]; ++at, ++entries->nnz) {
            i[entries->nnz] = index[at];
            j[entries->nnz] = (int)(first + k);
            x[entries->nnz] = value[at];
        }
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(entries, 0, common);
    cholmod_free_triplet(&entries, common);
    return matrix;
}

/* (J F)(J F)^T + softness, unless it is too large. */
static cholmod_sparse *reduced_matrix(const ashi_system *p, cholmod_sparse *rows, size_t most, cholmod_common *common)
{
    double one[2] = {1, 0};
    size_t entries = 0, *share = calloc(rows->nrow + 1, sizeof *share);
    for (size_t at = 0; share && at < rows->nzmax; ++at)
        ++share[((int *)rows->i)[at]];
    for (size_t k = 0; share && k < rows->nrow; k += 6)
        entries += share[k] * share[k];
    free(share);
    if (!share || entries > most)
        return NULL;
    cholmod_sparse *turned = cholmod_transpose(rows, 1, common);
    cholmod_sparse *product = turned ? cholmod_aat(turned, NULL, 0, 1, common) : NULL;
    cholmod_sparse *matrix = product ? cholmod_copy(product, 1, 1, common) : NULL;
    cholmod_sparse *softness = cholmod_speye(p->row_count, p->row_count, CHOLMOD_REAL, common);
    for (uint32_t k = 0; softness && k < p->row_count; ++k)
        ((double *)softness->x)[k] = p->rows[k].softness;
    cholmod_sparse *soft = softness ? cholmod_copy(softness, 1, 1, common) : NULL;
    cholmod_sparse *sum = matrix && soft ? cholmod_add(matrix, soft, one, one, 1, 1, common) : NULL;
    cholmod_free_sparse(&soft, common);
    cholmod_free_sparse(&softness, common);
    cholmod_free_sparse(&matrix, common);
    cholmod_free_sparse(&product, common);
    cholmod_free_sparse(&turned, common);
    return sum;
}

bench_cholmod *bench_cholmod_create(const ashi_system *problem, bench_cholmod_way way, size_t most)
{
    bench_cholmod *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    cholmod_common *common = &c->common;
    cholmod_start(common);
    common->print = 0;
    common->supernodal = way == BENCH_CHOLMOD_SUPERNODAL ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    common->final_ll = way != BENCH_CHOLMOD_WHOLE;
    cholmod_sparse *rows = scaled_rows(problem, common);
    if (rows)
        c->matrix = way == BENCH_CHOLMOD_WHOLE ? whole_matrix(problem, rows, common)
                                               : reduced_matrix(problem, rows, most, common);
    c->first = way == BENCH_CHOLMOD_WHOLE && rows ? (uint32_t)rows->nrow : 0;
    c->row_count = problem->row_count;
    cholmod_free_sparse(&rows, common);
    if (c->matrix) {
        c->factor = cholmod_analyze(c->matrix, common);
        c->right = cholmod_zeros(c->matrix->nrow, 1, CHOLMOD_REAL, common);
    }
    if (c->factor && c->right)
        return c;
    bench_cholmod_destroy(c);
    return NULL;
}

void bench_cholmod_destroy(bench_cholmod *cholmod)
{
    if (!cholmod)
        return;
    cholmod_free_factor(&cholmod->factor, &cholmod->common);
    cholmod_free_sparse(&cholmod->matrix, &cholmod->common);
    cholmod_free_dense(&cholmod->right, &cholmod->common);
    cholmod_free_dense(&cholmod->solution, &cholmod->common);
    cholmod_free_dense(&cholmod->work[0], &cholmod->common);
    cholmod_free_dense(&cholmod->work[1], &cholmod->common);
    cholmod_finish(&cholmod->common);
    free(cholmod);
}

bool bench_cholmod_factor(bench_cholmod *cholmod)
{
    return cholmod_factorize(cholmod->matrix, cholmod->factor, &cholmod->common) &&
           cholmod->common.status == CHOLMOD_OK;
}

bool bench_cholmod_solve(bench_cholmod *cholmod, const double *wanted, double *impulse)
{
    double *right = cholmod->right->x;
    memset(right, 0, cholmod->first * sizeof *right);
    memcpy(right + cholmod->first, wanted, cholmod->row_count * sizeof *right);
    if (!cholmod_solve2(CHOLMOD_A, cholmod->factor, cholmod->right, NULL, &cholmod->solution, NULL, &cholmod->work[0],
                        &cholmod->work[1], &cholmod->common))
        return false;
    const double *solution = (const double *)cholmod->solution->x + cholmod->first;
    for (uint32_t i = 0; i < cholmod->row_count; ++i)
        impulse[i] = cholmod->first > 0 ? -solution[i] : solution[i];
    return true;
}
