/* Every kind of broad phase reports the pairs that comparing all boxes gives, in the same order, over random and
 * adversarial worlds, for any number of threads. */
#include "broad_worlds.h"

#include "base/tasks.h"

enum { STEPS = 20 + TRIALS(20) };

static void assert_same_pairs(const ashi_broad_pairs *pairs, const ashi_broad_pair *expected, uint32_t count,
                              const char *where)
{
    for (uint32_t i = 0; i < count && i < pairs->count; i++)
        if (pairs->data[i].a != expected[i].a || pairs->data[i].b != expected[i].b)
            fail_msg("%s: pair %u of %u is (%u, %u), expected (%u, %u)", where, i, count, pairs->data[i].a,
                     pairs->data[i].b, expected[i].a, expected[i].b);
    if (pairs->count != count)
        fail_msg("%s: %u pairs, expected %u", where, pairs->count, count);
}

/* A host's own scheduler: runs the tasks backwards. */
static void run_backwards(void *host, uint32_t count, void (*task)(uint32_t item, uint32_t worker, void *data),
                          void *data)
{
    (void)host;
    while (count-- > 0)
        task(count, 0, data);
}

static void check_scenario(const box_scenario *scenario, ashi_broad_kind kind, ashi_tasks *tasks)
{
    static box_world world;
    static ashi_broad_pair expected[MOST_BOXES * MOST_BOXES / 2];
    char where[160];
    ashi_broad_pairs pairs = {0};
    follower f = {.broad = ashi_broad_create(kind)};
    uint64_t total = 0;
    begin_world(&world, scenario, 7);
    for (int step = 0; step < STEPS; step++) {
        if (step % 7 != 6) { /* now and then several steps pass between two searches */
            uint32_t count = expected_pairs(&world, expected);
            total += count;
            assert_true(follow(&f, &world));
            assert_true(ashi_broad_find_pairs(f.broad, tasks, &pairs));
            snprintf(where, sizeof where, "%s, %s, step %d", scenario->name, ashi_broad_kind_name(kind), step);
            assert_same_pairs(&pairs, expected, count, where);
            ashi_broad_stats stats = ashi_broad_last(f.broad);
            uint32_t present = 0;
            for (uint32_t i = 0; i < MOST_BOXES; i++)
                present += world.boxes[i].present;
            assert_int_equal(stats.proxies, present);
            assert_int_equal(stats.pairs, count);
        } else {
            assert_true(follow(&f, &world));
        }
        step_world(&world, scenario);
    }
    assert_true(total > 0);
    ashi_broad_destroy(f.broad);
    ashi_array_release(&pairs);
}

static void check_kind(ashi_broad_kind kind)
{
    for (int i = 0; i < SCENARIOS; i++)
        check_scenario(&scenarios[i], kind, NULL);
}

static void test_tree(void **state)
{
    (void)state;
    check_kind(ASHI_BROAD_TREE);
}

static void test_all_pairs(void **state)
{
    (void)state;
    check_kind(ASHI_BROAD_ALL_PAIRS);
}

static void test_sweep_along_one_axis(void **state)
{
    (void)state;
    check_kind(ASHI_BROAD_SWEEP_1);
}

static void test_sweep_along_three_axes(void **state)
{
    (void)state;
    check_kind(ASHI_BROAD_SWEEP_3);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    const ash_jobs host = {.workers = 2, .run = run_backwards};
    for (uint32_t threads = 2; threads <= 5; threads++) {
        ashi_tasks *tasks = threads <= 4 ? ashi_tasks_create(threads, NULL) : ashi_tasks_create(1, &host);
        assert_non_null(tasks);
        for (int kind = 0; kind < ASHI_BROAD_KINDS; kind++)
            for (int i = 0; i < SCENARIOS; i += 3)
                check_scenario(&scenarios[i], (ashi_broad_kind)kind, tasks);
        ashi_tasks_destroy(tasks);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(ashi_broad_kind_name(ASHI_BROAD_TREE), "tree");
    assert_string_equal(ashi_broad_kind_name(ASHI_BROAD_ALL_PAIRS), "all-pairs");
    assert_string_equal(ashi_broad_kind_name(ASHI_BROAD_SWEEP_1), "sweep-1");
    assert_string_equal(ashi_broad_kind_name(ASHI_BROAD_SWEEP_3), "sweep-3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_sweep_along_one_axis),
        cmocka_unit_test(test_sweep_along_three_axes),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
