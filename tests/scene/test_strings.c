/* Strings and nets of scene files: what they become, against exact statics. */
#include "check.h"
#include "math/vec3.h"
#include "scene/description/lattice.h"
#include "scene/instance/instance.h"

#include <stdlib.h>
#include <string.h>

static ash_scene *parse(const char *text)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    if (ash_scene_parse(text, strlen(text), "strings.json", &scene, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.path, diagnostic.message);
    return scene;
}

static double mass_of(const ash_scene *scene)
{
    double sum = 0;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        sum += scene->bodies.data[i].def.mass;
    return sum;
}

/* Springs of a kind. */
static uint32_t count_of(const ash_scene *scene, ash_force_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->forces.count; i++)
        count += scene->forces.data[i].kind == kind;
    return count;
}

/* A chain of length 2.5 over a span of 2: sinh(a) / a = 1.25 gives the sag c (cosh a - 1), c = 1 / a. */
static void a_long_string_hangs(void **state)
{
    (void)state;
    ashi_hanging h = ashi_hang(v3(0, 0, 0), v3(2, 0, 0), 2.5, v3(0, 0, -9.81));
    double a = 1 / h.parameter;
    assert_near(sinh(a) / a, 1.25, 1e-12);
    assert_near(ashi_hanging_at(&h, 0.5).z, -(cosh(a) - 1) / a, 1e-12);
    assert_near(ashi_hanging_at(&h, 0.5).x, 1, 1e-12);
    /* ends at any heights, in any direction: it begins and ends there, and its legs are as long as they should be */
    const ash_vec3 ends[] = {v3(1, 2, 0.5), v3(-1, 0.1, -3), v3(0, 0, 2), v3(0, 0, 0), v3(1e-12, 0, -1)};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        double length = v3_norm(ends[i]) * 1.3 + 0.1, sum = 0;
        h = ashi_hang(v3(0, 0, 0), ends[i], length, v3(0.3, 0, -9.81));
        assert_near(v3_distance(ashi_hanging_at(&h, 0), v3(0, 0, 0)), 0, 1e-9);
        assert_near(v3_distance(ashi_hanging_at(&h, 1), ends[i]), 0, 1e-9);
        for (int k = 0; k < 1000; k++)
            sum += v3_distance(ashi_hanging_at(&h, 0.001 * k), ashi_hanging_at(&h, 0.001 * (k + 1)));
        assert_near(sum, length, 2e-3 * length);
    }
    /* taut: a straight line */
    h = ashi_hang(v3(0, 0, 0), v3(2, 0, 0), 1.9, v3(0, 0, -9.81));
    assert_near(v3_distance(ashi_hanging_at(&h, 0.25), v3(0.5, 0, 0)), 0, 1e-15);
}

#define ROPE                                                                                                           \
    "{\"ashlar\": 1, \"bodies\": [{\"name\": \"mast\", \"type\": \"static\", \"position\": [0, 0, 1], \"rotation\": "  \
    "{\"axis\": [0, 0, 1], \"degrees\": 90}}], \"strings\": [{\"name\": \"rope\", \"body_a\": \"mast\", "              \
    "\"point_a\": [0, -1, 0], \"point_b\": [3, 0, 1], \"elements\": 20, \"mass\": 0.4, \"stiffness\": 100, "           \
    "\"damping_ratio\": 0.5, \"bending_stiffness\": 0.02, \"direction_a\": [0, -2, 0]}"

static void a_string_becomes_masses_and_springs(void **state)
{
    (void)state;
    ash_scene *scene = parse(ROPE "]}");
    const double l = 2.0 / 20, m = 0.4 / 20;
    assert_int_equal(scene->bodies.count, 1 + 19);
    assert_near(mass_of(scene), 19 * m, 1e-15);
    assert_int_equal(count_of(scene, ASH_FORCE_SPRING), 20);
    assert_int_equal(count_of(scene, ASH_FORCE_BENDING_SPRING), 19 + 1);
    for (uint32_t k = 1; k < 20; k++)
        assert_near(v3_distance(scene->bodies.data[k].def.position, v3(1 + k * l, 0, 1)), 0, 1e-15);
    assert_string_equal(scene->bodies.data[19].def.name, "rope-19");
    const ash_spring_def *first = &scene->forces.data[0].def.spring;
    assert_string_equal(first->name, "rope-1");
    assert_true(first->body_a.id == 1 && first->body_b.id == 2 && first->point_a.y == -1);
    assert_near(first->stiffness, 100 / l, 1e-10);
    assert_near(first->damping, 2 * 0.5 * sqrt(100 / l * m), 1e-12);
    assert_near(first->rest_length, l, 1e-15);
    const ash_bending_spring_def *clamp = &scene->forces.data[39].def.bending_spring;
    assert_true(clamp->body_a.id == 1 && clamp->body_b.id == 1 && clamp->body_c.id == 2);
    assert_near(v3_distance(clamp->point_a, v3(0, -1 + l, 0)), 0, 1e-15);
    assert_near(clamp->stiffness, 0.02 / l, 1e-15);
    ash_scene_destroy(scene);
    /* free ends are masses of half an element; joints and outputs may name what there is */
    scene =
        parse("{\"ashlar\": 1, \"strings\": [{\"name\": \"s\", \"free_b\": true, \"point_b\": [0, 0, -1], "
              "\"elements\": 4, \"mass\": 1, \"stiffness\": 9, \"radius\": 0.01}], \"joints\": [{\"kind\": \"ball\", "
              "\"body_b\": \"s-4\", \"point\": [0, 0, -1]}], \"outputs\": [{\"name\": \"t\", \"force\": \"s-4\", "
              "\"quantity\": \"tension\"}]}");
    assert_int_equal(scene->bodies.count, 4);
    assert_near(mass_of(scene), 1 - 0.125, 1e-15);
    assert_near(scene->bodies.data[3].def.mass, 0.125, 1e-15);
    assert_int_equal(scene->shapes.count, 4);
    ash_scene_destroy(scene);
}

/* A free net weighs what it should, held ones what is not held; every band is there. */
static void a_net_becomes_masses_and_springs(void **state)
{
    (void)state;
    static const char *const holds[] = {"nothing", "corners", "first", "edges"};
    const uint32_t held[] = {0, 4, 13, 2 * 13 + 2 * 10 - 4}, nodes = 5 * 10 + 4 * 13 - 5 * 4;
    for (int i = 0; i < 4; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "{\"ashlar\": 1, \"nets\": [{\"name\": \"n\", \"columns\": 4, \"rows\": 3, \"elements\": 3, \"along\": "
            "[1.2, 0, 0], \"across\": [0, 0.9, 0], \"corner\": [0, 0, 1], \"hold\": \"%s\", \"mass\": 0.31, "
            "\"stiffness\": 50, \"bending_stiffness\": 1e-4, \"strain\": 0.25}]}",
            holds[i]);
        ash_scene *scene = parse(text);
        assert_int_equal(scene->bodies.count, nodes - held[i]);
        if (i == 0) {
            assert_near(mass_of(scene), 0.31, 1e-15);
            assert_int_equal(count_of(scene, ASH_FORCE_SPRING), 4 * 12 + 5 * 9);
            assert_int_equal(count_of(scene, ASH_FORCE_BENDING_SPRING), 4 * 11 + 5 * 8);
            assert_near(scene->forces.data[0].def.spring.rest_length, 0.1 / 1.25, 1e-15);
            assert_string_equal(scene->forces.data[0].def.spring.name, "n-0-0-along");
        }
        ash_scene_destroy(scene);
    }
}

/* What is written is the same scene, in full. */
static void they_are_written_in_full(void **state)
{
    (void)state;
    ash_scene *scene =
        parse(ROPE ", {\"body_b\": \"mast\", \"point_a\": [0, 0, 3], \"elements\": 2, \"mass\": 1, "
                   "\"stiffness\": 1, \"length\": 4}], \"nets\": [{\"columns\": 2, \"rows\": 2, \"mass\": 1, "
                   "\"stiffness\": 5, \"along\": [1, 0, 0], \"across\": [0, 1, 0]}]}");
    char *text = NULL, *again = NULL;
    size_t size, size_again;
    assert_int_equal(ash_scene_write(scene, &text, &size, NULL), ASH_OK);
    ash_scene *second = parse(text);
    assert_int_equal(ash_scene_write(second, &again, &size_again, NULL), ASH_OK);
    assert_int_equal(second->bodies.count, scene->bodies.count);
    assert_int_equal(second->forces.count, scene->forces.count);
    assert_string_equal(text, again);
    ash_free(text);
    ash_free(again);
    ash_scene_destroy(scene);
    ash_scene_destroy(second);
}

/* A hanging chain as it is made is in equilibrium but for its elements' stretch, weight over E A, 1e-5: let go, nothing
 * gains a thousandth of gravity. */
static void a_hanging_chain_is_in_equilibrium(void **state)
{
    (void)state;
    ash_scene *scene =
        parse("{\"ashlar\": 1, \"world\": {\"method\": \"engineering\"}, \"strings\": [{\"name\": \"c\", "
              "\"point_b\": [2, 0, -0.3], \"length\": 2.6, \"elements\": 200, \"mass\": 1, "
              "\"stiffness\": 1e6, \"damping_ratio\": 1}], \"outputs\": [{\"name\": \"z\", \"body\": "
              "\"c-100\", \"quantity\": \"position\", \"component\": \"z\"}]}");
    ashi_instance instance;
    assert_int_equal(ashi_scene_build(scene, 1, &instance, NULL), ASH_OK);
    double z = ashi_instance_read_output(&instance, scene, 0);
    for (int i = 0; i < 50; i++)
        assert_int_equal(ash_world_step(instance.world, 0.01), ASH_OK);
    assert_near(ashi_instance_read_output(&instance, scene, 0), z, 1e-3);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_string_hangs),
        cmocka_unit_test(a_string_becomes_masses_and_springs),
        cmocka_unit_test(a_net_becomes_masses_and_springs),
        cmocka_unit_test(they_are_written_in_full),
        cmocka_unit_test(a_hanging_chain_is_in_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
