/* Coordinates of joints at a state, and the memory of joints from step to step: counted turns and servos' integrals. */
#include "model/forces.h"
#include "model/joint_class.h"
#include "model/signal.h"

#define TURNS (ASH_FREEDOM_BIT(ASH_TURN_X) | ASH_FREEDOM_BIT(ASH_TURN_Y) | ASH_FREEDOM_BIT(ASH_TURN_Z))

/* Angles count over full turns where the joint has an axis; with all rotations free they cannot. */
static bool counts(const ashi_joint_entry *joint, bool planar, ash_freedom freedom)
{
    return freedom >= ASH_TURN_X && (planar || (joint->removed & TURNS) != 0);
}

ashi_joint_row ashi_joint_coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames,
                                     ash_freedom freedom)
{
    ashi_joint_row row = ashi_joint_row_begin();
    ashi_joint_class_of(joint->kind)->coordinate(joint, frames, freedom, &row);
    if (counts(joint, frames->planar, freedom))
        row.error = ashi_count_turns(row.error, joint->turn[freedom]);
    return row;
}

static bool keeps(const ashi_joint_entry *joint, ash_freedom freedom)
{
    return (joint->kept & ASH_FREEDOM_BIT(freedom)) != 0;
}

double ashi_joint_position(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state,
                           ash_freedom freedom)
{
    if (!keeps(joint, freedom))
        return 0;
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, state);
    return ashi_joint_coordinate(joint, &frames, freedom).error;
}

double ashi_joint_rate(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state,
                       ash_freedom freedom)
{
    if (!keeps(joint, freedom))
        return 0;
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, state);
    ashi_joint_row row = ashi_joint_coordinate(joint, &frames, freedom);
    return ashi_joint_row_rate(&frames, &row);
}

/* A shortcut for balls, which are frequent, without building rows. */
static void find_ball_errors(const ashi_joint_entry *joint, const ashi_state *state, double errors[3])
{
    uint32_t a = joint->body_a, b = joint->body_b;
    ash_vec3 from = v3_add(state->position[a], q_rotate(state->rotation[a], joint->arm_a));
    ash_vec3 to = v3_add(state->position[b], q_rotate(state->rotation[b], joint->arm_b));
    ash_vec3 offset = q_unrotate(q_mul(state->rotation[a], joint->frame_a.rotation), v3_sub(to, from));
    errors[0] = offset.x;
    errors[1] = offset.y;
    errors[2] = offset.z;
}

uint32_t ashi_joint_held_errors(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state,
                                double errors[ASHI_HOLD_ROWS])
{
    if (ashi_joint_class_of(joint->kind)->holds_point && !model->bodies.planar) {
        find_ball_errors(joint, state, errors);
        return 3;
    }
    ashi_joint_row rows[ASHI_HOLD_ROWS];
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, state);
    uint32_t count = ashi_joint_hold(joint, &frames, rows);
    for (uint32_t i = 0; i < count; i++)
        errors[i] = rows[i].error;
    return count;
}

ash_joint_error ashi_joint_error_at(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state)
{
    ashi_joint_row rows[ASHI_HOLD_ROWS];
    ash_joint_error worst = {0, 0};
    if (ashi_joint_class_of(joint->kind)->holds_point && !model->bodies.planar) {
        double errors[3];
        find_ball_errors(joint, state, errors);
        for (int i = 0; i < 3; i++)
            if (!(fabs(errors[i]) <= worst.distance)) /* NaN counts as the largest */
                worst.distance = fabs(errors[i]);
        return worst;
    }
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, state);
    uint32_t count = ashi_joint_hold(joint, &frames, rows);
    for (uint32_t i = 0; i < count; i++) {
        double *largest = rows[i].angular ? &worst.angle : &worst.distance;
        if (!(fabs(rows[i].error) <= *largest)) /* NaN counts as the largest */
            *largest = fabs(rows[i].error);
    }
    return worst;
}

/* The integral grows with the error, unless the servo is already at its largest force and would only wind up. */
static void integrate_servo(ashi_joint_entry *joint, ash_freedom freedom, double error, double h)
{
    const ash_joint_motor *motor = &joint->axes[freedom].motor;
    double force = joint->force[ASHI_DRIVE_KEY + freedom];
    bool winds_up = fabs(force) >= motor->max_force * (1 - 1e-9) && force * error < 0;
    if (!winds_up)
        joint->integral[freedom] += h * error;
}

/* Whether a coordinate needs no memory from step to step: all except those that count turns, and positions on a path or
 * a rack, which are found from the last position. */
static bool is_plain(const ashi_joint_entry *joint, bool planar, ash_freedom freedom)
{
    return ashi_joint_class_of(joint->kind)->memoryless && !counts(joint, planar, freedom);
}

static void advance_coordinate(const ashi_model *model, ashi_joint_entry *joint, const ashi_joint_frames *frames,
                               ash_freedom freedom, double time, double h)
{
    const ash_joint_motor *motor = joint->axes != NULL ? &joint->axes[freedom].motor : NULL;
    bool servo = motor != NULL && motor->drive == ASH_DRIVE_SERVO && motor->integral > 0;
    if (!servo && is_plain(joint, frames->planar, freedom))
        return;
    joint->turn[freedom] = ashi_joint_coordinate(joint, frames, freedom).error;
    if (!servo || !ashi_joint_acts(model, joint))
        return;
    double target = motor->target * ashi_signal_value(&motor->signal, time);
    integrate_servo(joint, freedom, joint->turn[freedom] - target, h);
}

static void advance(ashi_model *model, ashi_joint_entry *joint, double time, double h)
{
    const ashi_joint_class *class = ashi_joint_class_of(joint->kind);
    bool plain = joint->axes == NULL && class->advance == NULL;
    for (int i = 0; i < ASH_FREEDOMS; i++)
        plain &= !keeps(joint, (ash_freedom)i) || is_plain(joint, model->bodies.planar, (ash_freedom)i);
    if (plain)
        return;
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, &model->bodies.now);
    for (int i = 0; i < ASH_FREEDOMS; i++)
        if (keeps(joint, (ash_freedom)i))
            advance_coordinate(model, joint, &frames, (ash_freedom)i, time, h);
    if (class->advance != NULL)
        class->advance(joint, &frames, time, h);
}

void ashi_joints_advance(ashi_model *model, double time, double h)
{
    ashi_joints *joints = &model->joints;
    for (uint32_t i = 0; i < joints->entries.count; i++)
        if (ashi_pool_in_use(&joints->pool, i))
            advance(model, &joints->entries.data[i], time, h);
}

double ashi_joint_energy(const ashi_model *model, const ashi_joint_entry *joint, const ashi_state *state)
{
    ashi_joint_row rows[ASHI_HOLD_ROWS];
    double energy = 0;
    if (joint->axes == NULL && joint->compliance == 0 && joint->angular_compliance == 0)
        return 0; /* no springs */
    ashi_joint_frames frames = ashi_joint_frames_at(model, joint, state);
    for (int i = 0; i < ASH_FREEDOMS && joint->axes != NULL; i++) {
        const ash_joint_axis *axis = &joint->axes[i];
        if (!keeps(joint, (ash_freedom)i) || axis->stiffness == 0)
            continue;
        double way = ashi_joint_coordinate(joint, &frames, (ash_freedom)i).error - axis->rest;
        energy += 0.5 * axis->stiffness * way * way;
    }
    if (joint->compliance == 0 && joint->angular_compliance == 0)
        return energy;
    uint32_t count = ashi_joint_hold(joint, &frames, rows);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].compliance > 0)
            energy += 0.5 * rows[i].error * rows[i].error / rows[i].compliance;
    return energy;
}

double ashi_joints_energy(const ashi_model *model, const ashi_state *state)
{
    const ashi_joints *joints = &model->joints;
    double energy = 0;
    for (uint32_t i = 0; i < joints->entries.count; i++)
        if (ashi_pool_in_use(&joints->pool, i) && joints->entries.data[i].enabled)
            energy += ashi_joint_energy(model, &joints->entries.data[i], state);
    return energy;
}
