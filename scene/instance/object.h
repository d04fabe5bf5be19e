/* Shared by building a world and by events: making one of the scene's bodies, and locating failures. */
#ifndef ASHI_SCENE_OBJECT_H
#define ASHI_SCENE_OBJECT_H

#include "scene/description/description.h"

/* Makes body number `number` of the scene in the world, out of the world's materials by number in the scene. */
ash_status ashi_instantiate_body(ash_world *world, const ash_material *materials, const ash_scene *scene,
                                 uint32_t number, ash_body *body, ash_diagnostic *diagnostic);

/* Puts "/section/number" before the diagnostic's path when the status is a failure; returns the status. */
ash_status ashi_at_object(ash_diagnostic *diagnostic, ash_status status, const char *section, uint32_t number);

#endif
