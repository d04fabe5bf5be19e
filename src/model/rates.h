/* Quantities with their first and second time derivatives while no force acts: bodies keep their velocities and spins.
 * The second rate of a joint's coordinate is then its drift, exactly: d2C/dt2 = J a + drift. */
#ifndef ASHI_MODEL_RATES_H
#define ASHI_MODEL_RATES_H

#include "model/joint_rows.h"

typedef struct ashi_rate {
    double value, first, second;
} ashi_rate;

typedef struct ashi_rate3 {
    ash_vec3 value, first, second;
} ashi_rate3;

static inline ashi_rate3 rate3_add_scaled(ashi_rate3 a, ashi_rate3 b, double s)
{
    return (ashi_rate3){v3_add_scaled(a.value, b.value, s), v3_add_scaled(a.first, b.first, s),
                        v3_add_scaled(a.second, b.second, s)};
}

static inline ashi_rate3 rate3_sub(ashi_rate3 a, ashi_rate3 b)
{
    return rate3_add_scaled(a, b, -1);
}

static inline ashi_rate rate3_dot(ashi_rate3 a, ashi_rate3 b)
{
    return (ashi_rate){v3_dot(a.value, b.value), v3_dot(a.first, b.value) + v3_dot(a.value, b.first),
                       v3_dot(a.second, b.value) + 2 * v3_dot(a.first, b.first) + v3_dot(a.value, b.second)};
}

static inline ashi_rate3 rate3_cross(ashi_rate3 a, ashi_rate3 b)
{
    return (ashi_rate3){v3_cross(a.value, b.value), v3_add(v3_cross(a.first, b.value), v3_cross(a.value, b.first)),
                        v3_add(v3_add(v3_cross(a.second, b.value), v3_cross(a.value, b.second)),
                               v3_scale(v3_cross(a.first, b.first), 2))};
}

/* A vector times a scalar. */
static inline ashi_rate3 rate3_times(ashi_rate3 a, ashi_rate s)
{
    return (ashi_rate3){
        v3_scale(a.value, s.value), v3_add_scaled(v3_scale(a.first, s.value), a.value, s.first),
        v3_add_scaled(v3_add_scaled(v3_scale(a.second, s.value), a.first, 2 * s.first), a.value, s.second)};
}

/* The length of a vector that is not zero. */
static inline ashi_rate rate3_norm(ashi_rate3 a)
{
    double norm = v3_norm(a.value), first = v3_dot(a.value, a.first) / norm;
    return (ashi_rate){norm, first, (v3_dot(a.first, a.first) + v3_dot(a.value, a.second) - first * first) / norm};
}

/* The direction of a vector that is not zero. */
static inline ashi_rate3 rate3_unit(ashi_rate3 a)
{
    ashi_rate norm = rate3_norm(a);
    double inverse = 1 / norm.value, first = -norm.first * inverse * inverse;
    double second = -norm.second * inverse * inverse - 2 * norm.first * first * inverse;
    return rate3_times(a, (ashi_rate){inverse, first, second});
}

/* The angle whose cosine and sine have the ratio of `cosine` to `sine`, not both zero. */
static inline ashi_rate rate_angle(ashi_rate cosine, ashi_rate sine)
{
    double square = cosine.value * cosine.value + sine.value * sine.value;
    double first = (cosine.value * sine.first - sine.value * cosine.first) / square;
    double growth = 2 * (cosine.value * cosine.first + sine.value * sine.first);
    return (ashi_rate){ashi_atan2(sine.value, cosine.value), first,
                       (cosine.value * sine.second - sine.value * cosine.second - first * growth) / square};
}

/* A direction fixed in a body with this spin. */
static inline ashi_rate3 rate3_axis(ash_vec3 axis, ash_vec3 spin)
{
    ash_vec3 first = v3_cross(spin, axis);
    return (ashi_rate3){axis, first, v3_cross(spin, first)};
}

/* A point of a body: where it is, its arm from the centre of mass, that centre's velocity and the body's spin. */
static inline ashi_rate3 rate3_point(ash_vec3 point, ash_vec3 arm, ash_vec3 velocity, ash_vec3 spin)
{
    ashi_rate3 turning = rate3_axis(arm, spin);
    return (ashi_rate3){point, v3_add(velocity, turning.first), turning.second};
}

static inline ashi_rate3 rate3_origin_a(const ashi_joint_frames *frames)
{
    return rate3_point(frames->origin_a, frames->arm_a, frames->velocity_a, frames->spin_a);
}

static inline ashi_rate3 rate3_origin_b(const ashi_joint_frames *frames)
{
    return rate3_point(frames->origin_b, frames->arm_b, frames->velocity_b, frames->spin_b);
}

#endif
