/* What was flagged in a run: how often, when first, and where it was worst. */
#ifndef ASHI_SCENE_ALARMS_H
#define ASHI_SCENE_ALARMS_H

#include "ashlar/scene.h"

enum { ASHI_ALARMS_MOST = 32 };

typedef struct ashi_alarms {
    struct {
        ash_run_alarm told; /* its place is: */
        char where[200];
        double severity;         /* of the worst so far */
    } entries[ASHI_ALARMS_MOST]; /* in the order of their first steps */
    uint32_t count;
} ashi_alarms;

/* Adds the flags of the step that the world took last, or did not take; `time` is its end. */
void ashi_alarms_note(ashi_alarms *alarms, const ash_world *world, double time);

#endif
