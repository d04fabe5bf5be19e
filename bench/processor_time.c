/* The time that this thread has spent on a processor: what others do on the machine counts only as far as they take
 * the caches. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <time.h>

double bench_processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
