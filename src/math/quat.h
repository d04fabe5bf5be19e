/* Unit quaternions (w, x, y, z) as rotations from body to world axes. */
#ifndef ASHI_MATH_QUAT_H
#define ASHI_MATH_QUAT_H

#include "math/elementary.h"
#include "math/vec3.h"

static inline ash_quat q_identity(void)
{
    return (ash_quat){1, 0, 0, 0};
}

/* First b, then a. */
static inline ash_quat q_mul(ash_quat a, ash_quat b)
{
    return (ash_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline ash_quat q_conjugate(ash_quat q)
{
    return (ash_quat){q.w, -q.x, -q.y, -q.z};
}

static inline double q_norm2(ash_quat q)
{
    return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}

/* q_unit for quaternions whose squared length overflows or underflows. */
ash_quat ashi_unit_of_extreme_quat(ash_quat q);

/* Scaled to length one; the identity for zero. A quaternion that is not finite stays so. */
static inline ash_quat q_unit(ash_quat q)
{
    double square = q_norm2(q);
    if (square < 1e-290 || square > 1e290)
        return ashi_unit_of_extreme_quat(q);
    double s = 1 / sqrt(square);
    return (ash_quat){q.w * s, q.x * s, q.y * s, q.z * s};
}

static inline bool q_is_finite(ash_quat q)
{
    return isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z);
}

/* Turns v by q. */
static inline ash_vec3 q_rotate(ash_quat q, ash_vec3 v)
{
    ash_vec3 u = v3(q.x, q.y, q.z);
    ash_vec3 t = v3_scale(v3_cross(u, v), 2);
    return v3_add(v3_add_scaled(v, t, q.w), v3_cross(u, t));
}

/* Turns v back by q. */
static inline ash_vec3 q_unrotate(ash_quat q, ash_vec3 v)
{
    return q_rotate(q_conjugate(q), v);
}

/* The rotation by the vector r: about its direction by its length in radians. */
static inline ash_quat q_exp(ash_vec3 r)
{
    double angle2 = v3_norm2(r);
    if (angle2 < 1e-8) { /* series: exact to the last bit at this size */
        double s = 0.5 - angle2 / 48;
        return (ash_quat){1 - angle2 / 8, s * r.x, s * r.y, s * r.z};
    }
    double angle = sqrt(angle2), sine, cosine;
    ashi_sincos(angle / 2, &sine, &cosine);
    double s = sine / angle;
    return (ash_quat){cosine, s * r.x, s * r.y, s * r.z};
}

/* q_unit(q_mul(q_exp(r), q)) for rotations about z only, with the same bits. */
static inline ash_quat q_turned_flat(double angle, ash_quat q)
{
    ash_quat turn = q_exp((ash_vec3){0, 0, angle});
    return q_unit((ash_quat){turn.w * q.w - turn.z * q.z, 0, 0, turn.w * q.z + turn.z * q.w});
}

/* The rotation vector of q, at most half a turn long. */
static inline ash_vec3 q_log(ash_quat q)
{
    if (q.w < 0)
        q = (ash_quat){-q.w, -q.x, -q.y, -q.z};
    ash_vec3 u = v3(q.x, q.y, q.z);
    double s = v3_norm(u);
    return v3_scale(u, s < 1e-12 ? 2 / q.w : 2 * ashi_atan2(s, q.w) / s);
}

/* Cayley's map: the rotation whose half-angle tangent is |r| / 2; agrees with q_exp to second order. */
static inline ash_quat q_cayley(ash_vec3 r)
{
    return q_unit((ash_quat){1, 0.5 * r.x, 0.5 * r.y, 0.5 * r.z});
}

#endif
