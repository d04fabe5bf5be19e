/* The server under clients of every kind, with a session that the test plays. Whatever one of them does, the simulation
 * goes on and the others are served: each test ends by asking for both. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "client.h"
#include "played_session.h"
#include "view/assets.h"
#include "view/engine.h"
#include "view/server.h"

static const double patience = 20; /* s: machines can be busy */

typedef struct stage {
    view_session session;
    view_gate gate;
    view_server *server;
    pthread_t thread;
    atomic_bool over;
    char host[64], origin[80], path[96];
} stage;

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

static int set_stage(void **state)
{
    char message[256];
    stage *s = ashi_alloc_zeroed(sizeof *s);
    assert_null(view_gate_open(&s->gate, "127.0.0.1"));
    s->server = view_server_open(&s->gate, &s->session, message, sizeof message);
    assert_non_null(s->server);
    assert_int_not_equal(s->gate.port, 0);
    view_gate_host(&s->gate, s->host, sizeof s->host);
    snprintf(s->origin, sizeof s->origin, "http://%s", s->host);
    snprintf(s->path, sizeof s->path, "/live?token=%s", s->gate.token);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    *state = s;
    return 0;
}

static int clear_stage(void **state)
{
    stage *s = *state;
    s->over = true;
    pthread_join(s->thread, NULL);
    view_server_close(s->server);
    ashi_free(s);
    return 0;
}

/* Waits until the counter is at least that. */
static void wait_for(atomic_uint *counter, unsigned least)
{
    struct timespec pause = {0, 1000000};
    double until = ashi_seconds() + patience;
    while (*counter < least && ashi_seconds() < until)
        nanosleep(&pause, NULL);
    assert_true(*counter >= least);
}

static client_knock right_knock(const stage *s)
{
    return (client_knock){s->path, s->host, s->origin, "ashlar-1"};
}

/* A page that has got its greeting. */
static int enter(const stage *s)
{
    client_knock knock = right_knock(s);
    int page = client_connect(s->gate.port);
    assert_true(page >= 0);
    assert_true(client_open(page, &knock));
    static const int kinds[] = {CLIENT_TEXT, CLIENT_TEXT, CLIENT_BINARY};
    for (int i = 0; i < 3; i++) {
        client_message message = client_read(page, patience);
        assert_int_equal(message.kind, kinds[i]);
        free(message.bytes);
    }
    return page;
}

/* The next message is of that kind, and, where there is a text, it is that. */
static void expect(int page, int kind, const char *text)
{
    client_message message = client_read(page, patience);
    assert_int_equal(message.kind, kind);
    if (text != NULL)
        assert_string_equal((char *)message.bytes, text);
    free(message.bytes);
}

/* Reads on until the server has hung up; what its last words were, or 0. */
static int closing_status(int page)
{
    int status = 0;
    for (;;) {
        client_message message = client_read(page, patience);
        if (message.kind == CLIENT_CLOSE && message.size >= 2)
            status = message.bytes[0] << 8 | message.bytes[1];
        free(message.bytes);
        assert_int_not_equal(message.kind, 0); /* it must not stay open */
        if (message.kind < 0 || message.kind == CLIENT_CLOSE)
            return status;
    }
}

/* The simulation goes on, and a new page is served by it. */
static void expect_life(stage *s)
{
    int page = enter(s);
    assert_true(client_say(page, "echo: still there"));
    expect(page, CLIENT_TEXT, "echo: still there");
    assert_true(client_say(page, "{\"do\":\"ready\"}"));
    expect(page, CLIENT_BINARY, NULL);
    wait_for(&s->session.advances, s->session.advances + 2);
    client_close(page);
}

static void test_only_the_right_knock_opens(void **state)
{
    stage *s = *state;
    char near_path[96], other_host[64], other_origin[80];
    snprintf(near_path, sizeof near_path, "%s", s->path);
    char *last = near_path + strlen(near_path) - 1;
    *last = *last == '0' ? '1' : '0';
    snprintf(other_host, sizeof other_host, "rebound.example:%u", (unsigned)s->gate.port);
    snprintf(other_origin, sizeof other_origin, "http://%s", other_host);
    client_knock wrong[] = {
        {near_path, s->host, s->origin, "ashlar-1"},
        {"/live", s->host, s->origin, "ashlar-1"},
        {"/live?token=", s->host, s->origin, "ashlar-1"},
        {s->path, s->host, "http://example.com", "ashlar-1"},
        {s->path, s->host, "null", "ashlar-1"},
        {s->path, s->host, NULL, "ashlar-1"},
        {s->path, other_host, other_origin, "ashlar-1"},
        {s->path, "127.0.0.1:1", "http://127.0.0.1:1", "ashlar-1"},
        {s->path, s->host, s->origin, NULL},
        {s->path, s->host, s->origin, "ashlar-2"},
        {s->path + strlen("/live"), s->host, s->origin, "ashlar-1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int page = client_connect(s->gate.port);
        assert_true(page >= 0);
        assert_false(client_open(page, &wrong[i]));
        client_close(page);
    }
    assert_int_equal(s->session.greeted, 0);
    expect_life(s);
}

static int get(const stage *s, const char *method, const char *path, const char *host, char *head, size_t size)
{
    char headers[256];
    int page = client_connect(s->gate.port);
    snprintf(headers, sizeof headers, "Host: %s\r\n", host);
    int status = client_request(page, method, path, headers, head, size);
    client_close(page);
    return status;
}

static void test_files_are_served_to_the_right_host_only(void **state)
{
    stage *s = *state;
    char head[4096], elsewhere[64];
    snprintf(elsewhere, sizeof elsewhere, "rebound.example:%u", (unsigned)s->gate.port);
    assert_int_equal(get(s, "GET", "/", elsewhere, head, sizeof head), 403);
    assert_int_equal(get(s, "GET", "/no-such-file", s->host, head, sizeof head), 404);
    assert_int_equal(get(s, "GET", "/../../../../etc/passwd", s->host, head, sizeof head), 404);
    int with_body = get(s, "POST", "/", s->host, head, sizeof head);
    assert_true(with_body == 405 || with_body == 0);
    if (view_assets_missing() == NULL) {
        assert_int_equal(get(s, "GET", "/", s->host, head, sizeof head), 200);
        assert_non_null(strstr(head, "content-security-policy: default-src 'none'; script-src 'self';"));
        assert_non_null(strstr(head, "x-content-type-options: nosniff"));
        assert_non_null(strstr(head, "text/html"));
        assert_int_equal(get(s, "GET", "/page.js?a=b", s->host, head, sizeof head), 200);
        assert_non_null(strstr(head, "text/javascript"));
    }
    expect_life(s);
}

static void test_one_frame_is_in_flight(void **state)
{
    stage *s = *state;
    int page = enter(s);
    /* Not ready: however far the simulation goes, nothing comes, and no frame is made. */
    wait_for(&s->session.advances, s->session.advances + 5);
    client_message none = client_read(page, 0.1);
    assert_int_equal(none.kind, 0);
    assert_int_equal(s->session.frames, 0);
    for (int i = 0; i < 5; i++) {
        assert_true(client_say(page, "{ \"do\" : \"ready\" }"));
        client_message frame = client_read(page, patience);
        assert_int_equal(frame.kind, CLIENT_BINARY);
        assert_int_equal(frame.size, PLAYED_FRAME_SIZE);
        free(frame.bytes);
        none = client_read(page, 0.05);
        assert_int_equal(none.kind, 0);
    }
    client_close(page);
    wait_for(&s->session.left, 1);
}

static void test_messages_in_pieces_are_put_together(void **state)
{
    stage *s = *state;
    int page = enter(s);
    static char text[VIEW_COMMAND_SIZE_MOST + 1];
    memset(text, 'a', sizeof text - 1);
    memcpy(text, "echo", 4);
    assert_true(client_send(page, CLIENT_TEXT, false, text, 1000));
    assert_true(client_send(page, CLIENT_CONTINUATION, false, text + 1000, 30000));
    assert_true(client_send(page, CLIENT_CONTINUATION, true, text + 31000, sizeof text - 1 - 31000));
    expect(page, CLIENT_TEXT, text);
    /* More than a piece of the server's, back and forth. */
    assert_true(client_send(page, CLIENT_TEXT, true, text, sizeof text - 1));
    expect(page, CLIENT_TEXT, text);
    client_close(page);
}

static void test_rubbish_is_answered_or_closed(void **state)
{
    stage *s = *state;
    int page = enter(s);
    assert_true(client_say(page, ""));
    expect(page, CLIENT_TEXT, "{\"type\":\"error\"}");
    assert_true(client_say(page, "\x01\x02 {{{{ \xff\xfe"));
    expect(page, CLIENT_TEXT, "{\"type\":\"error\"}");
    assert_true(client_send(page, CLIENT_BINARY, true, "abc", 3));
    assert_int_equal(closing_status(page), 1003);
    client_close(page);

    static const unsigned char unmasked[] = {0x81, 0x02, 'h', 'i'};
    page = enter(s);
    assert_true(client_write(page, unmasked, sizeof unmasked));
    expect(page, CLIENT_TEXT, "{\"type\":\"error\"}"); /* the library takes it as it is */
    client_close(page);

    static const unsigned char reserved[] = {0x83, 0x80, 1, 2, 3, 4}, extended[] = {0xf1, 0x80, 1, 2, 3, 4},
                               long_ping[] = {0x89, 0xfe, 0xff, 0xff, 1, 2, 3, 4};
    static const struct {
        const unsigned char *bytes;
        size_t size;
    } bad[] = {{reserved, sizeof reserved}, {extended, sizeof extended}, {long_ping, sizeof long_ping}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        page = enter(s);
        assert_true(client_write(page, bad[i].bytes, bad[i].size));
        closing_status(page);
        client_close(page);
    }
    page = client_connect(s->gate.port);
    for (int i = 0; i < 3000 && client_write(page, "\x16\x03\x01 no request at all \r\n", 24); i++)
        continue;
    client_close(page);
    expect_life(s);
}

static void test_oversized_messages_are_refused(void **state)
{
    stage *s = *state;
    static char text[VIEW_COMMAND_SIZE_MOST + 1];
    memset(text, 'a', sizeof text);
    int page = enter(s);
    client_send(page, CLIENT_TEXT, true, text, sizeof text);
    assert_int_equal(closing_status(page), 1009);
    client_close(page);
    page = enter(s); /* the same in pieces */
    for (int i = 0; i < 8; i++)
        client_send(page, i == 0 ? CLIENT_TEXT : CLIENT_CONTINUATION, false, text, 10000);
    assert_int_equal(closing_status(page), 1009);
    client_close(page);
    page = enter(s); /* promised only, then some of it */
    client_promise(page, CLIENT_TEXT, (uint64_t)1 << 40);
    client_write(page, text, sizeof text);
    client_write(page, text, sizeof text);
    assert_int_equal(closing_status(page), 1009);
    client_close(page);
    assert_int_equal(s->session.obeyed, 0);
    /* And the other way: what is too large for a page is left out. */
    page = enter(s);
    assert_true(client_say(page, "vast"));
    expect(page, CLIENT_TEXT, "{\"type\":\"note\",\"message\":\"a message of more than 16 MB was left out\"}");
    client_close(page);
    expect_life(s);
}

static void test_pages_may_go_in_the_middle(void **state)
{
    stage *s = *state;
    unsigned left = 0, letters = 0;
    for (int i = 0; i < 10; i++) {
        int page = enter(s);
        switch (i % 5) {
        case 0: /* of a frame's payload */
            client_promise(page, CLIENT_TEXT, 1000);
            client_write(page, "half", 4);
            break;
        case 1: /* of a frame's head */
            client_write(page, "\x81", 1);
            break;
        case 2: /* of a message in pieces */
            client_send(page, CLIENT_TEXT, false, "echo", 4);
            break;
        case 3: /* of what it gets */
            client_say(page, "letter");
            wait_for(&s->session.obeyed, ++letters);
            break;
        default: /* of a frame that it asked for */
            client_say(page, "{\"do\":\"ready\"}");
            break;
        }
        client_close(page);
        wait_for(&s->session.left, ++left);
    }
    expect_life(s);
}

static void test_a_page_that_reads_nothing_is_given_up(void **state)
{
    stage *s = *state;
    int slow = enter(s), quick = enter(s);
    enum { LETTERS = (VIEW_MAILBOX_MOST / PLAYED_LETTER) + 32 }; /* sockets hold some, too */
    for (int i = 0; i < LETTERS; i++) {
        assert_true(client_say(quick, "letter"));
        client_message letter = client_read(quick, patience);
        assert_int_equal(letter.kind, CLIENT_TEXT);
        assert_int_equal(letter.size, PLAYED_LETTER);
        free(letter.bytes);
        if (s->session.left > 0)
            break;
    }
    /* It notices when it reads at last: its letters end before there were as many as were sent. */
    unsigned letters = 0;
    client_message letter = client_read(slow, patience);
    for (; letter.kind == CLIENT_TEXT; letter = client_read(slow, patience)) {
        letters++;
        free(letter.bytes);
    }
    free(letter.bytes);
    assert_true(letter.kind == CLIENT_CLOSE || letter.kind < 0);
    assert_true(letters < LETTERS);
    client_close(slow);
    wait_for(&s->session.left, 1);
    client_close(quick);
    expect_life(s);
}

static void test_more_commands_than_may_wait_are_obeyed_all_the_same(void **state)
{
    stage *s = *state;
    enum { COMMANDS = 2 * VIEW_COMMANDS_MOST };
    int page = enter(s);
    for (int i = 0; i < COMMANDS; i++)
        assert_true(client_say(page, "slow"));
    assert_true(client_say(page, "echo: last"));
    unsigned advances = s->session.advances;
    expect(page, CLIENT_TEXT, "echo: last");
    assert_int_equal(s->session.obeyed, COMMANDS + 1);
    assert_true(s->session.advances > advances); /* meanwhile */
    client_close(page);
}

static void test_many_pages_and_one_too_many(void **state)
{
    stage *s = *state;
    int pages[VIEW_PAGES_MOST];
    for (int i = 0; i < VIEW_PAGES_MOST; i++)
        pages[i] = enter(s);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < VIEW_PAGES_MOST; i++) {
            assert_true(client_say(pages[i], "{\"do\":\"ready\"}"));
            if (i % 2 == round % 2)
                expect(pages[i], CLIENT_BINARY, NULL);
            else if (round > 0)
                expect(pages[i], CLIENT_BINARY, NULL);
        }
    client_knock knock = right_knock(s);
    int late = client_connect(s->gate.port);
    assert_true(client_open(late, &knock));
    assert_int_equal(closing_status(late), 1008);
    client_close(late);
    assert_int_equal(s->session.greeted, VIEW_PAGES_MOST);
    for (int i = 0; i < VIEW_PAGES_MOST; i++)
        client_close(pages[i]);
    wait_for(&s->session.left, VIEW_PAGES_MOST);
    expect_life(s);
}

static void test_a_port_in_use_is_named(void **state)
{
    stage *s = *state;
    char message[256], expected[128];
    view_gate gate;
    assert_null(view_gate_open(&gate, "127.0.0.1"));
    gate.port = s->gate.port;
    assert_null(view_server_open(&gate, &s->session, message, sizeof message));
    snprintf(expected, sizeof expected, "cannot listen at 127.0.0.1, port %u: Address already in use",
             (unsigned)gate.port);
    assert_string_equal(message, expected);
    expect_life(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_only_the_right_knock_opens, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_files_are_served_to_the_right_host_only, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_one_frame_is_in_flight, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_messages_in_pieces_are_put_together, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_rubbish_is_answered_or_closed, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_oversized_messages_are_refused, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_pages_may_go_in_the_middle, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_a_page_that_reads_nothing_is_given_up, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_more_commands_than_may_wait_are_obeyed_all_the_same, set_stage,
                                        clear_stage),
        cmocka_unit_test_setup_teardown(test_many_pages_and_one_too_many, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_a_port_in_use_is_named, set_stage, clear_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
