/* The module ashlar-mpi.so: lets the ranks of an MPI job meet, for sweeps. */
#include <mpi.h>

#include "app/sweep/ranks.h"

bool cli_ranks_meet(int *rank, int *count, bool (*prepare)(void *bytes, void *user), void *bytes, size_t size,
                    void *user);

bool cli_ranks_meet(int *rank, int *count, bool (*prepare)(void *bytes, void *user), void *bytes, size_t size,
                    void *user)
{
    int ready = 1;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS || MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, count) != MPI_SUCCESS)
        return false;
    if (*rank == 0)
        ready = prepare(bytes, user);
    return MPI_Bcast(&ready, 1, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS &&
           MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD) == MPI_SUCCESS && MPI_Finalize() == MPI_SUCCESS &&
           ready;
}
