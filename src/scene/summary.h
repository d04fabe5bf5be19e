/* Runs and methods as JSON. */
#ifndef ASHI_SCENE_SUMMARY_H
#define ASHI_SCENE_SUMMARY_H

#include "ashlar/scene.h"

/* The method as a JSON object, {"name": ..., field: value, ...}; the caller frees it with ashi_free. Null when memory
 * ran out. */
char *ashi_method_text(const ash_method *method);

#endif
