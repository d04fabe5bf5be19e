/* Rotations that are not worth inlining, public constructors, and the rare cases of v3_unit and q_unit. */
#include "math/mat3.h"

ash_vec3 ashi_unit_of_extreme(ash_vec3 a)
{
    double largest = v3_max_component(v3_abs(a));
    if (largest == 0)
        return v3(0, 0, 0);
    ash_vec3 moderate = v3(a.x / largest, a.y / largest, a.z / largest);
    return v3_scale(moderate, 1 / v3_norm(moderate));
}

ash_quat ashi_unit_of_extreme_quat(ash_quat q)
{
    double vector = v3_max_component(v3_abs(v3(q.x, q.y, q.z)));
    double largest = fabs(q.w) > vector ? fabs(q.w) : vector;
    if (largest == 0)
        return q_identity();
    ash_quat moderate = {q.w / largest, q.x / largest, q.y / largest, q.z / largest};
    double s = 1 / sqrt(q_norm2(moderate));
    return (ash_quat){moderate.w * s, moderate.x * s, moderate.y * s, moderate.z * s};
}

ash_transform ash_identity(void)
{
    return (ash_transform){v3(0, 0, 0), q_identity()};
}

ash_quat ash_rotation(ash_vec3 axis, double angle)
{
    ash_vec3 unit = v3_unit(axis);
    double sine, cosine;
    ashi_sincos(0.5 * angle, &sine, &cosine);
    if (v3_norm2(unit) == 0)
        return q_identity();
    return (ash_quat){cosine, sine * unit.x, sine * unit.y, sine * unit.z};
}

ash_quat ashi_quat_from_mat3(ash_mat3 m)
{
    /* Shepperd's method: start from the largest of the four components. */
    double trace = m.x.x + m.y.y + m.z.z;
    ash_quat q;
    if (trace >= m.x.x && trace >= m.y.y && trace >= m.z.z)
        q = (ash_quat){1 + trace, m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x};
    else if (m.x.x >= m.y.y && m.x.x >= m.z.z)
        q = (ash_quat){m.y.z - m.z.y, 1 + 2 * m.x.x - trace, m.x.y + m.y.x, m.z.x + m.x.z};
    else if (m.y.y >= m.z.z)
        q = (ash_quat){m.z.x - m.x.z, m.x.y + m.y.x, 1 + 2 * m.y.y - trace, m.y.z + m.z.y};
    else
        q = (ash_quat){m.x.y - m.y.x, m.z.x + m.x.z, m.y.z + m.z.y, 1 + 2 * m.z.z - trace};
    return q_unit(q);
}
