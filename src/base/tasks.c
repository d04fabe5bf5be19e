/* A pool of threads. Each worker has a share of a loop's chunks, the same part of every loop, so that its data stays in
 * its caches from loop to loop. It takes its own chunks first, then chunks that other workers have not taken. Loops of
 * a step follow each other within microseconds, so a worker spins for some time before it sleeps on a condition, and
 * only sleepers have to be woken. A loop never waits for a worker that has not arrived: on a busy machine that may take
 * long. */
#define _POSIX_C_SOURCE 200809L
#include "base/tasks.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#define SPINS      4096 /* about fifty microseconds: between two looks at the clock, or before a thread yields */
#define AWAKE      5e-4 /* s that a worker spins: as long as the serial parts of a step may last */
#define PATIENCE   16   /* looks, in about three microseconds, during which others may take their own chunks; ... */
#define LOOK_EVERY 16   /* ... and spins between two looks: each look delays the others */
#define OWN_LINE   64   /* bytes: data that other threads write has its own cache line */

typedef struct loop {
    ashi_range range;
    void *data;
    uint32_t count, chunk, chunks;
} loop;

typedef struct worker {
    _Alignas(OWN_LINE) ashi_tasks *tasks;
    uint32_t number;
    pthread_t thread;
    _Alignas(OWN_LINE) atomic_uint inside;        /* whether the worker may be taking chunks */
    _Alignas(OWN_LINE) atomic_uint_fast64_t next; /* next chunk of its share; the high bits hold the round */
} worker;

struct ashi_tasks {
    ash_jobs jobs;    /* the host's threads; run is null when the threads are ours */
    uint32_t workers; /* including the caller */
    worker *own;      /* the first is the caller; workers - 1 others are started */
    uint32_t started;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint sleepers;
    atomic_bool stop;
    _Alignas(OWN_LINE) atomic_uint round; /* odd while a loop is open */
    loop current;
};

/* Tells the processor core that this thread only waits. */
static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static void run_chunk(const loop *l, uint32_t chunk, uint32_t number)
{
    uint32_t begin = chunk * l->chunk;
    uint32_t end = l->count - begin > l->chunk ? begin + l->chunk : l->count;
    l->range(begin, end, number, l->data);
}

/* The part of a loop that a worker takes first. */
typedef struct share {
    worker *of;
    unsigned round;
    uint32_t begin, count; /* chunks */
} share;

static share share_of(const ashi_tasks *tasks, uint32_t number, unsigned round)
{
    uint64_t chunks = tasks->current.chunks;
    uint32_t begin = (uint32_t)(chunks * number / tasks->workers);
    return (share){&tasks->own[number], round, begin, (uint32_t)(chunks * (number + 1) / tasks->workers) - begin};
}

/* How many of its chunks have been taken. */
static uint32_t count_taken(const share *s)
{
    uint_fast64_t next = atomic_load_explicit(&s->of->next, memory_order_relaxed);
    return (unsigned)(next >> 32) == s->round ? (uint32_t)next : 0;
}

/* Runs the rest of the share except `left` chunks: half of the rest at a time, so that the shared counter is rarely
 * touched. */
static void run_share(const ashi_tasks *tasks, const share *s, uint32_t left, uint32_t number)
{
    uint_fast64_t now = atomic_load_explicit(&s->of->next, memory_order_relaxed);
    for (;;) {
        uint32_t taken = (unsigned)(now >> 32) == s->round ? (uint32_t)now : 0;
        if (s->count - taken <= left)
            return;
        uint32_t end = taken + (s->count - taken + 1) / 2;
        if (!atomic_compare_exchange_weak(&s->of->next, &now, (uint_fast64_t)s->round << 32 | end))
            continue;
        for (uint32_t i = taken; i < end; i++)
            run_chunk(&tasks->current, s->begin + i, number);
        now = atomic_load_explicit(&s->of->next, memory_order_relaxed);
    }
}

/* Runs the worker's own share, then the rest of other shares, once their workers have begun or had time to. Their last
 * chunk is mostly left to them. */
static void run_chunks(ashi_tasks *tasks, unsigned round, uint32_t number)
{
    share own = share_of(tasks, number, round);
    int spins = 0;
    run_share(tasks, &own, 0, number);
    for (uint32_t left = 2; left-- > 0;)
        for (uint32_t k = 1; k < tasks->workers; k++) {
            share s = share_of(tasks, (number + k) % tasks->workers, round);
            uint32_t enough = left > 0 && s.count > 0 ? 1 : s.count;
            for (; spins < PATIENCE && count_taken(&s) < enough; spins++)
                for (int i = 0; i < LOOK_EVERY; i++)
                    relax();
            run_share(tasks, &s, left, number);
        }
}

/* Waits for a loop after round `seen`: first spins, then sleeps. */
static unsigned wait_for_loop(ashi_tasks *tasks, unsigned seen)
{
    double begin = ashi_seconds();
    do {
        for (int i = 0; i < SPINS; i++) {
            unsigned round = atomic_load_explicit(&tasks->round, memory_order_acquire);
            if ((round & 1) != 0 && round != seen)
                return round;
            relax();
        }
        sched_yield(); /* to threads with work, if there are few cores */
    } while (ashi_seconds() - begin < AWAKE);
    pthread_mutex_lock(&tasks->mutex);
    atomic_fetch_add(&tasks->sleepers, 1);
    unsigned round;
    while (round = atomic_load(&tasks->round), (round & 1) == 0 || round == seen)
        pthread_cond_wait(&tasks->wake, &tasks->mutex);
    atomic_fetch_sub(&tasks->sleepers, 1);
    pthread_mutex_unlock(&tasks->mutex);
    return round;
}

static void *work(void *argument)
{
    worker *self = argument;
    ashi_tasks *tasks = self->tasks;
    unsigned seen = 0;
    for (;;) {
        seen = wait_for_loop(tasks, seen);
        if (atomic_load(&tasks->stop))
            return NULL;
        atomic_store(&self->inside, 1);
        if (atomic_load(&tasks->round) == seen) /* it is still open, and stays open while workers are inside */
            run_chunks(tasks, seen, self->number);
        atomic_store(&self->inside, 0);
    }
}

/* Returns the round. A sleeper has either been counted here, or sees the new round before it sleeps. */
static unsigned open_loop(ashi_tasks *tasks)
{
    unsigned round = atomic_fetch_add(&tasks->round, 1) + 1;
    if (atomic_load(&tasks->sleepers) == 0)
        return round;
    pthread_mutex_lock(&tasks->mutex);
    pthread_cond_broadcast(&tasks->wake);
    pthread_mutex_unlock(&tasks->mutex);
    return round;
}

/* Waits for the workers inside. */
static void close_loop(ashi_tasks *tasks)
{
    atomic_fetch_add(&tasks->round, 1);
    int spins = 0;
    for (uint32_t i = 1; i < tasks->workers; i++)
        while (atomic_load(&tasks->own[i].inside) != 0) {
            relax();
            if (++spins > SPINS)
                sched_yield();
        }
}

/* Signals to the process belong to the host's threads: ours accept only signals of their own faults and a
 * profiler's. */
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
    for (uint32_t i = 0; i < tasks->workers; i++)
        tasks->own[i] = (worker){.tasks = tasks, .number = i};
    hold_signals(&signals); /* new threads inherit the mask of their creator */
    uint32_t wanted = tasks->workers - 1;
    while (tasks->started < wanted) {
        worker *next = &tasks->own[tasks->started + 1];
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
    open_loop(tasks);
    for (uint32_t i = 0; i < tasks->started; i++)
        pthread_join(tasks->own[i + 1].thread, NULL);
    pthread_cond_destroy(&tasks->wake);
    pthread_mutex_destroy(&tasks->mutex);
    ashi_dealloc(tasks->own);
    ashi_dealloc(tasks);
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
    unsigned round = open_loop(tasks);
    run_chunks(tasks, round, 0);
    close_loop(tasks);
}
