/* Poses: first rotate, then translate. */
#ifndef ASHI_MATH_TRANSFORM_H
#define ASHI_MATH_TRANSFORM_H

#include "math/quat.h"

static inline ash_vec3 t_point(ash_transform t, ash_vec3 point)
{
    return v3_add(t.position, q_rotate(t.rotation, point));
}

static inline ash_vec3 t_point_inverse(ash_transform t, ash_vec3 point)
{
    return q_unrotate(t.rotation, v3_sub(point, t.position));
}

/* First b, then a. */
static inline ash_transform t_mul(ash_transform a, ash_transform b)
{
    return (ash_transform){t_point(a, b.position), q_mul(a.rotation, b.rotation)};
}

static inline ash_transform t_inverse(ash_transform t)
{
    ash_quat back = q_conjugate(t.rotation);
    return (ash_transform){v3_neg(q_rotate(back, t.position)), back};
}

static inline bool t_is_finite(ash_transform t)
{
    return v3_is_finite(t.position) && q_is_finite(t.rotation);
}

#endif
