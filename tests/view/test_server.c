/* The server under clients of every kind, with a session that the test plays. Whatever one of them does, the simulation
 * goes on and the others are served: each test ends by asking for both. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "app/viewer/assets.h"
#include "app/viewer/engine.h"
#include "stage.h"

/* Reads on until the server has hung up; what its last words were, or 0. */
static int closing_status(int page)
{
    int status = 0;
    for (;;) {
        client_message message = client_read(page, STAGE_PATIENCE);
        if (message.kind == CLIENT_CLOSE && message.size >= 2)
            status = message.bytes[0] << 8 | message.bytes[1];
        free(message.bytes);
        assert_int_not_equal(message.kind, 0); /* it must not stay open */
        if (message.kind < 0 || message.kind == CLIENT_CLOSE)
            return status;
    }
}

static void test_only_the_right_knock_opens(void **state)
{
    stage *s = *state;
    char near_path[96], longer[96], elsewhere[96], as_argument[96], other_host[64], other_origin[80];
    snprintf(near_path, sizeof near_path, "%s", s->path);
    near_path[32] = near_path[32] == '0' ? '1' : '0'; /* the last digit of the token */
    snprintf(longer, sizeof longer, "/%s0/live", s->gate.token);
    snprintf(elsewhere, sizeof elsewhere, "/%s/other", s->gate.token);
    snprintf(as_argument, sizeof as_argument, "/live?token=%s", s->gate.token);
    snprintf(other_host, sizeof other_host, "rebound.example:%u", (unsigned)s->gate.port);
    snprintf(other_origin, sizeof other_origin, "http://%s", other_host);
    client_knock wrong[] = {
        {near_path, s->host, s->origin, "ashlar-1"},
        {longer, s->host, s->origin, "ashlar-1"},
        {"/live", s->host, s->origin, "ashlar-1"},
        {"//live", s->host, s->origin, "ashlar-1"},
        {as_argument, s->host, s->origin, "ashlar-1"},
        {s->path, s->host, "http://example.com", "ashlar-1"},
        {s->path, s->host, "null", "ashlar-1"},
        {s->path, s->host, NULL, "ashlar-1"},
        {s->path, other_host, other_origin, "ashlar-1"},
        {s->path, "127.0.0.1:1", "http://127.0.0.1:1", "ashlar-1"},
        {s->path, s->host, s->origin, NULL},
        {s->path, s->host, s->origin, "ashlar-2"},
        {elsewhere, s->host, s->origin, "ashlar-1"},
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

/* A request for a path, which follows the token where that is given. */
static int get(const stage *s, const char *method, const char *token, const char *path, const char *host, char *head,
               size_t size)
{
    char headers[256], whole[128];
    int page = client_connect(s->gate.port);
    snprintf(headers, sizeof headers, "Host: %s\r\n", host);
    snprintf(whole, sizeof whole, token != NULL ? "/%s%s" : "%s%s", token != NULL ? token : "", path);
    int status = client_request(page, method, whole, headers, head, size);
    client_close(page);
    return status;
}

static void test_files_need_the_token_and_the_right_host(void **state)
{
    stage *s = *state;
    char head[4096], elsewhere[64];
    const char *token = s->gate.token;
    snprintf(elsewhere, sizeof elsewhere, "rebound.example:%u", (unsigned)s->gate.port);
    assert_int_equal(get(s, "GET", NULL, "/", s->host, head, sizeof head), 403);
    assert_non_null(strstr(head, "connection: close"));
    assert_int_equal(get(s, "GET", NULL, "/page.js", s->host, head, sizeof head), 403);
    assert_int_equal(get(s, "GET", "00000000000000000000000000000000", "/", s->host, head, sizeof head), 403);
    assert_int_equal(get(s, "GET", token, "/", elsewhere, head, sizeof head), 403);
    assert_int_equal(get(s, "GET", token, "/no-such-file", s->host, head, sizeof head), 404);
    int upwards = get(s, "GET", token, "/../../../../etc/passwd", s->host, head, sizeof head);
    assert_true(upwards == 403 || upwards == 404);
    int with_body = get(s, "POST", token, "/", s->host, head, sizeof head);
    assert_true(with_body == 405 || with_body == 0);
    if (view_assets_missing() == NULL) {
        assert_int_equal(get(s, "GET", token, "/", s->host, head, sizeof head), 200);
        assert_non_null(strstr(head, "content-security-policy: default-src 'none'; script-src 'self';"));
        assert_non_null(strstr(head, "x-content-type-options: nosniff"));
        assert_non_null(strstr(head, "text/html"));
        assert_int_equal(get(s, "GET", token, "/page.js?a=b", s->host, head, sizeof head), 200);
        assert_non_null(strstr(head, "text/javascript"));
    }
    expect_life(s);
}

/* The token counts in every request, also in later ones of a connection that has shown it. */
static void test_a_connection_that_is_kept_shows_the_token_again(void **state)
{
    stage *s = *state;
    char head[4096], headers[128], path[64];
    snprintf(headers, sizeof headers, "Host: %s\r\n", s->host);
    snprintf(path, sizeof path, "/%s/page.js", s->gate.token);
    if (view_assets_missing() != NULL)
        skip();
    int page = client_connect(s->gate.port);
    assert_int_equal(client_request(page, "GET", path, headers, head, sizeof head), 200);
    size_t rest = strtoul(strstr(head, "content-length: ") + strlen("content-length: "), NULL, 10);
    assert_true(rest > 0 && client_skip(page, rest, STAGE_PATIENCE));
    assert_int_equal(client_request(page, "GET", "/page.js", headers, head, sizeof head), 403);
    client_close(page);
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
        client_message frame = client_read(page, STAGE_PATIENCE);
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
        client_message letter = client_read(quick, STAGE_PATIENCE);
        assert_int_equal(letter.kind, CLIENT_TEXT);
        assert_int_equal(letter.size, PLAYED_LETTER);
        free(letter.bytes);
        if (s->session.left > 0)
            break;
    }
    /* It notices when it reads at last: its letters end before there were as many as were sent. */
    unsigned letters = 0;
    client_message letter = client_read(slow, STAGE_PATIENCE);
    for (; letter.kind == CLIENT_TEXT; letter = client_read(slow, STAGE_PATIENCE)) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_only_the_right_knock_opens, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_files_need_the_token_and_the_right_host, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_a_connection_that_is_kept_shows_the_token_again, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_one_frame_is_in_flight, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_messages_in_pieces_are_put_together, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_rubbish_is_answered_or_closed, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_oversized_messages_are_refused, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_pages_may_go_in_the_middle, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_a_page_that_reads_nothing_is_given_up, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_more_commands_than_may_wait_are_obeyed_all_the_same, set_stage,
                                        clear_stage),
        cmocka_unit_test_setup_teardown(test_many_pages_and_one_too_many, set_stage, clear_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
