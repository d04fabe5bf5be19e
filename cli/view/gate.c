/* Three locks, each for what the others do not keep out: a foreign page in the user's own browser sends its own Origin;
 * one whose name was made to point to this machine (DNS rebinding) sends that name as Host; other people and programs
 * of this machine do not know the token. */
#define _DEFAULT_SOURCE
#include "gate.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

static bool is_v4(const char *text)
{
    struct in_addr place;
    return inet_pton(AF_INET, text, &place) == 1;
}

static bool is_v6(const char *text)
{
    struct in6_addr place;
    return inet_pton(AF_INET6, text, &place) == 1;
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
    if (strcmp(address, "localhost") == 0)
        address = "127.0.0.1";
    if (strlen(address) >= sizeof gate->address || (!is_v4(address) && !is_v6(address)))
        return "expected an IP address, such as 127.0.0.1";
    snprintf(gate->address, sizeof gate->address, "%s", address);
    return make_token(gate->token) ? NULL : "the system gave no random numbers";
}

bool view_gate_is_loopback(const view_gate *gate)
{
    return strncmp(gate->address, "127.", 4) == 0 || strcmp(gate->address, "::1") == 0;
}

static bool is_everywhere(const view_gate *gate)
{
    return strcmp(gate->address, "0.0.0.0") == 0 || strcmp(gate->address, "::") == 0;
}

const char *view_gate_host(const view_gate *gate, char *text, unsigned size)
{
    snprintf(text, size, is_v6(gate->address) ? "[%s]:%u" : "%s:%u", gate->address, (unsigned)gate->port);
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
    char name[256];
    unsigned port;
    if (!split(host, name, sizeof name, &port) || port != gate->port)
        return false;
    size_t length = strlen(name);
    bool bracketed = name[0] == '[' && name[length - 1] == ']';
    if (bracketed) {
        memmove(name, name + 1, length - 2);
        name[length - 2] = 0;
    }
    if (bracketed ? !is_v6(name) : is_v6(name))
        return false;
    if (strcmp(name, gate->address) == 0)
        return true;
    bool here = strcmp(name, "127.0.0.1") == 0 || strcmp(name, "::1") == 0 || strcasecmp(name, "localhost") == 0;
    if (view_gate_is_loopback(gate) || is_everywhere(gate))
        return here || (is_everywhere(gate) && (bracketed || is_v4(name)));
    return false;
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
