/* Joints held by impulses (Bender & Schmitt 2006).
 *
 * A part of length h, from q0, v0 with C(q0) = 0:
 *   joint correction     v0' = v0 + M^-1 J(q0)^T l    so that C(q1) = 0 for the free motion (q1, v1') of (q0, v0');
 *   velocity correction  v1 = v1' + M^-1 J(q1)^T m    so that J(q1) v1 = 0.
 * l is found by iteration with h J(q0) M^-1 J(q0)^T in place of the derivative: wanted speeds -C(q1) / h through the
 * factor of the system at q0, which the velocity correction of the part before has made; mixed with the iterates before
 * where bodies turn so fast that this alone would not converge. Read backwards in time the two
 * corrections change places, so that the scheme is symmetric, of order 2 with free motion of that order.
 *
 * Contacts, drives, limits and springs act on (q1, v1) by hold.c with the held rows as equalities; what that opens is
 * joined again. The work of a kick is its impulse times the mean of J v before and after. */
#include "step/joint_impulses.h"

#include "base/clock.h"
#include "model/joint_class.h"
#include "problem/assemble.h"
#include "step/hold.h"
#include "step/joint_accelerations.h"
#include "step/joint_mixing.h"
#include "step/joint_sweeps.h"
#include "step/joint_system.h"
#include "step/prediction.h"

#include <float.h>
#include <math.h>

#define SHARES       4 /* of a correction that are tried, each a quarter of the last, when it makes errors larger by ... */
#define GROWTH       2.0 /* ... more than this factor */
#define MOST_PARTS   64
#define WIDEST_SWING 0.45  /* rad in a part of a step that is cut, which it is ... */
#define FAST_SWING   1.0   /* ... from here: tension may grow within it */
#define WIDEST_TURN  0.5   /* rad that a correction may change the turn of a body in a step by */
#define SLOW         0.25  /* errors that shrink by less want mixing */
#define PATIENCE     20    /* corrections without halving the errors: there is nothing to be gained */
#define ROUNDING     64.0  /* times the spacing of numbers: errors below cannot be told from none */
#define SHARE        0.125 /* of the tolerances: how well tree and loops agree */

/* Which system: at the start of the part, at its end, and where free motion alone would end. */
typedef enum instant { START, END, PREDICTED, INSTANTS } instant;

/* Velocities of a state and impulses, to come back to. */
typedef struct footing {
    ASHI_ARRAY(ash_motion) motion; /* by mover */
    ASHI_ARRAY(double) impulse;    /* by row */
} footing;

struct ashi_joint_impulses {
    ashi_joint_system systems[INSTANTS]; /* at the start of a part, its end, and where free motion alone would end */
    uint32_t start_system;               /* which of them is the first; the others follow */
    bool rough;                          /* the kick at the predicted end stayed */
    double work;                         /* of the kick at the start, and of that at the predicted end, J */
    ASHI_ARRAY(double) wanted;
    ASHI_ARRAY(double) impulse;
    ASHI_ARRAY(double) speeds; /* J v before a kick */
    ASHI_ARRAY(ash_motion) change;
    footing start;      /* before the joint correction */
    footing base, best; /* before one of its rounds, and after the best of them */
    footing kicked;     /* after it */
    footing free, held; /* at the end, before and after contacts and drives have acted */
    ashi_mixing mixing; /* of the joint correction */
    ashi_joint_accelerations accelerations;
};

ashi_joint_impulses *ashi_joint_impulses_create(void)
{
    return ashi_alloc_zeroed(sizeof(ashi_joint_impulses));
}

static void release_footing(footing *f)
{
    ashi_array_release(&f->motion);
    ashi_array_release(&f->impulse);
}

void ashi_joint_impulses_destroy(ashi_joint_impulses *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < INSTANTS; i++)
        ashi_joint_system_release(&m->systems[i]);
    ashi_array_release(&m->wanted);
    ashi_array_release(&m->impulse);
    ashi_array_release(&m->speeds);
    ashi_array_release(&m->change);
    release_footing(&m->start);
    release_footing(&m->base);
    release_footing(&m->best);
    release_footing(&m->kicked);
    release_footing(&m->free);
    release_footing(&m->held);
    ashi_mixing_release(&m->mixing);
    ashi_joint_accelerations_release(&m->accelerations);
    ashi_free(m);
}

void ashi_joint_impulses_forget(ashi_joint_impulses *m)
{
    for (int i = 0; i < INSTANTS; i++)
        m->systems[i].numbered = false;
}

bool ashi_joint_impulses_act(const ashi_step *step)
{
    return step->method.joints != ASH_JOINTS_VELOCITY && step->method.scheme == ASH_SCHEME_VELOCITY &&
           step->model->joints.pool.used > 0;
}

bool ashi_joint_impulses_are_driven(const ashi_step *step)
{
    const ashi_joints *joints = &step->model->joints;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !joint->enabled)
            continue;
        bool acts =
            joint->kind == ASH_JOINT_BALL ? isfinite(joint->cone) : ashi_joint_class_of(joint->kind)->act != NULL;
        if (joint->axes != NULL || acts || joint->compliance > 0 || joint->angular_compliance > 0)
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
    ash_vec3 u = q_unrotate(rotor->principal_axes, v3_unit(arm)), i = rotor->principal;
    double reach = v3_norm(arm);
    if (!(b->motion[slot] & ASHI_DYNAMIC) || !(b->motion[slot] & ASHI_ROTATES) || !(reach > 0))
        return 0;
    if (b->planar)
        return 2 * force * reach / rotor->inertia.zz;
    return force * reach * ((1 - u.x * u.x) / i.x + (1 - u.y * u.y) / i.y + (1 - u.z * u.z) / i.z);
}

uint32_t ashi_joint_impulses_parts(const ashi_step *step, double length)
{
    const ashi_joints *joints = &step->model->joints;
    const ashi_bodies *b = &step->model->bodies;
    double most = 0;
    if (!ashi_joint_impulses_act(step))
        return 1;
    for (uint32_t i = 0; i < joints->entries.count; i++) {
        const ashi_joint *joint = &joints->entries.data[i];
        if (!ashi_pool_in_use(&joints->pool, i) || !ashi_joint_acts(step->model, joint))
            continue;
        double force = v3_norm(joint->bearing_force);
        most = fmax(most, fmax(swing_of(b, joint->body_a, joint->arm_a, force),
                               swing_of(b, joint->body_b, joint->arm_b, force)));
    }
    double turn = length * sqrt(most);
    /* Beyond, it is no tension but joints that contradict each other: shorter parts would not help. */
    return turn > FAST_SWING && turn < MOST_PARTS * WIDEST_SWING ? (uint32_t)ceil(turn / WIDEST_SWING) : 1;
}

/* ---- a system and its memory ---- */

static ashi_joint_system *system_at(ashi_joint_impulses *m, instant at)
{
    return &m->systems[(m->start_system + at) % INSTANTS];
}

static bool reserve_footing(footing *f, const ashi_joint_system *s)
{
    return ashi_array_reserve(&f->motion, s->slots.count) && ashi_array_reserve(&f->impulse, s->problem.row_count);
}

static void keep(footing *f, const ashi_joint_system *s, const ashi_state *state)
{
    for (uint32_t i = 0; i < s->slots.count; i++)
        f->motion.data[i] = (ash_motion){state->velocity[s->slots.data[i]], state->spin[s->slots.data[i]]};
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        f->impulse.data[i] = s->problem.rows[i].impulse;
}

static void set_motion(const footing *f, const ashi_joint_system *s, const ashi_state *state)
{
    for (uint32_t i = 0; i < s->slots.count; i++) {
        state->velocity[s->slots.data[i]] = f->motion.data[i].linear;
        state->spin[s->slots.data[i]] = f->motion.data[i].angular;
    }
}

static void go_back(const footing *f, ashi_joint_system *s, const ashi_state *state)
{
    set_motion(f, s, state);
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        s->problem.rows[i].impulse = f->impulse.data[i];
}

static bool place(ashi_step *step, ashi_joint_system *s, const ashi_state *state, double time)
{
    ashi_joint_impulses *m = step->joint_impulses;
    bool iterative = step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE;
    s->structured = step->method.joint_solver == ASH_JOINT_SOLVER_STRUCTURED;
    s->deadline = step->method.joint_budget > 0 ? ashi_seconds() + step->method.joint_budget : 0;
    if (!ashi_joint_system_place(s, step->model, state, time, step->scratch))
        return false;
    uint32_t rows = s->problem.row_count, bodies = s->problem.body_count;
    return ashi_array_reserve(&m->wanted, rows) && ashi_array_reserve(&m->impulse, rows) &&
           ashi_array_reserve(&m->speeds, rows) && ashi_array_reserve(&m->change, bodies) &&
           reserve_footing(&m->start, s) && reserve_footing(&m->base, s) && reserve_footing(&m->best, s) &&
           reserve_footing(&m->kicked, s) && reserve_footing(&m->free, s) && reserve_footing(&m->held, s) &&
           (iterative ? ashi_joint_system_invert(s)
                      : ashi_joint_system_factor(s, s->structured || step->method.cut_loops));
}

/* Adds `times` the last solution to a state's velocities and to the impulses. */
static void apply(ashi_joint_impulses *m, ashi_joint_system *s, const ashi_state *state, double times)
{
    const ash_motion *change = m->change.data + s->problem.fixed_count;
    for (uint32_t i = 0; i < s->slots.count; i++) {
        uint32_t slot = s->slots.data[i];
        state->velocity[slot] = v3_add_scaled(state->velocity[slot], change[i].linear, times);
        state->spin[slot] = v3_add_scaled(state->spin[slot], change[i].angular, times);
    }
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        s->problem.rows[i].impulse += times * m->impulse.data[i];
}

/* The method's solution for the wanted speeds. */
static void solve(const ashi_step *step, ashi_joint_system *s, double tolerance)
{
    ashi_joint_impulses *m = step->joint_impulses;
    if (step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE)
        ashi_joint_sweep_solve(s, m->wanted.data, tolerance, step->method.joint_iterations, m->impulse.data,
                               m->change.data);
    else
        ashi_joint_system_solve(s, m->wanted.data, tolerance, m->impulse.data, m->change.data);
}

/* The size of errors that rounding makes: of coordinates, m, and of velocities. */
static double rounding_of(const ashi_joint_system *s, const ash_vec3 *of)
{
    double largest = 0;
    for (uint32_t i = 0; i < s->slots.count; i++)
        largest = fmax(largest, v3_norm2(of[s->slots.data[i]]));
    return ROUNDING * DBL_EPSILON * (1 + sqrt(largest));
}

/* ---- works ---- */

/* J v of all rows at a state, noted before a kick. */
static void note_speeds(ashi_joint_impulses *m, const ashi_joint_system *s, const ashi_state *state)
{
    const ash_problem *p = &s->problem;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            m->speeds.data[i] = ashi_joint_system_rate(s, &p->blocks[k], &p->rows[i], state) - p->rows[i].bias;
}

/* The work of a kick, the state's velocities being those after it. */
static double work_of_kick(const ashi_joint_impulses *m, const ashi_joint_system *s, const ashi_state *state)
{
    const ash_problem *p = &s->problem;
    double work = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++) {
            double after = ashi_joint_system_rate(s, &p->blocks[k], &p->rows[i], state) - p->rows[i].bias;
            work += 0.5 * p->rows[i].impulse * (m->speeds.data[i] + after);
        }
    return work;
}

/* ---- joint correction ---- */

typedef struct correction {
    ashi_step *step;
    ashi_joint_impulses *memory;
    ashi_joint_system *at;
    ashi_prediction prediction;
    double tolerance;
    bool slow; /* it is mixed from here on */
    bool some; /* only jointed bodies are predicted: the others are done */
} correction;

static double predicted_error(correction *c)
{
    ashi_step *step = c->step;
    if (atomic_load(&step->worst_slot) != ASHI_NO_SLOT)
        return INFINITY;
    return ashi_joint_system_errors(c->at, step->model, &step->model->bodies.next, step->time + step->h);
}

/* Begins with half of what the joints bore in the last step: its other half acts at the end. */
static void guess(correction *c)
{
    ash_problem *p = &c->at->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        const double *force = c->step->model->joints.entries.data[ashi_block_joint(block)].force;
        double impulse[ASHI_HOLD_ROWS];
        for (uint32_t i = 0; i < block->row_count; i++)
            impulse[i] = ashi_joint_row_is_rigid(&p->rows[block->first_row + i])
                             ? 0.5 * c->step->h * force[ashi_block_key(block) + i]
                             : 0;
        ashi_joint_system_push(c->at, block, impulse, &c->step->model->bodies.now);
    }
}

static void want_positions(correction *c)
{
    const ash_problem *p = &c->at->problem;
    for (uint32_t i = 0; i < p->row_count; i++)
        c->memory->wanted.data[i] = ashi_joint_row_is_rigid(&p->rows[i]) ? -p->rows[i].error / c->step->h : 0;
}

/* M^-1 J^T times the impulses of a solution that was changed. */
static void find_change(ashi_joint_impulses *m, const ash_problem *p)
{
    for (uint32_t i = 0; i < p->body_count; i++)
        m->change.data[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            ashi_row_push(p, &p->blocks[k], &p->rows[i], m->impulse.data[i], m->change.data);
}

/* Bodies that a correction would turn far further than without it: positions may agree then, too, a turn later. */
static double bounded_share(const correction *c)
{
    double largest = 0;
    for (uint32_t i = c->at->problem.fixed_count; i < c->at->problem.body_count; i++)
        largest = fmax(largest, v3_norm2(c->memory->change.data[i].angular));
    largest = c->step->h * sqrt(largest);
    return largest > WIDEST_TURN ? WIDEST_TURN / largest : 1;
}

/* Predicts what a correction has changed; all, where something is not finite: it is judged anew. */
static bool predict_again(correction *c)
{
    bool broke = atomic_load(&c->step->worst_slot) != ASHI_NO_SLOT;
    if (broke && c->some)
        atomic_store(&c->step->worst_slot, ASHI_NO_SLOT);
    return broke && !c->some ? ashi_predict_all(&c->prediction)
                             : ashi_predict(&c->prediction, c->at->slots.data, c->at->slots.count);
}

/* One correction; one that makes errors much larger is shortened. False when memory ran out. */
static bool correct_once(correction *c, double *error)
{
    ashi_joint_impulses *m = c->memory;
    ashi_joint_system *at = c->at;
    const ashi_state *now = &c->step->model->bodies.now;
    double before = *error, worst = GROWTH * before, taken = 1;
    want_positions(c);
    ashi_joint_system_solve(at, m->wanted.data, SHARE * c->tolerance / c->step->h, m->impulse.data, m->change.data);
    if (c->slow) {
        ashi_mixing_mix(&m->mixing, m->impulse.data);
        find_change(m, &at->problem);
    }
    keep(&m->base, at, now);
    taken = bounded_share(c);
    apply(m, at, now, taken);
    c->step->joint_corrections++;
    for (int i = 0; i <= SHARES; i++) {
        if (!predict_again(c))
            return false;
        *error = predicted_error(c);
        if (*error <= worst || *error <= c->tolerance)
            break;
        taken = i < SHARES - 1 ? 0.25 * taken : 0;
        go_back(&m->base, at, now);
        apply(m, at, now, taken);
    }
    ashi_mixing_shorten(&m->mixing, taken);
    c->slow = c->slow || *error > SLOW * before;
    return true;
}

/* Until all joints hold at the end of the part. False when memory ran out. */
static bool correct_positions(correction *c)
{
    ashi_joint_impulses *m = c->memory;
    const ashi_state *now = &c->step->model->bodies.now;
    if (!ashi_mixing_begin(&m->mixing, c->at->problem.row_count))
        return false;
    double error = predicted_error(c), least = INFINITY;
    uint32_t most = c->step->method.joint_iterations, since = 0;
    for (uint32_t i = 0; error > c->tolerance && i < most && since < PATIENCE; i++) {
        since = error < 0.5 * least ? 0 : since + 1;
        if (error < least) {
            keep(&m->best, c->at, now);
            least = error;
        }
        if (!correct_once(c, &error))
            return false;
    }
    if (error <= c->tolerance)
        return true;
    c->step->flags |= ASH_FLAG_NOT_CONVERGED;
    if (!(least < error))
        return true;
    go_back(&m->best, c->at, now);
    return predict_again(c);
}

/* The joint correction: from `now` with the velocities that it has, to `next`. */
static bool correct_to_next(correction *c)
{
    bool predicted = c->some ? ashi_predict(&c->prediction, c->at->slots.data, c->at->slots.count)
                             : ashi_predict_all(&c->prediction);
    if (!predicted)
        return false;
    return c->step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE
               ? ashi_joint_sweep_positions(c->at, &c->prediction, c->tolerance)
               : correct_positions(c);
}

/* From `now` to `next`; `now` is as before. */
static bool move_jointed(ashi_step *step)
{
    const ashi_state *now = &step->model->bodies.now;
    ashi_joint_impulses *m = step->joint_impulses;
    correction c = {.step = step, .memory = m, .at = system_at(m, START)};
    if (!place(step, c.at, now, step->time) || !ashi_prediction_begin(&c.prediction, step))
        return false;
    c.tolerance = fmax(step->method.joint_tolerance, rounding_of(c.at, now->position));
    keep(&m->start, c.at, now);
    note_speeds(m, c.at, now);
    if (step->method.solver.warm_start)
        guess(&c);
    bool good = correct_to_next(&c);
    if (good)
        ashi_prediction_book(&c.prediction);
    m->work = work_of_kick(m, c.at, now);
    step->work.joints += m->work;
    keep(&m->kicked, c.at, now);
    set_motion(&m->start, c.at, now);
    if (atomic_load(&step->unconverged))
        step->flags |= ASH_FLAG_NOT_CONVERGED;
    return good;
}

/* ---- velocity correction ---- */

static double want_velocities(ashi_joint_impulses *m, const ashi_joint_system *s, const ashi_state *state)
{
    const ash_problem *p = &s->problem;
    double largest = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
            bool rigid = ashi_joint_row_is_rigid(&p->rows[i]);
            double rate = rigid ? ashi_joint_system_rate(s, block, &p->rows[i], state) : 0;
            m->wanted.data[i] = -rate;
            largest = fmax(largest, fabs(rate));
        }
    }
    return largest;
}

/* Makes the velocities of `next` agree with the joints there. False when memory ran out. */
static bool correct_velocities(ashi_step *step, instant when)
{
    ashi_joint_impulses *m = step->joint_impulses;
    ashi_joint_system *s = system_at(m, when);
    const ashi_state *next = &step->model->bodies.next;
    if (!place(step, s, next, step->time + step->h))
        return false;
    double tolerance = step->method.joint_velocity_tolerance;
    note_speeds(m, s, next);
    tolerance = fmax(tolerance, fmax(rounding_of(s, next->velocity), rounding_of(s, next->spin)));
    if (step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE) {
        ashi_joint_sweep_velocities(s, step, tolerance);
    } else {
        double rate = want_velocities(m, s, next), last = INFINITY;
        for (uint32_t i = 0; (i == 0 || rate > tolerance) && rate < 0.5 * last; i++) {
            ashi_joint_system_solve(s, m->wanted.data, SHARE * tolerance, m->impulse.data, m->change.data);
            apply(m, s, next, 1);
            step->velocity_corrections++;
            last = rate;
            rate = want_velocities(m, s, next);
        }
        if (!(rate <= tolerance))
            step->flags |= ASH_FLAG_NOT_CONVERGED;
    }
    double work = work_of_kick(m, s, next);
    step->work.joints += work;
    m->work += work;
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
    const ash_motion *change = step->joint_impulses->change.data + s->problem.fixed_count;
    for (uint32_t i = 0; i < s->slots.count; i++)
        ashi_displace(step, s->slots.data[i], v3_scale(change[i].linear, times), v3_scale(change[i].angular, times));
}

/* Moves bodies of `next` until the joints hold there. */
static bool project(ashi_step *step)
{
    ashi_joint_impulses *m = step->joint_impulses;
    ashi_joint_system *s = system_at(m, END);
    const ashi_state *next = &step->model->bodies.next;
    double time = step->time + step->h;
    if (!place(step, s, next, time))
        return false;
    double tolerance = fmax(step->method.joint_tolerance, rounding_of(s, next->position));
    double error = ashi_joint_system_errors(s, step->model, next, time), before = INFINITY;
    if (!(error > tolerance))
        return true;
    double energy = potential_energy(step);
    for (uint32_t i = 0; error > tolerance && error < before && i < step->method.joint_iterations; i++) {
        for (uint32_t k = 0; k < s->problem.row_count; k++) {
            const ash_problem_row *row = &s->problem.rows[k];
            m->wanted.data[k] = ashi_joint_row_is_rigid(row) ? -row->error : 0;
        }
        solve(step, s, SHARE * tolerance);
        step->joint_corrections++;
        displace(step, s, 1);
        before = error;
        error = ashi_joint_system_errors(s, step->model, next, time);
    }
    if (!(error <= tolerance))
        step->flags |= ASH_FLAG_NOT_CONVERGED;
    step->work.stabilization += potential_energy(step) - energy;
    return true;
}

/* ---- free motion ---- */

static bool uses_accelerations(const ashi_step *step)
{
    return step->method.joints == ASH_JOINTS_ACCELERATIONS;
}

void ashi_joint_impulses_accelerate(ashi_step *step, const ashi_state *state, double time)
{
    if (uses_accelerations(step) && ashi_joint_impulses_act(step) &&
        !ashi_joint_accelerations_add(&step->joint_impulses->accelerations, step, state, time))
        step->model->forces.out_of_memory = true;
}

bool ashi_joint_impulses_move(ashi_step *step, bool holds)
{
    double start = ashi_seconds(), forces = step->stage_seconds[ASH_STAGE_FORCES];
    bool good = uses_accelerations(step) ? ashi_step_integrate(step) && project(step) : move_jointed(step);
    good = good && correct_velocities(step, holds ? PREDICTED : END);
    step->joint_impulses->rough = holds;
    if (good && holds)
        keep(&step->joint_impulses->free, system_at(step->joint_impulses, PREDICTED), &step->model->bodies.next);
    forces = step->stage_seconds[ASH_STAGE_FORCES] - forces;
    step->stage_seconds[ASH_STAGE_SOLVE] += ashi_seconds() - start - forces;
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
    correction c = {.step = step, .memory = m, .at = system_at(m, START)};
    if (!ashi_prediction_begin(&c.prediction, step) || !c.prediction.single || step->problem->shifted)
        return !step->model->forces.out_of_memory;
    double share = ashi_hold_share(step->method.integrator);
    c.tolerance = fmax(step->method.joint_tolerance, rounding_of(c.at, b->now.position));
    c.some = true;
    m->rough = false;
    keep(&m->held, c.at, &b->next);
    step->work.joints -= m->work;
    note_speeds(m, c.at, &b->now);
    set_motion(&m->kicked, c.at, &b->now);
    add_share(m, c.at, share, &b->now);
    bool good = correct_to_next(&c);
    step->work.joints += m->work = work_of_kick(m, c.at, &b->now);
    set_motion(&m->start, c.at, &b->now);
    add_share(m, c.at, 1 - share, &b->next);
    return good;
}

bool ashi_joint_impulses_move_again(ashi_step *step)
{
    double start = ashi_seconds(), forces = step->stage_seconds[ASH_STAGE_FORCES];
    bool good = uses_accelerations(step) || move_again(step);
    forces = step->stage_seconds[ASH_STAGE_FORCES] - forces;
    step->stage_seconds[ASH_STAGE_SOLVE] += ashi_seconds() - start - forces;
    return good;
}

bool ashi_joint_impulses_rejoin(ashi_step *step)
{
    double start = ashi_seconds();
    bool good = project(step) && correct_velocities(step, END);
    step->stage_seconds[ASH_STAGE_SOLVE] += ashi_seconds() - start;
    return good;
}

/* ---- what joints bore ---- */

/* Redundant joints share what they bear in some way: not in the only one. */
static void mark_indeterminate(const ashi_joint_system *s, ashi_model *model)
{
    const ash_problem *p = s->cuts_loops ? &s->tree : &s->problem;
    if (!s->factored || ashi_direct_rank(s->tree_factor) == ashi_direct_rows(s->tree_factor))
        return;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++)
            if (!ashi_direct_is_determined(s->tree_factor, p->blocks[k].first_row + i))
                model->joints.entries.data[ashi_block_joint(&p->blocks[k])].indeterminate = true;
}

void ashi_joint_impulses_accept(ashi_step *step)
{
    ashi_joint_impulses *m = step->joint_impulses;
    ashi_bodies *b = &step->model->bodies;
    const ashi_joint_system *first = uses_accelerations(step) ? &m->accelerations.system : system_at(m, START);
    ashi_add_joint_forces(&first->problem, step->model, &b->next, step->h);
    ashi_add_joint_forces(&system_at(m, END)->problem, step->model, &b->now, step->h);
    if (m->rough)
        ashi_add_joint_forces(&system_at(m, PREDICTED)->problem, step->model, &b->now, step->h);
    m->start_system = (m->start_system + END) % INSTANTS;
    mark_indeterminate(system_at(m, START), step->model);
}
