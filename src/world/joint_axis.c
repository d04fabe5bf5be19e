/* The axes of a joint: limits, friction, springs and motors, checked field by field. */
#include "world/joint_axis.h"

#include "model/joint_class.h"
#include "world/signal_copy.h"
#include "world/world.h"

#include <string.h>

ash_joint_axis ashi_free_axis(void)
{
    return (ash_joint_axis){.lower = -INFINITY, .upper = INFINITY, .motor.max_force = INFINITY};
}

/* Whether nothing acts; numbers without effect may have any value. */
static bool is_free(const ash_joint_axis *axis)
{
    return axis->lower < 0 && isinf(axis->lower) && axis->upper > 0 && isinf(axis->upper) && axis->friction == 0 &&
           axis->stiffness == 0 && axis->damping == 0 && axis->motor.drive == ASH_DRIVE_OFF;
}

static bool check_number(bool good, ash_freedom freedom, const char *field, double value, const char *expected,
                         ash_diagnostic *diagnostic)
{
    if (good)
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "joint.axis", "%s of %s is %g", field, ash_freedom_name(freedom), value);
    ashi_expect(diagnostic, "%s", expected);
    return false;
}

static bool check_coefficient(ash_freedom freedom, const char *field, double value, ash_diagnostic *diagnostic)
{
    return check_number(isfinite(value) && value >= 0, freedom, field, value, "0 or more", diagnostic);
}

/* Equal limits would be two limits that fight each other. */
static bool check_limits(ash_freedom freedom, const ash_joint_axis *axis, ash_diagnostic *diagnostic)
{
    if (axis->lower < axis->upper) /* also false for NaN */
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "joint.limits", "the limits of %s are %g and %g", ash_freedom_name(freedom),
              axis->lower, axis->upper);
    ashi_expect(diagnostic, "lower below upper; to hold a freedom, take a kind that removes it");
    return false;
}

static bool check_motor(ash_freedom freedom, const ash_joint_motor *motor, ash_diagnostic *diagnostic)
{
    if ((unsigned)motor->drive >= ASH_DRIVES) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.drive", "the drive of %s is %d", ash_freedom_name(freedom),
                  (int)motor->drive);
        ashi_expect(diagnostic, "off, velocity, position or servo");
        return false;
    }
    /* also for drives that do not act: stored values must not be NaN, or no snapshot can be taken */
    if (!check_number(isfinite(motor->target), freedom, "the motor's target", motor->target, "a finite number",
                      diagnostic) ||
        !check_number(motor->max_force >= 0, freedom, "the motor's max_force", motor->max_force,
                      "0 or more, or infinity", diagnostic) ||
        !check_coefficient(freedom, "the servo's proportional", motor->proportional, diagnostic) ||
        !check_coefficient(freedom, "the servo's integral", motor->integral, diagnostic) ||
        !check_coefficient(freedom, "the servo's derivative", motor->derivative, diagnostic))
        return false;
    if (motor->drive == ASH_DRIVE_OFF)
        return true;
    if (!ashi_check_signal(&motor->signal, "joint", diagnostic))
        return false;
    if (motor->drive != ASH_DRIVE_SERVO)
        return true;
    return check_number(motor->proportional > 0 || motor->derivative > 0, freedom, "the servo's proportional", 0,
                        "proportional or derivative above 0", diagnostic);
}

bool ashi_check_axis(const ashi_joint_entry *joint, ash_freedom freedom, const ash_joint_axis *axis,
                     ash_diagnostic *diagnostic)
{
    if (is_free(axis))
        return true;
    if ((joint->kept & ASH_FREEDOM_BIT(freedom)) == 0) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.freedom", "something is to act along %s, which a %s joint %s",
                  ash_freedom_name(freedom), ash_joint_kind_name(joint->kind), "does not keep");
        ashi_expect(diagnostic, "limits, friction, springs and motors of kept freedoms only");
        return false;
    }
    if (ashi_joint_class_of(joint->kind)->drives && axis->motor.drive != ASH_DRIVE_OFF) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.piston-motor", "a motor acts along a hydraulic cylinder");
        ashi_expect(diagnostic, "no motor: the cylinder is one itself, controlled by ash_joint_set_piston");
        return false;
    }
    return check_limits(freedom, axis, diagnostic) &&
           check_coefficient(freedom, "friction", axis->friction, diagnostic) &&
           check_coefficient(freedom, "stiffness", axis->stiffness, diagnostic) &&
           check_coefficient(freedom, "damping", axis->damping, diagnostic) &&
           check_number(isfinite(axis->rest), freedom, "rest", axis->rest, "a finite number", diagnostic) &&
           check_motor(freedom, &axis->motor, diagnostic);
}

void ashi_release_axes(ash_joint_axis *axes)
{
    for (int i = 0; i < ASH_FREEDOMS && axes != NULL; i++) {
        ashi_dealloc((void *)axes[i].motor.signal.times);
        ashi_dealloc((void *)axes[i].motor.signal.values);
    }
    ashi_dealloc(axes);
}

bool ashi_copy_axes(const ash_joint_axis *axes, ash_joint_axis **copies, ash_diagnostic *diagnostic)
{
    bool any = false;
    *copies = NULL;
    for (int i = 0; i < ASH_FREEDOMS; i++)
        any |= !is_free(&axes[i]);
    if (!any)
        return true;
    ash_joint_axis *fresh = ashi_alloc_array(ASH_FREEDOMS, sizeof *fresh);
    if (fresh == NULL) {
        ashi_out_of_memory(diagnostic);
        return false;
    }
    for (int i = 0; i < ASH_FREEDOMS; i++) {
        fresh[i] = is_free(&axes[i]) ? ashi_free_axis() : axes[i];
        if (fresh[i].motor.drive == ASH_DRIVE_OFF) /* a signal without a drive is ignored */
            fresh[i].motor = ashi_free_axis().motor;
    }
    for (int i = 0; i < ASH_FREEDOMS; i++)
        if (!ashi_copy_signal(&fresh[i].motor.signal, diagnostic)) {
            for (int j = i + 1; j < ASH_FREEDOMS; j++) /* still the caller's */
                fresh[j].motor.signal.times = fresh[j].motor.signal.values = NULL;
            ashi_release_axes(fresh);
            return false;
        }
    *copies = fresh;
    return true;
}
