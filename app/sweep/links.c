/* A message is a head of two numbers, tag and size, and its bytes. Writing waits, reading does not. A process that ends
 * closes its connections, and so says that it is gone; a machine that ends no longer answers TCP's own questions. */
#define _GNU_SOURCE
#include "app/sweep/links.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/cli/message.h"
#include "base/alloc.h"

enum { CONNECT_MS = 5000, STRANGERS = 64 };

typedef struct head {
    uint32_t tag, size;
} head;

struct cli_link {
    int socket; /* -1: closed */
    bool known; /* has said what the invitation says */
    bool told;  /* that it is gone */
    size_t filled;
    unsigned char *bytes; /* what has come of the next message */
    size_t room;
};

static cli_invitation own; /* of rank 0 */

/* ---- rank 0 ---- */

/* Addresses of this machine that others may reach; the loopback last. */
static void list_addresses(cli_invitation *invitation)
{
    struct ifaddrs *all = NULL;
    uint32_t count = 0;
    if (getifaddrs(&all) != 0)
        return;
    for (int local = 0; local < 2; local++)
        for (const struct ifaddrs *a = all; a != NULL && count < CLI_ADDRESSES; a = a->ifa_next) {
            if (a->ifa_addr == NULL)
                continue;
            bool four = a->ifa_addr->sa_family == AF_INET, six = a->ifa_addr->sa_family == AF_INET6;
            const struct sockaddr_in *in = (const void *)a->ifa_addr;
            const struct sockaddr_in6 *in6 = (const void *)a->ifa_addr;
            bool loopback =
                four ? (ntohl(in->sin_addr.s_addr) >> 24) == 127 : six && IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
            if (!(four || six) || loopback != (local == 1) || (six && IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr)))
                continue;
            socklen_t size = four ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
            count += getnameinfo(a->ifa_addr, size, invitation->addresses[count], sizeof *invitation->addresses, NULL,
                                 0, NI_NUMERICHOST) == 0;
        }
    freeifaddrs(all);
}

/* A socket of this family that listens on a free port; -1: there is none. */
static int listen_by(int family, cli_invitation *invitation)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } address;
    memset(&address, 0, sizeof address);
    address.any.sa_family = (sa_family_t)family;
    socklen_t size = family == AF_INET6 ? sizeof address.six : sizeof address.four;
    int door = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), off = 0;
    if (door < 0)
        return -1;
    if (family == AF_INET6)
        setsockopt(door, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(door, &address.any, size) == 0 && listen(door, SOMAXCONN) == 0 &&
        getsockname(door, &address.any, &size) == 0) {
        unsigned port = ntohs(family == AF_INET6 ? address.six.sin6_port : address.four.sin_port);
        snprintf(invitation->port, sizeof invitation->port, "%u", port);
        return door;
    }
    close(door);
    return -1;
}

bool cli_links_listen(cli_ranks *ranks, cli_invitation *invitation)
{
    ranks->door = listen_by(AF_INET6, invitation);
    if (ranks->door < 0)
        ranks->door = listen_by(AF_INET, invitation);
    list_addresses(invitation);
    bool secret = getrandom(invitation->ask, CLI_SECRET, 0) == CLI_SECRET &&
                  getrandom(invitation->answer, CLI_SECRET, 0) == CLI_SECRET;
    if (ranks->door < 0 || !secret) {
        cli_error("sweep: rank 0 cannot listen for the others: %s", strerror(errno));
        return false;
    }
    own = *invitation;
    return true;
}

/* ---- links ---- */

static bool add_link(cli_ranks *ranks, int socket, bool known)
{
    int on = 1, idle = 30, between = 10, most = 3;
    if (ranks->link_count == ranks->link_capacity) {
        uint32_t capacity = 2 * ranks->link_capacity + 8;
        cli_link *more = ashi_realloc(ranks->links, capacity * sizeof *more);
        if (more == NULL)
            return false;
        ranks->links = more;
        ranks->link_capacity = capacity;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &most, sizeof most);
    ranks->links[ranks->link_count++] = (cli_link){.socket = socket, .known = known, .told = !known};
    return true;
}

static void close_link(cli_link *link)
{
    if (link->socket >= 0)
        close(link->socket);
    ashi_dealloc(link->bytes);
    *link = (cli_link){.socket = -1, .known = link->known, .told = link->told};
}

static bool send_all(int socket, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = send(socket, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR)
            return false;
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Reads until `size` bytes are there. False: not yet, or the link was closed. */
static bool fill(cli_link *link, size_t size)
{
    if (link->room < size) {
        unsigned char *more = ashi_realloc(link->bytes, size);
        if (more == NULL)
            return false;
        link->bytes = more;
        link->room = size;
    }
    while (link->filled < size) {
        ssize_t count = recv(link->socket, link->bytes + link->filled, size - link->filled, MSG_DONTWAIT);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return false;
        if (count <= 0) {
            close_link(link);
            return false;
        }
        link->filled += (size_t)count;
    }
    return true;
}

/* Who has come; who says what the invitation says, is answered. */
static void let_in(cli_ranks *ranks)
{
    int socket = ranks->door >= 0 ? accept4(ranks->door, NULL, NULL, SOCK_CLOEXEC) : -1;
    uint32_t strangers = 0;
    for (uint32_t i = 0; i < ranks->link_count; i++) {
        cli_link *link = &ranks->links[i];
        if (!link->known && link->socket >= 0 && fill(link, CLI_SECRET)) {
            link->known = memcmp(link->bytes, own.ask, CLI_SECRET) == 0;
            link->told = !link->known;
            link->filled = 0;
            if (!link->known || !send_all(link->socket, own.answer, CLI_SECRET))
                close_link(link);
        }
        strangers += !link->known && link->socket >= 0;
    }
    if (socket >= 0 && (strangers >= STRANGERS || !add_link(ranks, socket, false)))
        close(socket);
}

/* Waits for a connection that is being made. */
static bool is_made(int socket)
{
    struct pollfd wait = {.fd = socket, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    return poll(&wait, 1, CONNECT_MS) == 1 && getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 &&
           error == 0;
}

/* Is this rank 0's door? */
static bool is_answered(int socket, const cli_invitation *invitation)
{
    unsigned char answer[CLI_SECRET];
    struct timeval patience = {.tv_sec = CONNECT_MS / 1000}, ever = {0};
    int flags = fcntl(socket, F_GETFL);
    return flags >= 0 && fcntl(socket, F_SETFL, flags & ~O_NONBLOCK) == 0 &&
           send_all(socket, invitation->ask, CLI_SECRET) &&
           setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
           recv(socket, answer, sizeof answer, MSG_WAITALL) == CLI_SECRET &&
           memcmp(answer, invitation->answer, CLI_SECRET) == 0 &&
           setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &ever, sizeof ever) == 0;
}

static int connect_to(const char *address, const cli_invitation *invitation)
{
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found = NULL;
    if (getaddrinfo(address, invitation->port, &wanted, &found) != 0)
        return -1;
    int made = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool good =
        made >= 0 && (connect(made, found->ai_addr, found->ai_addrlen) == 0 || (errno == EINPROGRESS && is_made(made)));
    freeaddrinfo(found);
    if (good && is_answered(made, invitation))
        return made;
    if (made >= 0)
        close(made);
    return -1;
}

bool cli_links_connect(cli_ranks *ranks, const cli_invitation *invitation)
{
    for (uint32_t i = 0; i < CLI_ADDRESSES && invitation->addresses[i][0] != 0; i++) {
        int socket = connect_to(invitation->addresses[i], invitation);
        if (socket >= 0 && add_link(ranks, socket, true))
            return true;
    }
    return false;
}

/* ---- messages ---- */

void cli_ranks_send(cli_ranks *ranks, uint32_t to, uint32_t tag, const void *bytes, size_t size)
{
    cli_link *link = &ranks->links[to];
    head start = {tag, (uint32_t)size};
    if (link->socket >= 0 && (!send_all(link->socket, &start, sizeof start) || !send_all(link->socket, bytes, size)))
        close_link(link);
}

/* A whole message of one link, if it has come. */
static bool take_message(cli_link *link, uint32_t *tag, void *bytes, size_t size)
{
    head start;
    if (!fill(link, sizeof start))
        return false;
    memcpy(&start, link->bytes, sizeof start);
    if (start.size > size) { /* not one of ours */
        close_link(link);
        return false;
    }
    if (!fill(link, sizeof start + start.size))
        return false;
    memcpy(bytes, link->bytes + sizeof start, start.size);
    *tag = start.tag;
    link->filled = 0;
    return true;
}

bool cli_ranks_receive(cli_ranks *ranks, uint32_t *from, uint32_t *tag, void *bytes, size_t size)
{
    let_in(ranks);
    for (uint32_t i = 0; i < ranks->link_count; i++) {
        cli_link *link = &ranks->links[i];
        *from = i;
        if (link->known && link->socket >= 0 && take_message(link, tag, bytes, size))
            return true;
        if (link->socket < 0 && !link->told) {
            link->told = true;
            *tag = CLI_RANK_GONE;
            return true;
        }
    }
    return false;
}

void cli_ranks_leave(cli_ranks *ranks)
{
    for (uint32_t i = 0; i < ranks->link_count; i++)
        close_link(&ranks->links[i]);
    if (ranks->door >= 0)
        close(ranks->door);
    ashi_dealloc(ranks->links);
    *ranks = (cli_ranks){.rank = ranks->rank, .count = ranks->count, .door = -1, .launcher = ranks->launcher};
}
