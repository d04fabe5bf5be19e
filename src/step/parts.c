/* Parts of a step, judged after they have been taken.
 *
 * What joints bear, and with it how fast their bodies swing, is known when a part has been solved: a chain that goes
 * taut within a part bears what the part before knows nothing of. So a part is taken back, and taken with half the
 * length, when
 *   - joints do not hold at its end,
 *   - by what joints bore in it bodies swing farther than the scheme follows (impulses and accelerations), or
 *   - contacts have sunk, as joints were held after them (impulses and accelerations), or
 *   - a group of jointed bodies has gained energy that nobody gave it, or, where nothing can take energy away, lost it.
 * A part that is good lets the next one be twice as long. Where joints do not hold in short parts, either, they
 * contradict each other, or contacts do: the rest of the step is taken as it comes. Where even the shortest part makes
 * energy, the bodies are slowed by as much (balance.c), and `energy` is flagged. */
#include "model/method.h"
#include "step/balance.h"
#include "step/books.h"
#include "step/curvature.h"
#include "step/hold.h"
#include "step/joints/joint_impulses.h"
#include "step/joints/joint_loop.h"
#include "step/scheme.h"

#include <math.h>

#define SHORTEST   (1.0 / 1024) /* of a step, by impulses and accelerations, and ... */
#define SHORT      (1.0 / 8)    /* ... by other methods */
#define MOST_TRIES 64           /* parts of a step that may be taken back */
#define RATE       0.05 /* of the kinetic energy in a unit of time: what impulses and accelerations may err by */
#define NOTHING    1e-6 /* of the kinetic energy: what they may gain where contacts are solved after joints */
#define GAIN       0.2  /* of the kinetic energy in a unit of time: what other methods may gain, and ... */
#define LOSS       2    /* ... lose by exact rows, down to this length: */
#define SHORT_SNAP (1.0 / 32)

/* What is wrong with the part that was just taken. */
typedef enum judgement { GOOD, CARELESS, TOO_LONG, FAILED } judgement;

/* Another form of the method makes less energy: contacts and drives solved together with joints, not after them; or
 * joints that do not follow their turning rows. */
static bool is_careless(const ashi_step *step)
{
    if (step->careful || (step->problem->block_count == 0 && step->problem->contact_count == 0))
        return false;
    if (step->scheme->joins)
        return step->scheme == &ashi_scheme_impulses && !ashi_joint_loop_acts(step);
    return ashi_hold_closes(step);
}

/* The length of the part. */
static double units_of_time(const ashi_step *step)
{
    return step->h / step->method.solver.unit_time;
}

/* A chain that goes taut within a part, by exact rows: the part follows them along the motion at its start, and what it
 * cannot resolve is lost, where nothing can take energy away. In the end it stays so: the method loses what it must. */
static bool snaps(const ashi_step *step, const ashi_balance *balance)
{
    return ashi_hold_closes(step) && step->h > SHORT_SNAP * step->length && step->tries < MOST_TRIES &&
           ashi_balance_loss(balance, LOSS * units_of_time(step)) > 1;
}

static judgement judge(ashi_step *step, const ashi_balance *balance)
{
    bool careless = is_careless(step);
    judgement worst = careless ? CARELESS : TOO_LONG;
    if (step->failed || atomic_load(&step->worst_slot) != ASHI_NO_SLOT)
        return careless ? CARELESS : FAILED;
    if (step->method.joint_budget > 0 && (step->solve_flags & ASH_SOLVE_BUDGET))
        return GOOD; /* as good as the time that joints were given; more parts would take more */
    if (!step->scheme->joins && ashi_balance_gain(balance, GAIN * units_of_time(step)) > 1)
        return worst;
    if (!step->scheme->joins)
        return snaps(step, balance) ? TOO_LONG : GOOD;
    if (careless && (ashi_balance_gain(balance, NOTHING) > 1 || ashi_curvature_sinks(step)))
        return CARELESS;
    bool wrong = ashi_balance_error(balance, RATE * units_of_time(step)) > 1 || ashi_joint_impulses_swing_too_far(step);
    return wrong ? TOO_LONG : GOOD;
}

/* A part of this length has been judged: what to do. True: it stays. */
static bool decide(ashi_step *step, judgement verdict, ashi_balance *balance, double asked, double *length)
{
    if (verdict == GOOD) {
        step->trial = fmin(2 * *length, step->longest);
        return true;
    }
    step->trial = *length;
    if (verdict == CARELESS) {
        step->careful = true;
        return false;
    }
    if (verdict == FAILED && *length <= SHORT * step->length) { /* joints and contacts contradict each other */
        *length = step->trial = fmin(asked, step->longest);
        step->resigned = true;
        step->careful = false;
        return false;
    }
    double shortest = (step->scheme->joins ? SHORTEST : snaps(step, balance) ? SHORT_SNAP : SHORT) * step->length;
    if (*length <= shortest || step->tries >= MOST_TRIES) {
        if (ashi_balance_settle(balance, (step->scheme->joins ? RATE : GAIN) * units_of_time(step)))
            step->flags |= ASH_FLAG_ENERGY;
        if (step->tries >= MOST_TRIES) /* the work of a step has bounds */
            step->trial = fmin(2 * *length, step->longest);
        return true;
    }
    *length *= 0.5;
    return false;
}

/* Springs of `penalty` hold energy that the balance does not see, passes change the state that a part begins with. */
static bool is_judged(const ashi_step *step)
{
    bool plain =
        (step->method.plain_rounds && step->method.joints == ASH_JOINTS_IMPULSES) || ashi_joint_impulses_drift(step);
    return !plain && step->model->joints.pool.used > 0 && !ashi_method_has_springs(&step->method) &&
           !step->scheme->foresees;
}

bool ashi_step_judged_part(ashi_step *step, double *length, double reach)
{
    bool judged = is_judged(step);
    ashi_books before = ashi_books_open(step);
    double asked = *length;
    *length = fmin(asked, step->trial);
    for (;;) {
        step->cut = *length < asked;
        if (!ashi_step_part(step, *length, reach))
            return false;
        if (!judged || step->resigned)
            return true; /* the commit says what is not finite */
        ashi_balance *balance = ashi_balance_draw(step, fmax(step->work.stabilization - before.work.stabilization, 0));
        bool may_change = step->scheme->joins && is_careless(step);
        if (balance == NULL || (may_change && !ashi_joint_loop_reserve(step)))
            return false;
        if (decide(step, judge(step, balance), balance, asked, length))
            return true;
        step->tries++;
        atomic_store(&step->worst_slot, ASHI_NO_SLOT);
        ashi_books_restore(step, &before);
    }
}

bool ashi_step_take_parts(ashi_step *step, double length)
{
    double left = length;
    while (left > 0) {
        double part = left;
        if (!ashi_step_judged_part(step, &part, step->method.contact_margin) ||
            (part < left && step->starts == NULL && !ashi_step_keep_start(step))) {
            step->flags |= ASH_FLAG_OUT_OF_MEMORY;
            return false;
        }
        if (!ashi_step_commit(step))
            return false;
        left = part >= left * (1 - 1e-12) ? 0 : left - part;
    }
    return true;
}
