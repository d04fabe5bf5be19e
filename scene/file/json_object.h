/* Objects in Jansson's form on their way to a text: summaries of runs, and methods. */
#ifndef ASHI_SCENE_JSON_OBJECT_H
#define ASHI_SCENE_JSON_OBJECT_H

#include "ashlar/scene.h"

#include <jansson.h>

/* Null when it is not finite: JSON has no such numbers. */
json_t *ashi_jansson_number(double value);
json_t *ashi_jansson_count(uint64_t value);

/* Takes `value`, also when it or the object is null because memory ran out: the key is then missing. */
bool ashi_jansson_set(json_t *object, const char *key, json_t *value);

/* Adds the method's fields; those whose value reads as a number are numbers. */
bool ashi_jansson_set_method(json_t *object, const ash_method *method);

/* The object as text in our own memory, which the caller frees with ashi_dealloc; takes the object. Null when memory
 * ran out. */
char *ashi_jansson_dump(json_t *object, size_t flags);

/* The method as a JSON object, {"name": ..., field: value, ...}, freed likewise. Null when memory ran out. */
char *ashi_method_text(const ash_method *method);

#endif
