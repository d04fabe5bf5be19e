/* Opening scenes by name and by path, with settings, and what goes wrong on the way. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "scene/description/description.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PENDULUM ASHLAR_SOURCE_DIR "/scenes/spring-pendulum.json"

static ash_diagnostic diagnostic;

static ash_status open_one(const char *name, const char *key, const char *value, ash_scene **scene)
{
    memset(&diagnostic, 0, sizeof diagnostic);
    return ash_scene_open(name, &(ash_setting){key, value}, key != NULL ? 1 : 0, scene, &diagnostic);
}

static void expect_failure(const char *name, const char *key, const char *value, ash_status status, const char *code)
{
    ash_scene *scene = (ash_scene *)&diagnostic;
    assert_int_equal(open_one(name, key, value, &scene), status);
    assert_null(scene);
    assert_string_equal(diagnostic.code, code);
    assert_int_equal(diagnostic.status, status);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void files_and_built_in_scenes_open(void **state)
{
    (void)state;
    ash_scene *scene;
    assert_int_equal(open_one(PENDULUM, NULL, NULL, &scene), ASH_OK);
    assert_string_equal(ash_scene_get_name(scene), "spring-pendulum");
    ash_scene_destroy(scene);
    assert_int_equal(open_one("free-fall", NULL, NULL, &scene), ASH_OK);
    assert_string_equal(ash_scene_get_name(scene), "free-fall");
    ash_scene_destroy(scene);
}

static void settings_change_the_scene(void **state)
{
    (void)state;
    ash_scene *scene;
    const ash_setting settings[] = {{"step", "0.25"}, {"time", "5"}, {"sample", "0"}, {"integrator", "rk4"}};
    assert_int_equal(ash_scene_open(PENDULUM, settings, 4, &scene, NULL), ASH_OK);
    assert_true(scene->step == 0.25 && scene->time == 5 && scene->sample_interval == 0);
    assert_int_equal(scene->method.integrator, ASH_RK4);
    ash_scene_destroy(scene);
    /* A parameter of the scene comes before what the run would take. */
    ash_builtin_info info = ash_builtin_get(0);
    for (uint32_t i = 0; i < info.parameter_count; i++) {
        const ash_scene_parameter *parameter = &info.parameters[i];
        char value[40];
        snprintf(value, sizeof value, "%.17g", parameter->low);
        assert_int_equal(
            open_one(info.name, parameter->name, parameter->choices ? parameter->choice_value : value, &scene), ASH_OK);
        ash_scene_destroy(scene);
    }
}

/* What --set takes: every field, of files and of built-in scenes. */
static void every_field_is_a_setting(void **state)
{
    (void)state;
    ash_method method;
    char text[64], found[64];
    assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
    for (uint32_t i = 0; i < ash_method_field_count(); i++)
        for (int file = 0; file < 2; file++) {
            const char *field = ash_method_field_name(i), *name = file ? PENDULUM : "four-feet";
            ash_scene *scene;
            if (open_one(name, field, ash_method_get(&method, field, text, sizeof text), &scene) != ASH_OK)
                fail_msg("%s: %s", name, diagnostic.message);
            assert_string_equal(ash_method_get(&scene->method, field, found, sizeof found), text);
            ash_scene_destroy(scene);
            assert_int_equal(open_one(name, field, "bogus", &scene), ASH_BAD_DATA);
            assert_non_null(strstr(diagnostic.message, field));
        }
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    expect_failure(PENDULUM, "stpe", "1", ASH_NOT_FOUND, "setting.unknown");
    assert_non_null(strstr(diagnostic.message, "did you mean \"step\""));
    assert_non_null(strstr(diagnostic.expected, "integrator"));
    expect_failure("free-fall", "integratr", "1", ASH_NOT_FOUND, "setting.unknown");
    assert_non_null(strstr(diagnostic.message, "did you mean \"integrator\""));
    expect_failure(PENDULUM, "step", "0", ASH_BAD_DATA, "setting.value");
    expect_failure(PENDULUM, "step", "nan", ASH_BAD_DATA, "setting.value");
    expect_failure(PENDULUM, "time", "", ASH_BAD_DATA, "setting.value");
    expect_failure(PENDULUM, "sample", "-1", ASH_BAD_DATA, "setting.value");
    expect_failure(PENDULUM, "integrator", "rk5", ASH_BAD_DATA, "method.value");
    expect_failure("free-fall", "step", NULL, ASH_BAD_ARGUMENT, "setting.null");
}

static void unknown_scenes_are_suggested(void **state)
{
    (void)state;
    expect_failure("free-fal", NULL, NULL, ASH_NOT_FOUND, "scene.unknown");
    assert_non_null(strstr(diagnostic.message, "did you mean \"free-fall\""));
    expect_failure("rooftower", NULL, NULL, ASH_NOT_FOUND, "scene.unknown"); /* one of the last scenes */
    assert_non_null(strstr(diagnostic.message, "did you mean \"roof-tower\""));
    expect_failure("pile2d", NULL, NULL, ASH_NOT_FOUND, "scene.unknown"); /* the last */
    assert_non_null(strstr(diagnostic.message, "did you mean \"pile-2d\""));
    expect_failure("xylophone", NULL, NULL, ASH_NOT_FOUND, "scene.unknown");
    assert_null(strstr(diagnostic.message, "did you mean"));
    expect_failure("", NULL, NULL, ASH_NOT_FOUND, "scene.unknown");
    assert_int_equal(ash_scene_open(NULL, NULL, 0, NULL, NULL), ASH_BAD_ARGUMENT);
}

static void files_that_cannot_be_read_are_told_apart(void **state)
{
    (void)state;
    expect_failure("/nowhere/at/all.json", NULL, NULL, ASH_NOT_FOUND, "file.missing");
    assert_string_equal(diagnostic.file, "/nowhere/at/all.json");
    expect_failure("missing.json", NULL, NULL, ASH_NOT_FOUND, "file.missing");
    expect_failure("/tmp", NULL, NULL, ASH_IO, "file.directory");
    char path[] = "/tmp/ashlar-test-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    expect_failure(path, NULL, NULL, ASH_BAD_DATA, "scene.foreign"); /* empty */
    assert_int_equal(ftruncate(file, (off_t)1 << 31), 0);            /* a hole of 2 GiB */
    expect_failure(path, NULL, NULL, ASH_BAD_DATA, "file.too-large");
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(chmod(path, 0), 0);
    if (geteuid() != 0)
        expect_failure(path, NULL, NULL, ASH_IO, "file.unreadable");
    close(file);
    unlink(path);
    expect_failure("/dev/null", NULL, NULL, ASH_BAD_DATA, "scene.foreign");
}

/* Files that exist but hold something else: what they are is said. */
static void other_files_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *named;
    } files[] = {
        {" \n\t", 3, "it is empty"},
        {"\x89HDF\r\n\x1a\n1234", 12, "it is a recording"},
        {"\x89PNG\r\n\x1a\n1234", 12, "it is a PNG picture"},
        {"some\0thing", 10, "it is not text"},
        {"{\"ashlar_problem\": 1}", 21, "it is a contact problem"},
        {"{\"scene\": \"x\", \"steps\": 3, \"hash\": \"0\"}", 39, "it is the summary of a run"},
        {"PK\x03\x04 robot", 10, "ZIP"},
    };
    char folder[] = "/tmp/ashlar-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        FILE *file = fopen("thing", "wb"); /* neither '/' nor ".json": it exists, so it is a path */
        assert_int_equal(fwrite(files[i].bytes, 1, files[i].size, file), files[i].size);
        fclose(file);
        expect_failure("thing", NULL, NULL, ASH_BAD_DATA, "scene.foreign");
        assert_non_null(strstr(diagnostic.message, files[i].named));
        assert_string_equal(diagnostic.file, "thing");
    }
    unlink("thing");
    assert_int_equal(mkdir("folder", 0700), 0);
    expect_failure("folder", NULL, NULL, ASH_IO, "file.directory");
    assert_non_null(strstr(diagnostic.expected, "scene.json"));
    rmdir("folder");
    assert_int_equal(chdir("/"), 0);
    rmdir(folder);
}

/* A pipe has no size beforehand. */
static void pipes_are_read_to_their_end(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char text[20000], path[40];
    memset(text, ' ', sizeof text);
    memcpy(text, "{\"ashlar\": 1}", 13);
    assert_int_equal(write(ends[1], text, sizeof text), sizeof text);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    ash_scene *scene;
    assert_int_equal(open_one(path, NULL, NULL, &scene), ASH_OK);
    ash_scene_destroy(scene);
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_built_in_scenes_open), cmocka_unit_test(settings_change_the_scene),
        cmocka_unit_test(every_field_is_a_setting),       cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(unknown_scenes_are_suggested),   cmocka_unit_test(files_that_cannot_be_read_are_told_apart),
        cmocka_unit_test(pipes_are_read_to_their_end),    cmocka_unit_test(other_files_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
