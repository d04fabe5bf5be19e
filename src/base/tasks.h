/* Parallel loops with results that do not depend on the number of threads.
 *
 * A loop is cut into chunks of a size that is fixed by the caller, never by the threads; each chunk writes only its own
 * data. Sums are formed from one partial sum per chunk, added in the order of the chunks. */
#ifndef ASHI_BASE_TASKS_H
#define ASHI_BASE_TASKS_H

#include "ashlar/base.h"

typedef struct ashi_tasks ashi_tasks;

/* Threads of our own (at least 1, counting the caller's), or the host's when `jobs` is not null. Null when memory or
 * threads ran out. */
ashi_tasks *ashi_tasks_create(uint32_t threads, const ash_jobs *jobs);
void ashi_tasks_destroy(ashi_tasks *tasks);
uint32_t ashi_tasks_workers(const ashi_tasks *tasks);

/* Processes [begin, end) as `worker`. */
typedef void (*ashi_range)(uint32_t begin, uint32_t end, uint32_t worker, void *data);

/* Calls `range` for each chunk of [0, count) and returns when all are done. Null tasks: in order on this thread.
 * `chunk` is at least 1. A range must not start a loop on the same tasks. */
void ashi_parallel_for(ashi_tasks *tasks, uint32_t count, uint32_t chunk, ashi_range range, void *data);

#endif
