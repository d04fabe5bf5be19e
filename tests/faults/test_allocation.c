/* Every allocation of a long history fails in turn, and every fifth with all that follow it: the call that meets it
 * says so and changes nothing, nothing leaks, and when it is tried again the history ends with the same bits. */
#include "everything.h"

#ifdef ASHLAR_SLOW_BUILD
#define SLOW 13 /* only every so manieth fails */
#else
#define SLOW 1
#endif

typedef enum reaction {
    TRY_AGAIN, /* the call that failed is made again, with memory back */
    GIVE_UP    /* everything is released at once */
} reaction;

static uint64_t both_hashes(const everything *e)
{
    uint64_t hash = ASHI_HASH_START;
    for (int w = 0; w < WORLDS; w++) {
        uint64_t state = e->worlds[w] != NULL ? ash_world_hash(e->worlds[w]) : 0;
        hash = ashi_hash(hash, &state, sizeof state);
    }
    return hash;
}

/* Runs the history with the k-th allocation failing (none for 0). Returns the final hash, 0 when it was given up. The
 * number of allocations made goes to `made`. */
static uint64_t run_history(uint64_t k, bool for_good, reaction r, uint64_t *made)
{
    operation list[MOST_OPERATIONS];
    uint32_t count = list_operations(list);
    everything e = {.hash = ASHI_HASH_START};
    bool gave_up = false;
    *made = 0;
    ashi_alloc_fail_at(k, for_good);
    for (uint32_t i = 0; i < count && !gave_up; i++) {
        uint64_t before = both_hashes(&e);
        ash_status status = list[i].run(&e, list[i].argument);
        if (status == ASH_OK)
            continue;
        *made += ashi_alloc_fail_at(0, false);
        if (k == 0 || status != ASH_OUT_OF_MEMORY)
            fail_msg("operation %u answers %s when allocation %llu fails", i, ash_status_text(status),
                     (unsigned long long)k);
        if (both_hashes(&e) != before)
            fail_msg("operation %u failed for want of memory, but changed the world (allocation %llu)", i,
                     (unsigned long long)k);
        gave_up = r == GIVE_UP;
        if (r == TRY_AGAIN && list[i].run(&e, list[i].argument) != ASH_OK)
            fail_msg("operation %u does not succeed when tried again (allocation %llu)", i, (unsigned long long)k);
    }
    *made += ashi_alloc_fail_at(0, false);
    release_everything(&e);
    ash_memory memory = ash_memory_used();
    if (memory.blocks != 0 || memory.bytes != 0)
        fail_msg("%llu blocks leak when allocation %llu fails", (unsigned long long)memory.blocks,
                 (unsigned long long)k);
    return gave_up ? 0 : e.hash;
}

static void sweep(bool for_good, reaction r, uint64_t stride)
{
    uint64_t made, unused;
    uint64_t undisturbed = run_history(0, false, r, &made);
    assert_true(run_history(0, false, r, &unused) == undisturbed); /* the history itself is repeatable */
    assert_true(made > 300);
    uint64_t survived = 0, tried = 0;
    for (uint64_t k = 1; k <= made; k += stride) {
        tried++;
        uint64_t hash = run_history(k, for_good, r, &unused);
        if (hash != 0 && hash != undisturbed)
            fail_msg("another result after allocation %llu failed", (unsigned long long)k);
        survived += hash != 0;
    }
    print_message("%llu allocations failed in turn; %llu histories came to their end\n", (unsigned long long)tried,
                  (unsigned long long)survived);
    if (r == TRY_AGAIN)
        assert_int_equal(survived, tried);
}

static void test_one_fails_and_is_tried_again(void **state)
{
    (void)state;
    sweep(false, TRY_AGAIN, SLOW);
}

static void test_all_fail_until_tried_again(void **state)
{
    (void)state;
    sweep(true, TRY_AGAIN, 5 * SLOW);
}

static void test_giving_up_leaks_nothing(void **state)
{
    (void)state;
    sweep(true, GIVE_UP, 5 * SLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_fails_and_is_tried_again),
        cmocka_unit_test(test_all_fail_until_tried_again),
        cmocka_unit_test(test_giving_up_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
