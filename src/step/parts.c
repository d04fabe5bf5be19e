/* Parts of a step, judged after they have been taken.
 *
 * The forces of joints, and with them how fast bodies oscillate, are known only after a part has been solved: a chain
 * that becomes taut within a part has forces that the previous part could not show. So a part is taken back and
 * repeated with a shorter length if
 *   - joints do not hold at its end,
 *   - by what joints carried in it bodies swing farther than the scheme follows (impulses and accelerations), or
 *   - contacts have sunk, as joints were held after them (impulses and accelerations), or
 *   - a group of jointed bodies has gained energy that nobody gave it, or, where nothing can take energy away, lost it.
 * The error of a part determines the length of the next. Joints that held at the start of a part hold in one that is
 * short enough. If joints did not hold there, and do not in short parts, they contradict each other or contacts: the
 * rest of the step is taken without judging. If even the shortest part adds energy, the bodies are slowed accordingly
 * (balance.c), and `energy` is flagged. */
#include "model/method.h"
#include "step/balance.h"
#include "step/curvature.h"
#include "step/hold.h"
#include "step/joints/joint_impulses.h"
#include "step/joints/joint_loop.h"
#include "step/scheme.h"
#include "step/tally.h"

#include <math.h>

#define SHORTEST     (1.0 / 1024) /* of a step, by impulses and accelerations, and ... */
#define SHORT        (1.0 / 8)    /* ... by other methods */
#define JOINED_TRIES 256          /* parts of a step that may be taken back, by impulses and accelerations, and ... */
#define MOST_TRIES   64           /* ... by other methods */
#define GROWTH       1.5          /* of the length from part to part at most, */
#define LEAST_FIT    0.2          /* ... and its fall, */
#define SAFE         0.8          /* ... and what is left to spare */
#define JERK         (1.0 / 64)   /* of a step: see allowed */
#define RATE         0.03 /* of the kinetic energy per unit of time: allowed error of impulses and accelerations */
#define NOTHING      1e-6 /* of the kinetic energy: allowed gain if contacts are solved after joints */
#define GAIN         0.2  /* of the kinetic energy per unit of time: allowed gain of other methods, and ... */
#define LOSS         2    /* ... lose by exact rows, down to this length: */
#define SHORT_SNAP   (1.0 / 32)

/* The judgement on the part that was just taken. */
typedef enum judgement { GOOD, CARELESS, TOO_LONG, FAILED } judgement;

/* Whether another form of the method adds less energy: contacts and drives solved together with joints instead of after
 * them; or joints that do not follow their turning rows. */
static bool is_careless(const ashi_step *step)
{
    if (step->careful || (step->problem->block_count == 0 && step->problem->contact_count == 0))
        return false;
    if (step->scheme->joins)
        return step->scheme->loops && !ashi_joint_loop_acts(step);
    return ashi_hold_closes(step);
}

static uint32_t most_tries(const ashi_step *step)
{
    return step->scheme->joins ? JOINED_TRIES : MOST_TRIES;
}

/* The length of the part. */
static double units_of_time(const ashi_step *step)
{
    return step->h / step->method.solver.unit_time;
}

/* The allowed gain of a part, as a share of its kinetic energy. Jerks are short: with joints held by free motion, a
 * short part may err by as much as one of length JERK. */
static double allowed(const ashi_step *step)
{
    double brief = JERK * step->length / step->method.solver.unit_time;
    return step->scheme->joins ? RATE * (units_of_time(step) + brief) : GAIN * units_of_time(step);
}

/* Whether a chain becomes taut within a part, by exact rows: the part follows them along the motion at its start and
 * loses the energy that it cannot resolve, although nothing can remove energy. In the shortest parts this loss is
 * accepted. */
static bool snaps(const ashi_step *step, const ashi_balance *balance)
{
    return ashi_hold_closes(step) && step->h > SHORT_SNAP * step->length && step->tries < MOST_TRIES &&
           ashi_balance_loss(balance, LOSS * units_of_time(step)) > 1;
}

/* The factor on this part's length that would be accurate enough: errors of energy grow with its square, swings in
 * proportion. */
static double find_fit(double error, double swing)
{
    double excess = fmax(sqrt(error), swing);
    return excess > 0 ? SAFE / excess : GROWTH;
}

/* `fit`: see above; unchanged if nothing determines it. */
static judgement judge(ashi_step *step, const ashi_balance *balance, double *fit)
{
    bool careless = is_careless(step);
    judgement worst = careless ? CARELESS : TOO_LONG;
    if (step->failed || atomic_load(&step->worst_slot) != ASHI_NO_SLOT)
        return careless ? CARELESS : FAILED;
    if (step->method.joint_budget > 0 && (step->solve_flags & ASH_SOLVE_BUDGET))
        return GOOD; /* as good as the time budget of joints allows; more parts would take more time */
    if (!step->scheme->joins && ashi_balance_gain(balance, allowed(step)) > 1)
        return worst;
    if (!step->scheme->joins)
        return snaps(step, balance) ? TOO_LONG : GOOD;
    if (careless && (ashi_balance_gain(balance, NOTHING) > 1 || ashi_curvature_sinks(step)))
        return CARELESS;
    double error = ashi_balance_error(balance, allowed(step)), swing = ashi_joint_impulses_swing(step);
    *fit = find_fit(error, swing);
    return error > 1 || swing > 1 ? TOO_LONG : GOOD;
}

/* Decides what to do with a judged part of this length. True: it is kept. */
static bool decide(ashi_step *step, ashi_balance *balance, double asked, double *length)
{
    double fit = 0;
    judgement verdict = judge(step, balance, &fit);
    if (verdict == GOOD) {
        step->trial = fmin((fit > 0 ? fmax(fmin(fit, GROWTH), 1) : GROWTH) * *length, step->longest);
        return true;
    }
    step->trial = *length;
    if (verdict == CARELESS) {
        step->careful = true;
        return false;
    }
    /* Joints and contacts contradict each other; what held at the start is held by parts that are short enough. */
    double hopeless = step->scheme->joins && step->joined ? SHORTEST : SHORT;
    if (verdict == FAILED && *length <= hopeless * step->length) {
        *length = step->trial = fmin(asked, step->longest);
        step->resigned = true;
        step->careful = false;
        return false;
    }
    double shortest = (step->scheme->joins ? SHORTEST : snaps(step, balance) ? SHORT_SNAP : SHORT) * step->length;
    if (*length <= shortest || step->tries >= most_tries(step)) {
        if (ashi_balance_settle(balance, allowed(step)))
            step->flags |= ASH_FLAG_ENERGY;
        if (step->tries >= most_tries(step)) /* the work of a step has bounds */
            step->trial = fmin(GROWTH * *length, step->longest);
        return true;
    }
    *length = fmax(*length * (fit > 0 ? fmin(fmax(fit, LEAST_FIT), SAFE) : 0.5), shortest);
    return false;
}

/* Springs of `penalty` store energy that the balance does not see; passes change the start state of a part. */
static bool is_judged(const ashi_step *step)
{
    bool plain = (step->method.plain_rounds && step->scheme->loops) || ashi_joint_impulses_drift(step);
    return !plain && step->model->joints.pool.used > 0 && !ashi_method_has_springs(&step->method) &&
           !step->scheme->foresees;
}

bool ashi_step_judged_part(ashi_step *step, double *length, double reach)
{
    bool judged = is_judged(step);
    ashi_tally before = ashi_tally_keep(step);
    double asked = *length;
    *length = fmin(asked, step->trial);
    for (;;) {
        step->cut = *length < asked;
        if (!ashi_step_part(step, *length, reach))
            return false;
        if (!judged || step->resigned)
            return true; /* the commit reports what is not finite */
        ashi_balance *balance = ashi_balance_draw(step, fmax(step->work.stabilization - before.work.stabilization, 0));
        bool may_change = step->scheme->joins && is_careless(step);
        if (balance == NULL || (may_change && !ashi_joint_loop_reserve(step)))
            return false;
        if (decide(step, balance, asked, length))
            return true;
        step->tries++;
        atomic_store(&step->worst_slot, ASHI_NO_SLOT);
        ashi_tally_restore(step, &before);
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
