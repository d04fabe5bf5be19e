/* A pair of gears: wheels on x of frames a and b, whose pitch circles of radius r_a and r_b roll on each other,
 * wherever their bearings move.
 *
 * With u the wheels' axes, d from the centre of a to that of b, and s = 1 where the axes count as pointing the same way
 * (else -1), the vector m = d x (u_a + s u_b) is perpendicular to the line of centres and the axes. alpha and beta are
 * the angles by which the wheels have turned about their axes, seen from m and counted over full turns:
 *
 *   C = r_a alpha + s r_b beta - (the same at creation).
 *
 * If the distance of centres is d = t x (r_a u_a + s r_b u_b) with t perpendicular to both axes, J is a force along t
 * at the point where the pitch circles meet, for parallel axes (spur gears; a negative radius: a ring) and for axes
 * that intersect (bevel gears). Parallel axes may be at another distance: the pitch circles then scale with it, as for
 * involute gears. Wheels on a common axis have no line of centres and are refused.
 *
 * The joint keeps s in `ratio` and the value at creation in `length`. A wheel that turns by half a turn or more in a
 * step is miscounted. */
#include "model/joint_special.h"
#include "model/rates.h"

/* Bearings of non-parallel axes may be off by this much of the radii. */
#define PITCH_TOLERANCE 0.05

/* One wheel: the angle of m in its frame (the wheel turns the other way), and the derivative by m. */
typedef struct wheel {
    ash_vec3 axis, gradient;
    ashi_rate angle;
} wheel;

/* The directions of a wheel: its axis and two perpendicular ones. In planar worlds all axes are z. */
static void wheel_axes(const ash_vec3 axes[3], bool planar, ash_vec3 out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = axes[planar ? (i + 2) % 3 : i];
}

static wheel wheel_at(const ash_vec3 axes[3], ash_vec3 spin, ashi_rate3 m)
{
    ashi_rate cosine = rate3_dot(m, rate3_axis(axes[1], spin)), sine = rate3_dot(m, rate3_axis(axes[2], spin));
    double square = cosine.value * cosine.value + sine.value * sine.value;
    wheel w = {.axis = axes[0], .angle = rate_angle(cosine, sine)};
    w.gradient = v3_add_scaled(v3_scale(axes[2], cosine.value / square), axes[1], -sine.value / square);
    return w;
}

/* Both wheels; false where there is no line of centres. */
typedef struct mesh {
    ash_vec3 d, sum, m;
    wheel a, b;
} mesh;

static bool mesh_at(const ashi_joint_frames *frames, double sense, mesh *at)
{
    ash_vec3 a[3], b[3];
    wheel_axes(frames->axes_a, frames->planar, a);
    wheel_axes(frames->axes_b, frames->planar, b);
    ashi_rate3 d = rate3_sub(rate3_origin_b(frames), rate3_origin_a(frames));
    if (frames->planar)
        d.value.z = 0;
    ashi_rate3 sum = rate3_add_scaled(rate3_axis(a[0], frames->spin_a), rate3_axis(b[0], frames->spin_b), sense);
    ashi_rate3 m = rate3_cross(d, sum);
    /* m must not be parallel to an axis, or it has no angle about it */
    double least = 1e-18 * v3_norm2(d.value);
    if (!(v3_norm2(v3_cross(m.value, a[0])) > least) || !(v3_norm2(v3_cross(m.value, b[0])) > least))
        return false;
    *at = (mesh){.d = d.value, .sum = sum.value, .m = m.value};
    at->a = wheel_at(a, frames->spin_a, m);
    at->b = wheel_at(b, frames->spin_b, m);
    return true;
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    ashi_joint_row *row = &rows[0];
    mesh at;
    double sense = joint->ratio, weight_a = -joint->radius_a, weight_b = -sense * joint->radius_b;
    row->angular = false;
    if (!mesh_at(frames, sense, &at)) { /* wheels on a common axis do not mesh */
        row->linear_a = row->linear_b = row->angular_a = row->angular_b = v3(0, 0, 0);
        row->error = row->drift = 0;
        return 1;
    }
    /* dC = g . dm - spins about the wheels' own turning */
    ash_vec3 turn_a = v3_scale(at.a.gradient, weight_a), turn_b = v3_scale(at.b.gradient, weight_b);
    ash_vec3 g = v3_add(turn_a, turn_b), force = v3_cross(at.sum, g), lever = v3_cross(g, at.d);
    row->linear_b = force;
    row->linear_a = v3_neg(force);
    row->angular_b = v3_add(v3_cross(frames->arm_b, force),
                            v3_add(v3_scale(v3_cross(at.b.axis, lever), sense), v3_cross(turn_b, at.m)));
    row->angular_a = v3_add(v3_cross(force, frames->arm_a), v3_add(v3_cross(at.a.axis, lever), v3_cross(turn_a, at.m)));
    double alpha = ashi_count_turns(-at.a.angle.value, joint->turn[ASH_TURN_X]);
    double beta = ashi_count_turns(-at.b.angle.value, joint->turn[ASH_TURN_Y]);
    row->error = -(weight_a * alpha + weight_b * beta) - joint->length;
    row->drift = weight_a * at.a.angle.second + weight_b * at.b.angle.second;
    return 1;
}

/* turn-x: the angle of wheel a relative to the line of centres; turn-y: that of wheel b. */
static void coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row)
{
    ashi_joint_entry single = *joint;
    bool of_a = freedom == ASH_TURN_X;
    single.radius_a = of_a ? 1 : 0;
    single.radius_b = of_a ? 0 : joint->ratio;
    single.length = 0;
    hold(&single, frames, row);
    row->angular = true;
}

/* The deviation of the centres from the position in which the pitch circles meet, for this sense of rotation, as a
 * share of the radii. */
static double mismatch(ash_vec3 d, ash_vec3 u_a, ash_vec3 u_b, double r_a, double r_b, double sense)
{
    ash_vec3 across = v3_add_scaled(v3_scale(u_a, r_a), u_b, sense * r_b);
    ash_vec3 tangent = v3_unit(v3_cross(u_a, u_b)), wanted = v3_cross(tangent, across);
    double there = v3_distance(d, wanted), back = v3_distance(d, v3_neg(wanted));
    return (there < back ? there : back) / (fabs(r_a) + fabs(r_b));
}

/* Whether the wheels' axes count as pointing the same way. */
static bool find_sense(const ashi_joint_frames *frames, ashi_joint_entry *joint, ash_diagnostic *diagnostic)
{
    ash_vec3 u_a = frames->axes_a[0], u_b = frames->axes_b[0];
    joint->ratio = 1;
    if (frames->planar)
        return true;
    double along = v3_dot(u_a, u_b);
    joint->ratio = along < 0 ? -1 : 1;
    if (v3_norm(v3_cross(u_a, u_b)) < 1e-3)
        return true;
    double same = mismatch(frames->offset, u_a, u_b, joint->radius_a, joint->radius_b, 1);
    double opposite = mismatch(frames->offset, u_a, u_b, joint->radius_a, joint->radius_b, -1);
    joint->ratio = same <= opposite ? 1 : -1;
    double least = same <= opposite ? same : opposite;
    if (least <= PITCH_TOLERANCE)
        return true;
    ashi_fail(diagnostic, ASH_BAD_DATA, "joint.gear-pitch",
              "the axes of the gears meet at %.4g degrees, but their pitch circles miss each other by %.4g m",
              180 / ASHI_PI * ashi_acos(along), least * (fabs(joint->radius_a) + fabs(joint->radius_b)));
    ashi_expect(diagnostic, "centres of circles of radius %g m and %g m, perpendicular to the axes, that touch",
                joint->radius_a, joint->radius_b);
    return false;
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    double r_a = def->radius_a, r_b = def->radius_b;
    if (!isfinite(r_a) || !isfinite(r_b) || r_a == 0 || r_b == 0 || (r_a < 0 && r_b < 0)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.gear-radius", "radius_a is %g m, radius_b %g m", r_a, r_b);
        ashi_expect(diagnostic, "finite radii that are not 0; one of them may be negative, for a ring");
        return false;
    }
    ashi_joint_frames frames = ashi_joint_frames_now(model, joint);
    mesh at;
    joint->radius_a = r_a;
    joint->radius_b = r_b;
    joint->removed = 0;
    joint->kept = ASH_FREEDOM_BIT(ASH_TURN_X) | ASH_FREEDOM_BIT(ASH_TURN_Y);
    if (!find_sense(&frames, joint, diagnostic))
        return false;
    if (!mesh_at(&frames, joint->ratio, &at)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.gear-centres", "both gears turn about the same line");
        ashi_expect(diagnostic, "different axes: wheels on a common axis do not mesh");
        return false;
    }
    joint->turn[ASH_TURN_X] = -at.a.angle.value;
    joint->turn[ASH_TURN_Y] = -at.b.angle.value;
    joint->length = r_a * joint->turn[ASH_TURN_X] + joint->ratio * r_b * joint->turn[ASH_TURN_Y];
    return true;
}

static bool is_usable(const ashi_joint_entry *joint, bool planar)
{
    (void)planar;
    double a = joint->radius_a, b = joint->radius_b;
    return isfinite(a) && isfinite(b) && a != 0 && b != 0 && (a > 0 || b > 0) && fabs(joint->ratio) == 1 &&
           isfinite(joint->length) && joint->removed == 0 &&
           joint->kept == (ASH_FREEDOM_BIT(ASH_TURN_X) | ASH_FREEDOM_BIT(ASH_TURN_Y));
}

const ashi_joint_class ashi_gear_class = {
    .name = "gear", .leans = true, .define = define, .hold = hold, .coordinate = coordinate, .is_usable = is_usable};
