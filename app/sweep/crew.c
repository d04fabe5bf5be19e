/* Processes instead of threads: a simulation that crashes or is killed takes nothing else with it. A channel is a pair
 * of sockets; case numbers go one way, results of a fixed size the other. */
#define _POSIX_C_SOURCE 200809L
#include "app/sweep/crew.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/message.h"
#include "base/alloc.h"

/* ---- the child ---- */

static pid_t parent;

/* Is nobody there to take the result? */
static bool is_orphan(void)
{
    return getppid() != parent;
}

static bool read_all(int channel, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = read(channel, (char *)bytes + done, size - done);
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool write_all(int channel, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = write(channel, (const char *)bytes + done, size - done);
        if (count < 0 && errno != EINTR)
            return false;
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Takes cases until the channel ends. */
static void work_on(const cli_work *work, int channel, cli_case *result)
{
    uint32_t number;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGTERM, SIG_DFL);
    while (read_all(channel, &number, sizeof number)) {
        cli_work_run(work, number, NULL, is_orphan, result);
        if (!write_all(channel, result, cli_case_size(&work->measures)))
            return;
    }
}

/* ---- the parent ---- */

static bool start(cli_crew *crew, cli_worker *worker)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return false;
    fflush(stdout);
    fflush(stderr);
    pid_t own = getpid(), process = fork();
    if (process == 0) {
        parent = own;
        for (uint32_t i = 0; i < crew->count; i++)
            if (crew->workers[i].process > 0)
                close(crew->workers[i].channel);
        close(ends[0]);
        cli_ranks_leave(crew->ranks);
        work_on(crew->work, ends[1], worker->result);
        _exit(0);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return false;
    }
    worker->process = process;
    worker->channel = ends[0];
    worker->busy = false;
    worker->filled = 0;
    return true;
}

static void finish(cli_worker *worker)
{
    close(worker->channel);
    while (waitpid(worker->process, NULL, 0) < 0 && errno == EINTR)
        ;
    worker->process = 0;
}

bool cli_crew_start(cli_crew *crew, const cli_work *work, cli_ranks *ranks, uint32_t count)
{
    *crew = (cli_crew){
        .work = work, .ranks = ranks, .count = count, .workers = ashi_alloc_zeroed(count * sizeof *crew->workers)};
    signal(SIGPIPE, SIG_IGN);
    bool done = crew->workers != NULL;
    for (uint32_t i = 0; done && i < count; i++) {
        crew->workers[i].result = ashi_alloc_zeroed(cli_case_size(&work->measures));
        done = crew->workers[i].result != NULL;
    }
    for (uint32_t i = 0; done && i < count; i++)
        if (!start(crew, &crew->workers[i])) {
            cli_error("sweep: no process can be started: %s", strerror(errno));
            return false;
        }
    if (!done)
        cli_error("out of memory");
    return done;
}

/* The case has no result. */
static void lose(cli_crew *crew, cli_worker *worker, void (*take)(const cli_case *result, void *user), void *user)
{
    finish(worker);
    if (!worker->busy)
        return;
    worker->busy = false;
    crew->busy--;
    *worker->result = (cli_case){.number = worker->number, .state = CLI_CASE_LOST};
    snprintf(worker->result->message, sizeof worker->result->message, "its process ended");
    for (uint32_t i = 0; i < crew->work->measures.names.count; i++)
        worker->result->values[i] = (double)NAN;
    take(worker->result, user);
}

bool cli_crew_give(cli_crew *crew, uint32_t number)
{
    for (uint32_t i = 0; i < crew->count; i++) {
        cli_worker *worker = &crew->workers[i];
        if (worker->busy || (worker->process == 0 && !start(crew, worker)))
            continue;
        if (!write_all(worker->channel, &number, sizeof number)) {
            finish(worker);
            continue;
        }
        worker->busy = true;
        worker->number = number;
        worker->filled = 0;
        crew->busy++;
        return true;
    }
    return false;
}

void cli_crew_wait(cli_crew *crew, int milliseconds, void (*take)(const cli_case *result, void *user), void *user)
{
    enum { MOST = 1024 };
    struct pollfd channels[MOST];
    uint32_t count = crew->count < MOST ? crew->count : MOST;
    for (uint32_t i = 0; i < count; i++)
        channels[i] =
            (struct pollfd){.fd = crew->workers[i].process > 0 ? crew->workers[i].channel : -1, .events = POLLIN};
    if (poll(channels, count, milliseconds) <= 0)
        return;
    size_t size = cli_case_size(&crew->work->measures);
    for (uint32_t i = 0; i < count; i++) {
        cli_worker *worker = &crew->workers[i];
        if (channels[i].revents == 0)
            continue;
        ssize_t got = read(worker->channel, (char *)worker->result + worker->filled, size - worker->filled);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            lose(crew, worker, take, user);
            continue;
        }
        worker->filled += (size_t)got;
        if (worker->filled == size) {
            worker->busy = false;
            worker->filled = 0;
            crew->busy--;
            take(worker->result, user);
        }
    }
}

void cli_crew_end(cli_crew *crew)
{
    for (uint32_t i = 0; i < crew->count && crew->workers != NULL; i++) {
        if (crew->workers[i].process > 0) {
            if (crew->workers[i].busy)
                kill(crew->workers[i].process, SIGKILL);
            finish(&crew->workers[i]);
        }
        ashi_dealloc(crew->workers[i].result);
    }
    ashi_dealloc(crew->workers);
    *crew = (cli_crew){0};
}
