/* Shapes that meet within a part of a step. */
#ifndef ASHI_STEP_MEETINGS_H
#define ASHI_STEP_MEETINGS_H

#include "step/encounter.h"
#include "step/step.h"

typedef struct ashi_meeting {
    uint32_t a, b; /* slots of shapes */
    ashi_encounter encounter;
    double time;   /* s, from the start of the part */
    double target; /* m: their gap at that time, ... */
    double enough; /* ... and its tolerance */
    double slope;  /* m/s: of the gap there, or a guess of it */
} ashi_meeting;

/* The gap up to which shapes touch: the slop, or what rounding leaves of it. */
double ashi_meetings_touch(const ash_method *method);

/* Marks points of the present contacts that separate faster than a body at rest may: they have left and are not held.
 * `leaves` has room for all. */
void ashi_meetings_note_leaving(const ashi_step *step, bool *leaves);

/* The first meeting within the part that led from `start`, whose contacts are the collision's `before`, to the present
 * state. False: there is none. */
bool ashi_meetings_first(ashi_step *step, const ashi_state *start, ashi_meeting *first);

/* Whether a contact overlaps by more than twice the slop and still approaches, faster than bodies at rest may: an
 * impact that was missed. */
bool ashi_meetings_missed(const ashi_step *step);

/* The gap of a meeting's shapes at a state. */
double ashi_meeting_gap(const ashi_meeting *meeting, const ashi_model *model, const ashi_state *state);

#endif
