/* Poses of MJCF: a place, and an orientation in one of five ways. */
#include "math/mat3.h"
#include "math/transform.h"
#include "scene/import/mjcf.h"

#include <string.h>

double mjcf_angle(const mjcf *m, double value)
{
    return m->degrees ? value * 3.14159265358979323846 / 180 : value;
}

ash_quat mjcf_turn_z_along(ash_vec3 axis)
{
    axis = v3_unit(axis);
    if (axis.z < -1 + 1e-14)
        return (ash_quat){0, 1, 0, 0};
    return q_unit((ash_quat){1 + axis.z, -axis.y, axis.x, 0});
}

static ash_quat turn_by_euler(const mjcf *m, const double *angles)
{
    ash_quat q = q_identity();
    for (int i = 0; i < 3; i++) {
        char letter = m->euler[i];
        int axis = letter >= 'x' ? letter - 'x' : letter - 'X';
        ash_quat turn = ash_rotation(v3(axis == 0, axis == 1, axis == 2), mjcf_angle(m, angles[i]));
        q = letter >= 'x' ? q_mul(q, turn) : q_mul(turn, q); /* small letters: about axes that turn along */
    }
    return q;
}

static bool no_direction(mjcf *m, ashi_xml *element, const char *name)
{
    return ashi_draft_fail(m->draft, element, "mjcf.orientation", "%s of <%s> has no direction", name, element->name);
}

bool mjcf_read_rotation(mjcf *m, ashi_xml *element, ash_quat *rotation)
{
    static const char *const names[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    static const uint32_t counts[] = {4, 4, 6, 3, 3};
    for (int i = 0; i < 5; i++) {
        double n[6];
        uint32_t count;
        if (!ashi_draft_numbers(m->draft, element, names[i], counts[i], counts[i], n, &count))
            return false;
        if (count == 0)
            continue;
        ash_vec3 x = v3(n[0], n[1], n[2]), axis = v3_unit(x);
        if (i < 4 && i > 0 && !(v3_norm(x) > 0))
            return no_direction(m, element, names[i]);
        if (i == 0 && !(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3] > 0))
            return no_direction(m, element, names[i]);
        if (i == 0)
            *rotation = q_unit((ash_quat){n[0], n[1], n[2], n[3]});
        else if (i == 1)
            *rotation = ash_rotation(axis, mjcf_angle(m, n[3]));
        else if (i == 2) {
            ash_vec3 y = v3(n[3], n[4], n[5]);
            y = v3_add_scaled(y, axis, -v3_dot(y, axis));
            if (!(v3_norm(y) > 0))
                return no_direction(m, element, names[i]);
            y = v3_unit(y);
            *rotation = ashi_quat_from_mat3((ash_mat3){axis, y, v3_cross(axis, y)});
        } else
            *rotation = i == 3 ? mjcf_turn_z_along(x) : turn_by_euler(m, n);
        if (!q_is_finite(*rotation))
            return no_direction(m, element, names[i]);
    }
    return true;
}

bool mjcf_read_pose(mjcf *m, ashi_xml *element, ash_transform *pose)
{
    *pose = ash_identity();
    return ashi_draft_vector(m->draft, element, "pos", &pose->position) &&
           mjcf_read_rotation(m, element, &pose->rotation);
}
