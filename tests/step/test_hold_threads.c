/* Contacts that hold do not depend on the number of threads, and continue from snapshots, by every method. */
#include "step/piles.h"

static void threads_and_snapshots_change_nothing(void **state)
{
    (void)state;
    for (int m = 0; m < PILE_METHODS; m++) {
        uint64_t hashes[3];
        for (uint32_t threads = 1; threads <= (some(4) == 4 ? 3 : 2); threads++) {
            ash_world *w = make_heap(pile_methods[m], threads);
            take_steps(w, 0.01, some(20));
            void *bytes;
            size_t size;
            assert_int_equal(ash_world_save(w, &bytes, &size, NULL), ASH_OK);
            take_steps(w, 0.01, some(30));
            hashes[threads - 1] = ash_world_get_hash(w);
            ash_world *other = make_held_world("realtime", v3(0, 0, 0), 1);
            assert_int_equal(ash_world_restore(other, bytes, size, NULL), ASH_OK);
            take_steps(other, 0.01, some(30));
            if (ash_world_get_hash(other) != hashes[threads - 1])
                fail_msg("%s does not continue from a snapshot", pile_methods[m]);
            ash_free(bytes);
            ash_world_destroy(other);
            ash_world_destroy(w);
            if (hashes[threads - 1] != hashes[0])
                fail_msg("%s depends on %u threads", pile_methods[m], threads);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_and_snapshots_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
