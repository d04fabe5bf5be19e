/* What people look at: a scene that runs, two of it side by side under two methods, or a recording. It takes commands
 * as text and gives messages as bytes (docs/viewer-wire.md has both). It knows no network and no threads: who calls it
 * owns it. */
#ifndef CLI_VIEW_SESSION_H
#define CLI_VIEW_SESSION_H

#include "app/cli/choice.h"

typedef struct view_session view_session;

/* What is to be seen at first. */
typedef struct view_subject {
    const char *name; /* of a built-in scene, a scene file, a recording, or its directory */
    cli_choice choice;
    const char *other; /* a second method, to compare with; null: none */
    uint32_t threads;
    bool paused;
    size_t longest_command; /* bytes of a command at most; 0: 64 kB */
} view_subject;

/* Where messages go. Text is JSON; the rest is binary. The bytes are the session's, until the function returns. */
typedef struct view_sink {
    void (*send)(const void *bytes, size_t size, bool is_text, void *user);
    void *user;
} view_sink;

/* Opens it. On failure an error is printed, and the exit status is returned. */
int view_session_open(const view_subject *subject, view_session **session);
void view_session_close(view_session *session);

/* What a page needs first: hello, surfaces, scene, the present frame. */
ash_status view_session_greet(view_session *session, view_sink sink);

/* Obeys a command of page number `client`. What only that page must know goes to `answer`: errors, exported scenes;
 * what changed for everybody to `everybody`: surfaces and a scene. Rubbish is answered by an error. */
void view_session_obey(view_session *session, uint32_t client, const char *text, size_t size, view_sink answer,
                       view_sink everybody);
/* That page is gone: it no longer holds anything. */
void view_session_leave(view_session *session, uint32_t client);

/* Goes on for `seconds` of wall time, as fast as the speed says, but works no longer than about that. Messages for
 * everybody (a run that ended, a scene changed by its events) go to the sink. True when there is a new frame. */
bool view_session_advance(view_session *session, double seconds, view_sink everybody);

/* The present state: a frame of each world, and the marks of the layers that pages asked for. */
void view_session_frame(view_session *session, view_sink sink);

#endif
