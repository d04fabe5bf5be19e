/* The other processes of an MPI job, for sweeps. MPI only tells where rank 0 listens; from then on ranks talk to rank 0
 * over TCP, which says at once when one of them is gone. MPI is in a module of its own, ashlar-mpi.so, which is loaded
 * only where mpirun started the program: without it the program neither needs nor loads MPI. */
#ifndef CLI_SWEEP_RANKS_H
#define CLI_SWEEP_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_link cli_link;

typedef struct cli_ranks {
    int rank, count;
    cli_link *links; /* of rank 0: those that came; of the others: to rank 0 */
    uint32_t link_count, link_capacity;
    int door;     /* where rank 0 listens; -1: nowhere */
    int launcher; /* the process that started rank 0 */
} cli_ranks;

/* What the module has, under the name "cli_ranks_meet": starts MPI, tells rank and count, copies what `prepare` writes
 * on rank 0 to all, ends MPI. */
typedef bool (*cli_ranks_meet_function)(int *rank, int *count, bool (*prepare)(void *bytes, void *user), void *bytes,
                                        size_t size, void *user);

enum { CLI_RANK_GONE = 0 }; /* the tag of the last message of a link: it is closed */

/* Joins the job. Without one: rank 0 of 1, and no links. False, with a message, when there is a job but no module. */
bool cli_ranks_join(cli_ranks *ranks);
/* A message has a tag from 1 and bytes; none is sent to what is gone. */
void cli_ranks_send(cli_ranks *ranks, uint32_t to, uint32_t tag, const void *bytes, size_t size);
/* The next message, if there is one: its link, tag, and bytes, at most `size`. */
bool cli_ranks_receive(cli_ranks *ranks, uint32_t *from, uint32_t *tag, void *bytes, size_t size);
/* Is the launcher gone, so that nobody waits for rank 0? */
bool cli_ranks_deserted(const cli_ranks *ranks);
/* Closes all links. */
void cli_ranks_leave(cli_ranks *ranks);

#endif
