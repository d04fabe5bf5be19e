/* 3x3 matrices by columns, and symmetric ones by their six entries. */
#ifndef ASHI_MATH_MAT3_H
#define ASHI_MATH_MAT3_H

#include "math/quat.h"

static inline ash_mat3 m3_from_quat(ash_quat q)
{
    return (ash_mat3){v3(1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)),
                      v3(2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)),
                      v3(2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y))};
}

static inline ash_vec3 m3_apply(ash_mat3 m, ash_vec3 v)
{
    return v3_add_scaled(v3_add_scaled(v3_scale(m.x, v.x), m.y, v.y), m.z, v.z);
}

static inline ash_vec3 m3_apply_transposed(ash_mat3 m, ash_vec3 v)
{
    return v3(v3_dot(m.x, v), v3_dot(m.y, v), v3_dot(m.z, v));
}

static inline ash_mat3 m3_mul(ash_mat3 a, ash_mat3 b)
{
    return (ash_mat3){m3_apply(a, b.x), m3_apply(a, b.y), m3_apply(a, b.z)};
}

static inline ash_mat3 m3_transposed(ash_mat3 m)
{
    return (ash_mat3){v3(m.x.x, m.y.x, m.z.x), v3(m.x.y, m.y.y, m.z.y), v3(m.x.z, m.y.z, m.z.z)};
}

static inline double m3_determinant(ash_mat3 m)
{
    return v3_dot(m.x, v3_cross(m.y, m.z));
}

/* The solution of m x = b by Cramer's rule; not finite when m is singular. */
static inline ash_vec3 m3_solve(ash_mat3 m, ash_vec3 b)
{
    double s = 1 / m3_determinant(m);
    return v3(s * v3_dot(b, v3_cross(m.y, m.z)), s * v3_dot(m.x, v3_cross(b, m.z)), s * v3_dot(m.x, v3_cross(m.y, b)));
}

/* The unit quaternion of a rotation matrix. */
ash_quat ashi_quat_from_mat3(ash_mat3 rotation);

static inline ash_sym3 s3_diagonal(double xx, double yy, double zz)
{
    return (ash_sym3){xx, yy, zz, 0, 0, 0};
}

static inline ash_sym3 s3_add(ash_sym3 a, ash_sym3 b)
{
    return (ash_sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

static inline ash_sym3 s3_scale(ash_sym3 a, double s)
{
    return (ash_sym3){a.xx * s, a.yy * s, a.zz * s, a.xy * s, a.xz * s, a.yz * s};
}

/* s u u^T */
static inline ash_sym3 s3_outer(ash_vec3 u, double s)
{
    return (ash_sym3){s * u.x * u.x, s * u.y * u.y, s * u.z * u.z, s * u.x * u.y, s * u.x * u.z, s * u.y * u.z};
}

static inline ash_vec3 s3_apply(ash_sym3 a, ash_vec3 v)
{
    return v3(a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
              a.xz * v.x + a.yz * v.y + a.zz * v.z);
}

static inline ash_mat3 m3_from_sym(ash_sym3 a)
{
    return (ash_mat3){v3(a.xx, a.xy, a.xz), v3(a.xy, a.yy, a.yz), v3(a.xz, a.yz, a.zz)};
}

static inline double s3_determinant(ash_sym3 a)
{
    return m3_determinant(m3_from_sym(a));
}

/* The inverse by cofactors; not finite when singular. */
static inline ash_sym3 s3_inverse(ash_sym3 a)
{
    double s = 1 / s3_determinant(a);
    return (ash_sym3){s * (a.yy * a.zz - a.yz * a.yz), s * (a.xx * a.zz - a.xz * a.xz),
                      s * (a.xx * a.yy - a.xy * a.xy), s * (a.xz * a.yz - a.xy * a.zz),
                      s * (a.xy * a.yz - a.xz * a.yy), s * (a.xy * a.xz - a.xx * a.yz)};
}

/* r a r^T: the tensor seen from a frame in which its own frame is turned by q. */
static inline ash_sym3 s3_rotated(ash_sym3 a, ash_quat q)
{
    ash_mat3 r = m3_from_quat(q);
    ash_mat3 t = m3_mul(r, m3_from_sym(a)); /* columns of r a */
    ash_mat3 rows = m3_transposed(t), rt = m3_transposed(r);
    /* entry (i, j) = row i of (r a) . row j of r */
    return (ash_sym3){v3_dot(rows.x, rt.x), v3_dot(rows.y, rt.y), v3_dot(rows.z, rt.z),
                      v3_dot(rows.x, rt.y), v3_dot(rows.x, rt.z), v3_dot(rows.y, rt.z)};
}

/* Inertia of a point mass m at r about the origin: m (r.r 1 - r r^T). */
static inline ash_sym3 s3_point_inertia(double m, ash_vec3 r)
{
    double rr = m * v3_norm2(r);
    return s3_add(s3_diagonal(rr, rr, rr), s3_outer(r, -m));
}

static inline bool s3_is_finite(ash_sym3 a)
{
    return isfinite(a.xx) && isfinite(a.yy) && isfinite(a.zz) && isfinite(a.xy) && isfinite(a.xz) && isfinite(a.yz);
}

/* Eigenvalues in ascending order and the rotation whose columns are the eigenvectors: a = R diag(values) R^T. Exactly
 * diagonal input with ascending entries gives the identity. */
void ashi_eigen_sym3(ash_sym3 a, ash_vec3 *values, ash_quat *axes);

#endif
