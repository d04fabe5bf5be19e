/* The thread that owns the session. Pages are numbers here; whoever has their sockets calls this from its own thread,
 * and is never kept waiting for more than the copying of a pointer. */
#ifndef CLI_VIEW_ENGINE_H
#define CLI_VIEW_ENGINE_H

#include "app/viewer/mailbox.h"
#include "app/viewer/session.h"

enum {
    VIEW_PAGES_MOST = 64,
    VIEW_COMMANDS_MOST = 256,         /* of one page that wait */
    VIEW_MESSAGE_MOST = 16 << 20,     /* bytes to a page */
    VIEW_MAILBOX_MOST = 128 << 20,    /* bytes that wait for one page, frames aside */
    VIEW_COMMAND_SIZE_MOST = 64 << 10 /* bytes from a page */
};

typedef struct view_engine view_engine;

/* Starts the thread. `wake` is called by it whenever pages have mail. Null when there is no memory or no thread. The
 * session stays the caller's, who may touch it again after view_engine_stop. */
view_engine *view_engine_start(view_session *session, void (*wake)(void *user), void *user);
void view_engine_stop(view_engine *engine);

/* A new page, by a number that is never used again; 0 when there are VIEW_PAGES_MOST. It is greeted, and from the first
 * one on the scene runs. */
uint32_t view_engine_enter(view_engine *engine);
void view_engine_leave(view_engine *engine, uint32_t page);

typedef enum view_taken {
    VIEW_TAKEN,
    VIEW_BUSY, /* and no more, please: the page has as many waiting as it may */
    VIEW_FULL  /* not taken */
} view_taken;

/* What the page sent. {"do":"ready"} is for the engine: the page may get a frame again. */
view_taken view_engine_command(view_engine *engine, uint32_t page, const char *text, size_t size);
/* No more than half of the commands that may wait do. */
bool view_engine_has_room(view_engine *engine, uint32_t page);

/* The page's next message, which the caller releases: its mail in order, then, if it is ready, the newest frames. Null
 * when there is none now. *lost: it has not taken its mail for so long that it cannot be served. */
view_mail *view_engine_next(view_engine *engine, uint32_t page, bool *lost);

#endif
