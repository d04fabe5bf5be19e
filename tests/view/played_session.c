/* It stands in place of app/viewer/session.c: this program's own functions come before those of the archive. */
#define _POSIX_C_SOURCE 200809L
#include "played_session.h"

#include <string.h>
#include <time.h>

#include "app/viewer/engine.h"
#include "base/alloc.h"

static void say(view_sink sink, const char *text)
{
    sink.send(text, strlen(text), true, sink.user);
}

/* Many bytes, all the same. */
static void send_bulk(view_sink sink, size_t size, bool is_text)
{
    char *bytes = ashi_alloc(size);
    memset(bytes, is_text ? ' ' : 2, size);
    sink.send(bytes, size, is_text, sink.user);
    ashi_dealloc(bytes);
}

ash_status view_session_greet(view_session *session, view_sink sink)
{
    session->greeted++;
    say(sink, "{\"type\":\"hello\"}");
    say(sink, "{\"type\":\"scene\"}");
    send_bulk(sink, PLAYED_FRAME_SIZE, false);
    return ASH_OK;
}

void view_session_obey(view_session *session, uint32_t client, const char *text, size_t size, view_sink answer,
                       view_sink everybody)
{
    (void)client;
    session->obeyed++;
    if (size >= 4 && memcmp(text, "echo", 4) == 0) {
        answer.send(text, size, true, answer.user);
    } else if (size == 6 && memcmp(text, "letter", 6) == 0) {
        send_bulk(everybody, PLAYED_LETTER, true);
    } else if (size == 4 && memcmp(text, "vast", 4) == 0) {
        send_bulk(answer, VIEW_MESSAGE_MOST + 1, true);
    } else if (size == 4 && memcmp(text, "slow", 4) == 0) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    } else {
        say(answer, "{\"type\":\"error\"}");
    }
}

void view_session_leave(view_session *session, uint32_t client)
{
    (void)client;
    session->left++;
}

bool view_session_advance(view_session *session, double seconds, view_sink everybody)
{
    (void)seconds, (void)everybody;
    session->advances++;
    return true;
}

void view_session_frame(view_session *session, view_sink sink)
{
    session->frames++;
    send_bulk(sink, PLAYED_FRAME_SIZE, false);
}
