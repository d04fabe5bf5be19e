/* Parameters, repetitions, conditions and includes of scene files: what they stand for is what the same file written
 * out says, and what is wrong is found where it stands. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "scene/file/expand.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/ashlar-expand-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static ash_scene *open_with(const char *name, const char *key, const char *value)
{
    ash_scene *scene;
    ash_diagnostic diagnostic = {0};
    const ash_setting setting = {key, value};
    if (ash_scene_open(path_of(name), &setting, key != NULL, &scene, &diagnostic) != ASH_OK) {
        char line[1200];
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    }
    return scene;
}

static char *written(ash_scene *scene)
{
    char *text;
    size_t size;
    assert_int_equal(ash_scene_write(scene, &text, &size, NULL), ASH_OK);
    ash_scene_destroy(scene);
    return text;
}

/* Both files, opened, are the same scene. */
static void assert_same(const char *short_text, const char *key, const char *value, const char *long_text)
{
    write_file("short.json", short_text);
    write_file("long.json", long_text);
    char *a = written(open_with("short.json", key, value)), *b = written(open_with("long.json", NULL, NULL));
    assert_string_equal(a, b);
    ash_free(a);
    ash_free(b);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_parameters_stand_for_their_values(void **state)
{
    (void)state;
    static const char text[] =
        "{\"ashlar\": 1, \"name\": \"$kind of $n at $$5\",\n"
        "\"parameters\": {\"twice\": \"2 * $mu\", \"mu\": 0.25, \"n\": {\"value\": 3, \"low\": 1, \"high\": 9}, \"kind\":\n"
        "  {\"value\": \"ball\", \"choices\": [\"ball\", \"cube\"]}, \"still\": false, \"label\": \"${kind}-${n + 1}\"},\n"
        "\"world\": {\"step\": \"0.01 / $n\", \"method\": {\"name\": \"engineering\", \"slop\": \"$mu / 1000\"}},\n"
        "\"materials\": {\"m\": {\"density\": 1000, \"friction\": \"$twice\"}},\n"
        "\"shapes\": {\"ball\": {\"kind\": \"sphere\", \"radius\": \"$mu\"},\n"
        "  \"cube\": {\"kind\": \"box\", \"half_extents\": [\"$mu\", 1, \"sqrt($n + 1)\"]}},\n"
        "\"bodies\": [{\"name\": \"$label\", \"absent\": \"$still\", \"fast\": \"$n > 2\", \"shapes\": [{\"shape\": \"$kind\","
        "  \"material\": \"m\"}]}]}";
    static const char out[] =
        "{\"ashlar\": 1, \"name\": \"%s of %s at $5\", \"world\": {\"step\": %s, \"method\": {\"name\": \"engineering\","
        " \"slop\": 0.00025}},\n"
        "\"materials\": {\"m\": {\"density\": 1000, \"friction\": 0.5}},\n"
        "\"shapes\": {\"ball\": {\"kind\": \"sphere\", \"radius\": 0.25},\n"
        "  \"cube\": {\"kind\": \"box\", \"half_extents\": [0.25, 1, %s]}},\n"
        "\"bodies\": [{\"name\": \"%s\", %s \"shapes\": [{\"shape\": \"%s\", \"material\": \"m\"}]}]}";
    char expected[1024], number[40];
    snprintf(number, sizeof number, "%.17g", 0.01 / 3);
    snprintf(expected, sizeof expected, out, "ball", "3", number, "2", "ball-4", "\"fast\": true,", "ball");
    assert_same(text, NULL, NULL, expected);
    snprintf(number, sizeof number, "%.17g", 0.01 / 3);
    snprintf(expected, sizeof expected, out, "cube", "3", number, "2", "cube-4", "\"fast\": true,", "cube");
    assert_same(text, "kind", "cube", expected);
    snprintf(expected, sizeof expected, out, "ball", "1", "0.01", "1.4142135623730951", "ball-2", "", "ball");
    assert_same(text, "n", "1", expected);
}

static void test_repeated_are_written_out(void **state)
{
    (void)state;
    assert_same(
        "{\"ashlar\": 1, \"parameters\": {\"n\": 2},\n"
        "\"bodies\": [{\"repeat\": {\"i\": \"$n\", \"j\": \"$i + 1\"}, \"name\": \"b-$i-$j\", \"mass\": \"1 + $j\"},\n"
        "  {\"mass\": 7},\n"
        "  {\"repeat\": {\"side\": [\"left\", \"right\", \"none\"], \"k\": {\"from\": 1, \"to\": 0.4, \"by\": -0.3}},\n"
        "   \"name\": \"${side}\", \"mass\": \"$k\", \"when\": \"$k < 0.9\",\n"
        "   \"shapes\": [{\"repeat\": {\"m\": [1, \"$k\"]}, \"shape\": {\"kind\": \"sphere\", \"radius\": \"$m\"}}]}],\n"
        "\"joints\": [{\"repeat\": {\"i\": 2}, \"kind\": \"ball\", \"body_a\": \"b-1-$i\", \"body_b\": \"${3 * i}\"}],\n"
        "\"outputs\": [{\"when\": \"$n == 3\", \"name\": \"never\", \"quantity\": \"remainder\"},\n"
        "  {\"repeat\": {\"i\": 0}, \"name\": \"never\", \"quantity\": \"remainder\"}]}",
        NULL, NULL,
        "{\"ashlar\": 1, \"name\": \"short\",\n"
        "\"bodies\": [{\"name\": \"b-0-0\", \"mass\": 1}, {\"name\": \"b-1-0\", \"mass\": 1}, {\"name\": \"b-1-1\", \"mass\": 2},\n"
        "  {\"mass\": 7},\n"
        "  {\"name\": \"left\", \"mass\": 0.7, \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 1}}, {\"shape\": {\"kind\": \"sphere\", \"radius\": 0.7}}]},\n"
        "  {\"name\": \"left\", \"mass\": 0.4, \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 1}}, {\"shape\": {\"kind\": \"sphere\", \"radius\": 0.4}}]},\n"
        "  {\"name\": \"right\", \"mass\": 0.7, \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 1}}, {\"shape\": {\"kind\": \"sphere\", \"radius\": 0.7}}]},\n"
        "  {\"name\": \"right\", \"mass\": 0.4, \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 1}}, {\"shape\": {\"kind\": \"sphere\", \"radius\": 0.4}}]},\n"
        "  {\"name\": \"none\", \"mass\": 0.7, \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 1}}, {\"shape\": {\"kind\": \"sphere\", \"radius\": 0.7}}]},\n"
        "  {\"name\": \"none\", \"mass\": 0.4, \"shapes\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 1}}, {\"shape\": {\"kind\": \"sphere\", \"radius\": 0.4}}]}],\n"
        "\"joints\": [{\"kind\": \"ball\", \"body_a\": 1, \"body_b\": 0}, {\"kind\": \"ball\", \"body_a\": 2, \"body_b\": 3}]}");
}

/* A leg of a table, with a number as a reference; the table has four. */
static const char leg[] =
    "{\"ashlar\": 1, \"include\": \"wood.json\", \"parameters\": {\"x\": 0, \"y\": 0, \"name\": \"leg\"},\n"
    "\"shapes\": {\"leg\": {\"kind\": \"box\", \"half_extents\": [0.05, 0.05, 0.4]}},\n"
    "\"bodies\": [{\"name\": \"$name\", \"position\": [\"$x\", \"$y\", 0.4], \"shapes\": [{\"shape\": \"leg\", \"material\": \"wood\"}]}],\n"
    "\"joints\": [{\"kind\": \"fixed\", \"body_a\": \"top\", \"body_b\": 0, \"point\": [\"$x\", \"$y\", 0.8]}]}";
static const char wood[] = "{\"ashlar\": 1, \"name\": \"not this\", \"world\": {\"step\": 0.5, \"time\": 3},\n"
                           "\"materials\": {\"wood\": {\"density\": 700, \"friction\": 0.5}}}";
static const char table[] =
    "{\"ashlar\": 1, \"name\": \"table\", \"world\": {\"step\": 0.001},\n"
    "\"include\": [{\"file\": \"parts/leg.json\", \"repeat\": {\"i\": 2, \"j\": 2},\n"
    "  \"set\": {\"x\": \"$i - 0.5\", \"y\": \"$j\", \"name\": \"leg-${2 * i + j}\"}}],\n"
    "\"shapes\": {\"top\": {\"kind\": \"box\", \"half_extents\": [1, 1, 0.02]}},\n"
    "\"bodies\": [{\"name\": \"top\", \"position\": [0, 0.5, 0.82], \"shapes\": [{\"shape\": \"top\", \"material\": \"wood\"}]}]}";

static void make_parts(void)
{
    char command[96];
    snprintf(command, sizeof command, "mkdir -p %s/parts", folder);
    assert_int_equal(system(command), 0);
    write_file("parts/leg.json", leg);
    write_file("parts/wood.json", wood);
}

static void test_included_files_are_added(void **state)
{
    (void)state;
    make_parts();
    assert_same(
        table, NULL, NULL,
        "{\"ashlar\": 1, \"name\": \"table\", \"world\": {\"step\": 0.001, \"time\": 3},\n"
        "\"materials\": {\"wood\": {\"density\": 700, \"friction\": 0.5}},\n"
        "\"shapes\": {\"top\": {\"kind\": \"box\", \"half_extents\": [1, 1, 0.02]},\n"
        "  \"leg\": {\"kind\": \"box\", \"half_extents\": [0.05, 0.05, 0.4]}},\n"
        "\"bodies\": [{\"name\": \"top\", \"position\": [0, 0.5, 0.82], \"shapes\": [{\"shape\": \"top\", \"material\": \"wood\"}]},\n"
        "  {\"name\": \"leg-0\", \"position\": [-0.5, 0, 0.4], \"shapes\": [{\"shape\": \"leg\", \"material\": \"wood\"}]},\n"
        "  {\"name\": \"leg-1\", \"position\": [-0.5, 1, 0.4], \"shapes\": [{\"shape\": \"leg\", \"material\": \"wood\"}]},\n"
        "  {\"name\": \"leg-2\", \"position\": [0.5, 0, 0.4], \"shapes\": [{\"shape\": \"leg\", \"material\": \"wood\"}]},\n"
        "  {\"name\": \"leg-3\", \"position\": [0.5, 1, 0.4], \"shapes\": [{\"shape\": \"leg\", \"material\": \"wood\"}]}],\n"
        "\"joints\": [{\"kind\": \"fixed\", \"body_a\": 0, \"body_b\": 1, \"point\": [-0.5, 0, 0.8]},\n"
        "  {\"kind\": \"fixed\", \"body_a\": 0, \"body_b\": 2, \"point\": [-0.5, 1, 0.8]},\n"
        "  {\"kind\": \"fixed\", \"body_a\": 0, \"body_b\": 3, \"point\": [0.5, 0, 0.8]},\n"
        "  {\"kind\": \"fixed\", \"body_a\": 0, \"body_b\": 4, \"point\": [0.5, 1, 0.8]}]}");
}

static void assert_refused(const char *name, const char *code, const char *file, int line, const char *message)
{
    ash_scene *scene;
    ash_diagnostic d = {0};
    ash_status status = ash_scene_open(path_of(name), NULL, 0, &scene, &d);
    if (status == ASH_OK) { /* found when the world is made */
        ash_world *world;
        status = ash_scene_instantiate(scene, 1, &world, &d);
        ash_scene_destroy(scene);
    }
    if (status == ASH_OK || strcmp(d.code, code) != 0 || d.line != line || strstr(d.message, message) == NULL ||
        strcmp(d.file, path_of(file)) != 0)
        fail_msg("%s:%d: %s: %s", d.file, d.line, d.code, d.message);
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* The text with its first `old` replaced. */
static const char *replaced(const char *text, const char *old, const char *new)
{
    static char result[4096];
    const char *at = strstr(text, old);
    assert_non_null(at);
    snprintf(result, sizeof result, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return result;
}

static void test_faults_are_found_in_their_files(void **state)
{
    (void)state;
    make_parts();
    write_file("table.json", replaced(table, "leg.json", "leggs.json"));
    assert_refused("table.json", "scene.include", "table.json", 2, "there is no such file");
    write_file("table.json", replaced(table, "\"x\": ", "\"z\": "));
    assert_refused("table.json", "scene.unknown-key", "table.json", 3, "no parameter \"z\"");
    write_file("table.json", replaced(table, "0.02]", "\"$z\"]"));
    assert_refused("table.json", "expression.unknown-name", "table.json", 4, "no variable \"z\"");
    write_file("table.json", table);
    write_file("parts/wood.json", replaced(wood, "700", "-1"));
    assert_refused("table.json", "scene.value", "parts/wood.json", 2, "density cannot be -1");
    write_file("parts/wood.json", replaced(wood, "}}}", "}}"));
    assert_refused("table.json", "scene.syntax", "parts/wood.json", 2, "included by");
    write_file("parts/wood.json", replaced(wood, "materials", "metirials"));
    assert_refused("table.json", "scene.unknown-key", "parts/wood.json", 2, "metirials");
    write_file("parts/wood.json", replaced(wood, "\"ashlar\": 1", "\"ashlar\": 2"));
    assert_refused("table.json", "scene.version", "parts/wood.json", 1, "ashlar cannot be 2");
    write_file("parts/wood.json",
               replaced(wood, "0.5}}", "0.5}}, \"shapes\": {\"leg\": {\"kind\": \"sphere\", \"radius\": 1}}"));
    assert_refused("table.json", "scene.duplicate-key", "parts/wood.json", 2, "\"leg\" is in another file");
    write_file("parts/wood.json", replaced(wood, "0.5}}", "0.5}}, \"include\": \"../table.json\""));
    assert_refused("table.json", "scene.include-cycle", "parts/wood.json", 2, "would include itself");
    write_file("parts/wood.json", wood);
    write_file("parts/leg.json", replaced(leg, "\"body_b\": 0", "\"body_b\": 9"));
    assert_refused("table.json", "scene.unknown-name", "parts/leg.json", 4, "body_b cannot be 10");
    /* Only the world knows: a joint of a body with itself, after what was repeated, in an included file. */
    write_file("parts/leg.json", replaced(leg, "\"body_a\": \"top\"", "\"body_a\": 0"));
    assert_refused("table.json", "joint.same-body", "parts/leg.json", 4, "");
}

static void test_depth_and_size_are_bounded(void **state)
{
    (void)state;
    char name[40], text[160];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "chain-%d.json", i);
        snprintf(text, sizeof text, "{\"ashlar\": 1, \"include\": \"chain-%d.json\"}", i + 1);
        write_file(name, text);
    }
    assert_refused("chain-0.json", "scene.include-depth", "chain-16.json", 1, "too many files");
    write_file("chain-16.json", "{\"ashlar\": 1}");
    ash_scene_destroy(open_with("chain-0.json", NULL, NULL));
    for (int i = 0; i < 16; i++) { /* 2^16 files */
        snprintf(name, sizeof name, "chain-%d.json", i);
        snprintf(text, sizeof text, "{\"ashlar\": 1, \"include\": [\"chain-%d.json\", \"chain-%d.json\"]}", i + 1,
                 i + 1);
        write_file(name, text);
    }
    ash_scene *scene;
    ash_diagnostic d = {0};
    assert_int_equal(ash_scene_open(path_of("chain-0.json"), NULL, 0, &scene, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "scene.include-depth");
    static const char huge[] =
        "{\"ashlar\": 1, \"bodies\": [{\"repeat\": {\"i\": 9999999, \"j\": 9999999}, \"mass\": \"$i\"}]}";
    const ashi_expansion little = {.most_values = 1000};
    assert_int_equal(ashi_scene_parse_expanded(huge, sizeof huge - 1, "huge", &little, &scene, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "scene.size");
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void test_settings_reach_parameters(void **state)
{
    (void)state;
    write_file(
        "set.json",
        "{\"ashlar\": 1, \"parameters\": {\"n\": {\"value\": 3, \"low\": 1, \"high\": 9, \"summary\": \"how many\"},\n"
        "\"kind\": {\"value\": \"a\", \"choices\": [\"a\", \"b\"]}, \"on\": true, \"half\": \"$n / 2\", \"step\": 0.5, \"word\": \"x\"},\n"
        "\"bodies\": [{\"repeat\": {\"i\": \"$n\"}, \"mass\": \"$half\"}]}");
    static const struct {
        const char *key, *value, *code;
    } bad[] = {{"n", "0", "scene.parameter"},    {"n", "x", "scene.parameter"},  {"n", "10", "scene.parameter"},
               {"kind", "c", "scene.parameter"}, {"on", "2", "scene.parameter"}, {"half", "a", "scene.parameter"},
               {"m", "1", "setting.unknown"},    {"time", "-1", "setting.value"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ash_scene *scene;
        ash_diagnostic d = {0};
        const ash_setting setting = {bad[i].key, bad[i].value};
        assert_true(ash_scene_open(path_of("set.json"), &setting, 1, &scene, &d) != ASH_OK);
        assert_string_equal(d.code, bad[i].code);
        assert_null(scene);
    }
    ash_scene *scene = open_with("set.json", "n", "4");
    assert_int_equal(ash_scene_get_parameter_count(scene), 6);
    ash_scene_parameter n = ash_scene_get_parameter(scene, 0), kind = ash_scene_get_parameter(scene, 1);
    assert_string_equal(n.name, "n");
    assert_string_equal(n.summary, "how many");
    assert_true(n.value == 4 && n.low == 1 && n.high == 9 && n.choices == NULL);
    assert_string_equal(kind.choices, "a|b");
    assert_string_equal(kind.choice_value, "a");
    assert_string_equal(ash_scene_get_parameter(scene, 2).choice_value, "true");
    assert_true(ash_scene_get_parameter(scene, 3).value == 2);
    assert_string_equal(ash_scene_get_parameter(scene, 5).choices, "");
    assert_string_equal(ash_scene_get_parameter(scene, 6).name, "");
    assert_true(ash_scene_get_step(scene) == 0.01); /* a parameter hides the run's own number */
    assert_int_equal(scene->bodies.count, 4);
    ash_scene_destroy(scene);
    scene = open_with("set.json", "step", "0.25");
    assert_true(ash_scene_get_parameter(scene, 4).value == 0.25 && ash_scene_get_step(scene) == 0.01);
    ash_scene_destroy(scene);
    scene = open_with("set.json", "half", "7"); /* in place of the expression */
    assert_true(scene->bodies.data[0].def.mass == 7);
    ash_scene_destroy(scene);
    scene = open_with("set.json", "time", "8");
    assert_true(ash_scene_get_time(scene) == 8);
    ash_scene_destroy(scene);
}

/* In a file with none of these, '$' is a character as any other. */
static void test_other_files_keep_their_dollars(void **state)
{
    (void)state;
    write_file("plain.json",
               "{\"ashlar\": 1, \"name\": \"$5 and ${x}\", \"bodies\": [{\"name\": \"$n\", \"mass\": 1}]}");
    ash_scene *scene = open_with("plain.json", NULL, NULL);
    assert_string_equal(ash_scene_get_name(scene), "$5 and ${x}");
    assert_string_equal(scene->bodies.data[0].def.name, "$n");
    ash_scene_destroy(scene);
}

static void test_memory_may_fail(void **state)
{
    (void)state;
    make_parts();
    write_file("table.json", table);
    char path[128];
    snprintf(path, sizeof path, "%s", path_of("table.json"));
    for (uint64_t k = 1;; k += STRIDE) {
        ash_scene *scene;
        ash_diagnostic d = {0};
        ashi_alloc_fail_at(k, false);
        ash_status status = ash_scene_open(path, NULL, 0, &scene, &d);
        ashi_alloc_fail_at(0, false);
        if (status == ASH_OK) {
            ash_scene_destroy(scene);
            assert_true(k > 50);
            break;
        }
        assert_int_equal(status, ASH_OUT_OF_MEMORY);
        assert_int_equal(d.status, ASH_OUT_OF_MEMORY);
        assert_int_equal(ash_memory_used().blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters_stand_for_their_values),
        cmocka_unit_test(test_repeated_are_written_out),
        cmocka_unit_test(test_included_files_are_added),
        cmocka_unit_test(test_faults_are_found_in_their_files),
        cmocka_unit_test(test_depth_and_size_are_bounded),
        cmocka_unit_test(test_settings_reach_parameters),
        cmocka_unit_test(test_other_files_keep_their_dollars),
        cmocka_unit_test(test_memory_may_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
