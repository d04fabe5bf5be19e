/* Memory: alignment, counters, the host's allocator, and faults on demand. */
#include "check.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void test_blocks_are_aligned_and_counted(void **state)
{
    (void)state;
    ash_memory before = ash_memory_used();
    size_t sizes[] = {0, 1, 63, 64, 65, 1000, 100000};
    void *blocks[7];
    for (int i = 0; i < 7; i++) {
        blocks[i] = ashi_alloc(sizes[i]);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], 0xa5, sizes[i]);
    }
    ash_memory during = ash_memory_used();
    assert_int_equal(during.bytes - before.bytes, 0 + 1 + 63 + 64 + 65 + 1000 + 100000);
    assert_int_equal(during.blocks - before.blocks, 7);
    assert_int_equal(during.allocations - before.allocations, 7);
    for (int i = 0; i < 7; i++)
        ashi_dealloc(blocks[i]);
    ash_memory after = ash_memory_used();
    assert_int_equal(after.bytes, before.bytes);
    assert_int_equal(after.blocks, before.blocks);
    assert_int_equal(after.allocations, during.allocations);
    ashi_dealloc(NULL);
    ash_free(NULL);
}

static void test_zeroed_and_copied(void **state)
{
    (void)state;
    unsigned char *zeroed = ashi_alloc_zeroed(1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(zeroed[i], 0);
    ashi_dealloc(zeroed);
    char *copy = ashi_copy_text("ashlar");
    assert_string_equal(copy, "ashlar");
    ash_free(copy);
}

static void test_realloc_keeps_content(void **state)
{
    (void)state;
    unsigned char *memory = ashi_realloc(NULL, 100);
    for (int i = 0; i < 100; i++)
        memory[i] = (unsigned char)i;
    memory = ashi_realloc(memory, 5000);
    for (int i = 0; i < 100; i++)
        assert_int_equal(memory[i], i);
    memory = ashi_realloc(memory, 10);
    for (int i = 0; i < 10; i++)
        assert_int_equal(memory[i], i);

    ashi_alloc_fail_at(1, false);
    assert_null(ashi_realloc(memory, 100));
    ashi_alloc_fail_at(0, false);
    assert_int_equal(memory[9], 9); /* the old block stays */
    ashi_dealloc(memory);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_sizes_that_overflow(void **state)
{
    (void)state;
    assert_null(ashi_alloc(SIZE_MAX));
    assert_null(ashi_alloc(SIZE_MAX - 100));
    assert_null(ashi_alloc_array(SIZE_MAX / 8, 16));
    assert_null(ashi_alloc_array(SIZE_MAX, SIZE_MAX));
    void *empty = ashi_alloc_array(0, SIZE_MAX);
    assert_non_null(empty);
    ashi_dealloc(empty);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_faults(void **state)
{
    (void)state;
    void *blocks[5];
    ashi_alloc_fail_at(3, false);
    for (int i = 0; i < 5; i++)
        blocks[i] = ashi_alloc(8);
    assert_int_equal(ashi_alloc_fail_at(0, false), 5);
    for (int i = 0; i < 5; i++) {
        assert_true((blocks[i] == NULL) == (i == 2));
        ashi_dealloc(blocks[i]);
    }
    ashi_alloc_fail_at(3, true);
    for (int i = 0; i < 5; i++)
        blocks[i] = ashi_alloc(8);
    ashi_alloc_fail_at(0, false);
    for (int i = 0; i < 5; i++) {
        assert_true((blocks[i] == NULL) == (i >= 2));
        ashi_dealloc(blocks[i]);
    }
    assert_int_equal(ash_memory_used().blocks, 0);
}

typedef struct host_memory {
    int live;
    size_t bytes;
    bool refuse;
} host_memory;

static void *host_allocate(size_t size, void *user)
{
    host_memory *host = user;
    if (host->refuse)
        return NULL;
    host->live++;
    host->bytes += size;
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

static void host_release(void *memory, size_t size, void *user)
{
    host_memory *host = user;
    host->live--;
    host->bytes -= size;
    free(memory);
}

static void test_host_allocator(void **state)
{
    (void)state;
    host_memory host = {0};
    ash_allocator hooks = {host_allocate, host_release, &host};
    void *block = ashi_alloc(10);
    assert_int_equal(ash_set_allocator(&hooks), ASH_UNSUPPORTED); /* a block of the other allocator is alive */
    assert_int_equal(ash_set_allocator(NULL), ASH_UNSUPPORTED);
    ashi_dealloc(block);

    ash_allocator incomplete = {host_allocate, NULL, NULL};
    assert_int_equal(ash_set_allocator(&incomplete), ASH_BAD_ARGUMENT);
    incomplete = (ash_allocator){NULL, host_release, NULL};
    assert_int_equal(ash_set_allocator(&incomplete), ASH_BAD_ARGUMENT);

    assert_int_equal(ash_set_allocator(&hooks), ASH_OK);
    void *a = ashi_alloc(100), *b = ashi_alloc(200);
    assert_int_equal(host.live, 2);
    assert_true(host.bytes >= 300);
    host.refuse = true;
    assert_null(ashi_alloc(1));
    assert_null(ashi_realloc(a, 1000));
    ashi_dealloc(a);
    ashi_dealloc(b);
    assert_int_equal(host.live, 0);
    assert_int_equal(host.bytes, 0); /* release was told the sizes that allocate was asked for */
    assert_int_equal(ash_set_allocator(NULL), ASH_OK);
    block = ashi_alloc(10);
    assert_non_null(block);
    assert_int_equal(host.live, 0);
    ashi_dealloc(block);
}

/* Through sizes on both sides of those that have pages of their own, by the default allocator and by the host's. */
static void grow_and_shrink(void)
{
    const size_t sizes[] = {1000, 300000, 1 << 20, 3000000, 40000000, 5000000, 1048575, 2000, 9000000};
    uint64_t bytes = ash_memory_used().bytes;
    unsigned char *memory = NULL;
    size_t known = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        memory = ashi_realloc(memory, sizes[k]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        assert_int_equal(ashi_alloc_size(memory), sizes[k]);
        assert_int_equal(ash_memory_used().bytes - bytes, sizes[k]);
        assert_int_equal(ash_memory_used().blocks, 1);
        known = known < sizes[k] ? known : sizes[k];
        for (size_t i = 0; i < known; i++)
            if (memory[i] != (unsigned char)(i % 251))
                fail_msg("byte %zu of %zu after step %zu", i, known, k);
        for (; known < sizes[k]; known++)
            memory[known] = (unsigned char)(known % 251);
    }
    ashi_dealloc(memory);
    assert_int_equal(ash_memory_used().bytes, bytes);
}

static void test_large_blocks_keep_their_content(void **state)
{
    (void)state;
    grow_and_shrink();
    host_memory host = {0};
    ash_allocator hooks = {host_allocate, host_release, &host};
    assert_int_equal(ash_set_allocator(&hooks), ASH_OK);
    grow_and_shrink();
    assert_true(host.live == 0 && host.bytes == 0);
    assert_int_equal(ash_set_allocator(NULL), ASH_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_are_aligned_and_counted),
        cmocka_unit_test(test_zeroed_and_copied),
        cmocka_unit_test(test_realloc_keeps_content),
        cmocka_unit_test(test_sizes_that_overflow),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_host_allocator),
        cmocka_unit_test(test_large_blocks_keep_their_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
