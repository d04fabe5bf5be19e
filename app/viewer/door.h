/* The door: connections wait behind it until they have shown the token. */
#ifndef CLI_VIEW_DOOR_H
#define CLI_VIEW_DOOR_H

#include <stddef.h>

#include "app/viewer/gate.h"

typedef struct view_door view_door;

/* Listens as view_listen does. A thread of its own calls `wake` when there is a guest: a
 * connection whose request has the token in its path. Null, with what is wrong in
 * `message`. */
view_door *view_door_open(view_gate *gate, void (*wake)(void *user), void *user, char *message, size_t message_size);

/* The socket of the next guest, which the caller closes, or -1. It does not block, and nothing was taken out of it. */
int view_door_next(view_door *door);

/* Ends the thread and closes all connections that were not taken. */
void view_door_close(view_door *door);

#endif
