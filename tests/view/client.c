/* WebSocket by hand (RFC 6455): what the tests send must also be what no library would. */
#define _POSIX_C_SOURCE 200809L
#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

int client_connect_to(const char *address, uint16_t port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    if (!is_v4)
        inet_pton(AF_INET6, address, &v6.sin6_addr);
    int number = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM, 0);
    if (number >= 0 &&
        connect(number, is_v4 ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6, is_v4 ? sizeof v4 : sizeof v6) != 0) {
        close(number);
        return -1;
    }
    return number;
}

int client_connect(uint16_t port)
{
    return client_connect_to("127.0.0.1", port);
}

void client_close(int socket)
{
    close(socket);
}

bool client_write(int socket, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = send(socket, at, size, MSG_NOSIGNAL);
        if (written <= 0)
            return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

static bool wait_for_bytes(int socket, double until)
{
    double left = until - ashi_seconds();
    struct pollfd wanted = {socket, POLLIN, 0};
    return poll(&wanted, 1, left > 0 ? (int)(1e3 * left) : 0) > 0;
}

/* Exactly so many; 0: not in time, -1: the connection is gone. */
static int read_all(int socket, void *bytes, size_t size, double until)
{
    unsigned char *at = bytes;
    while (size > 0) {
        if (!wait_for_bytes(socket, until))
            return 0;
        ssize_t count = recv(socket, at, size, 0);
        if (count <= 0)
            return -1;
        at += count;
        size -= (size_t)count;
    }
    return 1;
}

bool client_skip(int socket, size_t size, double seconds)
{
    char bytes[4096];
    double until = ashi_seconds() + seconds;
    for (size_t part = 0; size > 0; size -= part) {
        part = size < sizeof bytes ? size : sizeof bytes;
        if (read_all(socket, bytes, part, until) != 1)
            return false;
    }
    return true;
}

int client_request(int socket, const char *method, const char *path, const char *headers, char *head, size_t head_size)
{
    char text[8192];
    int length = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\n%s\r\n", method, path, headers);
    double until = ashi_seconds() + 10;
    size_t count = 0;
    head[0] = 0;
    if (!client_write(socket, text, (size_t)length))
        return 0;
    while (count + 1 < head_size && strstr(head, "\r\n\r\n") == NULL) {
        if (read_all(socket, head + count, 1, until) != 1)
            break;
        head[++count] = 0;
    }
    int status = 0;
    return sscanf(head, "HTTP/1.1 %d", &status) == 1 ? status : 0;
}

static void add_header(char *headers, size_t size, const char *name, const char *value)
{
    size_t used = strlen(headers);
    if (value != NULL)
        snprintf(headers + used, size - used, "%s: %s\r\n", name, value);
}

bool client_open(int socket, const client_knock *knock)
{
    char headers[4096] = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    char head[4096];
    add_header(headers, sizeof headers, "Host", knock->host);
    add_header(headers, sizeof headers, "Origin", knock->origin);
    add_header(headers, sizeof headers, "Sec-WebSocket-Protocol", knock->protocol);
    return client_request(socket, "GET", knock->path, headers, head, sizeof head) == 101;
}

static size_t make_head(unsigned char head[14], int kind, bool is_last, uint64_t size)
{
    size_t length = 2;
    head[0] = (unsigned char)((is_last ? 0x80 : 0) | kind);
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else {
        int digits = size < 65536 ? 2 : 8;
        head[1] = (unsigned char)(0x80 | (digits == 2 ? 126 : 127));
        for (int i = digits - 1; i >= 0; i--)
            head[length++] = (unsigned char)(size >> (8 * i));
    }
    memcpy(head + length, "\x11\x22\x33\x44", 4);
    return length + 4;
}

bool client_promise(int socket, int kind, uint64_t size)
{
    unsigned char head[14];
    return client_write(socket, head, make_head(head, kind, true, size));
}

bool client_send(int socket, int kind, bool is_last, const void *bytes, size_t size)
{
    static const unsigned char mask[4] = {0x11, 0x22, 0x33, 0x44};
    unsigned char *frame = malloc(size + 14);
    size_t length = make_head(frame, kind, is_last, size);
    for (size_t i = 0; i < size; i++)
        frame[length + i] = ((const unsigned char *)bytes)[i] ^ mask[i % 4];
    bool sent = client_write(socket, frame, length + size);
    free(frame);
    return sent;
}

bool client_say(int socket, const char *text)
{
    return client_send(socket, CLIENT_TEXT, true, text, strlen(text));
}

/* One frame: its kind with the bit of the last one, or what read_all says. */
static int read_frame(int socket, client_message *message, double until)
{
    unsigned char head[2], digits[8];
    int got = read_all(socket, head, 2, until);
    uint64_t size = head[1] & 0x7f;
    if (got == 1 && size >= 126) {
        size_t count = size == 126 ? 2 : 8;
        got = read_all(socket, digits, count, until);
        size = 0;
        for (size_t i = 0; i < count; i++)
            size = size << 8 | digits[i];
    }
    if (got != 1)
        return got;
    message->bytes = realloc(message->bytes, message->size + size + 1);
    got = read_all(socket, message->bytes + message->size, size, until);
    message->size += size;
    message->bytes[message->size] = 0;
    return got == 1 ? 0x100 | head[0] : got;
}

client_message client_read(int socket, double seconds)
{
    client_message message = {0};
    double until = ashi_seconds() + seconds;
    for (;;) {
        size_t before = message.size;
        int frame = read_frame(socket, &message, until);
        int kind = frame & 0x0f;
        if (frame <= 0) {
            free(message.bytes);
            return (client_message){.kind = frame};
        }
        if (kind == CLIENT_PING || kind == CLIENT_PONG) {
            if (kind == CLIENT_PING)
                client_send(socket, CLIENT_PONG, true, message.bytes + before, message.size - before);
            message.size = before;
            continue;
        }
        if (kind != CLIENT_CONTINUATION)
            message.kind = kind;
        if ((frame & 0x80) != 0)
            return message;
    }
}
