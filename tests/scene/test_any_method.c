/* Scenes by every method: those whose papers have no contacts have none by any, while rays and a ball that is thrown
 * still meet their bodies; and the times of a step's stages are parts of the step. */
#include "check.h"

#include "ashlar/contact.h"
#include "ashlar/query.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

static ashi_experiment opened(const char *scene, const char *method, const char *settings)
{
    ashi_experiment experiment;
    ash_diagnostic diagnostic = {0};
    if (ashi_experiment_open(&experiment, &diagnostic, scene, "method=%s %s", method, settings) != ASH_OK)
        fail_msg("%s: %s", scene, diagnostic.message);
    return experiment;
}

/* Stages are none below nothing, and all together no longer than the step: sums over the same clock. */
static bool observe(const ash_world *world, uint32_t step, void *data)
{
    ash_step_report report = ash_world_get_report(world);
    double sum = 0;
    for (int i = 0; i < ASH_STAGES && step > 0; i++) {
        if (!(report.stage_seconds[i] >= 0))
            fail_msg("%s, step %u: stage %s took %g s", (const char *)data, step, ash_stage_name((ash_stage)i),
                     report.stage_seconds[i]);
        sum += report.stage_seconds[i];
    }
    if (!(sum <= report.seconds * (1 + 1e-12)))
        fail_msg("%s, step %u: stages of %g s in a step of %g s", (const char *)data, step, sum, report.seconds);
    return true;
}

static void run(ashi_experiment *experiment, const char *method, uint32_t steps)
{
    uint32_t taken = 0;
    assert_int_equal(
        ashi_experiment_run(experiment, experiment->scene->step, steps, observe, (void *)method, &taken, NULL), ASH_OK);
    assert_int_equal(taken, steps);
}

/* A ray from above to the centre of the last body. */
static bool is_seen(const ashi_experiment *experiment)
{
    ash_cast_hit hit;
    ash_body last = experiment->instance.bodies[experiment->scene->bodies.count - 1];
    ash_vec3 above = v3_add(ash_body_get_centre(experiment->world, last), v3(0.001, 0.002, 50));
    return ash_world_cast_ray(experiment->world, (ash_ray){above, v3(0, 0, -1), 100}, NULL, &hit);
}

static const struct {
    const char *name, *settings;
} apart[] = {{"tree", "n=15"}, {"star", "n=7"},  {"chain", "n=6"},           {"ladder", "n=4 loops=2"},
             {"refine", ""},   {"assembly", ""}, {"heavy-chain", "ratio=10"}};

static void test_bodies_pass_through_each_other_by_every_method(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++)
        for (uint32_t i = 0; i < ash_method_count(); i++) {
            ashi_experiment experiment = opened(apart[k].name, ash_method_name(i), apart[k].settings);
            bool slow = k == 4 || k == 5; /* of hundreds of joints: only what detection finds */
            if (slow)
                assert_int_equal(ash_world_detect(experiment.world), ASH_OK);
            else
                run(&experiment, ash_method_name(i), 3);
            if (ash_world_get_contacts(experiment.world, NULL, 0) != 0)
                fail_msg("%s by %s has contacts", apart[k].name, ash_method_name(i));
            assert_true(is_seen(&experiment));
            ashi_experiment_close(&experiment);
        }
}

/* A ball within the first bar touches it, once it is there, and no longer when it is gone. */
static void test_what_is_added_meets_them(void **state)
{
    (void)state;
    ashi_experiment experiment = opened("tree", "bender-schmitt-2006", "n=7");
    run(&experiment, "bender-schmitt-2006", 2);
    assert_true(is_seen(&experiment)); /* boxes are there, and age */
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_body ball = {0};
    sphere.radius = 0.2;
    def.position = ash_body_get_centre(experiment.world, experiment.instance.bodies[0]);
    def.position.y += 0.25;
    assert_int_equal(ash_geometry_create(&sphere, &shape.geometry, NULL), ASH_OK);
    assert_int_equal(ash_body_create(experiment.world, &def, &shape, 1, &ball, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    run(&experiment, "bender-schmitt-2006", 1);
    assert_int_equal(ash_world_get_contacts(experiment.world, NULL, 0), 1);
    ash_body_destroy(experiment.world, ball);
    run(&experiment, "bender-schmitt-2006", 1);
    assert_int_equal(ash_world_get_contacts(experiment.world, NULL, 0), 0);
    ashi_experiment_close(&experiment);
}

/* Joints, contacts, drives and forces in one scene: stages within stages. */
static void test_stages_are_parts_of_the_step(void **state)
{
    static const char *const scenes[] = {"walker", "ragdoll-2d", "truck-2d", "car", "net", "box-stack"};
    (void)state;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (uint32_t i = 0; i < ash_method_count(); i++) {
            ashi_experiment experiment = opened(scenes[k], ash_method_name(i), "");
            run(&experiment, ash_method_name(i), 3);
            ashi_experiment_close(&experiment);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_pass_through_each_other_by_every_method),
        cmocka_unit_test(test_what_is_added_meets_them),
        cmocka_unit_test(test_stages_are_parts_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
