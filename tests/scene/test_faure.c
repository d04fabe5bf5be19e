/* Faure's solutions of joints, chosen in runs: all lead to one motion, at the costs of his table. */
#include "check.h"

#include "math/vec3.h"
#include "scene/instance/instance.h"

#include <math.h>

static void stop_on(ash_status status, const ash_diagnostic *diagnostic)
{
    char line[1200];
    if (status != ASH_OK)
        fail_msg("%s", ash_diagnostic_text(diagnostic, line, sizeof line));
}

typedef struct ladder_run {
    ash_vec3 end;      /* of the last body */
    double operations; /* multiplications */
    double error;      /* of joints: the largest, m */
    uint32_t flags;    /* of all steps */
} ladder_run;

/* A ladder by `faure`, `count` fields of the method changed. */
static ladder_run run_ladder(const char *n, const char *loops, const ash_setting *fields, size_t count, int steps)
{
    const ash_setting shape[] = {{"n", n}, {"loops", loops}};
    ash_scene *scene = NULL;
    ash_world *world;
    ash_method method;
    ash_diagnostic diagnostic = {0};
    ladder_run run = {0};
    stop_on(ash_scene_open("ladder", shape, 2, &scene, &diagnostic), &diagnostic);
    stop_on(ash_method_find("faure", &method, &diagnostic), &diagnostic);
    for (size_t i = 0; i < count; i++)
        stop_on(ash_method_set(&method, fields[i].key, fields[i].value, &diagnostic), &diagnostic);
    stop_on(ash_scene_set_method(scene, &method), &diagnostic);
    stop_on(ash_scene_instantiate(scene, 1, &world, &diagnostic), &diagnostic);
    ash_body bodies[1500];
    uint32_t bodies_count = ash_world_get_bodies(world, bodies, 1500);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(ash_world_step(world, 0.005), ASH_OK);
        ash_step_report report = ash_world_get_report(world);
        run.operations += (double)report.operations;
        run.error = fmax(run.error, report.joint_error);
        run.flags |= report.flags;
    }
    run.end = ash_body_get_centre(world, bodies[bodies_count - 1]);
    ash_world_destroy(world);
    ash_scene_destroy(scene);
    return run;
}

static void all_ways_lead_to_one_motion(void **state)
{
    (void)state;
    static const char *const ways[] = {"structured", "biconjugate", "structured-dense", "full-iterative", "full-dense"};
    ladder_run first = {0};
    for (int i = 0; i < 5; i++) {
        const ash_setting field = {"joint-solver", ways[i]};
        ladder_run run = run_ladder("6", "3", &field, 1, 40);
        print_message("%s: %g multiplications, joints %g m\n", ways[i], run.operations, run.error);
        first = i == 0 ? run : first;
        assert_int_equal(run.flags, 0);
        assert_true(run.error <= 1e-9);
        assert_true(v3_norm(v3_sub(run.end, first.end)) < 1e-9);
    }
}

/* A few turns leave errors, and say so; matrices know no turns. */
static void turns_limit_gradients(void **state)
{
    (void)state;
    static const char *const ways[] = {"biconjugate", "full-iterative", "structured-dense"};
    for (int i = 0; i < 3; i++) {
        const ash_setting few[] = {{"joint-solver", ways[i]}, {"iterations", "3"}};
        ladder_run run = run_ladder("6", "3", few, 2, 20);
        print_message("%s, 3 turns: joints %g m, flags %x\n", ways[i], run.error, run.flags);
        assert_int_equal((run.flags & ASH_FLAG_NOT_CONVERGED) != 0, i < 2);
        assert_int_equal(run.error > 1e-9, i < 2);
    }
}

/* Work of whole steps beside that of `structured`, which is linear in the rows of the tree: how many instants a step
 * looks at is the same for all ways. */
static void work_of_steps_grows_as_in_the_table(void **state)
{
    (void)state;
    static const char *const sizes[] = {"30", "90"};
    static const struct {
        const char *name;
        double low, high; /* of the exponent, less 1 */
    } ways[] = {{"full-dense", 1.6, 2.2},
                {"full-iterative", 0.5, 1.5},
                {"structured-dense", -0.2, 0.2},
                {"biconjugate", -0.2, 0.2}};
    double rows = log((6 * 90 + 12) / (6 * 30 + 12.0)), ours[2];
    const ash_setting own = {"joint-solver", "structured"};
    for (int k = 0; k < 2; k++)
        ours[k] = run_ladder(sizes[k], "2", &own, 1, 1).operations;
    for (int i = 0; i < 4; i++) {
        const ash_setting field = {"joint-solver", ways[i].name};
        double share[2];
        for (int k = 0; k < 2; k++)
            share[k] = run_ladder(sizes[k], "2", &field, 1, 1).operations / ours[k];
        double order = log(share[1] / share[0]) / rows;
        print_message("%s: exponent %g\n", ways[i].name, 1 + order);
        assert_true(order > ways[i].low && order < ways[i].high);
    }
}

/* More rows than a matrix is made of: gradients, which hold the joints, and a flag. */
static void too_large_a_matrix_is_replaced(void **state)
{
    (void)state;
    const ash_setting field = {"joint-solver", "full-dense"};
    ladder_run run = run_ladder("360", "2", &field, 1, 1);
    print_message("joints %g m, flags %x\n", run.error, run.flags);
    assert_true(run.flags & ASH_FLAG_SOLVER_REPLACED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_lead_to_one_motion),
        cmocka_unit_test(turns_limit_gradients),
        cmocka_unit_test(work_of_steps_grows_as_in_the_table),
        cmocka_unit_test(too_large_a_matrix_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
