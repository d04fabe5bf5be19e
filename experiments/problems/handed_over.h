/* Problems of piles that `realtime` has run and `engineering` takes over, by name. */
#ifndef ASHI_SCENE_PROBLEM_HANDED_OVER_H
#define ASHI_SCENE_PROBLEM_HANDED_OVER_H

#include "ashlar/problem.h"
#include "ashlar/scene.h"

typedef struct ashi_handed_over {
    const char *name, *summary, *scene;
    ash_setting settings[2];
    uint32_t setting_count;
    double time; /* s, by `realtime` */
} ashi_handed_over;

uint32_t ashi_handed_over_count(void);
const ashi_handed_over *ashi_handed_over_get(uint32_t index);
/* Null when there is none of that name. */
const ashi_handed_over *ashi_handed_over_find(const char *name);
/* `problem` is zeroed or holds an older one. */
ash_status ashi_handed_over_make(const ashi_handed_over *which, ash_problem *problem, ash_diagnostic *diagnostic);

#endif
