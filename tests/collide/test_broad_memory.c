/* Broad phases and memory: every allocation fails in turn and the next try succeeds with the right pairs; once warm, no
 * kind allocates. */
#include "broad_worlds.h"

#include "base/alloc.h"

#ifdef ASHLAR_SLOW_BUILD
enum { FAULT_STEPS = 3, EVERY = 16, AT_LEAST = 100 };
#elif defined(ASHLAR_ALL_TRIALS)
enum { FAULT_STEPS = 6, EVERY = 4, AT_LEAST = 500 };
#else
enum { FAULT_STEPS = 4, EVERY = 8, AT_LEAST = 200 };
#endif

static ashi_broad_pair expected[MOST_BOXES * MOST_BOXES / 2];
static box_world world;

/* One history with the k-th allocation failing (none for 0); returns how many were made. */
static uint64_t run_history(ashi_broad_kind kind, const box_scenario *scenario, uint64_t k, bool for_good)
{
    uint64_t made = 0;
    ashi_broad_pairs pairs = {0};
    begin_world(&world, scenario, 3);
    ashi_alloc_fail_at(k, for_good);
    follower f = {.broad = ashi_broad_create(kind)};
    if (f.broad == NULL) {
        made += ashi_alloc_fail_at(0, false);
        f.broad = ashi_broad_create(kind);
    }
    for (int step = 0; step < FAULT_STEPS; step++) {
        for (int tries = 0; !follow(&f, &world); tries++) {
            made += ashi_alloc_fail_at(0, false);
            assert_true(k > 0 && tries == 0);
        }
        for (int tries = 0; !ashi_broad_find_pairs(f.broad, NULL, &pairs); tries++) {
            made += ashi_alloc_fail_at(0, false);
            assert_true(k > 0 && tries == 0);
            assert_int_equal(pairs.count, 0);
            /* What happens between the failure and the next try must not be lost. */
            step_world(&world, scenario);
            assert_true(follow(&f, &world));
        }
        uint32_t count = expected_pairs(&world, expected);
        assert_int_equal(pairs.count, count);
        assert_memory_equal(pairs.data, expected, count * sizeof *expected);
        step_world(&world, scenario);
    }
    made += ashi_alloc_fail_at(0, false);
    ashi_broad_destroy(f.broad);
    ashi_array_release(&pairs);
    ash_memory memory = ash_memory_used();
    if (memory.blocks != 0)
        fail_msg("%s, %s: %llu blocks leak when allocation %llu fails", scenario->name, ashi_broad_kind_name(kind),
                 (unsigned long long)memory.blocks, (unsigned long long)k);
    return made;
}

static void test_every_allocation_fails_in_turn(void **state)
{
    (void)state;
    uint64_t total = 0;
    for (int kind = 0; kind < ASHI_BROAD_KINDS; kind++) {
        for (int i = 0; i < SCENARIOS; i += EVERY) {
            uint64_t made = run_history((ashi_broad_kind)kind, &scenarios[i], 0, false);
            total += made;
            for (uint64_t k = 1; k <= made; k++) {
                run_history((ashi_broad_kind)kind, &scenarios[i], k, false);
                run_history((ashi_broad_kind)kind, &scenarios[i], k, true);
            }
        }
    }
    print_message("%llu allocations failed in turn\n", (unsigned long long)total);
    assert_true(total > AT_LEAST);
}

/* Boxes that swing about their places, so that the same things happen again and again. */
static void swing(int step)
{
    for (uint32_t i = 0; i < MOST_BOXES; i++) {
        box_entry *b = &world.boxes[i];
        int phase = (step + (int)i) % 20;
        double sign = phase < 10 ? 1 : -1;
        b->box.lower = v3_add_scaled(b->box.lower, b->velocity, sign);
        b->box.upper = v3_add_scaled(b->box.upper, b->velocity, sign);
    }
}

static void test_nothing_is_allocated_once_warm(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASHI_BROAD_KINDS; kind++) {
        ashi_broad_pairs pairs = {0};
        follower f = {.broad = ashi_broad_create((ashi_broad_kind)kind)};
        ashi_tasks *tasks = ashi_tasks_create(2, NULL);
        begin_world(&world, &scenarios[0], 5);
        world.boxes[0].box = (ash_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, 0}};
        uint64_t made = 0, found = 0;
        for (int step = 0; step < 200; step++) {
            if (step == 100)
                ashi_alloc_fail_at(0, false);
            swing(step);
            world.boxes[step % MOST_BOXES].present ^= step % 2 == 0; /* one comes or goes */
            assert_true(follow(&f, &world));
            assert_true(ashi_broad_find_pairs(f.broad, tasks, &pairs));
            found += pairs.count;
        }
        made = ashi_alloc_fail_at(0, false);
        if (made != 0)
            fail_msg("%s: %llu allocations in 100 steps when warm", ashi_broad_kind_name((ashi_broad_kind)kind),
                     (unsigned long long)made);
        assert_true(found > 10000);
        ashi_tasks_destroy(tasks);
        ashi_broad_destroy(f.broad);
        ashi_array_release(&pairs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails_in_turn),
        cmocka_unit_test(test_nothing_is_allocated_once_warm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
