/* Lagrange multipliers: the forces of joints at an instant (Faure).
 *
 * Newton's law M a = f + J^T l and the joints' second derivative J a + d = 0, d = (dJ/dt) v - d speed/dt, give
 *   J M^-1 J^T l = -(J M^-1 f + d),
 * which the joints' system solves: trees in linear time, loops by conjugate gradients. Compliant rows give way here;
 * what errors of position and velocity the integration leaves is projected away after the step or, by joint-drift =
 * baumgarte, fades as J a + d = -alpha g - beta g' says (Baumgarte 1972), which is as stiff as it is quick.
 *
 * Near a singular position, where J loses rank, l grows without bounds with the errors of the velocities. Then the
 * integrator's evaluations at one instant, which two slopes of rk4 half-way through a step are, disagree about l: by
 * less than a hundredth in regular motion, by a third and more there. */
#include "step/joints/joint_accelerations.h"

#include "problem/assemble.h"

#include <math.h>
#include <string.h>

#define SINGULAR 0.2 /* share by which forces at one instant disagree */

void ashi_joint_accelerations_begin(ashi_joint_accelerations *m)
{
    m->time = NAN;
    m->disagrees = 0;
}

bool ashi_joint_accelerations_fail(const ashi_joint_accelerations *m)
{
    return !(m->disagrees <= SINGULAR); /* not a number, too */
}

void ashi_joint_accelerations_release(ashi_joint_accelerations *m)
{
    ashi_joint_system_release(&m->system);
    ashi_array_release(&m->wanted);
    ashi_array_release(&m->force);
    ashi_array_release(&m->before);
    ashi_array_release(&m->change);
}

/* The acceleration of a body of the problem without joints. */
static ash_motion acceleration_of(const ashi_bodies *b, const ashi_joint_body *place, const ashi_state *state)
{
    uint32_t slot = place->slot;
    ash_motion a = {{0, 0, 0}, {0, 0, 0}};
    if (b->motion[slot] & ASHI_DYNAMIC)
        a.linear = ashi_linear_acceleration(b, slot);
    if (b->motion[slot] & ASHI_ROTATES)
        a.angular = ashi_angular_acceleration(b, slot, state->rotation[slot], state->spin[slot], b->torque[slot]);
    return a;
}

/* wanted = -(J a + d) of all rigid rows. */
static void want(ashi_joint_accelerations *m, const ashi_step *step, const ashi_state *state, double time)
{
    const ashi_model *model = step->model;
    const ashi_system *p = &m->system.problem;
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    for (uint32_t i = 0; i < p->body_count; i++)
        m->change.data[i] = acceleration_of(&model->bodies, &m->system.places.data[i], state);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ashi_joint_entry *joint = &model->joints.entries.data[ashi_block_joint(block)];
        ashi_joint_rows(model, joint, state, time, step->h, true, rows);
        for (uint32_t i = 0; i < block->row_count; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            double rate =
                ashi_row_speed(row, &m->change.data[block->body_a], &m->change.data[block->body_b]) + rows[i].drift;
            if (step->method.joint_drift == ASH_DRIFT_BAUMGARTE)
                rate += step->method.drift_alpha * rows[i].error +
                        step->method.drift_beta * ashi_joint_system_rate(&m->system, block, row, state);
            m->wanted.data[block->first_row + i] = m->system.rigid.data[block->first_row + i] ? -rate : 0;
        }
    }
}

/* Compares the forces with those of the evaluation before, if that was at the same time. Else there may be none. */
static void compare(ashi_joint_accelerations *m, double time)
{
    uint32_t rows = m->system.problem.row_count;
    double change = 0, size = 0;
    for (uint32_t i = 0; i < rows && time == m->time; i++) {
        double now = m->force.data[i], before = m->before.data[i];
        change += (now - before) * (now - before);
        size += now * now + before * before;
    }
    if (time == m->time && !m->system.late)
        m->disagrees = size > 0 ? sqrt(change / size) : 0;
    if (rows > 0)
        memcpy(m->before.data, m->force.data, rows * sizeof *m->force.data);
    m->time = time;
}

static void push(ashi_bodies *b, uint32_t slot, ash_vec3 linear, ash_vec3 angular, double force)
{
    b->force[slot] = v3_add_scaled(b->force[slot], linear, force);
    b->torque[slot] = v3_add_scaled(b->torque[slot], angular, force);
}

bool ashi_joint_accelerations_add(ashi_joint_accelerations *m, ashi_step *step, const ashi_state *state, double time)
{
    ashi_joint_system *s = &m->system;
    ashi_bodies *b = &step->model->bodies;
    const ash_method *method = &step->method;
    ashi_joint_system_choose(s, method);
    ashi_joint_system_limit(s, method);
    if (!ashi_joint_system_set_up(s, step->model, state, time, step->scratch) ||
        !ashi_joint_system_factor_as_asked(s, step) || !ashi_array_reserve(&m->wanted, s->problem.row_count) ||
        !ashi_array_reserve(&m->force, s->problem.row_count) || !ashi_array_reserve(&m->before, s->problem.row_count) ||
        !ashi_array_reserve(&m->change, s->problem.body_count))
        return false;
    want(m, step, state, time);
    ashi_joint_system_solve(s, m->wanted.data, method->joint_velocity_tolerance / step->h, m->force.data,
                            m->change.data);
    if (s->late)
        ashi_joint_system_is_late(s, step);
    compare(m, time);
    const ashi_system *p = &s->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
            const ashi_row *row = &p->rows[i];
            push(b, s->places.data[block->body_a].slot, row->linear_a, row->angular_a, m->force.data[i]);
            push(b, s->places.data[block->body_b].slot, row->linear_b, row->angular_b, m->force.data[i]);
            s->impulse.data[i] = step->h * m->force.data[i];
        }
    }
    return true;
}
