/* A wheel's suspension: b moves along x of a (the strut), steers about it, and rolls about y of b, which stays
 * perpendicular to x of a. Springs, dampers and limits act along move-x; a motor on turn-x steers, one on turn-y drives
 * or brakes.
 *
 * In planar worlds there is nothing to steer: b moves along x of a and rolls about z (turn-z), Gribel's slider. */
#include "model/joint_special.h"

static uint32_t removed_in(bool planar)
{
    uint32_t across = ASH_FREEDOM_BIT(ASH_MOVE_Y);
    return planar ? across : across | ASH_FREEDOM_BIT(ASH_MOVE_Z) | ASH_FREEDOM_BIT(ASH_TURN_Z);
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    (void)def, (void)diagnostic;
    bool planar = model->bodies.planar;
    joint->removed = removed_in(planar);
    joint->angle = ASHI_PI / 2;
    joint->kept = ASH_FREEDOM_BIT(ASH_MOVE_X) |
                  (planar ? ASH_FREEDOM_BIT(ASH_TURN_Z) : ASH_FREEDOM_BIT(ASH_TURN_X) | ASH_FREEDOM_BIT(ASH_TURN_Y));
    return true;
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    return ashi_removed_rows(frames, joint->removed, joint->angle, rows);
}

static void coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row)
{
    ashi_kept_row(frames, joint->removed, freedom, row);
}

const ashi_joint_class ashi_suspension_class = {
    .name = "suspension", .framed = true, .define = define, .hold = hold, .coordinate = coordinate};
