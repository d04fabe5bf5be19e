/* Polyhedral integrals after Mirtich 1996: the divergence theorem turns the volume integrals of 1, x, x^2, xy, ... into
 * integrals over the faces,
 *     V = int x n_x dA,   int x dV = 1/2 int x^2 n_x dA,   int x^2 dV = 1/3 int x^3 n_x dA,
 *     int xy dV = 1/2 int x^2 y n_x dA   (and so on around x, y, z).
 * Mirtich continues with projections and edges for any polygon; for a triangle the face integrals are sums over
 * corners: with s = sum x_i and q = sum x_i^2,
 *     int x dA = A/3 s,   int x^2 dA = A/12 (s^2 + q),   int x^2 y dA = A/60 sum_k y_k (2 x_k^2 + 2 s x_k + q + s^2).
 */
#include "shape/polyhedron.h"

/* The ten integrals: volume, first moments x y z, second moments xx yy zz xy xz yz. Each sum compensates the rounding
 * errors of its additions (Neumaier 1974), so that a fine mesh is as exact as a coarse one. */
enum { VOLUME, X, Y, Z, XX, YY, ZZ, XY, XZ, YZ, INTEGRALS };

typedef struct moments {
    double sum[INTEGRALS], lost[INTEGRALS];
} moments;

static void add(moments *m, int which, double term)
{
    double before = m->sum[which], after = before + term;
    m->lost[which] += fabs(before) >= fabs(term) ? (before - after) + term : (term - after) + before;
    m->sum[which] = after;
}

static double sum_of(const double x[3])
{
    return x[0] + x[1] + x[2];
}

static double squares_of(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

/* int x^2 y dA / A */
static double cubic_mean(const double x[3], const double y[3])
{
    double s = sum_of(x), rest = squares_of(x) + s * s, sum = 0;
    for (int k = 0; k < 3; k++)
        sum += y[k] * (2 * x[k] * x[k] + 2 * s * x[k] + rest);
    return sum / 60;
}

static double square_mean(const double x[3])
{
    double s = sum_of(x);
    return (s * s + squares_of(x)) / 12;
}

static void add_triangle(moments *m, ash_vec3 a, ash_vec3 b, ash_vec3 c)
{
    ash_vec3 area = v3_scale(v3_cross(v3_sub(b, a), v3_sub(c, a)), 0.5); /* n dA */
    const double x[3] = {a.x, b.x, c.x}, y[3] = {a.y, b.y, c.y}, z[3] = {a.z, b.z, c.z};
    add(m, VOLUME, v3_dot(area, v3(sum_of(x), sum_of(y), sum_of(z))) / 9);
    add(m, X, area.x * square_mean(x) / 2);
    add(m, Y, area.y * square_mean(y) / 2);
    add(m, Z, area.z * square_mean(z) / 2);
    add(m, XX, area.x * cubic_mean(x, x) / 3);
    add(m, YY, area.y * cubic_mean(y, y) / 3);
    add(m, ZZ, area.z * cubic_mean(z, z) / 3);
    add(m, XY, area.x * cubic_mean(x, y) / 2);
    add(m, YZ, area.y * cubic_mean(y, z) / 2);
    add(m, XZ, area.z * cubic_mean(z, x) / 2);
}

void ashi_polyhedron_mass(const ash_vec3 *points, uint32_t point_count, const uint32_t *triangles,
                          uint32_t triangle_count, double *volume, ash_vec3 *centre, ash_sym3 *inertia)
{
    /* Relative to the middle of the points, so that a surface far from the origin loses no digits. */
    ash_vec3 lower = points[0], upper = points[0];
    for (uint32_t i = 1; i < point_count; i++) {
        lower = v3_min(lower, points[i]);
        upper = v3_max(upper, points[i]);
    }
    ash_vec3 middle = v3_add_scaled(v3_scale(lower, 0.5), upper, 0.5);
    moments m = {0};
    for (uint32_t t = 0; t < triangle_count; t++) {
        const uint32_t *corner = triangles + 3 * (size_t)t;
        add_triangle(&m, v3_sub(points[corner[0]], middle), v3_sub(points[corner[1]], middle),
                     v3_sub(points[corner[2]], middle));
    }
    double total[INTEGRALS];
    for (int i = 0; i < INTEGRALS; i++)
        total[i] = m.sum[i] + m.lost[i];
    ash_vec3 shift = v3_scale(v3(total[X], total[Y], total[Z]), 1 / total[VOLUME]);
    ash_sym3 second = {total[XX], total[YY], total[ZZ], total[XY], total[XZ], total[YZ]};
    ash_sym3 s = s3_add(second, s3_outer(shift, -total[VOLUME]));
    *volume = total[VOLUME];
    *centre = v3_add(middle, shift);
    *inertia = (ash_sym3){s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
}

double ashi_polyhedron_shadow(const ash_geometry *geometry, ash_vec3 direction)
{
    const ash_geometry_def *def = &geometry->def;
    double sum = 0;
    for (uint32_t t = 0; t < def->triangle_count; t++) {
        const uint32_t *corner = def->triangles + 3 * (size_t)t;
        ash_vec3 a = def->points[corner[0]], b = def->points[corner[1]], c = def->points[corner[2]];
        double facing = v3_dot(direction, v3_cross(v3_sub(b, a), v3_sub(c, a)));
        sum += facing > 0 ? facing / 2 : 0;
    }
    return sum;
}
