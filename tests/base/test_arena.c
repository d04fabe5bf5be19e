/* Arenas: pieces are aligned and apart, a reset makes one block of many, a warm arena allocates no more. */
#include "check.h"

#include "base/arena.h"
#include "base/random.h"

#include <string.h>

static void test_pieces_are_aligned_and_apart(void **state)
{
    (void)state;
    ashi_arena *arena = ashi_arena_create(0);
    ashi_random random = {1};
    enum { PIECES = 300 };
    unsigned char *pieces[PIECES];
    size_t sizes[PIECES];
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < PIECES; i++) {
            sizes[i] = ashi_random_below(&random, i % 10 == 0 ? 20000 : 200);
            pieces[i] = ashi_arena_take(arena, sizes[i]);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % 64, 0);
            memset(pieces[i], i & 0xff, sizes[i]);
        }
        for (int i = 0; i < PIECES; i++)
            for (size_t j = 0; j < sizes[i]; j++)
                assert_int_equal(pieces[i][j], i & 0xff);
        ashi_arena_reset(arena);
    }
    ashi_arena_destroy(arena);
    ashi_arena_destroy(NULL);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void take_many(ashi_arena *arena)
{
    for (int i = 0; i < 100; i++)
        assert_non_null(ashi_arena_take(arena, 1000));
}

static void test_a_warm_arena_allocates_no_more(void **state)
{
    (void)state;
    ashi_arena *arena = ashi_arena_create(1024);
    take_many(arena);
    assert_true(ash_memory_used().blocks > 2);
    ashi_arena_reset(arena);
    assert_int_equal(ash_memory_used().blocks, 2); /* the arena and its one block */
    uint64_t allocations = ash_memory_used().allocations;
    for (int round = 0; round < 10; round++) {
        take_many(arena);
        ashi_arena_reset(arena);
    }
    assert_int_equal(ash_memory_used().allocations, allocations);
    ashi_arena_destroy(arena);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    ashi_alloc_fail_at(1, false);
    assert_null(ashi_arena_create(1024));
    ashi_alloc_fail_at(0, false);
    ashi_arena *arena = ashi_arena_create(1024);
    char *kept = ashi_arena_text(arena, "kept");
    ashi_alloc_fail_at(1, true);
    assert_null(ashi_arena_take(arena, 100000));
    assert_null(ashi_arena_take_array(arena, SIZE_MAX / 2, 4));
    assert_null(ashi_arena_take(arena, SIZE_MAX));
    assert_non_null(ashi_arena_take(arena, 10)); /* what fits is still given */
    assert_string_equal(kept, "kept");
    ashi_alloc_fail_at(0, false);

    /* The block that replaces many cannot be made: the largest of them is left, and the arena goes on. */
    take_many(arena);
    size_t taken = ashi_arena_size(arena);
    ashi_alloc_fail_at(1, true);
    ashi_arena_reset(arena);
    assert_true(ashi_arena_size(arena) < taken);
    assert_non_null(ashi_arena_take(arena, 10));
    assert_null(ashi_arena_take(arena, taken));
    ashi_alloc_fail_at(0, false);
    take_many(arena);
    ashi_arena_destroy(arena);
    assert_int_equal(ash_memory_used().blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_are_aligned_and_apart),
        cmocka_unit_test(test_a_warm_arena_allocates_no_more),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
