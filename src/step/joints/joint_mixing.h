/* Mixing: makes a fixed-point iteration converge faster, or at all, by what its last iterates have shown (Anderson
 * 1965; Walker & Ni 2011). */
#ifndef ASHI_STEP_JOINTS_JOINT_MIXING_H
#define ASHI_STEP_JOINTS_JOINT_MIXING_H

#include "base/array.h"

#define ASHI_MIXING_DEPTH 8 /* iterates that are looked back at */

typedef struct ashi_mixing {
    uint32_t size;               /* of the unknowns */
    uint32_t count;              /* differences that are known */
    uint32_t last;               /* the newest of them */
    bool begun;                  /* there is an iterate before */
    ASHI_ARRAY(double) steps;    /* differences of iterates, one after the other */
    ASHI_ARRAY(double) turns;    /* ... and of the iteration's answers */
    ASHI_ARRAY(double) basis;    /* orthogonal to each other, what the turns span */
    ASHI_ARRAY(double) previous; /* the step taken last, then the answer before it */
} ashi_mixing;

void ashi_mixing_release(ashi_mixing *mixing);
/* A new iteration. False when memory ran out. */
bool ashi_mixing_begin(ashi_mixing *mixing, uint32_t size);
/* The iteration answers an iterate x by x + answer: changes that to the step to take from x. */
void ashi_mixing_mix(ashi_mixing *mixing, double *answer);
/* Only so much of the last step was taken. */
void ashi_mixing_shorten(ashi_mixing *mixing, double taken);

#endif
