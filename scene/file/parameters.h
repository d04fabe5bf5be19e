/* The section "parameters" of scene files. */
#ifndef ASHI_SCENE_PARAMETERS_H
#define ASHI_SCENE_PARAMETERS_H

#include "scene/file/scope.h"

#define ASHI_MOST_PARAMETERS 1000 /* in a file */

/* Values given to a scene when it is read. */
typedef struct ashi_given {
    const ash_setting *settings; /* texts, from a command line */
    uint32_t count;
    bool *taken;          /* for each setting: it is a parameter; null: not wanted */
    const json_t *values; /* of an included file: name -> value */
} ashi_given;

/* Makes the parameters variables of the empty scope, with their values, or with those given. Those of the scene's own
 * file are entered into the scene, too. */
bool ashi_read_parameters(ashi_reader *reader, const ashi_place *place, const ashi_given *given, ashi_scope *scope,
                          bool own);

#endif
