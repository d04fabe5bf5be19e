/* The socket that the viewer listens at. */
#ifndef CLI_VIEW_LISTENER_H
#define CLI_VIEW_LISTENER_H

#include <stddef.h>

#include "app/viewer/gate.h"

/* Listens at the gate's address and port, and nowhere else; port 0 becomes a free one, written to the gate. The socket,
 * which does not block, or -1 with what is wrong in `message`. */
int view_listen(view_gate *gate, char *message, size_t message_size);

#endif
