/* Pairs of shapes that cannot collide: refused if one of them moves. */
#ifndef ASHI_WORLD_MEETING_CHECK_H
#define ASHI_WORLD_MEETING_CHECK_H

#include "model/forces.h"

/* The shapes of a body that is to be made. */
ash_status ashi_check_new_meetings(const ashi_model *model, const ash_body_def *def, const ash_shape_def *shapes,
                                   uint32_t count, ash_diagnostic *diagnostic);
/* Those of a body that is to become dynamic. */
ash_status ashi_check_released_meetings(const ashi_model *model, uint32_t slot, ash_diagnostic *diagnostic);

#endif
