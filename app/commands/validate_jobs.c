/* A process for each scene: it writes its rows, which are plain data, to a pipe, and ends. The parent reads from all
 * pipes and starts the next scene where one has ended. Nothing is shared but these pipes, so that rows are the same
 * whatever the number of processes. */
#define _POSIX_C_SOURCE 200809L
#include "app/commands/validate_jobs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/choice.h"
#include "app/cli/command.h"
#include "app/cli/message.h"
#include "base/alloc.h"

typedef struct worker {
    pid_t process;
    int pipe;      /* what it writes */
    size_t filled; /* of the row that is being read, bytes */
    ash_validation_row row;
} worker;

/* ---- the child ---- */

static bool write_row(const ash_validation_row *row, void *user)
{
    const char *bytes = (const char *)row;
    for (size_t done = 0; done < sizeof *row;) {
        ssize_t count = write(*(const int *)user, bytes + done, sizeof *row - done);
        if (count < 0 && errno != EINTR)
            return false;
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static int work(const char *name, int out)
{
    ash_diagnostic diagnostic = {0};
    return ash_validate(name, write_row, &out, &diagnostic) == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}

/* ---- the parent ---- */

/* False when there is no process or no pipe to be had. */
static bool start(worker *w, const char *name)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        _exit(work(name, ends[1]));
    }
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return false;
    }
    *w = (worker){.process = process, .pipe = ends[0]};
    return true;
}

/* Whole rows of what there is to read; false at the end of the pipe. */
static bool take_rows(worker *w, bool (*row)(const ash_validation_row *row, void *user), void *user, bool *stopped)
{
    char *bytes = (char *)&w->row;
    ssize_t count = read(w->pipe, bytes + w->filled, sizeof w->row - w->filled);
    if (count <= 0)
        return count < 0 && errno == EINTR;
    w->filled += (size_t)count;
    if (w->filled < sizeof w->row)
        return true;
    w->filled = 0;
    *stopped = *stopped || !row(&w->row, user);
    return true;
}

/* The exit status of an ended worker. */
static int finish(worker *w)
{
    int status = 0;
    close(w->pipe);
    while (waitpid(w->process, &status, 0) < 0 && errno == EINTR)
        ;
    w->process = 0;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    cli_error("validate: an experiment ended by signal %d", WTERMSIG(status));
    return CLI_CANNOT_GO_ON;
}

/* Where there is no process to be had. */
static int validate_here(const char *name, bool (*row)(const ash_validation_row *row, void *user), void *user)
{
    ash_diagnostic diagnostic = {0};
    return ash_validate(name, row, user, &diagnostic) == ASH_OK ? CLI_DONE : cli_report(&diagnostic);
}

/* The next scene that no process has: long ones first. */
static const char *next_scene(const char *const *names, uint32_t count, bool *taken)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            ash_builtin_info info;
            bool lengthy = cli_builtin_find(names[i], &info) && info.lengthy;
            if (taken[i] || lengthy != (pass == 0))
                continue;
            taken[i] = true;
            return names[i];
        }
    return NULL;
}

static bool wait_for_rows(const worker *workers, uint32_t jobs, struct pollfd *pipes)
{
    for (uint32_t i = 0; i < jobs; i++)
        pipes[i] = (struct pollfd){.fd = workers[i].process > 0 ? workers[i].pipe : -1, .events = POLLIN};
    return poll(pipes, jobs, -1) >= 0 || errno == EINTR;
}

/* What is kept while scenes are run. */
typedef struct crew {
    worker *workers;
    struct pollfd *pipes;
    bool *taken; /* by scene */
    uint32_t jobs, busy;
    bool stopped;
} crew;

static int run_all(crew *c, const char *const *names, uint32_t count,
                   bool (*row)(const ash_validation_row *row, void *user), void *user)
{
    int status = CLI_DONE;
    for (;;) {
        for (uint32_t i = 0; i < c->jobs && !c->stopped && status == CLI_DONE; i++) {
            const char *name = c->workers[i].process == 0 ? next_scene(names, count, c->taken) : NULL;
            if (name != NULL && start(&c->workers[i], name))
                c->busy++;
            else if (name != NULL)
                status = validate_here(name, row, user);
        }
        if (c->busy == 0)
            return status;
        if (!wait_for_rows(c->workers, c->jobs, c->pipes))
            return CLI_BAD_INPUT;
        for (uint32_t i = 0; i < c->jobs; i++) {
            worker *w = &c->workers[i];
            if (w->process == 0 || c->pipes[i].revents == 0 || take_rows(w, row, user, &c->stopped))
                continue;
            int own = finish(w);
            status = own != CLI_DONE ? own : status;
            c->busy--;
        }
        for (uint32_t i = 0; i < c->jobs && c->stopped; i++)
            if (c->workers[i].process > 0)
                kill(c->workers[i].process, SIGTERM);
    }
}

int cli_validate_at_once(const char *const *names, uint32_t count, uint32_t jobs,
                         bool (*row)(const ash_validation_row *row, void *user), void *user)
{
    crew c = {.jobs = jobs < count ? jobs : count};
    c.workers = ashi_alloc_zeroed(c.jobs * sizeof *c.workers);
    c.pipes = ashi_alloc_zeroed(c.jobs * sizeof *c.pipes);
    c.taken = ashi_alloc_zeroed(count * sizeof *c.taken);
    int status = CLI_BAD_INPUT;
    if (c.workers != NULL && c.pipes != NULL && c.taken != NULL)
        status = run_all(&c, names, count, row, user);
    else
        cli_error("out of memory");
    ashi_dealloc(c.workers);
    ashi_dealloc(c.pipes);
    ashi_dealloc(c.taken);
    return status;
}
