/* A hydraulic cylinder between the origins of the frames: the table of Gribel 2009, 5.2. With L the present length and
 * C the length that the piston has reached (`held_length`):
 *
 *   state      length constraint                             driver: dL/dt, and its force
 *   EXTEND     C <= L <= max_length                          speed, at most max_force; it brakes with any
 *   CONTRACT   min_length <= L <= C                          -speed, at least -max_force; it brakes with any
 *   HOLD       L = C                                         none
 *
 * C follows L as long as L moves in the direction of the state, so that a load above max_force cannot push the piston
 * back: oil is incompressible. Near the end of travel the driver slows down so as to reach it within a step, and is off
 * there. */
#include "model/joint_special.h"

static double bounded(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    if (!(def->min_length >= 0) || !(def->max_length >= def->min_length) || !(def->max_length > 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.piston-length", "min_length is %g m, max_length %g m",
                  def->min_length, def->max_length);
        ashi_expect(diagnostic, "0 <= min_length <= max_length, and max_length above 0");
        return false;
    }
    if (!(def->speed >= 0) || !isfinite(def->speed) || !(def->max_force >= 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.piston-drive", "speed is %g m/s, max_force %g N", def->speed,
                  def->max_force);
        ashi_expect(diagnostic, "a finite speed and a force of 0 or more");
        return false;
    }
    if ((unsigned)def->piston >= ASH_PISTONS) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.piston", "%d is not a state of a piston", (int)def->piston);
        ashi_expect(diagnostic, "hold, extend or contract");
        return false;
    }
    double length = v3_norm(ashi_joint_frames_now(model, joint).offset);
    joint->min_length = def->min_length;
    joint->max_length = def->max_length;
    joint->speed = def->speed;
    joint->max_force = def->max_force;
    joint->piston = def->piston;
    joint->held_length = bounded(length, def->min_length, def->max_length);
    joint->removed = 0;
    joint->kept = ASH_FREEDOM_BIT(ASH_MOVE_X);
    return true;
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    if (joint->piston != ASH_PISTON_HOLD)
        return 0;
    ashi_distance_row(frames, &rows[0]);
    rows[0].error -= joint->held_length;
    return 1;
}

static uint32_t act(const ashi_joint_entry *joint, const ashi_joint_frames *frames, double time, double h,
                    ashi_joint_row *rows)
{
    (void)time;
    if (joint->piston == ASH_PISTON_HOLD)
        return 0;
    bool extends = joint->piston == ASH_PISTON_EXTEND;
    double least = extends ? joint->held_length : joint->min_length;
    double most = extends ? joint->max_length : joint->held_length;
    ashi_joint_row along = ashi_joint_row_begin();
    ashi_distance_row(frames, &along);
    double length = along.error;
    uint32_t count = 0;
    double way = extends ? most - length : length - least, speed = joint->speed;
    if (h > 0 && speed * h > way)
        speed = way / h;
    if (way > 0) {
        rows[count] = along;
        rows[count].error = 0;
        rows[count].role = ASHI_ROW_DRIVE;
        rows[count].key = ASHI_DRIVE_KEY + ASH_MOVE_X;
        rows[count].speed = extends ? speed : -speed;
        if (extends)
            rows[count].upper = joint->max_force;
        else
            rows[count].lower = -joint->max_force;
        count++;
    }
    /* The length constraint comes after its driver, so that it wins in sweeps that end early. */
    bool upper = most - length < length - least;
    rows[count] = along;
    if (ashi_joint_own_limit(frames, upper ? most : least, upper, h, &rows[count]))
        count++;
    return count;
}

static void advance(ashi_joint_entry *joint, const ashi_joint_frames *frames, double time, double h)
{
    (void)time, (void)h;
    double length = bounded(v3_norm(frames->offset), joint->min_length, joint->max_length);
    bool ahead = joint->piston == ASH_PISTON_EXTEND ? length > joint->held_length : length < joint->held_length;
    if (joint->piston != ASH_PISTON_HOLD && ahead)
        joint->held_length = length;
}

const ashi_joint_class ashi_hydraulic_class = {.name = "hydraulic",
                                               .drives = true,
                                               .has_line = true,
                                               .has_piston = true,
                                               .define = define,
                                               .hold = hold,
                                               .coordinate = ashi_distance_coordinate,
                                               .act = act,
                                               .advance = advance};
