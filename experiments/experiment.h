/* An experiment: a built-in scene opened with settings, its world stepped by hand and observed step by step. */
#ifndef ASHI_SCENE_EXPERIMENT_H
#define ASHI_SCENE_EXPERIMENT_H

#include "scene/instance/instance.h"

typedef struct ashi_experiment {
    ash_scene *scene; /* null: the world was made by hand, and is its maker's */
    ashi_instance instance;
    ash_world *world; /* of the instance */
} ashi_experiment;

/* Opens a built-in scene with settings written as "key=value key=value" and makes its world. "method=NAME" as the first
 * takes the place of the scene's method; fields of a method then change that one. On failure nothing is left open. */
ash_status ashi_experiment_open(ashi_experiment *experiment, ash_diagnostic *diagnostic, const char *scene,
                                const char *settings, ...) __attribute__((format(printf, 4, 5)));
void ashi_experiment_close(ashi_experiment *experiment);

/* Looks at the world after a step (0: before the first) and returns false to end the experiment there. */
typedef bool (*ashi_observer)(const ash_world *world, uint32_t step, void *data);

/* Takes `steps` steps of h, events included, and calls the observer, unless null, before the first and after each.
 * `taken` is how many were taken: fewer when the observer stopped or the numbers grew beyond all bounds, which is a
 * result, no error. */
ash_status ashi_experiment_run(ashi_experiment *experiment, double h, uint32_t steps, ashi_observer observer,
                               void *data, uint32_t *taken, ash_diagnostic *diagnostic);

/* One coordinate of a body's centre over a run: values[0] is the start, values[n] after n steps. After an early end the
 * rest is infinite. */
ash_status ashi_experiment_trace(ashi_experiment *experiment, const char *body, ashi_component component, double h,
                                 uint32_t steps, double *values, ash_diagnostic *diagnostic);

#endif
