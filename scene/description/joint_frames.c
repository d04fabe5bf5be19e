/* The frames of a joint between bodies of a description, from one place in the world. */
#include "math/quat.h"
#include "scene/description/description.h"

ash_quat ashi_turn_x_along(ash_vec3 axis)
{
    double across2 = axis.y * axis.y + axis.z * axis.z;
    if (axis.x < 0 && across2 == 0)
        return (ash_quat){0, 0, 0, 1};
    /* 1 + x loses its digits near -x; there it is (1 - x^2) / (1 - x). */
    double w = axis.x < 0 ? across2 / (1 - axis.x) : 1 + axis.x;
    return q_unit((ash_quat){w, 0, -axis.z, axis.y});
}

static ash_transform in_body(const ash_scene *scene, ash_body body, ash_vec3 point, ash_quat rotation)
{
    if (body.id == 0)
        return (ash_transform){point, rotation};
    const ash_body_def *def = &scene->bodies.data[body.id - 1].def;
    return (ash_transform){q_unrotate(def->rotation, v3_sub(point, def->position)),
                           q_unit(q_mul(q_conjugate(def->rotation), rotation))};
}

bool ashi_scene_place_joint(const ash_scene *scene, ash_joint_def *def, ash_vec3 point, ash_vec3 axis)
{
    double length = v3_norm(axis);
    if (!(length > 0) || !isfinite(length))
        return false;
    ash_quat rotation = ashi_turn_x_along(v3_scale(axis, 1 / length));
    def->frame_a = in_body(scene, def->body_a, point, rotation);
    def->frame_b = in_body(scene, def->body_b, point, rotation);
    return v3_is_finite(def->frame_a.position) && v3_is_finite(def->frame_b.position);
}
