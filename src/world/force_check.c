/* Checks of springs, drags, pulls and loads, at creation and when a snapshot is restored. */
#include "world/force_check.h"

#include "base/diagnostic.h"
#include "world/signal_copy.h"

bool ashi_check_coefficient(double value, const char *field, ash_diagnostic *diagnostic)
{
    if (isfinite(value) && value >= 0)
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "force.coefficient", "%s is %g", field, value);
    ashi_expect(diagnostic, "0 or more");
    return false;
}

static bool check_vector(ash_vec3 v, const char *field, ash_diagnostic *diagnostic)
{
    if (v3_is_finite(v))
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "force.not-finite", "%s is (%g, %g, %g): not finite", field, v.x, v.y, v.z);
    return false;
}

static bool check_ends(uint32_t a, uint32_t b, ash_diagnostic *diagnostic)
{
    if (a != b)
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "force.same-body", "both ends are at the same body");
    return false;
}

bool ashi_check_spring(const ashi_spring *spring, ash_diagnostic *diagnostic)
{
    if (!check_vector(spring->point_a, "point_a", diagnostic) ||
        !check_vector(spring->point_b, "point_b", diagnostic) ||
        !ashi_check_coefficient(spring->stiffness, "stiffness", diagnostic) ||
        !ashi_check_coefficient(spring->damping, "damping", diagnostic))
        return false;
    if (!(isfinite(spring->rest_length) && spring->rest_length >= 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "spring.rest-length", "rest_length is %g", spring->rest_length);
        return false;
    }
    return check_ends(spring->body_a, spring->body_b, diagnostic);
}

bool ashi_check_angular_spring(const ashi_angular_spring *spring, ash_diagnostic *diagnostic)
{
    if (!ashi_check_coefficient(spring->stiffness, "stiffness", diagnostic) ||
        !ashi_check_coefficient(spring->damping, "damping", diagnostic))
        return false;
    if (!(q_is_finite(spring->rest_rotation) && fabs(q_norm2(spring->rest_rotation) - 1) < 1e-6)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "angular-spring.rest", "rest_rotation is not a unit quaternion");
        return false;
    }
    return check_ends(spring->body_a, spring->body_b, diagnostic);
}

bool ashi_check_bending_spring(const ashi_bending_spring *spring, ash_diagnostic *diagnostic)
{
    static const char *const names[3] = {"point_a", "point_b", "point_c"};
    for (int i = 0; i < 3; i++)
        if (!check_vector(spring->point[i], names[i], diagnostic))
            return false;
    if (!ashi_check_coefficient(spring->stiffness, "stiffness", diagnostic) ||
        !ashi_check_coefficient(spring->damping, "damping", diagnostic))
        return false;
    if (!(spring->rest_angle >= 0 && spring->rest_angle <= ASHI_PI)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "bending-spring.rest", "rest_angle is %g", spring->rest_angle);
        ashi_expect(diagnostic, "0 (straight) to pi");
        return false;
    }
    if (spring->body[0] != spring->body[1] || spring->body[1] != spring->body[2])
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "force.same-body", "all three points are on the same body");
    return false;
}

bool ashi_check_drag(const ashi_bodies *bodies, const ashi_drag *drag, ash_diagnostic *diagnostic)
{
    ash_vec3 mask = drag->mask;
    if (!ashi_check_coefficient(drag->factor, "the product of density and coefficient", diagnostic) ||
        !ashi_check_coefficient(drag->area, "area", diagnostic) ||
        !ashi_check_coefficient(drag->linear, "linear", diagnostic) || !check_vector(drag->wind, "wind", diagnostic))
        return false;
    if (!(mask.x >= 0 && mask.x <= 1 && mask.y >= 0 && mask.y <= 1 && mask.z >= 0 && mask.z <= 1)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "drag.mask", "mask is (%g, %g, %g)", mask.x, mask.y, mask.z);
        ashi_expect(diagnostic, "0 to 1 for each axis");
        return false;
    }
    if (drag->area == 0 && drag->factor > 0 && bodies->info[drag->body].first_shape == ASHI_NO_SLOT) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "drag.area", "the body has no shape to take the drag's area from");
        ashi_expect(diagnostic, "an area, or a body with shapes");
        return false;
    }
    return true;
}

bool ashi_check_pull(const ashi_pull *pull, ash_diagnostic *diagnostic)
{
    return check_vector(pull->point, "point", diagnostic) && check_vector(pull->target, "target", diagnostic) &&
           ashi_check_coefficient(pull->stiffness, "stiffness", diagnostic) &&
           ashi_check_coefficient(pull->damping, "damping", diagnostic) &&
           ashi_check_coefficient(pull->max_force, "max_force", diagnostic);
}

bool ashi_check_load(const ashi_load *load, ash_diagnostic *diagnostic)
{
    if (!check_vector(load->force, "force", diagnostic) || !check_vector(load->torque, "torque", diagnostic) ||
        !check_vector(load->point, "point", diagnostic) || !ashi_check_signal(&load->signal, "load", diagnostic))
        return false;
    if (load->start <= load->stop) /* infinite ends are fine */
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "load.span", "the load starts at %g s and stops at %g s", load->start,
              load->stop);
    return false;
}
