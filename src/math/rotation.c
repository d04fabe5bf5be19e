/* Rotations that are not worth inlining, and the public constructors. */
#include "math/mat3.h"

ash_transform ash_identity(void)
{
    return (ash_transform){v3(0, 0, 0), q_identity()};
}

ash_quat ash_rotation(ash_vec3 axis, double angle)
{
    return q_exp(v3_scale(v3_unit(axis), angle));
}

ash_quat ashi_quat_from_mat3(ash_mat3 m)
{
    /* Shepperd's way: start from the largest of the four components. */
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
