/* Every allocation of reading, writing and building fails in turn: the answer is "out of memory" and nothing leaks. */
#define _POSIX_C_SOURCE 200809L
#include "example_files.h"

#include "ashlar/scene.h"
#include "base/alloc.h"

static const char *text;
static size_t text_size;

/* Reads, writes and builds; the first failure is the answer. */
static ash_status use_scene(ash_diagnostic *diagnostic)
{
    ash_scene *scene;
    ash_status status = ash_scene_parse(text, text_size, "faults.json", &scene, diagnostic);
    if (status != ASH_OK)
        return status;
    char *written;
    size_t size;
    status = ash_scene_write(scene, &written, &size, diagnostic);
    ash_free(written);
    ash_world *world = NULL;
    if (status == ASH_OK)
        status = ash_scene_instantiate(scene, 1, &world, diagnostic);
    ash_world_destroy(world);
    ash_scene_destroy(scene);
    return status;
}

static void sweep(const char *path)
{
    char *file = read_text_file(path, &text_size);
    text = file;
    ashi_alloc_fail_at(0, false);
    assert_int_equal(use_scene(NULL), ASH_OK);
    uint64_t allocations = ashi_alloc_fail_at(0, false);
    assert_true(allocations > 3);
    for (int for_good = 0; for_good < 2; for_good++) {
        for (uint64_t k = 1; k <= allocations; k++) {
            ash_diagnostic diagnostic = {0};
            ashi_alloc_fail_at(k, for_good == 1);
            ash_status status = use_scene(&diagnostic);
            ashi_alloc_fail_at(0, false);
            if (status != ASH_OUT_OF_MEMORY || diagnostic.status != ASH_OUT_OF_MEMORY)
                fail_msg("%s, allocation %llu: %s, %s", base_name(path), (unsigned long long)k, ash_status_text(status),
                         diagnostic.message);
            if (ash_memory_used().blocks != 0)
                fail_msg("%s, allocation %llu: %llu blocks are left", base_name(path), (unsigned long long)k,
                         (unsigned long long)ash_memory_used().blocks);
        }
    }
    free(file);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for_each_file(EXAMPLES "valid/*.json", 8, sweep);
}

static void opening_a_file_may_fail(void **state)
{
    (void)state;
    const ash_setting setting = {"step", "0.1"};
    const char *path = ASHLAR_SOURCE_DIR "/scenes/spring-pendulum.json";
    ash_scene *scene;
    for (uint64_t k = 1;; k++) {
        ashi_alloc_fail_at(k, false);
        ash_status status = ash_scene_open(path, &setting, 1, &scene, NULL);
        ashi_alloc_fail_at(0, false);
        if (status == ASH_OK) {
            assert_true(k > 5);
            break;
        }
        assert_int_equal(status, ASH_OUT_OF_MEMORY);
        assert_int_equal(ash_memory_used().blocks, 0);
    }
    ash_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(opening_a_file_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
