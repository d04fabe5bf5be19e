/* What a run keeps. */
#ifndef ASHI_SCENE_RUN_H
#define ASHI_SCENE_RUN_H

#include "scene/alarms.h"
#include "scene/breakage.h"
#include "scene/evaluate.h"

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
