/* Finds the module beside the program, or where it is installed. */
#define _XOPEN_SOURCE 700
#include "app/sweep/ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/message.h"

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

bool cli_ranks_join(cli_ranks *ranks)
{
    *ranks = (cli_ranks){.count = 1};
    if (!is_launched())
        return true;
    void *module = open_module(), *symbol = module != NULL ? dlsym(module, "cli_ranks_begin") : NULL;
    cli_ranks_function begin;
    if (symbol == NULL) {
        cli_error("sweep: this is an MPI job, but this ashlar was built without MPI (ashlar-mpi.so is not there)");
        return false;
    }
    memcpy(&begin, &symbol, sizeof begin);
    if (begin(ranks))
        return true;
    cli_error("sweep: MPI cannot be started");
    return false;
}
