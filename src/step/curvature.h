/* Contacts that hold while bodies turn and roll: their rows at the middle of a part (curvature.c). */
#ifndef ASHI_STEP_CURVATURE_H
#define ASHI_STEP_CURVATURE_H

#include "step/step.h"

/* How a contact point moves over a part. */
typedef struct ashi_bend {
    ash_vec3 place[2], normal[2]; /* of the point at the start and at the end, in world axes */
    ash_vec3 tangent;             /* the first one of the start */
    double bias[3];               /* of the rows at the start: normal and tangents */
    double gap;                   /* the true one at the end, m */
    double way;                   /* that minus what the row says, m */
    double off, share;            /* of the last round: how far it was from what it should be, m, and ... */
                                  /* ... how much of that was asked for */
    uint32_t block;               /* of the problem; UINT32_MAX: none */
    bool noted;                   /* what is of the start */
    bool known;                   /* the shapes were looked at, and touch there or nearly */
    bool slides;                  /* all the time: friction is against the mean slip */
    uint8_t changes;              /* of that, so far */
} ashi_bend;

/* Whether rows follow: steps are cut at impacts, and bodies move by the mean of two velocities. */
bool ashi_curvature_acts(const ashi_step *step);
/* Nothing is known yet of the contact points, in `step->bends`, which is in `memory` and lasts as long. False when that
 * ran out. */
bool ashi_curvature_begin(ashi_step *step, const ashi_system *problem, ashi_arena *memory);
/* Looks where the problem's contacts are at `next`. False when memory ran out. */
bool ashi_curvature_measure(ashi_step *step, const ashi_system *problem);
/* Before the first solution: friction against the mean slip where points will surely slide all the time. */
void ashi_curvature_expect_slides(ashi_step *step, ashi_system *problem);
/* Sets their rows for a part of length h. Returns by how far that changes what they ask for, m. */
double ashi_curvature_ask(ashi_step *step, ashi_system *problem, double h);
/* A point's normal and tangents once its normal has turned to this one. */
void ashi_curvature_axes(const ashi_bend *bend, ash_vec3 normal, ash_vec3 axes[3]);
/* Sets the rows of the start again: nothing is known. */
void ashi_curvature_forget(ashi_step *step, ashi_system *problem);
/* Whether contacts that held have sunk below the slop at `next` after all. */
bool ashi_curvature_sinks(ashi_step *step);

#endif
