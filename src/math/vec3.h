/* Vectors of three. Small, inline, and named by what they do. */
#ifndef ASHI_MATH_VEC3_H
#define ASHI_MATH_VEC3_H

#include "ashlar/vector.h"

#include <math.h>

#define ASHI_PI 3.14159265358979323846

static inline ash_vec3 v3(double x, double y, double z)
{
    return (ash_vec3){x, y, z};
}

static inline ash_vec3 v3_add(ash_vec3 a, ash_vec3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline ash_vec3 v3_sub(ash_vec3 a, ash_vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline ash_vec3 v3_neg(ash_vec3 a)
{
    return v3(-a.x, -a.y, -a.z);
}

static inline ash_vec3 v3_scale(ash_vec3 a, double s)
{
    return v3(a.x * s, a.y * s, a.z * s);
}

/* a + s b */
static inline ash_vec3 v3_add_scaled(ash_vec3 a, ash_vec3 b, double s)
{
    return v3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}

/* Component by component. */
static inline ash_vec3 v3_mul(ash_vec3 a, ash_vec3 b)
{
    return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline double v3_dot(ash_vec3 a, ash_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline ash_vec3 v3_cross(ash_vec3 a, ash_vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double v3_norm2(ash_vec3 a)
{
    return v3_dot(a, a);
}

static inline double v3_norm(ash_vec3 a)
{
    return sqrt(v3_dot(a, a));
}

static inline double v3_distance(ash_vec3 a, ash_vec3 b)
{
    return v3_norm(v3_sub(a, b));
}

/* v3_unit for vectors whose squared length overflows or underflows. */
ash_vec3 ashi_unit_of_extreme(ash_vec3 a);

/* The unit vector along a; zero for a zero vector. A vector that is not finite stays so. */
static inline ash_vec3 v3_unit(ash_vec3 a)
{
    double square = v3_norm2(a);
    if (square < 1e-290 || square > 1e290)
        return ashi_unit_of_extreme(a);
    return v3_scale(a, 1 / sqrt(square));
}

static inline ash_vec3 v3_min(ash_vec3 a, ash_vec3 b)
{
    return v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline ash_vec3 v3_max(ash_vec3 a, ash_vec3 b)
{
    return v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static inline ash_vec3 v3_abs(ash_vec3 a)
{
    return v3(fabs(a.x), fabs(a.y), fabs(a.z));
}

static inline double v3_max_component(ash_vec3 a)
{
    double m = a.x > a.y ? a.x : a.y;
    return m > a.z ? m : a.z;
}

static inline bool v3_is_finite(ash_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Some unit vector perpendicular to the unit vector a, the same for the same a. */
static inline ash_vec3 v3_perpendicular(ash_vec3 a)
{
    ash_vec3 other = fabs(a.x) < 0.57735 ? v3(1, 0, 0) : fabs(a.y) < 0.57735 ? v3(0, 1, 0) : v3(0, 0, 1);
    return v3_unit(v3_cross(a, other));
}

#endif
