/* The joint correction (Bender & Schmitt 2006): impulses l at the start of a part such that joints hold at its end.
 *
 * Wanted speeds -C(q1) / h through the factor of h J(q0) M^-1 J(q0)^T, which stands in place of the derivative, kick,
 * predict, until C(q1) = 0. Rounds that converge slowly are mixed with those before (joint_mixing.h).
 *
 * Near a singular position that fails. Where J(q0) loses rank but J(q1) does not, no bounded impulse along the rows of
 * the start does what the end asks for; where the part passes such a position, the derivative J(q1) M^-1 J(q0)^T has
 * another sign than what stands for it. What the joints carried there is no first guess for the next part, either: it
 * is dropped where errors without it are smaller. If all else fails, the kicks are along the rows of the end: Newton's
 * iteration, then, with a factor in each round. That part is not symmetric in time. */
#include "step/joints/joint_correction.h"

#include "problem/assemble.h"
#include "step/joints/joint_sweeps.h"

#include <math.h>

#define SHARES      4 /* of a correction that are tried, each a quarter of the last, when it makes errors larger by ... */
#define GROWTH      2.0  /* ... more than this factor */
#define WIDEST_TURN 0.5  /* rad that a correction may change the turn of a body in a step by */
#define SLOW        0.25 /* errors that shrink by less want mixing */
#define PATIENCE    20   /* corrections without halving the errors: there is nothing to be gained */
#define WIDEST_KICK 3.0  /* rad: what all kicks of a part that is not held may turn a body by, ... */
#define LONGEST_WAY 4.0  /* ... and move it, times the error of free motion */
#define FAILED      0.01 /* of that error: joints that are left more open than this contradict each other, ... */
#define HELD        10.0 /* ... or, where they held at the start, times the tolerance: the part is too long */
#define SOFTNESS    1e-4 /* of a row's own response, and ... */
#define SOFT_ROUNDS 3    /* ... rounds with it */
#define MENDS       12   /* rounds along the rows of the end; ... */
#define IDLE_MENDS  3    /* ... they converge quickly, or not at all */

/* ---- memory ---- */

void ashi_footing_release(ashi_footing *f)
{
    ashi_array_release(&f->motion);
    ashi_array_release(&f->impulse);
}

bool ashi_footing_reserve(ashi_footing *f, const ashi_joint_system *s)
{
    return ashi_array_reserve(&f->motion, s->slots.count) && ashi_array_reserve(&f->impulse, s->problem.row_count);
}

void ashi_footing_keep(ashi_footing *f, const ashi_joint_system *s, const ashi_state *state)
{
    for (uint32_t i = 0; i < s->slots.count; i++)
        f->motion.data[i] = (ash_motion){state->velocity[s->slots.data[i]], state->spin[s->slots.data[i]]};
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        f->impulse.data[i] = s->impulse.data[i];
}

void ashi_footing_set_motion(const ashi_footing *f, const ashi_joint_system *s, const ashi_state *state)
{
    for (uint32_t i = 0; i < s->slots.count; i++) {
        state->velocity[s->slots.data[i]] = f->motion.data[i].linear;
        state->spin[s->slots.data[i]] = f->motion.data[i].angular;
    }
}

void ashi_footing_return(const ashi_footing *f, ashi_joint_system *s, const ashi_state *state)
{
    ashi_footing_set_motion(f, s, state);
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        s->impulse.data[i] = f->impulse.data[i];
}

bool ashi_joint_impulses_set_up(ashi_step *step, ashi_joint_system *s, const ashi_state *state, double time)
{
    ashi_joint_impulses *m = step->joint_impulses;
    bool iterative = step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE;
    ashi_joint_system_choose(s, &step->method);
    ashi_joint_system_limit(s, &step->method);
    if (!ashi_joint_system_set_up(s, step->model, state, time, step->scratch))
        return false;
    uint32_t rows = s->problem.row_count, bodies = s->problem.body_count;
    return ashi_array_reserve(&m->wanted, rows) && ashi_array_reserve(&m->impulse, rows) &&
           ashi_array_reserve(&m->speeds, rows) && ashi_array_reserve(&m->rates, rows) &&
           ashi_array_reserve(&m->change, bodies) && ashi_footing_reserve(&m->start, s) &&
           ashi_footing_reserve(&m->base, s) && ashi_footing_reserve(&m->best, s) &&
           ashi_footing_reserve(&m->kicked, s) && ashi_footing_reserve(&m->joined, s) &&
           ashi_array_reserve(&m->mends, rows) && ashi_array_reserve(&m->tries, rows) &&
           ashi_footing_reserve(&m->free, s) && ashi_footing_reserve(&m->held, s) &&
           (iterative ? ashi_joint_system_invert(s) : ashi_joint_system_factor_as_asked(s, step));
}

void ashi_joint_impulses_note_start(ashi_step *step, ashi_joint_system *s, double rounding)
{
    double most = HELD * fmax(step->method.joint_tolerance, rounding);
    step->joined = ashi_joint_system_errors(s, step->model, &step->model->bodies.now) <= most;
}

double ashi_joint_failure(const ashi_step *step, double tolerance, double free)
{
    return step->joined ? HELD * fmax(tolerance, step->method.joint_tolerance) : fmax(tolerance, FAILED * free);
}

/* Adds `times` the last solution to a state's velocities and to the impulses. */
void ashi_joint_impulses_apply(ashi_joint_impulses *m, ashi_joint_system *s, const ashi_state *state, double times)
{
    for (uint32_t i = 0; i < s->slots.count; i++) {
        const ash_motion *change = &m->change.data[s->problem.fixed_count + i];
        uint32_t slot = s->slots.data[i];
        state->velocity[slot] = v3_add_scaled(state->velocity[slot], change->linear, times);
        state->spin[slot] = v3_add_scaled(state->spin[slot], change->angular, times);
    }
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        s->impulse.data[i] += times * m->impulse.data[i];
}

/* ---- a round ---- */

static double predicted_error(ashi_joint_correction *c)
{
    ashi_step *step = c->step;
    if (atomic_load(&step->worst_slot) != ASHI_NO_SLOT)
        return INFINITY;
    return ashi_joint_system_errors(c->at, step->model, &step->model->bodies.next);
}

/* The turn, rad, by which the velocities of `now` differ from those before all kicks, and the way, m: the largest. */
static void measure_kicks(const ashi_joint_correction *c, double *turn, double *way)
{
    const ashi_state *now = &c->step->model->bodies.now;
    *turn = *way = 0;
    for (uint32_t i = 0; i < c->at->slots.count; i++) {
        const ash_motion *before = &c->first->motion.data[i];
        uint32_t slot = c->at->slots.data[i];
        *turn = fmax(*turn, v3_norm2(v3_sub(now->spin[slot], before->angular)));
        *way = fmax(*way, v3_norm2(v3_sub(now->velocity[slot], before->linear)));
    }
    *turn = c->step->h * sqrt(*turn);
    *way = c->step->h * sqrt(*way);
}

/* Begins with half of what the joints carried in the last step: its other half acts at the end. What joints that
 * contradict each other carried is no guess. */
static void guess(ashi_joint_correction *c)
{
    const ashi_system *p = &c->at->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        const double *force = c->step->model->joints.entries.data[ashi_block_joint(block)].force;
        double impulse[ASHI_HOLD_ROWS];
        for (uint32_t i = 0; i < block->row_count; i++)
            impulse[i] =
                c->at->rigid.data[block->first_row + i] ? 0.5 * c->step->h * force[ashi_block_key(block) + i] : 0;
        ashi_joint_system_push(c->at, block, impulse, &c->step->model->bodies.now);
    }
    double turn, way;
    measure_kicks(c, &turn, &way);
    if (!(turn <= WIDEST_KICK)) {
        ashi_footing_return(c->first, c->at, &c->step->model->bodies.now);
        c->guesses = false;
    }
}

static void want_positions(ashi_joint_correction *c, const ashi_joint_system *s)
{
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        c->memory->wanted.data[i] = s->rigid.data[i] ? -s->error.data[i] / c->step->h : 0;
}

/* M^-1 J^T times the impulses of a solution that was changed. */
static void find_change(ashi_joint_impulses *m, const ashi_system *p)
{
    for (uint32_t i = 0; i < p->body_count; i++)
        m->change.data[i] = (ash_motion){{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            ashi_row_push(p, &p->blocks[k], &p->rows[i], m->impulse.data[i], m->change.data);
}

/* Bodies that a correction would turn far further than without it: positions may agree then, too, a turn later. */
static double bounded_share(const ashi_joint_correction *c)
{
    double largest = 0;
    for (uint32_t i = c->at->problem.fixed_count; i < c->at->problem.body_count; i++)
        largest = fmax(largest, v3_norm2(c->memory->change.data[i].angular));
    largest = c->step->h * sqrt(largest);
    return largest > WIDEST_TURN ? WIDEST_TURN / largest : 1;
}

/* Predicts what a correction has changed; all, where something is not finite: it is judged again. */
static bool predict_again(ashi_joint_correction *c)
{
    bool broke = atomic_load(&c->step->worst_slot) != ASHI_NO_SLOT;
    if (broke && c->some)
        atomic_store(&c->step->worst_slot, ASHI_NO_SLOT);
    return broke && !c->some ? ashi_predict_all(&c->prediction)
                             : ashi_predict(&c->prediction, c->at->slots.data, c->at->slots.count);
}

/* One correction from where `base` was kept; one that makes errors much larger is shortened. False when memory ran out.
 */
static bool correct_once(ashi_joint_correction *c, const ashi_footing *base, double *error)
{
    ashi_joint_impulses *m = c->memory;
    ashi_joint_system *at = c->at;
    const ashi_state *now = &c->step->model->bodies.now;
    double before = *error, worst = GROWTH * before, taken = 1;
    want_positions(c, at);
    ashi_joint_system_solve(at, m->wanted.data, ASHI_JOINT_SHARE * c->tolerance / c->step->h, m->impulse.data,
                            m->change.data);
    if (c->slow) {
        ashi_mixing_mix(&m->mixing, m->impulse.data);
        find_change(m, &at->problem);
    }
    taken = bounded_share(c);
    ashi_joint_impulses_apply(m, at, now, taken);
    c->step->joint_corrections++;
    for (int i = 0; i <= SHARES; i++) {
        if (!predict_again(c))
            return false;
        *error = predicted_error(c);
        if (*error <= worst || *error <= c->tolerance)
            break;
        taken = i < SHARES - 1 ? 0.25 * taken : 0;
        ashi_footing_return(base, at, now);
        ashi_joint_impulses_apply(m, at, now, taken);
    }
    ashi_mixing_shorten(&m->mixing, taken);
    c->slow = c->slow || *error > SLOW * before;
    return true;
}

/* What the rows of the start can do without large impulses is left to them: rounds through a softened factor, which
 * leaves alone what they hardly reach. False when memory ran out. */
static bool begin_softly(ashi_joint_correction *c, ashi_joint_system *soft)
{
    ashi_joint_impulses *m = c->memory;
    ashi_step *step = c->step;
    const ashi_state *now = &step->model->bodies.now;
    ashi_system *p = &soft->problem;
    if (!ashi_joint_system_set_up(soft, step->model, now, step->time, step->scratch))
        return false;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            if (soft->rigid.data[i])
                p->rows[i].softness = SOFTNESS * ashi_row_response(p, &p->blocks[k], &p->rows[i], &p->rows[i]);
    soft->factored = false;
    bool good = ashi_joint_system_factor(soft, false);
    for (int i = 0; i < SOFT_ROUNDS && good; i++) {
        want_positions(c, c->at);
        ashi_joint_system_solve(soft, m->wanted.data, ASHI_JOINT_SHARE * c->tolerance / step->h, m->impulse.data,
                                m->change.data);
        ashi_joint_impulses_apply(m, c->at, now, bounded_share(c));
        step->joint_corrections++;
        good = predict_again(c);
        predicted_error(c);
    }
    soft->made = false; /* it is no system of the joints as they are */
    return good;
}

/* The same speeds along the rows of a system at the end, once. False when memory ran out. */
static bool mend_once(ashi_joint_correction *c, ashi_joint_system *end)
{
    ashi_joint_impulses *m = c->memory;
    ashi_step *step = c->step;
    const ashi_state *next = &step->model->bodies.next;
    double time = step->time + step->h;
    if (!ashi_joint_impulses_set_up(step, end, next, time))
        return false;
    ashi_joint_system_errors(end, step->model, next);
    want_positions(c, end);
    ashi_joint_system_solve(end, m->wanted.data, ASHI_JOINT_SHARE * c->tolerance / step->h, m->impulse.data,
                            m->change.data);
    double share = bounded_share(c);
    ashi_joint_impulses_apply(m, end, &step->model->bodies.now, share);
    for (uint32_t k = 0; k < end->problem.row_count; k++)
        m->tries.data[k] += share * m->impulse.data[k];
    step->joint_corrections++;
    return predict_again(c);
}

/* Begins again with kicks along the rows of the end; `error` is what they leave, `free` what none would. False when
 * memory ran out. */
static bool mend(ashi_joint_correction *c, double *free, double *error)
{
    ashi_joint_impulses *m = c->memory;
    ashi_joint_system *end = ashi_joint_system_at(m, ASHI_AT_MENDED);
    uint32_t rows = c->at->problem.row_count, idle = 0;
    double least = INFINITY;
    ashi_footing_return(c->first, c->at, &c->step->model->bodies.now);
    if (!predict_again(c))
        return false;
    for (uint32_t k = 0; k < rows; k++)
        m->tries.data[k] = 0;
    *free = predicted_error(c);
    if (isfinite(*free) && !begin_softly(c, end))
        return false;
    *error = predicted_error(c);
    for (uint32_t i = 0; i < MENDS && idle<IDLE_MENDS && * error> c->tolerance && isfinite(*error); i++) {
        idle = *error < 0.5 * least ? 0 : idle + 1;
        least = fmin(least, *error);
        if (!mend_once(c, end))
            return false;
        *error = predicted_error(c);
    }
    return true;
}

static void accept_mends(ashi_joint_impulses *m, uint32_t rows)
{
    for (uint32_t k = 0; k < rows; k++)
        m->mends.data[k] += m->tries.data[k];
    m->mended = true;
}

/* ---- rounds ---- */

/* A guess that leaves larger errors than none is dropped, and the rounds begin again. False when memory ran out. */
static bool doubt_guess(ashi_joint_correction *c, double guessed, double *error, double *least)
{
    ashi_joint_impulses *m = c->memory;
    const ashi_state *now = &c->step->model->bodies.now;
    c->guesses = false;
    ashi_footing_keep(&m->base, c->at, now);
    ashi_footing_return(c->first, c->at, now);
    if (!predict_again(c))
        return false;
    double without = predicted_error(c);
    if (!(without < guessed)) {
        ashi_footing_return(&m->base, c->at, now);
        return predict_again(c);
    }
    *error = without;
    *least = INFINITY;
    c->slow = false;
    return ashi_mixing_begin(&m->mixing, c->at->problem.row_count);
}

/* Joints that contradict each other may be less open by kicks without bounds, which would tear everything apart in the
 * parts to come. */
static bool is_bounded(const ashi_joint_correction *c, double free)
{
    double turn, way;
    measure_kicks(c, &turn, &way);
    return turn <= WIDEST_KICK && way <= LONGEST_WAY * free;
}

/* The rounds have ended with errors of at least `least`, those of the velocities kept as the best: by kicks along the
 * rows of the end or, if that fails, too, the best of all by bounded kicks, or none. False when memory ran out. */
static bool do_what_can_be_done(ashi_joint_correction *c, double least)
{
    ashi_joint_impulses *m = c->memory;
    const ashi_state *now = &c->step->model->bodies.now;
    double free, error;
    if (ashi_joint_system_is_late(c->at, c->step)) { /* the best so far, whatever it is */
        if (isfinite(least))
            ashi_footing_return(&m->best, c->at, now);
        return predict_again(c);
    }
    if (!mend(c, &free, &error))
        return false;
    if (!(error <= c->tolerance))
        c->step->flags |= ASH_FLAG_NOT_CONVERGED;
    if (error <= c->tolerance || (error < least && is_bounded(c, free))) {
        accept_mends(m, c->at->problem.row_count);
        c->failed = error > ashi_joint_failure(c->step, c->tolerance, free);
        return true;
    }
    c->failed = !(least <= ashi_joint_failure(c->step, c->tolerance, free));
    if (isfinite(least))
        ashi_footing_return(&m->best, c->at, now);
    if (!isfinite(least) || !is_bounded(c, free))
        ashi_footing_return(c->first, c->at, now);
    return predict_again(c);
}

/* The paper's rounds (4.1 and 4.5): predict, solve, kick, until all joints hold, and nothing else. False when memory
 * ran out. */
static bool correct_plainly(ashi_joint_correction *c)
{
    ashi_joint_impulses *m = c->memory;
    double error = predicted_error(c);
    for (uint32_t i = 0; i < c->step->method.joint_iterations && error > c->tolerance && isfinite(error); i++) {
        want_positions(c, c->at);
        ashi_joint_system_solve(c->at, m->wanted.data, ASHI_JOINT_SHARE * c->tolerance / c->step->h, m->impulse.data,
                                m->change.data);
        ashi_joint_impulses_apply(m, c->at, &c->step->model->bodies.now, 1);
        c->step->joint_corrections++;
        if (!predict_again(c))
            return false;
        error = predicted_error(c);
    }
    if (!(error <= c->tolerance))
        c->step->flags |= ASH_FLAG_NOT_CONVERGED;
    return true;
}

/* Until all joints hold at the end of the part. False when memory ran out. */
static bool correct_positions(ashi_joint_correction *c)
{
    ashi_joint_impulses *m = c->memory;
    const ashi_state *now = &c->step->model->bodies.now;
    if (!ashi_mixing_begin(&m->mixing, c->at->problem.row_count))
        return false;
    double error = predicted_error(c), least = INFINITY, guessed = error;
    uint32_t most = c->step->method.joint_iterations, since = 0;
    for (uint32_t i = 0; error > c->tolerance && i < most && since < PATIENCE; i++) {
        if (i > 0 && ashi_joint_system_is_late(c->at, c->step))
            break;
        if (c->slow && c->guesses && !doubt_guess(c, guessed, &error, &least))
            return false;
        since = error < 0.5 * least ? 0 : since + 1;
        ashi_footing *base = error < least ? &m->best : &m->base;
        ashi_footing_keep(base, c->at, now);
        least = fmin(least, error);
        if (!correct_once(c, base, &error))
            return false;
    }
    if (error <= c->tolerance)
        return true;
    if (error < least) {
        ashi_footing_keep(&m->best, c->at, now);
        least = error;
    }
    return do_what_can_be_done(c, least);
}

/* Joint by joint. False when memory ran out. */
static bool sweep_positions(ashi_joint_correction *c)
{
    double free, error;
    if (!ashi_joint_sweep_positions(c->at, &c->prediction, c->tolerance, &free, &error))
        return false;
    c->failed = !(error <= fmax(c->tolerance, FAILED * free)); /* it converges in its own time */
    if (!c->failed || is_bounded(c, free))
        return true;
    ashi_footing_return(c->first, c->at, &c->step->model->bodies.now);
    return predict_again(c);
}

bool ashi_joint_correct(ashi_joint_correction *c)
{
    if (c->guesses)
        guess(c);
    bool predicted = c->some ? ashi_predict(&c->prediction, c->at->slots.data, c->at->slots.count)
                             : ashi_predict_all(&c->prediction);
    if (!predicted)
        return false;
    if (c->step->method.joint_solver == ASH_JOINT_SOLVER_ITERATIVE)
        return sweep_positions(c);
    return c->step->method.plain_rounds ? correct_plainly(c) : correct_positions(c);
}
