/* The public face of problems and solvers: names, memory, order, what is refused. */
#include "problem/problems.h"

#include "ashlar/problem.h"

#include <string.h>

static void solvers_have_names(void **state)
{
    (void)state;
    ash_diagnostic diagnostic;
    for (ash_solver solver = 0; solver < ASH_SOLVERS; solver++) {
        ash_solver found = ASH_SOLVERS;
        assert_int_equal(ash_solver_find(ash_solver_name(solver), &found, &diagnostic), ASH_OK);
        assert_int_equal(found, solver);
        assert_true(strlen(ash_solver_summary(solver)) > 10);
        assert_int_equal(ash_default_solver_settings(solver).solver, solver);
    }
    ash_solver found = ASH_SOLVER_PGS;
    assert_int_equal(ash_solver_find("newtom", &found, &diagnostic), ASH_NOT_FOUND);
    assert_non_null(strstr(diagnostic.message, "newton"));
    assert_int_equal(found, ASH_SOLVER_PGS);
    assert_int_equal(ash_solver_find(NULL, &found, &diagnostic), ASH_BAD_ARGUMENT);
    assert_string_equal(ash_solver_name(ASH_SOLVERS), "");
}

static void flags_have_words(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(ash_solve_flags_text(0, text, sizeof text), "none");
    assert_string_equal(ash_solve_flags_text(ASH_SOLVE_CONVERGED | ASH_SOLVE_RELAXED, text, sizeof text),
                        "converged, relaxed");
    assert_string_equal(ash_solve_flags_text(63, text, sizeof text),
                        "converged, budget, ray, failed, too-large, relaxed");
    assert_string_equal(ash_solve_flags_text(63, text, 8), "converg");
}

/* A mass on a floor, bodies and blocks in an order that has to be changed. */
static ash_problem made_by_hand(void)
{
    ash_problem p = {.h = 0.01};
    assert_int_equal(ash_problem_reserve(&p, 2, 1, 1, NULL), ASH_OK);
    p.body_count = 2;
    p.block_count = p.row_count = 1;
    p.bodies[0] = (ash_problem_body){.inverse_mass = {0.5, 0.5, 0.5}, .velocity = {0, 0, -0.1}, .label = 7};
    p.bodies[1] = (ash_problem_body){.label = 8};
    p.blocks[0] = (ash_problem_block){.body_a = 1, .body_b = 0, .row_count = 1};
    p.rows[0] = (ash_problem_row){.linear_a = {0, 0, -1}, .linear_b = {0, 0, 1}, .upper = INFINITY};
    return p;
}

static void a_problem_made_by_hand_is_solved(void **state)
{
    (void)state;
    ash_problem p = made_by_hand();
    ash_diagnostic diagnostic;
    assert_int_equal(ash_problem_check(&p, NULL), ASH_BAD_DATA); /* not in order yet */
    assert_int_equal(ash_problem_arrange(&p, &diagnostic), ASH_OK);
    assert_int_equal(p.fixed_count, 1);
    assert_int_equal(p.bodies[1].label, 7);
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    ash_solve_result result;
    assert_int_equal(ash_problem_solve(&p, &settings, 0, NULL, &result, &diagnostic), ASH_OK);
    assert_near(p.rows[0].impulse, 0.2, 1e-15);
    assert_near(p.velocity[1].linear.z, 0, 1e-16);
    assert_true(result.flags & ASH_SOLVE_CONVERGED);
    ash_yardstick error;
    assert_int_equal(ash_problem_measure(&p, &error, NULL), ASH_OK);
    assert_true(error.largest == result.error.largest && error.theta == result.error.theta);
    ash_problem copy = {0};
    assert_int_equal(ash_problem_copy(&copy, &p, NULL), ASH_OK);
    assert_true(copy.rows != p.rows && copy.rows[0].impulse == p.rows[0].impulse);
    ash_problem_release(&copy);
    ash_problem_release(&p);
    assert_null(p.rows);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    ash_problem p = made_by_hand();
    ash_diagnostic diagnostic;
    p.blocks[0].body_a = 2;
    assert_int_equal(ash_problem_arrange(&p, &diagnostic), ASH_BAD_DATA);
    p.blocks[0].body_a = 1;
    p.blocks[0].first_row = 1;
    assert_int_equal(ash_problem_arrange(&p, &diagnostic), ASH_BAD_DATA);
    p.blocks[0].first_row = 0;
    p.row_count = 0;
    assert_int_equal(ash_problem_arrange(&p, &diagnostic), ASH_BAD_DATA);
    p.row_count = 1000;
    assert_int_equal(ash_problem_arrange(&p, &diagnostic), ASH_BAD_DATA);
    p.row_count = 1;
    p.rows[0].bias = NAN;
    assert_int_equal(ash_problem_arrange(&p, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.path, "/rows/0/bias");
    ash_solve_result result;
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    assert_int_equal(ash_problem_solve(&p, &settings, 0, NULL, &result, &diagnostic), ASH_BAD_DATA);
    p.rows[0].bias = 0;
    assert_int_equal(ash_problem_arrange(&p, &diagnostic), ASH_OK);
    assert_int_equal(ash_problem_solve(&p, NULL, 0, NULL, &result, &diagnostic), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_problem_solve(&p, &settings, 0, NULL, NULL, &diagnostic), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_problem_solve(&p, &settings, ASH_MAX_THREADS + 1, NULL, &result, &diagnostic),
                     ASH_BAD_ARGUMENT);
    assert_string_equal(diagnostic.code, "solve.threads");
    settings.tolerance = NAN;
    assert_int_equal(ash_problem_solve(&p, &settings, 0, NULL, &result, &diagnostic), ASH_BAD_ARGUMENT);
    assert_non_null(strstr(diagnostic.message, "tolerance"));
    settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    settings.solver = ASH_SOLVERS;
    assert_int_equal(ash_problem_solve(&p, &settings, 0, NULL, &result, &diagnostic), ASH_BAD_ARGUMENT);
    settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    settings.relaxation = 0;
    assert_int_equal(ash_problem_solve(&p, &settings, 0, NULL, &result, &diagnostic), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_problem_measure(NULL, NULL, NULL), ASH_BAD_ARGUMENT);
    ash_problem_release(NULL);
    ash_problem_release(&p);
}

/* What a solver asks for: the rows of a point, one after the other, as they would act. */
static void points_have_rows(void **state)
{
    (void)state;
    ash_problem p = public_named("rolling");
    ash_problem_row rows[ASH_POINT_ROWS];
    for (uint32_t c = 0; c < p.contact_count; c++) {
        const ash_problem_contact *contact = &p.contacts[c];
        for (uint32_t k = contact->first_point; k < contact->first_point + contact->point_count; k++) {
            p.points[k].impulse.x = 3;
            uint32_t count = ash_problem_get_point_rows(&p, c, k, rows);
            assert_int_equal(count, 1 + contact->tangents + contact->rollings + contact->spins);
            assert_true(rows[0].lower == 0 && isinf(rows[0].upper) && rows[0].impulse == 3);
            assert_true(rows[0].error == p.points[k].gap && rows[0].bias == p.points[k].bias);
            ash_vec3 moment = v3_cross(p.points[k].arm_b, contact->tangent[0]);
            assert_below(v3_norm(v3_sub(rows[1].angular_b, moment)), 1e-15);
            assert_below(v3_norm(v3_sub(rows[count - 1].angular_b, contact->normal)), 1e-15);
        }
        assert_int_equal(ash_problem_get_point_rows(&p, c, contact->first_point + contact->point_count, rows), 0);
    }
    assert_int_equal(ash_problem_get_point_rows(&p, p.contact_count, 0, rows), 0);
    assert_int_equal(ash_problem_get_point_rows(NULL, 0, 0, rows), 0);
    ash_problem_release(&p);
}

/* A trace of several islands is that of the whole: it begins with the error of doing nothing and falls. */
static void traces_cover_all_islands(void **state)
{
    (void)state;
    enum { MOST = 60 };
    double residual[MOST], theta[MOST], seconds[MOST];
    ash_solve_trace trace = {.capacity = MOST, .count = 99, .residual = residual, .theta = theta, .seconds = seconds};
    ash_problem p = public_named("sliding");
    ash_yardstick start;
    assert_int_equal(ash_problem_measure(&p, &start, NULL), ASH_OK);
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    settings.iterations = 50;
    settings.tolerance = 0;
    ash_solve_result result;
    assert_int_equal(ash_problem_solve(&p, &settings, 0, &trace, &result, NULL), ASH_OK);
    assert_int_equal(p.island_count, 2);
    assert_int_equal(trace.count, 51);
    assert_true(residual[0] == start.largest && theta[0] == start.theta);
    assert_true(residual[50] == result.error.largest);
    assert_true(residual[50] < 0.1 * residual[0]);
    for (uint32_t i = 1; i < trace.count; i++)
        assert_true(seconds[i] >= seconds[i - 1]);
    ash_problem_release(&p);
}

/* The same bits by one thread and by three. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    ash_problem one = public_named("giving-way"), three = public_named("giving-way");
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_PGS);
    ash_solve_result result;
    assert_int_equal(ash_problem_solve(&one, &settings, 1, NULL, &result, NULL), ASH_OK);
    assert_int_equal(ash_problem_solve(&three, &settings, 3, NULL, &result, NULL), ASH_OK);
    for (uint32_t i = 0; i < one.point_count; i++)
        assert_memory_equal(&one.points[i].impulse, &three.points[i].impulse, sizeof(ash_vec3));
    ash_problem_release(&one);
    ash_problem_release(&three);
}

static void an_empty_problem_has_no_error(void **state)
{
    (void)state;
    ash_problem p = {0};
    ash_solve_result result;
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_NEWTON);
    assert_int_equal(ash_problem_solve(&p, &settings, 0, NULL, &result, NULL), ASH_OK);
    assert_true(result.error.largest == 0 && result.error.worst_block == UINT32_MAX);
    assert_int_equal(ash_problem_measure(&p, &result.error, NULL), ASH_OK);
    ash_problem_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_have_names),
        cmocka_unit_test(flags_have_words),
        cmocka_unit_test(a_problem_made_by_hand_is_solved),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(points_have_rows),
        cmocka_unit_test(traces_cover_all_islands),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(an_empty_problem_has_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
