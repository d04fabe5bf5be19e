/* Three checks, each against what the others let through. The token keeps out other people and programs of this
 * machine. The Origin keeps out foreign pages in the user's own browser. The Host keeps out pages whose name was made
 * to point to this machine (DNS rebinding). */
#define _DEFAULT_SOURCE
#include "app/viewer/gate.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

/* The address as inet_ntop writes it, so that equal addresses are equal texts. IPv4 within IPv6 becomes plain IPv4.
 * False when it is no IP address. */
static bool normalize(const char *text, char address[INET6_ADDRSTRLEN])
{
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    unsigned char bytes[16];
    if (inet_pton(AF_INET, text, bytes) == 1)
        return inet_ntop(AF_INET, bytes, address, INET6_ADDRSTRLEN) != NULL;
    if (inet_pton(AF_INET6, text, bytes) != 1)
        return false;
    if (memcmp(bytes, mapped, sizeof mapped) == 0)
        return inet_ntop(AF_INET, bytes + 12, address, INET6_ADDRSTRLEN) != NULL;
    return inet_ntop(AF_INET6, bytes, address, INET6_ADDRSTRLEN) != NULL;
}

static bool is_v6(const char *address)
{
    return strchr(address, ':') != NULL;
}

/* fe80::/10: such addresses need the name of an interface, which browsers do not take. */
static bool is_link_local(const char *address)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET6, address, bytes) == 1 && bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

static bool make_token(char token[VIEW_TOKEN_SIZE])
{
    unsigned char bytes[(VIEW_TOKEN_SIZE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

const char *view_gate_open(view_gate *gate, const char *address)
{
    memset(gate, 0, sizeof *gate);
    if (!normalize(strcmp(address, "localhost") == 0 ? "127.0.0.1" : address, gate->address))
        return "expected an IP address, such as 127.0.0.1 or ::1, or localhost";
    if (is_link_local(gate->address))
        return "browsers cannot open link-local addresses (fe80::); expected another address of this machine";
    return make_token(gate->token) ? NULL : "the system gave no random numbers";
}

bool view_gate_is_loopback(const view_gate *gate)
{
    return strncmp(gate->address, "127.", 4) == 0 || strcmp(gate->address, "::1") == 0;
}

bool view_gate_is_everywhere(const view_gate *gate)
{
    return strcmp(gate->address, "0.0.0.0") == 0 || strcmp(gate->address, "::") == 0;
}

const char *view_gate_host(const view_gate *gate, char *text, unsigned size)
{
    bool v6 = is_v6(gate->address);
    const char *place = !view_gate_is_everywhere(gate) ? gate->address : v6 ? "::1" : "127.0.0.1";
    snprintf(text, size, v6 ? "[%s]:%u" : "%s:%u", place, (unsigned)gate->port);
    return text;
}

const char *view_gate_url(const view_gate *gate, char *text, unsigned size)
{
    char host[64];
    snprintf(text, size, "http://%s/%s/", view_gate_host(gate, host, sizeof host), gate->token);
    return text;
}

/* Splits "name:port" and "[v6]:port"; the port that may be left out is 80. */
static bool split(const char *host, char *name, size_t size, unsigned *port)
{
    const char *colon = strrchr(host, ':'), *bracket = strchr(host, ']');
    if (colon != NULL && bracket != NULL && colon < bracket)
        colon = NULL;
    size_t length = colon != NULL ? (size_t)(colon - host) : strlen(host);
    if (length == 0 || length >= size)
        return false;
    memcpy(name, host, length);
    name[length] = 0;
    *port = 80;
    if (colon == NULL)
        return true;
    *port = 0;
    for (const char *digit = colon + 1; *digit != 0; digit++) {
        if (*digit < '0' || *digit > '9' || *port > 65535)
            return false;
        *port = 10 * *port + (unsigned)(*digit - '0');
    }
    return colon[1] != 0;
}

bool view_gate_takes_host(const view_gate *gate, const char *host)
{
    char name[256], address[INET6_ADDRSTRLEN];
    unsigned port;
    if (!split(host, name, sizeof name, &port) || port != gate->port)
        return false;
    size_t length = strlen(name);
    bool bracketed = name[0] == '[' && name[length - 1] == ']';
    if (bracketed) {
        memmove(name, name + 1, length - 2);
        name[length - 2] = 0;
    }
    if (bracketed != is_v6(name))
        return false;
    bool everywhere = view_gate_is_everywhere(gate);
    if (strcasecmp(name, "localhost") == 0)
        return everywhere || view_gate_is_loopback(gate);
    if (!normalize(name, address))
        return false;
    bool here = strcmp(address, "127.0.0.1") == 0 || strcmp(address, "::1") == 0;
    return everywhere || strcmp(address, gate->address) == 0 || (here && view_gate_is_loopback(gate));
}

bool view_gate_takes_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 && strcasecmp(origin + sizeof scheme - 1, host) == 0;
}

bool view_gate_takes_token(const view_gate *gate, const char *token)
{
    size_t length = strlen(token);
    unsigned difference = length != VIEW_TOKEN_SIZE - 1;
    for (size_t i = 0; i < VIEW_TOKEN_SIZE - 1; i++)
        difference |= (unsigned)(unsigned char)gate->token[i] ^ (unsigned)(unsigned char)(i < length ? token[i] : 0);
    return difference == 0;
}

const char *view_gate_takes_path(const view_gate *gate, const char *path)
{
    char token[VIEW_TOKEN_SIZE];
    if (path[0] != '/' || strnlen(path, VIEW_TOKEN_SIZE + 1) <= VIEW_TOKEN_SIZE || path[VIEW_TOKEN_SIZE] != '/')
        return NULL;
    memcpy(token, path + 1, VIEW_TOKEN_SIZE - 1);
    token[VIEW_TOKEN_SIZE - 1] = 0;
    return view_gate_takes_token(gate, token) ? path + VIEW_TOKEN_SIZE + 1 : NULL;
}
