/* A rack and its pinion: the pinion, a wheel of radius r on x of b, rolls on a rack along x of a.
 *
 * With l the rack's direction, u the pinion's axis and e = side (l x u) from the pinion's centre to the rack, x = l .
 * (p_b - p_a) is the travel of the pinion and beta the angle of its mark (y of b) about u, seen from l and counted over
 * full turns:
 *
 *   C = x + side r beta - (the same at creation).
 *
 * J is a force along l at the pitch point p_b + r e. The rack is on that side of the pinion where its line through the
 * origin of a passes at creation. The joint keeps `side` in `ratio` and the value at creation in `length`. */
#include "model/joint_special.h"
#include "model/rates.h"

/* The pinion's axis and two perpendicular directions that turn with it. In planar worlds the axis is z. */
static void pinion_axes(const ashi_joint_frames *frames, ash_vec3 out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = frames->axes_b[frames->planar ? (i + 2) % 3 : i];
}

/* The angle of the pinion's mark about its axis, from the rack's direction: minus that of the rack in the pinion. */
static void pinion_angle(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *row)
{
    ash_vec3 axes[3], rack = frames->axes_a[0];
    pinion_axes(frames, axes);
    ashi_rate3 along = rate3_axis(rack, frames->spin_a);
    ashi_rate cosine = rate3_dot(along, rate3_axis(axes[1], frames->spin_b));
    ashi_rate sine = rate3_dot(along, rate3_axis(axes[2], frames->spin_b));
    double square = cosine.value * cosine.value + sine.value * sine.value;
    row->linear_a = row->linear_b = v3(0, 0, 0);
    row->angular = true;
    if (square < 1e-12) { /* a rack along the pinion's axis: nothing rolls */
        row->angular_a = row->angular_b = v3(0, 0, 0);
        row->error = joint->turn[ASH_TURN_X];
        row->drift = 0;
        return;
    }
    ashi_rate angle = rate_angle(cosine, sine);
    ash_vec3 gradient = v3_add_scaled(v3_scale(axes[2], cosine.value / square), axes[1], -sine.value / square);
    row->angular_a = v3_cross(gradient, rack);
    row->angular_b = v3_neg(row->angular_a);
    row->error = ashi_count_turns(-angle.value, joint->turn[ASH_TURN_X]);
    row->drift = -angle.second;
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    ashi_joint_row turn = rows[0];
    ashi_point_row(frames, frames->axes_a[0], &rows[0]);
    pinion_angle(joint, frames, &turn);
    ashi_joint_row_add(&rows[0], &turn, joint->ratio * joint->radius_b);
    rows[0].error -= joint->length;
    return 1;
}

/* move-x: the pinion's travel along the rack; turn-x: its angle. */
static void coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row)
{
    if (freedom == ASH_MOVE_X)
        ashi_point_row(frames, frames->axes_a[0], row);
    else
        pinion_angle(joint, frames, row);
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    if (!(def->radius_b > 0) || !isfinite(def->radius_b)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.rack-radius", "radius_b is %g m", def->radius_b);
        ashi_expect(diagnostic, "the pinion's finite radius, above 0");
        return false;
    }
    ashi_joint_frames frames = ashi_joint_frames_now(model, joint);
    ash_vec3 axes[3], rack = frames.axes_a[0];
    pinion_axes(&frames, axes);
    if (fabs(v3_dot(rack, axes[0])) > 0.1) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.rack-axes", "the pinion's axis is at %.4g degrees to the rack",
                  180 / ASHI_PI * ashi_acos(fabs(v3_dot(rack, axes[0]))));
        ashi_expect(diagnostic, "x of b perpendicular to x of a: a pinion rolls along the rack");
        return false;
    }
    double beside = -v3_dot(frames.offset, v3_cross(rack, axes[0]));
    if (fabs(beside) < 1e-6 * def->radius_b) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.rack-side", "the rack's line passes through the pinion's centre");
        ashi_expect(diagnostic, "the origin of frame a on the rack's pitch line, %g m beside the centre",
                    def->radius_b);
        return false;
    }
    joint->radius_b = def->radius_b;
    joint->ratio = beside < 0 ? -1 : 1;
    joint->removed = 0;
    joint->kept = ASH_FREEDOM_BIT(ASH_MOVE_X) | ASH_FREEDOM_BIT(ASH_TURN_X);
    joint->length = 0;
    ashi_joint_row row = ashi_joint_row_begin();
    pinion_angle(joint, &frames, &row);
    joint->turn[ASH_TURN_X] = row.error;
    hold(joint, &frames, &row);
    joint->length = row.error;
    return true;
}

static bool is_usable(const ashi_joint_entry *joint, bool planar)
{
    (void)planar;
    return isfinite(joint->radius_b) && joint->radius_b > 0 && fabs(joint->ratio) == 1 && isfinite(joint->length) &&
           joint->removed == 0 && joint->kept == (ASH_FREEDOM_BIT(ASH_MOVE_X) | ASH_FREEDOM_BIT(ASH_TURN_X));
}

const ashi_joint_class ashi_rack_class = {
    .name = "rack", .leans = true, .define = define, .hold = hold, .coordinate = coordinate, .is_usable = is_usable};
