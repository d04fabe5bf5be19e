/* Where in a JSON text a value is: a chain from the value up to the whole text, kept on the stack of the reader. */
#ifndef ASHI_SCENE_PLACE_H
#define ASHI_SCENE_PLACE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct ashi_place {
    const struct ashi_place *parent; /* null: the whole text */
    const char *key;                 /* in an object; null: `index` in an array */
    size_t index;
    json_t *value; /* borrowed; null when the object has no such key */
} ashi_place;

ashi_place ashi_at_key(const ashi_place *object, const char *key);
ashi_place ashi_at_index(const ashi_place *array, size_t index);

#define ASHI_LONGEST_PATH 1024 /* of paths that are only used to find something */

/* Writes the place as a JSON path such as "/bodies/3/mass" ('/' and '~' in keys become "~1" and "~0") into `text`. */
void ashi_place_path(const ashi_place *place, char *text, size_t size);

/* Finds the value in the text it was read from, or its key when `key` is set: line and column (in characters) from 1. A
 * missing value has the place of the object in which it is missing. False when the text is not the one that was
 * read. */
bool ashi_locate(const char *text, size_t size, const ashi_place *place, bool key, int *line, int *column);

/* The same by a JSON path, without the parsed value. If the path leads nowhere: the last value along it. */
bool ashi_locate_path(const char *text, size_t size, const char *path, bool key, int *line, int *column);
bool ashi_path_exists(const char *text, size_t size, const char *path);

#endif
