/* Parallel loops: every index exactly once, the same sums for any number of threads and for the host's threads. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/tasks.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

typedef struct job {
    uint32_t count, chunk, workers;
    unsigned char *visits; /* of each index */
    double *values, *partial;
    atomic_uint calls, wrong;
    atomic_bool inside[8]; /* a worker number is in use */
} job;

static void visit(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    job *j = data;
    atomic_fetch_add(&j->calls, 1);
    bool sane = worker < j->workers && begin % j->chunk == 0 && end > begin && end - begin <= j->chunk &&
                end <= j->count && (end == j->count || end - begin == j->chunk);
    if (!sane || atomic_exchange(&j->inside[worker], true))
        atomic_fetch_add(&j->wrong, 1);
    double sum = 0;
    for (uint32_t i = begin; i < end; i++) {
        j->visits[i]++;
        sum += j->values[i];
    }
    j->partial[begin / j->chunk] = sum;
    atomic_store(&j->inside[worker], false);
}

/* Runs the loop, checks that it covered everything once, and returns the sum. */
static double run_loop(ashi_tasks *tasks, uint32_t count, uint32_t chunk)
{
    job j = {.count = count, .chunk = chunk, .workers = ashi_tasks_workers(tasks)};
    uint32_t chunks = (count + chunk - 1) / chunk;
    j.visits = calloc(count + 1, 1);
    j.values = malloc((count + 1) * sizeof *j.values);
    j.partial = malloc((chunks + 1) * sizeof *j.partial);
    assert_true(j.visits != NULL && j.values != NULL && j.partial != NULL);
    ashi_random random = {count};
    for (uint32_t i = 0; i < count; i++)
        j.values[i] = ashi_random_range(&random, -1, 1);
    ashi_parallel_for(tasks, count, chunk, visit, &j);
    assert_int_equal(atomic_load(&j.calls), chunks);
    assert_int_equal(atomic_load(&j.wrong), 0);
    double sum = 0;
    for (uint32_t i = 0; i < chunks; i++)
        sum += j.partial[i];
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(j.visits[i], 1);
    free(j.visits);
    free(j.values);
    free(j.partial);
    return sum;
}

static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 1000, 4096, 20011};

static void check_against_one_thread(ashi_tasks *tasks)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t chunk = 1; chunk <= 1024; chunk *= 8)
            assert_true(run_loop(tasks, counts[i], chunk) == run_loop(NULL, counts[i], chunk));
}

static void test_same_sums_for_any_number_of_threads(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        ashi_tasks *tasks = ashi_tasks_create(threads, NULL);
        assert_non_null(tasks);
        assert_int_equal(ashi_tasks_workers(tasks), threads);
        check_against_one_thread(tasks);
        ashi_tasks_destroy(tasks);
    }
    assert_int_equal(ashi_tasks_workers(NULL), 1);
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* A host with two threads that share the items, each with a number of its own. */
typedef struct host_round {
    atomic_uint next;
    uint32_t items;
    ash_task task;
    void *data;
} host_round;

typedef struct host_thread {
    host_round *round;
    uint32_t number;
} host_thread;

static void *host_work(void *argument)
{
    host_thread *self = argument;
    for (uint32_t i = atomic_fetch_add(&self->round->next, 1); i < self->round->items;
         i = atomic_fetch_add(&self->round->next, 1))
        self->round->task(self->round->items - 1 - i, self->number, self->round->data); /* backwards: order is free */
    return NULL;
}

static void host_run(void *host, uint32_t items, ash_task task, void *data)
{
    host_round round = {.items = items, .task = task, .data = data};
    host_thread caller = {&round, 0}, other = {&round, 1};
    pthread_t thread;
    ++*(int *)host;
    if (pthread_create(&thread, NULL, host_work, &other) != 0)
        abort();
    host_work(&caller);
    pthread_join(thread, NULL);
}

static void test_the_threads_of_a_host(void **state)
{
    (void)state;
    int rounds = 0;
    ash_jobs jobs = {host_run, &rounds, 2};
    ashi_tasks *tasks = ashi_tasks_create(7, &jobs);
    assert_non_null(tasks);
    assert_int_equal(ashi_tasks_workers(tasks), 2);
    check_against_one_thread(tasks);
    assert_true(rounds > 0);
    ashi_tasks_destroy(tasks);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_at_least_one_worker(void **state)
{
    (void)state;
    ashi_tasks *tasks = ashi_tasks_create(0, NULL);
    assert_int_equal(ashi_tasks_workers(tasks), 1);
    check_against_one_thread(tasks);
    ashi_tasks_destroy(tasks);
}

static void test_made_and_unmade_often(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        ashi_tasks *tasks = ashi_tasks_create(1 + (uint32_t)i % 4, NULL);
        assert_non_null(tasks);
        if (i % 3 != 0)
            run_loop(tasks, 500, 10);
        ashi_tasks_destroy(tasks);
    }
    ashi_tasks_destroy(NULL);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void add_one(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    for (uint32_t i = begin; i < end; i++)
        ++((uint32_t *)data)[i];
}

/* Loops that follow each other closely, each reading what the one before wrote, and pauses that let workers sleep. */
static void test_loops_in_quick_succession(void **state)
{
    (void)state;
    uint32_t values[97] = {0};
    ashi_tasks *tasks = ashi_tasks_create(4, NULL);
    for (int round = 0; round < 3000; round++)
        ashi_parallel_for(tasks, 97, 8, add_one, values);
    for (int round = 0; round < 5; round++) {
        struct timespec pause = {0, 3000000};
        nanosleep(&pause, NULL);
        ashi_parallel_for(tasks, 97, 8, add_one, values);
    }
    for (int i = 0; i < 97; i++)
        assert_int_equal(values[i], 3005);
    ashi_tasks_destroy(tasks);
}

static void look_at_signals(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)begin, (void)end;
    struct timespec pause = {0, 1000000}; /* so that every worker gets some */
    nanosleep(&pause, NULL);
    sigset_t held;
    pthread_sigmask(SIG_BLOCK, NULL, &held);
    if (sigismember(&held, SIGTERM) != (worker > 0) || sigismember(&held, SIGSEGV) != 0)
        ++((uint32_t *)data)[worker];
}

/* Signals to the process reach the host's thread, whichever mask it has. */
static void test_workers_take_no_signals(void **state)
{
    (void)state;
    uint32_t wrong[4] = {0};
    ashi_tasks *tasks = ashi_tasks_create(4, NULL);
    ashi_parallel_for(tasks, 64, 1, look_at_signals, wrong);
    for (int i = 0; i < 4; i++)
        assert_int_equal(wrong[i], 0);
    ashi_tasks_destroy(tasks);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 2; k++) {
        ashi_alloc_fail_at(k, false);
        assert_null(ashi_tasks_create(3, NULL));
        ashi_alloc_fail_at(0, false);
        assert_int_equal(ash_memory_used().blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_sums_for_any_number_of_threads),
        cmocka_unit_test(test_the_threads_of_a_host),
        cmocka_unit_test(test_at_least_one_worker),
        cmocka_unit_test(test_made_and_unmade_often),
        cmocka_unit_test(test_loops_in_quick_succession),
        cmocka_unit_test(test_workers_take_no_signals),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
