/* What the benchmarks ran on. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The processor's name as the kernel tells it; "unknown" where it does not. */
static void processor_name(char *name, size_t size)
{
    char line[256];
    snprintf(name, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        colon += strspn(colon, ": ");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(name, size, "%s", colon);
        break;
    }
    fclose(file);
}

json_t *bench_machine(void)
{
    char name[256];
    processor_name(name, sizeof name);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return json_pack("{s:s, s:I, s:s, s:s}", "processor", name, "cores", (json_int_t)cores, "compiler",
#if defined(__clang__)
                     "clang " __clang_version__,
#else
                     "gcc " __VERSION__,
#endif
                     "version", ash_version());
}
