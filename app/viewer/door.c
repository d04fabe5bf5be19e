/* Strangers cannot keep the user out, however many they are and however they renew themselves.
 *
 * A connection stays here until its first line names the token; only then the server gets it. Connections without the
 * token have a small number of places and a short time. When all places are taken the oldest connection makes room for
 * the next one. It has had MILLISECONDS_SURE by then: a browser sends its request with the connection, so this is
 * enough for those who know the token, and the queue of the system moves on at a known pace.
 *
 * What a connection sent is looked at and left in its socket, so that the server can read it. Its low-water mark
 * (SO_RCVLOWAT) then keeps poll from telling of the same bytes again. */
#define _GNU_SOURCE /* accept4, pipe2 */
#include "app/viewer/door.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/viewer/listener.h"
#include "base/alloc.h"
#include "base/clock.h"

enum {
    WAITING_MOST = 64,
    FIRST_BYTES_MOST = 4096, /* that are looked at */
    ACCEPTED_AT_ONCE = 16,
    GUESTS_MOST = 64, /* that the server has not taken yet */
    MILLISECONDS_SURE = 100,
    MILLISECONDS_TO_SHOW = 5000
};

/* A connection in the waiting room. */
typedef struct caller {
    int socket; /* -1: the place is free */
    double since;
    size_t seen; /* bytes of its request */
} caller;

struct view_door {
    const view_gate *gate;
    int listener, stop[2]; /* a byte in the pipe ends the thread */
    void (*wake)(void *user);
    void *user;
    pthread_t thread;
    bool runs;
    double pause_until; /* the system has no more sockets before that */
    caller callers[WAITING_MOST];
    pthread_mutex_t mutex; /* of what follows */
    uint32_t guest_count;
    int guests[GUESTS_MOST];
};

static void leave(caller *c)
{
    close(c->socket);
    c->socket = -1;
}

/* Ends the connection so that the answer arrives: closing with unread bytes would destroy it. */
static void refuse(caller *c)
{
    static const char text[] = "This address lacks the token. Open the whole address that ashlar view printed.\n";
    char bytes[FIRST_BYTES_MOST];
    int length = snprintf(bytes, sizeof bytes,
                          "HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %zu\r\n"
                          "cache-control: no-store\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n%s",
                          sizeof text - 1, text);
    send(c->socket, bytes, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(c->socket, SHUT_WR);
    for (int i = 0; i < 16 && recv(c->socket, bytes, sizeof bytes, MSG_DONTWAIT) > 0; i++)
        continue;
    leave(c);
}

static bool set_low_water(int socket, size_t bytes)
{
    int mark = (int)bytes;
    return setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark) == 0;
}

/* Gives the connection to the server. */
static void hand_over(view_door *door, caller *c)
{
    pthread_mutex_lock(&door->mutex);
    bool taken = door->guest_count < GUESTS_MOST && set_low_water(c->socket, 1);
    if (taken)
        door->guests[door->guest_count++] = c->socket;
    pthread_mutex_unlock(&door->mutex);
    if (!taken) {
        leave(c);
        return;
    }
    c->socket = -1;
    door->wake(door->user);
}

/* The request's path is the second word of the first line, which must be whole. */
static bool shows_token(const view_gate *gate, const char *request)
{
    const char *space = strchr(request, ' '), *end = strchr(request, '\n');
    return space != NULL && end != NULL && space < end && view_gate_takes_path(gate, space + 1) != NULL;
}

static void listen_to(view_door *door, caller *c)
{
    char request[FIRST_BYTES_MOST + 1];
    ssize_t count = recv(c->socket, request, FIRST_BYTES_MOST, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    if (count <= 0 || (size_t)count <= c->seen) { /* it has hung up */
        leave(c);
        return;
    }
    c->seen = (size_t)count;
    request[count] = 0; /* what follows a zero within it is not looked at */
    if (shows_token(door->gate, request))
        hand_over(door, c);
    else if (strstr(request, "\n\r\n") != NULL || c->seen == FIRST_BYTES_MOST)
        refuse(c);
    else if (!set_low_water(c->socket, c->seen + 1))
        leave(c);
}

static caller *free_place(view_door *door)
{
    for (uint32_t i = 0; i < WAITING_MOST; i++)
        if (door->callers[i].socket < 0)
            return &door->callers[i];
    return NULL;
}

static caller *oldest(view_door *door)
{
    caller *found = NULL;
    for (uint32_t i = 0; i < WAITING_MOST; i++) {
        caller *c = &door->callers[i];
        if (c->socket >= 0 && (found == NULL || c->since < found->since))
            found = c;
    }
    return found;
}

static bool has_waited(const caller *c, int milliseconds)
{
    return c != NULL && ashi_seconds() - c->since >= 1e-3 * milliseconds;
}

/* A place for the next connection, or null while all are taken by those who have not had their time. */
static caller *make_place(view_door *door)
{
    caller *place = free_place(door);
    if (place == NULL && has_waited(oldest(door), MILLISECONDS_SURE)) {
        place = oldest(door);
        leave(place);
    }
    return place;
}

/* The process or the system has no more descriptors or memory. */
static bool is_shortage(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void accept_some(view_door *door)
{
    for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
        caller *place = make_place(door);
        if (place == NULL)
            return;
        int yes = 1, number = accept4(door->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (number < 0 && is_shortage(errno) && has_waited(oldest(door), MILLISECONDS_SURE)) {
            leave(oldest(door));
            continue;
        }
        if (number < 0) {
            /* The connection stays in the queue, so poll would not wait. */
            if (is_shortage(errno))
                door->pause_until = ashi_seconds() + 1e-3 * MILLISECONDS_SURE;
            return;
        }
        setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        place->socket = number;
        place->since = ashi_seconds();
        place->seen = 0;
        listen_to(door, place);
    }
}

/* Milliseconds until the thread has something to do that no socket tells it. */
static int time_to_wait(view_door *door, bool open)
{
    caller *first = oldest(door);
    double until = first != NULL ? first->since + 1e-3 * (open ? MILLISECONDS_TO_SHOW : MILLISECONDS_SURE) : 0;
    if (door->pause_until > 0 && (first == NULL || door->pause_until < until))
        until = door->pause_until;
    if (until == 0)
        return -1;
    double left = 1e3 * (until - ashi_seconds());
    return left > 0 ? (int)left + 1 : 0;
}

/* Waits, then serves those who are here before it lets others in. */
static bool take_turn(view_door *door)
{
    struct pollfd wanted[2 + WAITING_MOST];
    caller *whose[2 + WAITING_MOST];
    nfds_t count = 2; /* only sockets in use: poll takes no more entries than the process may have descriptors */
    if (door->pause_until > 0 && ashi_seconds() >= door->pause_until)
        door->pause_until = 0;
    bool room = free_place(door) != NULL || has_waited(oldest(door), MILLISECONDS_SURE);
    wanted[0] = (struct pollfd){door->stop[0], POLLIN, 0};
    wanted[1] = (struct pollfd){room && door->pause_until == 0 ? door->listener : -1, POLLIN, 0};
    for (uint32_t i = 0; i < WAITING_MOST; i++)
        if (door->callers[i].socket >= 0) {
            whose[count] = &door->callers[i];
            wanted[count++] = (struct pollfd){door->callers[i].socket, POLLIN, 0};
        }
    int ready = poll(wanted, count, time_to_wait(door, room));
    if (ready > 0 && wanted[0].revents != 0)
        return false;
    for (nfds_t i = 2; i < count; i++) {
        if (ready > 0 && wanted[i].revents != 0)
            listen_to(door, whose[i]);
        if (whose[i]->socket >= 0 && has_waited(whose[i], MILLISECONDS_TO_SHOW))
            leave(whose[i]);
    }
    if (ready > 0 && wanted[1].revents != 0)
        accept_some(door);
    return true;
}

static void *keep_door(void *user)
{
    while (take_turn(user))
        continue;
    return NULL;
}

view_door *view_door_open(view_gate *gate, void (*wake)(void *user), void *user, char *message, size_t message_size)
{
    int listener = view_listen(gate, message, message_size);
    if (listener < 0)
        return NULL;
    view_door *door = ashi_alloc_zeroed(sizeof *door);
    if (door == NULL || pthread_mutex_init(&door->mutex, NULL) != 0) {
        snprintf(message, message_size, "out of memory");
        ashi_dealloc(door);
        close(listener);
        return NULL;
    }
    door->gate = gate;
    door->listener = listener;
    door->wake = wake;
    door->user = user;
    for (uint32_t i = 0; i < WAITING_MOST; i++)
        door->callers[i].socket = -1;
    if (pipe2(door->stop, O_CLOEXEC) != 0)
        door->stop[0] = door->stop[1] = -1;
    door->runs = door->stop[0] >= 0 && pthread_create(&door->thread, NULL, keep_door, door) == 0;
    if (door->runs)
        return door;
    snprintf(message, message_size, "the system gave no thread");
    view_door_close(door);
    return NULL;
}

int view_door_next(view_door *door)
{
    int guest = -1;
    pthread_mutex_lock(&door->mutex);
    if (door->guest_count > 0) {
        guest = door->guests[0];
        memmove(door->guests, door->guests + 1, --door->guest_count * sizeof *door->guests);
    }
    pthread_mutex_unlock(&door->mutex);
    return guest;
}

void view_door_close(view_door *door)
{
    if (door == NULL)
        return;
    if (door->runs) {
        close(door->stop[1]); /* which the other end sees */
        door->stop[1] = -1;
        pthread_join(door->thread, NULL);
    }
    for (int guest = view_door_next(door); guest >= 0; guest = view_door_next(door))
        close(guest);
    for (uint32_t i = 0; i < WAITING_MOST; i++)
        if (door->callers[i].socket >= 0)
            leave(&door->callers[i]);
    for (int i = 0; i < 2; i++)
        if (door->stop[i] >= 0)
            close(door->stop[i]);
    close(door->listener);
    pthread_mutex_destroy(&door->mutex);
    ashi_dealloc(door);
}
