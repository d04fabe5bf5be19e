/* HTTP and WebSockets, by libwebsockets, on the thread that calls view_server_run; the engine has its own (engine.h),
 * and so has the door (door.h), which passes on only connections that have shown the token.
 *
 * Every request must have the token in its path and name this server as its Host; a WebSocket must also come from a
 * page of this server. Messages go out in pieces, so that a page that reads slowly holds back nothing but the one piece
 * that the library keeps for it. A page that sends what it must not is closed; the others do not notice. */
#define _POSIX_C_SOURCE 200809L
#include "app/viewer/server.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/viewer/assets.h"
#include "app/viewer/door.h"
#include "app/viewer/engine.h"

enum {
    PIECE = 64 << 10,        /* bytes that are handed to the library at once */
    SOCKETS_MOST = 128,      /* of those who know the token: pages, and requests for files */
    SECONDS_TO_REQUEST = 10, /* for the head of a request */
    SECONDS_IDLE = 20,       /* until a page is asked whether it is there */
    SECONDS_GONE = 30,       /* until it is given up */
    MICROSECONDS_BETWEEN_LOOKS = 100000
};

/* How a page asks for the WebSocket, after the token. */
static const char live_path[] = "live", live_protocol[] = "ashlar-1";

struct view_server {
    const view_gate *gate;
    struct lws_context *context;
    struct lws_vhost *host;
    view_door *door;
    view_engine *engine;
    uint32_t sockets;
    bool (*is_over)(void *user);
    void *user;
    bool over;
    struct lws_protocols protocols[3];
    lws_retry_bo_t patience;
    unsigned char piece[LWS_PRE + PIECE];
};

/* A socket that asked for a file. */
typedef struct request {
    const unsigned char *bytes;
    size_t size, sent;
} request;

/* A socket of a page. */
typedef struct live {
    uint32_t page;
    view_mail *sending;
    size_t sent;
    unsigned char *text; /* what came so far of a message */
    size_t text_size;
    bool held; /* nothing more is read from it for now */
} live;

static view_server *server_of(struct lws *socket)
{
    return lws_context_user(lws_get_context(socket));
}

/* The header's text; false when it is missing or too long to be good. */
static bool read_header(struct lws *socket, enum lws_token_indexes header, char *text, size_t size)
{
    return lws_hdr_copy(socket, text, (int)size, header) > 0;
}

/* From here on: files. */

static bool host_is_ours(struct lws *socket, char *host, size_t size)
{
    return read_header(socket, WSI_TOKEN_HOST, host, size) && view_gate_takes_host(server_of(socket)->gate, host);
}

static bool add_header(struct lws *socket, const char *name, const char *text, unsigned char **at, unsigned char *end)
{
    return lws_add_http_header_by_name(socket, (const unsigned char *)name, (const unsigned char *)text,
                                       (int)strlen(text), at, end) == 0;
}

/* What the browser must not do with the page: load anything from elsewhere, be put into a foreign page, tell others the
 * address with its token, or guess types. */
static bool add_safety(struct lws *socket, const char *host, unsigned char **at, unsigned char *end)
{
    char policy[512];
    snprintf(policy, sizeof policy,
             "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
             "connect-src 'self' ws://%s; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             host);
    return add_header(socket, "content-security-policy:", policy, at, end) &&
           add_header(socket, "x-content-type-options:", "nosniff", at, end) &&
           add_header(socket, "referrer-policy:", "no-referrer", at, end) &&
           add_header(socket, "cross-origin-resource-policy:", "same-origin", at, end) &&
           add_header(socket, "cache-control:", "no-store", at, end);
}

static int refuse(struct lws *socket, unsigned status)
{
    lws_return_http_status(socket, status, NULL);
    return -1;
}

static int answer(struct lws *socket, request *r, const char *path)
{
    char host[256];
    view_asset asset;
    const char *name = view_gate_takes_path(server_of(socket)->gate, path);
    unsigned char head[LWS_PRE + 2048], *start = head + LWS_PRE, *at = start, *end = head + sizeof head;
    if (name == NULL || !host_is_ours(socket, host, sizeof host))
        return refuse(socket, HTTP_STATUS_FORBIDDEN);
    if (lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) == 0)
        return refuse(socket, HTTP_STATUS_METHOD_NOT_ALLOWED);
    if (!view_asset_find(name[0] == 0 ? "index.html" : name, &asset))
        return refuse(socket, HTTP_STATUS_NOT_FOUND);
    r->bytes = asset.bytes;
    r->size = asset.size;
    r->sent = 0;
    if (lws_add_http_common_headers(socket, HTTP_STATUS_OK, asset.type, asset.size, &at, end) != 0 ||
        !add_safety(socket, host, &at, end) || lws_finalize_write_http_header(socket, start, &at, end) != 0)
        return -1;
    lws_callback_on_writable(socket);
    return 0;
}

static int send_file_piece(struct lws *socket, request *r)
{
    view_server *server = server_of(socket);
    size_t size = r->size - r->sent < PIECE ? r->size - r->sent : PIECE;
    bool last = r->sent + size == r->size;
    if (r->bytes == NULL)
        return 0;
    memcpy(server->piece + LWS_PRE, r->bytes + r->sent, size);
    if (lws_write(socket, server->piece + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size)
        return -1;
    r->sent += size;
    if (!last) {
        lws_callback_on_writable(socket);
        return 0;
    }
    r->bytes = NULL;
    return lws_http_transaction_completed(socket) != 0 ? -1 : 0;
}

/* Takes the connections that the door has let in. The library closes those that it cannot take. */
static void let_in(view_server *server)
{
    for (int guest = view_door_next(server->door); guest >= 0; guest = view_door_next(server->door))
        if (server->sockets >= SOCKETS_MOST)
            close(guest);
        else
            lws_adopt_socket_vhost(server->host, guest);
}

/* A request for a file. A WebSocket without the protocol's name also arrives here, and goes no further. */
static int serve_file(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    view_server *server = server_of(socket);
    switch (reason) {
    case LWS_CALLBACK_WSI_CREATE:
        server->sockets++;
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        server->sockets--;
        return 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return refuse(socket, HTTP_STATUS_BAD_REQUEST);
    case LWS_CALLBACK_HTTP:
        return answer(socket, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_file_piece(socket, user);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        if (server->door != NULL)
            let_in(server);
        lws_callback_on_writable_all_protocol(server->context, &server->protocols[1]);
        return 0;
    default:
        return lws_callback_http_dummy(socket, reason, user, in, size);
    }
}

/* From here on: pages. */

static int check_page(struct lws *socket)
{
    const view_gate *gate = server_of(socket)->gate;
    char host[256], origin[256], path[64];
    const char *name = NULL;
    if (read_header(socket, WSI_TOKEN_GET_URI, path, sizeof path))
        name = view_gate_takes_path(gate, path);
    if (name == NULL || !host_is_ours(socket, host, sizeof host) ||
        !read_header(socket, WSI_TOKEN_ORIGIN, origin, sizeof origin) || !view_gate_takes_origin(origin, host))
        return refuse(socket, HTTP_STATUS_FORBIDDEN);
    return strcmp(name, live_path) == 0 ? 0 : refuse(socket, HTTP_STATUS_NOT_FOUND);
}

static int give_up(struct lws *socket, enum lws_close_status status, const char *reason)
{
    lws_close_reason(socket, status, (unsigned char *)reason, strlen(reason));
    return -1;
}

static int welcome(struct lws *socket, live *l)
{
    memset(l, 0, sizeof *l);
    l->page = view_engine_enter(server_of(socket)->engine);
    return l->page != 0 ? 0 : give_up(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION, "there are too many pages");
}

static void part(struct lws *socket, live *l)
{
    view_server *server = server_of(socket);
    if (l->page != 0 && server->engine != NULL)
        view_engine_leave(server->engine, l->page);
    view_mail_release(l->sending);
    ashi_dealloc(l->text);
    memset(l, 0, sizeof *l);
}

/* A piece of a message came; the whole one goes to the engine. */
static int receive(struct lws *socket, live *l, const void *piece, size_t size)
{
    if (lws_frame_is_binary(socket))
        return give_up(socket, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "expected text");
    if (size > VIEW_COMMAND_SIZE_MOST - l->text_size)
        return give_up(socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "more than 64 kB");
    unsigned char *grown = ashi_realloc(l->text, l->text_size + size + 1);
    if (grown == NULL)
        return give_up(socket, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "out of memory");
    l->text = grown;
    if (size > 0)
        memcpy(l->text + l->text_size, piece, size);
    l->text_size += size;
    if (lws_remaining_packet_payload(socket) > 0 || !lws_is_final_fragment(socket))
        return 0;
    view_taken taken = view_engine_command(server_of(socket)->engine, l->page, (const char *)l->text, l->text_size);
    ashi_dealloc(l->text);
    l->text = NULL;
    l->text_size = 0;
    if (taken == VIEW_FULL)
        return give_up(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many commands");
    if (taken == VIEW_BUSY) {
        lws_rx_flow_control(socket, 0);
        l->held = true;
    }
    lws_callback_on_writable(socket);
    return 0;
}

/* Sends the next piece of what waits for the page. */
static int send_piece(struct lws *socket, live *l)
{
    view_server *server = server_of(socket);
    bool lost = false;
    if (l->held && view_engine_has_room(server->engine, l->page)) {
        l->held = false;
        lws_rx_flow_control(socket, 1);
    }
    if (l->sending == NULL) {
        l->sending = view_engine_next(server->engine, l->page, &lost);
        l->sent = 0;
    }
    if (lost)
        return give_up(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too slow");
    if (l->sending == NULL)
        return 0;
    size_t rest = l->sending->size - l->sent, size = rest < PIECE ? rest : PIECE;
    int kind = l->sent > 0 ? LWS_WRITE_CONTINUATION : l->sending->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY;
    if (size < rest)
        kind |= LWS_WRITE_NO_FIN;
    memcpy(server->piece + LWS_PRE, l->sending->bytes + l->sent, size);
    if (lws_write(socket, server->piece + LWS_PRE, size, (enum lws_write_protocol)kind) < (int)size)
        return -1;
    l->sent += size;
    if (size == rest) {
        view_mail_release(l->sending);
        l->sending = NULL;
    }
    lws_callback_on_writable(socket);
    return 0;
}

static int serve_page(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return check_page(socket);
    case LWS_CALLBACK_ESTABLISHED:
        return welcome(socket, user);
    case LWS_CALLBACK_CLOSED:
        part(socket, user);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive(socket, user, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_piece(socket, user);
    default:
        return 0;
    }
}

/* From here on: the server itself. */

static void wake(void *user)
{
    view_server *server = user;
    lws_cancel_service(server->context);
}

static void describe(view_server *server)
{
    server->protocols[0] = (struct lws_protocols){
        .name = "http", .callback = serve_file, .per_session_data_size = sizeof(request), .rx_buffer_size = 4096};
    server->protocols[1] = (struct lws_protocols){
        .name = live_protocol, .callback = serve_page, .per_session_data_size = sizeof(live), .rx_buffer_size = 4096};
    server->patience = (lws_retry_bo_t){.secs_since_valid_ping = SECONDS_IDLE, .secs_since_valid_hangup = SECONDS_GONE};
}

/* The library does not listen: the door does, and the library gets its connections. */
static bool start_library(view_server *server)
{
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = server->protocols,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
        .user = server,
        .fd_limit_per_thread = SOCKETS_MOST + 16, /* and its own */
        .timeout_secs = SECONDS_TO_REQUEST,
        .keepalive_timeout = SECONDS_TO_REQUEST,
        .retry_and_idle_policy = &server->patience,
    };
    lws_set_log_level(0, NULL); /* what bad clients do is no news */
    server->context = lws_create_context(&info);
    server->host = server->context != NULL ? lws_create_vhost(server->context, &info) : NULL;
    return server->host != NULL;
}

view_server *view_server_open(view_gate *gate, view_session *session, char *message, size_t message_size)
{
    view_server *server = ashi_alloc_zeroed(sizeof *server);
    snprintf(message, message_size, "out of memory");
    if (server == NULL)
        return NULL;
    server->gate = gate;
    describe(server);
    if (start_library(server))
        server->door = view_door_open(gate, wake, server, message, message_size);
    if (server->door != NULL) {
        snprintf(message, message_size, "out of memory");
        server->engine = view_engine_start(session, wake, server);
    }
    if (server->engine == NULL) {
        view_server_close(server);
        return NULL;
    }
    return server;
}

typedef struct look {
    lws_sorted_usec_list_t timer; /* first: the library gives its address back */
    view_server *server;
} look;

static void look_up(lws_sorted_usec_list_t *timer)
{
    view_server *server = ((look *)timer)->server;
    server->over = server->is_over(server->user);
    lws_sul_schedule(server->context, 0, timer, look_up, MICROSECONDS_BETWEEN_LOOKS);
}

void view_server_run(view_server *server, bool (*is_over)(void *user), void *user)
{
    look timer = {.server = server};
    server->is_over = is_over;
    server->user = user;
    server->over = false;
    lws_sul_schedule(server->context, 0, &timer.timer, look_up, 1);
    while (!server->over && lws_service(server->context, 0) >= 0)
        continue;
    lws_sul_schedule(server->context, 0, &timer.timer, look_up, LWS_SET_TIMER_USEC_CANCEL);
}

void view_server_close(view_server *server)
{
    if (server == NULL)
        return;
    /* The threads first: they wake the context. */
    view_door_close(server->door);
    server->door = NULL;
    view_engine_stop(server->engine);
    server->engine = NULL;
    if (server->context != NULL)
        lws_context_destroy(server->context);
    ashi_dealloc(server);
}
