/* The built-in scenes: each builds with its defaults, makes a world that steps, and reads back from what it writes;
 * parameters that cannot be are diagnostics. */
#include "check.h"

#include "base/alloc.h"
#include "experiments/builtin.h"
#include "experiments/experiment.h"

#include <string.h>

static ash_scene *opened(const char *name, const char *key, const char *value)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    ash_setting setting = {key, value};
    if (ash_scene_open(name, &setting, key ? 1 : 0, &scene, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", name, diagnostic.message);
    return scene;
}

/* The diagnostic of a scene that must not open. */
static ash_diagnostic refused(const char *name, const char *key, const char *value)
{
    ash_scene *scene = NULL;
    ash_diagnostic diagnostic = {0};
    ash_setting setting = {key, value};
    assert_int_not_equal(ash_scene_open(name, &setting, 1, &scene, &diagnostic), ASH_OK);
    assert_null(scene);
    return diagnostic;
}

/* Those that no event adds later. */
static uint32_t present_bodies(const ash_scene *scene)
{
    uint32_t present = 0;
    for (uint32_t i = 0; i < scene->bodies.count; ++i)
        present += !scene->bodies.data[i].absent;
    return present;
}

static void test_every_scene_steps(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ash_builtin_count(); ++i) {
        ash_builtin_info info = ash_builtin_get(i);
        ash_scene *scene = opened(info.name, NULL, NULL);
        ash_world *world = NULL;
        assert_string_equal(ash_scene_get_name(scene), info.name);
        assert_string_equal(ash_scene_get_summary(scene), info.summary);
        assert_true(scene->checks.count > 0);
        assert_int_equal(ash_scene_instantiate(scene, 1, &world, NULL), ASH_OK);
        assert_int_equal(ash_world_get_bodies(world, NULL, 0), present_bodies(scene));
        uint64_t start = ash_world_get_hash(world);
        assert_int_equal(ash_world_step(world, ash_scene_get_step(scene)), ASH_OK);
        assert_int_not_equal(ash_world_get_hash(world), start);
        ash_world_destroy(world);
        ash_scene_destroy(scene);
    }
}

/* The copy that was read goes through the same states, bit for bit. */
static void test_every_scene_reads_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ash_builtin_count(); ++i) {
        ash_scene *scene = opened(ash_builtin_get(i).name, NULL, NULL), *copy = NULL;
        ash_world *world = NULL, *other = NULL;
        char *text = NULL, *again = NULL;
        size_t size = 0, size_again = 0;
        ash_diagnostic diagnostic = {0};
        assert_int_equal(ash_scene_write(scene, &text, &size, &diagnostic), ASH_OK);
        if (ash_scene_parse(text, size, "copy", &copy, &diagnostic) != ASH_OK)
            fail_msg("%s: %s", ash_scene_get_name(scene), diagnostic.message);
        assert_int_equal(ash_scene_write(copy, &again, &size_again, &diagnostic), ASH_OK);
        assert_int_equal(size, size_again);
        assert_memory_equal(text, again, size);
        assert_int_equal(ash_scene_instantiate(scene, 1, &world, NULL), ASH_OK);
        assert_int_equal(ash_scene_instantiate(copy, 1, &other, NULL), ASH_OK);
        for (int step = 0; step < (SLOW_BUILD ? 2 : 5); ++step) {
            assert_int_equal(ash_world_step(world, ash_scene_get_step(scene)), ASH_OK);
            assert_int_equal(ash_world_step(other, ash_scene_get_step(copy)), ASH_OK);
        }
        assert_true(ash_world_get_hash(world) == ash_world_get_hash(other));
        ash_world_destroy(world);
        ash_world_destroy(other);
        ash_scene_destroy(scene);
        ash_scene_destroy(copy);
        ash_free(text);
        ash_free(again);
    }
}

/* The default builds; what lies beyond either end of the range does not. */
static void test_ranges_of_every_parameter(void **state)
{
    (void)state;
    char text[64];
    for (uint32_t i = 0; i < ash_builtin_count(); ++i) {
        ash_builtin_info info = ash_builtin_get(i);
        for (uint32_t p = 0; p < info.parameter_count; ++p) {
            const ash_scene_parameter *parameter = &info.parameters[p];
            assert_true(strlen(parameter->summary) > 0);
            if (parameter->choices) {
                ash_scene_destroy(opened(info.name, parameter->name, parameter->choice_value));
                refused(info.name, parameter->name, "");
                refused(info.name, parameter->name, "none-of-these");
                continue;
            }
            assert_true(parameter->low <= parameter->value && parameter->value <= parameter->high);
            snprintf(text, sizeof text, "%.17g", parameter->value);
            ash_scene_destroy(opened(info.name, parameter->name, text));
            snprintf(text, sizeof text, "%.17g", parameter->high + 1);
            assert_int_equal(refused(info.name, parameter->name, text).status, ASH_BAD_DATA);
            snprintf(text, sizeof text, "%.17g", parameter->low - 1);
            ash_diagnostic diagnostic = refused(info.name, parameter->name, text);
            assert_non_null(strstr(diagnostic.message, parameter->name));
            assert_non_null(strstr(diagnostic.expected, "from"));
            refused(info.name, parameter->name, "many");
        }
    }
}

static void test_unknown_names_are_suggested(void **state)
{
    (void)state;
    ashi_parameters parameters;
    ash_diagnostic diagnostic = {0};
    ash_setting settings[] = {{"amplitde", "0.01"}, {"zeta", "0.5"}};
    bool taken[2] = {true, false};
    const ashi_builtin *string = ashi_builtin_find("string");
    assert_non_null(string);
    assert_null(ashi_builtin_find("strings"));
    assert_null(ashi_builtin_find(NULL));
    assert_int_equal(ashi_parameters_read(&string->info, settings, 2, NULL, &parameters, &diagnostic), ASH_NOT_FOUND);
    assert_non_null(strstr(diagnostic.message, "did you mean \"amplitude\""));
    assert_int_equal(ashi_parameters_read(&string->info, settings, 2, taken, &parameters, &diagnostic), ASH_OK);
    assert_false(taken[0]);
    assert_true(taken[1]);
    assert_near(ashi_parameter(&parameters, "zeta"), 0.5, 0);
    assert_near(ashi_parameter(&parameters, "amplitude"), 0.05, 0);
    assert_int_equal(ash_validate("strng", NULL, NULL, &diagnostic), ASH_BAD_ARGUMENT);
    assert_string_equal(ash_builtin_get(1000).name, "");
}

static void test_string_has_a_node_where_it_is_pulled(void **state)
{
    (void)state;
    ash_diagnostic diagnostic = refused("string", "elements", "30");
    assert_non_null(strstr(diagnostic.message, "no node at 0.5"));
    refused("string", "elements", "7.5");
    refused("string", "position", "0.3");
    ash_scene *scene = opened("string", "position", "0.25");
    assert_int_equal(scene->bodies.count, 31);
    assert_near(scene->bodies.data[7].def.position.x, 0.05, 0);
    assert_near(scene->bodies.data[7].def.position.z, 1.558 / 4, 1e-15);
    assert_near(scene->bodies.data[15].def.position.x, 0.05 * 2 / 3, 1e-15);
    ash_scene_destroy(scene);
}

/* Elements by de Jong 2014 (8-13) to (8-18), worked out by hand for 31 masses. */
static void test_string_elements(void **state)
{
    (void)state;
    ash_scene *scene = opened("string", "zeta", "0.5");
    const ash_spring_def *spring = &scene->forces.data[3].def.spring;
    double k = 1.07e7 * 3.14159265358979323846 * 0.0015 * 0.0015 / 0.0475;
    assert_int_equal(scene->forces.count, 32);
    assert_near(spring->rest_length, 0.0475, 1e-15);
    assert_near(scene->bodies.data[0].def.mass, 0.0475 * 0.0075, 1e-18);
    assert_near(spring->stiffness, k, 1e-9);
    assert_near(spring->damping, sqrt(0.0475 * 0.0075 * k), 1e-12);
    assert_true(spring->tension_only);
    ash_scene_destroy(scene);
}

/* The net weighs its bands and its balls, and only the delayed balls wait. */
static void test_net_mass_and_delay(void **state)
{
    (void)state;
    ashi_experiment net;
    assert_int_equal(ashi_experiment_open(&net, NULL, "net", "cells=3 delay=0.05"), ASH_OK);
    double mass = 0;
    for (uint32_t i = 0; i < net.scene->bodies.count; ++i)
        mass += net.scene->bodies.data[i].def.mass;
    assert_near(mass, 4 * 0.055 + 24 * 0.09 * 0.0067, 1e-12);
    ash_body waits = ash_world_find_body(net.world, "ball-lb"), falls = ash_world_find_body(net.world, "ball-lf");
    double start = ash_body_get_centre(net.world, waits).z;
    assert_int_equal(ashi_experiment_run(&net, 0.0001, 500, NULL, NULL, NULL, NULL), ASH_OK);
    assert_near(ash_body_get_centre(net.world, waits).z, start, 0);
    assert_below(ash_body_get_centre(net.world, falls).z, -0.01);
    assert_int_equal(ashi_experiment_run(&net, 0.0001, 100, NULL, NULL, NULL, NULL), ASH_OK);
    assert_true(ash_body_get_centre(net.world, waits).z < start);
    ashi_experiment_close(&net);
}

/* Every allocation of opening a scene fails in turn, once and for good: a diagnostic each time, nothing lost. */
static void test_opening_without_memory(void **state)
{
    (void)state;
    static const ash_setting small[] = {{"cells", "1"},  {"elements", "3"}, {"level", "0"}, {"layers", "2"},
                                        {"layers", "2"}, {"n", "20"},       {"n", "20"},    {"n", "20"}};
    static const char *const sized[] = {"net",          "string", "inertia",  "roof-tower",
                                        "falling-roof", "silo",   "box-pile", "pile-2d"};
    enum { SIZED = sizeof sized / sizeof *sized };
    for (uint32_t i = 0; i < ash_builtin_count(); ++i) {
        const char *name = ash_builtin_get(i).name;
        const ash_setting *settings = NULL;
        for (int k = 0; k < SIZED; ++k)
            settings = strcmp(name, sized[k]) == 0 ? &small[k] : settings;
        uint64_t blocks = ash_memory_used().blocks;
        for (int for_good = 0; for_good < 2; ++for_good) {
            ash_status status = ASH_OUT_OF_MEMORY;
            for (uint64_t k = 1; status != ASH_OK; k += STRIDE) {
                ash_scene *scene = NULL;
                ash_diagnostic diagnostic = {0};
                ashi_alloc_fail_at(k, for_good);
                status = ash_scene_open(name, settings, settings ? 1 : 0, &scene, &diagnostic);
                ashi_alloc_fail_at(0, false);
                if (status == ASH_OK)
                    assert_non_null(scene);
                else
                    assert_int_equal(diagnostic.status, ASH_OUT_OF_MEMORY);
                ash_scene_destroy(scene);
                assert_true(ash_memory_used().blocks == blocks);
            }
        }
    }
}

/* The same for the experiments of the smallest scene. */
static bool ignore_row(const ash_validation_row *row, void *user)
{
    (void)row;
    (void)user;
    return true;
}

static void test_experiments_without_memory(void **state)
{
    (void)state;
    uint64_t blocks = ash_memory_used().blocks, k = 1;
    ash_status status = ASH_OUT_OF_MEMORY;
    for (; status != ASH_OK; k += 7) {
        ash_diagnostic diagnostic = {0};
        ashi_alloc_fail_at(k, true);
        status = ash_validate("free-fall", ignore_row, NULL, &diagnostic);
        ashi_alloc_fail_at(0, false);
        if (status != ASH_OK)
            assert_int_equal(status, ASH_OUT_OF_MEMORY);
        assert_true(ash_memory_used().blocks == blocks);
    }
    assert_true(k > 100);
}

static bool stop_at_once(const ash_validation_row *row, void *user)
{
    (void)row;
    ++*(int *)user;
    return false;
}

static void test_validation_stops_when_told(void **state)
{
    (void)state;
    int rows = 0;
    assert_int_equal(ash_validate(NULL, stop_at_once, &rows, NULL), ASH_OK);
    assert_int_equal(rows, 1);
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ash_validate("osillator", stop_at_once, &rows, &diagnostic), ASH_NOT_FOUND);
    assert_non_null(strstr(diagnostic.message, "did you mean \"oscillator\""));
}

static bool keep_row(const ash_validation_row *row, void *user)
{
    *(ash_validation_row *)user = *row;
    return true;
}

static void test_verdicts(void **state)
{
    (void)state;
    ash_validation_row row;
    ashi_validation validation = {.row = keep_row, .user = &row, .scene = "none"};
    const double nan = (double)NAN, infinite = (double)INFINITY;
    ashi_validation_near(&validation, "q", "s", 1, 1.1, 0.2);
    assert_int_equal(row.verdict, ASH_PASS);
    assert_string_equal(row.scene, "none");
    ashi_validation_near(&validation, "q", "s", 1, 1.3, 0.2);
    assert_int_equal(row.verdict, ASH_FAIL);
    ashi_validation_near(&validation, "q", "s", 1, nan, 0.2);
    assert_int_equal(row.verdict, ASH_FAIL);
    ashi_validation_below(&validation, "q", "s", 1, 1);
    assert_int_equal(row.verdict, ASH_PASS);
    ashi_validation_below(&validation, "q", "s", -infinite, 1);
    assert_int_equal(row.verdict, ASH_FAIL);
    ashi_validation_above(&validation, "q", "s", 1, 1);
    assert_int_equal(row.verdict, ASH_PASS);
    ashi_validation_above(&validation, "q", "s", infinite, 1);
    assert_int_equal(row.verdict, ASH_FAIL);
    ashi_validation_report(&validation, "q", "s", nan, 7);
    assert_int_equal(row.verdict, ASH_REPORTED);
    assert_true(isnan(row.limit) && isnan(row.at));
    ashi_validation_explain(&validation, "why");
    ashi_validation_point(&validation, "figure", "curve", 2, nan, 3);
    assert_int_equal(row.verdict, ASH_POINT);
    assert_string_equal(row.source, "figure");
    assert_string_equal(row.quantity, "curve");
    assert_true(row.at == 2 && row.ours == 3);
    ashi_validation_below(&validation, "q", "s", 2, 1); /* the reason is that of the next row, not of a point */
    assert_string_equal(row.reason, "why");
}

static void test_experiments_refuse_bad_settings(void **state)
{
    (void)state;
    ashi_experiment experiment;
    ash_diagnostic diagnostic = {0};
    double values[2];
    assert_int_equal(ashi_experiment_open(&experiment, &diagnostic, "net", "cells"), ASH_BAD_ARGUMENT);
    assert_int_equal(ashi_experiment_open(&experiment, &diagnostic, "net", "cells=%600d", 1), ASH_BAD_ARGUMENT);
    assert_int_not_equal(ashi_experiment_open(&experiment, &diagnostic, "net", "cells=0"), ASH_OK);
    ashi_experiment_close(&experiment);
    assert_int_equal(ashi_experiment_open(&experiment, &diagnostic, "free-fall", "h=0.1"), ASH_OK);
    assert_int_equal(ashi_experiment_trace(&experiment, "nobody", ASHI_X, 0.1, 1, values, &diagnostic), ASH_NOT_FOUND);
    ashi_experiment_close(&experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scene_steps),
        cmocka_unit_test(test_every_scene_reads_back),
        cmocka_unit_test(test_ranges_of_every_parameter),
        cmocka_unit_test(test_unknown_names_are_suggested),
        cmocka_unit_test(test_string_has_a_node_where_it_is_pulled),
        cmocka_unit_test(test_string_elements),
        cmocka_unit_test(test_net_mass_and_delay),
        cmocka_unit_test(test_opening_without_memory),
        cmocka_unit_test(test_experiments_without_memory),
        cmocka_unit_test(test_validation_stops_when_told),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_experiments_refuse_bad_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
