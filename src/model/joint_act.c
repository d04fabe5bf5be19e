/* The rows of a joint at a state: held rows, and rows that act along the remaining freedoms.
 *
 * On a coordinate q of rate J v act, each as a row of its own:
 *
 *   a drive      velocity: J v = speed; position: q = target(t); both with |force| <= max_force, not beyond limits;
 *                servo: force = -P (q - target) - D (J v - d target/dt) - I integral(q - target) (Bender & Schmitt
 *                2006, 4.4), taken implicitly like a spring
 *   a spring     force = -stiffness (q - rest) - damping J v
 *   friction     J v = 0 with |force| <= friction
 *   a limit      q >= lower or q <= upper, whichever is nearer, when it may be reached within the step: the last, so
 *                that sweeps which end early let it have its way. */
#include "math/semidefinite.h"
#include "model/forces.h"
#include "model/joint_class.h"
#include "model/signal.h"

/* Limits farther away than this, and than twice the motion in a step, do not act; twice, because bodies may gain speed
 * in the step. */
#define DEPENDENT     1e-10 /* of a row's response: a smaller rest depends on the earlier rows */
#define NEAR_ANGLE    0.05  /* rad */
#define NEAR_DISTANCE 0.01  /* units of length */

/* Field by field, which is faster than clearing the structure. */
static void begin(ashi_joint_row *row)
{
    row->linear_a = row->angular_a = row->linear_b = row->angular_b = v3(0, 0, 0);
    row->error = row->speed = row->drift = 0;
    row->lower = -INFINITY;
    row->upper = INFINITY;
    row->stiffness = row->damping = row->offset = row->compliance = row->brake = 0;
    row->role = ASHI_ROW_HOLD;
    row->key = 0;
    row->angular = false;
}

ashi_joint_row ashi_joint_row_begin(void)
{
    ashi_joint_row row;
    begin(&row);
    return row;
}

void ashi_joint_row_limit(ashi_joint_row *row, double limit, bool upper)
{
    ashi_joint_row way = ashi_joint_row_begin();
    ashi_joint_row_add(&way, row, upper ? -1 : 1);
    way.error = upper ? limit - row->error : row->error - limit;
    way.angular = row->angular;
    way.lower = 0;
    way.role = ASHI_ROW_LIMIT;
    way.key = row->key;
    *row = way;
}

bool ashi_limit_near(const ashi_joint_frames *frames, const ashi_joint_row *row, double h)
{
    double margin = row->angular ? NEAR_ANGLE : NEAR_DISTANCE * frames->model->unit_length;
    return row->error <= margin + 2 * h * fabs(ashi_joint_row_rate(frames, row));
}

/* A kept coordinate with what acts along it. */
typedef struct acting {
    const ashi_joint_entry *joint;
    const ashi_joint_frames *frames;
    const ash_joint_axis *axis;
    ash_freedom freedom;
    ashi_joint_row row; /* its error is the coordinate, counted */
    double time, h;
} acting;

/* Whether a motor has unlimited force: it would fight the limits of its freedom without end, so it stops at them. */
static bool is_almighty(const acting *on)
{
    const ash_joint_motor *motor = &on->axis->motor;
    bool rigid = motor->drive == ASH_DRIVE_VELOCITY || motor->drive == ASH_DRIVE_POSITION;
    return rigid && isinf(motor->max_force) && on->h > 0;
}

static uint32_t add_limit(const acting *on, ashi_joint_row *row)
{
    const ash_joint_axis *axis = on->axis;
    double q = on->row.error;
    if ((!isfinite(axis->lower) && !isfinite(axis->upper)) || is_almighty(on))
        return 0;
    bool upper = axis->upper - q < q - axis->lower;
    *row = on->row;
    row->key = (uint8_t)(ASHI_LIMIT_KEY + on->freedom);
    ashi_joint_row_limit(row, upper ? axis->upper : axis->lower, upper);
    return ashi_limit_near(on->frames, row, on->h) ? 1 : 0;
}

/* A velocity motor: the speed at the end of the step. */
static void set_velocity(const acting *on, ashi_joint_row *row)
{
    const ash_joint_motor *motor = &on->axis->motor;
    double q = on->row.error, h = on->h;
    row->error = 0;
    if (h <= 0) {
        row->speed = motor->target * ashi_signal_value(&motor->signal, on->time);
        row->drift -= motor->target * ashi_signal_rate(&motor->signal, on->time);
        return;
    }
    double before = motor->target * ashi_signal_value(&motor->signal, on->time);
    row->speed = motor->target * ashi_signal_value(&motor->signal, on->time + h);
    row->drift -= (row->speed - before) / h;
    if (is_almighty(on))
        row->speed = fmin(fmax(row->speed, (on->axis->lower - q) / h), (on->axis->upper - q) / h);
}

/* The target of a position motor or a servo. */
static double target_at(const acting *on, double time)
{
    const ash_joint_motor *motor = &on->axis->motor;
    double target = motor->target * ashi_signal_value(&motor->signal, time);
    return is_almighty(on) ? fmin(fmax(target, on->axis->lower), on->axis->upper) : target;
}

/* A moving position: the mean speed over the step, so that the coordinate arrives at its end. */
static void set_position(const acting *on, ashi_joint_row *row)
{
    const ash_joint_motor *motor = &on->axis->motor;
    double now = target_at(on, on->time);
    row->error -= now;
    row->speed = on->h > 0 ? (target_at(on, on->time + on->h) - now) / on->h
                           : motor->target * ashi_signal_rate(&motor->signal, on->time);
    row->drift -= motor->target * ashi_signal_bend(&motor->signal, on->time);
}

static uint32_t add_drive(const acting *on, ashi_joint_row *row)
{
    const ash_joint_motor *motor = &on->axis->motor;
    if (motor->drive == ASH_DRIVE_OFF)
        return 0;
    *row = on->row;
    row->role = ASHI_ROW_DRIVE;
    row->key = (uint8_t)(ASHI_DRIVE_KEY + on->freedom);
    row->lower = -motor->max_force;
    row->upper = motor->max_force;
    if (motor->drive == ASH_DRIVE_VELOCITY)
        set_velocity(on, row);
    else
        set_position(on, row);
    if (motor->drive == ASH_DRIVE_SERVO) {
        row->stiffness = motor->proportional;
        row->damping = motor->derivative;
        row->offset = -motor->integral * on->joint->integral[on->freedom];
    }
    return 1;
}

static uint32_t add_spring(const acting *on, ashi_joint_row *row)
{
    if (on->axis->stiffness == 0 && on->axis->damping == 0)
        return 0;
    *row = on->row;
    row->role = ASHI_ROW_DRIVE;
    row->key = (uint8_t)(ASHI_SPRING_KEY + on->freedom);
    row->error -= on->axis->rest;
    row->stiffness = on->axis->stiffness;
    row->damping = on->axis->damping;
    return 1;
}

static uint32_t add_friction(const acting *on, ashi_joint_row *row)
{
    if (on->axis->friction == 0)
        return 0;
    *row = on->row;
    row->role = ASHI_ROW_FRICTION;
    row->key = (uint8_t)(ASHI_FRICTION_KEY + on->freedom);
    row->error = 0;
    row->lower = -on->axis->friction;
    row->upper = on->axis->friction;
    return 1;
}

uint32_t ashi_joint_hold(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ashi_joint_row *rows)
{
    uint32_t most = joint->hold_count > 0 ? joint->hold_count : ASHI_HOLD_ROWS; /* 0: may not be known yet */
    for (uint32_t i = 0; i < most; i++)
        begin(&rows[i]);
    const ashi_joint_class *class = ashi_joint_class_of(joint->kind);
    uint32_t count = class->hold != NULL ? class->hold(joint, frames, rows) : 0;
    for (uint32_t i = 0; i < count; i++) {
        rows[i].role = ASHI_ROW_HOLD;
        rows[i].key = (uint8_t)i;
        rows[i].compliance = rows[i].angular ? joint->angular_compliance : joint->compliance;
    }
    return count;
}

/* Whether nothing is set for an axis. */
static bool idle(const ash_joint_axis *axis)
{
    return axis->motor.drive == ASH_DRIVE_OFF && axis->stiffness == 0 && axis->damping == 0 && axis->friction == 0 &&
           !isfinite(axis->lower) && !isfinite(axis->upper);
}

/* ---- the acceleration of a motor ---- */

/* The change of another row's rate by a unit impulse along one row, for bodies without other constraints. */
static double response(const ashi_joint_frames *frames, const ashi_joint_entry *joint, const ashi_state *state,
                       const ashi_joint_row *row, const ashi_joint_row *other)
{
    const ashi_bodies *b = &frames->model->bodies;
    const uint32_t slots[2] = {joint->body_a, joint->body_b};
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        ash_vec3 linear = i == 0 ? row->linear_a : row->linear_b, angular = i == 0 ? row->angular_a : row->angular_b;
        ash_vec3 push = i == 0 ? other->linear_a : other->linear_b, turn = i == 0 ? other->angular_a : other->angular_b;
        sum += v3_dot(linear, ashi_linear_response(b, slots[i], push)) +
               v3_dot(angular, ashi_angular_response(b, slots[i], state->rotation[slots[i]], turn));
    }
    return sum;
}

/* The acceleration that a motor's force gives its row while the joint's held rows hold. */
static double acceleration(const ashi_joint_frames *frames, const ashi_joint_entry *joint, const ashi_state *state,
                           const ashi_joint_row *held, uint32_t count, const ashi_joint_row *drive)
{
    double a[ASHI_SEMIDEFINITE_MOST][ASHI_SEMIDEFINITE_MOST], c[ASHI_SEMIDEFINITE_MOST], x[ASHI_SEMIDEFINITE_MOST];
    double own = response(frames, joint, state, drive, drive), couple[ASHI_SEMIDEFINITE_MOST];
    count = count < ASHI_SEMIDEFINITE_MOST ? count : ASHI_SEMIDEFINITE_MOST;
    for (uint32_t i = 0; i < count; i++) {
        couple[i] = c[i] = response(frames, joint, state, &held[i], drive);
        for (uint32_t k = i; k < count; k++)
            a[i][k] = response(frames, joint, state, &held[i], &held[k]);
    }
    ashi_semidefinite_solve(count, a, c, DEPENDENT, x);
    for (uint32_t i = 0; i < count; i++)
        own -= couple[i] * x[i];
    return drive->upper * fmax(own, 0);
}

static bool brakes(const ashi_joint_row *row, const ash_joint_axis *axis)
{
    return row->role == ASHI_ROW_DRIVE && axis->motor.drive == ASH_DRIVE_POSITION && isfinite(row->upper);
}

uint32_t ashi_joint_rows(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state, double time,
                         double h, bool held_only, ashi_joint_row *rows)
{
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, state);
    const ashi_joint_class *class = ashi_joint_class_of(joint->kind);
    uint32_t held = ashi_joint_hold(joint, &frames, rows), count = held;
    if (held_only)
        return count;
    for (int i = 0; i < ASH_FREEDOMS && joint->axes != NULL; i++) {
        ash_freedom freedom = (ash_freedom)i;
        if ((joint->kept & ASH_FREEDOM_BIT(freedom)) == 0 || idle(&joint->axes[i]))
            continue;
        acting on = {joint, &frames, &joint->axes[i], freedom, ashi_joint_coordinate(joint, &frames, freedom), time, h};
        count += add_drive(&on, &rows[count]);
        if (count > held && brakes(&rows[count - 1], &joint->axes[i]))
            rows[count - 1].brake = acceleration(&frames, joint, state, rows, held, &rows[count - 1]);
        count += add_spring(&on, &rows[count]);
        count += add_friction(&on, &rows[count]);
        count += add_limit(&on, &rows[count]);
    }
    if (class->act != NULL)
        count += class->act(joint, &frames, time, h, &rows[count]);
    return count;
}
