/* A point on a path: the origin of b stays on a curve c of frame a. With p the origin in frame a and t the parameter of
 * its foot, (p - c) . c' = 0, the rows are C = n . (p - c) for the two normals n of the path there (one in planar
 * worlds); the coordinate move-x is the arc length of the foot, counted over the laps of a closed path. At the ends of
 * an open path it is stopped.
 *
 * The foot moves with dt = c' . dp / (|c'|^2 - (p - c) . c''), hence dC = n . dp + (dn/dt) . (p - c) dt. It is tracked
 * from that of the last step (by its arc length), so that a path may pass close to itself. */
#include "model/joint_special.h"
#include "model/path.h"
#include "model/rates.h"

/* The foot of p, and its derivatives. */
typedef struct foot {
    ashi_path_point at;
    ashi_rate3 p, q; /* the point, and its offset from the foot; frame a */
    ashi_rate t;
    ash_vec3 gradient; /* dt = gradient . dp */
} foot;

/* The origin of b in frame a, with its rates there. */
static ashi_rate3 point_in_a(const ashi_joint_frames *f)
{
    ash_mat3 axes = {f->axes_a[0], f->axes_a[1], f->axes_a[2]};
    ashi_rate3 d = rate3_sub(rate3_origin_b(f), rate3_origin_a(f));
    if (f->planar)
        d.value.z = 0;
    ash_vec3 first = v3_sub(d.first, v3_cross(f->spin_a, d.value));
    ash_vec3 second = v3_sub(d.second, v3_add(v3_cross(f->spin_a, d.first), v3_cross(f->spin_a, first)));
    return (ashi_rate3){m3_apply_transposed(axes, d.value), m3_apply_transposed(axes, first),
                        m3_apply_transposed(axes, second)};
}

static foot foot_at(const ashi_joint_entry *joint, const ashi_joint_frames *frames)
{
    foot f = {.p = point_in_a(frames)};
    double start = ashi_path_near_length(joint->path, joint->turn[ASH_MOVE_X]);
    f.t.value = ashi_path_foot(joint->path, f.p.value, start);
    f.at = ashi_path_at(joint->path, f.t.value);
    ash_vec3 q = v3_sub(f.p.value, f.at.place), c1 = f.at.first, c2 = f.at.second;
    /* at the centre of curvature any point of the arc is a foot: limit its speed */
    double steep = v3_norm2(c1), slope = steep - v3_dot(q, c2);
    if (slope < 1e-3 * steep)
        slope = 1e-3 * steep;
    f.gradient = v3_scale(c1, 1 / slope);
    f.t.first = v3_dot(f.gradient, f.p.first);
    ash_vec3 q_first = v3_add_scaled(f.p.first, c1, -f.t.first);
    double square = f.t.first * f.t.first;
    f.t.second = (v3_dot(f.p.second, c1) + 2 * f.t.first * v3_dot(q_first, c2) +
                  square * (v3_dot(q, f.at.third) - v3_dot(c1, c2))) /
                 slope;
    f.q = (ashi_rate3){q, q_first, v3_add_scaled(v3_add_scaled(f.p.second, c2, -square), c1, -f.t.second)};
    return f;
}

/* The path's directions at a foot that moves with these rates: the tangent and two normals. */
static void directions(const ashi_path_point *at, ashi_rate t, bool planar, ashi_rate3 out[3])
{
    double square = t.first * t.first;
    ashi_rate3 slope = {at->first, v3_scale(at->second, t.first),
                        v3_add_scaled(v3_scale(at->second, t.second), at->third, square)};
    ashi_rate3 across = {at->across, v3_scale(at->across_rate, t.first), v3_scale(at->across_rate, t.second)};
    out[0] = rate3_unit(slope);
    if (planar)
        across = rate3_cross((ashi_rate3){.value = v3(0, 0, 1)}, out[0]);
    ashi_rate along = rate3_dot(across, out[0]);
    across = rate3_sub(across, rate3_times(out[0], along));
    if (v3_norm2(across.value) < 1e-12) /* the path turns back within a node's interval */
        across = (ashi_rate3){.value = v3_perpendicular(out[0].value)};
    out[1] = rate3_unit(across);
    out[2] = rate3_cross(out[0], out[1]);
}

/* Sets a row from g, its derivative by the origin of b in frame a. */
static void set_row(const ashi_joint_frames *frames, ash_vec3 g, double error, double drift, ashi_joint_row *row)
{
    ash_mat3 axes = {frames->axes_a[0], frames->axes_a[1], frames->axes_a[2]};
    ash_vec3 force = m3_apply(axes, g);
    row->linear_b = force;
    row->linear_a = v3_neg(force);
    row->angular_b = v3_cross(frames->arm_b, force);
    row->angular_a = v3_cross(force, v3_add(frames->arm_a, frames->offset));
    row->error = error;
    row->drift = drift;
    row->angular = false;
}

static uint32_t hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    foot f = foot_at(joint, frames);
    ashi_rate3 moving[3], by_t[3];
    directions(&f.at, f.t, frames->planar, moving);
    directions(&f.at, (ashi_rate){f.t.value, 1, 0}, frames->planar, by_t);
    uint32_t count = frames->planar ? 1 : 2;
    for (uint32_t i = 0; i < count; i++) {
        ashi_rate c = rate3_dot(moving[1 + i], f.q);
        ash_vec3 g = v3_add_scaled(moving[1 + i].value, f.gradient, v3_dot(by_t[1 + i].first, f.q.value));
        set_row(frames, g, c.value, c.second, &rows[i]);
    }
    return count;
}

static void coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                       ashi_joint_row *row)
{
    (void)freedom;
    uint32_t count;
    bool closed;
    ashi_path_points(joint->path, &count, &closed);
    foot f = foot_at(joint, frames);
    double steep = v3_norm(f.at.first), length = f.at.length, lap = ashi_path_length(joint->path);
    if (closed)
        length += lap * floor((joint->turn[ASH_MOVE_X] - length) / lap + 0.5);
    double bend = v3_dot(f.at.first, f.at.second) / steep;
    set_row(frames, v3_scale(f.gradient, steep), length, steep * f.t.second + bend * f.t.first * f.t.first, row);
}

/* The ends of an open path. */
static uint32_t act(const ashi_joint_entry *joint, const ashi_joint_frames *frames, double time, double h,
                    ashi_joint_row *rows)
{
    (void)time;
    uint32_t count;
    bool closed;
    ashi_path_points(joint->path, &count, &closed);
    if (closed)
        return 0;
    double lap = ashi_path_length(joint->path);
    rows[0] = ashi_joint_row_begin();
    coordinate(joint, frames, ASH_MOVE_X, &rows[0]);
    bool upper = rows[0].error > 0.5 * lap;
    return ashi_joint_own_limit(frames, upper ? lap : 0, upper, h, &rows[0]) ? 1 : 0;
}

static bool define(const ashi_model *model, const ash_joint_def *def, ashi_joint_entry *joint,
                   ash_diagnostic *diagnostic)
{
    ashi_joint_frames frames = ashi_joint_frames_now(model, joint);
    uint32_t point;
    if (!ashi_path_check(def->path, def->path_count, def->path_closed, diagnostic))
        return false;
    joint->path = ashi_path_create(def->path, def->path_count, def->path_closed, frames.planar);
    if (joint->path == NULL) {
        ashi_out_of_memory(diagnostic);
        return false;
    }
    if (ashi_path_turns_back(joint->path, &point)) {
        ashi_fail(diagnostic, ASH_BAD_DATA, "joint.path-turns", "the path turns back on itself after point %u",
                  (unsigned)point);
        ashi_expect(diagnostic, "points of a smooth curve that does not reverse");
        ashi_dealloc(joint->path);
        joint->path = NULL;
        return false;
    }
    ash_vec3 p = point_in_a(&frames).value;
    double t = ashi_path_foot(joint->path, p, ashi_path_nearest(joint->path, p));
    joint->turn[ASH_MOVE_X] = ashi_path_at(joint->path, t).length;
    joint->removed = ASH_FREEDOM_BIT(ASH_MOVE_Y) | (frames.planar ? 0 : ASH_FREEDOM_BIT(ASH_MOVE_Z));
    joint->kept = ASH_FREEDOM_BIT(ASH_MOVE_X);
    return true;
}

/* The path itself was checked when it was made from its points. */
static bool is_usable(const ashi_joint_entry *joint, bool planar)
{
    uint32_t move_y = ASH_FREEDOM_BIT(ASH_MOVE_Y), move_z = ASH_FREEDOM_BIT(ASH_MOVE_Z);
    return joint->removed == (planar ? move_y : move_y | move_z) && joint->kept == ASH_FREEDOM_BIT(ASH_MOVE_X);
}

const ashi_joint_class ashi_path_class = {.name = "path",
                                          .has_path = true,
                                          .define = define,
                                          .hold = hold,
                                          .coordinate = coordinate,
                                          .act = act,
                                          .is_usable = is_usable};
