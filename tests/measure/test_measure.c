/* The ledger: closes to the integrator's order with every force at work, books the user's calls, and sees each category
 * exactly where the answer is known. */
#include "joints.h"
#include "math/vec3.h"
#include "step/piles.h"
#include "worlds.h"

#include <string.h>

static double remainder_of(ash_integrator integrator, uint32_t steps)
{
    busy_world busy;
    make_busy(&busy, integrator, 1);
    take_steps(busy.world, 0.5 / steps, steps);
    double remainder = ash_world_get_ledger(busy.world).remainder;
    ash_world_destroy(busy.world);
    return remainder;
}

/* What the ledger calls numerical vanishes with the step, at the method's order or better. */
static void the_remainder_vanishes_with_the_order(void **state)
{
    (void)state;
    static const double least[ASH_INTEGRATORS] = {
        [ASH_EXPLICIT_EULER] = 1,    [ASH_SYMPLECTIC_EULER] = 1, [ASH_IMPLICIT_EULER] = 1, [ASH_RK4] = 4,
        [ASH_IMPLICIT_MIDPOINT] = 2, [ASH_AXIS_SPLITTING] = 1,   [ASH_SDIRK2] = 2,
    };
    for (int k = 0; k < ASH_INTEGRATORS; k++) {
        uint32_t n = k == ASH_RK4 ? 50 : 400;
        double coarse = remainder_of((ash_integrator)k, n), fine = remainder_of((ash_integrator)k, 2 * n);
        double order = log2(fabs(coarse / fine));
        print_message("%-18s remainder %.2e J, order %.2f\n", ash_integrator_name((ash_integrator)k), fine, order);
        assert_true(order > least[k] - 0.15);
    }
}

static void dampers_take_exactly_what_is_lost(void **state)
{
    (void)state;
    /* m v' = -c v: kinetic energy falls by exp(-2 c t / m) */
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body_def def = ash_default_body_def();
    def.mass = 2;
    def.velocity = v3(3, 0, 0);
    def.linear_damping = 0.7;
    make_body(w, &def);
    take_steps(w, 0.01, 100);
    ash_ledger l = ash_world_get_ledger(w);
    assert_near(l.initial, 9, 0);
    assert_near(l.kinetic, 9 * exp(-1.4), 1e-9);
    assert_near(l.dampers, 9 * (exp(-1.4) - 1), 1e-8);
    assert_near(l.remainder, 0, 1e-8);
    ash_world_destroy(w);
}

static void drag_loads_and_callbacks_have_their_own_lines(void **state)
{
    (void)state;
    busy_world busy;
    make_busy(&busy, ASH_RK4, 1);
    take_steps(busy.world, 0.002, 250);
    ash_ledger l = ash_world_get_ledger(busy.world);
    assert_true(l.dampers < -1e-3);
    assert_true(l.drag != 0);
    assert_true(l.loads != 0);
    assert_true(l.callbacks != 0);
    assert_true(l.springs > 0);
    assert_near(l.external, 0, 0);
    assert_near(l.total, l.kinetic + l.gravity + l.springs, 1e-12);
    assert_near(l.total - l.initial, l.dampers + l.drag + l.loads + l.callbacks + l.remainder, 1e-12);
    ash_world_destroy(busy.world);
}

/* A kinematic body that stretches a spring at constant speed does k L^2 / 2 of work. */
static void a_kinematic_drive_is_a_load(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_IMPLICIT_MIDPOINT, v3(0, 0, 0), 1);
    ash_body_def def = ash_default_body_def();
    def.type = ASH_BODY_KINEMATIC;
    def.velocity = v3(0.5, 0, 0);
    ash_spring_def spring = ash_default_spring_def();
    spring.body_a = make_body(w, &def);
    spring.stiffness = 8;
    spring.rest_length = 0;
    make_spring(w, &spring);
    take_steps(w, 0.01, 200);
    ash_ledger l = ash_world_get_ledger(w);
    assert_near(l.springs, 4, 1e-12);
    assert_near(l.loads, 4, 1e-12);
    assert_near(l.remainder, 0, 1e-12);
    ash_world_destroy(w);
}

/* Work of kinematic bodies through contacts and joints, and of running surfaces. The ledger closes by every method. */

static ash_body add_brick(ash_world *w, ash_body_type type, ash_vec3 half_extents, ash_vec3 position, ash_vec3 velocity)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = half_extents;
    return add_shape(w, &box, type, 125, position, velocity);
}

/* A platform lifts 1 kg by 0.5 m in 1 s, from rest relative to it: m g z, and m v^2 / 2 where it began at rest. */
static void a_platform_lifts(void **state)
{
    (void)state;
    for (int k = 0; k < PILE_METHODS; k++) {
        ash_world *w = make_held_world(pile_methods[k], v3(0, 0, -9.81), 1);
        add_brick(w, ASH_BODY_KINEMATIC, v3(1, 1, 0.1), v3(0, 0, -0.1), v3(0, 0, 0.5));
        add_brick(w, ASH_BODY_DYNAMIC, v3(0.1, 0.1, 0.1), v3(0, 0, 0.1), v3(0, 0, 0.5));
        take_steps(w, 0.002, 500);
        ash_ledger l = ash_world_get_ledger(w);
        print_message("%-20s loads %.6f, passive %.2e, remainder %.2e J\n", pile_methods[k], l.loads,
                      l.impacts + l.friction + l.stabilization, l.remainder);
        double tolerance = strcmp(pile_methods[k], "penalty") == 0 ? 0.1 : 1e-3; /* that one sinks in, and bounces */
        assert_near(l.loads, 9.81 * 0.5, tolerance);
        assert_near(l.remainder + l.impacts + l.friction + l.stabilization + l.sleep, 0, tolerance);
        ash_world_destroy(w);
    }
}

/* Sliding up to the speed of a surface takes m v^2: half of it heats the surface. By a belt and by a moving body. */
static void a_surface_takes_along(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * PILE_METHODS; k++) {
        const char *name = pile_methods[k / 2];
        bool belt = k % 2 == 0;
        if (strcmp(name, "faure") == 0) /* no friction */
            continue;
        ash_world *w = make_held_world(name, v3(0, 0, -9.81), 1);
        set_surface(w, 0.5, 0);
        ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
        ash_shape_def shape = ash_default_shape_def();
        ash_body_def def = ash_default_body_def();
        ash_body floor;
        box.half_extents = v3(5, 1, 0.1);
        assert_int_equal(ash_geometry_create(&box, &shape.geometry, NULL), ASH_OK);
        shape.surface_velocity = v3(belt ? 1 : 0, 0, 0);
        def.type = belt ? ASH_BODY_STATIC : ASH_BODY_KINEMATIC;
        def.velocity = v3(belt ? 0 : 1, 0, 0);
        def.position = v3(0, 0, -0.1);
        assert_int_equal(ash_body_create(w, &def, &shape, 1, &floor, NULL), ASH_OK);
        ash_geometry_release(shape.geometry);
        add_brick(w, ASH_BODY_DYNAMIC, v3(0.1, 0.1, 0.1), v3(0, 0, 0.1), v3(0, 0, 0));
        take_steps(w, 0.002, 500);
        ash_ledger l = ash_world_get_ledger(w);
        print_message("%-20s %-10s loads %.5f, friction %.5f, remainder %.2e J\n", name, belt ? "belt" : "kinematic",
                      l.loads, l.friction, l.remainder);
        assert_near(l.loads, 1, 0.02);
        assert_near(l.friction, -0.5, 0.02);
        assert_near(l.remainder, 0, 0.005);
        ash_world_destroy(w);
    }
}

/* A kinematic wheel turns a bob that is welded to it: kinetic energy stays, the drive gives what gravity takes. */
static void a_wheel_drives_through_a_joint(void **state)
{
    (void)state;
    for (int k = 0; k < PILE_METHODS; k++) {
        ash_world *w = make_held_world(pile_methods[k], v3(0, 0, -9.81), 1);
        ash_body_def def = ash_default_body_def();
        ash_joint_def joint = ash_default_joint_def(ASH_JOINT_FIXED);
        def.type = ASH_BODY_KINEMATIC;
        def.angular_velocity = v3(0, 2, 0);
        joint.body_a = make_body(w, &def);
        def.type = ASH_BODY_DYNAMIC;
        def.mass = 1;
        def.inertia = (ash_sym3){0.01, 0.01, 0.01, 0, 0, 0};
        def.position = v3(0.5, 0, 0);
        def.velocity = v3(0, 0, -1);
        joint.body_b = make_body(w, &def);
        assert_int_equal(ash_joint_def_place(w, &joint, v3(0.25, 0, 0), v3(1, 0, 0)), ASH_OK);
        make_joint(w, &joint);
        take_steps(w, 0.001, 1000);
        ash_ledger l = ash_world_get_ledger(w);
        print_message("%-20s loads %.5f, joints %.2e, stabilization %.2e, remainder %.2e J\n", pile_methods[k], l.loads,
                      l.joints, l.stabilization, l.remainder);
        assert_near(l.loads, -9.81 * 0.5 * sin(2), 0.01); /* 2 rad down: it brakes */
        assert_near(l.remainder, 0, 0.01);
        ash_world_destroy(w);
    }
}

static void calls_of_the_user_are_external(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_IMPLICIT_MIDPOINT, v3(0, 0, -10), 1);
    ash_body a = make_point(w, 2, v3(0, 0, 1), v3(0, 0, 0));
    assert_near(ash_world_get_ledger(w).initial, 20, 1e-12); /* before the first step: the start itself */
    take_steps(w, 0.01, 10);
    assert_int_equal(ash_body_set_velocity(w, a, v3(0, 0, 0)), ASH_OK);
    assert_int_equal(ash_body_set_transform(w, a, (ash_transform){{0, 0, 3}, {1, 0, 0, 0}}), ASH_OK);
    ash_ledger l = ash_world_get_ledger(w);
    assert_near(l.external, 40, 1e-11); /* from 20 to 60 J */
    take_steps(w, 0.01, 10);
    assert_int_equal(ash_body_apply_impulse(w, a, v3(4, 0, 0), v3(0, 0, 0)), ASH_OK);
    l = ash_world_get_ledger(w);
    assert_near(l.external, 44, 1e-11); /* 2 m/s more for 2 kg */
    assert_near(l.remainder, 0, 1e-11);
    ash_body b = make_point(w, 1, v3(0, 0, 5), v3(0, 0, 0));
    assert_near(ash_world_get_ledger(w).external, 94, 1e-11);
    assert_int_equal(ash_body_destroy(w, b), ASH_OK);
    assert_int_equal(ash_world_set_gravity(w, v3(0, 0, 0)), ASH_OK);
    take_steps(w, 0.01, 10);
    assert_near(ash_world_get_ledger(w).remainder, 0, 1e-11);
    assert_int_equal(ash_world_reset_ledger(w), ASH_OK);
    l = ash_world_get_ledger(w);
    assert_near(l.external, 0, 0);
    assert_near(l.initial, l.total, 0);
    ash_world_destroy(w);
}

static void applied_forces_are_loads_for_one_step(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_AXIS_SPLITTING, v3(0, 0, 0), 1);
    ash_body a = make_rotor(w, 2, v3(1, 1, 1), v3(0, 0, 0), v3(0, 0, 0));
    assert_int_equal(ash_body_apply_force(w, a, v3(4, 0, 0), v3(0, 0.5, 0)), ASH_OK);
    assert_int_equal(ash_body_apply_force_to_centre(w, a, v3(4, 0, 0)), ASH_OK);
    assert_int_equal(ash_body_apply_torque(w, a, v3(0, 0, 5)), ASH_OK);
    take_steps(w, 0.5, 1);
    assert_near(ash_body_get_velocity(w, a).x, 2, 1e-15);
    assert_near(ash_body_get_angular_velocity(w, a).z, 1.5, 1e-15);
    ash_ledger l = ash_world_get_ledger(w);
    assert_near(l.loads, 4 + 0.5 * 1.5 * 1.5, 1e-14);
    assert_near(l.remainder, 0, 1e-14);
    take_steps(w, 0.5, 1);
    assert_near(ash_body_get_velocity(w, a).x, 2, 1e-15); /* gone */
    ash_world_destroy(w);
}

static void momenta_are_those_of_the_text_book(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    make_point(w, 2, v3(1, 0, 0), v3(0, 3, 0));
    ash_body b = make_rotor(w, 1, v3(1, 2, 2.5), v3(0, 2, 0), v3(0.5, 0, 1));
    assert_int_equal(ash_body_set_velocity(w, b, v3(1, 0, 0)), ASH_OK);
    ash_vec3 p = ash_world_get_momentum(w), l = ash_world_get_angular_momentum(w);
    assert_near(p.x, 1, 0);
    assert_near(p.y, 6, 0);
    assert_near(l.x, 0.5, 1e-15);
    assert_near(l.z, 6 - 2 + 2.5, 1e-15);
    assert_near(ash_body_get_angular_momentum(w, b).z, 2.5, 1e-15);
    assert_near(ash_body_get_momentum(w, b).x, 1, 0);
    assert_near(ash_body_get_kinetic_energy(w, b), 0.5 + 0.5 * (0.25 + 2.5), 1e-15);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_remainder_vanishes_with_the_order),
        cmocka_unit_test(dampers_take_exactly_what_is_lost),
        cmocka_unit_test(drag_loads_and_callbacks_have_their_own_lines),
        cmocka_unit_test(a_kinematic_drive_is_a_load),
        cmocka_unit_test(a_platform_lifts),
        cmocka_unit_test(a_surface_takes_along),
        cmocka_unit_test(a_wheel_drives_through_a_joint),
        cmocka_unit_test(calls_of_the_user_are_external),
        cmocka_unit_test(applied_forces_are_loads_for_one_step),
        cmocka_unit_test(momenta_are_those_of_the_text_book),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
