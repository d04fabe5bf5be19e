/* Groups against a list of labels that are rewritten at every join. */
#include "check.h"

#include "base/groups.h"
#include "base/random.h"

#define MOST 40

static void test_against_labels(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (int trial = 0; trial < 200; trial++) {
        uint32_t parent[MOST], label[MOST], count = 1 + ashi_random_below(&random, MOST);
        ashi_groups_begin(parent, count);
        for (uint32_t i = 0; i < count; i++)
            label[i] = i;
        for (uint32_t join = 0; join < count; join++) {
            uint32_t a = ashi_random_below(&random, count), b = ashi_random_below(&random, count);
            uint32_t low = label[a] < label[b] ? label[a] : label[b], high = label[a] + label[b] - low;
            assert_int_equal(ashi_groups_join(parent, a, b), low != high);
            for (uint32_t i = 0; i < count; i++)
                label[i] = label[i] == high ? low : label[i];
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(ashi_group_of(parent, i), label[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
