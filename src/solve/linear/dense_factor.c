/* Gaussian elimination with partial pivoting, and remainders of twice the working precision (Ogita, Rump & Oishi 2005),
 * which is what lets a few steps of refinement reach the accuracy of the data. */
#include "solve/linear/dense_factor.h"

#include "math/exact.h"

#include <math.h>

#define SINGULAR 1e-15 /* a pivot this small beside the largest entry of its matrix is none */

static void exchange_rows(ashi_dense_factor *factor, uint32_t i, uint32_t k)
{
    double *a = &factor->lower_upper[(size_t)i * factor->count], *b = &factor->lower_upper[(size_t)k * factor->count];
    for (uint32_t j = 0; j < factor->count; j++) {
        double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
    uint32_t kept = factor->order[i];
    factor->order[i] = factor->order[k];
    factor->order[k] = kept;
}

static double largest_entry(const double *entries, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fabs(entries[i]) > largest ? fabs(entries[i]) : largest;
    return largest;
}

bool ashi_dense_factor_make(ashi_dense_factor *factor)
{
    uint32_t n = factor->count;
    double *matrix = factor->lower_upper, least = SINGULAR * largest_entry(matrix, (size_t)n * n);
    for (uint32_t i = 0; i < n; i++)
        factor->order[i] = i;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(matrix[(size_t)i * n + k]) > fabs(matrix[(size_t)best * n + k]))
                best = i;
        if (!(fabs(matrix[(size_t)best * n + k]) > least))
            return false;
        if (best != k)
            exchange_rows(factor, k, best);
        const double *pivot_row = &matrix[(size_t)k * n];
        for (uint32_t i = k + 1; i < n; i++) {
            double *restrict row = &matrix[(size_t)i * n];
            if (row[k] == 0)
                continue;
            double ratio = row[k] / pivot_row[k];
            row[k] = ratio;
            for (uint32_t j = k + 1; j < n; j++)
                row[j] -= ratio * pivot_row[j];
        }
    }
    return true;
}

void ashi_dense_factor_solve(const ashi_dense_factor *factor, const double *b, double *x)
{
    uint32_t n = factor->count;
    for (uint32_t i = 0; i < n; i++) {
        const double *row = &factor->lower_upper[(size_t)i * n];
        double sum = b[factor->order[i]];
        for (uint32_t j = 0; j < i; j++)
            sum -= row[j] * x[j];
        x[i] = sum;
    }
    for (uint32_t i = n; i-- > 0;) {
        const double *row = &factor->lower_upper[(size_t)i * n];
        double sum = x[i];
        for (uint32_t j = i + 1; j < n; j++)
            sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
}

double ashi_exact_remainder(uint32_t count, const double *a, const uint32_t *at, const double *x, double b)
{
    exact_pair sum = {b, 0};
    for (uint32_t i = 0; i < count; i++) {
        double factor = a[at != NULL ? at[i] : i];
        if (factor == 0)
            continue;
        exact_pair product = exact_product(-factor, x[i]), next = exact_sum(sum.high, product.high);
        sum.high = next.high;
        sum.low += next.low + product.low;
    }
    return sum.high + sum.low;
}
