/* Locates objects in the file of a scene: for failures that appear only when the world is made, and for warnings. */
#ifndef ASHI_SCENE_SOURCE_H
#define ASHI_SCENE_SOURCE_H

#include "scene/description/description.h"

/* Copies the text and the file's name; false when memory ran out. */
bool ashi_source_keep(ashi_source *source, const char *text, size_t size, const char *label);

/* Records that the value at `path` of the scene is at `within` in a file; `within` must live as long as the source. */
bool ashi_source_note(ashi_source *source, const char *path, uint32_t file, const char *within);
/* After the last note, before the first search. */
void ashi_source_sort(ashi_source *source);
/* File, line and column of the value at the path, or of its key; the nearest one around it where there is no such. */
void ashi_source_find(const ashi_source *source, const char *path, bool key, ash_diagnostic *diagnostic);

/* Adds file, line and column to a failure whose path names an object of the scene. The path is made longer where the
 * message names a key of that object: "/joints/2" becomes "/joints/2/pitch" for "pitch is 0 m". Returns the status.
 * Nothing happens without a failure, and for scenes that were not read from a text. */
ash_status ashi_source_locate(const ash_scene *scene, ash_status status, ash_diagnostic *diagnostic);

/* Adds file, line and column by the path alone. */
void ashi_source_place(const ash_scene *scene, ash_diagnostic *diagnostic);

#endif
