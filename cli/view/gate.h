/* Who may come in: the token of the address, and the Host and Origin that browsers tell. */
#ifndef CLI_VIEW_GATE_H
#define CLI_VIEW_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum { VIEW_TOKEN_SIZE = 33 }; /* 128 bits in hexadecimal digits, and the end */

/* Where the server listens, and what opens it. */
typedef struct view_gate {
    char address[48]; /* an IP address, v4 or v6 without brackets */
    uint16_t port;
    char token[VIEW_TOKEN_SIZE];
} view_gate;

/* Takes an IP address, or "localhost" for 127.0.0.1, and makes a token. Null, or what is wrong. */
const char *view_gate_open(view_gate *gate, const char *address);

/* The address is of the loopback interface: nobody else's machine reaches it. */
bool view_gate_is_loopback(const view_gate *gate);

/* "127.0.0.1:8080", "[::1]:8080", as the host in addresses; returns `text`. */
const char *view_gate_host(const view_gate *gate, char *text, unsigned size);

/* Is it one of the server's own names? These are its address, and, on the loopback interface, 127.0.0.1, localhost and
 * [::1], all with its port. A server on all interfaces (0.0.0.0, ::) cannot know its names; it takes any IP address
 * with its port, but no name but localhost: what matters is that no foreign name that was made to point here passes. */
bool view_gate_takes_host(const view_gate *gate, const char *host);
/* A page of this very server, as that host. */
bool view_gate_takes_origin(const char *origin, const char *host);
/* In a time that does not tell how much of it is right. */
bool view_gate_takes_token(const view_gate *gate, const char *token);

#endif
