/* How the ranks of a job come together, and who survives whom.
 *
 * mpirun ends a job when a process that it watches is killed. So a rank other than 0 leaves its work to a child that is
 * not watched, and ends well at once. A child that is killed closes its link, and rank 0 has lost one case; a child
 * whose link is closed ends, so that all end with rank 0. Where another launcher started the job, there are no
 * children, as it may clear away what ranks leave behind. */
#define _XOPEN_SOURCE 700
#include "app/sweep/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/message.h"
#include "app/sweep/links.h"

/* The variables that launchers set for each process: Open MPI, MPICH and Slurm's PMI, PMIx. */
static bool is_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMI_RANK") != NULL || getenv("PMIX_RANK") != NULL;
}

static void *open_module(void)
{
    static const char *const places[] = {"ashlar-mpi.so", ASHLAR_MODULES "/ashlar-mpi.so"};
    char program[3000], path[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        slash[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", program, places[i]);
        if (access(path, R_OK) == 0)
            return dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* Open MPI's own modules look for its symbols */
    }
    return NULL;
}

static bool prepare(void *bytes, void *user)
{
    return cli_links_listen(user, bytes);
}

/* The rest of the program is the child's. False: there is none. */
static bool leave_to_child(void)
{
    fflush(stdout);
    fflush(stderr);
    pid_t child = fork();
    if (child > 0)
        _exit(0);
    return child == 0 && setsid() >= 0;
}

bool cli_ranks_join(cli_ranks *ranks)
{
    *ranks = (cli_ranks){.count = 1, .door = -1, .launcher = getppid()};
    if (!is_launched())
        return true;
    void *module = open_module(), *symbol = module != NULL ? dlsym(module, "cli_ranks_meet") : NULL;
    cli_ranks_meet_function meet;
    if (symbol == NULL) {
        cli_error("sweep: this is an MPI job, but this ashlar was built without MPI (ashlar-mpi.so is not there)");
        return false;
    }
    memcpy(&meet, &symbol, sizeof meet);
    cli_invitation invitation = {0};
    if (!meet(&ranks->rank, &ranks->count, prepare, &invitation, sizeof invitation, ranks)) {
        cli_error("sweep: MPI cannot be started");
        return false;
    }
    if (ranks->rank == 0)
        return true;
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL && !leave_to_child())
        return false;
    if (cli_links_connect(ranks, &invitation))
        return true;
    cli_error("sweep: rank %d cannot reach rank 0 (%s, port %s)", ranks->rank, invitation.addresses[0],
              invitation.port);
    return false;
}

bool cli_ranks_deserted(const cli_ranks *ranks)
{
    return ranks->rank == 0 && ranks->count > 1 && getppid() != ranks->launcher;
}
