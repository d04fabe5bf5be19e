/* The socket is ours and not the library's, which binds IPv4 addresses as IPv6 ones: it would listen at every
 * interface. */
#define _GNU_SOURCE /* SOCK_NONBLOCK, SOCK_CLOEXEC */
#include "app/viewer/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { QUEUE = 1024 }; /* connections that the system keeps until they are accepted */

static const char *reason_for(int error)
{
    switch (error) {
    case EADDRINUSE:
        return "another program uses this port; choose another with --port, or 0 for a free one";
    case EADDRNOTAVAIL:
        return "this machine has no such address";
    case EACCES:
        return "no permission; ports below 1024 are for the administrator";
    case EAFNOSUPPORT:
        return "this machine has no IPv6";
    default:
        return strerror(error);
    }
}

static bool bind_to(int listener, const view_gate *gate)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(gate->port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(gate->port)};
    int yes = 1;
    if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0)
        return false;
    if (inet_pton(AF_INET, gate->address, &v4.sin_addr) == 1)
        return bind(listener, (struct sockaddr *)&v4, sizeof v4) == 0;
    /* "::" is all addresses of IPv6, and none of IPv4. */
    return inet_pton(AF_INET6, gate->address, &v6.sin6_addr) == 1 &&
           setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) == 0 &&
           bind(listener, (struct sockaddr *)&v6, sizeof v6) == 0;
}

static bool read_port(int listener, uint16_t *port)
{
    struct sockaddr_storage place = {0};
    socklen_t size = sizeof place;
    if (getsockname(listener, (struct sockaddr *)&place, &size) != 0)
        return false;
    *port = ntohs(place.ss_family == AF_INET ? ((struct sockaddr_in *)&place)->sin_port
                                             : ((struct sockaddr_in6 *)&place)->sin6_port);
    return true;
}

int view_listen(view_gate *gate, char *message, size_t message_size)
{
    int family = strchr(gate->address, ':') != NULL ? AF_INET6 : AF_INET;
    int listener = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener >= 0 && bind_to(listener, gate) && listen(listener, QUEUE) == 0 && read_port(listener, &gate->port))
        return listener;
    int error = errno;
    if (gate->port != 0)
        snprintf(message, message_size, "cannot listen at %s, port %u: %s", gate->address, (unsigned)gate->port,
                 reason_for(error));
    else
        snprintf(message, message_size, "cannot listen at %s: %s", gate->address, reason_for(error));
    if (listener >= 0)
        close(listener);
    return -1;
}
