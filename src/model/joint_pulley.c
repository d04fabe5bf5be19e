/* A pulley: a rope from b over two points of the world to a. Its coordinate is the length
 *
 *   L = |p_a - hang_a| + ratio |p_b - hang_b| <= length,
 *
 * one-sided: a slack rope carries nothing. A part of the rope that has run in completely (p at its hanging point) has
 * no direction and exerts no force. */
#include "model/joint_special.h"
#include "model/rates.h"

/* A part of the rope and its direction away from the hanging point. */
static ashi_rate part_of(ashi_rate3 point, ash_vec3 hang, bool planar, ash_vec3 *direction)
{
    ashi_rate3 span = point;
    span.value = v3_sub(span.value, hang);
    if (planar)
        span.value.z = 0;
    if (v3_norm2(span.value) < 1e-24) {
        *direction = v3(0, 0, 0);
        return (ashi_rate){0, 0, 0};
    }
    *direction = v3_unit(span.value);
    return rate3_norm(span);
}

static void coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row)
{
    (void)freedom;
    ash_vec3 n_a, n_b;
    ashi_rate part_a = part_of(rate3_origin_a(frames), joint->hang_a, frames->planar, &n_a);
    ashi_rate part_b = part_of(rate3_origin_b(frames), joint->hang_b, frames->planar, &n_b);
    n_b = v3_scale(n_b, joint->ratio);
    row->linear_a = n_a;
    row->angular_a = v3_cross(frames->arm_a, n_a);
    row->linear_b = n_b;
    row->angular_b = v3_cross(frames->arm_b, n_b);
    row->error = part_a.value + joint->ratio * part_b.value;
    row->drift = part_a.second + joint->ratio * part_b.second;
    row->angular = false;
}

static bool hangs(const char *end, ash_vec3 hang, ash_vec3 point, bool planar, ash_diagnostic *diagnostic)
{
    ash_vec3 span = v3_sub(point, hang);
    if (planar)
        span.z = 0;
    if (v3_is_finite(hang) && v3_norm(span) > 1e-9)
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "joint.hang", "%s is (%g, %g, %g), where the rope is attached to its body", end,
              hang.x, hang.y, hang.z);
    ashi_expect(diagnostic, "a finite point away from (%g, %g, %g): the rope has no direction otherwise", point.x,
                point.y, point.z);
    return false;
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    ashi_joint_frames frames = ashi_joint_frames_now(model, joint);
    if (!(def->ratio > 0) || !isfinite(def->ratio)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.ratio", "ratio is %g", def->ratio);
        ashi_expect(diagnostic, "a finite ratio above 0");
        return false;
    }
    if (!hangs("hang_a", def->hang_a, frames.origin_a, frames.planar, diagnostic) ||
        !hangs("hang_b", def->hang_b, frames.origin_b, frames.planar, diagnostic))
        return false;
    joint->ratio = def->ratio;
    joint->hang_a = def->hang_a;
    joint->hang_b = def->hang_b;
    joint->removed = 0;
    joint->kept = ASH_FREEDOM_BIT(ASH_MOVE_X);
    ashi_joint_row row = ashi_joint_row_begin();
    coordinate(joint, &frames, ASH_MOVE_X, &row);
    return ashi_joint_take_length(def, row.error, "the rope of a pulley has some", joint, diagnostic);
}

static uint32_t act(const ashi_joint_entry *joint, const ashi_joint_frames *frames, double time, double h,
                    ashi_joint_row *rows)
{
    (void)time;
    rows[0] = ashi_joint_row_begin();
    coordinate(joint, frames, ASH_MOVE_X, &rows[0]);
    return ashi_joint_own_limit(frames, joint->length, true, h, &rows[0]) ? 1 : 0;
}

static bool is_usable(const ashi_joint_entry *joint, bool planar)
{
    return isfinite(joint->ratio) && joint->ratio > 0 && isfinite(joint->length) && joint->length > 0 &&
           (!planar || (joint->hang_a.z == 0 && joint->hang_b.z == 0)) && joint->removed == 0 &&
           joint->kept == ASH_FREEDOM_BIT(ASH_MOVE_X);
}

const ashi_joint_class ashi_pulley_class = {.name = "pulley",
                                            .leans = true,
                                            .has_length = true,
                                            .hangs = true,
                                            .define = define,
                                            .coordinate = coordinate,
                                            .act = act,
                                            .is_usable = is_usable};
