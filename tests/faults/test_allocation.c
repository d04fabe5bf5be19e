/* Allocations of a long history fail in turn, and every fifth of them with all that follow it: the call that meets it
 * says so and changes nothing, nothing leaks, and when it is tried again the worlds have the same bits as ever. They
 * are compared after each of the next operations, and at the end of every fourth history. Every third allocation fails;
 * with ASHLAR_ALL_TRIALS all of them do, and every history goes on to its end. */
#include "everything.h"

#ifdef ASHLAR_SLOW_BUILD
#define EVERY 25 /* the first, and each so many after it, fails */
#elif defined(ASHLAR_ALL_TRIALS)
#define EVERY 1
#else
#define EVERY 3
#endif
#ifdef ASHLAR_ALL_TRIALS
enum { FOLLOWED = MOST_OPERATIONS, TO_THE_END = 1 };
#else
enum { FOLLOWED = 12, TO_THE_END = 4 }; /* operations after the one that failed; every so manieth goes on to the end */
#endif

typedef enum reaction {
    TRY_AGAIN, /* the call that failed is made again, with memory back */
    GIVE_UP    /* everything is released at once */
} reaction;

/* Of both worlds, and of what was noted of them. */
static uint64_t both_hashes(const everything *e)
{
    uint64_t hash = e->hash;
    for (int w = 0; w < WORLDS; w++) {
        uint64_t state = e->worlds[w] != NULL ? ash_world_get_hash(e->worlds[w]) : 0;
        hash = ashi_hash(hash, &state, sizeof state);
    }
    return hash;
}

/* After each operation of the undisturbed history. */
static uint64_t undisturbed[MOST_OPERATIONS];

/* Runs the history with the k-th allocation failing (none for 0, which sets `undisturbed`). Whether it was not given
 * up. The number of allocations made goes to `made`. */
static bool run_history(uint64_t k, bool for_good, reaction r, uint64_t *made)
{
    operation list[MOST_OPERATIONS];
    uint32_t count = list_operations(list);
    everything e = {.hash = ASHI_HASH_START};
    bool gave_up = false;
    uint32_t end = count;
    *made = 0;
    ashi_alloc_fail_at(k, for_good);
    for (uint32_t i = 0; i < end && !gave_up; i++) {
        uint64_t before = both_hashes(&e);
        ash_status status = list[i].run(&e, list[i].argument);
        if (k == 0)
            undisturbed[i] = both_hashes(&e);
        if (status == ASH_OK && both_hashes(&e) != undisturbed[i])
            fail_msg("another result of operation %u after allocation %llu failed", i, (unsigned long long)k);
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
        if (k % TO_THE_END != 0 && i + FOLLOWED < end)
            end = i + FOLLOWED;
        if (r == TRY_AGAIN && list[i].run(&e, list[i].argument) != ASH_OK)
            fail_msg("operation %u does not succeed when tried again (allocation %llu)", i, (unsigned long long)k);
        if (r == TRY_AGAIN && both_hashes(&e) != undisturbed[i])
            fail_msg("operation %u has another result when tried again (allocation %llu)", i, (unsigned long long)k);
    }
    *made += ashi_alloc_fail_at(0, false);
    release_everything(&e);
    ash_memory memory = ash_memory_used();
    if (memory.blocks != 0 || memory.bytes != 0)
        fail_msg("%llu blocks leak when allocation %llu fails", (unsigned long long)memory.blocks,
                 (unsigned long long)k);
    return !gave_up;
}

static void sweep(bool for_good, reaction r, uint64_t stride)
{
    uint64_t made, unused;
    assert_true(run_history(0, false, r, &made));
    /* The history itself is repeatable. How much memory it takes may differ a little: a worker has its own once it has
     * come, and on a busy machine it comes late. */
    assert_true(run_history(10 * made, false, r, &unused));
    assert_true(made > 300);
    uint64_t survived = 0, tried = 0;
    for (uint64_t k = 1; k <= made; k += stride) {
        tried++;
        survived += run_history(k, for_good, r, &unused);
    }
    print_message("%llu allocations failed in turn; %llu histories came to their end\n", (unsigned long long)tried,
                  (unsigned long long)survived);
    if (r == TRY_AGAIN)
        assert_int_equal(survived, tried);
}

static void test_one_fails_and_is_tried_again(void **state)
{
    (void)state;
    sweep(false, TRY_AGAIN, EVERY);
}

static void test_all_fail_until_tried_again(void **state)
{
    (void)state;
    sweep(true, TRY_AGAIN, 5 * EVERY);
}

static void test_giving_up_leaks_nothing(void **state)
{
    (void)state;
    sweep(true, GIVE_UP, 5 * EVERY);
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
