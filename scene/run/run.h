/* What a run keeps. */
#ifndef ASHI_SCENE_RUN_H
#define ASHI_SCENE_RUN_H

#include "scene/instance/breakage.h"
#include "scene/instance/evaluate.h"
#include "scene/run/alarms.h"

struct ash_run {
    ashi_arena *text;
    ashi_instance instance;
    ashi_observation observation;
    ash_run_summary summary; /* its texts are in `text`, and this one: */
    char stopped[1024];
    uint32_t threads;
    ASHI_ARRAY(ashi_check) checks;
    ashi_breakage breakage;
    ashi_alarms alarms;
};

#endif
