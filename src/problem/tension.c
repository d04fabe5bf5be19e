/* Stabilizes the geometric stiffness of joints (Tournier et al. 2015 and Andrews et al. 2017 treat the same problem).
 *
 * A force f at an arm r keeps its direction while the arm turns with the body: for a small rotation u the torque
 * changes by (u x r) x f = -K u, K = (r . f) 1 - (r f^T + f r^T) / 2 (its symmetric part). A link of mass m and length
 * l under a tension T therefore oscillates with a frequency of up to sqrt(12 T / (m l)), 350 rad/s for 1 kg that holds
 * 1000 kg, and a step that uses the force at its start diverges if h2 K exceeds four times the inertia. Along each
 * eigenvector of K where h2 K exceeds the inertia, the inertia is raised to it: motions that the step cannot resolve
 * become slower and are damped as by an implicit step. Motions that it can resolve are damped too, if bodies move by
 * the mean velocity of n sub-steps while forces keep their direction: such an oscillation of frequency w, with
 *   v1 = v0 - h w2 q0,   q1 = q0 + h v0 - b h2 w2 q0,   b = (1 + 1/n) / 2,
 * grows by the factor 1 + (1 - b) (h w)2 in its square, however short the step; with the inertia raised by the share
 * `lag` = 1 - b of h2 K it neither grows nor, to this order, decays. Only forces that balance each other count: a
 * resultant moves the body as a whole, like a pendulum. Momentum is conserved; angular momentum is not, by the amount
 * of these bodies' own rotation.
 */
#include "problem/tension.h"

#include <math.h>

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

/* The forces of joints on a body. */
typedef struct pulls {
    ash_vec3 force;     /* sum */
    double size;        /* sum of the forces' sizes */
    ash_sym3 stiffness; /* of the forces that balance each other */
} pulls;

/* A joint's contribution to a body: first the sums, then the stiffness of the forces without their resultant. */
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

static void add_up(const ashi_system *p, const ashi_model *model, const ashi_state *state, pulls *bodies, bool balance)
{
    const ashi_joints *joints = &model->joints;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (block->kind != ASHI_PLAIN_BLOCK || block->label % 32 != 0)
            continue; /* once per joint: with its held rows */
        const ashi_joint_entry *joint = &joints->entries.data[block->label / 32];
        ash_vec3 arm_a = q_rotate(state->rotation[joint->body_a], joint->arm_a);
        ash_vec3 arm_b = q_rotate(state->rotation[joint->body_b], joint->arm_b);
        pull(&bodies[block->body_a], arm_a, v3_scale(joint->reaction_force, -1), balance);
        pull(&bodies[block->body_b], arm_b, joint->reaction_force, balance);
    }
}

/* The amount added to an inertia for a stiffness times the square of the step. */
static double more_for(double inertia, double stiffness, double lag)
{
    return stiffness > 0 ? fmax(lag * stiffness, stiffness - inertia) : 0;
}

/* The same in the plane. */
static void slow_flat(ash_problem_body *body, double stiffness, double lag, bool predicts)
{
    double inertia = 1 / body->inverse_inertia.zz, more = more_for(inertia, stiffness, lag);
    if (!(more > 0) || !isfinite(more))
        return;
    body->inverse_inertia.zz = 1 / (inertia + more);
    if (predicts)
        body->spin.z *= inertia / (inertia + more);
}

/* Whether a matrix is positive definite (Sylvester's minors). */
static bool is_positive(ash_sym3 m)
{
    return m.xx > 0 && m.xx * m.yy - m.xy * m.xy > 0 && s3_determinant(m) > 0;
}

static void slow(ash_problem_body *body, ash_sym3 stiffness, double h, double lag, bool predicts)
{
    const ash_sym3 *inverse = &body->inverse_inertia;
    if (inverse->xx == 0 && inverse->yy == 0 && inverse->zz > 0) {
        slow_flat(body, h * h * stiffness.zz, lag, predicts);
        return;
    }
    double trace = body->inverse_inertia.xx + body->inverse_inertia.yy + body->inverse_inertia.zz;
    if (!(s3_determinant(body->inverse_inertia) > 1e-12 * trace * trace * trace) || !s3_is_finite(stiffness))
        return; /* cannot turn freely */
    ash_sym3 inertia = s3_inverse(body->inverse_inertia);
    if (lag == 0 && is_positive(s3_add(inertia, s3_scale(stiffness, -h * h))))
        return; /* along no axis does the stiffness exceed it */
    ash_vec3 values;
    ash_quat axes;
    ashi_eigen_sym3(stiffness, &values, &axes);
    const double value[3] = {values.x, values.y, values.z};
    const ash_vec3 axis[3] = {q_rotate(axes, v3(1, 0, 0)), q_rotate(axes, v3(0, 1, 0)), q_rotate(axes, v3(0, 0, 1))};
    bool raised = false;
    for (int i = 0; i < 3; i++) {
        double more = more_for(v3_dot(axis[i], s3_apply(inertia, axis[i])), h * h * value[i], lag);
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

/* Whether a block makes the solver take sub-steps: contacts and all rows with bounds. */
static bool is_bounded(const ashi_system *p, const ashi_block *block)
{
    bool bounded = block->kind == ASHI_CONTACT_BLOCK;
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count && !bounded; i++)
        bounded = isfinite(p->rows[i].lower) || isfinite(p->rows[i].upper);
    return bounded;
}

/* Whether bodies lag: if one solution makes all rows exact, they move by their last velocity. Islands without a fixed
 * body keep their angular momentum instead. */
static bool lags(const ashi_system *p, const ash_problem_island *island)
{
    bool divided = island->contact_count > 0, leans = false;
    for (uint32_t c = island->first_contact; c < island->first_contact + island->contact_count; c++)
        leans |= p->contacts[c].body_a < p->fixed_count || p->contacts[c].body_b < p->fixed_count;
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        divided = divided || is_bounded(p, block);
        leans |= block->body_a < p->fixed_count || block->body_b < p->fixed_count;
    }
    return divided && leans;
}

bool ashi_system_slow_turning(ashi_system *problem, const ashi_model *model, const ashi_state *state, double h,
                              double lag, bool predicts, ashi_arena *scratch)
{
    pulls *bodies = ashi_arena_take_array(scratch, problem->body_count, sizeof *bodies);
    if (bodies == NULL)
        return false;
    for (uint32_t i = 0; i < problem->body_count; i++)
        bodies[i] = (pulls){0};
    add_up(problem, model, state, bodies, false);
    add_up(problem, model, state, bodies, true);
    for (uint32_t k = 0; k < problem->island_count; k++) {
        const ash_problem_island *island = &problem->islands[k];
        double share = lag > 0 && lags(problem, island) ? lag : 0;
        for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++)
            slow(&problem->bodies[i], bodies[i].stiffness, h, share, predicts);
    }
    return true;
}
