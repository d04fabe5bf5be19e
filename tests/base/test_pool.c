/* Handle pools: stale handles are told from live ones, also over long random histories kept beside a plain model. */
#include "check.h"

#include "base/pool.h"
#include "base/random.h"

#include <stdlib.h>

static void test_null_and_unknown_handles(void **state)
{
    (void)state;
    ashi_pool pool = {0};
    assert_int_equal(ashi_pool_slot_of(&pool, 0), ASHI_NO_SLOT);
    assert_int_equal(ashi_pool_slot_of(&pool, 1), ASHI_NO_SLOT);
    uint32_t slot = ashi_pool_take(&pool);
    uint64_t handle = ashi_pool_handle(&pool, slot);
    assert_int_equal(ashi_pool_slot_of(&pool, handle), slot);
    assert_int_equal(ashi_pool_slot_of(&pool, 0), ASHI_NO_SLOT);
    assert_int_equal(ashi_pool_slot_of(&pool, handle + 1), ASHI_NO_SLOT);
    for (int bit = 0; bit < 64; bit++)
        assert_int_equal(ashi_pool_slot_of(&pool, handle ^ ((uint64_t)1 << bit)), ASHI_NO_SLOT);
    assert_int_equal(ashi_pool_slot_of(&pool, UINT64_MAX), ASHI_NO_SLOT);
    ashi_pool_release(&pool);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_reuse_makes_handles_stale(void **state)
{
    (void)state;
    ashi_pool pool = {0};
    uint32_t a = ashi_pool_take(&pool), b = ashi_pool_take(&pool), c = ashi_pool_take(&pool);
    assert_true(a == 0 && b == 1 && c == 2 && pool.used == 3);
    uint64_t old = ashi_pool_handle(&pool, b);
    ashi_pool_give_back(&pool, b);
    assert_int_equal(ashi_pool_slot_of(&pool, old), ASHI_NO_SLOT);
    assert_int_equal(ashi_pool_next(&pool), b);
    assert_int_equal(ashi_pool_take(&pool), b);
    uint64_t fresh = ashi_pool_handle(&pool, b);
    assert_true(fresh != old);
    assert_int_equal(ashi_pool_slot_of(&pool, old), ASHI_NO_SLOT);
    assert_int_equal(ashi_pool_slot_of(&pool, fresh), b);
    assert_int_equal(ashi_pool_next(&pool), 3);
    ashi_pool_release(&pool);
}

/* Two pools with the same history and two worlds' numbers. */
static void test_other_worlds(void **state)
{
    (void)state;
    ashi_pool a = {.world = 1}, b = {.world = ASHI_WORLD_MOST};
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(ashi_pool_take(&a) == i && ashi_pool_take(&b) == i);
        uint64_t in_a = ashi_pool_handle(&a, i), in_b = ashi_pool_handle(&b, i);
        assert_true(ashi_pool_slot_of(&a, in_a) == i && ashi_pool_slot_of(&b, in_b) == i);
        assert_int_equal(ashi_pool_slot_of(&a, in_b), ASHI_NO_SLOT);
        assert_int_equal(ashi_pool_slot_of(&b, in_a), ASHI_NO_SLOT);
    }
    ashi_pool_release(&a);
    ashi_pool_release(&b);
    uint32_t first = ashi_next_world(), last = first;
    assert_true(first >= 1);
    for (uint32_t i = 1; i <= ASHI_WORLD_MOST; i++) {
        uint32_t next = ashi_next_world();
        assert_int_equal(next, last == ASHI_WORLD_MOST ? 1 : last + 1);
        last = next;
    }
    assert_int_equal(last, first);
}

static void test_takes_are_undone(void **state)
{
    (void)state;
    ashi_pool pool = {0};
    uint32_t slots[5];
    uint64_t handles[5];
    for (int i = 0; i < 3; i++)
        ashi_pool_take(&pool);
    ashi_pool_give_back(&pool, 0);
    ashi_pool_give_back(&pool, 2);
    for (int round = 0; round < 3; round++) {
        /* Two old slots and three new ones, undone in reverse order: each round gives the same handles. */
        for (int i = 0; i < 5; i++) {
            slots[i] = ashi_pool_take(&pool);
            uint64_t handle = ashi_pool_handle(&pool, slots[i]);
            assert_true(round == 0 || handle == handles[i]);
            handles[i] = handle;
        }
        assert_true(slots[0] == 2 && slots[1] == 0 && slots[2] == 3 && pool.used == 6);
        for (int i = 4; i >= 0; i--)
            ashi_pool_undo_take(&pool, slots[i]);
        assert_true(pool.used == 1 && pool.slots.count == 3 && ashi_pool_next(&pool) == 2);
        for (int i = 0; i < 5; i++)
            assert_int_equal(ashi_pool_slot_of(&pool, handles[i]), ASHI_NO_SLOT);
    }
    ashi_pool_release(&pool);
}

static void test_used_up_slots_are_retired(void **state)
{
    (void)state;
    ashi_pool pool = {0};
    uint32_t slot = ashi_pool_take(&pool);
    pool.slots.data[slot].generation = ASHI_GENERATION_MOST;
    uint64_t last = ashi_pool_handle(&pool, slot);
    assert_int_equal(ashi_pool_slot_of(&pool, last), slot);
    ashi_pool_give_back(&pool, slot);
    assert_int_equal(pool.used, 0);
    assert_int_equal(ashi_pool_slot_of(&pool, last), ASHI_NO_SLOT);
    assert_int_equal(ashi_pool_take(&pool), slot + 1); /* never again, so that no handle comes twice */
    ashi_pool_release(&pool);
}

static void test_no_memory(void **state)
{
    (void)state;
    ashi_pool pool = {0};
    ashi_alloc_fail_at(1, true);
    assert_int_equal(ashi_pool_take(&pool), ASHI_NO_SLOT);
    ashi_alloc_fail_at(0, false);
    assert_int_equal(pool.used, 0);
    assert_int_equal(ashi_pool_take(&pool), 0);
    ashi_pool_release(&pool);
}

/* The model: the handle that each slot has now (0: free), and every handle that was ever given back. */
static void test_random_history(void **state)
{
    (void)state;
    enum { SLOTS = 200, STEPS = 40000 };
    uint64_t live[SLOTS] = {0}, *dead = malloc(STEPS * sizeof *dead);
    assert_non_null(dead);
    uint32_t used = 0, died = 0;
    ashi_pool pool = {0};
    ashi_random random = {7};
    for (int step = 0; step < STEPS; step++) {
        uint32_t pick = ashi_random_below(&random, SLOTS);
        bool grow = used < SLOTS && ashi_random_below(&random, 2) == 0;
        if (grow) {
            uint32_t expected = ashi_pool_next(&pool), slot = ashi_pool_take(&pool);
            assert_int_equal(slot, expected);
            assert_true(slot < SLOTS && live[slot] == 0);
            live[slot] = ashi_pool_handle(&pool, slot);
            used++;
        } else if (live[pick] != 0) {
            ashi_pool_give_back(&pool, pick);
            dead[died++] = live[pick];
            live[pick] = 0;
            used--;
        }
        assert_int_equal(pool.used, used);
        if (died > 0)
            assert_int_equal(ashi_pool_slot_of(&pool, dead[ashi_random_below(&random, died)]), ASHI_NO_SLOT);
        if (live[pick] != 0)
            assert_int_equal(ashi_pool_slot_of(&pool, live[pick]), pick);
    }
    for (uint32_t slot = 0; slot < pool.slots.count; slot++) {
        assert_true(ashi_pool_in_use(&pool, slot) == (live[slot] != 0));
        if (live[slot] != 0)
            assert_int_equal(ashi_pool_slot_of(&pool, live[slot]), slot);
    }
    for (uint32_t i = 0; i < died; i++)
        assert_int_equal(ashi_pool_slot_of(&pool, dead[i]), ASHI_NO_SLOT);
    free(dead);
    ashi_pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_and_unknown_handles),
        cmocka_unit_test(test_reuse_makes_handles_stale),
        cmocka_unit_test(test_takes_are_undone),
        cmocka_unit_test(test_used_up_slots_are_retired),
        cmocka_unit_test(test_other_worlds),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_random_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
