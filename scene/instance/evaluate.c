/* A check passes when |reduction of the output within its times - expected| <= tolerance; NaN never passes. */
#include "scene/instance/evaluate.h"

#include <math.h>

double ashi_reduce_series(const ashi_track *track, ashi_reduction reduction)
{
    switch (reduction) {
    case ASHI_FINAL:
        return track->last;
    case ASHI_MAX:
        return track->maximum;
    case ASHI_MIN:
        return track->minimum;
    case ASHI_MAX_ABS:
        return track->max_abs;
    case ASHI_MEAN:
        return track->count > 0 ? track->sum / (double)track->count : (double)NAN;
    case ASHI_REDUCTIONS:
        break;
    }
    return (double)NAN;
}

bool ashi_evaluate(const ash_scene *scene, uint32_t check, const ashi_observation *observation, bool complete,
                   ashi_arena *text, ashi_check *answer)
{
    const ashi_scene_check *wanted = &scene->checks.data[check];
    double measured = ashi_reduce_series(&observation->windows[check], wanted->reduction);
    double distance = fabs(measured - wanted->expected);
    *answer = (ashi_check){.result = {.name = ashi_arena_text(text, wanted->name),
                                      .value = distance,
                                      .limit = wanted->tolerance,
                                      .pass = complete && distance <= wanted->tolerance},
                           .output = observation->tracks[wanted->output].name,
                           .reduction = wanted->reduction,
                           .measured = measured,
                           .expected = wanted->expected};
    return answer->result.name != NULL;
}
