/* Meshes in files, and shapes that are only drawn. */
#define _XOPEN_SOURCE 700
#include "check.h"

#include "ashlar/query.h"
#include "scene/file/expand.h"
#include "scene/instance/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ash_diagnostic diagnostic;
static char folder[] = "/tmp/ashlar-mesh-XXXXXX";

/* A tetrahedron, and with its last triangle left out an open sheet. Points are given twice, as STL files do. */
static const char solid[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nf 1 3 2\nf 5 2 4\nf 2 3 4\nf 3 1 4\n";
static const char sheet[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static ash_status open_text(const char *text, ash_scene **scene)
{
    memset(&diagnostic, 0, sizeof diagnostic);
    put("scene.json", text);
    return ash_scene_open("scene.json", NULL, 0, scene, &diagnostic);
}

static ash_scene *opened(const char *text)
{
    ash_scene *scene;
    char line[1024];
    if (open_text(text, &scene) != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    return scene;
}

static void refused(const char *text, const char *code)
{
    ash_scene *scene;
    assert_int_not_equal(open_text(text, &scene), ASH_OK);
    assert_null(scene);
    assert_string_equal(diagnostic.code, code);
    assert_string_equal(diagnostic.file, "scene.json");
    assert_true(diagnostic.line == 2);
    assert_int_equal(ash_memory_used().blocks, 0);
}

#define SCENE(shape) "{\"ashlar\": 1, \"bodies\": [{\"shapes\": [\n" shape "]}]}"

static double volume_of(const ash_scene *scene)
{
    ash_mass_properties mass;
    assert_int_equal(ash_geometry_mass(scene->geometries.data[0].geometry, 1, &mass, NULL), ASH_OK);
    return mass.mass;
}

static void files_are_read_and_scaled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double volume;
    } cases[] = {
        {SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"solid.obj\"}}"), 1.0 / 6},
        {SCENE("{\"shape\": {\"kind\": \"hull\", \"file\": \"./solid.obj\", \"scale\": 2}}"), 8.0 / 6},
        {SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"solid.obj\", \"unit\": \"mm\"}}"), 1e-9 / 6},
        {SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"solid.obj\", \"scale\": [2, -3, 4]}}"), 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ash_scene *scene = opened(cases[i].text), *again;
        assert_near(volume_of(scene), cases[i].volume, 1e-14 * cases[i].volume);
        assert_int_equal(ash_geometry_get_definition(scene->geometries.data[0].geometry)->point_count, 4);
        /* what is written needs no file */
        char *text;
        size_t size;
        assert_int_equal(ash_scene_write(scene, &text, &size, NULL), ASH_OK);
        assert_null(strstr(text, "solid.obj"));
        assert_int_equal(ash_scene_parse(text, size, "", &again, &diagnostic), ASH_OK);
        assert_true(ash_geometry_get_hash(again->geometries.data[0].geometry) ==
                    ash_geometry_get_hash(scene->geometries.data[0].geometry));
        ash_free(text);
        ash_scene_destroy(again);
        ash_scene_destroy(scene);
    }
    /* an included file names its own neighbours */
    put("sub/part.json",
        "{\"ashlar\": 1, \"bodies\": [{\"shapes\": [{\"shape\": {\"kind\": \"hull\", \"file\": \"near.obj\"}}]}]}");
    put("sub/near.obj", solid);
    ash_scene *scene = opened("{\"ashlar\": 1, \"include\": [{\"file\": \"sub/part.json\"}]}");
    assert_near(volume_of(scene), 1.0 / 6, 1e-15);
    ash_scene_destroy(scene);
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"none.obj\"}}"), "mesh-file.missing");
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"sub\"}}"), "mesh-file.unreadable");
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"words.txt\"}}"), "mesh-file.format");
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"cut.stl\"}}"), "mesh-file.format");
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"points.obj\"}}"), "mesh-file.format");
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"solid.obj\", \"points\": []}}"), "scene.conflict");
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"solid.obj\", \"scale\": 0}}"), "scene.value");
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"solid.obj\", \"unit\": \"parsec\"}}"),
            "scene.unknown-word");
    refused(SCENE("{\"shape\": {\"kind\": \"hull\", \"points\": [[0, 0, 0]], \"scale\": 2}}"), "scene.conflict");
    refused(SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"sheet.obj\", \"open\": true}}"), "scene.conflict");
    refused(SCENE("{\"shape\": {\"kind\": \"sphere\", \"radius\": 1}, \"colour\": [1, 2, 0]}"), "scene.value");
    /* a text that is in no file names none */
    ash_scene *scene;
    static const char text[] = SCENE("{\"shape\": {\"kind\": \"mesh\", \"file\": \"solid.obj\"}}");
    assert_int_equal(ash_scene_parse(text, sizeof text - 1, "", &scene, &diagnostic), ASH_UNSUPPORTED);
}

static void what_is_only_drawn_is_not_in_the_world(void **state)
{
    (void)state;
    ash_scene *scene = opened(
        "{\"ashlar\": 1, \"bodies\": [{\"shapes\": ["
        "{\"shape\": {\"kind\": \"mesh\", \"file\": \"sheet.obj\", \"open\": true}, \"visual\": true, "
        "\"colour\": [1, 0.5, 0, 0.25]},"
        "{\"shape\": {\"kind\": \"sphere\", \"radius\": 1}, \"density\": 3, \"hidden\": true, \"name\": \"ball\"}]}]}");
    for (int round = 0; round < 2; round++) { /* as read, and as read from what is written */
        const ashi_scene_shape *shapes = scene->shapes.data;
        assert_true(shapes[0].visual && !shapes[0].hidden && shapes[0].paint.given && shapes[0].paint.rgba[3] == 0.25);
        assert_true(!shapes[1].visual && shapes[1].hidden && !shapes[1].paint.given);
        ash_world *world;
        assert_int_equal(ash_scene_instantiate(scene, 1, &world, NULL), ASH_OK);
        ash_body body;
        ash_shape list[4];
        ash_world_get_bodies(world, &body, 1);
        assert_int_equal(ash_body_get_shapes(world, body, list, 4), 1);
        assert_string_equal(ash_shape_get_name(world, list[0]), "ball");
        assert_near(ash_body_get_mass(world, body).mass, 3 * 4.0 / 3 * 3.14159265358979323846, 1e-13);
        ash_world_destroy(world);
        char *text;
        size_t size;
        assert_int_equal(ash_scene_write(scene, &text, &size, NULL), ASH_OK);
        ash_scene_destroy(scene);
        assert_int_equal(ash_scene_parse(text, size, "", &scene, &diagnostic), ASH_OK);
        ash_free(text);
    }
    ash_scene_destroy(scene);
}

static void open_meshes_are_seen_and_nothing_else(void **state)
{
    (void)state;
    const ash_vec3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t triangles[] = {0, 1, 2};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = points;
    def.point_count = 3;
    def.triangles = triangles;
    def.triangle_count = 1;
    ash_geometry *geometry, *other;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_BAD_DATA); /* it is not closed */
    def.open = true;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    for (int side = -1; side <= 1; side += 2) {
        ash_ray_hit hit;
        assert_true(ash_geometry_ray(geometry, (ash_ray){{0.25, 0.25, side}, {0, 0, -side}, 5}, &hit));
        assert_true(hit.t == 1 && hit.normal.z == side);
    }
    assert_near(ash_geometry_distance(geometry, (ash_vec3){0.25, 0.25, -2}), 2, 1e-15);
    ash_triangulation made;
    assert_int_equal(ash_geometry_triangulate(geometry, 1, 1, &made, NULL), ASH_OK);
    assert_int_equal(made.triangle_count, 2); /* one for each side */
    ash_triangulation_release(&made);
    ash_mass_properties mass;
    assert_int_equal(ash_geometry_mass(geometry, 1, &mass, NULL), ASH_UNSUPPORTED);
    ash_geometry_def compound = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    compound.parts = &(ash_geometry_part){geometry, ash_identity()};
    compound.part_count = 1;
    assert_int_equal(ash_geometry_create(&compound, &other, NULL), ASH_BAD_DATA);
    ash_closest closest;
    assert_int_equal(ash_closest_points(geometry, ash_identity(), geometry, ash_identity(), &closest), ASH_UNSUPPORTED);
    ash_sweep sweep = {.geometry = geometry, .pose = ash_identity()};
    double impact;
    assert_false(ash_time_of_impact(&sweep, &sweep, 1, &impact, NULL));
    ash_world_def world_def = ash_default_world_def();
    ash_world *world;
    assert_int_equal(ash_world_create(&world_def, &world, NULL), ASH_OK);
    ash_body_def body_def = ash_default_body_def();
    body_def.mass = 1;
    ash_shape_def shape = ash_default_shape_def();
    shape.geometry = geometry;
    ash_body body;
    assert_int_equal(ash_body_create(world, &body_def, &shape, 1, &body, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "shape.open");
    ash_shape found;
    assert_int_equal(ash_world_overlap_shape(world, geometry, ash_identity(), NULL, &found, 1), 0);
    ash_world_destroy(world);
    const uint32_t beyond[] = {0, 1, 3};
    def.triangles = beyond;
    assert_int_equal(ash_geometry_create(&def, &other, NULL), ASH_BAD_DATA);
    ash_geometry_release(geometry);
    assert_int_equal(ash_memory_used().blocks, 0);
}

/* An L of two bars, each 2 x 1 x 1 and 1 x 1 x 1: by each choice of what collides, a small ball in its notch and its
 * mass.
 */
static const char corner[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                             "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                             "f 3 2 1\nf 4 3 1\nf 5 4 1\nf 6 5 1\nf 7 8 9\nf 7 9 10\nf 7 10 11\nf 7 11 12\n"
                             "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

static void what_collides_is_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        double volume;
        bool notch; /* whether there is room in it */
    } cases[] = {
        {"{\"shape\": {\"kind\": \"hull\", \"file\": \"corner.obj\"}}", 3.5, false},
        {"{\"shape\": {\"kind\": \"mesh\", \"file\": \"corner.obj\"}}", 3, true},
        {"{\"shape\": {\"kind\": \"parts\", \"file\": \"corner.obj\"}}", 3, true},
        {"{\"shape\": {\"kind\": \"parts\", \"file\": \"corner.obj\", \"most\": 1}}", 3.5, false},
        {"{\"shape\": {\"kind\": \"parts\", \"file\": \"corner.obj\", \"tolerance\": 0.5}}", 3.5, false},
    };
    put("corner.obj", corner);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text, SCENE("%s"), cases[i].shape);
        ash_scene *scene = opened(text);
        assert_near(volume_of(scene), cases[i].volume, 1e-9);
        double gap = ash_geometry_distance(scene->geometries.data[0].geometry, (ash_vec3){1.3, 1.3, 0.5});
        assert_int_equal(gap > 0.2, cases[i].notch);
        ash_scene_destroy(scene);
    }
    refused(SCENE("{\"shape\": {\"kind\": \"parts\", \"file\": \"corner.obj\", \"most\": 0}}"), "scene.value");
    refused(SCENE("{\"shape\": {\"kind\": \"parts\", \"file\": \"corner.obj\", \"tolerance\": 2}}"), "parts.limits");
    refused(SCENE("{\"shape\": {\"kind\": \"parts\", \"file\": \"corner.obj\", \"open\": true}}"), "scene.unknown-key");
}

int main(void)
{
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(system("mkdir sub"), 0);
    put("solid.obj", solid);
    put("sheet.obj", sheet);
    put("words.txt", "these are words\n");
    put("cut.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0");
    put("points.obj", "v 0 0 0\nv 1 0 0\np 1\n");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_and_scaled),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(what_is_only_drawn_is_not_in_the_world),
        cmocka_unit_test(what_collides_is_chosen),
        cmocka_unit_test(open_meshes_are_seen_and_nothing_else),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    assert_int_equal(chdir("/"), 0);
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? failed : 1;
}
