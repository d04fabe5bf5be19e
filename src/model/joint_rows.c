/* The reusable rows of joints: coordinates of frame b against frame a, their derivatives, and their second derivatives
 * without accelerations.
 *
 * w = spin_b - spin_a. A vector fixed in a body with spin s has the derivative s x n, and s x (s x n) as second
 * derivative if the spin is constant. For n fixed in a and m fixed in b: d(n . m)/dt = w . (m x n). */
#include "model/joint_rows.h"

#include "model/forces.h"

/* Axes this close to parallel, although they should not be, are opened by their angle: the cosine, which the row uses
 * otherwise, hardly changes there and would require an impossible motion. */
#define WEAK 0.1

/* s x (s x v): the second derivative of a vector that turns with spin s. */
static ash_vec3 centripetal(ash_vec3 spin, ash_vec3 v)
{
    return v3_cross(spin, v3_cross(spin, v));
}

/* Field by field: this runs for every joint several times a step, and clearing the structure first would take a third
 * of its time. */
ashi_joint_frames ashi_joint_frames_at(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state)
{
    uint32_t a = joint->body_a, b = joint->body_b;
    ash_quat turn_a = q_mul(state->rotation[a], joint->frame_a.rotation);
    ash_quat turn_b = q_mul(state->rotation[b], joint->frame_b.rotation);
    ash_mat3 axes_a = m3_from_quat(turn_a), axes_b = m3_from_quat(turn_b);
    ashi_joint_frames f;
    f.model = model;
    f.state = state;
    f.planar = model->bodies.planar;
    f.turn = q_mul(q_conjugate(turn_a), turn_b);
    f.axes_a[0] = axes_a.x;
    f.axes_a[1] = axes_a.y;
    f.axes_a[2] = axes_a.z;
    f.axes_b[0] = axes_b.x;
    f.axes_b[1] = axes_b.y;
    f.axes_b[2] = axes_b.z;
    f.arm_a = q_rotate(state->rotation[a], joint->arm_a);
    f.arm_b = q_rotate(state->rotation[b], joint->arm_b);
    f.velocity_a = state->velocity[a];
    f.velocity_b = state->velocity[b];
    f.spin_a = state->spin[a];
    f.spin_b = state->spin[b];
    f.origin_a = v3_add(state->position[a], f.arm_a);
    f.origin_b = v3_add(state->position[b], f.arm_b);
    f.offset = v3_sub(f.origin_b, f.origin_a);
    if (f.planar) /* z is ignored */
        f.offset.z = 0;
    f.rate =
        v3_sub(v3_add(f.velocity_b, v3_cross(f.spin_b, f.arm_b)), v3_add(f.velocity_a, v3_cross(f.spin_a, f.arm_a)));
    f.drift = v3_sub(centripetal(f.spin_b, f.arm_b), centripetal(f.spin_a, f.arm_a));
    f.drift_in_a = v3_add_scaled(v3_add(f.drift, centripetal(f.spin_a, f.offset)), v3_cross(f.spin_a, f.rate), -2);
    return f;
}

double ashi_joint_row_rate(const ashi_joint_frames *f, const ashi_joint_row *row)
{
    return v3_dot(row->linear_a, f->velocity_a) + v3_dot(row->angular_a, f->spin_a) +
           v3_dot(row->linear_b, f->velocity_b) + v3_dot(row->angular_b, f->spin_b);
}

void ashi_joint_row_add(ashi_joint_row *sum, const ashi_joint_row *row, double factor)
{
    sum->linear_a = v3_add_scaled(sum->linear_a, row->linear_a, factor);
    sum->angular_a = v3_add_scaled(sum->angular_a, row->angular_a, factor);
    sum->linear_b = v3_add_scaled(sum->linear_b, row->linear_b, factor);
    sum->angular_b = v3_add_scaled(sum->angular_b, row->angular_b, factor);
    sum->error += factor * row->error;
    sum->drift += factor * row->drift;
}

void ashi_point_row(const ashi_joint_frames *f, ash_vec3 n, ashi_joint_row *row)
{
    row->linear_a = v3_neg(n);
    row->angular_a = v3_cross(n, v3_add(f->arm_a, f->offset)); /* at the foot point */
    row->linear_b = n;
    row->angular_b = v3_cross(f->arm_b, n);
    row->error = v3_dot(n, f->offset);
    row->drift = v3_dot(n, f->drift_in_a);
    row->angular = false;
}

void ashi_coincidence_rows(const ashi_joint_frames *f, int count, ashi_joint_row *rows)
{
    ash_vec3 mean = v3_scale(v3_add(f->spin_a, f->spin_b), 0.5);
    ash_vec3 drift = v3_add_scaled(v3_add(f->drift, centripetal(mean, f->offset)), v3_cross(mean, f->rate), -2);
    ash_vec3 arm_a = v3_add_scaled(f->arm_a, f->offset, 0.5), arm_b = v3_add_scaled(f->arm_b, f->offset, -0.5);
    for (int i = 0; i < count; i++) {
        ash_vec3 n = f->axes_a[i];
        rows[i].linear_a = v3_neg(n);
        rows[i].angular_a = v3_cross(n, arm_a);
        rows[i].linear_b = n;
        rows[i].angular_b = v3_cross(arm_b, n);
        rows[i].error = v3_dot(n, f->offset);
        rows[i].drift = v3_dot(n, drift);
        rows[i].angular = false;
    }
}

void ashi_distance_row(const ashi_joint_frames *f, ashi_joint_row *row)
{
    double length = v3_norm(f->offset);
    ash_vec3 n = length > 0 ? v3_unit(f->offset) : f->axes_a[0];
    double along = v3_dot(n, f->rate);
    row->linear_a = v3_neg(n);
    row->angular_a = v3_cross(n, f->arm_a);
    row->linear_b = n;
    row->angular_b = v3_cross(f->arm_b, n);
    row->error = length;
    row->drift = v3_dot(n, f->drift);
    if (length > 0)
        row->drift += (v3_norm2(f->rate) - along * along) / length;
    row->angular = false;
}

/* The cosine n . m of a vector fixed in a and one fixed in b, with its derivatives. */
typedef struct axis_cosine {
    double value, rate, drift;
    ash_vec3 gradient; /* rate = gradient . w */
} axis_cosine;

static axis_cosine cosine_of(const ashi_joint_frames *f, ash_vec3 n, ash_vec3 m)
{
    ash_vec3 gradient = v3_cross(m, n);
    return (axis_cosine){
        .value = v3_dot(n, m),
        .rate = v3_dot(gradient, v3_sub(f->spin_b, f->spin_a)),
        .drift = v3_dot(centripetal(f->spin_a, n), m) + 2 * v3_dot(v3_cross(f->spin_a, n), v3_cross(f->spin_b, m)) +
                 v3_dot(n, centripetal(f->spin_b, m)),
        .gradient = gradient,
    };
}

static void set_angular(ashi_joint_row *row, double error, ash_vec3 gradient, double drift)
{
    row->linear_a = row->linear_b = v3(0, 0, 0);
    row->angular_a = v3_neg(gradient);
    row->angular_b = gradient;
    row->error = error;
    row->drift = drift;
    row->angular = true;
}

void ashi_angle_row(const ashi_joint_frames *f, ash_vec3 a, ash_vec3 b, ashi_joint_row *row)
{
    axis_cosine c = cosine_of(f, a, b);
    double sine = v3_norm(c.gradient);
    if (sine < 1e-9) { /* any perpendicular direction opens the axes */
        set_angular(row, ashi_atan2(sine, c.value), v3_perpendicular(v3_unit(a)), 0);
        return;
    }
    set_angular(row, ashi_atan2(sine, c.value), v3_scale(c.gradient, -1 / sine),
                -c.drift / sine - c.value * c.rate * c.rate / (sine * sine * sine));
}

void ashi_axes_row(const ashi_joint_frames *f, ash_vec3 a, ash_vec3 b, double angle, ashi_joint_row *row)
{
    double sine, wanted;
    ashi_sincos(angle, &sine, &wanted);
    axis_cosine c = cosine_of(f, a, b);
    if (v3_norm(c.gradient) < WEAK * sine) {
        ashi_angle_row(f, a, b, row);
        row->error -= angle;
        return;
    }
    set_angular(row, (wanted - c.value) / sine, v3_scale(c.gradient, -1 / sine), -c.drift / sine);
}

/* beta of the derivative de/dt = w - e x w / 2 + beta e x (e x w) of a rotation vector e of length t, and (d
 * beta/dt)/t: beta = (1 - (t/2) cot(t/2)) / t^2. */
static void rotation_vector_factor(double t, double *beta, double *slope)
{
    double square = t * t;
    if (square < 1e-3) { /* the closed form loses digits here; the next terms are below 1e-15 */
        *beta = 1.0 / 12 + square * (1.0 / 720 + square * (1.0 / 30240 + square * (1.0 / 1209600)));
        *slope = 1.0 / 360 + square * (1.0 / 7560 + square * (1.0 / 201600 + square / 5987520));
        return;
    }
    double sine, cosine_half;
    ashi_sincos(t / 2, &sine, &cosine_half);
    double cotangent = cosine_half / sine;
    *beta = (1 - t / 2 * cotangent) / square;
    *slope = (-2 / square + 1 / (4 * sine * sine) + cotangent / (2 * t)) / square;
}

/* v - e x v / 2 + beta e x (e x v) */
static ash_vec3 rotation_vector_rate(ash_vec3 e, double beta, ash_vec3 v)
{
    ash_vec3 across = v3_cross(e, v);
    return v3_add_scaled(v3_add_scaled(v, across, -0.5), v3_cross(e, across), beta);
}

void ashi_rotation_rows(const ashi_joint_frames *f, ashi_joint_row rows[3])
{
    const ash_mat3 axes = {f->axes_a[0], f->axes_a[1], f->axes_a[2]};
    ash_vec3 e = q_log(f->turn);
    double beta, slope;
    rotation_vector_factor(v3_norm(e), &beta, &slope);
    /* In axes of a: w, its derivative when the spins stay, and de/dt. */
    ash_vec3 w = m3_apply_transposed(axes, v3_sub(f->spin_b, f->spin_a));
    ash_vec3 w_rate = m3_apply_transposed(axes, v3_cross(f->spin_b, f->spin_a));
    ash_vec3 e_rate = rotation_vector_rate(e, beta, w);
    ash_vec3 drift = v3_add_scaled(rotation_vector_rate(e, beta, w_rate), v3_cross(e_rate, w), -0.5);
    ash_vec3 twice = v3_cross(e, v3_cross(e, w));
    drift = v3_add_scaled(drift, twice, slope * v3_dot(e, e_rate));
    drift = v3_add_scaled(drift, v3_add(v3_cross(e_rate, v3_cross(e, w)), v3_cross(e, v3_cross(e_rate, w))), beta);
    const ash_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double errors[3] = {e.x, e.y, e.z}, drifts[3] = {drift.x, drift.y, drift.z};
    for (int i = 0; i < 3; i++) /* the transposed map has -e for e */
        set_angular(&rows[i], errors[i], m3_apply(axes, rotation_vector_rate(v3_neg(e), beta, unit[i])), drifts[i]);
}

/* g(c) = t / sin t for cos t = c, with its first two derivatives by c. */
static void swing_factor(double c, double g[3])
{
    double rest = 1 - c;
    if (rest < 0.05) { /* where differences would lose digits: the series in 1 - c with factors n / (2 n + 1) */
        double slope = 0, bend = 0, sum = 0, factor = 1, power[3] = {1, 0, 0}; /* of rest: n, n - 1, n - 2 */
        for (int n = 0; n < 20 && (n < 3 || power[2] > 1e-17); n++) {
            factor *= n == 0 ? 1 : n / (2.0 * n + 1);
            sum += factor * power[0];
            slope -= factor * n * power[1];
            bend += factor * n * (n - 1) * power[2];
            power[2] = power[1];
            power[1] = power[0];
            power[0] *= rest;
        }
        g[0] = sum;
        g[1] = slope;
        g[2] = bend;
        return;
    }
    double square = (1 + c) * rest;
    if (square < 1e-16) /* opposite axes: the direction is lost, the length is half a turn */
        square = 1e-16;
    double sine = sqrt(square);
    g[0] = ashi_atan2(sine, c) / sine;
    g[1] = (c * g[0] - 1) / square;
    g[2] = (g[0] + 3 * c * g[1]) / square;
}

void ashi_swing_rows(const ashi_joint_frames *f, int i, ashi_joint_row rows[2])
{
    int j = (i + 1) % 3, k = (i + 2) % 3;
    axis_cosine u = cosine_of(f, f->axes_a[i], f->axes_b[i]);
    double g[3];
    swing_factor(u.value, g);
    /* if b's axis tilts towards k: a negative rotation about j; towards j: a rotation about k */
    const int towards[2] = {k, j};
    const double sign[2] = {-1, 1};
    for (int r = 0; r < 2; r++) {
        axis_cosine v = cosine_of(f, f->axes_a[towards[r]], f->axes_b[i]);
        ash_vec3 gradient = v3_add_scaled(v3_scale(v.gradient, g[0]), u.gradient, g[1] * v.value);
        double drift =
            g[2] * u.rate * u.rate * v.value + g[1] * (u.drift * v.value + 2 * u.rate * v.rate) + g[0] * v.drift;
        set_angular(&rows[r], sign[r] * g[0] * v.value, v3_scale(gradient, sign[r]), sign[r] * drift);
    }
}

void ashi_twist_row(const ashi_joint_frames *f, int i, ashi_joint_row *row)
{
    ash_vec3 a = f->axes_a[i], b = f->axes_b[i];
    double part = i == 0 ? f->turn.x : i == 1 ? f->turn.y : f->turn.z;
    double angle = 2 * ashi_atan2(part, f->turn.w);
    if (angle > ASHI_PI)
        angle -= 2 * ASHI_PI;
    else if (angle <= -ASHI_PI)
        angle += 2 * ASHI_PI;
    /* d angle/dt = w . (a + b) / (1 + a . b); opposite axes have no twist */
    double whole = 1 + v3_dot(a, b);
    if (whole < 1e-12)
        whole = 1e-12;
    ash_vec3 w = v3_sub(f->spin_b, f->spin_a), sum = v3_add(a, b);
    ash_vec3 sum_rate = v3_add(v3_cross(f->spin_a, a), v3_cross(f->spin_b, b));
    double whole_rate = v3_dot(w, v3_cross(b, a));
    double drift = (v3_dot(sum_rate, w) - v3_dot(sum, w) * whole_rate / whole) / whole;
    set_angular(row, angle, v3_scale(sum, 1 / whole), drift);
}

void ashi_cross_row(const ashi_joint_frames *f, int i, bool of_a, ashi_joint_row *row)
{
    int j = (i + 1) % 3, k = (i + 2) % 3;
    axis_cosine p, q; /* the angle is atan2(p, q) */
    if (of_a) {
        p = cosine_of(f, f->axes_a[i], f->axes_b[k]);
        q = cosine_of(f, f->axes_a[k], f->axes_b[k]);
    } else {
        p = cosine_of(f, f->axes_a[j], f->axes_b[i]);
        q = cosine_of(f, f->axes_a[j], f->axes_b[j]);
    }
    double square = p.value * p.value + q.value * q.value;
    if (square < 1e-12) /* the axes are parallel: there is no angle */
        square = 1e-12;
    ash_vec3 gradient = v3_add_scaled(v3_scale(p.gradient, q.value / square), q.gradient, -p.value / square);
    double turn = (q.value * p.rate - p.value * q.rate) / square;
    double square_rate = 2 * (p.value * p.rate + q.value * q.rate);
    double drift = (q.value * p.drift - p.value * q.drift - turn * square_rate) / square;
    set_angular(row, ashi_atan2(p.value, q.value), gradient, drift);
}

double ashi_count_turns(double angle, double last)
{
    return angle + 2 * ASHI_PI * floor((last - angle) / (2 * ASHI_PI) + 0.5);
}
