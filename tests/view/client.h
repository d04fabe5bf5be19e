/* A page as the server sees it, over a plain socket: well-behaved, or as badly as a test wants. */
#ifndef TESTS_VIEW_CLIENT_H
#define TESTS_VIEW_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a WebSocket message is. */
enum {
    CLIENT_CONTINUATION = 0,
    CLIENT_TEXT = 1,
    CLIENT_BINARY = 2,
    CLIENT_CLOSE = 8,
    CLIENT_PING = 9,
    CLIENT_PONG = 10
};

typedef struct client_message {
    int kind; /* of the above; 0: nothing came in time; -1: the connection is gone */
    unsigned char *bytes;
    size_t size;
} client_message;

/* The socket, or -1; at an IP address, or at 127.0.0.1. */
int client_connect_to(const char *address, uint16_t port);
int client_connect(uint16_t port);
void client_close(int socket);

/* Writes all of it; false when the other side is gone. */
bool client_write(int socket, const void *bytes, size_t size);

/* Reads that many bytes and forgets them; false when they did not come in time. */
bool client_skip(int socket, size_t size, double seconds);

/* A request with the headers given, each ending in \r\n, and what came back, up to the end of the headers. Its status,
 * or 0 when there was no answer. */
int client_request(int socket, const char *method, const char *path, const char *headers, char *head, size_t head_size);

/* What a browser sends to open a WebSocket; null leaves a header out. True when it is open. */
typedef struct client_knock {
    const char *path, *host, *origin, *protocol;
} client_knock;
bool client_open(int socket, const client_knock *knock);

/* One masked frame of a message. */
bool client_send(int socket, int kind, bool is_last, const void *bytes, size_t size);
bool client_say(int socket, const char *text);
/* The head of a frame alone, which promises `size` bytes. */
bool client_promise(int socket, int kind, uint64_t size);

/* The next whole message, pings answered and left out. The bytes are the caller's to free. */
client_message client_read(int socket, double seconds);

#endif
