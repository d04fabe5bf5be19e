/* Small symmetric systems without negative eigenvalues, such as the responses of bodies with locked freedoms.
 */
#ifndef ASHI_MATH_SEMIDEFINITE_H
#define ASHI_MATH_SEMIDEFINITE_H

#include <stdbool.h>
#include <stdint.h>

#define ASHI_SEMIDEFINITE_MOST 6

/* Solves A x = b by elimination; A (only its upper triangle is read) and b are overwritten. Rows that depend on earlier
 * ones, with a pivot below `least` times their diagonal, get 0. */
static inline void ashi_semidefinite_solve(uint32_t count, double a[][ASHI_SEMIDEFINITE_MOST], double *b, double least,
                                           double *x)
{
    bool depends[ASHI_SEMIDEFINITE_MOST];
    for (uint32_t i = 0; i < count; i++) {
        double diagonal = a[i][i];
        for (uint32_t k = 0; k < i; k++) {
            if (depends[k])
                continue;
            double factor = a[k][i] / a[k][k];
            for (uint32_t j = i; j < count; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
        depends[i] = !(a[i][i] > least * diagonal);
    }
    for (uint32_t i = count; i-- > 0;) {
        double sum = b[i];
        for (uint32_t k = i + 1; k < count; k++)
            sum -= a[i][k] * x[k];
        x[i] = depends[i] ? 0 : sum / a[i][i];
    }
}

#endif
