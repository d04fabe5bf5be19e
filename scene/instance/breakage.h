/* The joints that broke in a run. */
#ifndef ASHI_SCENE_BREAKAGE_H
#define ASHI_SCENE_BREAKAGE_H

#include "scene/instance/instance.h"

typedef struct ashi_breakage {
    ASHI_ARRAY(ash_broken_joint) joints; /* in the order of time */
} ashi_breakage;

/* Adds those of the step that ended at `time`; names are copied into `text`. False when memory ran out. */
bool ashi_breakage_note(ashi_breakage *breakage, const ash_scene *scene, const ashi_instance *instance, double time,
                        ashi_arena *text);

#endif
