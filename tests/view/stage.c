/* The server runs on its own thread until the test is over; pages are plain sockets. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "stage.h"

static bool is_over(void *user)
{
    return atomic_load((atomic_bool *)user);
}

static void *serve(void *user)
{
    stage *s = user;
    view_server_run(s->server, is_over, &s->over);
    return NULL;
}

int set_stage(void **state)
{
    char message[256];
    stage *s = ashi_alloc_zeroed(sizeof *s);
    assert_null(view_gate_open(&s->gate, "127.0.0.1"));
    s->server = view_server_open(&s->gate, &s->session, message, sizeof message);
    assert_non_null(s->server);
    assert_int_not_equal(s->gate.port, 0);
    view_gate_host(&s->gate, s->host, sizeof s->host);
    snprintf(s->origin, sizeof s->origin, "http://%s", s->host);
    snprintf(s->path, sizeof s->path, "/%s/live", s->gate.token);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    *state = s;
    return 0;
}

int clear_stage(void **state)
{
    stage *s = *state;
    s->over = true;
    pthread_join(s->thread, NULL);
    view_server_close(s->server);
    ashi_dealloc(s);
    return 0;
}

void wait_for(atomic_uint *counter, unsigned least)
{
    struct timespec pause = {0, 1000000};
    double until = ashi_seconds() + STAGE_PATIENCE;
    while (*counter < least && ashi_seconds() < until)
        nanosleep(&pause, NULL);
    assert_true(*counter >= least);
}

client_knock right_knock(const stage *s)
{
    return (client_knock){s->path, s->host, s->origin, "ashlar-1"};
}

int enter(const stage *s)
{
    client_knock knock = right_knock(s);
    int page = client_connect(s->gate.port);
    assert_true(page >= 0);
    assert_true(client_open(page, &knock));
    static const int kinds[] = {CLIENT_TEXT, CLIENT_TEXT, CLIENT_BINARY};
    for (int i = 0; i < 3; i++) {
        client_message message = client_read(page, STAGE_PATIENCE);
        assert_int_equal(message.kind, kinds[i]);
        free(message.bytes);
    }
    return page;
}

void expect(int page, int kind, const char *text)
{
    client_message message = client_read(page, STAGE_PATIENCE);
    assert_int_equal(message.kind, kind);
    if (text != NULL)
        assert_string_equal((char *)message.bytes, text);
    free(message.bytes);
}

void expect_life(stage *s)
{
    int page = enter(s);
    assert_true(client_say(page, "echo: still there"));
    expect(page, CLIENT_TEXT, "echo: still there");
    assert_true(client_say(page, "{\"do\":\"ready\"}"));
    expect(page, CLIENT_BINARY, NULL);
    wait_for(&s->session.advances, s->session.advances + 2);
    client_close(page);
}
