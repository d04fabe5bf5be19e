/* The viewer's server: the page's files by HTTP, the session by WebSocket, on one address. */
#ifndef CLI_VIEW_SERVER_H
#define CLI_VIEW_SERVER_H

#include "app/viewer/gate.h"
#include "app/viewer/session.h"

typedef struct view_server view_server;

/* Listens at the gate's address and port; port 0 becomes a free one. Null, with what is wrong in `message`. The session
 * stays the caller's, who may touch it again after view_server_close. */
view_server *view_server_open(view_gate *gate, view_session *session, char *message, size_t message_size);

/* Serves until `is_over` says so, which is asked ten times a second. */
void view_server_run(view_server *server, bool (*is_over)(void *user), void *user);

void view_server_close(view_server *server);

#endif
