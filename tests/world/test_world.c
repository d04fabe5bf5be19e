/* Worlds: definitions that cannot be, misuse that has no effect, time, reports. */
#include "base/alloc.h"
#include "math/vec3.h"
#include "worlds.h"

#include <string.h>

static void no_jobs(void *host, uint32_t items, ash_task task, void *data)
{
    (void)host, (void)items, (void)task, (void)data;
}

static void bad_definitions_give_a_diagnostic_and_no_world(void **state)
{
    (void)state;
    ash_world *w = NULL;
    ash_diagnostic d;
    ash_world_def def = ash_default_world_def();
    def.gravity.x = NAN;
    assert_int_equal(ash_world_create(&def, &w, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "world.gravity");
    def = ash_default_world_def();
    def.planar = true; /* gravity is along z */
    assert_int_equal(ash_world_create(&def, &w, &d), ASH_BAD_DATA);
    def = ash_default_world_def();
    def.threads = 0;
    assert_int_equal(ash_world_create(&def, &w, &d), ASH_BAD_DATA);
    def = ash_default_world_def();
    def.method = (ash_method){0};
    assert_int_equal(ash_world_create(&def, &w, &d), ASH_BAD_DATA);
    def.method.integrator = (ash_integrator)77;
    assert_int_equal(ash_world_create(&def, &w, &d), ASH_BAD_DATA);
    ash_jobs jobs = {0};
    def = ash_default_world_def();
    def.jobs = &jobs;
    assert_int_equal(ash_world_create(&def, &w, NULL), ASH_BAD_DATA);
    jobs.run = no_jobs;
    jobs.workers = ASH_MAX_THREADS + 1; /* each would have memory of its own */
    assert_int_equal(ash_world_create(&def, &w, &d), ASH_BAD_DATA);
    assert_string_equal(d.expected, "1 to 1024");
    assert_null(w);
    ash_world_destroy(NULL);
}

static void steps_must_be_positive(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
        assert_int_equal(ash_world_step(w, bad[i]), ASH_BAD_ARGUMENT);
    assert_near(ash_world_get_time(w), 0, 0);
    assert_int_equal(ash_world_get_last_diagnostic(w).status, ASH_BAD_ARGUMENT);
    ash_world_clear_diagnostic(w);
    assert_int_equal(ash_world_get_last_diagnostic(w).status, ASH_OK);
    ash_world_destroy(w);
}

static void time_does_not_drift(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    take_steps(w, 0.1, 1000000);
    assert_near(ash_world_get_time(w), 100000, 0);
    assert_int_equal(ash_world_get_report(w).step, 1000000);
    take_steps(w, 0.25, 4);
    assert_near(ash_world_get_time(w), 100001, 1e-10);
    ash_world_destroy(w);
}

static void settings_are_checked(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, -1), 1);
    assert_int_equal(ash_world_set_gravity(w, v3(0, NAN, 0)), ASH_BAD_ARGUMENT);
    assert_near(ash_world_get_gravity(w).z, -1, 0);
    assert_int_equal(ash_world_set_gravity(w, v3(0, 2, 0)), ASH_OK);
    assert_near(ash_world_get_gravity(w).y, 2, 0);
    ash_method method = ash_world_get_method(w);
    method.tolerance = -1;
    assert_int_equal(ash_world_set_method(w, &method), ASH_BAD_DATA);
    assert_int_equal(ash_world_get_method(w).integrator, ASH_RK4);
    assert_int_equal(ash_world_set_threads(w, 4000), ASH_BAD_ARGUMENT);
    assert_false(ash_world_is_planar(w));
    ash_world_destroy(w);
}

static void names_of_stages_and_flags(void **state)
{
    (void)state;
    for (int i = 0; i < ASH_STAGES; i++)
        assert_true(strlen(ash_stage_name((ash_stage)i)) > 0);
    assert_string_equal(ash_flag_name(ASH_FLAG_NOT_FINITE), "not-finite");
    assert_string_equal(ash_flag_name(ASH_FLAG_NOT_CONVERGED), "not-converged");
    assert_string_equal(ash_flag_name(ASH_FLAG_OUT_OF_MEMORY), "out-of-memory");
    assert_string_equal(ash_flag_name((ash_flag)(2 * ASH_FLAG_LAST)), "");
    assert_string_equal(ash_stage_name((ash_stage)64), "");
}

static void the_report_tells_what_a_step_did(void **state)
{
    (void)state;
    busy_world busy;
    make_busy(&busy, ASH_RK4, 1);
    take_steps(busy.world, 0.01, 3);
    ash_step_report report = ash_world_get_report(busy.world);
    assert_int_equal(report.step, 3);
    assert_int_equal(report.force_evaluations, 4);
    assert_near(report.h, 0.01, 0);
    assert_near(report.time, 0.03, 1e-17);
    assert_true(report.seconds > 0);
    double stages = 0;
    for (int i = 0; i < ASH_STAGES; i++)
        stages += report.stage_seconds[i];
    assert_true(stages > 0 && stages <= report.seconds);
    ash_world_destroy(busy.world);
}

static void a_failed_step_keeps_the_state_and_the_applied_forces(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_point(w, 1, v3(0, 0, 0), v3(0, 0, 0));
    assert_int_equal(ash_body_apply_force_to_centre(w, a, v3(2, 0, 0)), ASH_OK);
    ashi_alloc_fail_at(1, true); /* rk4 wants scratch memory */
    assert_int_equal(ash_world_step(w, 0.5), ASH_OUT_OF_MEMORY);
    ashi_alloc_fail_at(0, false);
    assert_true(ash_world_get_report(w).flags & ASH_FLAG_OUT_OF_MEMORY);
    assert_near(ash_world_get_time(w), 0, 0);
    take_steps(w, 0.5, 1);
    assert_near(ash_body_get_velocity(w, a).x, 1, 1e-15);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_definitions_give_a_diagnostic_and_no_world),
        cmocka_unit_test(steps_must_be_positive),
        cmocka_unit_test(time_does_not_drift),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(names_of_stages_and_flags),
        cmocka_unit_test(the_report_tells_what_a_step_did),
        cmocka_unit_test(a_failed_step_keeps_the_state_and_the_applied_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
