/* The hash: every bit, the length and the order count; values are fixed. */
#include "check.h"

#include "base/hash.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

static int bits_that_differ(uint64_t a, uint64_t b)
{
    int count = 0;
    for (uint64_t d = a ^ b; d != 0; d &= d - 1)
        count++;
    return count;
}

static void test_every_bit_counts(void **state)
{
    (void)state;
    unsigned char bytes[100];
    ashi_random random = {1};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)ashi_random_bits(&random);
    uint64_t whole = ashi_hash(ASHI_HASH_START, bytes, sizeof bytes);
    double differing = 0;
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        uint64_t other = ashi_hash(ASHI_HASH_START, bytes, sizeof bytes);
        assert_true(other != whole);
        differing += bits_that_differ(whole, other);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_near(differing / (8 * sizeof bytes), 32, 1); /* about half of the bits change */
    assert_true(ashi_hash(ASHI_HASH_START, bytes, sizeof bytes) == whole);
}

static void test_length_and_order_count(void **state)
{
    (void)state;
    unsigned char zeros[64] = {0};
    uint64_t seen[65];
    for (size_t size = 0; size <= sizeof zeros; size++) {
        seen[size] = ashi_hash(ASHI_HASH_START, zeros, size);
        for (size_t i = 0; i < size; i++)
            assert_true(seen[i] != seen[size]);
    }
    uint64_t a = 1, b = 2;
    assert_true(ashi_hash(ashi_hash(ASHI_HASH_START, &a, 8), &b, 8) !=
                ashi_hash(ashi_hash(ASHI_HASH_START, &b, 8), &a, 8));
    assert_true(ashi_hash(ASHI_HASH_START, "ab", 2) != ashi_hash(ASHI_HASH_START, "ba", 2));
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* 100 000 neighbouring keys: no two share a hash, and buckets by the lowest bits fill evenly. */
static void test_no_collisions(void **state)
{
    (void)state;
    enum { KEYS = 100000, BUCKETS = 256 };
    uint64_t *hashes = malloc(KEYS * sizeof *hashes);
    assert_non_null(hashes);
    int filled[BUCKETS] = {0};
    for (uint32_t i = 0; i < KEYS; i++) {
        hashes[i] = ashi_hash(ASHI_HASH_START, &i, sizeof i);
        filled[hashes[i] % BUCKETS]++;
    }
    double chi2 = 0, expected = (double)KEYS / BUCKETS;
    for (int i = 0; i < BUCKETS; i++)
        chi2 += (filled[i] - expected) * (filled[i] - expected) / expected;
    assert_below(chi2, 255 + 6 * 22.6); /* six standard deviations */
    qsort(hashes, KEYS, sizeof *hashes, ascending);
    for (int i = 1; i < KEYS; i++)
        assert_true(hashes[i] != hashes[i - 1]);
    free(hashes);
}

/* Stored hashes stay valid: these are of a little-endian machine. */
static void test_fixed_values(void **state)
{
    (void)state;
    uint16_t probe = 1;
    unsigned char low;
    memcpy(&low, &probe, 1);
    if (low != 1)
        skip();
    assert_true(ashi_hash(ASHI_HASH_START, "", 0) == 0xa84c32530d604dc5u);
    assert_true(ashi_hash(ASHI_HASH_START, "ashlar", 6) == 0x40481ba20635fb46u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit_counts),
        cmocka_unit_test(test_length_and_order_count),
        cmocka_unit_test(test_no_collisions),
        cmocka_unit_test(test_fixed_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
