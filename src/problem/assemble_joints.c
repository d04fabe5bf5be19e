/* Joints in the problem of a step, and the problem of the joints alone.
 *
 * The held rows of a joint are one block of equalities; each limit, drive, spring and friction is a block of one row.
 * Rows are those at the start of the step, with speeds that lead to the targets at its end. With the error C and a
 * force f over the step (impulse h f), the error at the end is C + h J v to first order:
 *
 *   held         J v = speed - what the stabilization asks for of C
 *   compliant    C + h J v = -compliance f:           softness compliance / h2, bias C / h
 *   limit        J v >= -C / h while C > 0: it may close, no more; beyond it stabilized like a held row
 *   velocity     J v = speed within the force
 *   position     C + h (J v - speed) = 0 within the force; of a limited force: no faster than it can stop
 *   spring       f = -k (C + h (J v - speed)) - c (J v - speed) + offset:    softness 1 / (h (h k + c)),
 *                bias (k C - offset) / (h k + c) - speed
 *   friction     J v = 0 within the force.
 *
 * If h is a stage of a step of length H, these are the velocity and the force at the end of the whole step, with H
 * instead of h except in the impulse h f: removing an error within a short stage would require too much speed. At an
 * instant (h = 0) only rigid rows act: held rows, limits that are reached, and motors of unlimited force. */
#include "problem/assembling.h"

#include "model/joint_class.h"
#include "model/method.h"

#include <math.h>

#define FARTHEST  0.1 /* rad, or units of length: the largest drift of a row in a step */
#define GIVES_WAY 1e9 /* times its own response: the softness of a row that carries practically nothing */

static uint32_t label_of(uint32_t slot, const ashi_joint_row *row)
{
    return 32 * slot + row->key;
}

static bool is_spring(const ashi_joint_row *row)
{
    return row->stiffness > 0 || row->damping > 0;
}

/* ---- bias and softness of a row ---- */

/* Errors are removed by a damped spring of the contacts' frequency. */
static void soften(const ashi_assembly *in, ashi_row *row, double response)
{
    const ash_solver_settings *solver = &in->method->solver;
    double stiffest = 0.125 / in->h;
    double w = 6.283185307179586 * (solver->frequency < stiffest ? solver->frequency : stiffest);
    row->bias += w / (2 * solver->damping + in->h * w) * row->error;
    row->softness = response / (in->h * w * (2 * solver->damping + in->h * w));
}

/* The erp of a kind of row, or that of contacts if it has none (Gribel 2009, (36)). */
static double erp_of(const ash_method *method, double own)
{
    return own < 0 ? method->erp : own;
}

/* Sets the speed that removes an error; soft-step removes errors itself. */
static void stabilize(const ashi_assembly *in, ashi_row *row, double response, double erp)
{
    const ash_method *method = in->method;
    if (ashi_method_divides(method))
        return;
    bool angular = v3_norm2(row->linear_a) == 0 && v3_norm2(row->linear_b) == 0;
    bool shallow = fabs(row->error) * (angular ? method->solver.unit_length : 1) <= method->mixed_depth;
    if (method->stabilization == ASH_STABILIZE_BAUMGARTE || (method->stabilization == ASH_STABILIZE_MIXED && shallow))
        row->bias += erp / ashi_assembly_whole(in) * row->error;
    else if (method->stabilization == ASH_STABILIZE_SOFT)
        soften(in, row, response);
}

static double bound(double force, double h)
{
    return isinf(force) ? force : h * force;
}

/* Rows that turn too fast for the step do not look ahead: their drift term could grow without bound, while projected
 * velocities only lose energy. */
static double resolved(const ashi_assembly *in, const ashi_joint_row *row)
{
    double farthest = FARTHEST * (row->angular ? 1 : in->method->solver.unit_length);
    return fabs(row->drift) * in->h * in->h > farthest ? 0 : row->drift;
}

static void set_held(const ashi_assembly *in, const ashi_joint_row *from, double response, ashi_row *row)
{
    double whole = ashi_assembly_whole(in);
    row->bias = -from->speed;
    row->drift = resolved(in, from);
    if (from->compliance > 0 && in->h == 0) {
        row->softness = GIVES_WAY * response;
    } else if (from->compliance > 0) {
        row->softness = from->compliance / (in->h * whole);
        row->bias += from->error / whole;
        row->drift = 0; /* the implicit step includes it in C */
    } else if (in->h > 0) {
        stabilize(in, row, response, erp_of(in->method, in->method->joint_erp));
    }
}

static void set_limit(const ashi_assembly *in, const ashi_joint_row *from, double response, ashi_row *row)
{
    row->lower = 0;
    row->drift = resolved(in, from);
    if (in->h > 0 && row->error > 0)
        row->bias = row->error / in->h;
    else if (in->h > 0 && in->no_projection)
        row->bias += erp_of(in->method, in->method->limit_erp) / in->h * row->error;
    else if (in->h > 0)
        stabilize(in, row, response, erp_of(in->method, in->method->limit_erp));
}

static void set_drive(const ashi_assembly *in, const ashi_joint_row *from, ashi_row *row)
{
    double h = in->h, whole = ashi_assembly_whole(in);
    row->lower = bound(from->lower, h);
    row->upper = bound(from->upper, h);
    if (is_spring(from)) {
        double both = whole * from->stiffness + from->damping;
        row->softness = 1 / (h * both);
        row->bias = (from->stiffness * from->error - from->offset) / both - from->speed;
    } else {
        row->bias = ashi_joint_row_closing(from, whole) - from->speed;
    }
}

/* The first guess: the last force of the row, times the length of this step. */
static void guess(const ashi_assembly *in, const ashi_joint_entry *joint, uint8_t key, ashi_row *row)
{
    double impulse = in->h * joint->force[key];
    row->impulse = impulse < row->lower ? row->lower : impulse > row->upper ? row->upper : impulse;
}

/* For a joint held by its own impulses, and a motor at an instant: other constraints must not change its predicted
 * rate.
 */
static void leave_rate(const ashi_system *p, const ashi_block *block, ashi_row *row)
{
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    ash_motion of_a = {a->velocity, a->spin}, of_b = {b->velocity, b->spin};
    row->bias = -ashi_row_speed(row, &of_a, &of_b);
    row->impulse = 0;
}

/* ---- blocks ---- */

static ashi_block *begin_block(ashi_assembling *s, uint32_t slot, const ashi_joint_row *first)
{
    const ashi_joint_entry *joint = &s->model->joints.entries.data[slot];
    ashi_system *p = s->out;
    ashi_block *block = &p->blocks[p->block_count];
    *block = (ashi_block){.kind = ASHI_PLAIN_BLOCK,
                          .body_a = ashi_assembling_body(s, joint->body_a),
                          .body_b = ashi_assembling_body(s, joint->body_b),
                          .first_row = p->row_count,
                          .friction_limit = -1,
                          .label = label_of(slot, first)};
    p->block_count++;
    return block;
}

/* A new row of the last block, unbounded. */
static ashi_row *begin_row(ashi_system *p, ashi_block *block)
{
    block->row_count++;
    ashi_row *row = &p->rows[p->row_count++];
    *row = (ashi_row){.lower = -INFINITY, .upper = INFINITY};
    return row;
}

static void set_jacobian(const ashi_joint_row *from, ashi_row *row)
{
    row->linear_a = from->linear_a;
    row->angular_a = from->angular_a;
    row->linear_b = from->linear_b;
    row->angular_b = from->angular_b;
    row->error = from->error;
}

static void add_row(ashi_assembling *s, const ashi_assembly *in, ashi_block *block, const ashi_joint_entry *joint,
                    const ashi_joint_row *from)
{
    ashi_row *row = begin_row(s->out, block);
    set_jacobian(from, row);
    double response = ashi_row_response(s->out, block, row, row);
    if (from->role == ASHI_ROW_HOLD)
        set_held(in, from, response, row);
    else if (from->role == ASHI_ROW_LIMIT)
        set_limit(in, from, response, row);
    else if (in->h > 0)
        set_drive(in, from, row);
    else
        leave_rate(s->out, block, row);
    guess(in, joint, from->key, row);
    if (from->role == ASHI_ROW_HOLD && from->compliance == 0 && in->h > 0 && in->joined)
        leave_rate(s->out, block, row);
}

/* A motor of unlimited force is a constraint, also at an instant. */
static bool is_rigid_drive(const ashi_joint_row *row)
{
    return row->role == ASHI_ROW_DRIVE && !is_spring(row) && isinf(row->lower) && isinf(row->upper);
}

/* Whether a limit is reached at an instant: like contacts, up to the slop. A taut rope has its length up to the errors
 * of solves and the rounding of positions. */
static bool is_reached(const ashi_assembly *in, const ashi_joint_row *row)
{
    const ash_method *method = in->method;
    double slop = row->angular ? method->slop / method->solver.unit_length : method->slop;
    return row->role == ASHI_ROW_LIMIT && row->error <= fmax(method->joint_tolerance, slop);
}

/* Whether a row other than held ones acts in a step, or at an instant. */
static bool takes_part(const ashi_assembly *in, const ashi_joint_row *row)
{
    return in->h > 0 || is_rigid_drive(row) || is_reached(in, row);
}

/* A joint between immovable bodies has no effect. */
static bool can_move(const ashi_model *model, uint32_t slot)
{
    const ashi_bodies *b = &model->bodies;
    uint8_t locks = b->locks[slot] & 7;
    return (b->motion[slot] & ASHI_DYNAMIC) && (locks != 7 || (b->motion[slot] & ASHI_ROTATES));
}

static bool is_held(const ashi_model *model, uint32_t slot)
{
    const ashi_joints *joints = &model->joints;
    const ashi_joint_entry *joint = &joints->entries.data[slot];
    return ashi_pool_in_use(&joints->pool, slot) && ashi_joint_acts(model, joint) &&
           (can_move(model, joint->body_a) || can_move(model, joint->body_b));
}

bool ashi_assembling_joints(ashi_assembling *s, const ashi_assembly *in)
{
    const ashi_joints *joints = &s->model->joints;
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    ashi_system *p = s->out;
    for (uint32_t slot = 0; slot < joints->entries.count; slot++) {
        if (!is_held(s->model, slot))
            continue;
        const ashi_joint_entry *joint = &joints->entries.data[slot];
        if (!ashi_system_reserve(p, 0, p->block_count + ASHI_JOINT_ROWS, p->row_count + ASHI_JOINT_ROWS, 0))
            return false;
        uint32_t count = ashi_joint_rows(s->model, joint, s->start, in->time, in->h, false, rows), i = 0;
        ashi_block *held = count > 0 && rows[0].role == ASHI_ROW_HOLD ? begin_block(s, slot, &rows[0]) : NULL;
        for (; i < count && rows[i].role == ASHI_ROW_HOLD; i++)
            add_row(s, in, held, joint, &rows[i]);
        for (; i < count; i++)
            if (takes_part(in, &rows[i]))
                add_row(s, in, begin_block(s, slot, &rows[i]), joint, &rows[i]);
    }
    return true;
}

void ashi_assembling_joint_room(const ashi_model *model, uint32_t *blocks, uint32_t *rows)
{
    const ashi_joints *joints = &model->joints;
    *blocks = *rows = 0;
    for (uint32_t slot = 0; slot < joints->entries.count; slot++) {
        const ashi_joint_entry *joint = &joints->entries.data[slot];
        if (!ashi_pool_in_use(&joints->pool, slot))
            continue;
        uint32_t more = 2; /* a cone, a rope, a piston */
        for (uint32_t i = 0; i < ASH_FREEDOMS && joint->axes != NULL; i++) {
            const ash_joint_axis *axis = &joint->axes[i];
            more += isfinite(axis->lower) || isfinite(axis->upper);
            more += axis->motor.drive != ASH_DRIVE_OFF;
            more += axis->stiffness > 0 || axis->damping > 0;
            more += axis->friction > 0;
        }
        *blocks += 1 + more;
        *rows += joint->hold_count + more;
    }
    if (*blocks > 0) { /* interrupts are checked before the last joint is added */
        *blocks += ASHI_JOINT_ROWS;
        *rows += ASHI_JOINT_ROWS;
    }
}

/* ---- forces of joints ---- */

void ashi_forget_joint_forces(ashi_model *model)
{
    ashi_joints *joints = &model->joints;
    for (uint32_t slot = 0; slot < joints->entries.count; slot++) {
        ashi_joint_entry *joint = &joints->entries.data[slot];
        if (!ashi_pool_in_use(&joints->pool, slot) || (joint->enabled && !ashi_joint_acts(model, joint)))
            continue; /* sleeping bodies keep their forces */
        for (uint32_t k = 0; k < ASHI_JOINT_KEYS; k++)
            joint->force[k] = 0;
        joint->reaction_force = joint->reaction_torque = v3(0, 0, 0);
    }
}

void ashi_add_joint_forces(const ashi_system *p, ashi_model *model, const ashi_state *start, double time)
{
    for (uint32_t k = 0; k < p->block_count && time > 0; k++) {
        const ashi_block *block = &p->blocks[k];
        if (block->kind != ASHI_PLAIN_BLOCK)
            continue;
        ashi_joint_entry *joint = &model->joints.entries.data[ashi_block_joint(block)];
        ash_vec3 arm = ashi_joint_reaction_arm(model, joint, start);
        for (uint32_t i = 0; i < block->row_count; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            ashi_add_joint_force(joint, ashi_block_key(block) + i, arm, row->linear_b, row->angular_b,
                                 row->impulse / time);
        }
    }
}

/* ---- the joints alone ---- */

static void set_alone(const ashi_joint_row *from, ashi_row *row)
{
    set_jacobian(from, row);
    row->bias = -from->speed;
    row->softness = from->compliance;
}

/* A shortcut for balls, which are frequent, without computing complete frames. */
static void set_ball(const ashi_joint_entry *joint, const ashi_state *state, ashi_row *rows)
{
    uint32_t a = joint->body_a, b = joint->body_b;
    ash_mat3 axes = m3_from_quat(q_mul(state->rotation[a], joint->frame_a.rotation));
    ash_vec3 arm_a = q_rotate(state->rotation[a], joint->arm_a), arm_b = q_rotate(state->rotation[b], joint->arm_b);
    ash_vec3 offset = v3_sub(v3_add(state->position[b], arm_b), v3_add(state->position[a], arm_a));
    ash_vec3 along[3] = {axes.x, axes.y, axes.z}; /* forces half-way between the points, as in ashi_coincidence_rows */
    arm_a = v3_add_scaled(arm_a, offset, 0.5);
    arm_b = v3_add_scaled(arm_b, offset, -0.5);
    for (int i = 0; i < 3; i++) {
        rows[i].linear_a = v3_neg(along[i]);
        rows[i].angular_a = v3_cross(along[i], arm_a);
        rows[i].linear_b = along[i];
        rows[i].angular_b = v3_cross(arm_b, along[i]);
        rows[i].error = v3_dot(along[i], offset);
        rows[i].softness = joint->compliance;
    }
}

bool ashi_assemble_joints(const ashi_model *model, const ashi_state *state, double time, ashi_arena *scratch,
                          ashi_system *problem)
{
    const ashi_joints *joints = &model->joints;
    uint32_t slots = ashi_body_slots(&model->bodies), used = joints->pool.used;
    ashi_assembling s = {model, state, state, problem, NULL};
    if (!ashi_assembling_begin(&s, scratch) ||
        !ashi_system_reserve(problem, slots < 2 * used ? slots : 2 * used, used, ASHI_HOLD_ROWS * used, 0))
        return false;
    problem->h = 0;
    problem->law = ASH_FRICTION_CONE;
    problem->directions = 4;
    ashi_joint_row rows[ASHI_JOINT_ROWS];
    for (uint32_t slot = 0; slot < joints->entries.count; slot++) {
        if (!is_held(model, slot))
            continue;
        uint32_t count = ashi_joint_rows(model, &joints->entries.data[slot], state, time, 0, true, rows);
        ashi_block *block = count > 0 ? begin_block(&s, slot, &rows[0]) : NULL;
        for (uint32_t i = 0; i < count; i++)
            set_alone(&rows[i], begin_row(problem, block));
    }
    return ashi_system_sort(problem, scratch, NULL, NULL);
}

void ashi_reassemble_bodies(const ashi_model *model, const ashi_state *state, ashi_system *problem)
{
    for (uint32_t i = problem->fixed_count; i < problem->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&model->bodies.pool, problem->bodies[i].label);
        problem->bodies[i].inverse_inertia = ashi_inverse_inertia_at(&model->bodies, slot, state->rotation[slot]);
    }
}

bool ashi_reassemble_joint(const ashi_model *model, const ashi_state *state, double time, const ashi_block *block,
                           ashi_row *rows)
{
    const ashi_joint_entry *joint = &model->joints.entries.data[ashi_block_joint(block)];
    if (ashi_joint_class_of(joint->kind)->holds_point && !model->bodies.planar) {
        set_ball(joint, state, rows);
        return true;
    }
    ashi_joint_row held[ASHI_JOINT_ROWS];
    if (ashi_joint_rows(model, joint, state, time, 0, true, held) != block->row_count)
        return false;
    for (uint32_t i = 0; i < block->row_count; i++)
        set_alone(&held[i], &rows[i]);
    return true;
}

static bool is_angular(const ashi_row *row)
{
    return v3_norm2(row->linear_a) == 0 && v3_norm2(row->linear_b) == 0;
}

double ashi_joint_errors(const ashi_model *model, const ashi_state *state, double time, ashi_system *problem)
{
    double errors[ASHI_HOLD_ROWS];
    (void)time;
    double largest = 0;
    for (uint32_t k = 0; k < problem->block_count; k++) {
        const ashi_block *block = &problem->blocks[k];
        const ashi_joint_entry *joint = &model->joints.entries.data[ashi_block_joint(block)];
        uint32_t count = ashi_joint_held_errors(model, joint, state, errors);
        for (uint32_t i = 0; i < count && i < block->row_count; i++) {
            ashi_row *row = &problem->rows[block->first_row + i];
            row->error = errors[i];
            if (row->softness == 0)
                largest = fmax(largest, fabs(row->error) * (is_angular(row) ? model->unit_length : 1));
        }
    }
    return largest;
}
