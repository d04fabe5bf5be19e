/* A contact point over a part: how far its two surfaces have come apart or slid at another state. */
#ifndef ASHI_STEP_TOUCH_H
#define ASHI_STEP_TOUCH_H

#include "step/step.h"

/* Where two bodies touch at the start of a part, in world axes. */
typedef struct ashi_touch {
    ash_vec3 normal;  /* from a to b */
    ash_vec3 arm[2];  /* of a and b: from the centre of mass to the point */
    ash_vec3 core[2]; /* the part of the arm that turns with the body; the rest is a round surface, which rolls */
    double gap;       /* m */
    int share[2];     /* of the two sides in the later position of the point: 1 and 1: both equally; 1 and 0: it follows
                         a, over a face of b */
    uint32_t slot[2]; /* of the bodies */
} ashi_touch;

/* Records the points of a problem's contacts, at the state and the contacts for which it was assembled; `touches` is by
 * block. False when scratch memory ran out. */
bool ashi_touch_note(ashi_step *step, const ashi_system *problem, ashi_touch *touches);

/* The displacement of b relative to a at the point, from `now` to `next`, h later. */
ash_vec3 ashi_touch_displacement(const ashi_bodies *bodies, const ashi_touch *touch, double h);
/* The point's arms there. */
void ashi_touch_arms(const ashi_bodies *bodies, const ashi_touch *touch, ash_vec3 arm[2]);

#endif
