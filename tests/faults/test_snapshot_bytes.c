/* Snapshots with bytes changed at random and the checksum put right again, so that the reader itself meets them: they
 * are refused and change nothing, or give a world that can be used like any other. */
#include "everything.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_AT = 16, CHECKSUM_AT = 24, CONTENT_AT = 32 }; /* in the header of src/world/snapshot.c */

static void seal(unsigned char *bytes, size_t size)
{
    uint64_t content = size - CONTENT_AT, checksum = ashi_hash(ASHI_HASH_START, bytes + CONTENT_AT, content);
    memcpy(bytes + SIZE_AT, &content, sizeof content);
    memcpy(bytes + CHECKSUM_AT, &checksum, sizeof checksum);
}

/* Changes a few places: a bit, a byte, or a word made huge, small, not a number or the copy of another. */
static size_t damage(ashi_random *random, unsigned char *bytes, size_t size)
{
    static const uint64_t words[] = {
        0, 1, 2, UINT32_MAX, UINT64_MAX, 0x7ff0000000000000, 0x7ff8000000000000, 0x7fefffffffffffff};
    uint32_t places = 1 + ashi_random_below(random, 3);
    for (uint32_t i = 0; i < places; i++) {
        size_t room = size - CONTENT_AT - 8, at = CONTENT_AT + ashi_random_bits(random) % room;
        switch (ashi_random_below(random, 5)) {
        case 0:
            bytes[at] ^= (unsigned char)(1u << ashi_random_below(random, 8));
            break;
        case 1:
            bytes[at] = (unsigned char)ashi_random_bits(random);
            break;
        case 2:
            memcpy(bytes + at, &words[ashi_random_below(random, 8)], 4);
            break;
        case 3:
            memcpy(bytes + at, &words[ashi_random_below(random, 8)], 8);
            break;
        default:
            memmove(bytes + at, bytes + CONTENT_AT + ashi_random_bits(random) % room, 8);
            break;
        }
    }
    return ashi_random_below(random, 20) == 0 ? CONTENT_AT + ashi_random_bits(random) % (size - CONTENT_AT) : size;
}

/* Looks at everything in the world and steps it: nothing may go wrong but the numbers. */
static void use(everything *e, int w)
{
    ash_world *world = e->worlds[w];
    ash_body bodies[200];
    ash_force forces[200];
    uint32_t body_count = ash_world_get_bodies(world, bodies, 200),
             force_count = ash_world_get_forces(world, forces, 200);
    for (uint32_t i = 0; i < body_count && i < 200; i++) {
        ash_shape shapes[10];
        uint32_t shape_count = ash_body_get_shapes(world, bodies[i], shapes, 10);
        assert_true(ash_body_is_valid(world, bodies[i]));
        assert_non_null(ash_body_get_name(world, bodies[i]));
        for (uint32_t k = 0; k < shape_count && k < 10; k++)
            ash_geometry_bounds(ash_shape_get_geometry(world, shapes[k]), ash_shape_get_pose(world, shapes[k]));
    }
    for (uint32_t i = 0; i < force_count && i < 200; i++) {
        assert_true(ash_force_is_valid(world, forces[i]));
        assert_non_null(ash_force_get_name(world, forces[i]));
        ash_force_get_energy(world, forces[i]);
    }
    for (int integrator = 0; integrator < ASH_INTEGRATORS; integrator++) {
        ash_status status = step_with(e, 10 * w + integrator);
        if (status != ASH_OK && status != ASH_NUMERICS)
            fail_msg("a step answers %s: %s", ash_status_text(status), ash_world_get_last_diagnostic(world).message);
    }
    void *bytes = NULL;
    size_t size;
    if (ash_world_save(world, &bytes, &size, NULL) == ASH_OK)
        assert_int_equal(ash_world_restore(world, bytes, size, NULL), ASH_OK); /* what it saves it also reads */
    ash_free(bytes);
}

enum { ROUNDS = SLOW_BUILD ? 200 : TRIALS(4000) };

static void fuzz(int w, uint64_t seed, int rounds)
{
    operation list[MOST_OPERATIONS];
    uint32_t count = list_operations(list), taken = 0;
    everything e = {0};
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(list[i].run(&e, list[i].argument), ASH_OK);
    assert_int_equal(save_world(&e, w), ASH_OK);
    size_t size = e.saved_size[w];
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    ashi_random random = {seed};
    for (int round = 0; round < rounds; round++) {
        memcpy(bytes, e.saved[w], size);
        size_t kept = damage(&random, bytes, size);
        seal(bytes, kept);
        uint64_t before = ash_world_get_hash(e.worlds[w]);
        ash_diagnostic diagnostic = {0};
        ash_status status = ash_world_restore(e.worlds[w], bytes, kept, &diagnostic);
        if (status == ASH_OK) {
            taken++;
            use(&e, w);
            assert_int_equal(restore_world(&e, w), ASH_OK); /* the good one still fits */
        } else {
            assert_true(diagnostic.status == status && diagnostic.message[0] != 0);
            assert_true(ash_world_get_hash(e.worlds[w]) == before);
        }
    }
    print_message("%u of %d damaged snapshots were still worlds\n", taken, rounds);
    assert_true(taken > 0 && taken < (uint32_t)rounds);
    free(bytes);
    release_everything(&e);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_worlds_in_space(void **state)
{
    (void)state;
    fuzz(0, 1, ROUNDS);
}

static void test_planar_worlds(void **state)
{
    (void)state;
    fuzz(1, 2, ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worlds_in_space),
        cmocka_unit_test(test_planar_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
