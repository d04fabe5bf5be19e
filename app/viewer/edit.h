/* What the commands that change a scene's objects share. */
#ifndef CLI_VIEW_EDIT_H
#define CLI_VIEW_EDIT_H

#include "app/viewer/commands.h"

/* Refuses to add more when much was added already; true when it did. */
bool view_is_full(view_order *order);
/* Takes back what could not be added to the description for want of memory, and refuses. */
bool view_undo_adding(view_order *order, const view_base *before);
/* One more handle, null, in one of an instance's arrays of `count`. */
bool view_extend_handles(void *array, uint32_t count);
/* After a change: a new scene for everybody. */
bool view_edited(view_order *order);

#endif
