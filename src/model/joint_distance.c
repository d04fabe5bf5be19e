/* A rod: the origins of the frames stay `length` apart. C = |p_b - p_a| - length.
 *
 * A rod of length 0 has no direction; it is refused, since it should be a ball joint. If the origins of an open rod
 * coincide, it pushes along x of a. */
#include "model/joint_special.h"

bool ashi_joint_take_length(const ash_joint_def *def, double present, const char *zero_means, ashi_joint_entry *joint,
                            ash_diagnostic *diagnostic)
{
    double length = def->length < 0 ? present : def->length;
    if (!(length > 0) || !isfinite(length)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.length", "%s is %g m",
                  def->length < 0 ? "the length at creation" : "length", length);
        ashi_expect(diagnostic, "a length above 0: %s", zero_means);
        return false;
    }
    joint->length = length;
    return true;
}

void ashi_distance_coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                              ashi_joint_row *row)
{
    (void)joint, (void)freedom;
    ashi_distance_row(frames, row);
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    ashi_joint_frames frames = ashi_joint_frames_now(model, joint);
    joint->removed = ASH_FREEDOM_BIT(ASH_MOVE_X);
    joint->kept = 0;
    return ashi_joint_take_length(def, v3_norm(frames.offset), "a rod without length is a ball joint", joint,
                                  diagnostic);
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    ashi_distance_row(frames, &rows[0]);
    rows[0].error -= joint->length;
    return 1;
}

const ashi_joint_class ashi_distance_class = {.name = "distance",
                                              .has_length = true,
                                              .has_line = true,
                                              .define = define,
                                              .hold = hold,
                                              .coordinate = ashi_distance_coordinate};
