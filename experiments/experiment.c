/* Experiments on built-in scenes: open by settings, step, observe. */
#include "experiments/experiment.h"

#include "base/diagnostic.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SETTINGS = 16 };

/* Cuts "key=value key=value" in place; the number of settings, or UINT32_MAX when the text is not of that form. */
static uint32_t split_settings(char *text, ash_setting *settings)
{
    uint32_t count = 0;
    for (char *key = text; *key;) {
        char *value = strchr(key, '=');
        if (!value || count == MOST_SETTINGS)
            return UINT32_MAX;
        char *end = strchr(value, ' ');
        *value++ = '\0';
        settings[count++] = (ash_setting){key, value};
        if (!end)
            break;
        *end = '\0';
        key = end + 1;
    }
    return count;
}

/* Takes "method=NAME" at the head of the list, and the fields of a method after it, out of the list. */
static ash_status take_method(ash_setting *list, uint32_t *count, ash_method *method, ash_diagnostic *diagnostic)
{
    ash_status status = ash_method_find(list[0].value, method, diagnostic);
    uint32_t left = 0;
    for (uint32_t i = 1; i < *count && status == ASH_OK; i++) {
        status = ash_method_set(method, list[i].key, list[i].value, diagnostic);
        if (status == ASH_NOT_FOUND) {
            list[left++] = list[i];
            status = ASH_OK;
        }
    }
    *count = left;
    return status;
}

ash_status ashi_experiment_open(ashi_experiment *experiment, ash_diagnostic *diagnostic, const char *scene,
                                const char *settings, ...)
{
    char text[512];
    ash_setting list[MOST_SETTINGS];
    *experiment = (ashi_experiment){0};
    va_list arguments;
    va_start(arguments, settings);
    int length = vsnprintf(text, sizeof text, settings, arguments);
    va_end(arguments);
    uint32_t count = length < 0 || (size_t)length >= sizeof text ? UINT32_MAX : split_settings(text, list);
    if (count == UINT32_MAX)
        return ashi_fail(diagnostic, ASH_BAD_ARGUMENT, "experiment.settings", "\"%s\" are no settings", settings);
    ash_method method;
    bool has_method = count > 0 && strcmp(list[0].key, "method") == 0;
    ash_status status = has_method ? take_method(list, &count, &method, diagnostic) : ASH_OK;
    if (status == ASH_OK)
        status = ash_scene_open(scene, list, count, &experiment->scene, diagnostic);
    if (status != ASH_OK)
        return status;
    if (has_method)
        experiment->scene->method = method;
    status = ashi_scene_build(experiment->scene, 1, &experiment->instance, diagnostic);
    experiment->world = experiment->instance.world;
    if (status != ASH_OK) {
        ash_scene_destroy(experiment->scene);
        *experiment = (ashi_experiment){0};
    }
    return status;
}

void ashi_experiment_close(ashi_experiment *experiment)
{
    if (!experiment->scene)
        return;
    ashi_instance_release(&experiment->instance);
    ash_scene_destroy(experiment->scene);
    *experiment = (ashi_experiment){0};
}

ash_status ashi_experiment_run(ashi_experiment *experiment, double h, uint32_t steps, ashi_observer observer,
                               void *data, uint32_t *taken, ash_diagnostic *diagnostic)
{
    ash_world *world = experiment->world;
    uint32_t step = 0;
    ash_status status = ASH_OK;
    if (!observer || observer(world, 0, data)) {
        while (step < steps) {
            if (experiment->scene)
                status = ashi_instance_apply_events(&experiment->instance, experiment->scene, ash_world_get_time(world),
                                                    diagnostic);
            if (status != ASH_OK)
                return status;
            status = ash_world_step(world, h);
            if (status != ASH_OK)
                break;
            ++step;
            if (observer && !observer(world, step, data))
                break;
        }
    }
    if (taken)
        *taken = step;
    if (status == ASH_OK || (ash_world_get_report(world).flags & ASH_FLAG_NOT_FINITE))
        return ASH_OK;
    if (diagnostic)
        *diagnostic = ash_world_get_last_diagnostic(world);
    return status;
}

typedef struct trace {
    ash_body body;
    ashi_component component;
    double *values;
} trace;

static bool observe_trace(const ash_world *world, uint32_t step, void *data)
{
    trace *into = data;
    ash_vec3 centre = ash_body_get_centre(world, into->body);
    into->values[step] = into->component == ASHI_X ? centre.x : into->component == ASHI_Y ? centre.y : centre.z;
    return true;
}

ash_status ashi_experiment_trace(ashi_experiment *experiment, const char *body, ashi_component component, double h,
                                 uint32_t steps, double *values, ash_diagnostic *diagnostic)
{
    trace into = {ash_world_find_body(experiment->world, body), component, values};
    if (into.body.id == 0)
        return ashi_fail(diagnostic, ASH_NOT_FOUND, "experiment.body", "there is no body \"%s\"", body);
    uint32_t taken = 0;
    ash_status status = ashi_experiment_run(experiment, h, steps, observe_trace, &into, &taken, diagnostic);
    for (uint32_t i = taken + 1; i <= steps; ++i)
        values[i] = INFINITY;
    return status;
}
