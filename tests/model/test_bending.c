/* Bending springs: forces against differences of the energy, derivatives against differences of forces, momentum, and
 * the deflection of a cantilever against beam theory. */
#include "base/random.h"
#include "model/forces.h"
#include "world/world.h"
#include "worlds.h"

static void evaluate(ash_world *world)
{
    ashi_force_instant stage = {&world->model.bodies.now, world->time, NULL};
    assert_true(ashi_forces_prepare(&world->model, 1));
    ashi_forces_evaluate(&world->model, &stage);
}

static uint32_t slot_of(ash_world *world, ash_body body)
{
    return ashi_world_body(world, body, "test");
}

static ash_vec3 any(ashi_random *random)
{
    return v3(ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1));
}

/* Three bodies that turn, with points off their centres. */
static ash_world *make_bent(ashi_random *random, double rest, double damping, ash_body bodies[3], ash_force *force)
{
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    for (int i = 0; i < 3; i++)
        bodies[i] = make_rotor(w, 1, v3(0.4, 0.5, 0.6), v3_add(v3(i, 0, 0), v3_scale(any(random), 0.15)), any(random));
    ash_bending_spring_def def = ash_default_bending_spring_def();
    def.body_a = bodies[0];
    def.body_b = bodies[1];
    def.body_c = bodies[2];
    def.point_a = v3_scale(any(random), 0.1);
    def.point_b = v3_scale(any(random), 0.1);
    def.point_c = v3_scale(any(random), 0.1);
    def.stiffness = 3;
    def.damping = damping;
    def.rest_angle = rest;
    assert_int_equal(ash_bending_spring_create(w, &def, force, NULL), ASH_OK);
    return w;
}

static void shift(ashi_state *now, uint32_t slot, int axis, double by)
{
    ash_vec3 along = v3_scale(v3(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2), by);
    if (axis < 3)
        now->position[slot] = v3_add(now->position[slot], along);
    else
        now->rotation[slot] = q_mul(q_exp(along), now->rotation[slot]);
}

static double along_axis(const ash_world *w, uint32_t slot, int axis)
{
    ash_vec3 v = axis < 3 ? w->model.bodies.force[slot] : w->model.bodies.torque[slot];
    return axis % 3 == 0 ? v.x : axis % 3 == 1 ? v.y : v.z;
}

/* Legs are at least 0.4 m long, so that third derivatives are below about 10 k / 0.4^3 = 500: differences at e = 1e-5
 * are right to 500 e^2 = 5e-8; nearly straight, what a spring with a rest angle does changes over that angle. */
static void forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    ashi_random random = {5};
    const double e = 1e-5;
    for (int trial = 0; trial < 60; trial++) {
        ash_body bodies[3];
        ash_force force;
        ash_world *w = make_bent(&random, trial % 2 == 0 ? 0 : 0.7, 0, bodies, &force);
        double angle = ash_bending_spring_get_angle(w, force), right = 5e-8 * (1 + 1 / (angle * angle));
        for (int k = 0; k < 3; k++) {
            uint32_t slot = slot_of(w, bodies[k]);
            ashi_state *now = &w->model.bodies.now;
            for (int axis = 0; axis < 6; axis++) {
                ash_vec3 position = now->position[slot];
                ash_quat rotation = now->rotation[slot];
                double energy[2];
                for (int side = 0; side < 2; side++) {
                    shift(now, slot, axis, side == 0 ? -e : e);
                    energy[side] = ash_force_get_energy(w, force);
                    now->position[slot] = position;
                    now->rotation[slot] = rotation;
                }
                evaluate(w);
                assert_near(along_axis(w, slot, axis), -(energy[1] - energy[0]) / (2 * e), right);
            }
        }
        ash_world_destroy(w);
    }
}

/* Straight, the rows are all there is of the second derivative; bent, they lack what is not positive.
 * Differences on one side are right to e times a third derivative, of the order of 10 k = 70. */
static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    const double e = 1e-6;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body bodies[3];
    for (int i = 0; i < 3; i++)
        bodies[i] = make_point(w, 1, v3(0.5 * i * i + 0.5 * i, 0, 0), v3(0, 0, 0));
    ash_bending_spring_def def = ash_default_bending_spring_def();
    def.body_a = bodies[0], def.body_b = bodies[1], def.body_c = bodies[2];
    def.stiffness = 7;
    ash_force force;
    assert_int_equal(ash_bending_spring_create(w, &def, &force, NULL), ASH_OK);
    ashi_implicit_row rows[2];
    ashi_state *now = &w->model.bodies.now;
    assert_true(ashi_bending_spring_rows(w->model.forces.bending_springs.data, now, rows));
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++) {
            uint32_t moved = slot_of(w, bodies[k]);
            shift(now, moved, axis, e);
            evaluate(w);
            shift(now, moved, axis, -e);
            for (int j = 0; j < 3; j++) {
                uint32_t slot = slot_of(w, bodies[j]);
                for (int to = 0; to < 3; to++) {
                    double matrix = 0;
                    for (int r = 0; r < 2; r++) {
                        const double *row_j = &rows[r].along[j].linear.x, *row_k = &rows[r].along[k].linear.x;
                        matrix += rows[r].stiffness * row_j[to] * row_k[axis];
                    }
                    assert_int_equal(rows[0].body[j], slot);
                    assert_near(along_axis(w, slot, to) / e, -matrix, 1e-4);
                }
            }
        }
    ash_world_destroy(w);
}

/* A free bent body with dampers: its momenta stay, and it only loses energy, by what the ledger says. */
static void it_keeps_momentum_and_loses_energy(void **state)
{
    (void)state;
    ashi_random random = {9};
    for (int trial = 0; trial < 10; trial++) {
        ash_body bodies[3];
        ash_force force;
        ash_world *w = make_bent(&random, trial % 2 == 0 ? 0 : 0.7, 0.3, bodies, &force);
        ash_vec3 linear = ash_world_get_momentum(w), angular = ash_world_get_angular_momentum(w);
        double before = ash_world_get_ledger(w).total;
        take_steps(w, 1e-3, 500);
        ash_ledger ledger = ash_world_get_ledger(w);
        assert_near(v3_distance(ash_world_get_momentum(w), linear), 0, 1e-12);
        assert_near(v3_distance(ash_world_get_angular_momentum(w), angular), 0, 1e-9);
        assert_true(ledger.dampers < 0 && ledger.total < before);
        assert_near(ledger.total - before, ledger.dampers, 1e-6);
        ash_world_destroy(w);
    }
}

/* A rod of length 1 with E I = 2, clamped at its first point: tip load 1e-3 N. With n legs of length l and springs
 * k = E I / l at the points 0 to n - 1, the moment at point i is F (n - i) l and the tip goes down by
 * F l^2 / k * (1 + 4 + ... + n^2) = F L^3 / (3 E I) (1 + 3/(2 n) + 1/(2 n^2)); what the angle's second order changes
 * is (deflection / L)^2, 3e-8. */
static double deflect(ash_integrator integrator, uint32_t n, bool clamped_by_body)
{
    const double l = 1.0 / n, stiffness = 2 / l, load = 1e-3;
    ash_world *w = make_world(integrator, v3(0, 0, 0), 1);
    ash_body_def still = ash_default_body_def();
    still.type = ASH_BODY_STATIC;
    ash_body wall = clamped_by_body ? make_body(w, &still) : (ash_body){0}, points[32];
    for (uint32_t i = 0; i < n; i++) {
        points[i] = make_point(w, 0.01, v3((i + 1) * l, 0, 0), v3(0, 0, 0));
        ash_spring_def leg = ash_default_spring_def();
        leg.body_a = i == 0 ? wall : points[i - 1];
        leg.body_b = points[i];
        leg.stiffness = 1e6;
        make_spring(w, &leg);
        ash_bending_spring_def bend = ash_default_bending_spring_def();
        bend.body_a = i < 2 ? wall : points[i - 2];
        bend.body_b = i < 1 ? wall : points[i - 1];
        bend.body_c = points[i];
        bend.point_a = i == 0 ? v3(-l, 0, 0) : v3(0, 0, 0);
        bend.stiffness = stiffness;
        ash_force force;
        assert_int_equal(ash_bending_spring_create(w, &bend, &force, NULL), ASH_OK);
        ash_drag_def drag = ash_default_drag_def();
        drag.body = points[i];
        drag.coefficient = 0;
        drag.linear = 0.05;
        assert_int_equal(ash_drag_create(w, &drag, &force, NULL), ASH_OK);
    }
    ash_load_def end = ash_default_load_def();
    ash_force force;
    end.body = points[n - 1];
    end.force = v3(0, 0, -load);
    assert_int_equal(ash_load_create(w, &end, &force, NULL), ASH_OK);
    take_steps(w, 0.02, 1500);
    double down = -ash_body_get_centre(w, points[n - 1]).z;
    ash_world_destroy(w);
    return down / (load / (3 * 2));
}

static void a_cantilever_bends_as_beam_theory_has_it(void **state)
{
    (void)state;
    for (uint32_t n = 4; n <= 16; n *= 2) {
        double exact = 1 + 1.5 / n + 0.5 / (n * n);
        assert_near(deflect(ASH_IMPLICIT_EULER, n, false), exact, 1e-6);
        assert_near(deflect(ASH_SDIRK2, n, true), exact, 1e-6);
    }
}

static void it_refuses_bad_data(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_point(w, 1, v3(0, 0, 0), v3(0, 0, 0));
    ash_bending_spring_def def = ash_default_bending_spring_def();
    ash_force force;
    ash_diagnostic d = {0};
    assert_int_equal(ash_bending_spring_create(w, &def, &force, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "force.same-body");
    def.body_c = a;
    def.rest_angle = 3.2;
    assert_int_equal(ash_bending_spring_create(w, &def, &force, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "bending-spring.rest");
    def.rest_angle = 0;
    def.damping = -1;
    assert_int_equal(ash_bending_spring_create(w, &def, &force, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "force.coefficient");
    def.damping = 0;
    def.point_b = v3(NAN, 0, 0);
    assert_int_equal(ash_bending_spring_create(w, &def, &force, &d), ASH_BAD_DATA);
    def.point_b = v3(0, 0, 0); /* all three points are the origin: no legs, no force */
    assert_int_equal(ash_bending_spring_create(w, &def, &force, &d), ASH_OK);
    assert_near(ash_bending_spring_get_angle(w, force), 0, 0);
    take_steps(w, 0.01, 2);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_gradient_of_the_energy),
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(it_keeps_momentum_and_loses_energy),
        cmocka_unit_test(a_cantilever_bends_as_beam_theory_has_it),
        cmocka_unit_test(it_refuses_bad_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
