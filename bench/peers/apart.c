/* A race in a process of its own: a copy of this one that sends its result through a pipe. Texts in a result are
 * constants of the program, at the same addresses in both. */
#define _POSIX_C_SOURCE 200809L
#include "race.h"

#include "base/clock.h"
#include "base/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RAN = 0, NO_MEMORY = 1 };

/* On a machine that does other things a run takes longer than its processor time. */
static double longest(double patience)
{
    return 4 * patience + 5;
}

static _Noreturn void run_and_send(const race_course *course, const peer *engine, uint32_t substeps, int pipe_end)
{
    ash_diagnostic diagnostic = {0};
    race_result result;
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    ash_status status = race_run(course, engine, substeps, &result, &diagnostic);
    bool sent = status == ASH_OK && write(pipe_end, &result, sizeof result) == (ssize_t)sizeof result;
    _exit(sent ? RAN : NO_MEMORY);
}

/* Waits for the whole result; false when none comes in time, or the other end closes before. */
static bool receive(int pipe_end, double patience, race_result *result)
{
    double until = ashi_seconds() + longest(patience);
    char *bytes = (char *)result;
    for (size_t have = 0; have < sizeof *result;) {
        struct pollfd wait_for = {.fd = pipe_end, .events = POLLIN};
        double left = until - ashi_seconds();
        int ready = left > 0 ? poll(&wait_for, 1, (int)(1e3 * left) + 1) : 0;
        ssize_t got = ready > 0 ? read(pipe_end, bytes + have, sizeof *result - have) : 0;
        if ((ready < 0 || got < 0) && errno == EINTR)
            continue;
        if (ready <= 0 || got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

/* Ends the other process, if it still runs, and says how it ended. */
static int end_of(pid_t process, bool kill_it)
{
    int how = 0;
    if (kill_it)
        kill(process, SIGKILL);
    while (waitpid(process, &how, 0) < 0 && errno == EINTR)
        continue;
    return how;
}

ash_status race_run_apart(const race_course *course, const peer *engine, uint32_t substeps, race_result *result,
                          ash_diagnostic *diagnostic)
{
    int ends[2];
    fflush(NULL); /* or the copy has what is still to be written, too */
    if (pipe(ends) != 0)
        return ashi_fail(diagnostic, ASH_BAD_DATA, "bench.peers", "no pipe: %s", strerror(errno));
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        run_and_send(course, engine, substeps, ends[1]);
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return ashi_fail(diagnostic, ASH_BAD_DATA, "bench.peers", "no process: %s", strerror(errno));
    }
    double started = ashi_seconds();
    bool good = receive(ends[0], course->patience, result);
    bool late = !good && ashi_seconds() - started >= longest(course->patience);
    close(ends[0]);
    int how = end_of(process, late);
    if (good)
        return ASH_OK;
    *result = (race_result){.stuck = late, .lost = !late};
    if (!late && WIFEXITED(how) && WEXITSTATUS(how) == NO_MEMORY)
        return ashi_out_of_memory(diagnostic);
    result->signal = !late && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    return ASH_OK;
}
