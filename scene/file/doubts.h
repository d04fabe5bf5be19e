/* Values of a scene that are allowed but probably not intended: usually mixed-up units. */
#ifndef ASHI_SCENE_DOUBTS_H
#define ASHI_SCENE_DOUBTS_H

#include "scene/description/description.h"

/* Passes a warning of each kind to `take`: code, path, message and, for a scene that was read from a file, its place.
 * Of several values of one kind the first is named and the others are counted. `world` is the scene's world at time 0
 * and has its bodies in the scene's order; absent bodies are left out. */
void ashi_scene_doubts(const ash_scene *scene, const ash_world *world,
                       void (*take)(const ash_diagnostic *warning, void *user), void *user);

#endif
