/* Once warm, a step allocates nothing, whatever the integrator. */
#include "everything.h"

static void test_warm_steps_do_not_allocate(void **state)
{
    (void)state;
    operation list[MOST_OPERATIONS];
    uint32_t count = list_operations(list);
    everything e = {0};
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(list[i].run(&e, list[i].argument), ASH_OK);
    for (int w = 0; w < WORLDS; w++)
        for (int integrator = 0; integrator < ASH_INTEGRATORS; integrator++) {
            for (int i = 0; i < 300; i++) /* contacts have been as many as they get */
                assert_int_equal(step_with(&e, 10 * w + integrator), ASH_OK);
            uint64_t before = ash_memory_used().allocations;
            for (int i = 0; i < 50; i++)
                assert_int_equal(step_with(&e, 10 * w + integrator), ASH_OK);
            uint64_t made = ash_memory_used().allocations - before;
            if (made != 0)
                fail_msg("50 warm steps of %s made %llu allocations", ash_integrator_name((ash_integrator)integrator),
                         (unsigned long long)made);
        }
    release_everything(&e);
    assert_int_equal(ash_memory_used().blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_warm_steps_do_not_allocate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
