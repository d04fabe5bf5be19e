/* The writer: what it writes reads back to the same scene, and writing that again gives the same bytes. */
#define _POSIX_C_SOURCE 200809L
#include "example_files.h"
#include "same_scene.h"

static ash_scene *parse(const char *text, size_t size)
{
    ash_scene *scene;
    ash_diagnostic diagnostic;
    if (ash_scene_parse(text, size, "written", &scene, &diagnostic) != ASH_OK) {
        char line[1200];
        fail_msg("%s\nin:\n%s", ash_diagnostic_text(&diagnostic, line, sizeof line), text);
    }
    return scene;
}

static char *write_scene(const ash_scene *scene, size_t *size)
{
    char *text;
    ash_diagnostic diagnostic;
    if (ash_scene_write(scene, &text, size, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return text;
}

static void check_round_trip(const ash_scene *scene)
{
    size_t size, size_again;
    char *text = write_scene(scene, &size);
    assert_int_equal(strlen(text), size);
    ash_scene *read = parse(text, size);
    assert_same_scene(scene, read);
    char *again = write_scene(read, &size_again);
    assert_string_equal(text, again);
    ash_scene_destroy(read);
    ash_free(text);
    ash_free(again);
}

static void check_file(const char *path)
{
    size_t size;
    char *text = read_text_file(path, &size);
    ash_scene *scene = parse(text, size);
    free(text);
    check_round_trip(scene);
    ash_scene_destroy(scene);
}

static void files_survive_a_round_trip(void **state)
{
    (void)state;
    for_each_file(EXAMPLES "valid/*.json", 8, check_file);
    for_each_file(EXAMPLE_SCENES "*.json", 3, check_file);
    assert_int_equal(ash_memory_used().blocks, 0);
}

static void built_in_scenes_survive_a_round_trip(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ash_builtin_count(); i++) {
        ash_scene *scene;
        ash_diagnostic diagnostic;
        if (ash_scene_open(ash_builtin_get(i).name, NULL, 0, &scene, &diagnostic) != ASH_OK)
            fail_msg("%s: %s", ash_builtin_get(i).name, diagnostic.message);
        check_round_trip(scene);
        ash_scene_destroy(scene);
    }
}

/* A scene as C code may make it: objects without names or with the same ones, one shape on several bodies. */
static ash_scene *nameless_scene(void)
{
    ash_scene *scene;
    assert_int_equal(ashi_scene_create("nameless", &scene, NULL), ASH_OK);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry *ball;
    assert_int_equal(ash_geometry_create(&def, &ball, NULL), ASH_OK);
    uint32_t shared = ashi_scene_add_geometry(scene, NULL, ball);
    uint32_t twin = ashi_scene_add_geometry(scene, "shape-0", ash_geometry_retain(ball));
    ashi_scene_add_geometry(scene, "shape-0", ash_geometry_retain(ball));
    ash_material_def matter = ash_default_material_def();
    matter.density = 12;
    matter.surface = (ash_surface){0.3, 0.2, 0.1, 0.01, 0.02};
    matter.friction_combine = ASH_COMBINE_MAXIMUM;
    uint32_t material = ashi_scene_add_material(scene, &matter);
    matter.name = "material-0";
    ashi_scene_add_material(scene, &matter);
    matter = ash_default_material_def();
    matter.name = "same";
    matter.restitution_combine = ASH_COMBINE_AVERAGE;
    ashi_scene_add_material(scene, &matter);
    ashi_scene_add_material(scene, &matter);
    ashi_scene_material_pair law = {material, material + 2, 5, {0.1, 7, 0.2, 7, 7}};
    ashi_scene_add_material_pair(scene, &law);
    law = (ashi_scene_material_pair){material + 1, ASHI_NONE, 26, {7, 0.1, 7, 0.2, 0.3}};
    ashi_scene_add_material_pair(scene, &law);
    ash_body_def body = ash_default_body_def();
    body.name = "same";
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t number = ashi_scene_add_body(scene, &body);
        ashi_scene_shape shape = ashi_default_scene_shape();
        shape.geometry = i < 2 ? shared : twin;
        shape.material = material + i;
        shape.density = i == 1 ? 0 : ASH_MATERIAL_DENSITY;
        shape.surface_velocity = (ash_vec3){0, i, 0};
        shape.category = 6;
        shape.mask = (uint64_t)1 << 63;
        shape.group = -2;
        shape.sensor = i == 1;
        ashi_scene_add_shape(scene, number, &shape);
        body.name = NULL;
    }
    body.name = "same";
    ashi_scene_add_body(scene, &body);
    ash_spring_def spring = ash_default_spring_def();
    spring.body_a = ashi_scene_body_ref(3);
    spring.body_b = ashi_scene_body_ref(1);
    uint32_t force = ashi_scene_add_spring(scene, &spring);
    ashi_scene_add_output(
        scene, &(ashi_scene_output){
                   .name = "length", .quantity = ASHI_FORCE_LENGTH, .object = force, .component = ASHI_SCALAR});
    ashi_scene_add_event(scene, &(ashi_scene_event){.time = 1, .kind = ASHI_EVENT_REMOVE, .object = 2});
    assert_int_equal(ashi_scene_finish(scene, NULL), ASH_OK);
    return scene;
}

static void objects_without_names_are_told_apart(void **state)
{
    (void)state;
    ash_scene *scene = nameless_scene();
    check_round_trip(scene);
    ash_method method = ash_scene_get_method(scene);
    method.tolerance = 0x1.5555555555555p-20;
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_OK);
    assert_string_equal(ash_scene_get_method(scene).name, "custom");
    check_round_trip(scene);
    method.tolerance = -1;
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_BAD_ARGUMENT);
    ash_scene_destroy(scene);
}

static void what_a_file_cannot_hold_is_refused(void **state)
{
    (void)state;
    ash_scene *scene = nameless_scene();
    scene->step = INFINITY;
    char *text = (char *)1;
    size_t size = 1;
    ash_diagnostic diagnostic;
    assert_int_equal(ash_scene_write(scene, &text, &size, &diagnostic), ASH_BAD_DATA);
    assert_null(text);
    assert_int_equal(size, 0);
    assert_string_equal(diagnostic.code, "scene.not-writable");
    assert_int_equal(ash_scene_write(scene, NULL, &size, NULL), ASH_BAD_ARGUMENT);
    ash_scene_destroy(scene);
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* Lines are kept short where the text has places to break. */
static void the_text_is_tidy(void **state)
{
    (void)state;
    size_t size;
    char *file = read_text_file(EXAMPLES "valid/shapes.json", &size);
    ash_scene *scene = parse(file, size);
    char *text = write_scene(scene, &size);
    for (const char *line = text; *line != 0; line = strchr(line, '\n') + 1) {
        size_t length = (size_t)(strchr(line, '\n') - line);
        assert_true(length <= 150);
        assert_true(length == 0 || line[length - 1] != ' ');
    }
    ash_free(text);
    free(file);
    ash_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_survive_a_round_trip),
        cmocka_unit_test(built_in_scenes_survive_a_round_trip),
        cmocka_unit_test(objects_without_names_are_told_apart),
        cmocka_unit_test(what_a_file_cannot_hold_is_refused),
        cmocka_unit_test(the_text_is_tidy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
