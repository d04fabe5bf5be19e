/* The other processes of an MPI job. MPI is in a module of its own, ashlar-mpi.so, which is loaded only where mpirun
 * started the program: without it the program neither needs nor loads MPI. */
#ifndef CLI_SWEEP_RANKS_H
#define CLI_SWEEP_RANKS_H

#include <stdbool.h>
#include <stddef.h>

/* What the module gives; all calls are of one thread. A message has a tag and bytes. */
typedef struct cli_ranks {
    int rank, count;
    void (*send)(int to, int tag, const void *bytes, size_t size);
    /* The next message, if there is one: its sender, tag, and at most `size` bytes. */
    bool (*receive)(int *from, int *tag, void *bytes, size_t size);
    void (*end)(void); /* every rank comes here */
} cli_ranks;

/* The function of the module, "cli_ranks_begin". */
typedef bool (*cli_ranks_function)(cli_ranks *ranks);

/* Joins the job. Without one: rank 0 of 1, and no functions. False, with a message, when there is a job but no module.
 */
bool cli_ranks_join(cli_ranks *ranks);

#endif
