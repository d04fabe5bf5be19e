/* Batches: each copy does what a single world does, for any number of threads; resets, acts, failures. */
#include "worlds.h"

#include "ashlar/scene.h"

#include <math.h>
#include <string.h>

enum { COPIES = 37, STEPS = 25 };

static ash_world *open_world(const char *name)
{
    ash_scene *scene = NULL;
    ash_world *world = NULL;
    assert_int_equal(ash_scene_open(name, NULL, 0, &scene, NULL), ASH_OK);
    assert_int_equal(ash_scene_instantiate(scene, 1, &world, NULL), ASH_OK);
    ash_scene_destroy(scene);
    return world;
}

/* Copies that are pushed differently end where single worlds do that are pushed so. */
static void copies_are_single_worlds(void **state)
{
    (void)state;
    ash_world *model = open_world("walker");
    uint32_t bodies = ash_world_get_rows(model, ASH_ARRAY_POSITIONS), size = 3 * bodies;
    assert_true(bodies > 3 && bodies < 200);
    static double forces[COPIES * 600], positions[COPIES * 600], expected[600];
    uint64_t hashes[2][COPIES];
    for (uint32_t i = 0; i < COPIES * size; i++)
        forces[i] = sin(0.37 * i);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        ash_batch *batch = NULL;
        assert_int_equal(ash_batch_create(model, COPIES, threads, &batch, NULL), ASH_OK);
        assert_int_equal(ash_batch_get_count(batch), COPIES);
        ash_batch_array act = {ASH_ARRAY_APPLIED_FORCES, forces, size}, view = {ASH_ARRAY_POSITIONS, positions, size};
        ash_batch_round round = {
            .h = 0.005, .steps = STEPS, .acts = &act, .act_count = 1, .views = &view, .view_count = 1};
        assert_int_equal(ash_batch_go(batch, &round), ASH_OK);
        for (uint32_t i = 0; i < COPIES; i++)
            hashes[threads / 2][i] = ash_world_get_hash(ash_batch_get_world(batch, i));
        assert_null(ash_batch_get_world(batch, COPIES));
        ash_batch_destroy(batch);
    }
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    for (uint32_t i = 0; i < COPIES; i += 9) {
        void *bytes;
        size_t length;
        ash_world *single = make_world(ASH_RK4, ash_vec3_make(0, 0, 0), 1);
        assert_int_equal(ash_world_save(model, &bytes, &length, NULL), ASH_OK);
        assert_int_equal(ash_world_restore(single, bytes, length, NULL), ASH_OK);
        ash_free(bytes);
        for (int k = 0; k < STEPS; k++) {
            assert_int_equal(ash_world_set_array(single, ASH_ARRAY_APPLIED_FORCES, forces + i * size, size), ASH_OK);
            assert_int_equal(ash_world_step(single, 0.005), ASH_OK);
        }
        assert_true(ash_world_get_hash(single) == hashes[0][i]);
        assert_int_equal(ash_world_get_array(single, ASH_ARRAY_POSITIONS, expected, size), ASH_OK);
        assert_memory_equal(expected, positions + i * size, size * sizeof *expected);
        assert_true(i == 0 || hashes[0][i] != hashes[0][0]);
        ash_world_destroy(single);
    }
    ash_world_destroy(model);
}

/* Some copies go on, some are reset; reset ones do again what they did. */
static void resets_some(void **state)
{
    (void)state;
    ash_world *model = open_world("walker");
    ash_batch *batch = NULL;
    assert_int_equal(ash_batch_create(model, 6, 2, &batch, NULL), ASH_OK);
    ash_world_destroy(model);
    ash_batch_round round = {.h = 0.005, .steps = 10};
    assert_int_equal(ash_batch_go(batch, &round), ASH_OK);
    uint64_t once = ash_world_get_hash(ash_batch_get_world(batch, 0));
    const uint8_t which[] = {0, 1, 0, 1, 0, 0}, others[] = {1, 1, 0, 1, 1, 1};
    assert_int_equal(ash_batch_reset(batch, which, NULL), ASH_OK);
    round.which = others;
    assert_int_equal(ash_batch_go(batch, &round), ASH_OK);
    uint64_t twice = ash_world_get_hash(ash_batch_get_world(batch, 0));
    for (uint32_t i = 0; i < 6; i++)
        assert_true(ash_world_get_hash(ash_batch_get_world(batch, i)) == (which[i] || i == 2 ? once : twice));
    assert_true(once != twice);
    assert_int_equal(ash_batch_reset(batch, NULL, NULL), ASH_OK);
    round.which = NULL;
    assert_int_equal(ash_batch_go(batch, &round), ASH_OK);
    for (uint32_t i = 0; i < 6; i++)
        assert_true(ash_world_get_hash(ash_batch_get_world(batch, i)) == once);
    ash_batch_destroy(batch);
}

static void failures_stay_with_their_copy(void **state)
{
    (void)state;
    ash_world *model = make_world(ASH_EXPLICIT_EULER, ash_vec3_make(0, 0, 0), 1);
    make_point(model, 1, ash_vec3_make(0, 0, 0), ash_vec3_make(1, 0, 0));
    ash_batch *batch = NULL;
    assert_int_equal(ash_batch_create(model, 5, 2, &batch, NULL), ASH_OK);
    double velocities[15] = {0}, positions[15];
    uint8_t failed[5];
    for (int i = 0; i < 5; i++)
        velocities[3 * i] = i == 3 ? 1e308 : i == 1 ? (double)NAN : i;
    ash_batch_array act = {ASH_ARRAY_VELOCITIES, velocities, 3}, view = {ASH_ARRAY_POSITIONS, positions, 3};
    ash_batch_round round = {
        .h = 10, .steps = 2, .acts = &act, .act_count = 1, .views = &view, .view_count = 1, .failed = failed};
    assert_int_equal(ash_batch_go(batch, &round), ASH_NUMERICS);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(failed[i], i == 1 || i == 3);
        assert_near(positions[3 * i], i == 1 || i == 3 ? 0 : 20 * i, 1e-12);
    }
    ash_batch_destroy(batch);
    ash_world_destroy(model);
}

static void refuses_what_is_wrong(void **state)
{
    (void)state;
    ash_world *model = make_world(ASH_RK4, ash_vec3_make(0, 0, 0), 1);
    make_point(model, 1, ash_vec3_make(0, 0, 0), ash_vec3_make(1, 0, 0));
    ash_batch *batch = NULL;
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ash_batch_create(model, 0, 1, &batch, &diagnostic), ASH_BAD_DATA);
    assert_int_equal(ash_batch_create(model, 2, 0, &batch, &diagnostic), ASH_BAD_DATA);
    assert_int_equal(ash_batch_create(NULL, 2, 1, &batch, &diagnostic), ASH_BAD_ARGUMENT);
    assert_null(batch);
    assert_int_equal(ash_batch_create(model, 2, 1, &batch, NULL), ASH_OK);
    double values[8] = {0};
    ash_batch_array array = {ASH_ARRAY_CONTACT_FORCES, values, 3};
    ash_batch_round round = {.h = 0.1, .steps = 1, .acts = &array, .act_count = 1};
    assert_int_equal(ash_batch_go(batch, &round), ASH_BAD_ARGUMENT);
    array = (ash_batch_array){ASH_ARRAY_VELOCITIES, values, 4};
    assert_int_equal(ash_batch_go(batch, &round), ASH_BAD_ARGUMENT);
    array = (ash_batch_array){ASH_ARRAYS, values, 0};
    assert_int_equal(ash_batch_go(batch, &round), ASH_BAD_ARGUMENT);
    round = (ash_batch_round){.h = -1, .steps = 1};
    assert_int_equal(ash_batch_go(batch, &round), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_batch_go(batch, NULL), ASH_BAD_ARGUMENT);
    ash_batch_destroy(batch);
    ash_batch_destroy(NULL);
    ash_world_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_single_worlds),
        cmocka_unit_test(resets_some),
        cmocka_unit_test(failures_stay_with_their_copy),
        cmocka_unit_test(refuses_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
