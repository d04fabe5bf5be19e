/* A pool of threads that sleep on a condition until a loop comes, then take chunks from an atomic counter until none is
 * left. A worker spins for a moment before it sleeps, because the stages of a step follow each other closely. Nobody
 * waits for a worker that has not come: on a machine that is busy with other things it may be long in coming. */
#define _POSIX_C_SOURCE 200809L
#include "base/tasks.h"

#include "base/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#define SPINS 2000 /* some ten microseconds */

typedef struct loop {
    ashi_range range;
    void *data;
    uint32_t count, chunk, chunks;
} loop;

typedef struct worker {
    ashi_tasks *tasks;
    uint32_t number;
    pthread_t thread;
} worker;

struct ashi_tasks {
    ash_jobs jobs;    /* the host's; run is null when the threads are ours */
    uint32_t workers; /* with the caller */
    worker *own;      /* workers - 1 of them are started */
    uint32_t started;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint round;         /* counts loops; a change wakes the workers */
    atomic_uint_fast64_t next; /* chunk; wide, since each worker counts once past the end */
    atomic_bool open;          /* there is a loop to take chunks of */
    atomic_uint inside;        /* workers that may be taking some */
    atomic_bool stop;
    loop current;
};

static void run_chunk(const loop *l, uint32_t chunk, uint32_t number)
{
    uint32_t begin = chunk * l->chunk;
    uint32_t end = l->count - begin > l->chunk ? begin + l->chunk : l->count;
    l->range(begin, end, number, l->data);
}

static void run_chunks(ashi_tasks *tasks, uint32_t number)
{
    const loop *l = &tasks->current;
    for (uint64_t i = atomic_fetch_add(&tasks->next, 1); i < l->chunks; i = atomic_fetch_add(&tasks->next, 1))
        run_chunk(l, (uint32_t)i, number);
}

/* Waits until the round differs from the one seen, first spinning, then asleep. */
static unsigned wait_for_round(ashi_tasks *tasks, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        unsigned round = atomic_load_explicit(&tasks->round, memory_order_acquire);
        if (round != seen)
            return round;
    }
    pthread_mutex_lock(&tasks->mutex);
    while (atomic_load(&tasks->round) == seen)
        pthread_cond_wait(&tasks->wake, &tasks->mutex);
    pthread_mutex_unlock(&tasks->mutex);
    return atomic_load(&tasks->round);
}

static void *work(void *argument)
{
    worker *self = argument;
    ashi_tasks *tasks = self->tasks;
    unsigned seen = 0;
    for (;;) {
        seen = wait_for_round(tasks, seen);
        if (atomic_load(&tasks->stop))
            return NULL;
        atomic_fetch_add(&tasks->inside, 1);
        if (atomic_load(&tasks->open))
            run_chunks(tasks, self->number);
        atomic_fetch_sub(&tasks->inside, 1);
    }
}

static void begin_round(ashi_tasks *tasks)
{
    pthread_mutex_lock(&tasks->mutex);
    atomic_fetch_add_explicit(&tasks->round, 1, memory_order_release);
    pthread_cond_broadcast(&tasks->wake);
    pthread_mutex_unlock(&tasks->mutex);
}

/* Signals to the process are for the host's threads: ours take only those of their own faults, and a profiler's. */
static void hold_signals(sigset_t *old)
{
    static const int own[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&held, own[i]);
    pthread_sigmask(SIG_BLOCK, &held, old);
}

static bool start_threads(ashi_tasks *tasks)
{
    sigset_t signals;
    tasks->own = ashi_alloc_array(tasks->workers, sizeof *tasks->own);
    if (tasks->own == NULL)
        return false;
    hold_signals(&signals); /* new threads have the mask of the one that makes them */
    uint32_t wanted = tasks->workers - 1;
    while (tasks->started < wanted) {
        worker *next = &tasks->own[tasks->started];
        *next = (worker){.tasks = tasks, .number = tasks->started + 1};
        if (pthread_create(&next->thread, NULL, work, next) != 0)
            break;
        tasks->started++;
    }
    pthread_sigmask(SIG_SETMASK, &signals, NULL);
    return tasks->started == wanted;
}

ashi_tasks *ashi_tasks_create(uint32_t threads, const ash_jobs *jobs)
{
    ashi_tasks *tasks = ashi_alloc_zeroed(sizeof *tasks);
    if (tasks == NULL)
        return NULL;
    pthread_mutex_init(&tasks->mutex, NULL);
    pthread_cond_init(&tasks->wake, NULL);
    if (jobs != NULL)
        tasks->jobs = *jobs;
    tasks->workers = jobs != NULL ? jobs->workers : threads;
    if (tasks->workers == 0)
        tasks->workers = 1;
    if (jobs == NULL && !start_threads(tasks)) {
        ashi_tasks_destroy(tasks);
        return NULL;
    }
    return tasks;
}

void ashi_tasks_destroy(ashi_tasks *tasks)
{
    if (tasks == NULL)
        return;
    atomic_store(&tasks->stop, true);
    begin_round(tasks);
    for (uint32_t i = 0; i < tasks->started; i++)
        pthread_join(tasks->own[i].thread, NULL);
    pthread_cond_destroy(&tasks->wake);
    pthread_mutex_destroy(&tasks->mutex);
    ashi_free(tasks->own);
    ashi_free(tasks);
}

uint32_t ashi_tasks_workers(const ashi_tasks *tasks)
{
    return tasks != NULL ? tasks->workers : 1;
}

static void host_task(uint32_t item, uint32_t number, void *data)
{
    run_chunk(data, item, number);
}

void ashi_parallel_for(ashi_tasks *tasks, uint32_t count, uint32_t chunk, ashi_range range, void *data)
{
    loop l = {range, data, count, chunk, count / chunk + (count % chunk != 0)};
    if (tasks != NULL && tasks->jobs.run != NULL && l.chunks > 1) {
        tasks->jobs.run(tasks->jobs.host, l.chunks, host_task, &l);
        return;
    }
    if (tasks == NULL || tasks->workers == 1 || l.chunks <= 1) {
        for (uint32_t i = 0; i < l.chunks; i++)
            run_chunk(&l, i, 0);
        return;
    }
    tasks->current = l;
    atomic_store(&tasks->next, 0);
    atomic_store(&tasks->open, true);
    begin_round(tasks);
    run_chunks(tasks, 0);
    atomic_store(&tasks->open, false);
    for (int spins = 0; atomic_load(&tasks->inside) != 0; spins++)
        if (spins > SPINS)
            sched_yield();
}
