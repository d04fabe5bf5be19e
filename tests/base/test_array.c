/* Growable arrays: content survives growth, failure changes nothing, counts never wrap. */
#include "check.h"

#include "base/array.h"

typedef struct triple {
    uint32_t a, b, c;
} triple;

static void test_content_survives_growth(void **state)
{
    (void)state;
    ASHI_ARRAY(triple) list = {0};
    uint64_t before = ash_memory_used().allocations;
    for (uint32_t i = 0; i < 10000; i++) {
        assert_true(ashi_array_extend(&list));
        assert_int_equal(list.count, i + 1);
        list.data[i] = (triple){i, 2 * i, 3 * i};
    }
    assert_below((double)(ash_memory_used().allocations - before), 25); /* growth is geometric */
    for (uint32_t i = 0; i < 10000; i++)
        assert_true(list.data[i].a == i && list.data[i].b == 2 * i && list.data[i].c == 3 * i);
    ashi_array_release(&list);
    assert_true(list.data == NULL && list.count == 0 && list.capacity == 0);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_failure_changes_nothing(void **state)
{
    (void)state;
    ASHI_ARRAY(uint64_t) list = {0};
    assert_true(ashi_array_reserve(&list, 3u));
    while (list.count < list.capacity) {
        assert_true(ashi_array_extend(&list));
        list.data[list.count - 1] = list.count;
    }
    uint32_t count = list.count, capacity = list.capacity;
    uint64_t *data = list.data;
    ashi_alloc_fail_at(1, false);
    assert_false(ashi_array_extend(&list));
    ashi_alloc_fail_at(0, false);
    assert_true(list.count == count && list.capacity == capacity && list.data == data);
    assert_int_equal(list.data[count - 1], count);
    assert_true(ashi_array_extend(&list));
    ashi_array_release(&list);
}

static void test_counts_do_not_wrap(void **state)
{
    (void)state;
    ASHI_ARRAY(char) list = {0};
    uint64_t too_many[] = {UINT32_MAX, (uint64_t)UINT32_MAX + 2};
    assert_false(ashi_array_reserve(&list, too_many[0]));
    assert_false(ashi_array_reserve(&list, too_many[1]));
    assert_true(list.data == NULL && list.capacity == 0);
    list.count = list.capacity = UINT32_MAX - 1; /* as if full; no memory is touched */
    assert_false(ashi_array_extend(&list));
    assert_int_equal(list.count, UINT32_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content_survives_growth),
        cmocka_unit_test(test_failure_changes_nothing),
        cmocka_unit_test(test_counts_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
