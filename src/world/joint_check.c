/* Checks of joints: what all kinds have in common is checked at creation; a joint from a snapshot is checked
 * completely, its kind's part by the kind's own function. */
#include "world/joint_check.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "model/joint_class.h"
#include "world/joint_axis.h"

static bool check_frame(const ash_transform *frame, const char *field, ash_diagnostic *diagnostic)
{
    if (!v3_is_finite(frame->position)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.frame", "the position of %s is (%g, %g, %g): not finite", field,
                  frame->position.x, frame->position.y, frame->position.z);
        return false;
    }
    if (!q_is_finite(frame->rotation) || !(fabs(q_norm2(frame->rotation) - 1) < 1e-6)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.frame", "the rotation of %s is (%g, %g, %g, %g)", field,
                  frame->rotation.w, frame->rotation.x, frame->rotation.y, frame->rotation.z);
        ashi_expect(diagnostic, "a unit quaternion");
        return false;
    }
    return true;
}

bool ashi_check_joint_frames(const ashi_joint_entry *joint, ash_diagnostic *diagnostic)
{
    return check_frame(&joint->frame_a, "frame_a", diagnostic) && check_frame(&joint->frame_b, "frame_b", diagnostic);
}

static bool check_strength(double value, bool may_be_infinite, const char *field, ash_diagnostic *diagnostic)
{
    if (value >= 0 && (may_be_infinite || isfinite(value)))
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "joint.coefficient", "%s is %g", field, value);
    ashi_expect(diagnostic, may_be_infinite ? "0 or more, or infinity" : "0 or more");
    return false;
}

bool ashi_check_joint_strengths(const ashi_joint_entry *joint, ash_diagnostic *diagnostic)
{
    return check_strength(joint->compliance, false, "compliance", diagnostic) &&
           check_strength(joint->angular_compliance, false, "angular_compliance", diagnostic) &&
           check_strength(joint->break_force, true, "break_force", diagnostic) &&
           check_strength(joint->break_torque, true, "break_torque", diagnostic);
}

static bool is_flat(const ash_transform *frame)
{
    return frame->rotation.x == 0 && frame->rotation.y == 0 && frame->position.z == 0;
}

/* The definition that a joint came from. */
static ash_joint_def definition_of(const ashi_joint_entry *joint)
{
    ash_joint_def def = ash_default_joint_def(joint->kind);
    def.removed = joint->removed;
    def.angle = joint->angle;
    def.cone = joint->cone;
    def.length = joint->length;
    def.pitch = joint->pitch;
    def.radius_a = joint->radius_a;
    def.radius_b = joint->radius_b;
    def.ratio = joint->ratio;
    def.hang_a = joint->hang_a;
    def.hang_b = joint->hang_b;
    def.min_length = joint->min_length;
    def.max_length = joint->max_length;
    def.speed = joint->speed;
    def.max_force = joint->max_force;
    return def;
}

/* Whether the kind makes the same joint from the definition again. */
static bool is_defined(const ashi_model *model, const ashi_joint_entry *joint, ash_diagnostic *diagnostic)
{
    ash_joint_def def = definition_of(joint);
    ashi_joint_entry again = *joint;
    return ashi_joint_class_of(joint->kind)->define(model, &def, &again, diagnostic) &&
           again.removed == joint->removed && again.kept == joint->kept && again.angle == joint->angle &&
           again.cone == joint->cone && again.length == joint->length && again.pitch == joint->pitch &&
           again.min_length == joint->min_length && again.max_length == joint->max_length &&
           again.speed == joint->speed && again.max_force == joint->max_force;
}

static bool kind_is_usable(const ashi_model *model, const ashi_joint_entry *joint, ash_diagnostic *diagnostic)
{
    const ashi_joint_class *class = ashi_joint_class_of(joint->kind);
    bool good =
        class->is_usable != NULL ? class->is_usable(joint, model->bodies.planar) : is_defined(model, joint, diagnostic);
    if (!good)
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.numbers", "no %s joint has these numbers",
                  ash_joint_kind_name(joint->kind));
    return good;
}

bool ashi_check_joint(const ashi_model *model, const ashi_joint_entry *joint, ash_diagnostic *diagnostic)
{
    if (!ashi_check_joint_frames(joint, diagnostic) || !ashi_check_joint_strengths(joint, diagnostic) ||
        !kind_is_usable(model, joint, diagnostic))
        return false;
    if (model->bodies.planar && !(is_flat(&joint->frame_a) && is_flat(&joint->frame_b))) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.frame", "a frame is tilted out of the plane of a planar world");
        return false;
    }
    for (int i = 0; i < ASH_FREEDOMS && joint->axes != NULL; i++)
        if (!ashi_check_axis(joint, (ash_freedom)i, &joint->axes[i], diagnostic))
            return false;
    return true;
}
