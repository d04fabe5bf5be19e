/* Runs: steps, samples, events, sums and checks against exact answers. */
#include "small_scenes.h"

#include "base/alloc.h"
#include "scene/instance/observe.h"

#include <string.h>

static void test_free_fall_is_exact(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 2);
    ash_run *run = run_scene(scene, NULL);
    ash_run_summary summary = ash_run_get_summary(run);
    assert_string_equal(summary.scene, "thrown");
    assert_int_equal(summary.steps, 200);
    assert_true(summary.step == 0.01);
    assert_true(summary.time == 2);
    assert_true(summary.complete);
    assert_int_equal(summary.flags, 0);
    assert_int_equal(summary.bodies, 1);
    assert_int_equal(ash_run_get_series_count(run), 3);
    ash_series height = ash_run_get_series(run, 1);
    assert_string_equal(height.name, "height");
    assert_string_equal(height.unit, "m");
    assert_int_equal(height.count, 201);
    for (uint32_t i = 0; i < height.count; i++) {
        assert_true(height.times[i] == i * 0.01);
        assert_near(height.values[i], thrown_height(i * 0.01), 1e-12);
    }
    /* It falls by g t^2/2 - 4 t and moves by 3 t. */
    assert_near(summary.displacement_max, sqrt(6 * 6 + pow(2 * GRAVITY - 8, 2)), 1e-12);
    assert_near(summary.energy_initial, 2 * (25 / 2.0 + GRAVITY * 10), 1e-10);
    assert_near(summary.energy_final, summary.energy_initial, 1e-10);
    assert_below(summary.energy_drift, 1e-12);
    assert_true(summary.hash == ash_world_get_hash(ash_run_get_world(run)));
    assert_near(ash_world_get_time(ash_run_get_world(run)), 2, 1e-12);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_costs_add_up(void **state)
{
    (void)state;
    ash_scene *scene = oscillating_mass("implicit-midpoint", 0.001, 0.5);
    ash_run *run = run_scene(scene, NULL);
    ash_run_summary summary = ash_run_get_summary(run);
    assert_true(summary.step_ms_median > 0 && summary.step_ms_median <= summary.step_ms_max);
    assert_true(summary.step_ms_mean > 0 && summary.step_ms_mean <= summary.step_ms_max);
    double stages = 0;
    for (int i = 0; i < ASH_STAGES; i++)
        stages += summary.stages_ms[i];
    assert_true(stages > 0 && stages <= summary.step_ms_mean * (1 + 1e-9));
    assert_near(summary.realtime_factor * summary.step_ms_mean * (double)summary.steps, 1e3 * summary.time, 1e-6);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_oscillator_and_its_energy(void **state)
{
    (void)state;
    ash_scene *scene = oscillating_mass("rk4", 0.001, 1);
    ash_run *run = run_scene(scene, NULL);
    ash_series x = ash_run_get_series(run, 0);
    for (uint32_t i = 0; i < x.count; i++)
        assert_near(x.values[i], 1 + 0.1 * cos(10 * x.times[i]), 1e-9);
    ash_run_summary summary = ash_run_get_summary(run);
    assert_near(summary.energy_initial, 0.5, 1e-12);
    assert_below(summary.energy_drift, 1e-9);
    ash_run_destroy(run);

    /* Explicit Euler multiplies the energy by 1 + (omega h)^2 a step, and nothing else adds any: with the largest
     * energy seen as the scale, the drift is the gain relative to the largest of kinetic and spring energy. */
    ash_method method;
    assert_int_equal(ash_method_find("explicit-euler", &method, NULL), ASH_OK);
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_OK);
    run = run_scene(scene, NULL);
    summary = ash_run_get_summary(run);
    double growth = pow(1 + 1e-4, 1000);
    assert_near(summary.energy_final, 0.5 * growth, 1e-9);
    assert_near(summary.ledger.remainder, 0.5 * (growth - 1), 1e-9);
    assert_true(summary.energy_drift >= 1 - 1 / growth - 1e-9 && summary.energy_drift <= growth - 1);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_a_scene_at_rest_has_no_drift(void **state)
{
    (void)state;
    ash_scene *scene = empty_scene("rest", "symplectic-euler", 0.01, 0.1);
    scene->gravity = (ash_vec3){0, 0, 0};
    add_mass(scene, "still", 1, (ash_vec3){5, 0, 0}, (ash_vec3){0, 0, 0});
    ash_run *run = run_scene(scene, NULL);
    ash_run_summary summary = ash_run_get_summary(run);
    assert_true(summary.energy_drift == 0);
    assert_true(summary.displacement_max == 0);
    ash_run_destroy(run);
    ash_scene_destroy(scene);

    /* High above the level from which gravity's energy counts: what is left is within its rounding. */
    const ash_setting eight = {"n", "8"};
    ash_method method;
    assert_int_equal(ash_scene_open("box-stack", &eight, 1, &scene, NULL), ASH_OK);
    assert_int_equal(ash_method_find("realtime", &method, NULL), ASH_OK);
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_OK);
    run = run_scene(scene, NULL);
    summary = ash_run_get_summary(run);
    assert_true(summary.energy_initial > 1e5 && fabs(summary.ledger.remainder) < 1e-10 && summary.energy_drift == 0);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

/* The drift of a scene by `engineering`. */
static double drift_of(const char *name, const char *time, double lifted)
{
    const ash_setting settings[] = {{"time", time}};
    ash_scene *scene;
    ash_method method;
    assert_int_equal(ash_scene_open(name, settings, 1, &scene, NULL), ASH_OK);
    assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_OK);
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        scene->bodies.data[i].def.position.z += lifted;
    ash_run *run = run_scene(scene, NULL);
    double drift = ash_run_get_summary(run).energy_drift;
    ash_run_destroy(run);
    ash_scene_destroy(scene);
    return drift;
}

/* A tower at rest exchanges 1e-6 of its 1e5 J, and rounding is no drift however high it stands. A fall and a pendulum
 * exchange much, and what a coarse step gets wrong shows. */
static void test_drift_is_relative_to_what_moves(void **state)
{
    (void)state;
    assert_true(drift_of("tower", "0.3", 0) == 0);
    assert_true(drift_of("tower", "0.3", 1000) == 0);
    assert_true(drift_of("free-fall", "1", 1e6) == 0);
    assert_below(drift_of("pendulum-bob", "1", 0), 1e-3);
    ash_scene *scene = thrown_mass(0.01, 2);
    ash_method method;
    assert_int_equal(ash_method_find("symplectic-euler", &method, NULL), ASH_OK);
    assert_int_equal(ash_scene_set_method(scene, &method), ASH_OK);
    ash_run *run = run_scene(scene, NULL);
    ash_run_summary summary = ash_run_get_summary(run);
    /* A first-order fall is g h t/2 off in height: that share of the energy that moved. */
    assert_true(summary.energy_drift > 1e-3 && summary.energy_drift < 1e-1);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static char last_message[256];

static void keep_message(ash_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == ASH_LOG_WARNING)
        snprintf(last_message, sizeof last_message, "%s", message);
}

static void test_time_is_rounded_to_steps(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.107);
    ash_set_log_hook(keep_message, NULL);
    ash_run *run = run_scene(scene, NULL);
    assert_int_equal(ash_run_get_summary(run).steps, 11);
    assert_true(ash_run_get_summary(run).time == 11 * 0.01);
    assert_non_null(strstr(last_message, "no multiple"));
    ash_run_destroy(run);

    /* Options go before the scene's own; 0.3 is three times 0.1 although the quotient is not 3 exactly. */
    last_message[0] = 0;
    ash_run_options options = ash_default_run_options();
    options.step = 0.1;
    options.time = 0.3;
    run = run_scene(scene, &options);
    assert_int_equal(ash_run_get_summary(run).steps, 3);
    assert_string_equal(last_message, "");
    ash_run_destroy(run);
    options.time = 1e-9;
    run = run_scene(scene, &options);
    assert_int_equal(ash_run_get_summary(run).steps, 1);
    ash_run_destroy(run);
    ash_set_log_hook(NULL, NULL);
    ash_scene_destroy(scene);
}

static void expect_samples(double interval, const double *steps, uint32_t count)
{
    ash_scene *scene = thrown_mass(0.01, 0.1);
    scene->sample_interval = interval;
    ash_run *run = run_scene(scene, NULL);
    ash_series x = ash_run_get_series(run, 0);
    assert_int_equal(x.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(x.times[i] == steps[i] * 0.01);
        assert_near(x.values[i], 3 * steps[i] * 0.01, 1e-14);
    }
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_samples_come_at_their_interval(void **state)
{
    (void)state;
    expect_samples(0.05, (double[]){0, 5, 10}, 3);
    expect_samples(0.03, (double[]){0, 3, 6, 9, 10}, 5); /* the last step always */
    expect_samples(0.025, (double[]){0, 3, 5, 8, 10}, 5);
    expect_samples(7, (double[]){0, 10}, 2);
    expect_samples(0.001, (double[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 11);
}

static void test_long_series_are_thinned(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.001, 1);
    ashi_observation observation;
    ashi_instance instance;
    ash_diagnostic diagnostic;
    ashi_arena *text = ashi_arena_create(256);
    stop_on(ashi_observation_start(&observation, scene, text, &diagnostic), &diagnostic);
    stop_on(ashi_scene_build(scene, 1, &instance, &diagnostic), &diagnostic);
    observation.kept_max = 64;
    for (int n = 0; n < 1000; n++)
        stop_on(ashi_observation_take(&observation, scene, &instance, n, &(ashi_sampling_interval){0}, &diagnostic),
                &diagnostic);
    stop_on(ashi_observation_finish(&observation, &diagnostic), &diagnostic);
    assert_int_equal(observation.stride, 16);
    assert_int_equal(observation.times.count, 64); /* 0, 16, ..., 992, and the last */
    for (uint32_t i = 0; i < 63; i++)
        assert_true(observation.times.data[i] == 16 * i);
    assert_true(observation.times.data[63] == 999);
    assert_int_equal(observation.tracks[2].values.count, 64);
    assert_int_equal(observation.tracks[0].count, 1000);
    ashi_observation_release(&observation);
    ashi_instance_release(&instance);
    ashi_arena_destroy(text);
    ash_scene_destroy(scene);
}

static void test_checks_judge_reductions(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 2);
    const uint32_t x = 0, height = 1;
    const double top = 10 + 8 / GRAVITY; /* v^2 / 2g above the start, at 4/g = 0.4077 s: between samples */
    const ashi_scene_check checks[] = {
        {"end", height, ASHI_FINAL, thrown_height(2), 1e-10, 0, 0},
        {"top", height, ASHI_MAX, top, 1e-3, 0, 0},
        {"bottom", height, ASHI_MIN, thrown_height(2), 1e-10, 0, 0},
        {"reach", x, ASHI_MAX_ABS, 6, 1e-10, 0, 0},
        {"middle", x, ASHI_MEAN, 3, 1e-10, 0, 0},
        /* both ends of a window count, and `final` is its last sample */
        {"mean of a window", x, ASHI_MEAN, 3.3, 1e-10, 0.7, 1.5},
        {"end of a window", x, ASHI_FINAL, 4.5, 1e-10, 0.7, 1.5},
        {"start of a window", x, ASHI_MIN, 2.1, 1e-10, 0.7, 0},
        {"too strict", height, ASHI_MAX, top, 1e-9, 0, 0},
        {"wrong", x, ASHI_FINAL, 7, 0.5, 0, 0},
        {"no sample in the window", x, ASHI_MAX, 0, 1e9, 2.5, 3},
    };
    enum { COUNT = sizeof checks / sizeof *checks };
    for (int i = 0; i < COUNT; i++)
        ashi_scene_add_check(scene, &checks[i]);
    ash_run *run = run_scene(scene, NULL);
    assert_int_equal(ash_run_get_check_count(run), 0);
    ash_run_destroy(run);
    ash_run_options options = ash_default_run_options();
    options.check = true;
    run = run_scene(scene, &options);
    ash_scene_destroy(scene); /* a run stands on its own */
    assert_int_equal(ash_run_get_check_count(run), COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        ash_check_result result = ash_run_get_check(run, i);
        assert_string_equal(result.name, checks[i].name);
        assert_true(result.limit == checks[i].tolerance);
        assert_int_equal(result.pass, i < 8);
        assert_int_equal(result.pass, result.value <= result.limit);
    }
    assert_near(ash_run_get_check(run, 9).value, 1, 1e-10);
    assert_true(isnan(ash_run_get_check(run, 10).value));
    ash_run_destroy(run);
}

static bool stop_at_once(double time, double end, void *user)
{
    assert_true(time <= end);
    ++*(int *)user;
    return false;
}

static void test_progress_can_stop_a_run(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(1e-7, 100);
    scene->sample_interval = 1;
    ashi_scene_add_check(scene, &(ashi_scene_check){"x", 0, ASHI_FINAL, 0, 1e9, 0, 0});
    int calls = 0;
    ash_run_options options = ash_default_run_options();
    options.progress = stop_at_once;
    options.user = &calls;
    options.check = true;
    ash_run *run = run_scene(scene, &options);
    ash_run_summary summary = ash_run_get_summary(run);
    assert_int_equal(calls, 2); /* once to stop it, once at the end */
    assert_false(summary.complete);
    assert_true(summary.steps > 0 && summary.steps < 1000000000);
    assert_true(summary.time == (double)summary.steps * 1e-7);
    ash_series x = ash_run_get_series(run, 0);
    assert_true(x.times[x.count - 1] == summary.time);
    assert_near(x.values[x.count - 1], 3 * summary.time, 1e-9);
    assert_false(ash_run_get_check(run, 0).pass);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_numerics_keep_the_run(void **state)
{
    (void)state;
    ash_scene *scene = oscillating_mass("explicit-euler", 1e3, 1e6);
    ash_run *run;
    ash_diagnostic diagnostic;
    assert_int_equal(ash_scene_run(scene, NULL, &run, &diagnostic), ASH_NUMERICS);
    assert_non_null(run);
    ash_run_summary summary = ash_run_get_summary(run);
    assert_false(summary.complete);
    assert_true((summary.flags & ASH_FLAG_NOT_FINITE) != 0);
    assert_true(summary.steps > 0 && summary.steps < 1000);
    ash_series x = ash_run_get_series(run, 0);
    assert_int_equal(x.count, summary.steps + 1);
    for (uint32_t i = 0; i < x.count; i++)
        assert_true(isfinite(x.values[i]));
    assert_int_equal(diagnostic.status, ASH_NUMERICS);
    assert_non_null(strstr(diagnostic.message, ash_flag_name(ASH_FLAG_NOT_FINITE)));
    assert_true(isfinite(summary.energy_drift));
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

/* With a wanted accuracy samples and events are met exactly, by fewer steps; the summary has the estimate. */
static void test_accuracy_chooses_the_steps(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 1);
    add_mass(scene, "late", 1, (ash_vec3){0, 7, 0}, (ash_vec3){0, 1, 0});
    scene->sample_interval = 0.25;
    ashi_scene_event push = {.time = 0.3,
                             .kind = ASHI_EVENT_SET,
                             .owner = ASHI_OF_BODY,
                             .object = 0,
                             .fields = ASHI_SET_VELOCITY,
                             .velocity = {0, 0, 0}};
    ashi_scene_add_event(scene, &push);
    assert_int_equal(ash_scene_set_accuracy(scene, -1), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_scene_set_accuracy(scene, 1e-6), ASH_OK);
    ash_method exact;
    assert_int_equal(ash_method_find("implicit-midpoint", &exact, NULL), ASH_OK);
    assert_int_equal(ash_scene_set_method(scene, &exact), ASH_OK);
    ash_run *run = run_scene(scene, NULL);
    ash_run_summary summary = ash_run_get_summary(run);
    assert_true(summary.complete && summary.accuracy == 1e-6);
    assert_true(summary.steps > 2 && summary.steps < 100);
    assert_true(summary.step_longest > 0.02 && summary.step_shortest <= summary.step_longest);
    assert_below(summary.error_total, 1e-10); /* free fall is exact by this rule */
    ash_series height = ash_run_get_series(run, 1);
    assert_int_equal(height.count, 5);
    for (uint32_t i = 0; i < height.count; i++) {
        double t = 0.25 * i, after = t - 0.3;
        double expected = after < 0 ? thrown_height(t) : thrown_height(0.3) - 0.5 * GRAVITY * after * after;
        assert_true(height.times[i] == t);
        assert_near(height.values[i], expected, 1e-9);
    }
    char *text = NULL;
    assert_int_equal(ash_run_summary_json(run, &text, NULL), ASH_OK);
    assert_non_null(strstr(text, "\"error_m\""));
    ash_free(text);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

/* A second mass appears at 0.5 s and the first gets a velocity at 0.25 s. */
static void test_events_happen_at_their_time(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 1);
    uint32_t late = add_mass(scene, "late", 1, (ash_vec3){0, 7, 0}, (ash_vec3){0, 1, 0});
    scene->bodies.data[late].absent = true;
    add_coordinate(scene, "late y", ASHI_BODY_POSITION, late, ASHI_Y);
    ashi_scene_add_event(scene, &(ashi_scene_event){.time = 0.5, .kind = ASHI_EVENT_ADD, .object = late});
    ashi_scene_add_event(
        scene,
        &(ashi_scene_event){
            .time = 0.25, .kind = ASHI_EVENT_SET, .object = 0, .fields = ASHI_SET_VELOCITY, .velocity = {-2, 0, 0}});
    ashi_scene_add_check(scene, &(ashi_scene_check){"mean", 3, ASHI_MEAN, 7.25, 1e-10, 0, 0});
    ash_run_options options = ash_default_run_options();
    options.check = true;
    ash_run *run = run_scene(scene, &options);
    ash_series x = ash_run_get_series(run, 0), y = ash_run_get_series(run, 3);
    assert_near(x.values[25], 0.75, 1e-12);
    assert_near(x.values[100], 0.75 - 2 * 0.75, 1e-12);
    for (int i = 0; i <= 100; i++)
        if (i < 50)
            assert_true(isnan(y.values[i]));
        else
            assert_near(y.values[i], 7 + (i - 50) * 0.01, 1e-12);
    assert_true(ash_run_get_check(run, 0).pass); /* over the samples in which it is there */
    ash_run_summary summary = ash_run_get_summary(run);
    assert_near(summary.last_event, 0.5, 1e-15);
    assert_near(summary.sideways_before, 0.75, 1e-12); /* until it turned back at 0.25 s; up and down do not count */
    assert_true(summary.displacement_max > summary.sideways_before && summary.penetration_before == 0);
    ash_run_destroy(run);
    ash_scene_destroy(scene);
}

static void test_bad_options_are_rejected(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 1);
    const double bad[][2] = {{-1, 1}, {(double)NAN, 1}, {0.1, -1}, {0.1, (double)INFINITY}, {1e-300, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ash_run_options options = ash_default_run_options();
        ash_diagnostic diagnostic = {0};
        ash_run *run;
        options.step = bad[i][0];
        options.time = bad[i][1];
        assert_int_equal(ash_scene_run(scene, &options, &run, &diagnostic), ASH_BAD_ARGUMENT);
        assert_null(run);
        assert_true(diagnostic.message[0] != 0 && diagnostic.expected[0] != 0);
    }
    ash_scene_destroy(scene);
}

static void test_threads_do_not_change_the_result(void **state)
{
    (void)state;
    ash_scene *scene = oscillating_mass("symplectic-euler", 0.01, 1);
    uint64_t hashes[2];
    for (uint32_t i = 0; i < 2; i++) {
        ash_run_options options = ash_default_run_options();
        options.threads = 1 + 3 * i;
        ash_run *run = run_scene(scene, &options);
        hashes[i] = ash_run_get_summary(run).hash;
        ash_run_destroy(run);
    }
    assert_true(hashes[0] == hashes[1]);
    ash_scene_destroy(scene);
}

static void test_no_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    ash_scene *scene = thrown_mass(0.01, 0.05);
    ashi_scene_add_check(scene, &(ashi_scene_check){"x", 0, ASHI_FINAL, 0.15, 1e-9, 0, 0});
    uint64_t blocks = ash_memory_used().blocks;
    ash_run_options options = ash_default_run_options();
    options.check = true;
    uint64_t failures = 0;
    for (uint64_t k = 1; k < 5000; k++) {
        ash_run *run;
        ashi_alloc_fail_at(k, false);
        ash_status status = ash_scene_run(scene, &options, &run, NULL);
        ashi_alloc_fail_at(0, false);
        ash_run_destroy(run);
        assert_int_equal(ash_memory_used().blocks, blocks);
        if (status == ASH_OK) {
            assert_true(failures > 10);
            ash_scene_destroy(scene);
            return;
        }
        assert_true(status == ASH_OUT_OF_MEMORY || status == ASH_NUMERICS);
        failures++;
    }
    fail_msg("the run never came about");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_exact),
        cmocka_unit_test(test_costs_add_up),
        cmocka_unit_test(test_oscillator_and_its_energy),
        cmocka_unit_test(test_a_scene_at_rest_has_no_drift),
        cmocka_unit_test(test_drift_is_relative_to_what_moves),
        cmocka_unit_test(test_time_is_rounded_to_steps),
        cmocka_unit_test(test_samples_come_at_their_interval),
        cmocka_unit_test(test_long_series_are_thinned),
        cmocka_unit_test(test_checks_judge_reductions),
        cmocka_unit_test(test_progress_can_stop_a_run),
        cmocka_unit_test(test_numerics_keep_the_run),
        cmocka_unit_test(test_accuracy_chooses_the_steps),
        cmocka_unit_test(test_events_happen_at_their_time),
        cmocka_unit_test(test_bad_options_are_rejected),
        cmocka_unit_test(test_threads_do_not_change_the_result),
        cmocka_unit_test(test_no_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
