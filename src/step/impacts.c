/* Backtracking: the step is rewound to the instant of an impact (de Jong 2014, 3-2-1).
 *
 * Contacts that touch (gap up to the slop) hold during a part. Afterwards the first meeting of shapes within it is
 * searched by their true gap (meetings.h), and the part is taken again with the length at which they just touch: a
 * hundredth of the slop apart, by the gap at the end of the actual integration. There the impact is solved at an
 * instant by the method's laws (instant.h), and the rest of the step follows. After max_impacts nothing rebounds any
 * more; after twice as many, or if the step has taken much work, the rest is taken in windows, in which gaps close as
 * with a fixed step: so a step ends, however many impacts there are. */
#include "step/instant.h"
#include "step/meetings.h"
#include "step/tally.h"

#include <math.h>

#define SEARCH    40       /* the most lengths tried for one impact */
#define SATISFIED 6        /* attempts after which any touch is accepted */
#define SLOWEST   1e-9     /* m/s: slower approaches are contact */
#define SHORTEST  1e-6     /* of the step: if a projection of positions makes shapes meet, no part is short enough */
#define OTHERS    16       /* how often other shapes may turn out to be the first to meet */
#define PART      100u     /* approximate cost of a part besides its solver, in visits of a block, ... */
#define POINT     32u      /* ... and more for each contact point */
#define LOCATED   200000u  /* visits in a step: beyond that, impacts are no longer located, ... */
#define WINDOWS   16       /* ... but the rest is divided into this many windows, or as many as take ... */
#define DEAR      1000000u /* ... so many visits */

/* ---- lengths ---- */

static bool is_finite(const ashi_step *step)
{
    return atomic_load(&step->worst_slot) == ASHI_NO_SLOT;
}

/* A part that was tried: `next` is its end, and these are its records. */
typedef struct trial {
    bool taken;
    ashi_tally after;
} trial;

/* Takes a part of length t and measures the gap at its end. False when that is impossible. */
static bool try_length(ashi_step *step, double t, const ashi_meeting *m, trial *last, double *gap)
{
    ashi_tally before = ashi_tally_keep(step);
    bool good = ashi_step_part(step, t, ashi_meetings_touch(&step->method)) && is_finite(step);
    *last = (trial){good, ashi_tally_keep(step)};
    ashi_tally_restore(step, &before);
    if (good)
        *gap = ashi_meeting_gap(m, step->model, &step->model->bodies.next) - m->target;
    return good;
}

/* The length, up to `longest`, at whose end the shapes have the gap that the meeting aims at: it lies near the
 * meeting's time. `last`: the part of this length. If the integrated motion does not come that close, the length is one
 * at which they are apart. */
static bool find_length(ashi_step *step, const ashi_meeting *m, double longest, trial *last, double *length)
{
    double touch = ashi_meetings_touch(&step->method), shortest = fmin(SHORTEST * step->length, longest);
    double low = 0, high = longest, gap_low = 0, gap_high = 0, t = fmin(fmax(m->time, shortest), longest), gap;
    bool above = false, below = false;
    for (int i = 0; i < SEARCH; i++) {
        if (!try_length(step, t, m, last, &gap))
            return false;
        *length = t;
        double enough = i < SATISFIED ? 2 * m->enough : 0.5 * touch;
        bool passed = t >= longest && gap > 0 && i > 0; /* never touched: up to where they came close */
        if (passed && !try_length(step, *length = fmin(fmax(m->time, shortest), longest), m, last, &gap))
            return false;
        if (fabs(gap) <= enough || (t <= shortest && gap < 0) || passed || ashi_solver_is_spent(step->solvers))
            return true;
        if (gap > 0) {
            low = t;
            gap_low = gap;
        } else {
            high = t;
            gap_high = gap;
        }
        above = above || gap > 0;
        below = below || gap < 0;
        if (above && below && high - low < shortest) { /* the gap jumps: apart, they meet after it; held, before */
            bool there = m->target < 0 ? gap > 0 : gap < 0;
            return there || try_length(step, *length = m->target < 0 ? low : high, m, last, &gap);
        }
        /* By the gap of the predicted path until both sides are known, then by the secant rule with bisection. */
        if (above && below)
            t = i % 3 == 2 ? 0.5 * (low + high) : low + (high - low) * gap_low / (gap_low - gap_high);
        else
            t = m->slope < 0 ? t - gap / m->slope : gap > 0 ? longest : 0.5 * t;
        t = fmin(fmax(t, shortest), longest);
    }
    return true;
}

/* ---- parts ---- */

/* The cost of all steps so far, in visits of a block. */
static uint64_t cost(const ashi_step *step)
{
    return ashi_solver_operations(step->solvers) / ASHI_OF_A_VISIT +
           (PART + POINT * (uint64_t)step->collision->now.points.count) * step->parts;
}

static void go_back(ashi_step *step, const ashi_tally *before)
{
    ashi_bodies_exchange(&step->model->bodies);
    step->time -= step->h;
    ashi_joint_memory_restore(&step->model->joints, step->part_joints);
    ashi_collision_undo(step->collision);
    ashi_tally_restore(step, before);
}

/* Takes a part that ends at `longest` or at the first impact before. False, with a flag, when that is impossible. Where
 * impacts are `dear` to locate, one that is found leaves the step as it was, with *length 0; so does work that is
 * `bounded` and used up. */
static bool take_to_impact(ashi_step *step, double longest, uint64_t dear, bool bounded, double *length)
{
    bool continuous = step->method.continuous, stuck = false;
    *length = longest;
    ashi_joint_memory_keep(&step->model->joints, step->part_joints);
    trial last = {0};
    for (int round = 0;; round++) {
        ashi_tally before = ashi_tally_keep(step);
        if (last.taken) {
            ashi_tally_restore(step, &last.after);
        } else if (!ashi_step_judged_part(step, length, ashi_meetings_touch(&step->method))) {
            step->flags |= ASH_FLAG_OUT_OF_MEMORY;
            return false;
        }
        if (ashi_solver_left(step->solvers) == 0 && bounded) {
            ashi_joint_memory_restore(&step->model->joints, step->part_joints);
            ashi_tally_restore(step, &before);
            atomic_store(&step->worst_slot, ASHI_NO_SLOT);
            *length = 0;
            return true;
        }
        step->method.continuous = false; /* bodies are not held back here */
        bool good = ashi_step_commit(step);
        step->method.continuous = continuous;
        if (!good)
            return false;
        ashi_meeting m;
        if (stuck || round >= OTHERS || *length <= SHORTEST * step->length || ashi_solver_is_spent(step->solvers) ||
            !ashi_meetings_first(step, &step->model->bodies.next, &m)) {
            step->flags |= ashi_meetings_missed(step) ? ASH_FLAG_IMPACT_MISSED : 0;
            return true;
        }
        go_back(step, &before);
        if (cost(step) > dear) {
            *length = 0;
            return true;
        }
        double limit = *length;
        step->cut = false;
        if (!find_length(step, &m, limit, &last, length))
            return ashi_step_commit(step);     /* reports what is not finite */
        stuck = round > 0 && *length >= limit; /* if the gap jumps, the same search would end there again */
    }
}

/* Finds the contacts that are not held in the next part. False, with a flag, when memory ran out. */
static bool note_leaving(ashi_step *step, bool **room, uint32_t *capacity)
{
    uint32_t points = step->collision->now.points.count;
    if (points > *capacity) {
        *capacity = points + points / 4;
        *room = ashi_arena_take_array(step->kept, *capacity, sizeof **room);
    }
    if (points > 0 && *room == NULL) {
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
        return false;
    }
    ashi_meetings_note_leaving(step, *room);
    step->leaves = *room;
    return true;
}

/* An instant; `ends`: nothing rebounds, so that bouncing between other bodies comes to an end. */
static bool hold_at_instant(ashi_step *step, bool ends)
{
    uint32_t approaching = 0;
    double resting = step->method.resting_speed;
    step->method.resting_speed = ends ? (double)INFINITY : resting;
    bool good = ashi_step_instant(step, ashi_meetings_touch(&step->method), SLOWEST, &approaching);
    step->method.resting_speed = resting;
    step->impacts += approaching > 0;
    return good;
}

/* Takes the rest of the step in windows: shapes that meet within one close their gap there and rebound by Newton's law,
 * all together. There are as many as can be afforded if each costs as much as a part did so far. */
static bool take_windows(ashi_step *step, double left, uint64_t spent)
{
    uint64_t count = DEAR / (spent / (step->parts + 1) + 1);
    double window = left / (double)(count < 1 ? 1 : count < WINDOWS ? count : WINDOWS);
    step->flags |= ASH_FLAG_MANY_IMPACTS;
    step->windowed = true;
    bool taken = true;
    while (left > 0 && taken) {
        bool last = left <= 1.5 * window || ashi_solver_is_spent(step->solvers);
        double part = last ? left : window;
        left = last ? 0 : left - window;
        taken = ashi_step_take_parts(step, part);
    }
    step->windowed = false;
    step->flags |= taken && ashi_meetings_missed(step) ? ASH_FLAG_IMPACT_MISSED : 0;
    return taken;
}

/* Takes a part to the first impact with no more than the work of a window, if there is more. */
static bool try_to_impact(ashi_step *step, double longest, uint64_t dear, double *length)
{
    uint64_t all = ashi_solver_left(step->solvers), some = all > 2 * DEAR ? DEAR : all;
    ashi_solver_grant(step->solvers, some);
    bool taken = take_to_impact(step, longest, dear, some < all, length);
    ashi_solver_grant(step->solvers, all - (some - ashi_solver_left(step->solvers)));
    return taken;
}

static bool take_parts(ashi_step *step, double length)
{
    double left = length;
    uint32_t most = step->method.max_impacts, room = 0;
    uint64_t begin = cost(step);
    bool *leaves = NULL;
    for (uint32_t i = 0; left > 0; i += step->cut ? 0 : 1) {
        if (!hold_at_instant(step, i >= most)) {
            step->flags |= ASH_FLAG_OUT_OF_MEMORY;
            return false;
        }
        double part = 0;
        step->flags |= i >= most ? ASH_FLAG_MANY_IMPACTS : 0;
        bool located = i < 2 * (uint64_t)most;
        bool taken =
            !located || (note_leaving(step, &leaves, &room) && try_to_impact(step, left, begin + LOCATED, &part));
        step->leaves = NULL;
        if (taken && part == 0) {
            taken = take_windows(step, left, cost(step) - begin);
            part = left;
        }
        if (!taken)
            return false;
        left = part >= left * (1 - 1e-12) ? 0 : left - part;
    }
    /* An impact at the very end is part of this step. */
    if (hold_at_instant(step, false))
        return true;
    step->flags |= ASH_FLAG_OUT_OF_MEMORY;
    return false;
}

bool ashi_step_by_impacts(ashi_step *step, double length)
{
    step->divided = length; /* errors are removed within the whole step, not within a part, which may be a millionth of
                               it */
    bool taken = take_parts(step, length);
    step->divided = 0;
    return taken;
}
