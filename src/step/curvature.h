/* Contacts that hold while bodies turn and roll: their rows at the middle of a part (curvature.c). */
#ifndef ASHI_STEP_CURVATURE_H
#define ASHI_STEP_CURVATURE_H

#include "step/step.h"

/* The motion of a contact point over a part. */
typedef struct ashi_bend {
    ash_vec3 place[2], normal[2]; /* of the point at the start and at the end, in world axes */
    ash_vec3 tangent;             /* the first one of the start */
    double bias[3];               /* of the rows at the start: normal and tangents */
    double gap;                   /* the true one at the end, m */
    double way;                   /* the true gap minus that of the row, m */
    double off, share;            /* of the last round: its error, m, and ... */
                                  /* ... the share of it that was corrected */
    uint32_t block;               /* of the problem; UINT32_MAX: none */
    bool noted;                   /* the data of the start is set */
    bool known;                   /* the shapes were examined, and touch there or nearly */
    bool slides;                  /* slides during the whole part: friction opposes the mean slip */
    uint8_t changes;              /* of `slides`, so far */
} ashi_bend;

/* Whether rows follow turning bodies: steps are cut at impacts, and bodies move by the mean of two velocities. */
bool ashi_curvature_acts(const ashi_step *step);
/* Starts `step->bends`, in `memory`, without data on the contact points. False when memory ran out. */
bool ashi_curvature_begin(ashi_step *step, const ashi_system *problem, ashi_arena *memory);
/* Finds the positions of the problem's contacts at `next`. False when memory ran out. */
bool ashi_curvature_measure(ashi_step *step, const ashi_system *problem);
/* Before the first solution: friction against the mean slip where points will surely slide all the time. */
void ashi_curvature_expect_slides(ashi_step *step, ashi_system *problem);
/* Sets their rows for a part of length h. Returns the change of the wanted motion, m. */
double ashi_curvature_ask(ashi_step *step, ashi_system *problem, double h);
/* A point's normal and tangents after its normal has turned to this one. */
void ashi_curvature_axes(const ashi_bend *bend, ash_vec3 normal, ash_vec3 axes[3]);
/* Restores the rows of the start and discards all data. */
void ashi_curvature_forget(ashi_step *step, ashi_system *problem);
/* Whether contacts that were held have nevertheless sunk below the slop at `next`. */
bool ashi_curvature_sinks(ashi_step *step);

#endif
