/* Who may come in: the address to listen at, the token in its path, and the Host and Origin that browsers send. */
#ifndef CLI_VIEW_GATE_H
#define CLI_VIEW_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum { VIEW_TOKEN_SIZE = 33 }; /* 128 bits in hexadecimal digits, and the end */

/* Where the server listens, and what opens it. */
typedef struct view_gate {
    char address[46]; /* an IP address in its shortest form, IPv6 without brackets */
    uint16_t port;
    char token[VIEW_TOKEN_SIZE];
} view_gate;

/* Takes an IP address, or "localhost" for 127.0.0.1, and makes a token. Null, or what is wrong. */
const char *view_gate_open(view_gate *gate, const char *address);

/* The address is of the loopback interface: other machines cannot reach it. */
bool view_gate_is_loopback(const view_gate *gate);
/* The address is 0.0.0.0 or ::, which stand for all addresses of the machine. */
bool view_gate_is_everywhere(const view_gate *gate);

/* "127.0.0.1:8080", "[::1]:8080": the host as it stands in addresses; the loopback one of a server that listens
 * everywhere. Returns `text`. */
const char *view_gate_host(const view_gate *gate, char *text, unsigned size);
/* "http://127.0.0.1:8080/TOKEN/": what to open in a browser. Returns `text`. */
const char *view_gate_url(const view_gate *gate, char *text, unsigned size);

/* Is it one of the server's own names? These are its address and, on the loopback interface, 127.0.0.1, localhost and
 * [::1], all with its port. A server on all interfaces cannot know its names. It takes every IP address and localhost,
 * but no other name: a page that reaches it through a name made to point here is refused. */
bool view_gate_takes_host(const view_gate *gate, const char *host);
/* The origin is a page of this server under that host. */
bool view_gate_takes_origin(const char *origin, const char *host);
/* The time it takes does not depend on how much of the token is right. */
bool view_gate_takes_token(const view_gate *gate, const char *token);
/* Of a path "/TOKEN/rest" the rest, without a slash at its beginning; null when the token is not there or wrong. */
const char *view_gate_takes_path(const view_gate *gate, const char *path);

#endif
