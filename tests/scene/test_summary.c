/* The summary: every field of the contract, and values that JSON cannot hold. */
#include "small_scenes.h"

#include "base/alloc.h"
#include "scene/file/json_object.h"
#include "scene/record/ledger_entry.h"
#include "scene/run/run.h"

#include <jansson.h>
#include <string.h>

static json_t *summary_of(const ash_run *run)
{
    char *text;
    ash_diagnostic diagnostic;
    stop_on(ash_run_summary_json(run, &text, &diagnostic), &diagnostic);
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    ash_free(text);
    return object;
}

static double real_at(const json_t *object, const char *first, const char *second)
{
    const json_t *value = json_object_get(object, first);
    assert_non_null(value);
    value = second != NULL ? json_object_get(value, second) : value;
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void test_every_field_of_the_contract(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 2);
    ashi_scene_add_check(scene, &(ashi_scene_check){"end", 0, ASHI_FINAL, 6.25, 0.5, 0, 0});
    ash_run_options options = ash_default_run_options();
    options.check = true;
    options.threads = 2;
    ash_run *run = run_scene(scene, &options);
    ash_run_summary summary = ash_run_get_summary(run);
    json_t *object = summary_of(run);
    assert_string_equal(json_string_value(json_object_get(object, "scene")), "thrown");
    assert_string_equal(json_string_value(json_object_get(object, "method")), summary.method.name);
    assert_string_equal(json_string_value(json_object_get(json_object_get(object, "method_fields"), "integrator")),
                        "implicit-midpoint");
    assert_true(real_at(object, "step", NULL) == 0.01);
    assert_true(real_at(object, "time", NULL) == 2);
    assert_int_equal(json_integer_value(json_object_get(object, "steps")), 200);
    assert_int_equal(json_integer_value(json_object_get(object, "bodies")), 1);
    assert_int_equal(json_integer_value(json_object_get(object, "threads")), 2);
    assert_true(json_is_true(json_object_get(object, "complete")));
    const struct {
        const char *first, *second;
        double value;
    } numbers[] = {
        {"joints", NULL, 0},
        {"contacts_max", NULL, 0},
        {"step_ms", "mean", summary.step_ms_mean},
        {"step_ms", "median", summary.step_ms_median},
        {"step_ms", "max", summary.step_ms_max},
        {"realtime_factor", NULL, summary.realtime_factor},
        {"iterations_mean", NULL, summary.iterations_mean},
        {"corrections_mean", "joint", 0},
        {"corrections_mean", "velocity", 0},
        {"residual", "max", summary.residual_max},
        {"residual", "mean", summary.residual_mean},
        {"penetration_m", "max", 0},
        {"penetration_m", "final", 0},
        {"joint_error_m", "max", 0},
        {"joint_error_m", "final", 0},
        {"energy_J", "initial", summary.energy_initial},
        {"energy_J", "final", summary.energy_final},
        {"energy_J", "drift_rel", summary.energy_drift},
        {"displacement_m", "max", summary.displacement_max},
        {"outputs", "x", ash_run_get_series(run, 0).values[200]},
        {"outputs", "speed", ash_run_get_series(run, 2).values[200]},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(real_at(object, numbers[i].first, numbers[i].second) == numbers[i].value);
    for (int i = 0; i < ASH_STAGES; i++)
        assert_true(real_at(object, "stages_ms", ash_stage_name((ash_stage)i)) == summary.stages_ms[i]);
    for (uint32_t i = 0; i < ASHI_LEDGER_ENTRIES; i++)
        assert_true(real_at(object, "ledger", ashi_ledger_entry_name(i)) == ashi_ledger_entry(&summary.ledger, i));
    unsigned long long hash = strtoull(json_string_value(json_object_get(object, "hash")), NULL, 16);
    assert_true(hash == summary.hash);
    assert_int_equal(json_array_size(json_object_get(object, "flags")), 0);
    json_t *check = json_array_get(json_object_get(object, "checks"), 0);
    assert_string_equal(json_string_value(json_object_get(check, "name")), "end");
    assert_near(real_at(check, "value", NULL), 0.25, 1e-10);
    assert_true(real_at(check, "limit", NULL) == 0.5);
    assert_near(real_at(check, "measured", NULL), 6, 1e-10);
    assert_true(json_is_true(json_object_get(check, "pass")));
    json_decref(object);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static bool stop_at_once(double time, double end, void *user)
{
    (void)time, (void)end, (void)user;
    return false;
}

static void test_it_says_how_far_the_run_came(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 2);
    ash_run *run = run_scene(scene, NULL);
    json_t *object = summary_of(run);
    assert_true(real_at(object, "time_planned", NULL) == 2);
    assert_true(json_is_null(json_object_get(object, "stopped")));
    json_decref(object);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    /* Long enough for the callback to be asked. */
    scene = thrown_mass(1e-3, 1e6);
    ash_run_options options = ash_default_run_options();
    options.progress = stop_at_once;
    run = run_scene(scene, &options);
    object = summary_of(run);
    ash_run_summary summary = ash_run_get_summary(run);
    assert_true(summary.outcome == ASH_OK && !summary.complete);
    assert_true(real_at(object, "time", NULL) == summary.time);
    assert_true(summary.time < 1e6 && real_at(object, "time_planned", NULL) == 1e6);
    const json_t *stopped = json_object_get(object, "stopped");
    assert_string_equal(json_string_value(json_object_get(stopped, "reason")), "interrupted");
    assert_string_equal(json_string_value(json_object_get(stopped, "message")), summary.stopped);
    assert_int_equal(strncmp(summary.stopped, "the run was interrupted at ", 27), 0);
    json_decref(object);
    /* A path that is no UTF-8. */
    run->summary.stopped = "out/\xff.csv: cannot write";
    object = summary_of(run);
    stopped = json_object_get(object, "stopped");
    assert_string_equal(json_string_value(json_object_get(stopped, "message")), "out/?.csv: cannot write");
    json_decref(object);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_what_is_not_finite_is_null(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.1);
    uint32_t late = add_mass(scene, "late", 1, (ash_vec3){0, 7, 0}, (ash_vec3){0, 0, 0});
    scene->bodies.data[late].absent = true;
    add_coordinate(scene, "late", ASHI_BODY_POSITION, late, ASHI_Y);
    ash_run *run = run_scene(scene, NULL);
    run->summary.realtime_factor = (double)INFINITY;
    run->summary.flags = ASH_FLAG_NOT_CONVERGED | ASH_FLAG_NOT_FINITE;
    json_t *object = summary_of(run);
    assert_true(json_is_null(json_object_get(json_object_get(object, "outputs"), "late")));
    assert_true(json_is_null(json_object_get(object, "realtime_factor")));
    json_t *flags = json_object_get(object, "flags");
    assert_int_equal(json_array_size(flags), 2);
    assert_string_equal(json_string_value(json_array_get(flags, 1)), ash_flag_name(ASH_FLAG_NOT_CONVERGED));
    json_decref(object);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_the_method_as_text(void **state)
{
    (void)state;
    ash_method method;
    assert_int_equal(ash_method_find("realtime", &method, NULL), ASH_OK);
    method.max_iterations = 17;
    method.tolerance = 0.125;
    char *text = ashi_method_text(&method);
    json_t *object = json_loads(text, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(object, "name")), "realtime");
    assert_string_equal(json_string_value(json_object_get(object, "integrator")),
                        ash_integrator_name(method.integrator));
    assert_int_equal(json_object_size(object), 1 + ash_method_field_count());
    json_decref(object);
    ashi_dealloc(text);
    ashi_alloc_fail_at(1, false);
    assert_null(ashi_method_text(&method));
    ashi_alloc_fail_at(0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_field_of_the_contract), cmocka_unit_test(test_it_says_how_far_the_run_came),
        cmocka_unit_test(test_what_is_not_finite_is_null), cmocka_unit_test(test_the_method_as_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
