/* Piles that `realtime` has run and `engineering` takes over: `newton` solves what its first solve is given, from
 * nothing and from the forces of the last step. */
#include "check.h"

#include "ashlar/scene.h"
#include "experiments/problems/handed_over.h"

#include <string.h>

static void assert_solved(const ash_problem *problem, const char *name, bool warm)
{
    ash_problem work = {0};
    ash_diagnostic diagnostic = {0};
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_NEWTON);
    ash_solve_result result;
    settings.tolerance = 1e-10;
    settings.iterations = 300;
    settings.warm_start = warm;
    assert_int_equal(ash_problem_copy(&work, problem, &diagnostic), ASH_OK);
    assert_int_equal(ash_problem_solve(&work, &settings, 1, NULL, &result, &diagnostic), ASH_OK);
    if (!(result.flags & ASH_SOLVE_CONVERGED) || !(result.error.largest <= 1e-10))
        fail_msg("%s, %s: %g m/s after %u rounds", name, warm ? "warm" : "cold", result.error.largest,
                 result.iterations);
    ash_problem_release(&work);
}

static void piles_are_solved(void **state)
{
    (void)state;
    static const char *const names[] = {"settled-50", "settled-200", "collapse-200"};
    for (size_t i = 0; i < (SLOW_BUILD ? 1 : sizeof names / sizeof *names); i++) {
        ash_problem problem = {0};
        ash_diagnostic diagnostic = {0};
        assert_int_equal(ash_problem_read(names[i], &problem, &diagnostic), ASH_OK);
        assert_true(problem.point_count > 0);
        assert_solved(&problem, names[i], false);
        assert_solved(&problem, names[i], true);
        ash_problem_release(&problem);
    }
}

/* Points overlap and carry forces: that is what the other stored problems do not have. */
static void they_are_what_realtime_leaves(void **state)
{
    (void)state;
    ash_problem problem = {0};
    ash_diagnostic diagnostic = {0};
    uint32_t overlap = 0, carry = 0;
    assert_int_equal(ash_problem_read("settled-50", &problem, &diagnostic), ASH_OK);
    for (uint32_t i = 0; i < problem.point_count; i++) {
        overlap += problem.points[i].gap < -1e-5;
        carry += problem.points[i].impulse.x > 0;
    }
    assert_true(overlap > 0 && carry > 0);
    ash_problem_release(&problem);
}

static void names_are_known(void **state)
{
    (void)state;
    ash_problem problem = {0};
    ash_diagnostic diagnostic = {0};
    for (uint32_t i = 0; i < ashi_handed_over_count(); i++)
        assert_ptr_equal(ashi_handed_over_find(ashi_handed_over_get(i)->name), ashi_handed_over_get(i));
    assert_null(ashi_handed_over_get(ashi_handed_over_count()));
    assert_int_equal(ash_problem_read("settled-51", &problem, &diagnostic), ASH_NOT_FOUND);
    assert_non_null(strstr(diagnostic.message, "settled-50"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(piles_are_solved),
        cmocka_unit_test(they_are_what_realtime_leaves),
        cmocka_unit_test(names_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
