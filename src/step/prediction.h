/* Prediction: free motion of single bodies, so that those whose velocities a joint correction changed can be predicted
 * again without the rest of the world. */
#ifndef ASHI_STEP_PREDICTION_H
#define ASHI_STEP_PREDICTION_H

#include "step/step.h"

typedef struct ashi_prediction {
    ashi_step *step;
    bool single; /* no force depends on the state: bodies move by themselves */
    /* By slot, at the start, the middle and the end of the part; all the same where forces are constant. */
    const ash_vec3 *force[3], *torque[3];
    ashi_work work; /* recorded before */
    uint32_t iterations;
} ashi_prediction;

/* Ready to predict the part of length step->h from `now`: evaluates the forces where that can be done once and for all.
 * False when memory ran out. */
bool ashi_prediction_begin(ashi_prediction *prediction, ashi_step *step);
/* Predicts all bodies: `next` from `now` as its velocities are. Earlier predictions leave no trace, but scratch memory
 * may be taken again. False when memory ran out. */
bool ashi_predict_all(ashi_prediction *prediction);
/* Predicts some bodies, by slot: those that are given (`single`), or all. */
bool ashi_predict(ashi_prediction *prediction, const uint32_t *slots, uint32_t count);
/* Records the work of the forces over the part that was predicted last; `now` still has the velocities that it began
 * with. */
void ashi_prediction_record_work(ashi_prediction *prediction);

#endif
