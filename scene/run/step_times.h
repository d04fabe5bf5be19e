/* How long the steps took: mean and maximum of all, and the median. */
#ifndef ASHI_SCENE_STEP_TIMES_H
#define ASHI_SCENE_STEP_TIMES_H

#include "base/array.h"

#define ASHI_STEP_TIMES_KEPT (1u << 21)

typedef struct ashi_step_times {
    uint64_t count;
    double sum, max;         /* s */
    uint64_t stride;         /* every stride-th step is kept */
    ASHI_ARRAY(double) kept; /* s */
} ashi_step_times;

/* False when memory ran out; the step is then counted but not kept for the median. */
bool ashi_step_times_add(ashi_step_times *times, double seconds);
double ashi_step_times_mean(const ashi_step_times *times); /* 0 without steps */
/* Sorts what is kept; call it last. */
double ashi_step_times_median(ashi_step_times *times);
void ashi_step_times_release(ashi_step_times *times);

#endif
