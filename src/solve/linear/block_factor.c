/* Cholesky and LU of a sparse matrix of 6x6 blocks, column by column from the left:
 *
 *   A_ij - sum over k < j of L_ik (L_jk)^T   for the rows i >= j of column j,
 *
 * where k runs over the blocks left of the diagonal in row j. LU does the same for the rows of U, whose pattern mirrors
 * that of L. All sums are in a fixed order. Both are compiled twice, the second time for machines with registers for
 * four doubles; the bits are the same. */
#include "solve/linear/block_factor.h"

#include "math/quad.h"

#include <math.h>
#include <string.h>

#define N ASHI_BLOCK

/* c -= a b: two rows of c at a time are three quads, and the middle one takes its ends from both. */
ASHI_MERGED void subtract_product(double *restrict c, const double *restrict a, const double *restrict b)
{
    ashi_quad sum[9];
    for (int i = 0; i < 9; i++)
        sum[i] = quad_load(&c[4 * i]);
    for (int k = 0; k < N; k++) {
        ashi_quad first = quad_load(&b[N * k]), last = quad_load(&b[N * k + 2]);
        ashi_quad middle = __builtin_shufflevector(last, first, 2, 3, 4, 5);
        for (int i = 0; i < 3; i++) {
            double upper = a[2 * N * i + k], lower = a[2 * N * i + N + k];
            sum[3 * i] -= quad_of(upper) * first;
            sum[3 * i + 1] -= (ashi_quad){upper, upper, lower, lower} * middle;
            sum[3 * i + 2] -= quad_of(lower) * last;
        }
    }
    for (int i = 0; i < 9; i++)
        quad_store(&c[4 * i], sum[i]);
}

ASHI_MERGED void transpose(double *restrict to, const double *restrict from)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            to[N * j + i] = from[N * i + j];
}

/* y -= a x */
ASHI_MERGED void subtract_image(double *restrict y, const double *restrict a, const double *restrict x)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            y[i] -= a[N * i + j] * x[j];
}

/* y -= a^T x */
ASHI_MERGED void subtract_image_transposed(double *restrict y, const double *restrict a, const double *restrict x)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            y[j] -= a[N * i + j] * x[i];
}

/* ---- memory ---- */

bool ashi_block_factor_make(ashi_block_factor *factor, const ashi_block_pattern *pattern, ashi_arena *arena)
{
    factor->pattern = pattern;
    factor->diagonal = ashi_arena_take_array(arena, pattern->count, sizeof *factor->diagonal);
    factor->lower = ashi_arena_take_array(arena, pattern->blocks, sizeof *factor->lower);
    factor->upper = ashi_arena_take_array(arena, pattern->blocks, sizeof *factor->upper);
    factor->where = ashi_arena_take_array(arena, pattern->count, sizeof *factor->where);
    factor->solution = ashi_arena_take_array(arena, (size_t)N * pattern->count, sizeof *factor->solution);
    return factor->diagonal != NULL && factor->lower != NULL && factor->upper != NULL && factor->where != NULL &&
           factor->solution != NULL;
}

void ashi_block_factor_clear(ashi_block_factor *factor, bool with_upper)
{
    memset(factor->diagonal, 0, factor->pattern->count * sizeof *factor->diagonal);
    memset(factor->lower, 0, factor->pattern->blocks * sizeof *factor->lower);
    if (with_upper)
        memset(factor->upper, 0, factor->pattern->blocks * sizeof *factor->upper);
}

/* Notes where the rows of column j have their blocks. */
ASHI_MERGED void locate(ashi_block_factor *f, uint32_t j)
{
    const ashi_block_pattern *p = f->pattern;
    for (uint32_t k = p->column[j]; k < p->column[j + 1]; k++)
        f->where[p->row[k]] = k;
}

/* ---- Cholesky ---- */

/* a = l l^T in the lower triangle, the diagonal of l inverted. */
ASHI_MERGED bool factor_diagonal(double *a)
{
    for (int j = 0; j < N; j++) {
        double pivot = a[N * j + j];
        for (int k = 0; k < j; k++)
            pivot -= a[N * j + k] * a[N * j + k];
        if (!(pivot > 0) || !isfinite(pivot))
            return false;
        double inverse = 1 / sqrt(pivot);
        a[N * j + j] = inverse;
        for (int i = j + 1; i < N; i++) {
            double sum = a[N * i + j];
            for (int k = 0; k < j; k++)
                sum -= a[N * i + k] * a[N * j + k];
            a[N * i + j] = sum * inverse;
        }
    }
    return true;
}

/* x l^T = x, row by row. */
ASHI_MERGED void divide(double *restrict x, const double *restrict l)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = x[N * i + j];
            for (int k = 0; k < j; k++)
                sum -= x[N * i + k] * l[N * j + k];
            x[N * i + j] = sum * l[N * j + j];
        }
}

ASHI_MERGED bool find_cholesky(ashi_block_factor *f)
{
    const ashi_block_pattern *p = f->pattern;
    double turned[ASHI_BLOCK_SIZE];
    for (uint32_t j = 0; j < p->count; j++) {
        locate(f, j);
        for (uint32_t i = p->left[j]; i < p->left[j + 1]; i++) {
            uint32_t k = p->left_block[i], end = p->column[p->left_column[i] + 1];
            transpose(turned, f->lower[k]);
            subtract_product(f->diagonal[j], f->lower[k], turned);
            for (k++; k < end; k++)
                subtract_product(f->lower[f->where[p->row[k]]], f->lower[k], turned);
        }
        if (!factor_diagonal(f->diagonal[j]))
            return false;
        for (uint32_t k = p->column[j]; k < p->column[j + 1]; k++)
            divide(f->lower[k], f->diagonal[j]);
    }
    return true;
}

ASHI_WIDE static bool find_cholesky_wide(ashi_block_factor *f)
{
    return find_cholesky(f);
}

bool ashi_block_cholesky(ashi_block_factor *f)
{
    return ashi_machine_is_wide() ? find_cholesky_wide(f) : find_cholesky(f);
}

static void gather(const ashi_block_factor *f, const double *x)
{
    for (uint32_t j = 0; j < f->pattern->count; j++)
        memcpy(&f->solution[(size_t)N * j], &x[(size_t)N * f->pattern->order[j]], N * sizeof *x);
}

static void scatter(const ashi_block_factor *f, double *x)
{
    for (uint32_t j = 0; j < f->pattern->count; j++)
        memcpy(&x[(size_t)N * f->pattern->order[j]], &f->solution[(size_t)N * j], N * sizeof *x);
}

void ashi_block_cholesky_solve(const ashi_block_factor *f, double *x)
{
    const ashi_block_pattern *p = f->pattern;
    gather(f, x);
    for (uint32_t j = 0; j < p->count; j++) {
        double *y = &f->solution[(size_t)N * j];
        const double *l = f->diagonal[j];
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < i; k++)
                y[i] -= l[N * i + k] * y[k];
            y[i] *= l[N * i + i];
        }
        for (uint32_t k = p->column[j]; k < p->column[j + 1]; k++)
            subtract_image(&f->solution[(size_t)N * p->row[k]], f->lower[k], y);
    }
    for (uint32_t j = p->count; j-- > 0;) {
        double *y = &f->solution[(size_t)N * j];
        const double *l = f->diagonal[j];
        for (uint32_t k = p->column[j]; k < p->column[j + 1]; k++)
            subtract_image_transposed(y, f->lower[k], &f->solution[(size_t)N * p->row[k]]);
        for (int i = N - 1; i >= 0; i--) {
            for (int k = i + 1; k < N; k++)
                y[i] -= l[N * k + i] * y[k];
            y[i] *= l[N * i + i];
        }
    }
    scatter(f, x);
}

/* ---- LU ---- */

/* a = a^-1 by Gauss and Jordan's elimination, the largest pivot of each column first. */
ASHI_MERGED bool invert(double *a)
{
    double inverse[N][N] = {{0}};
    for (int i = 0; i < N; i++)
        inverse[i][i] = 1;
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            best = fabs(a[N * i + k]) > fabs(a[N * best + k]) ? i : best;
        double pivot = a[N * best + k];
        if (pivot == 0 || !isfinite(pivot))
            return false;
        for (int j = 0; j < N; j++) {
            double kept = a[N * k + j], other = inverse[k][j];
            a[N * k + j] = a[N * best + j] / pivot;
            inverse[k][j] = inverse[best][j] / pivot;
            if (best != k) {
                a[N * best + j] = kept;
                inverse[best][j] = other;
            }
        }
        for (int i = 0; i < N; i++) {
            double factor = a[N * i + k];
            if (i == k || factor == 0)
                continue;
            for (int j = 0; j < N; j++) {
                a[N * i + j] -= factor * a[N * k + j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
    memcpy(a, inverse, sizeof inverse);
    return true;
}

/* x = x a */
ASHI_MERGED void multiply(double *restrict x, const double *restrict a)
{
    double product[ASHI_BLOCK_SIZE];
    for (int i = 0; i < N; i++) {
        double sum[N] = {0};
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                sum[j] += x[N * i + k] * a[N * k + j];
        for (int j = 0; j < N; j++)
            product[N * i + j] = sum[j];
    }
    memcpy(x, product, sizeof product);
}

ASHI_MERGED bool find_lu(ashi_block_factor *f)
{
    const ashi_block_pattern *p = f->pattern;
    for (uint32_t j = 0; j < p->count; j++) {
        locate(f, j);
        for (uint32_t i = p->left[j]; i < p->left[j + 1]; i++) {
            uint32_t here = p->left_block[i], end = p->column[p->left_column[i] + 1];
            subtract_product(f->diagonal[j], f->lower[here], f->upper[here]);
            for (uint32_t k = here + 1; k < end; k++) {
                uint32_t target = f->where[p->row[k]];
                subtract_product(f->lower[target], f->lower[k], f->upper[here]);
                subtract_product(f->upper[target], f->lower[here], f->upper[k]);
            }
        }
        if (!invert(f->diagonal[j]))
            return false;
        for (uint32_t k = p->column[j]; k < p->column[j + 1]; k++)
            multiply(f->lower[k], f->diagonal[j]);
    }
    return true;
}

ASHI_WIDE static bool find_lu_wide(ashi_block_factor *f)
{
    return find_lu(f);
}

bool ashi_block_lu(ashi_block_factor *f)
{
    return ashi_machine_is_wide() ? find_lu_wide(f) : find_lu(f);
}

void ashi_block_lu_solve(const ashi_block_factor *f, double *x)
{
    const ashi_block_pattern *p = f->pattern;
    gather(f, x);
    for (uint32_t j = 0; j < p->count; j++)
        for (uint32_t k = p->column[j]; k < p->column[j + 1]; k++)
            subtract_image(&f->solution[(size_t)N * p->row[k]], f->lower[k], &f->solution[(size_t)N * j]);
    for (uint32_t j = p->count; j-- > 0;) {
        double right[N], *y = &f->solution[(size_t)N * j];
        for (uint32_t k = p->column[j]; k < p->column[j + 1]; k++)
            subtract_image(y, f->upper[k], &f->solution[(size_t)N * p->row[k]]);
        memcpy(right, y, sizeof right);
        for (int i = 0; i < N; i++) {
            y[i] = 0;
            for (int k = 0; k < N; k++)
                y[i] += f->diagonal[j][N * i + k] * right[k];
        }
    }
    scatter(f, x);
}
