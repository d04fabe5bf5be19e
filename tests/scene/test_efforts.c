/* Torques and forces of joints by expressions: exact answers of a rotor and of two sliding bodies. */
#include "check.h"

#include "scene/instance/instance.h"

#include <string.h>

static ash_diagnostic diagnostic;

static ash_scene *parsed(const char *text)
{
    ash_scene *scene;
    char line[1024];
    if (ash_scene_parse(text, strlen(text), "scene.json", &scene, &diagnostic) != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(&diagnostic, line, sizeof line));
    return scene;
}

#define HEAD                                                                                                           \
    "{\"ashlar\": 1, \"world\": {\"gravity\": [0, 0, 0], \"step\": 0.01, \"method\": \"engineering\"}, \"bodies\": ["
#define ROTOR       "{\"name\": \"r\", \"mass\": 3, \"inertia\": [0.5, 0.7, 0.9]}"
#define HINGE(axis) ", \"joints\": [{\"kind\": \"hinge\", \"body_b\": \"r\", \"axes\": {\"turn-x\": {" axis "}}}]}"

static ashi_instance run(const ash_scene *scene, int steps)
{
    ashi_instance instance;
    assert_int_equal(ashi_scene_build(scene, 1, &instance, &diagnostic), ASH_OK);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(ashi_instance_apply_events(&instance, scene, ash_world_get_time(instance.world), &diagnostic),
                         ASH_OK);
        assert_int_equal(ash_world_step(instance.world, scene->step), ASH_OK);
    }
    return instance;
}

static double rate_after(const char *text, ash_freedom freedom, int steps)
{
    ash_scene *scene = parsed(text), *again;
    ashi_instance instance = run(scene, steps);
    double rate = ash_joint_get_rate(instance.world, instance.joints[0], freedom);
    ashi_instance_release(&instance);
    /* what is written means the same */
    char *written;
    size_t size;
    assert_int_equal(ash_scene_write(scene, &written, &size, NULL), ASH_OK);
    assert_int_equal(ash_scene_parse(written, size, "", &again, &diagnostic), ASH_OK);
    instance = run(again, steps);
    assert_true(ash_joint_get_rate(instance.world, instance.joints[0], freedom) == rate);
    ashi_instance_release(&instance);
    ash_free(written);
    ash_scene_destroy(again);
    ash_scene_destroy(scene);
    return rate;
}

static void a_torque_turns_a_rotor(void **state)
{
    (void)state;
    /* I w = M t, however the step is made; the limit is what counts beyond it */
    assert_near(rate_after(HEAD ROTOR "]" HINGE("\"torque\": \"2\""), ASH_TURN_X, 100), 2 * 1 / 0.5, 1e-12);
    assert_near(rate_after(HEAD ROTOR "]" HINGE("\"torque\": \"-40\", \"max_torque\": 1.5"), ASH_TURN_X, 100), -3,
                1e-12);
    /* M = c t, held over each step: I w = c h^2 (0 + 1 + ... + 99) */
    assert_near(rate_after(HEAD ROTOR "]" HINGE("\"torque\": \"3*t\""), ASH_TURN_X, 100), 3 * 1e-4 * 4950 / 0.5, 1e-12);
    /* M = -d w, held: w falls by 1 - h d/I a step, from what one step of torque 10 gave it */
    double first = 0.01 * 10 / 0.5, left = first;
    for (int i = 1; i < 50; i++)
        left *= 1 - 0.01 * 2 / 0.5;
    assert_near(rate_after(HEAD ROTOR "]" HINGE("\"torque\": \"t < 0.005 ? 10 : -2*qd\""), ASH_TURN_X, 50), left,
                1e-12);
}

static void a_force_parts_two_bodies(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "{\"name\": \"a\", \"mass\": 2, \"inertia\": [1, 1, 1]}, {\"name\": \"b\", \"mass\": 6, \"inertia\": [1, 1, 1]}], "
        "\"joints\": [{\"kind\": \"slider\", \"body_a\": \"a\", \"body_b\": \"b\", \"axes\": {\"move-x\": {\"force\": \"3\"}}}]}";
    assert_near(rate_after(text, ASH_MOVE_X, 100), 3.0 / 6 + 3.0 / 2, 1e-12);
    ash_scene *scene = parsed(text);
    ashi_instance instance = run(scene, 100);
    ash_vec3 a = ash_body_get_momentum(instance.world, instance.bodies[0]),
             b = ash_body_get_momentum(instance.world, instance.bodies[1]);
    assert_near(b.x, 3, 1e-12);
    assert_near(a.x + b.x, 0, 1e-13);
    ashi_instance_release(&instance);
    ash_scene_destroy(scene);
}

static void refused(const char *text, const char *code)
{
    ash_scene *scene;
    memset(&diagnostic, 0, sizeof diagnostic);
    assert_int_not_equal(ash_scene_parse(text, strlen(text), "scene.json", &scene, &diagnostic), ASH_OK);
    if (code != NULL)
        assert_string_equal(diagnostic.code, code);
    assert_int_equal(diagnostic.line, 1);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    refused(HEAD ROTOR "]" HINGE("\"torque\": \"2*\""), NULL);
    refused(HEAD ROTOR "]" HINGE("\"torque\": \"speed\""), NULL);
    refused(HEAD ROTOR "]" HINGE("\"force\": \"1\""), "scene.conflict");
    refused(HEAD ROTOR "]" HINGE("\"max_torque\": 1"), "scene.conflict");
    refused(HEAD ROTOR
            "], \"joints\": [{\"kind\": \"ball\", \"body_b\": \"r\", \"axes\": {\"turn-x\": {\"torque\": \"1\"}}}]}",
            "scene.unsupported");
    assert_int_equal(ash_memory_used().blocks, 0);
    /* what is no number stops the run */
    ash_scene *scene = parsed(HEAD ROTOR "]" HINGE("\"torque\": \"t < 0.03 ? 1 : log(-1)\""));
    ash_run *result = NULL;
    ash_run_options options = ash_default_run_options();
    assert_int_equal(ash_scene_run(scene, &options, &result, &diagnostic), ASH_NUMERICS);
    assert_non_null(result);
    assert_near(ash_run_get_summary(result).time, 0.03, 1e-12);
    ash_run_destroy(result);
    ash_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torque_turns_a_rotor),
        cmocka_unit_test(a_force_parts_two_bodies),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
