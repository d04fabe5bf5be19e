/* Rows of the loop: what they ask of the end of a part, and of the velocities there.
 *
 * Seen over the part, each row is a speed u, linear in the impulse at its start to first order: of held rows and limits
 * u = C(q1) / h, of a contact's normal its gap over h, of its tangents the way over h that it slid, of drives of
 * velocity and friction the mean of J v at both ends. Forces act in halves at both ends.
 *
 * Springs f = -k C - c dC/dt + o by the midpoint rule, the same impulse at both ends:
 *   l = h/2 (-k (C0 + C1) / 2 - c (C1 - C0) / h + o),  so  C1 / h + l / (h w) + (C0 (h k/4 - c/2) - h o/2) / (h w) = 0,
 * w = h k/4 + c/2: symmetric, of order 2. Where h w times the row's response is above 1, it would swing or change sign
 * in every step; there the force is that of the end, at the start by C1 and at the end by C1 + h J v1, which decays. */
#include "step/joints/joint_loop.h"

#include "problem/assemble.h"
#include "problem/assembling.h"
#include "step/curvature.h"
#include "step/drive.h"
#include "step/joints/joint_correction.h"

#include <math.h>

#define OUT_OF_REACH 1e3 /* units of length and time: the bias of rows that are not there at the end */

static double out_of_reach(const ashi_joint_loop *loop)
{
    const ash_solver_settings *settings = &loop->step->method.solver;
    return OUT_OF_REACH * settings->unit_length / settings->unit_time;
}

/* The rows of a joint at a state, found once for blocks that follow each other. */
typedef struct joint_rows {
    uint32_t joint, count;
    ashi_joint_row rows[ASHI_JOINT_ROWS];
} joint_rows;

static const ashi_joint_row *find_row(joint_rows *j, const ashi_step *step, const ashi_block *block, uint32_t i,
                                      const ashi_state *state, double time, double h)
{
    uint32_t joint = ashi_block_joint(block), key = ashi_block_key(block) + i;
    const ashi_joint_entry *entry = &step->model->joints.entries.data[joint];
    if (j->joint != joint) {
        j->joint = joint;
        j->count = ashi_joint_rows(step->model, entry, state, time, h, false, j->rows);
    }
    for (uint32_t m = 0; m < j->count; m++)
        if (j->rows[m].key == key)
            return &j->rows[m];
    return NULL;
}

/* ---- at the start ---- */

static void begin_spring(const ashi_joint_loop *loop, const ashi_block *block, ashi_row *row, ashi_loop_row *r)
{
    double h = loop->step->h, k = r->stiffness, c = r->damping;
    double soft = 0.25 * h * k + 0.5 * c;
    r->kind = ASHI_LOOP_SPRING;
    r->stiff = h * soft * ashi_row_response(loop->problem, block, row, row) > 1;
    double w = r->stiff ? 0.5 * h * k + 0.5 * c : soft;
    row->softness = 1 / (h * w);
    r->steady = r->stiff ? -(0.5 * c * r->first + 0.5 * h * r->offset) / (h * w)
                         : (r->first * (0.25 * h * k - 0.5 * c) - 0.5 * h * r->offset) / (h * w);
}

static void begin_joint_row(const ashi_joint_loop *loop, const ashi_block *block, const ashi_joint_row *from,
                            ashi_row *row, ashi_loop_row *r)
{
    r->kind = from->role == ASHI_ROW_FRICTION ? ASHI_LOOP_RATE : ASHI_LOOP_ERROR;
    r->first = from->error;
    r->speed = from->role == ASHI_ROW_DRIVE ? from->speed : 0;
    r->stiffness = from->compliance > 0 ? 1 / from->compliance : from->stiffness;
    r->damping = from->damping;
    r->offset = from->offset;
    r->rest = from->brake > 0 ? from->error - loop->step->h * ashi_joint_row_closing(from, loop->step->h) : 0;
    r->rigid = from->role == ASHI_ROW_HOLD && !(from->compliance > 0);
    row->softness = 0;
    if (r->stiffness > 0 || r->damping > 0)
        begin_spring(loop, block, row, r);
    row->lower *= isfinite(row->lower) ? 0.5 : 1;
    row->upper *= isfinite(row->upper) ? 0.5 : 1;
}

static void begin_contact_row(const ashi_joint_loop *loop, uint32_t k, uint32_t i, ashi_row *row, ashi_loop_row *r)
{
    const ashi_block *block = &loop->problem->blocks[k];
    row->softness = 0;
    r->kind = i == 0 ? ASHI_LOOP_NORMAL : i <= block->tangents ? ASHI_LOOP_TANGENT : ASHI_LOOP_RATE;
    r->speed = i == 0 ? 0 : -row->bias;
    r->first = i == 0 ? fmin(loop->touches.data[k].gap, 0) : 0;
}

void ashi_loop_begin_rows(ashi_joint_loop *loop)
{
    ashi_system *p = loop->problem;
    const ashi_step *step = loop->step;
    joint_rows cache = {.joint = UINT32_MAX};
    for (uint32_t k = 0; k < p->block_count; k++) {
        ashi_block *block = &p->blocks[k];
        for (uint32_t i = 0; i < block->row_count; i++) {
            ashi_row *row = &p->rows[block->first_row + i];
            ashi_loop_row *r = &loop->rows.data[block->first_row + i];
            *r = (ashi_loop_row){.kind = ASHI_LOOP_ERROR};
            if (block->kind == ASHI_CONTACT_BLOCK) {
                begin_contact_row(loop, k, i, row, r);
            } else {
                const ashi_joint_row *from =
                    find_row(&cache, step, block, i, &step->model->bodies.now, step->time, step->h);
                begin_joint_row(loop, block, from, row, r);
                const ashi_joint_entry *joint = &step->model->joints.entries.data[ashi_block_joint(block)];
                row->impulse = step->h * joint->force[ashi_block_key(block) + i];
            }
            row->impulse *= step->method.solver.warm_start ? 0.5 : 0;
        }
    }
}

/* ---- by a prediction ---- */

static double rate_of(const ashi_joint_loop *loop, const ashi_block *block, ash_vec3 linear_a, ash_vec3 angular_a,
                      ash_vec3 linear_b, ash_vec3 angular_b, const ashi_state *state)
{
    uint32_t a = loop->slots.data[block->body_a], b = loop->slots.data[block->body_b];
    return v3_dot(linear_a, state->velocity[a]) + v3_dot(angular_a, state->spin[a]) +
           v3_dot(linear_b, state->velocity[b]) + v3_dot(angular_b, state->spin[b]);
}

static double problem_rate(const ashi_joint_loop *loop, const ashi_block *block, const ashi_row *row,
                           const ashi_state *state)
{
    return rate_of(loop, block, row->linear_a, row->angular_a, row->linear_b, row->angular_b, state);
}

/* The mean speed of a row that is another at the end (null: the same). */
static double mean_rate(const ashi_joint_loop *loop, const ashi_block *block, const ashi_row *row,
                        const ashi_joint_row *at_end)
{
    const ashi_bodies *b = &loop->step->model->bodies;
    double before = problem_rate(loop, block, row, &b->now);
    double after = at_end != NULL ? rate_of(loop, block, at_end->linear_a, at_end->angular_a, at_end->linear_b,
                                            at_end->angular_b, &b->next)
                                  : problem_rate(loop, block, row, &b->next);
    return 0.5 * (before + after);
}

static double see_joint_row(const ashi_joint_loop *loop, const ashi_block *block, uint32_t i, joint_rows *cache)
{
    const ashi_step *step = loop->step;
    const ashi_row *row = &loop->problem->rows[block->first_row + i];
    const ashi_loop_row *r = &loop->rows.data[block->first_row + i];
    const ashi_joint_row *end =
        find_row(cache, step, block, i, &step->model->bodies.next, step->time + step->h, step->h);
    bool has_place = r->first != 0 || (end != NULL && end->error != 0);
    if (r->kind == ASHI_LOOP_RATE || (r->speed != 0 && !has_place) || (end == NULL && r->kind == ASHI_LOOP_SPRING))
        return mean_rate(loop, block, row, end) - r->speed;
    if (end == NULL) /* a limit that is far */
        return r->first / step->h + mean_rate(loop, block, row, NULL);
    return has_place || r->rigid ? (end->error - r->rest) / step->h : mean_rate(loop, block, row, end) - r->speed;
}

/* Where the block's point is at the end, if that was looked for; else null. */
static const ashi_bend *bend_of(const ashi_joint_loop *loop, const ashi_block *block)
{
    const ashi_bend *bends = loop->step->bends;
    return bends != NULL && bends[block->label].known ? &bends[block->label] : NULL;
}

static double see_contact_row(const ashi_joint_loop *loop, uint32_t k, uint32_t i)
{
    const ashi_block *block = &loop->problem->blocks[k];
    const ashi_row *row = &loop->problem->rows[block->first_row + i];
    const ashi_loop_row *r = &loop->rows.data[block->first_row + i];
    const ashi_touch *touch = &loop->touches.data[k];
    double h = loop->step->h;
    if (r->kind == ASHI_LOOP_RATE)
        return mean_rate(loop, block, row, NULL) - r->speed;
    const ashi_bend *bend = bend_of(loop, block);
    if (r->kind == ASHI_LOOP_NORMAL && bend != NULL)
        return (bend->gap - r->first) / h;
    double way = v3_dot(row->linear_b, ashi_touch_displacement(&loop->step->model->bodies, touch, h));
    return r->kind == ASHI_LOOP_NORMAL ? (touch->gap + way - r->first) / h : way / h - r->speed;
}

void ashi_loop_measure(ashi_joint_loop *loop)
{
    const ashi_system *p = loop->problem;
    joint_rows cache = {.joint = UINT32_MAX};
    double largest = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        double square = 0;
        for (uint32_t i = 0; i < block->row_count; i++) {
            ashi_loop_row *r = &loop->rows.data[block->first_row + i];
            r->seen =
                block->kind == ASHI_CONTACT_BLOCK ? see_contact_row(loop, k, i) : see_joint_row(loop, block, i, &cache);
            square += r->rigid ? r->seen * r->seen : 0;
        }
        largest = fmax(largest, square);
    }
    loop->error = loop->step->h * sqrt(largest);
}

/* ---- velocities at the end ---- */

static void set_arms(const ashi_joint_loop *loop, const ashi_block *block, ash_vec3 place, ash_vec3 arm[2])
{
    const ashi_bodies *b = &loop->step->model->bodies;
    const uint32_t bodies[2] = {block->body_a, block->body_b};
    for (int side = 0; side < 2; side++) {
        arm[side] = v3_sub(place, b->next.position[loop->slots.data[bodies[side]]]);
        if (b->planar)
            arm[side].z = 0;
    }
}

static void end_contact(const ashi_joint_loop *loop, uint32_t k, ashi_system *to)
{
    const ashi_block *block = &to->blocks[k];
    const ashi_touch *touch = &loop->touches.data[k];
    const ashi_bend *bend = bend_of(loop, block);
    ash_vec3 arm[2], axes[3];
    ashi_touch_arms(&loop->step->model->bodies, touch, arm);
    if (bend != NULL) {
        ashi_curvature_axes(bend, bend->normal[1], axes);
        set_arms(loop, block, bend->place[1], arm);
    }
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_loop_row *r = &loop->rows.data[block->first_row + i];
        ashi_row *row = &to->rows[block->first_row + i];
        ash_vec3 along = bend != NULL && r->kind != ASHI_LOOP_RATE ? axes[i] : row->linear_b;
        if (r->kind != ASHI_LOOP_RATE) {
            row->linear_a = v3_neg(along);
            row->linear_b = along;
            row->angular_a = v3_cross(along, arm[0]);
            row->angular_b = v3_cross(arm[1], along);
        }
        row->bias = -r->speed;
    }
    const ashi_loop_row *normal = &loop->rows.data[block->first_row];
    bool touches = normal->kick > 0 || loop->step->h * normal->seen <= loop->tolerance;
    /* What does not touch yet may go on as it does: it is the next part that stops it, and lets it rebound. */
    to->rows[block->first_row].bias = touches ? -block->rebound : out_of_reach(loop);
}

static void end_spring(const ashi_joint_loop *loop, const ashi_loop_row *r, const ashi_joint_row *from, ashi_row *row)
{
    double h = loop->step->h, both = h * r->stiffness + r->damping;
    row->softness = 0;
    if (!r->stiff) { /* what acted at the start acts again */
        row->lower = row->upper = row->impulse = r->kick;
        row->bias = 0;
        return;
    }
    row->softness = 2 / (h * both);
    row->bias = (r->stiffness * from->error - r->offset) / both - from->speed;
}

/* The speed of a motor that must brake, at the end of a part. Half of a step's force acts before, and half after it. */
static double closing_at_end(const ashi_joint_row *row, double h)
{
    double half = 0.5 * row->brake * h, fastest = sqrt(half * half + 2 * row->brake * fabs(row->error));
    return row->brake > 0 ? fmin(fmax(row->error / h, -fastest), fastest) : 0;
}

/* Whether a motor of velocity has come to the limit that stops it: its speed over the part was less than it aims at. */
static bool has_stopped(const ashi_joint_loop *loop, const ashi_block *block, uint32_t i, const ashi_loop_row *r,
                        const ashi_joint_row *from)
{
    uint32_t key = ashi_block_key(block) + i;
    const ashi_joint_entry *joint = &loop->step->model->joints.entries.data[ashi_block_joint(block)];
    return key >= ASHI_DRIVE_KEY && key < ASHI_SPRING_KEY && joint->axes != NULL &&
           joint->axes[key - ASHI_DRIVE_KEY].motor.drive == ASH_DRIVE_VELOCITY && r->speed != from->speed;
}

static void end_joint_row(const ashi_joint_loop *loop, const ashi_block *block, uint32_t i, joint_rows *cache,
                          ashi_row *row)
{
    const ashi_step *step = loop->step;
    const ashi_loop_row *r = &loop->rows.data[block->first_row + i];
    const ashi_joint_row *from = find_row(cache, step, block, i, &step->model->bodies.next, step->time + step->h, 0);
    if (from == NULL) {
        row->bias = out_of_reach(loop);
        row->impulse = 0;
        if (!(row->lower == 0 && isinf(row->upper))) /* no limit: nothing acts */
            row->lower = row->upper = 0;
        return;
    }
    row->linear_a = from->linear_a;
    row->angular_a = from->angular_a;
    row->linear_b = from->linear_b;
    row->angular_b = from->angular_b;
    row->error = from->error;
    row->bias = closing_at_end(from, step->h) - (has_stopped(loop, block, i, r, from) ? 0 : from->speed);
    row->impulse = r->rigid ? 0 : row->impulse; /* the velocity correction has been made */
    if (from->role == ASHI_ROW_LIMIT)
        row->bias = r->kick > 0 || from->error <= loop->tolerance ? 0 : from->error / step->h;
    else if (r->kind == ASHI_LOOP_SPRING)
        end_spring(loop, r, from, row);
}

void ashi_loop_end_rows(const ashi_joint_loop *loop, ashi_system *to)
{
    joint_rows cache = {.joint = UINT32_MAX};
    for (uint32_t k = 0; k < to->block_count; k++) {
        const ashi_block *block = &to->blocks[k];
        if (block->kind == ASHI_CONTACT_BLOCK)
            end_contact(loop, k, to);
        for (uint32_t i = 0; i < block->row_count && block->kind == ASHI_PLAIN_BLOCK; i++)
            end_joint_row(loop, block, i, &cache, &to->rows[block->first_row + i]);
    }
}

/* ---- works ---- */

/* Impulses that do work on a potential that is the joints' own; what they lose of it is the damper's. */
static double stored(const ashi_loop_row *r, double error)
{
    return 0.5 * r->stiffness * error * error;
}

static void record_joint_row(ashi_step *step, const ashi_loop_row *r, uint32_t key, double work, double gain)
{
    bool spring = r->kind == ASHI_LOOP_SPRING;
    if (key < ASHI_LIMIT_KEY)
        step->work.joints += spring ? work + gain : work;
    else if (key < ASHI_DRIVE_KEY || key == ASHI_CONE_KEY)
        step->work.joints += work;
    else if (key < ASHI_SPRING_KEY)
        step->work.motors += work;
    else if (key < ASHI_FRICTION_KEY)
        step->work.dampers += work + gain;
    else
        step->work.friction += work;
}

/* What joints alone have got at the end. */
static double agreed(const ashi_joint_loop *loop, uint32_t block, uint32_t i)
{
    const ashi_joint_system *s = ashi_joint_system_at(loop->step->joint_impulses, ASHI_AT_END);
    return loop->held.data[block] == UINT32_MAX ? 0 : s->impulse.data[loop->held.data[block] + i];
}

/* The speed of a row before its kick: at the end before all corrections there, of joints alone and of all together, as
 * these are one kick. Shared out one after the other, joints would seem to do work of the motors: of order 1. */
static double speed_before(const ashi_joint_loop *loop, const ashi_system *p, const ashi_block *block,
                           const ashi_row *row, bool ends)
{
    const ash_problem_body *a = &p->bodies[block->body_a], *b = &p->bodies[block->body_b];
    ash_motion of_a = {a->velocity, a->spin}, of_b = {b->velocity, b->spin};
    return ends ? ashi_row_speed(row, &loop->motion.data[block->body_a], &loop->motion.data[block->body_b])
                : ashi_row_speed(row, &of_a, &of_b);
}

void ashi_loop_record_work(ashi_joint_loop *loop, const ashi_system *p, bool ends)
{
    ashi_step *step = loop->step;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t i = 0; i < block->row_count; i++) {
            const ashi_row *row = &p->rows[block->first_row + i];
            const ashi_loop_row *r = &loop->rows.data[block->first_row + i];
            double mean = speed_before(loop, p, block, row, ends) +
                          ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]);
            double work = 0.5 * (row->impulse + (ends ? agreed(loop, k, i) : 0)) * mean;
            double gain = ends && block->kind == ASHI_PLAIN_BLOCK ? stored(r, row->error) - stored(r, r->first) : 0;
            if (block->kind == ASHI_PLAIN_BLOCK)
                record_joint_row(step, r, ashi_block_key(block) + i, work, gain);
            else if (i == 0)
                step->work.impacts += work;
            else
                step->work.friction += work;
        }
    }
    ashi_drive_record_work(step, p, ASHI_PLAIN_BLOCK);
    ashi_drive_record_work(step, p, ASHI_CONTACT_BLOCK);
}
