/* Piles that `realtime` has settled and `engineering` takes over. Where shapes touch at hundreds of points, a step is
 * not cut at each new touch: they are settled together in windows, and every solve reaches its tolerance. */
#include "step/piles.h"

#include "ashlar/problem.h"

#include "base/random.h"
#include "math/quat.h"

#include <math.h>

enum { BOXES = 40, LAYER = 4 };

/* Cubes of half a metre in layers over a pit, turned at random. */
static ash_world *make_pile(void)
{
    ash_world *w = make_held_world("realtime", v3(0, 0, -9.81), 1);
    ashi_random random = {7};
    set_surface(w, 0.5, 0);
    add_floor(w);
    for (int i = 0; i < 4; i++) {
        ash_geometry_def wall = ash_default_geometry_def(ASH_GEOMETRY_BOX);
        wall.half_extents = i < 2 ? v3(0.1, 1, 3) : v3(1, 0.1, 3);
        double at = i % 2 == 0 ? 0.9 : -0.9;
        add_shape(w, &wall, ASH_BODY_STATIC, 1, i < 2 ? v3(at, 0, 3) : v3(0, at, 3), v3(0, 0, 0));
    }
    for (int i = 0; i < BOXES; i++) {
        int place = i % LAYER;
        ash_vec3 at = v3(place % 2 == 0 ? 0.4 : -0.4, place / 2 == 0 ? 0.4 : -0.4, 0.5 + 0.8 * (i / LAYER));
        ash_body body = add_box(w, 0.25, at, v3(0, 0, 0));
        ash_vec3 turn = v3(ashi_random_unit(&random), ashi_random_unit(&random), ashi_random_unit(&random));
        assert_int_equal(ash_body_set_transform(w, body, (ash_transform){at, q_exp(turn)}), ASH_OK);
    }
    return w;
}

/* What the next step gives to its solver, by itself: from nothing and from the last impulses. */
static void assert_solved(ash_world *w, bool warm)
{
    ash_problem problem = {0};
    ash_solve_result result;
    ash_solver_settings settings = ash_world_get_method(w).solver;
    settings.warm_start = warm;
    assert_int_equal(ash_world_next_problem(w, 0.01, &problem), ASH_OK);
    assert_int_equal(ash_problem_solve(&problem, &settings, 1, NULL, &result, NULL), ASH_OK);
    assert_true(result.flags & ASH_SOLVE_CONVERGED);
    assert_true(result.error.largest <= 1e-10);
    ash_problem_release(&problem);
}

static void piles_are_taken_over(void **state)
{
    (void)state;
    ash_world *w = make_pile();
    take_steps(w, 0.01, 150);
    ash_method method;
    assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    for (int i = 0; i < 6; i++) {
        assert_solved(w, false);
        assert_solved(w, true);
        take_steps(w, 0.01, 1);
        ash_step_report r = ash_world_get_report(w);
        assert_false(r.flags & ASH_FLAG_NOT_CONVERGED);
        assert_true(r.error.largest <= 1e-10);
        assert_true(r.operations <= 64 * (uint64_t)4000000); /* a tenth of what a step is granted */
    }
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(piles_are_taken_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
