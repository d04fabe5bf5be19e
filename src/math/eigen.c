/* Principal values and axes of a symmetric 3x3 matrix by cyclic Jacobi rotations (Golub and Van Loan, 8.5).
 *
 * Each rotation removes one entry off the diagonal; sweeps go on until all three are negligible against the diagonal:
 * four or five times. The matrix is first scaled by a power of two, so that squares neither overflow nor underflow;
 * this changes no other bit of the result. */
#include "math/mat3.h"

#include <stdint.h>
#include <string.h>

enum { LARGEST_SWEEPS = 30 };

/* Turns columns p and q so that entry (p, q) vanishes: m becomes J^T m J, axes become axes J. */
static void rotate_pair(double m[3][3], double axes[3][3], int p, int q)
{
    double off = m[p][q];
    if (off == 0)
        return;
    /* t = tan of the turn: the smaller root of t^2 + 2 w t - 1 = 0. For a huge w it is 1 / (2 w). */
    double w = (m[q][q] - m[p][p]) / (2 * off);
    double t = fabs(w) > 1e150 ? 0.5 / w : (w >= 0 ? 1 : -1) / (fabs(w) + sqrt(1 + w * w));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    m[p][p] -= t * off;
    m[q][q] += t * off;
    m[p][q] = m[q][p] = 0;
    int r = 3 - p - q;
    double rp = m[r][p], rq = m[r][q];
    m[r][p] = m[p][r] = c * rp - s * rq;
    m[r][q] = m[q][r] = s * rp + c * rq;
    for (int i = 0; i < 3; i++) {
        double ip = axes[i][p], iq = axes[i][q];
        axes[i][p] = c * ip - s * iq;
        axes[i][q] = s * ip + c * iq;
    }
}

static bool is_negligible(double m[3][3], int p, int q)
{
    double size = fabs(m[p][p]) + fabs(m[q][q]);
    return fabs(m[p][q]) <= 0x1p-60 * size;
}

/* The power of two that brings the largest entry near 1. */
static double scale_of(ash_sym3 a)
{
    ash_vec3 d = v3_abs(v3(a.xx, a.yy, a.zz)), o = v3_abs(v3(a.xy, a.xz, a.yz));
    double largest = v3_max_component(v3_max(d, o));
    if (!(largest > 0) || !isfinite(largest))
        return 1;
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    bits = (uint64_t)(1023 - exponent) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static ash_vec3 column(double axes[3][3], int j)
{
    return v3(axes[0][j], axes[1][j], axes[2][j]);
}

void ashi_eigen_sym3(ash_sym3 a, ash_vec3 *values, ash_quat *axes)
{
    double scale = scale_of(a);
    ash_sym3 b = s3_scale(a, scale);
    double m[3][3] = {{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}};
    double turned[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < LARGEST_SWEEPS; sweep++) {
        if (m[0][1] == 0 && m[0][2] == 0 && m[1][2] == 0)
            break;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++)
                if (is_negligible(m, p, q))
                    m[p][q] = m[q][p] = 0;
                else
                    rotate_pair(m, turned, p, q);
    }

    /* Ascending; equal values keep their order. */
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++)
        for (int j = i; j > 0 && m[order[j]][order[j]] < m[order[j - 1]][order[j - 1]]; j--) {
            int held = order[j];
            order[j] = order[j - 1];
            order[j - 1] = held;
        }
    *values = v3_scale(v3(m[order[0]][order[0]], m[order[1]][order[1]], m[order[2]][order[2]]), 1 / scale);
    ash_mat3 r = {column(turned, order[0]), column(turned, order[1]), column(turned, order[2])};
    if (m3_determinant(r) < 0)
        r.z = v3_neg(r.z); /* an axis may point either way; a rotation is right-handed */
    *axes = ashi_quat_from_mat3(r);
}
