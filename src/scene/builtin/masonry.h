/* What the scenes of masonry and their experiments share. */
#ifndef ASHI_SCENE_BUILTIN_MASONRY_H
#define ASHI_SCENE_BUILTIN_MASONRY_H

#include "scene/builtin/parts.h"

ash_status ashi_validate_box_stack(ashi_validation *validation, ash_diagnostic *diagnostic);
ash_status ashi_validate_wall(ashi_validation *validation, ash_diagnostic *diagnostic);
ash_status ashi_validate_tower(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
