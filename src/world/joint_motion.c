/* Reading and changing the coordinates of joints, and their axes. */
#include "model/joint_class.h"
#include "world/joint_axis.h"
#include "world/world.h"

/* The joint of a handle, for a freedom that must exist (and, with `kept`, not be removed); null after reporting the
 * misuse. */
static ashi_joint_entry *freedom_of(const ash_world *world, ash_joint joint, ash_freedom freedom, bool kept,
                                    const char *call, ash_status *status)
{
    uint32_t slot = ashi_world_joint(world, joint, call);
    *status = ASH_BAD_HANDLE;
    if (slot == ASHI_NO_SLOT)
        return NULL;
    ashi_joint_entry *found = &world->model.joints.entries.data[slot];
    *status = ASH_OK;
    if ((unsigned)freedom >= ASH_FREEDOMS)
        *status = ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.freedom", "%s: there is no freedom %d", call,
                                    (int)freedom);
    else if (kept && (found->kept & ASH_FREEDOM_BIT(freedom)) == 0)
        *status = ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.freedom", "%s: the %s joint does not keep %s", call,
                                    ash_joint_kind_name(found->kind), ash_freedom_name(freedom));
    return *status == ASH_OK ? found : NULL;
}

double ash_joint_get_position(const ash_world *world, ash_joint joint, ash_freedom freedom)
{
    ash_status status;
    const ashi_joint_entry *found = freedom_of(world, joint, freedom, false, __func__, &status);
    return found != NULL ? ashi_joint_position(&world->model, found, &world->model.bodies.now, freedom) : 0;
}

double ash_joint_get_rate(const ash_world *world, ash_joint joint, ash_freedom freedom)
{
    ash_status status;
    const ashi_joint_entry *found = freedom_of(world, joint, freedom, false, __func__, &status);
    return found != NULL ? ashi_joint_rate(&world->model, found, &world->model.bodies.now, freedom) : 0;
}

/* The body to be moved: b, or a if b is static; ASHI_NO_SLOT after reporting the misuse. */
static uint32_t movable(const ash_world *world, const ashi_joint_entry *joint, double value, const char *call)
{
    const ashi_bodies *bodies = &world->model.bodies;
    if (!isfinite(value)) {
        ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.value", "%s: %g is not finite", call, value);
        return ASHI_NO_SLOT;
    }
    if (bodies->info[joint->body_b].type != ASH_BODY_STATIC)
        return joint->body_b;
    if (bodies->info[joint->body_a].type != ASH_BODY_STATIC)
        return joint->body_a;
    ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.static", "%s: both bodies are static", call);
    return ASHI_NO_SLOT;
}

ash_status ash_joint_set_position(ash_world *world, ash_joint joint, ash_freedom freedom, double value)
{
    ash_status status;
    ashi_joint_entry *found = freedom_of(world, joint, freedom, true, __func__, &status);
    uint32_t body = found != NULL ? movable(world, found, value, __func__) : ASHI_NO_SLOT;
    if (body == ASHI_NO_SLOT)
        return status != ASH_OK ? status : ASH_BAD_ARGUMENT;
    bool piston = ashi_joint_class_of(found->kind)->has_piston;
    if (piston && !(value >= found->min_length && value <= found->max_length))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.position",
                                 "%s: a piston from %g to %g m cannot be at %g", __func__, found->min_length,
                                 found->max_length, value);
    ashi_world_disturb(world, body);
    if (!ashi_joint_move(&world->model, found, body, freedom, value, &world->model.bodies.now))
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "joint.position", "%s: %s of the %s joint cannot be %g",
                                 __func__, ash_freedom_name(freedom), ash_joint_kind_name(found->kind), value);
    found->turn[freedom] = value;
    if (piston) /* the piston has been put there and does not go back */
        found->held_length = value;
    return ASH_OK;
}

ash_status ash_joint_set_rate(ash_world *world, ash_joint joint, ash_freedom freedom, double value)
{
    ash_status status;
    ashi_joint_entry *found = freedom_of(world, joint, freedom, true, __func__, &status);
    uint32_t body = found != NULL ? movable(world, found, value, __func__) : ASHI_NO_SLOT;
    if (body == ASHI_NO_SLOT)
        return status != ASH_OK ? status : ASH_BAD_ARGUMENT;
    ashi_bodies *bodies = &world->model.bodies;
    ashi_world_disturb(world, body);
    ashi_joint_set_in_motion(&world->model, found, body, freedom, value, &bodies->now);
    bodies->now.velocity[body] = ashi_unlocked_velocity(bodies, body, bodies->now.velocity[body]);
    bodies->now.spin[body] = ashi_unlocked_spin(bodies, body, bodies->now.spin[body]);
    return ASH_OK;
}

ash_joint_axis ash_joint_get_axis(const ash_world *world, ash_joint joint, ash_freedom freedom)
{
    ash_status status;
    const ashi_joint_entry *found = freedom_of(world, joint, freedom, false, __func__, &status);
    return found != NULL && found->axes != NULL ? found->axes[freedom] : ashi_free_axis();
}

/* Replaces one axis; the previous forces along it are no longer a first guess. */
static ash_status change_axis(ash_world *world, ashi_joint_entry *joint, ash_freedom freedom,
                              const ash_joint_axis *axis)
{
    ash_diagnostic own = {0};
    ash_joint_axis axes[ASH_FREEDOMS], *copies;
    if (!ashi_check_axis(joint, freedom, axis, &own))
        return ashi_world_note(world, &own);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        axes[i] = i == (int)freedom ? *axis : joint->axes != NULL ? joint->axes[i] : ashi_free_axis();
    if (!ashi_copy_axes(axes, &copies, &own))
        return ashi_world_note(world, &own);
    ashi_world_disturb_joint(world, joint);
    ash_drive before = joint->axes != NULL ? joint->axes[freedom].motor.drive : ASH_DRIVE_OFF;
    if (axis->motor.drive != before) {
        joint->integral[freedom] = 0;
        joint->force[ASHI_DRIVE_KEY + freedom] = 0;
    }
    ashi_release_axes(joint->axes);
    joint->axes = copies;
    return ASH_OK;
}

ash_status ash_joint_set_axis(ash_world *world, ash_joint joint, ash_freedom freedom, const ash_joint_axis *axis)
{
    ash_status status;
    ashi_joint_entry *found = freedom_of(world, joint, freedom, false, __func__, &status);
    return found != NULL ? change_axis(world, found, freedom, axis) : status;
}

ash_status ash_joint_set_servo(ash_world *world, ash_joint joint, ash_freedom freedom, double proportional,
                               double integral, double derivative)
{
    ash_status status;
    ashi_joint_entry *found = freedom_of(world, joint, freedom, true, __func__, &status);
    if (found == NULL)
        return status;
    ash_joint_axis axis = found->axes != NULL ? found->axes[freedom] : ashi_free_axis();
    axis.motor.drive = ASH_DRIVE_SERVO;
    axis.motor.proportional = proportional;
    axis.motor.integral = integral;
    axis.motor.derivative = derivative;
    return change_axis(world, found, freedom, &axis);
}

ash_status ash_joint_set_motor(ash_world *world, ash_joint joint, ash_freedom freedom, ash_drive drive, double target,
                               double max_force)
{
    ash_status status;
    ashi_joint_entry *found = freedom_of(world, joint, freedom, true, __func__, &status);
    if (found == NULL)
        return status;
    /* A motor that only gets another target keeps its signal, gains and integral: controllers call this often. */
    if (found->axes != NULL && found->axes[freedom].motor.drive == drive && isfinite(target) && max_force >= 0) {
        ashi_world_disturb_joint(world, found);
        found->axes[freedom].motor.target = target;
        found->axes[freedom].motor.max_force = max_force;
        return ASH_OK;
    }
    ash_joint_axis axis = found->axes != NULL ? found->axes[freedom] : ashi_free_axis();
    axis.motor.drive = drive;
    axis.motor.target = target;
    axis.motor.max_force = max_force;
    return change_axis(world, found, freedom, &axis);
}
