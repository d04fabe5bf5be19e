/* Damaged scene files: seeded mutations of the valid examples. Whatever comes, the reader answers with a scene or with
 * a diagnostic, and nothing stays behind. A scene that was read can be written and read again. */
#define _POSIX_C_SOURCE 200809L
#include "example_files.h"

#include "ashlar/scene.h"
#include "mutations.h"

enum { MUTANTS = 1500 };

static uint32_t accepted, refused;

static void try_text(const char *text, size_t size)
{
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    ash_status status = ash_scene_parse(text, size, "mutant.json", &scene, &diagnostic);
    if (status != ASH_OK) {
        refused++;
        assert_null(scene);
        assert_int_equal(diagnostic.status, status);
        assert_true(diagnostic.code[0] != 0 && diagnostic.message[0] != 0);
        assert_true(status == ASH_OUT_OF_MEMORY || diagnostic.line > 0 ||
                    strcmp(diagnostic.code, "scene.syntax") == 0 || strcmp(diagnostic.code, "scene.foreign") == 0);
        return;
    }
    accepted++;
    char *written;
    size_t written_size;
    ash_scene *again;
    assert_int_equal(ash_scene_write(scene, &written, &written_size, NULL), ASH_OK);
    if (ash_scene_parse(written, written_size, "again", &again, &diagnostic) != ASH_OK)
        fail_msg("what was written is not read: %s %s\n%s", diagnostic.path, diagnostic.message, written);
    ash_scene_destroy(again);
    ash_scene_destroy(scene);
    ash_free(written);
}

static void mutate_file(const char *path)
{
    size_t size;
    char *original = read_text_file(path, &size);
    mutate_text(original, size, MUTANTS, try_text); /* what is larger adds nothing that the others have not */
    free(original);
}

static void damaged_files_are_answered(void **state)
{
    (void)state;
    generator.state = 20240229;
    for_each_file(EXAMPLES "valid/*.json", 8, mutate_file);
    for_each_file(EXAMPLE_SCENES "s*.json", 2, mutate_file);
    assert_int_equal(ash_memory_used().blocks, 0);
    /* Both ways were taken often. */
    assert_true(accepted > 500);
    assert_true(refused > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_files_are_answered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
