/* Where the server listens, and that strangers cannot keep out those who know the token. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "app/viewer/assets.h"
#include "app/viewer/door.h"
#include "app/viewer/listener.h"
#include "base/clock.h"
#include "stage.h"

/* From here on: where it listens. */

/* Whether a socket of that inode is this program's: others may listen at the same port of other addresses. */
static bool is_ours(unsigned long inode)
{
    char wanted[64], path[64], link[64];
    snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
    for (int i = 0; i < 1024; i++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        ssize_t length = readlink(path, link, sizeof link - 1);
        if (length > 0 && (link[length] = '\0', strcmp(link, wanted) == 0))
            return true;
    }
    return false;
}

/* Appends the addresses, as the system writes them, at which this program listens on the port; a table that changes
 * while it is read may show one twice. */
static void add_listeners(const char *table, uint16_t port, char *found, size_t size)
{
    char line[512], address[64], state[8], entry[80];
    unsigned its_port;
    unsigned long inode;
    FILE *file = fopen(table, "r");
    if (file == NULL)
        return; /* a system without IPv6 */
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, " %*d: %63[0-9A-F]:%x %*s %7s %*s %*s %*s %*s %*s %lu", address, &its_port, state, &inode) !=
                4 ||
            its_port != port || strcmp(state, "0A") != 0 || !is_ours(inode))
            continue;
        snprintf(entry, sizeof entry, "%s ", address);
        if (strstr(found, entry) == NULL)
            snprintf(found + strlen(found), size - strlen(found), "%s", entry);
    }
    fclose(file);
}

/* What the system says, whatever the program thinks. */
static void expect_listeners(uint16_t port, const char *expected)
{
    char found[512] = "";
    add_listeners("/proc/net/tcp", port, found, sizeof found);
    add_listeners("/proc/net/tcp6", port, found, sizeof found);
    assert_string_equal(found, expected);
}

static void expect_refusal(const char *address, uint16_t port)
{
    int page = client_connect_to(address, port);
    if (page >= 0)
        fail_msg("%s was not refused", address);
}

static void test_the_server_listens_where_it_says(void **state)
{
    stage *s = *state;
    expect_listeners(s->gate.port, "0100007F ");
    expect_refusal("127.0.0.2", s->gate.port);
    expect_refusal("::1", s->gate.port);
    expect_life(s);
}

static void test_every_kind_of_address_is_bound_as_it_is(void **state)
{
    (void)state;
    static const struct {
        const char *address, *listeners, *open, *shut;
    } places[] = {
        {"localhost", "0100007F ", "127.0.0.1", "::1"},
        {"127.0.0.2", "0200007F ", "127.0.0.2", "127.0.0.1"},
        {"::ffff:127.0.0.1", "0100007F ", "127.0.0.1", "127.0.0.2"},
        {"0.0.0.0", "00000000 ", "127.0.0.2", "::1"},
        {"::1", "00000000000000000000000001000000 ", "::1", "127.0.0.1"},
        {"::", "00000000000000000000000000000000 ", "::1", "127.0.0.1"},
    };
    int trial = socket(AF_INET6, SOCK_STREAM, 0);
    bool has_v6 = trial >= 0 && access("/proc/net/if_inet6", R_OK) == 0;
    if (trial >= 0)
        close(trial);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        view_gate gate;
        char message[256] = "";
        assert_null(view_gate_open(&gate, places[i].address));
        if (strchr(gate.address, ':') != NULL && !has_v6)
            continue;
        int listener = view_listen(&gate, message, sizeof message);
        assert_string_equal(message, "");
        assert_true(listener >= 0);
        expect_listeners(gate.port, places[i].listeners);
        int page = client_connect_to(places[i].open, gate.port);
        assert_true(page >= 0);
        client_close(page);
        expect_refusal(places[i].shut, gate.port);
        close(listener);
    }
}

static void expect_failure(const char *address, uint16_t port, const char *expected)
{
    char message[256];
    view_gate gate;
    assert_null(view_gate_open(&gate, address));
    gate.port = port;
    assert_int_equal(view_listen(&gate, message, sizeof message), -1);
    assert_string_equal(message, expected);
}

static void test_why_it_cannot_listen_is_said(void **state)
{
    stage *s = *state;
    char expected[256], message[256];
    view_gate gate;
    snprintf(
        expected, sizeof expected,
        "cannot listen at 127.0.0.1, port %u: another program uses this port; choose another with --port, or 0 for "
        "a free one",
        (unsigned)s->gate.port);
    expect_failure("127.0.0.1", s->gate.port, expected);
    expect_failure("192.0.2.1", 0, "cannot listen at 192.0.2.1: this machine has no such address");
    expect_failure("192.0.2.1", 8080, "cannot listen at 192.0.2.1, port 8080: this machine has no such address");
    assert_null(view_gate_open(&gate, "127.0.0.1"));
    gate.port = s->gate.port;
    assert_null(view_server_open(&gate, &s->session, message, sizeof message));
    assert_string_equal(message, expected);
    expect_life(s);
}

/* From here on: strangers. */

enum { STRANGERS = 200 };

/* Connections that are opened again as soon as the server has closed them. */
typedef struct flood {
    const stage *stage;
    pthread_t thread;
    atomic_bool over;
    atomic_uint renewals;
    int sockets[STRANGERS];
    unsigned turn;
} flood;

/* What a stranger says at first; some say nothing. */
static const char *first_words(unsigned stranger)
{
    static const char *const words[] = {
        "",
        "",
        "G",
        "GET /",
        "GET /00000000000000000000000000000000/ HTTP/1.1\r\nHost: 127.0.0.1\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        ("GET /live HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ashlar-1\r\n\r\n"),
        "PRI * HTTP/2.0\r\n",
    };
    return words[stranger % (sizeof words / sizeof *words)];
}

static void come_again(flood *f, unsigned i)
{
    if (f->sockets[i] >= 0) {
        close(f->sockets[i]);
        f->renewals++;
    }
    f->sockets[i] = client_connect(f->stage->gate.port);
    if (f->sockets[i] >= 0) {
        fcntl(f->sockets[i], F_SETFL, O_NONBLOCK);
        client_write(f->sockets[i], first_words(i), strlen(first_words(i)));
    }
}

/* Some drip on, a byte at a time. */
static void *press(void *user)
{
    flood *f = user;
    struct pollfd wanted[STRANGERS];
    char bytes[1024];
    while (!f->over) {
        for (unsigned i = 0; i < STRANGERS; i++)
            wanted[i] = (struct pollfd){f->sockets[i], POLLIN, 0};
        poll(wanted, STRANGERS, 10);
        for (unsigned i = 0; i < STRANGERS; i++) {
            if (f->sockets[i] >= 0 && wanted[i].revents == 0) {
                if (i % 8 == 3 && f->turn % 16 == 0)
                    client_write(f->sockets[i], "a", 1);
                continue;
            }
            ssize_t count = f->sockets[i] >= 0 ? recv(f->sockets[i], bytes, sizeof bytes, 0) : 0;
            if (count == 0 || (count < 0 && errno != EAGAIN))
                come_again(f, i);
        }
        f->turn++;
    }
    return NULL;
}

static void start_flood(flood *f, const stage *s)
{
    *f = (flood){.stage = s};
    for (unsigned i = 0; i < STRANGERS; i++) {
        f->sockets[i] = -1;
        come_again(f, i);
    }
    assert_int_equal(pthread_create(&f->thread, NULL, press, f), 0);
    wait_for(&f->renewals, STRANGERS); /* all places are taken, and taken again */
}

static void stop_flood(flood *f)
{
    f->over = true;
    pthread_join(f->thread, NULL);
    for (unsigned i = 0; i < STRANGERS; i++)
        close(f->sockets[i]);
}

/* The whole file, as a browser would get it. */
static void fetch(const stage *s, const char *name)
{
    char head[4096], headers[128], path[64];
    view_asset asset;
    int page = client_connect(s->gate.port);
    assert_true(page >= 0);
    snprintf(headers, sizeof headers, "Host: %s\r\n", s->host);
    snprintf(path, sizeof path, "/%s/%s", s->gate.token, name);
    bool here = view_asset_find(name[0] == 0 ? "index.html" : name, &asset);
    assert_int_equal(client_request(page, "GET", path, headers, head, sizeof head), here ? 200 : 404);
    assert_true(!here || client_skip(page, asset.size, STAGE_PATIENCE));
    client_close(page);
}

static void test_who_knows_the_token_gets_in_through_a_flood(void **state)
{
    stage *s = *state;
    flood *f = malloc(sizeof *f);
    int early = enter(s);
    start_flood(f, s);
    for (int i = 0; i < 5; i++) {
        fetch(s, "");
        fetch(s, "page.js");
        fetch(s, "style.css");
        expect_life(s);
    }
    assert_true(client_say(early, "echo: not disturbed"));
    expect(early, CLIENT_TEXT, "echo: not disturbed");
    client_close(early);
    assert_int_equal(s->session.greeted, 6); /* and nobody else */
    stop_flood(f);
    free(f);
    expect_life(s);
}

/* Those who wait without a word are closed, also when nobody wants their place. */
static void test_silence_has_an_end(void **state)
{
    stage *s = *state;
    int silent = client_connect(s->gate.port), slow = client_connect(s->gate.port);
    assert_true(client_write(slow, "GET /", 5));
    assert_int_equal(client_read(silent, STAGE_PATIENCE).kind, -1);
    assert_int_equal(client_read(slow, STAGE_PATIENCE).kind, -1);
    client_close(silent);
    client_close(slow);
    expect_life(s);
}

/* The line with the token may come in any pieces. */
static void test_a_slow_friend_is_let_in(void **state)
{
    stage *s = *state;
    char text[512], answer[32];
    struct timespec pause = {0, 2000000};
    int page = client_connect(s->gate.port), length;
    length = snprintf(text, sizeof text, "GET /%s/none HTTP/1.1\r\nHost: %s\r\n\r\n", s->gate.token, s->host);
    for (int i = 0; i < length; i++) {
        assert_true(client_write(page, text + i, 1));
        nanosleep(&pause, NULL);
    }
    memset(answer, 0, sizeof answer);
    assert_int_equal(recv(page, answer, 12, MSG_WAITALL), 12);
    assert_string_equal(answer, "HTTP/1.1 404");
    client_close(page);
    expect_life(s);
}

/* A process without descriptors cannot accept; it must wait for better times. */
static void test_it_outlives_the_end_of_descriptors(void **state)
{
    stage *s = *state;
    int early = enter(s), sockets[512], count = 0, spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    small = limit;
    small.rlim_cur = (rlim_t)spare + 40;
    close(spare);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
    while (count < 512 && (sockets[count] = client_connect(s->gate.port)) >= 0)
        count++;
    unsigned advances = s->session.advances;
    wait_for(&s->session.advances, advances + 20);
    assert_true(count > 0 && count < 512);
    assert_true(client_say(early, "echo: not disturbed"));
    expect(early, CLIENT_TEXT, "echo: not disturbed");
    client_close(early);
    for (int i = 0; i < count; i++)
        client_close(sockets[i]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect_life(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_server_listens_where_it_says, set_stage, clear_stage),
        cmocka_unit_test(test_every_kind_of_address_is_bound_as_it_is),
        cmocka_unit_test_setup_teardown(test_why_it_cannot_listen_is_said, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_who_knows_the_token_gets_in_through_a_flood, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_silence_has_an_end, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_a_slow_friend_is_let_in, set_stage, clear_stage),
        cmocka_unit_test_setup_teardown(test_it_outlives_the_end_of_descriptors, set_stage, clear_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
