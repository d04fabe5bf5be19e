/* Bounces at the end of a step (Faure): nothing is rewound. Bodies that collide within a step overlap at its end, by as
 * much as they moved; projections of positions remove the overlap, and velocities rebound at that instant by the
 * method's law: Newton's is his (1 + a) b, Poisson's his (1 + a) lambda. The same happens at the start of a step, in
 * case velocities were changed since. Within the step, touching contacts hold, except those that separate; nothing
 * rebounds there.
 *
 * An impact is late by up to a step, and so of order 1. */
#include "step/instant.h"
#include "step/meetings.h"

#define SLOWEST 1e-9 /* m/s: slower approaches are contact */

static bool bounce(ashi_step *step)
{
    uint32_t approaching = 0;
    bool good = ashi_step_instant(step, ashi_meetings_touch(&step->method), SLOWEST, &approaching);
    step->impacts += approaching > 0;
    step->flags |= good ? 0 : ASH_FLAG_OUT_OF_MEMORY;
    return good;
}

/* Contacts that separate are not held. False when memory ran out. */
static bool note_leaving(ashi_step *step)
{
    uint32_t points = step->collision->now.points.count;
    bool *leaves = ashi_arena_take_array(step->kept, points + 1, sizeof *leaves);
    if (leaves == NULL) {
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
        return false;
    }
    ashi_meetings_note_leaving(step, leaves);
    step->leaves = leaves;
    return true;
}

bool ashi_step_by_bounces(ashi_step *step, double length)
{
    double left = length, touch = ashi_meetings_touch(&step->method);
    while (left > 0) { /* more than once only if joints require shorter parts */
        double part = left;
        if (!bounce(step) || !note_leaving(step))
            return false;
        bool taken = ashi_step_judged_part(step, &part, touch);
        step->flags |= taken ? 0 : ASH_FLAG_OUT_OF_MEMORY;
        taken = taken && ashi_step_commit(step);
        step->leaves = NULL;
        if (!taken)
            return false;
        left = part >= left * (1 - 1e-12) ? 0 : left - part;
    }
    return bounce(step);
}
