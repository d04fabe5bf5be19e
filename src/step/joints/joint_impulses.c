/* Joints held by impulses (Bender & Schmitt 2006).
 *
 * A part of length h, from q0, v0 with C(q0) = 0:
 *   joint correction     v0' = v0 + M^-1 J(q0)^T l    so that C(q1) = 0 for the free motion (q1, v1') of (q0, v0');
 *   velocity correction  v1 = v1' + M^-1 J(q1)^T m    so that J(q1) v1 = 0.
 * l is found by iteration (joint_correction.c) through the factor of the system at q0, which the velocity correction of
 * the part before has made. Read backwards in time the two corrections change places, so that the scheme is symmetric,
 * of order 2 with free motion of that order.
 *
 * Contacts, drives, limits and springs act on (q1, v1) by hold.c with the held rows as equalities; what that opens is
 * joined again. The work of a kick is its impulse times the mean of J v before and after. */
#include "step/joints/joint_impulses.h"

#include "model/joint_class.h"
#include "problem/assemble.h"
#include "step/drive.h"
#include "step/hold.h"
#include "step/joints/joint_correction.h"
#include "step/joints/joint_sweeps.h"
#include "step/scheme.h"

#include <float.h>
#include <math.h>

#define MOST_PARTS   64
#define WIDEST_SWING 0.45  /* rad in a part of a step that is cut, which it is ... */
#define FAST_SWING   1.0   /* ... from here: tension may grow within it */
#define LONGEST_WAY  100.0 /* times the error: what a projection may move a body by, and ... */
#define WIDEST_TURN  1.0   /* ... turn it, rad */
#define ROUNDING     64.0  /* times the spacing of numbers: errors below cannot be told from none */

ashi_joint_impulses *ashi_joint_impulses_create(void)
{
    ashi_joint_impulses *m = ashi_alloc_zeroed(sizeof *m);
    if (m != NULL && (m->lasting = ashi_arena_create(1 << 12)) == NULL) {
        ashi_dealloc(m);
        return NULL;
    }
    return m;
}

void ashi_joint_impulses_destroy(ashi_joint_impulses *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < ASHI_INSTANTS; i++)
        ashi_joint_system_release(&m->systems[i]);
    ashi_arena_destroy(m->lasting);
    ashi_array_release(&m->wanted);
    ashi_array_release(&m->impulse);
    ashi_array_release(&m->speeds);
    ashi_array_release(&m->rates);
    ashi_array_release(&m->change);
    ashi_footing_release(&m->start);
    ashi_footing_release(&m->joined);
    ashi_array_release(&m->mends);
    ashi_array_release(&m->tries);
    ashi_footing_release(&m->base);
    ashi_footing_release(&m->best);
    ashi_footing_release(&m->kicked);
    ashi_footing_release(&m->free);
    ashi_footing_release(&m->held);
    ashi_mixing_release(&m->mixing);
    ashi_joint_accelerations_release(&m->accelerations);
    ashi_joint_loop_release(&m->loop);
    ashi_dealloc(m);
}

void ashi_joint_impulses_forget(ashi_joint_impulses *m)
{
    for (int i = 0; i < ASHI_INSTANTS; i++)
        m->systems[i].numbered = false;
}

uint64_t ashi_joint_impulses_operations(const ashi_joint_impulses *m)
{
    uint64_t sum = 0;
    for (int i = 0; i < ASHI_INSTANTS; i++)
        sum += ashi_joint_system_operations(&m->systems[i]);
    return sum;
}

bool ashi_joint_impulses_are_driven(const ashi_step *step)
{
    const ashi_joints *joints = &step->model->joints;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !joint->enabled)
            continue;
        if (joint->axes != NULL || ashi_joint_may_act(joint) || joint->compliance > 0 || joint->angular_compliance > 0)
            return true;
    }
    return false;
}

/* ---- stiffness ---- */

/* The square of the angular frequency with which a body swings between two joints that pull at arms of that length: of
 * its inertia, axes across the arm count, each for one of the joints. */
static double swing_of(const ashi_bodies *b, uint32_t slot, ash_vec3 arm, double force)
{
    const ashi_rotor *rotor = &b->rotor[slot];
    double square = v3_norm2(arm), reach = sqrt(square);
    if (!(b->motion[slot] & ASHI_DYNAMIC) || !(b->motion[slot] & ASHI_ROTATES) || !(reach > 0))
        return 0;
    if (b->planar)
        return 2 * force * reach / rotor->inertia.zz;
    ash_vec3 i = rotor->principal, r = q_unrotate(rotor->principal_axes, arm);
    return force / reach * ((square - r.x * r.x) / i.x + (square - r.y * r.y) / i.y + (square - r.z * r.z) / i.z);
}

/* The largest of all squares of such frequencies, by what joints carry; 0: none carries any load. */
static double fastest_swing(const ashi_step *step)
{
    const ashi_joints *joints = &step->model->joints;
    const ashi_bodies *b = &step->model->bodies;
    double most = 0;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint_entry *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !ashi_joint_acts(step->model, joint))
            continue;
        double force = v3_norm(joint->reaction_force);
        most = fmax(most, swing_of(b, joint->body_a, joint->arm_a, force));
        most = fmax(most, swing_of(b, joint->body_b, joint->arm_b, force));
    }
    return most;
}

static bool uses_accelerations(const ashi_step *step)
{
    return step->scheme->accelerate != NULL && !step->joint_impulses->kicks;
}

bool ashi_joint_impulses_drift(const ashi_step *step)
{
    return step->scheme->accelerate != NULL && step->method.joint_drift != ASH_DRIFT_PROJECTION;
}

/* No step has told what joints carry: what holds them against the forces at the start does, contacts left out. Without
 * memory for it, 0. */
static double first_swing(ashi_step *step)
{
    ashi_joint_accelerations *m = &step->joint_impulses->accelerations;
    const ashi_state *now = &step->model->bodies.now;
    ashi_arena_reset(step->scratch);
    ashi_step_evaluate(step, now, step->time);
    ashi_joint_accelerations_begin(m); /* there is none to compare with, at whatever time */
    if (!uses_accelerations(step) && !ashi_joint_accelerations_add(m, step, now, step->time))
        return 0;
    if (step->model->forces.out_of_memory)
        return 0;
    ashi_joint_system_add_forces(&m->system, m->system.impulse.data, step->model, now, step->h);
    double swing = fastest_swing(step);
    ashi_forget_joint_forces(step->model);
    return swing;
}

/* Beyond the widest swing of joints that do not hold, it is no tension but joints that contradict each other: shorter
 * parts would not help. */
static bool is_too_wide(double turn, bool joined)
{
    return turn > FAST_SWING && (joined || turn < MOST_PARTS * WIDEST_SWING);
}

uint32_t ashi_joint_impulses_parts(ashi_step *step, double length)
{
    if (step->method.plain_rounds || ashi_joint_impulses_drift(step))
        return 1;
    double swing = fastest_swing(step);
    double turn = length * sqrt(swing > 0 ? swing : first_swing(step));
    /* `failed` is of the part before. What carries more than that many parts can follow is judged as it goes. */
    return is_too_wide(turn, !step->failed) ? (uint32_t)ceil(fmin(turn / WIDEST_SWING, MOST_PARTS)) : 1;
}

/* ---- solution ---- */

uint32_t ashi_joint_impulses_solve(const ashi_step *step, ashi_joint_system *s, double tolerance)
{
    ashi_joint_impulses *m = step->joint_impulses;
    if (step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE)
        return ashi_joint_sweep_solve(s, m->wanted.data, tolerance, step->method.joint_iterations, m->impulse.data,
                                      m->change.data);
    ashi_joint_system_solve(s, m->wanted.data, tolerance, m->impulse.data, m->change.data);
    return 1;
}

static double largest_of(const ashi_joint_system *s, const ash_vec3 *of)
{
    double largest = 0;
    for (uint32_t i = 0; i < s->slots.count; i++)
        largest = fmax(largest, v3_norm2(of[s->slots.data[i]]));
    return sqrt(largest);
}

/* The size of errors that rounding makes: of coordinates, m, and of velocities. */
static double rounding_of(const ashi_joint_system *s, const ash_vec3 *of)
{
    return ROUNDING * DBL_EPSILON * (1 + largest_of(s, of));
}

/* ---- works ---- */

/* Notes the rates J v + bias of all rows at a state. */
static void look(ashi_joint_impulses *m, const ashi_joint_system *s, const ashi_state *state)
{
    ashi_joint_system_rates(s, state, m->rates.data);
}

/* J v of all rows where was looked last, noted before a kick. */
static void note_speeds(ashi_joint_impulses *m, const ashi_joint_system *s)
{
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        m->speeds.data[i] = m->rates.data[i] - s->bias.data[i];
}

/* The work of a kick, after which was looked last. */
static double work_of_kick(const ashi_joint_impulses *m, const ashi_joint_system *s)
{
    double work = 0;
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        work += 0.5 * s->impulse.data[i] * (m->speeds.data[i] + (m->rates.data[i] - s->bias.data[i]));
    return work;
}

/* The same where kicks went along the rows of several states: from their change of the velocities `first` to those of
 * `state`, on the mean of the latter and of those at the start. */
static double work_of_change(const ashi_bodies *b, const ashi_joint_impulses *m, const ashi_joint_system *s,
                             const ashi_footing *first, const ashi_state *state)
{
    double work = 0;
    for (uint32_t i = 0; i < s->slots.count; i++) {
        uint32_t slot = s->slots.data[i];
        const ash_motion *from = &first->motion.data[i], *start = &m->start.motion.data[i];
        ash_vec3 change = v3_sub(state->velocity[slot], from->linear), turn = v3_sub(state->spin[slot], from->angular);
        work += 0.5 * b->inertial[slot].mass * v3_dot(change, v3_add(start->linear, state->velocity[slot]));
        if (b->motion[slot] & ASHI_ROTATES)
            work += 0.5 * v3_dot(ashi_angular_momentum(&b->rotor[slot], state->rotation[slot], turn),
                                 v3_add(start->angular, state->spin[slot]));
    }
    return work;
}

/* The work of the joint correction, after which was looked last. */
static double work_of_correction(const ashi_joint_correction *c)
{
    const ashi_bodies *b = &c->step->model->bodies;
    return c->memory->mended ? work_of_change(b, c->memory, c->at, c->first, &b->now) : work_of_kick(c->memory, c->at);
}

/* What kinematic bodies give through the kicks at a system and along the rows of the end. */
static double drive_of_kicks(const ashi_step *step, const ashi_joint_system *s)
{
    ashi_joint_impulses *m = step->joint_impulses;
    double mends = m->mended ? ashi_drive_work(step->model, ashi_joint_system_at(m, ASHI_AT_MENDED), m->mends.data) : 0;
    return ashi_drive_work(step->model, s, s->impulse.data) + mends;
}

static void forget_mends(ashi_joint_impulses *m, uint32_t rows)
{
    m->mended = false;
    for (uint32_t i = 0; i < rows; i++)
        m->mends.data[i] = 0;
}

static double kinetic_energy(const ashi_bodies *b, const ashi_joint_system *s, const ashi_state *state)
{
    double energy = 0;
    for (uint32_t i = 0; i < s->slots.count; i++) {
        uint32_t slot = s->slots.data[i];
        ash_vec3 momentum = ashi_angular_momentum(&b->rotor[slot], state->rotation[slot], state->spin[slot]);
        energy += 0.5 * b->inertial[slot].mass * v3_norm2(state->velocity[slot]);
        energy += b->motion[slot] & ASHI_ROTATES ? 0.5 * v3_dot(state->spin[slot], momentum) : 0;
    }
    return energy;
}

/* The kicks of a correction that failed have moved the bodies of `next`, but leave no velocity: joints that contradict
 * each other would go on to drive them apart, faster in each part. */
static void withdraw_kicks(ashi_step *step, ashi_joint_system *s)
{
    ashi_joint_impulses *m = step->joint_impulses;
    const ashi_state *next = &step->model->bodies.next;
    double before = kinetic_energy(&step->model->bodies, s, next);
    for (uint32_t i = 0; i < s->slots.count; i++) {
        const ash_motion *from = &m->start.motion.data[i], *to = &m->kicked.motion.data[i];
        uint32_t slot = s->slots.data[i];
        next->velocity[slot] = v3_add(next->velocity[slot], v3_sub(from->linear, to->linear));
        next->spin[slot] = v3_add(next->spin[slot], v3_sub(from->angular, to->angular));
    }
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        s->impulse.data[i] = 0;
    forget_mends(m, s->problem.row_count);
    step->work.stabilization += kinetic_energy(&step->model->bodies, s, next) - before;
}

/* From `now` to `next`; `now` is as before. */
static bool move_jointed(ashi_step *step)
{
    const ashi_state *now = &step->model->bodies.now;
    ashi_joint_impulses *m = step->joint_impulses;
    ashi_joint_correction c = {.step = step, .memory = m, .at = ashi_joint_system_at(m, ASHI_AT_START)};
    if (!ashi_joint_impulses_set_up(step, c.at, now, step->time) || !ashi_prediction_begin(&c.prediction, step))
        return false;
    c.tolerance = fmax(ashi_joint_tolerance(step), rounding_of(c.at, now->position));
    ashi_joint_impulses_note_start(step, c.at, rounding_of(c.at, now->position));
    c.guesses = step->method.solver.warm_start;
    ashi_footing_keep(&m->start, c.at, now);
    c.first = &m->start;
    forget_mends(m, c.at->problem.row_count);
    look(m, c.at, now);
    note_speeds(m, c.at);
    bool good = ashi_joint_correct(&c);
    if (good)
        ashi_prediction_record_work(&c.prediction);
    look(m, c.at, now);
    m->work = work_of_correction(&c);
    ashi_footing_keep(&m->kicked, c.at, now);
    ashi_footing_set_motion(&m->start, c.at, now);
    m->drive = drive_of_kicks(step, c.at);
    step->work.joints += m->work;
    step->work.loads += m->drive;
    if (good && c.failed)
        withdraw_kicks(step, c.at);
    step->failed |= c.failed;
    if (atomic_load(&step->unconverged))
        step->flags |= ASH_FLAG_INTEGRATOR_NOT_CONVERGED;
    return good;
}

/* ---- velocity correction ---- */

/* Asks for the rates that were looked at to be taken away. Returns the largest of rigid rows. */
static double want_velocities(ashi_joint_impulses *m, const ashi_joint_system *s)
{
    double largest = 0;
    for (uint32_t i = 0; i < s->problem.row_count; i++) {
        double rate = s->rigid.data[i] ? m->rates.data[i] : 0;
        m->wanted.data[i] = -rate;
        largest = fabs(rate) > largest ? fabs(rate) : largest;
    }
    return largest;
}

/* Solves until velocities agree or a solution makes them worse, which is taken back; begins with the rates that were
 * looked at, and ends with those that are left. Returns the largest. */
static double solve_velocities(ashi_step *step, ashi_joint_system *s, double tolerance)
{
    ashi_joint_impulses *m = step->joint_impulses;
    const ashi_state *next = &step->model->bodies.next;
    double rate = want_velocities(m, s), last = INFINITY;
    for (uint32_t i = 0; (i == 0 || rate > tolerance) && rate < 0.5 * last; i++) {
        ashi_joint_system_solve(s, m->wanted.data, ASHI_JOINT_SHARE * tolerance, m->impulse.data, m->change.data);
        ashi_footing_keep(&m->base, s, next);
        ashi_joint_impulses_apply(m, s, next, 1);
        step->velocity_corrections++;
        last = rate;
        look(m, s, next);
        rate = want_velocities(m, s);
        if (rate > tolerance && ashi_joint_system_is_late(s, step))
            break;
    }
    if (!(rate <= fmax(tolerance, last))) { /* not a number, too */
        ashi_footing_return(&m->base, s, next);
        look(m, s, next);
        return last;
    }
    return rate;
}

/* Makes the velocities of `next` agree with the joints there. False when memory ran out. */
static bool correct_velocities(ashi_step *step, ashi_instant when)
{
    ashi_joint_impulses *m = step->joint_impulses;
    ashi_joint_system *s = ashi_joint_system_at(m, when);
    const ashi_state *next = &step->model->bodies.next;
    if (!ashi_joint_impulses_set_up(step, s, next, step->time + step->h))
        return false;
    double tolerance = ashi_joint_speed_tolerance(step);
    look(m, s, next);
    note_speeds(m, s);
    tolerance = fmax(tolerance, fmax(rounding_of(s, next->velocity), rounding_of(s, next->spin)));
    if (step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE) {
        ashi_joint_sweep_velocities(s, step, tolerance);
        look(m, s, next);
    } else {
        /* Redundant rows of joints that are open by the tolerance contradict each other a little when bodies turn. */
        double open = step->method.joint_tolerance * largest_of(s, next->spin);
        if (!(solve_velocities(step, s, tolerance) <= fmax(tolerance, open)))
            step->flags |= ASH_FLAG_NOT_CONVERGED;
    }
    double work = work_of_kick(m, s), drive = ashi_drive_work(step->model, s, s->impulse.data);
    step->work.joints += work;
    step->work.loads += drive;
    m->work += work;
    m->drive += drive;
    return true;
}

/* ---- projection ---- */

static double potential_energy(const ashi_step *step)
{
    const ashi_state *next = &step->model->bodies.next;
    return ashi_gravity_energy(step->model, next) + ashi_forces_energy(step->model, next) +
           ashi_joints_energy(step->model, next);
}

static void displace(ashi_step *step, const ashi_joint_system *s, double times)
{
    for (uint32_t i = 0; i < s->slots.count; i++) {
        ash_motion change = step->joint_impulses->change.data[s->problem.fixed_count + i];
        ashi_displace(step, s->slots.data[i], v3_scale(change.linear, times), v3_scale(change.angular, times));
    }
}

/* How much of a displacement may be made: joints that contradict each other ask for ones without bounds. */
static double share_of_way(const ashi_step *step, const ashi_joint_system *s, double error)
{
    double way = 0, turn = 0;
    for (uint32_t i = 0; i < s->slots.count; i++) {
        ash_motion change = step->joint_impulses->change.data[s->problem.fixed_count + i];
        way = fmax(way, v3_norm(change.linear));
        turn = fmax(turn, v3_norm(change.angular));
    }
    return fmin(1, fmin(way > 0 ? LONGEST_WAY * error / way : 1, turn > 0 ? WIDEST_TURN / turn : 1));
}

/* Moves bodies of `next` until the joints hold there. */
static bool project(ashi_step *step)
{
    ashi_joint_impulses *m = step->joint_impulses;
    ashi_joint_system *s = ashi_joint_system_at(m, ASHI_AT_END);
    const ashi_state *next = &step->model->bodies.next;
    if (!ashi_joint_impulses_set_up(step, s, next, step->time + step->h))
        return false;
    double tolerance = fmax(ashi_joint_tolerance(step), rounding_of(s, next->position));
    double error = ashi_joint_system_errors(s, step->model, next), before = INFINITY;
    if (!(error > tolerance))
        return true;
    const ashi_bodies *b = &step->model->bodies;
    double energy = potential_energy(step) + kinetic_energy(b, s, next); /* spins stay while inertia turns */
    for (uint32_t i = 0; error > tolerance && error < before && i < step->method.joint_iterations; i++) {
        for (uint32_t k = 0; k < s->problem.row_count; k++)
            m->wanted.data[k] = s->rigid.data[k] ? -s->error.data[k] : 0;
        ashi_joint_impulses_solve(step, s, ASHI_JOINT_SHARE * tolerance);
        step->joint_corrections++;
        double share = share_of_way(step, s, error);
        displace(step, s, share);
        before = error;
        error = ashi_joint_system_errors(s, step->model, next);
        if (!(error < before))
            displace(step, s, -share);
        if (error > tolerance && ashi_joint_system_is_late(s, step))
            break;
    }
    if (!(error <= tolerance))
        step->flags |= ASH_FLAG_NOT_CONVERGED;
    step->work.stabilization += potential_energy(step) + kinetic_energy(b, s, next) - energy;
    return true;
}

bool ashi_joint_impulses_agree(ashi_step *step)
{
    return correct_velocities(step, ASHI_AT_END);
}

bool ashi_joint_impulses_project(ashi_step *step)
{
    return project(step);
}

/* ---- free motion ---- */

void ashi_joint_impulses_accelerate(ashi_step *step, const ashi_state *state, double time)
{
    if (uses_accelerations(step) &&
        !ashi_joint_accelerations_add(&step->joint_impulses->accelerations, step, state, time))
        step->model->forces.out_of_memory = true;
}

ashi_arena *ashi_joint_impulses_memory(const ashi_step *step)
{
    ashi_arena_reset(step->joint_impulses->lasting);
    return step->joint_impulses->lasting;
}

/* By the joints' accelerations; where these fail, near a singular position, or the projection after them ends in
 * numbers that are not finite, by kicks: the impulses that the end of the part asks for have bounds there, too. */
static bool move_accelerated(ashi_step *step)
{
    ashi_joint_impulses *m = step->joint_impulses;
    ashi_work work = step->work;
    ashi_joint_accelerations_begin(&m->accelerations);
    if (!ashi_step_integrate(step))
        return false;
    if (ashi_joint_impulses_drift(step))
        return true;
    bool good = atomic_load(&step->worst_slot) == ASHI_NO_SLOT && !ashi_joint_accelerations_fail(&m->accelerations);
    if (good && !project(step))
        return false;
    if (good && atomic_load(&step->worst_slot) == ASHI_NO_SLOT)
        return true;
    atomic_store(&step->worst_slot, ASHI_NO_SLOT);
    step->work = work;
    m->kicks = true;
    return move_jointed(step);
}

/* The system where others would correct velocities, without a correction. False when memory ran out. */
static bool place_only(ashi_step *step, ashi_instant when)
{
    const ashi_state *next = &step->model->bodies.next;
    return ashi_joint_impulses_set_up(step, ashi_joint_system_at(step->joint_impulses, when), next,
                                      step->time + step->h);
}

bool ashi_joint_impulses_move(ashi_step *step, bool holds)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    step->joint_impulses->mended = step->joint_impulses->kicks = false;
    bool good = uses_accelerations(step) ? move_accelerated(step) : move_jointed(step);
    if (good && step->failed && step->joined && !project(step)) /* what a kick could not close */
        return false;
    bool drifts = ashi_joint_impulses_drift(step);
    good = good && (drifts ? place_only(step, holds ? ASHI_AT_PREDICTED : ASHI_AT_END)
                           : correct_velocities(step, holds ? ASHI_AT_PREDICTED : ASHI_AT_END));
    step->joint_impulses->rough = holds;
    if (good && holds)
        ashi_footing_keep(&step->joint_impulses->free, ashi_joint_system_at(step->joint_impulses, ASHI_AT_PREDICTED),
                          &step->model->bodies.next);
    ashi_step_enter(step, before);
    return good;
}

/* ---- after contacts and drives ---- */

/* Adds a share of what contacts and drives have changed the velocities at the end by to those of a state. */
static void add_share(const ashi_joint_impulses *m, const ashi_joint_system *s, double share, const ashi_state *state)
{
    for (uint32_t i = 0; i < s->slots.count; i++) {
        uint32_t slot = s->slots.data[i];
        const ash_motion *after = &m->held.motion.data[i], *before = &m->free.motion.data[i];
        state->velocity[slot] = v3_add_scaled(state->velocity[slot], v3_sub(after->linear, before->linear), share);
        state->spin[slot] = v3_add_scaled(state->spin[slot], v3_sub(after->angular, before->angular), share);
    }
}

/* Once contacts and drives are known, they act like the joints: in halves at both ends, joint correction and all. */
static bool move_again(ashi_step *step)
{
    const ashi_bodies *b = &step->model->bodies;
    ashi_joint_impulses *m = step->joint_impulses;
    ashi_joint_correction c = {.step = step, .memory = m, .at = ashi_joint_system_at(m, ASHI_AT_START)};
    if (!ashi_prediction_begin(&c.prediction, step) || !c.prediction.single || step->problem->shifted)
        return !step->model->forces.out_of_memory;
    double share = ashi_hold_share(step->method.integrator);
    c.tolerance = fmax(ashi_joint_tolerance(step), rounding_of(c.at, b->now.position));
    c.some = true;
    m->rough = false;
    ashi_footing_keep(&m->held, c.at, &b->next);
    step->work.joints -= m->work;
    step->work.loads -= m->drive;
    look(m, c.at, &b->now);
    note_speeds(m, c.at);
    ashi_footing_set_motion(&m->kicked, c.at, &b->now);
    add_share(m, c.at, share, &b->now);
    ashi_footing_keep(&m->joined, c.at, &b->now);
    c.first = &m->joined;
    bool good = ashi_joint_correct(&c);
    look(m, c.at, &b->now);
    m->work = work_of_correction(&c);
    ashi_footing_keep(&m->kicked, c.at, &b->now);
    ashi_footing_set_motion(&m->start, c.at, &b->now);
    m->drive = drive_of_kicks(step, c.at);
    step->work.joints += m->work;
    step->work.loads += m->drive;
    if (good && c.failed)
        withdraw_kicks(step, c.at);
    step->failed |= c.failed;
    add_share(m, c.at, c.failed ? 1 : 1 - share, &b->next);
    return good;
}

bool ashi_joint_impulses_move_again(ashi_step *step)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    bool good = uses_accelerations(step) || move_again(step);
    ashi_step_enter(step, before);
    return good;
}

bool ashi_joint_impulses_rejoin(ashi_step *step)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_SOLVE);
    bool good = ashi_joint_impulses_drift(step) ? place_only(step, ASHI_AT_END)
                                                : project(step) && correct_velocities(step, ASHI_AT_END);
    ashi_step_enter(step, before);
    return good;
}

/* ---- what joints carried ---- */

/* Redundant joints share what they carry in some way: not in the only one. */
static void mark_indeterminate(const ashi_joint_system *s, ashi_model *model)
{
    const ashi_system *p = s->cuts_loops ? &s->tree : &s->problem;
    bool full = s->solver >= ASH_JOINT_SOLVER_FULL_ITERATIVE; /* nothing there tells it */
    if (!s->factored || full || ashi_direct_rank(s->tree_factor) == ashi_direct_rows(s->tree_factor))
        return;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++)
            if (!ashi_direct_is_determined(s->tree_factor, p->blocks[k].first_row + i))
                model->joints.entries.data[ashi_block_joint(&p->blocks[k])].indeterminate = true;
}

static void add_forces(ashi_step *step, const ashi_state *from, const ashi_state *to)
{
    ashi_joint_impulses *m = step->joint_impulses;
    const ashi_joint_system *first =
        uses_accelerations(step) ? &m->accelerations.system : ashi_joint_system_at(m, ASHI_AT_START);
    const ashi_joint_system *end = ashi_joint_system_at(m, ASHI_AT_END);
    const ashi_joint_system *predicted = ashi_joint_system_at(m, ASHI_AT_PREDICTED);
    const ashi_joint_system *mended = ashi_joint_system_at(m, ASHI_AT_MENDED);
    ashi_joint_system_add_forces(first, first->impulse.data, step->model, from, step->h);
    ashi_joint_system_add_forces(end, end->impulse.data, step->model, to, step->h);
    if (m->mended)
        ashi_joint_system_add_forces(mended, m->mends.data, step->model, to, step->h);
    if (m->rough)
        ashi_joint_system_add_forces(predicted, predicted->impulse.data, step->model, to, step->h);
}

double ashi_joint_impulses_swing(ashi_step *step)
{
    ashi_model *model = step->model;
    const ashi_bodies *b = &model->bodies;
    ashi_joint_memory *before = ashi_joint_memory_take(&model->joints, step->scratch);
    if (before == NULL)
        return 0;
    ashi_joint_memory_keep(&model->joints, before);
    ashi_forget_joint_forces(model);
    ashi_add_joint_forces(step->problem, model, &b->now, step->problem->h);
    add_forces(step, &b->now, &b->next);
    double turn = step->h * sqrt(fastest_swing(step));
    ashi_joint_memory_restore(&model->joints, before);
    bool follows = step->joined && !step->failed;
    return turn < FAST_SWING || is_too_wide(turn, follows) ? turn / FAST_SWING : 0;
}

void ashi_joint_impulses_accept(ashi_step *step, bool counts)
{
    ashi_joint_impulses *m = step->joint_impulses;
    if (counts)
        add_forces(step, &step->model->bodies.next, &step->model->bodies.now);
    m->exchanged = !m->exchanged;
    mark_indeterminate(ashi_joint_system_at(m, ASHI_AT_START), step->model);
}
