/* The module ashlar-mpi.so: messages between the ranks of an MPI job, for sweeps. */
#include <mpi.h>

#include "app/sweep/ranks.h"

bool cli_ranks_begin(cli_ranks *ranks);

static void send(int to, int tag, const void *bytes, size_t size)
{
    MPI_Send(bytes, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static bool receive(int *from, int *tag, void *bytes, size_t size)
{
    MPI_Status status;
    int there = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
        return false;
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    MPI_Recv(bytes, (int)size, MPI_BYTE, *from, *tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
}

static void end(void)
{
    MPI_Finalize();
}

bool cli_ranks_begin(cli_ranks *ranks)
{
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &ranks->count) != MPI_SUCCESS)
        return false;
    ranks->send = send;
    ranks->receive = receive;
    ranks->end = end;
    return true;
}
