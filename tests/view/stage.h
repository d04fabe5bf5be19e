/* A server on a thread of its own, with a session that the test plays, and pages that know how to enter. */
#ifndef TESTS_VIEW_STAGE_H
#define TESTS_VIEW_STAGE_H

#include <pthread.h>

#include "app/viewer/server.h"
#include "client.h"
#include "played_session.h"

#define STAGE_PATIENCE 20.0 /* s: machines can be busy */

typedef struct stage {
    view_session session;
    view_gate gate;
    view_server *server;
    pthread_t thread;
    atomic_bool over;
    char host[64], origin[80], path[96];
} stage;

/* Set-up and tear-down of a test: the server listens at 127.0.0.1. */
int set_stage(void **state);
int clear_stage(void **state);

/* Waits until the counter is at least that. */
void wait_for(atomic_uint *counter, unsigned least);

/* What a browser with the right address sends. */
client_knock right_knock(const stage *s);

/* A page that has got its greeting. */
int enter(const stage *s);

/* The next message is of that kind, and, where there is a text, it is that. */
void expect(int page, int kind, const char *text);

/* The simulation goes on, and a new page is served by it. */
void expect_life(stage *s);

#endif
