/* The queue of open cases, and who works at them: the processes of this rank, and, in an MPI job, those of the others,
 * which ask rank 0 for cases and send it results. */
#ifndef CLI_SWEEP_QUEUE_H
#define CLI_SWEEP_QUEUE_H

#include "app/sweep/crew.h"
#include "app/sweep/journal.h"
#include "app/sweep/ranks.h"

typedef struct cli_queue {
    cli_crew *crew;
    cli_ranks *ranks;
    cli_journal *journal; /* of rank 0 */
    uint32_t next;        /* the first case that may be open */
    uint32_t *given;      /* by case: number + 1 of the link it was given to, 0: none */
    uint32_t away;        /* given and not back */
    uint32_t lost, broken, refused;
    bool failed;                                             /* a result could not be kept */
    bool (*told)(const struct cli_queue *queue, void *user); /* now and then; false ends the sweep */
    void *user;
} cli_queue;

/* Rank 0: all open cases are done, or the sweep was ended. */
void cli_queue_run(cli_queue *queue);
/* Any other rank: cases as long as rank 0 has some. */
void cli_queue_serve(cli_queue *queue);

#endif
