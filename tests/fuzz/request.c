/* Requests to the viewer's server, and WebSocket messages after them: an input is what a client sends on one
 * connection. The server is the real one, on the loopback interface, with a token that inputs can hold; the session
 * behind it is played by tests/view. Without the token nothing but a refusal may come back, and the server lives on. */
#define _GNU_SOURCE /* memmem */
#include "target.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../view/client.h"
#include "../view/played_session.h"
#include "app/viewer/server.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define PORT  "8080" /* of the Host and Origin that inputs hold; the true one is put in their place */
enum { ANSWER_MOST = 1 << 20 };

static view_session session;
static view_gate gate;
static view_server *server;
static pthread_t thread;
static atomic_bool over;

static bool is_over(void *user)
{
    (void)user;
    return over;
}

static void *serve(void *user)
{
    (void)user;
    view_server_run(server, is_over, NULL);
    return NULL;
}

static void stop_server(void)
{
    over = true;
    pthread_join(thread, NULL);
    view_server_close(server);
}

static void start_server(void)
{
    char message[256];
    CHECK(view_gate_open(&gate, "127.0.0.1") == NULL);
    memcpy(gate.token, TOKEN, sizeof gate.token);
    server = view_server_open(&gate, &session, message, sizeof message);
    CHECK(server != NULL && pthread_create(&thread, NULL, serve, NULL) == 0);
    atexit(stop_server);
}

/* Puts the server's port in the place of PORT, which has the same length or is longer by a digit. Returns the size. */
static size_t set_port(const uint8_t *bytes, size_t size, char *request)
{
    static const char from[] = ":" PORT;
    size_t length = 0;
    for (size_t i = 0; i < size;) {
        if (size - i >= sizeof from - 1 && memcmp(bytes + i, from, sizeof from - 1) == 0) {
            length += (size_t)sprintf(request + length, ":%u", (unsigned)gate.port);
            i += sizeof from - 1;
        } else {
            request[length++] = (char)bytes[i++];
        }
    }
    return length;
}

/* Reads to the end of the connection; the beginning is kept. */
static void read_answer(int socket, char *start, size_t room)
{
    char bytes[65536];
    size_t kept = 0, all = 0;
    ssize_t count;
    while (all < ANSWER_MOST && (count = recv(socket, bytes, sizeof bytes, 0)) > 0) {
        all += (size_t)count;
        size_t more = (size_t)count < room - 1 - kept ? (size_t)count : room - 1 - kept;
        memcpy(start + kept, bytes, more);
        kept += more;
    }
    start[kept] = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (server == NULL)
        start_server();
    char *request = malloc(2 * size + 8), start[64];
    CHECK(request != NULL);
    size_t length = set_port(bytes, size, request);
    int socket = client_connect(gate.port);
    CHECK(socket >= 0);
    const struct linger at_once = {1, 0}; /* a closed connection gives its port back */
    const struct timeval patience = {5, 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    client_write(socket, request, length);
    shutdown(socket, SHUT_WR);
    read_answer(socket, start, sizeof start);
    close(socket);
    CHECK(start[0] == 0 || memcmp(start, "HTTP/1.", 7) == 0);
    if (memmem(request, length, TOKEN, sizeof TOKEN - 1) == NULL)
        CHECK(start[0] == 0 || memcmp(start + 8, " 403", 4) == 0);
    free(request);
    return 0;
}
