/* A screw: a cylindrical joint whose travel along x of a follows its angle: x = pitch / (2 pi) angle, the angle counted
 * over full turns. Travel and angle are both coordinates; at angle 0 the origins coincide. */
#include "model/joint_special.h"

#define LEAST_PITCH 1e-9 /* m: full turns are derived from the travel, so their number must be finite */
#define CYLINDER                                                                                                       \
    (ASH_FREEDOM_BIT(ASH_MOVE_Y) | ASH_FREEDOM_BIT(ASH_MOVE_Z) | ASH_FREEDOM_BIT(ASH_TURN_Y) |                         \
     ASH_FREEDOM_BIT(ASH_TURN_Z))

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    if (model->bodies.planar) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.planar", "a screw cannot move in a planar world");
        ashi_expect(diagnostic, "a rack, for rotation that moves along a line");
        return false;
    }
    if (!isfinite(def->pitch) || !(fabs(def->pitch) >= LEAST_PITCH)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.pitch", "pitch is %g m", def->pitch);
        ashi_expect(diagnostic,
                    "a finite pitch of at least %g m, positive or negative: a screw without pitch is a hinge",
                    LEAST_PITCH);
        return false;
    }
    joint->pitch = def->pitch;
    joint->removed = CYLINDER;
    joint->kept = ASH_FREEDOM_BIT(ASH_MOVE_X) | ASH_FREEDOM_BIT(ASH_TURN_X);
    /* A nut may start some turns up its thread: the travel gives the number of full turns. */
    ashi_joint_frames frames = ashi_joint_frames_now(model, joint);
    joint->turn[ASH_TURN_X] = v3_dot(frames.axes_a[0], frames.offset) * 2 * ASHI_PI / joint->pitch;
    return true;
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    uint32_t count = ashi_removed_rows(frames, CYLINDER, 0, rows);
    ashi_joint_row turn = rows[count];
    ashi_point_row(frames, frames->axes_a[0], &rows[count]);
    ashi_twist_row(frames, 0, &turn);
    turn.error = ashi_count_turns(turn.error, joint->turn[ASH_TURN_X]);
    ashi_joint_row_add(&rows[count], &turn, -joint->pitch / (2 * ASHI_PI));
    return count + 1;
}

static void coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row)
{
    (void)joint;
    ashi_kept_row(frames, CYLINDER, freedom, row);
}

const ashi_joint_class ashi_screw_class = {
    .name = "screw", .framed = true, .winds = true, .define = define, .hold = hold, .coordinate = coordinate};
