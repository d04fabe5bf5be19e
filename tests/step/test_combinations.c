/* Fields of methods that no preset puts together: step control, stabilization and friction bound with each kind of
 * solver. Whatever is combined, a box weighs what it weighs and slides where the angle of friction says so. */
#include "step/piles.h"

#include "ashlar/problem.h"

#include <math.h>
#include <string.h>

#define G 9.81

/* A solver with the preset it is at home in; how well it knows the forces of a box at rest, relative. */
typedef struct solver_case {
    const char *name, *preset;
    double accuracy;
} solver_case;

static const solver_case solvers[] = {
    {"pgs", "dejong-2014", 1e-3}, {"newton", "engineering", 1e-6}, {"soft-step", "realtime", 1e-3}};

static const struct {
    const char *field, *value;
} choices[] = {{"step-control", "substeps"}, {"stabilization", "mixed"}, {"friction-bound", "previous"}};

enum { SOLVERS = 3, CHOICES = 3 };

/* All eight combinations of the choices; those not made stay fixed, without stabilization but the solver's, current. */
static ash_method combined(const solver_case *solver, int choice)
{
    ash_method method;
    assert_int_equal(ash_method_find(solver->preset, &method, NULL), ASH_OK);
    assert_int_equal(ash_method_set(&method, "step-control", "fixed", NULL), ASH_OK);
    assert_int_equal(ash_method_set(&method, "contact-margin", "0.005", NULL), ASH_OK);
    if (strcmp(solver->name, "pgs") == 0) {
        assert_int_equal(ash_method_set(&method, "iterations", "100", NULL), ASH_OK);
        assert_int_equal(ash_method_set(&method, "solve-by", "blocks", NULL), ASH_OK);
        assert_int_equal(ash_method_set(&method, "warm-start", "on", NULL), ASH_OK);
        assert_int_equal(ash_method_set(&method, "friction-law", "cone", NULL), ASH_OK);
    }
    for (int i = 0; i < CHOICES; i++)
        if (choice >> i & 1)
            assert_int_equal(ash_method_set(&method, choices[i].field, choices[i].value, NULL), ASH_OK);
    method.sleeping = ASH_SLEEP_OFF;
    return method;
}

/* A floor under gravity that leans by the slope, and a box on it. */
static ash_world *make_slope(const ash_method *method, double slope, double friction, ash_body *floor_body,
                             ash_body *box)
{
    ash_world *w = make_held_world("realtime", v3(G * slope, 0, -G), 1);
    assert_int_equal(ash_world_set_method(w, method), ASH_OK);
    set_surface(w, friction, 0);
    *floor_body = add_floor(w);
    *box = add_box(w, 0.25, v3(0, 0, 0.25), v3(0, 0, 0));
    return w;
}

static void describe(const char *what, const solver_case *solver, int choice, double value, double expected)
{
    fail_msg("%s with %s%s%s%s is %g, expected %g", what, solver->name, choice & 1 ? ", substeps" : "",
             choice & 2 ? ", mixed" : "", choice & 4 ? ", previous bound" : "", value, expected);
}

static void boxes_weigh_what_they_weigh(void **state)
{
    (void)state;
    for (int k = 0; k < SOLVERS; k++)
        for (int choice = 0; choice < 1 << CHOICES; choice++) {
            ash_method method = combined(&solvers[k], choice);
            ash_body floor_body, box;
            ash_world *w = make_slope(&method, 0, 0.5, &floor_body, &box);
            take_steps(w, 0.005, some(200));
            double weight = G * ash_body_get_mass(w, box).mass;
            double force = -ash_body_get_reaction(w, floor_body).force.z;
            if (!(fabs(force - weight) < solvers[k].accuracy * weight))
                describe("weight", &solvers[k], choice, force, weight);
            double height = ash_body_get_centre(w, box).z;
            if (!(fabs(height - 0.25) < 1e-3))
                describe("height", &solvers[k], choice, height, 0.25);
            ash_world_destroy(w);
        }
}

/* On a slope of 0.3 a coefficient of 0.36 holds, with 0.24 the box slides at g (0.3 - 0.24). */
static void friction_has_its_angle(void **state)
{
    (void)state;
    for (int k = 0; k < SOLVERS; k++)
        for (int choice = 0; choice < 1 << CHOICES; choice++)
            for (int slides = 0; slides < 2; slides++) {
                ash_method method = combined(&solvers[k], choice);
                ash_body floor_body, box;
                ash_world *w = make_slope(&method, 0.3, slides ? 0.24 : 0.36, &floor_body, &box);
                /* A bound from the step before is none in the first step: the box starts slipping, and goes on with it
                 * where nothing stops it again. */
                take_steps(w, 0.0025, 40);
                double start = ash_body_get_velocity(w, box).x;
                take_steps(w, 0.0025, 200);
                double gained = ash_body_get_velocity(w, box).x - start, expected = slides ? 0.5 * G * 0.06 : 0;
                if (!(fabs(gained - expected) < 0.02 * 0.5 * G * 0.06))
                    describe(slides ? "speed of sliding" : "speed of holding", &solvers[k], choice, gained, expected);
                if (!slides && !(fabs(ash_body_get_velocity(w, box).x) < 1e-3))
                    describe("rest", &solvers[k], choice, ash_body_get_velocity(w, box).x, 0);
                ash_world_destroy(w);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_weigh_what_they_weigh),
        cmocka_unit_test(friction_has_its_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
