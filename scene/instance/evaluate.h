/* Judging a run by the scene's expectations. */
#ifndef ASHI_SCENE_EVALUATE_H
#define ASHI_SCENE_EVALUATE_H

#include "scene/instance/observe.h"

/* The value of a reduction over all samples; NaN when there was none with a value. */
double ashi_reduce_series(const ashi_track *track, ashi_reduction reduction);

/* A check with its answer. */
typedef struct ashi_check {
    ash_check_result result; /* value: the distance from `expected`; limit: the tolerance */
    const char *output;
    ashi_reduction reduction;
    double measured, expected;
} ashi_check;

/* Answers check number `check` of the scene. In a run that did not reach its end no check passes. The name is copied
 * into `text`; false when memory ran out. */
bool ashi_evaluate(const ash_scene *scene, uint32_t check, const ashi_observation *observation, bool complete,
                   ashi_arena *text, ashi_check *answer);

#endif
