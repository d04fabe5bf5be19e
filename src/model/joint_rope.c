/* A rope: the origins of the frames are at most `length` apart. A slack rope holds nothing; its coordinate is the
 * distance of its ends. */
#include "model/joint_special.h"

bool ashi_joint_own_limit(const ashi_joint_frames *frames, double limit, bool upper, double h, ashi_joint_row *row)
{
    ashi_joint_row_limit(row, limit, upper);
    row->key = ASHI_OWN_LIMIT_KEY;
    return ashi_limit_near(frames, row, h);
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    ashi_joint_frames frames = ashi_joint_frames_now(model, joint);
    joint->removed = 0;
    joint->kept = ASH_FREEDOM_BIT(ASH_MOVE_X);
    return ashi_joint_take_length(def, v3_norm(frames.offset), "a rope without length is a ball joint", joint,
                                  diagnostic);
}

static uint32_t act(const ashi_joint_entry *joint, const ashi_joint_frames *frames, double time, double h,
                    ashi_joint_row *rows)
{
    (void)time;
    rows[0] = ashi_joint_row_begin();
    ashi_distance_row(frames, &rows[0]);
    return ashi_joint_own_limit(frames, joint->length, true, h, &rows[0]) ? 1 : 0;
}

const ashi_joint_class ashi_rope_class = {.name = "rope",
                                          .has_length = true,
                                          .has_line = true,
                                          .define = define,
                                          .coordinate = ashi_distance_coordinate,
                                          .act = act};
