/* Geometric stiffness of joints, made harmless (Tournier et al. 2015 and Andrews et al. 2017 treat the same trouble).
 *
 * A force f at an arm r turns with nothing while the arm turns with the body: for a small turn u the torque changes by
 * (u x r) x f = -K u, K = (r . f) 1 - (r f^T + f r^T) / 2 (its symmetric part). A link of mass m and length l under a
 * tension T so swings with a frequency of up to sqrt(12 T / (m l)), 350 rad/s for 1 kg that holds 1000 kg, and a step
 * that takes the force where it is at its start diverges when h2 K exceeds four times the inertia. Along each
 * eigenvector of K where h2 K exceeds the inertia, the inertia is raised to it: motions that the step cannot resolve
 * become slower and are damped as by an implicit step, those that it can are as they were. Only forces that balance
 * each other count: a resultant moves the body as a whole, as of a pendulum. Momentum is kept; of angular momentum what
 * these bodies' own turning takes is not. */
#include "problem/tension.h"

static ash_sym3 stiffness_of(ash_vec3 arm, ash_vec3 force)
{
    double along = v3_dot(arm, force);
    return (ash_sym3){along - arm.x * force.x,
                      along - arm.y * force.y,
                      along - arm.z * force.z,
                      -0.5 * (arm.x * force.y + arm.y * force.x),
                      -0.5 * (arm.x * force.z + arm.z * force.x),
                      -0.5 * (arm.y * force.z + arm.z * force.y)};
}

/* What the joints of a body pull at it with. */
typedef struct pulls {
    ash_vec3 force;     /* sum */
    double size;        /* sum of the forces' sizes */
    ash_sym3 stiffness; /* of the forces that balance each other */
} pulls;

/* A joint's share in a body: first the sums, then the stiffness of what is left without the resultant. */
static void pull(pulls *body, ash_vec3 arm, ash_vec3 force, bool balance)
{
    double size = v3_norm(force);
    if (!balance) {
        body->force = v3_add(body->force, force);
        body->size += size;
    } else if (body->size > 0) {
        ash_vec3 balanced = v3_add_scaled(force, body->force, -size / body->size);
        body->stiffness = s3_add(body->stiffness, stiffness_of(arm, balanced));
    }
}

static void add_up(const ash_problem *p, const ashi_model *model, const ashi_state *state, pulls *bodies, bool balance)
{
    const ashi_joints *joints = &model->joints;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        if (block->kind != ASH_BLOCK_ROWS || block->label % 32 != 0)
            continue; /* once a joint: by its held rows */
        const ashi_joint *joint = &joints->entries.data[block->label / 32];
        ash_vec3 arm_a = q_rotate(state->rotation[joint->body_a], joint->arm_a);
        ash_vec3 arm_b = q_rotate(state->rotation[joint->body_b], joint->arm_b);
        pull(&bodies[block->body_a], arm_a, v3_scale(joint->bearing_force, -1), balance);
        pull(&bodies[block->body_b], arm_b, joint->bearing_force, balance);
    }
}

static void slow(ash_problem_body *body, ash_sym3 stiffness, double h, bool predicts)
{
    double trace = body->inverse_inertia.xx + body->inverse_inertia.yy + body->inverse_inertia.zz;
    if (!(s3_determinant(body->inverse_inertia) > 1e-12 * trace * trace * trace) || !s3_is_finite(stiffness))
        return; /* cannot turn freely */
    ash_sym3 inertia = s3_inverse(body->inverse_inertia);
    ash_vec3 values;
    ash_quat axes;
    ashi_eigen_sym3(stiffness, &values, &axes);
    const double value[3] = {values.x, values.y, values.z};
    const ash_vec3 axis[3] = {q_rotate(axes, v3(1, 0, 0)), q_rotate(axes, v3(0, 1, 0)), q_rotate(axes, v3(0, 0, 1))};
    bool raised = false;
    for (int i = 0; i < 3; i++) {
        double more = h * h * value[i] - v3_dot(axis[i], s3_apply(inertia, axis[i]));
        if (!(more > 0))
            continue;
        inertia = s3_add(inertia, s3_outer(axis[i], more));
        raised = true;
    }
    if (!raised)
        return;
    ash_vec3 momentum = s3_apply(s3_inverse(body->inverse_inertia), body->spin);
    body->inverse_inertia = s3_inverse(inertia);
    if (predicts)
        body->spin = s3_apply(body->inverse_inertia, momentum);
}

bool ashi_problem_slow_turning(ash_problem *problem, const ashi_model *model, const ashi_state *state, double h,
                               bool predicts, ashi_arena *scratch)
{
    pulls *bodies = ashi_arena_take_array(scratch, problem->body_count, sizeof *bodies);
    if (bodies == NULL)
        return false;
    for (uint32_t i = 0; i < problem->body_count; i++)
        bodies[i] = (pulls){0};
    add_up(problem, model, state, bodies, false);
    add_up(problem, model, state, bodies, true);
    for (uint32_t i = problem->fixed_count; i < problem->body_count; i++)
        slow(&problem->bodies[i], bodies[i].stiffness, h, predicts);
    return true;
}
