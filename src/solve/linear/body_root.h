/* Scaled velocities: v = v* + F z with F F^T = M^-1 by body. F holds the square roots of three inverse masses and a 3x3
 * root of the inverse inertia by rows; a locked axis has a zero column in F, and zero entries in a row's J F. */
#ifndef ASHI_SOLVE_BODY_ROOT_H
#define ASHI_SOLVE_BODY_ROOT_H

#include "ashlar/problem.h"

#include <math.h>

#define ASHI_NO_AXIS 1e-15 /* of the largest: an inverse inertia this small is a locked axis and rounding */

/* Columns of a factor of the inverse inertia, the largest remaining axis first. */
static inline void ashi_inertia_root(ash_sym3 inertia, double *root)
{
    double a[3][3] = {{inertia.xx, inertia.xy, inertia.xz},
                      {inertia.xy, inertia.yy, inertia.yz},
                      {inertia.xz, inertia.yz, inertia.zz}};
    double least = ASHI_NO_AXIS * (inertia.xx + inertia.yy + inertia.zz);
    for (int column = 0; column < 3; column++) {
        int k = a[1][1] > a[0][0] ? 1 : 0;
        k = a[2][2] > a[k][k] ? 2 : k;
        double pivot = a[k][k];
        for (int i = 0; i < 3; i++)
            root[3 * i + column] = pivot > least ? a[i][k] / sqrt(pivot) : 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                a[i][j] -= root[3 * i + column] * root[3 * j + column];
    }
}

static inline void ashi_body_root(const ash_problem_body *body, double root[12])
{
    root[0] = sqrt(body->inverse_mass.x);
    root[1] = sqrt(body->inverse_mass.y);
    root[2] = sqrt(body->inverse_mass.z);
    ashi_inertia_root(body->inverse_inertia, root + 3);
}

/* J F of one body. */
static inline void ashi_scale_row(const double root[12], ash_vec3 linear, ash_vec3 angular, double row[6])
{
    row[0] = linear.x * root[0];
    row[1] = linear.y * root[1];
    row[2] = linear.z * root[2];
    for (int k = 0; k < 3; k++)
        row[3 + k] = angular.x * root[3 + k] + angular.y * root[6 + k] + angular.z * root[9 + k];
}

#endif
