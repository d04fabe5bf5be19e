/* A race in a process of its own: a copy of this one that sends its result through a pipe. Texts in a result are
 * constants of the program, at the same addresses in both. */
#define _POSIX_C_SOURCE 200809L
#include "race.h"

#include "base/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RAN = 0, NO_MEMORY = 1 };

/* After so much processor time the system ends the process: on a busy machine the clock on the wall says nothing. Runs
 * end by themselves after `patience`, unless a single step takes far longer. */
static void limit_time(double patience, uint32_t threads)
{
    rlim_t most = (rlim_t)((2 * patience + 1) * threads);
    setrlimit(RLIMIT_CPU, &(struct rlimit){most, most + 2});
}

static _Noreturn void run_and_send(const race_course *course, const peer *engine, uint32_t substeps, int pipe_end)
{
    ash_diagnostic diagnostic = {0};
    race_result result;
    limit_time(course->patience, engine->threads);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    ash_status status = race_run(course, engine, substeps, &result, &diagnostic);
    bool sent = status == ASH_OK && write(pipe_end, &result, sizeof result) == (ssize_t)sizeof result;
    _exit(sent ? RAN : NO_MEMORY);
}

/* Waits for the whole result; false when the other end closes before. */
static bool receive(int pipe_end, race_result *result)
{
    char *bytes = (char *)result;
    for (size_t have = 0; have < sizeof *result;) {
        ssize_t got = read(pipe_end, bytes + have, sizeof *result - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

static int end_of(pid_t process)
{
    int how = 0;
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
    bool good = receive(ends[0], result);
    close(ends[0]);
    int how = end_of(process);
    if (good)
        return ASH_OK;
    if (WIFEXITED(how) && WEXITSTATUS(how) == NO_MEMORY)
        return ashi_out_of_memory(diagnostic);
    int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    bool stuck = number == SIGXCPU || number == SIGKILL;
    *result = (race_result){.stuck = stuck, .lost = !stuck, .signal = number};
    return ASH_OK;
}
