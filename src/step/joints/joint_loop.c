/* The loop of corrections with contacts in it (Bender & Schmitt 2006: collisions and contacts by impulses, too).
 *
 * A part of length h from q0, v0; l and m are impulses of all rows, held, one-sided and of friction:
 *   v0' = v0 + M^-1 J(q0)^T l,   (q1, v1') = free motion,   l such that C(q1) = 0, gaps(q1) >= 0, nothing slid (in K);
 *   v1 = v1' + M^-1 J(q1)^T m,   m such that J v1 = 0 for joints, J v1 >= rebound for contacts, no slip (in K).
 * A round of the first: predict, see what each row has become, correct the joints by their own system, then let the
 * method's solver make contacts and all else right with the joints' speeds as they are now; kick. Rounds go on until
 * joints, gaps, slip and bounds at the end of the part are within the tolerance. Friction ends at the cone of the same
 * half's normal impulse. A contact at rest and one that slides steadily are exact: half of the force acts at each end.
 *
 * An overlap at the start stays as it is, and what is beyond the slop is projected before the velocities are
 * corrected. Contacts that close within the part are stopped at its end, and rebound there (Newton). */
#include "step/joints/joint_loop.h"

#include "problem/assemble.h"
#include "problem/assembling.h"
#include "problem/yardstick.h"
#include "step/curvature.h"
#include "step/hold.h"
#include "step/joints/joint_correction.h"
#include "step/passing.h"
#include "step/scheme.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define WIDEST_TURN 0.5  /* rad that a round may change the turn of a body by */
#define LEAST_SHARE 0.05 /* of a solution that is taken */
#define PATIENCE    12   /* rounds without halving what is wrong */
#define ROUNDING    64.0 /* times the spacing of numbers */
#define FEW_ROUNDS  20   /* of the solver, from a better guess */
#define FINER       0.01 /* of the joints' tolerance: what rounds leave open */
#define ENOUGH      0.02 /* of what is wrong: a round is solved to this */

bool ashi_joint_loop_acts(const ashi_step *step)
{
    return (step->method.contact_pass || step->careful || step->driven) && step->scheme->loops;
}

void ashi_joint_loop_release(ashi_joint_loop *loop)
{
    ashi_array_release(&loop->touches);
    ashi_array_release(&loop->rows);
    ashi_array_release(&loop->slots);
    ashi_array_release(&loop->held);
    ashi_array_release(&loop->movers);
    ashi_array_release(&loop->motion);
    ashi_array_release(&loop->work);
    ashi_array_release(&loop->guess.rows);
    ashi_array_release(&loop->guess.blocks);
    ashi_array_release(&loop->guess.matrix);
    ashi_array_release(&loop->guess.speeds);
    ashi_array_release(&loop->guess.impulses);
    ashi_array_release(&loop->guess.before);
    ashi_array_release(&loop->guess.motion);
}

/* ---- set-up ---- */

/* Joint by joint there is no factor to do it with. */
static bool eliminates_joints(const ashi_step *step)
{
    return step->method.eliminate_joints && step->method.contact_pass &&
           step->method.joint_solver != ASH_JOINT_SOLVER_ITERATIVE;
}

/* Room for as many blocks as the problem has: contacts that begin need no memory. */
static bool reserve(ashi_joint_loop *loop)
{
    const ashi_system *p = loop->problem;
    return (!eliminates_joints(loop->step) || ashi_loop_guess_reserve(loop)) &&
           ashi_array_reserve(&loop->touches, p->block_room) && ashi_array_reserve(&loop->rows, p->row_room) &&
           ashi_array_reserve(&loop->slots, p->body_room) && ashi_array_reserve(&loop->motion, p->body_room) &&
           ashi_array_reserve(&loop->held, p->block_room) && ashi_array_reserve(&loop->movers, p->body_room);
}

bool ashi_joint_loop_reserve(ashi_step *step)
{
    ashi_joint_loop *loop = &step->joint_impulses->loop;
    const ashi_system *p = loop->problem = step->problem;
    loop->step = step;
    return reserve(loop) && ashi_array_reserve(&loop->work, ashi_yardstick_room(p, NULL) / sizeof(double) + 1) &&
           ashi_system_reserve(step->last_problem, p->body_room, p->block_room, p->row_room, p->island_room);
}

static double find_rounding(const ashi_joint_loop *loop)
{
    const ashi_system *p = loop->problem;
    double farthest = 0;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        farthest = fmax(farthest, v3_norm2(loop->step->model->bodies.now.position[loop->slots.data[i]]));
    return ROUNDING * DBL_EPSILON * (1 + sqrt(farthest));
}

/* Where the problem's held rows and bodies are in the joints' system: joints come in the order of their slots there,
 * and in some order in the problem. False when scratch memory ran out. */
static bool match(ashi_joint_loop *loop, const ashi_joint_system *s)
{
    const ashi_system *p = loop->problem;
    const ashi_model *model = loop->step->model;
    uint32_t joints = model->joints.entries.count, bodies = ashi_body_slots(&model->bodies);
    uint32_t *row_of = ashi_arena_take_array(loop->step->scratch, joints, sizeof *row_of);
    uint32_t *number_of = ashi_arena_take_array(loop->step->scratch, bodies, sizeof *number_of);
    if (row_of == NULL || number_of == NULL)
        return false;
    for (uint32_t k = 0; k < s->problem.block_count; k++)
        row_of[ashi_block_joint(&s->problem.blocks[k])] = s->problem.blocks[k].first_row;
    for (uint32_t k = 0; k < p->block_count; k++) {
        bool held = p->blocks[k].kind == ASHI_PLAIN_BLOCK && ashi_block_key(&p->blocks[k]) < ASHI_LIMIT_KEY;
        loop->held.data[k] = held ? row_of[ashi_block_joint(&p->blocks[k])] : UINT32_MAX;
    }
    for (uint32_t i = 0; i < p->body_count; i++)
        number_of[loop->slots.data[i]] = i;
    for (uint32_t i = 0; i < s->slots.count; i++)
        loop->movers.data[i] = number_of[s->slots.data[i]];
    return true;
}

/* The problem at the start, its bodies with the velocities that they have there. */
static bool begin(ashi_joint_loop *loop, double reach)
{
    ashi_step *step = loop->step;
    ashi_bodies *b = &step->model->bodies;
    ashi_system *p = loop->problem;
    const bool *leaves;
    if (!ashi_prediction_begin(&loop->prediction, step) || !ashi_predict_all(&loop->prediction) ||
        !ashi_passing_note(step, step->h, reach, &leaves))
        return false;
    ashi_assembly assembly = ashi_hold_assembly(step, step->h, reach);
    assembly.open = true;
    assembly.leaves = leaves;
    if (!ashi_assemble(&assembly, step->scratch, p) || !reserve(loop) || !ashi_touch_note(step, p, loop->touches.data))
        return false;
    for (uint32_t i = 0; i < p->body_count; i++) {
        loop->slots.data[i] = ashi_pool_slot_of(&b->pool, p->bodies[i].label);
        p->bodies[i].velocity = p->bodies[i].start_velocity;
        p->bodies[i].spin = p->bodies[i].start_spin;
        p->velocity[i] = (ash_motion){p->bodies[i].velocity, p->bodies[i].spin};
    }
    /* Predictions of springs empty the scratch memory. */
    if (ashi_curvature_acts(step) && !ashi_curvature_begin(step, p, step->joint_impulses->lasting))
        return false;
    ashi_joint_system *start = ashi_joint_system_at(step->joint_impulses, ASHI_AT_START);
    if (!ashi_joint_impulses_set_up(step, start, &b->now, step->time) || !match(loop, start))
        return false;
    double rounding = find_rounding(loop);
    loop->tolerance = fmax(ashi_joint_tolerance(step), rounding);
    ashi_joint_impulses_note_start(step, start, rounding);
    for (uint32_t k = 0; k < p->block_count; k++)
        p->blocks[k].bent = true; /* each slides and rolls in its own way */
    ashi_loop_begin_rows(loop);
    ashi_system_velocities(p, NULL);
    return true;
}

/* ---- rounds ---- */

/* The held rows of a problem keep the speeds that they have. Redundant ones could contradict each other otherwise. */
static void leave_joints(const ashi_joint_loop *loop, ashi_system *p)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            if (loop->rows.data[i].rigid)
                p->rows[i].bias =
                    -ashi_row_speed(&p->rows[i], &p->velocity[block->body_a], &p->velocity[block->body_b]);
    }
}

static void set_velocities(const ashi_joint_loop *loop, const ash_motion *motion, const ashi_state *state)
{
    const ashi_system *p = loop->problem;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        state->velocity[loop->slots.data[i]] = motion[i].linear;
        state->spin[loop->slots.data[i]] = motion[i].angular;
    }
}

/* Where the kicked velocities lead to. False when memory ran out. */
static bool predict(ashi_joint_loop *loop)
{
    const ashi_system *p = loop->problem;
    ashi_step *step = loop->step;
    set_velocities(loop, p->velocity, &step->model->bodies.now);
    bool broke = atomic_load(&step->worst_slot) != ASHI_NO_SLOT;
    bool good =
        broke ? ashi_predict_all(&loop->prediction)
              : ashi_predict(&loop->prediction, loop->slots.data + p->fixed_count, p->body_count - p->fixed_count);
    if (good && step->bends != NULL && atomic_load(&step->worst_slot) == ASHI_NO_SLOT)
        good = ashi_curvature_measure(step, p);
    if (good)
        ashi_loop_measure(loop);
    if (atomic_load(&step->worst_slot) != ASHI_NO_SLOT)
        loop->error = INFINITY;
    return good;
}

/* The joint correction by itself: impulses and velocities of the problem after it. */
static void correct_joints(ashi_joint_loop *loop)
{
    ashi_system *p = loop->problem;
    ashi_joint_impulses *m = loop->step->joint_impulses;
    ashi_joint_system *s = ashi_joint_system_at(m, ASHI_AT_START);
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count && loop->held.data[k] != UINT32_MAX; i++) {
            const ashi_loop_row *r = &loop->rows.data[p->blocks[k].first_row + i];
            m->wanted.data[loop->held.data[k] + i] = r->rigid ? -r->seen : 0;
        }
    loop->step->joint_corrections +=
        ashi_joint_impulses_solve(loop->step, s, ASHI_JOINT_SHARE * loop->tolerance / loop->step->h);
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count && loop->held.data[k] != UINT32_MAX; i++)
            p->rows[p->blocks[k].first_row + i].impulse += m->impulse.data[loop->held.data[k] + i];
    for (uint32_t i = 0; i < s->slots.count; i++) {
        ash_motion *v = &p->velocity[loop->movers.data[i]];
        const ash_motion *change = &m->change.data[s->problem.fixed_count + i];
        *v = (ash_motion){v3_add(v->linear, change->linear), v3_add(v->angular, change->angular)};
    }
}

/* What each row asks for, from what is seen of it. */
static void aim(ashi_joint_loop *loop)
{
    ashi_system *p = loop->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
            ashi_row *row = &p->rows[i];
            ashi_loop_row *r = &loop->rows.data[i];
            double speed = ashi_row_speed(row, &p->velocity[block->body_a], &p->velocity[block->body_b]);
            row->bias = r->seen - speed + r->steady;
            r->last = row->impulse;
        }
    }
    memcpy(loop->motion.data, p->velocity, p->body_count * sizeof *p->velocity);
}

/* How wrong the prediction is, m: joints by their errors, all rows by the yardstick, which sees gaps, slip and bounds
 * as they are at the end of the part. False when memory ran out. */
static bool judge(ashi_joint_loop *loop, double *wrong)
{
    const ashi_system *p = loop->problem;
    ashi_law law = ashi_law_of(p);
    ash_yardstick yardstick;
    if (!ashi_array_reserve(&loop->work, ashi_yardstick_room(p, NULL) / sizeof(double) + 1))
        return false;
    ashi_yardstick_measure(p, NULL, &law, loop->work.data, &yardstick);
    *wrong = fmax(loop->error, loop->step->h * yardstick.largest);
    if (!isfinite(*wrong) || atomic_load(&loop->step->worst_slot) != ASHI_NO_SLOT)
        *wrong = INFINITY;
    return true;
}

/* Takes a share of the solution; less where a body would turn too far. */
static void shorten(ashi_joint_loop *loop, double share)
{
    ashi_system *p = loop->problem;
    double turn = 0;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++)
        turn = fmax(turn, v3_norm2(v3_sub(p->velocity[i].angular, loop->motion.data[i].angular)));
    turn = loop->step->h * sqrt(turn);
    share = turn * share > WIDEST_TURN ? WIDEST_TURN / turn : share;
    if (share >= 1)
        return;
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse = loop->rows.data[i].last + share * (p->rows[i].impulse - loop->rows.data[i].last);
    ashi_system_velocities(p, NULL);
}

static bool solve_from(ashi_joint_loop *loop, ashi_system *p, const ash_solver_settings *settings,
                       ash_solve_result *result)
{
    return ashi_solve_problem(p, settings, loop->step->solvers, loop->step->tasks, NULL, result);
}

/* To the method's own tolerance or to a given one, m/s, whichever is larger. A better guess is given a few rounds;
 * what they do not solve from there is solved from the guess that was there. */
static bool solve(ashi_joint_loop *loop, ashi_system *p, bool ends, double enough, ash_solve_result *result)
{
    ashi_step *step = loop->step;
    ash_solver_settings settings = step->method.solver;
    settings.warm_start = true; /* impulses add up from round to round */
    /* What the solver leaves open of the joints' speeds opens the joints. */
    settings.tolerance = fmax(fmin(settings.tolerance, FINER * loop->tolerance / step->h), enough);
    if (eliminates_joints(step) && ashi_loop_guess_solution(loop, p, ends, settings.tolerance)) {
        ash_solver_settings few = settings;
        few.iterations = few.iterations < FEW_ROUNDS ? few.iterations : FEW_ROUNDS;
        if (!solve_from(loop, p, &few, result))
            return false;
        if (result->flags & ASH_SOLVE_CONVERGED)
            return true;
        step->solver_iterations += result->iterations;
        ashi_loop_guess_take_back(loop, p);
    }
    return solve_from(loop, p, &settings, result);
}

static void keep_best(ashi_joint_loop *loop)
{
    for (uint32_t i = 0; i < loop->problem->row_count; i++)
        loop->rows.data[i].best = loop->problem->rows[i].impulse;
}

/* Of the problem's bodies at the end. */
static double kinetic_energy(const ashi_joint_loop *loop)
{
    const ashi_bodies *b = &loop->step->model->bodies;
    double energy = 0;
    for (uint32_t i = loop->problem->fixed_count; i < loop->problem->body_count; i++) {
        uint32_t slot = loop->slots.data[i];
        ash_vec3 spin = b->next.spin[slot];
        ash_vec3 momentum = ashi_angular_momentum(&b->rotor[slot], b->next.rotation[slot], spin);
        energy += 0.5 * b->inertial[slot].mass * v3_norm2(b->next.velocity[slot]);
        energy += b->motion[slot] & ASHI_ROTATES ? 0.5 * v3_dot(spin, momentum) : 0;
    }
    return energy;
}

/* Velocities of `next` change by as much as those of the problem have since they were noted. */
static void follow(const ashi_joint_loop *loop)
{
    const ashi_system *p = loop->problem;
    const ashi_state *next = &loop->step->model->bodies.next;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        uint32_t slot = loop->slots.data[i];
        const ash_motion *from = &loop->motion.data[i], *to = &p->velocity[i];
        next->velocity[slot] = v3_add(next->velocity[slot], v3_sub(to->linear, from->linear));
        next->spin[slot] = v3_add(next->spin[slot], v3_sub(to->angular, from->angular));
    }
}

/* Takes back what the kicks of joints have done to the velocities of `next`: joints that contradict each other move the
 * bodies, but leave no velocity (see joint_impulses.c). Contacts, limits and springs have acted. */
static void withdraw(ashi_joint_loop *loop, bool all)
{
    ashi_system *p = loop->problem;
    memcpy(loop->motion.data, p->velocity, p->body_count * sizeof *p->velocity);
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse = all || loop->rows.data[i].rigid ? 0 : p->rows[i].impulse;
    ashi_system_velocities(p, NULL);
    follow(loop);
}

/* ... unless these would make the bodies faster than without any: then they contradict the joints. */
static void withdraw_joints(ashi_joint_loop *loop)
{
    ashi_work *work = &loop->step->work;
    work->stabilization -= kinetic_energy(loop);
    withdraw(loop, false);
    double kept = kinetic_energy(loop), free = 0;
    for (uint32_t i = 0; i < loop->problem->row_count; i++)
        loop->rows.data[i].last = loop->problem->rows[i].impulse;
    withdraw(loop, true);
    free = kinetic_energy(loop);
    if (kept <= free) {
        for (uint32_t i = 0; i < loop->problem->row_count; i++)
            loop->problem->rows[i].impulse = loop->rows.data[i].last;
        memcpy(loop->motion.data, loop->problem->velocity, loop->problem->body_count * sizeof *loop->motion.data);
        ashi_system_velocities(loop->problem, NULL);
        follow(loop);
    }
    work->stabilization += kinetic_energy(loop);
    loop->booked = true;
}

/* The rounds have failed: the best of them. False when memory ran out. */
static bool give_up(ashi_joint_loop *loop, double free)
{
    ashi_system *p = loop->problem;
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse = loop->rows.data[i].best;
    ashi_system_velocities(p, NULL);
    loop->step->flags |= ASH_FLAG_NOT_CONVERGED;
    if (!predict(loop))
        return false;
    if (isfinite(loop->error) && loop->error <= ashi_joint_failure(loop->step, loop->tolerance, free))
        return true;
    loop->step->failed = true;
    ashi_loop_record_work(loop, p, false);
    withdraw_joints(loop);
    return true;
}

/* One round: the joints' own correction, then contacts and all else with the joints' speeds left as they are. What is
 * `wrong`, m, falls to a tenth or so in a round: nothing is gained by solving for much less. `spent` counts rounds or,
 * joint by joint, sweeps. False when memory ran out. */
static bool take_round(ashi_joint_loop *loop, double wrong, double share, uint32_t *spent)
{
    ashi_step *step = loop->step;
    ash_solve_result result;
    double enough = isfinite(wrong) ? ENOUGH * wrong / step->h : 0;
    correct_joints(loop);
    leave_joints(loop, loop->problem);
    if (!solve(loop, loop->problem, false, enough, &result))
        return false;
    step->solver_iterations += result.iterations;
    *spent += step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE ? result.iterations + 1 : 1;
    shorten(loop, share);
    return predict(loop);
}

/* Whether a motor of limited force acts. In short steps all that it can do is less than the tolerance, in every one. */
static bool has_motor(const ashi_system *p)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const ashi_row *row = &p->rows[block->first_row];
        uint32_t key = block->kind == ASHI_PLAIN_BLOCK ? ashi_block_key(block) : 0;
        if (key >= ASHI_DRIVE_KEY && key < ASHI_SPRING_KEY && isfinite(row->lower) && isfinite(row->upper))
            return true;
    }
    return false;
}

/* Rounds until nothing is wrong. What is worse than before is taken in shorter ways: of contacts that carry more than
 * can be told, each solution may be another. False when memory ran out. */
static bool correct(ashi_joint_loop *loop)
{
    ashi_step *step = loop->step;
    double least = INFINITY, halved = INFINITY, before = INFINITY, share = 1, free, wrong;
    uint32_t since = 0, most = step->method.joint_iterations, spent = 0;
    bool by_one = step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE; /* converges in its own time */
    bool motor = has_motor(loop->problem);
    uint32_t patience = by_one ? most : PATIENCE;
    if (!predict(loop))
        return false;
    free = loop->error;
    for (;;) {
        aim(loop);
        if (!judge(loop, &wrong))
            return false;
        if (wrong <= loop->tolerance && !(motor && spent == 0))
            return true;
        since = wrong < 0.5 * halved ? 0 : since + 1;
        halved = since == 0 ? wrong : halved;
        if (wrong < least || since == 0)
            keep_best(loop);
        least = fmin(least, wrong);
        share = wrong > before && !by_one ? fmax(0.5 * share, LEAST_SHARE) : fmin(1, 2 * share);
        before = wrong;
        if (spent >= most || since > patience || ashi_interrupt_asks(step->interrupt))
            return give_up(loop, free);
        if (!take_round(loop, wrong, share, &spent))
            return false;
    }
}

/* ---- velocities at the end ---- */

/* A problem like another, at the end. False when memory ran out. */
static bool copy_to_end(const ashi_joint_loop *loop, ashi_system *to)
{
    const ashi_system *from = loop->problem;
    const ashi_bodies *b = &loop->step->model->bodies;
    if (!ashi_system_reserve(to, from->body_room, from->block_room, from->row_room, from->island_room))
        return false;
    ashi_system_clear(to);
    to->h = from->h;
    to->law = from->law;
    to->directions = from->directions;
    to->planar = from->planar;
    to->expanded = true; /* contacts are in its blocks alone */
    to->fixed_count = from->fixed_count;
    to->body_count = from->body_count;
    to->block_count = from->block_count;
    to->row_count = from->row_count;
    to->island_count = from->island_count;
    memcpy(to->bodies, from->bodies, from->body_count * sizeof *to->bodies);
    memcpy(to->blocks, from->blocks, from->block_count * sizeof *to->blocks);
    memcpy(to->rows, from->rows, from->row_count * sizeof *to->rows);
    memcpy(to->islands, from->islands, from->island_count * sizeof *to->islands);
    for (uint32_t i = 0; i < to->body_count; i++) {
        uint32_t slot = loop->slots.data[i];
        to->bodies[i].velocity = b->next.velocity[slot];
        to->bodies[i].spin = b->next.spin[slot];
        to->velocity[i] = (ash_motion){to->bodies[i].velocity, to->bodies[i].spin};
        if (i >= to->fixed_count)
            to->bodies[i].inverse_inertia = ashi_inverse_inertia_at(b, slot, b->next.rotation[slot]);
    }
    return true;
}

/* Notes the velocities at the end, before any correction. */
static void note_motion(ashi_joint_loop *loop)
{
    const ashi_state *next = &loop->step->model->bodies.next;
    for (uint32_t i = 0; i < loop->problem->body_count; i++)
        loop->motion.data[i] = (ash_motion){next->velocity[loop->slots.data[i]], next->spin[loop->slots.data[i]]};
}

static bool correct_velocities(ashi_joint_loop *loop)
{
    ashi_step *step = loop->step;
    ashi_system *p = loop->problem, *end = step->last_problem;
    ash_solve_result result;
    double joints = step->work.joints;
    note_motion(loop);
    if (!ashi_joint_impulses_agree(step) || !copy_to_end(loop, end))
        return false;
    step->work.joints = joints; /* it is recorded below, with all else that acts there */
    ashi_loop_end_rows(loop, end);
    leave_joints(loop, end);
    uint32_t spent = 0, most = step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE
                                   ? step->method.joint_iterations
                                   : 10 * step->method.solver.iterations;
    do {
        if (!solve(loop, end, true, 0, &result))
            return false;
        step->velocity_corrections++;
        spent += result.iterations + 1;
    } while (!(result.flags & ASH_SOLVE_CONVERGED) && spent < most);
    ashi_hold_note(step, &result);
    ashi_loop_record_work(loop, end, true);
    set_velocities(loop, end->velocity, &step->model->bodies.next);
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse += end->rows[i].impulse;
    return true;
}

/* ---- the part ---- */

/* Whether a contact overlaps by more than the slop. */
static bool overlaps(const ashi_joint_loop *loop)
{
    const ashi_system *p = loop->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_loop_row *r = &loop->rows.data[p->blocks[k].first_row];
        if (p->blocks[k].kind == ASHI_CONTACT_BLOCK && r->first + loop->step->h * r->seen < -loop->step->method.slop)
            return true;
    }
    return false;
}

/* Overlaps that were there before, and joints that the rounds have left open. False when memory ran out. */
static bool project(ashi_joint_loop *loop)
{
    bool deep = overlaps(loop), open = loop->error > loop->tolerance;
    return (!deep || ashi_project_positions(loop->step)) &&
           (!(deep || open) || ashi_joint_impulses_project(loop->step));
}

static bool take(ashi_step *step, double reach)
{
    ashi_joint_loop *loop = &step->joint_impulses->loop;
    loop->step = step;
    loop->problem = step->problem;
    step->joint_impulses->mended = step->joint_impulses->rough = false;
    step->joint_impulses->work = 0;
    loop->booked = loop->guess.made = false;
    if (!begin(loop, reach))
        return false;
    ashi_system *p = loop->problem;
    bool good = correct(loop);
    if (good) {
        ashi_prediction_record_work(&loop->prediction);
        if (!loop->booked)
            ashi_loop_record_work(loop, p, false);
    }
    for (uint32_t i = 0; i < p->row_count; i++)
        loop->rows.data[i].kick = p->rows[i].impulse;
    for (uint32_t i = 0; i < p->body_count; i++)
        loop->motion.data[i] = (ash_motion){p->bodies[i].start_velocity, p->bodies[i].start_spin};
    set_velocities(loop, loop->motion.data, &step->model->bodies.now);
    if (atomic_load(&step->unconverged))
        step->flags |= ASH_FLAG_INTEGRATOR_NOT_CONVERGED;
    return good && project(loop) && correct_velocities(loop);
}

bool ashi_joint_loop_take(ashi_step *step, double reach)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    bool good = take(step, reach);
    ashi_step_enter(step, before);
    return good;
}
