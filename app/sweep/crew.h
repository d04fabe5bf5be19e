/* Worker processes: each takes a case, runs it, hands back what it measured. One that ends loses its case only, and
 * another takes its place. */
#ifndef CLI_SWEEP_CREW_H
#define CLI_SWEEP_CREW_H

#include <sys/types.h>

#include "app/sweep/ranks.h"
#include "app/sweep/work.h"

typedef struct cli_worker {
    pid_t process; /* 0: there is none */
    int channel;
    bool busy;
    uint32_t number; /* of its case */
    size_t filled;   /* of `result`, bytes */
    cli_case *result;
} cli_worker;

typedef struct cli_crew {
    const cli_work *work;
    cli_ranks *ranks; /* whose links are not the workers' */
    cli_worker *workers;
    uint32_t count, busy;
} cli_crew;

/* Starts `count` processes; false when it was told that there are none to be had. */
bool cli_crew_start(cli_crew *crew, const cli_work *work, cli_ranks *ranks, uint32_t count);
/* Gives a case to a worker that is idle; false when none is. */
bool cli_crew_give(cli_crew *crew, uint32_t number);
/* Waits for results, at most so long (ms; -1: without end), and hands each on. The state of a case whose process ended
 * is CLI_CASE_LOST. */
void cli_crew_wait(cli_crew *crew, int milliseconds, void (*take)(const cli_case *result, void *user), void *user);
/* Ends all processes; what they were at is lost. */
void cli_crew_end(cli_crew *crew);

#endif
