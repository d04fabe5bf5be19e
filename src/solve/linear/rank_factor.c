/* The largest remaining pivot comes next; the factor ends where the pivots do (Higham 2002, 10.3). */
#include "solve/linear/rank_factor.h"

#include <math.h>

#define NOTHING 1e-13 /* of the largest pivot: what is left depends on what came before */

/* Rows and columns i and k of the symmetric matrix, whose lower triangle is kept, change places. */
static void exchange(ashi_rank_factor *f, uint32_t i, uint32_t k)
{
    size_t n = f->count;
    double *a = f->matrix;
    if (i == k)
        return;
    for (size_t j = 0; j < n; j++) { /* i < k */
        double *one = j < i ? &a[i * n + j] : &a[j * n + i], *two = j < k ? &a[k * n + j] : &a[j * n + k];
        if (j == i || j == k)
            continue;
        double kept = *one;
        *one = *two;
        *two = kept;
    }
    double kept = a[i * n + i];
    a[i * n + i] = a[k * n + k];
    a[k * n + k] = kept;
    uint32_t row = f->order[i];
    f->order[i] = f->order[k];
    f->order[k] = row;
}

static double product(const double *a, const double *b, uint32_t count)
{
    double sum[4] = {0, 0, 0, 0};
    uint32_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < count; i++)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

uint64_t ashi_rank_factor_make(ashi_rank_factor *f)
{
    size_t n = f->count;
    double *a = f->matrix, largest = 0;
    uint64_t operations = 0;
    for (uint32_t i = 0; i < n; i++) {
        f->order[i] = i;
        largest = fmax(largest, a[i * n + i]);
    }
    for (f->rank = 0; f->rank < n; f->rank++) {
        uint32_t k = f->rank, best = k;
        for (uint32_t i = k + 1; i < n; i++)
            best = a[i * n + i] > a[best * n + best] ? i : best;
        if (!(a[best * n + best] > NOTHING * largest))
            break;
        exchange(f, k, best);
        double pivot = sqrt(a[k * n + k]);
        a[k * n + k] = pivot;
        for (uint32_t i = k + 1; i < n; i++) { /* diagonals are kept up to date, the others when their turn comes */
            double entry = (a[i * n + k] - product(&a[i * n], &a[k * n], k)) / pivot;
            a[i * n + k] = entry;
            a[i * n + i] -= entry * entry;
        }
        operations += (uint64_t)(n - k) * (k + 2);
    }
    return operations;
}

uint64_t ashi_rank_factor_solve(const ashi_rank_factor *f, const double *b, double *x)
{
    size_t n = f->count;
    const double *a = f->matrix;
    double *y = f->work;
    for (uint32_t i = 0; i < f->rank; i++)
        y[i] = (b[f->order[i]] - product(&a[i * n], y, i)) / a[i * n + i];
    for (uint32_t i = f->rank; i-- > 0;) {
        y[i] /= a[i * n + i];
        for (uint32_t k = 0; k < i; k++)
            y[k] -= a[i * n + k] * y[i];
    }
    for (uint32_t i = 0; i < n; i++)
        x[f->order[i]] = i < f->rank ? y[i] : 0;
    return (uint64_t)f->rank * (f->rank + 2);
}
