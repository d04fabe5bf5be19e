/* Stepping by passes (guendelman-2003): what its phases are for. What every method must do (weights, threads,
 * snapshots, warm steps, crowds, joints) it does in the tests of piles.h. */
#include "step/piles.h"

#include "base/alloc.h"

#include <math.h>

#define G 9.81

static const char *const method_name = "guendelman-2003";

static ash_world *make(ash_vec3 gravity, double friction, double restitution)
{
    ash_world *world = make_held_world(method_name, gravity, 1);
    set_surface(world, friction, restitution);
    return world;
}

static void set_field(ash_world *world, const char *field, const char *value)
{
    ash_method method = ash_world_get_method(world);
    assert_int_equal(ash_method_set(&method, field, value, NULL), ASH_OK);
    assert_int_equal(ash_world_set_method(world, &method), ASH_OK);
}

/* A box falls by half a metre; the ledger's remainder. */
static double drop(double h)
{
    ash_world *w = make(v3(0, 0, -G), 0.5, 0);
    ash_body floor = add_floor(w), box = add_box(w, 0.5, v3(0, 0, 1), v3(0, 0, 0));
    take_steps(w, h, (uint32_t)(1.5 / h + 0.5));
    assert_near(ash_body_get_centre(w, box).z, 0.5, 1e-5);
    assert_below(v3_norm(ash_body_get_velocity(w, box)), 0.1 * G * h); /* it rocks by a part of what a step adds */
    assert_near(ash_body_get_reaction(w, box).force.z / (1000 * G), 1, 1e-3);
    assert_near(ash_body_get_reaction(w, floor).force.z / (1000 * G), -1, 1e-3);
    assert_below(ash_world_get_report(w).error.largest, 0.1 * G * h);
    double remainder = ash_world_get_ledger(w).remainder;
    ash_world_destroy(w);
    return remainder;
}

static void a_box_drops_and_rests(void **state)
{
    (void)state;
    double fell = 1000 * G * 0.5, coarse = drop(0.01), fine = drop(0.001);
    assert_below(fabs(coarse), 0.04 * fell); /* free motion is of order 1 */
    assert_below(fabs(fine), 0.2 * fabs(coarse));
}

/* Restitution acts before the forces of the step: whatever e is, what rests stays. */
static void what_rests_does_not_bounce(void **state)
{
    (void)state;
    ash_world *w = make(v3(0, 0, -G), 0.5, 1);
    add_floor(w);
    ash_body ball = add_ball(w, 0.5, 1000, v3(0, 0, 0.5), v3(0, 0, 0));
    ash_body box = add_box(w, 0.5, v3(3, 0, 0.5), v3(0, 0, 0));
    double highest = 0;
    for (int i = 0; i < 100; i++) {
        take_steps(w, 0.01, 1);
        highest = fmax(highest, fmax(ash_body_get_centre(w, ball).z, ash_body_get_centre(w, box).z));
    }
    double bounce = 0.5 * G * 0.01 * 0.01; /* what the velocity of one step would come to */
    assert_below(highest, 0.5 + 0.02 * bounce);
    ash_world_destroy(w);
}

/* The highest point after the first impact of a ball that falls by 1 m. */
static double rebound(double h, double restitution)
{
    ash_world *w = make(v3(0, 0, -G), 0, restitution);
    add_floor(w);
    ash_body ball = add_ball(w, 0.1, 1000, v3(0, 0, 1.1), v3(0, 0, 0));
    double highest = 0;
    bool up = false;
    for (double t = 0; t < 0.9; t += h) {
        take_steps(w, h, 1);
        up = up || ash_body_get_velocity(w, ball).z > 0;
        highest = up ? fmax(highest, ash_body_get_centre(w, ball).z - 0.1) : 0;
    }
    ash_world_destroy(w);
    return highest;
}

/* It turns around up to a step's way above the ground: the error goes with the step. */
static void an_elastic_ball_comes_back(void **state)
{
    (void)state;
    assert_near(rebound(0.01, 1), 1, 0.1);
    assert_near(rebound(0.001, 1), 1, 0.01);
    assert_near(rebound(0.001, 0.5), 0.25, 0.01);
}

/* Two balls collide off centre, elastically: without friction energy and momentum are kept to rounding. */
static void an_elastic_collision_conserves(void **state)
{
    (void)state;
    ash_world *w = make(v3(0, 0, 0), 0, 1);
    ash_body a = add_ball(w, 0.5, 1000, v3(-1, 0, 0), v3(2, 0.1, 0));
    ash_body b = add_ball(w, 0.3, 3000, v3(1, 0.3, 0.1), v3(-1, 0, 0));
    ash_vec3 momentum = ash_world_get_momentum(w), before = ash_body_get_velocity(w, b);
    double energy = ash_world_get_ledger(w).kinetic;
    take_steps(w, 0.01, 100);
    assert_true(v3_distance(ash_body_get_velocity(w, b), before) > 0.5);
    assert_true(ash_body_get_velocity(w, a).x < ash_body_get_velocity(w, b).x);
    assert_near(ash_world_get_ledger(w).kinetic, energy, 1e-12 * energy);
    assert_below(v3_distance(ash_world_get_momentum(w), momentum), 1e-12 * v3_norm(momentum));
    assert_below(fabs(ash_world_get_ledger(w).impacts), 1e-12 * energy);
    ash_world_destroy(w);
}

/* What the angular momentum of a rough collision of two boxes is off by, in impulses at points where bodies will be. */
static double couple_left(double h)
{
    ash_world *w = make(v3(0, 0, 0), 0.5, 0.3);
    ash_body a = add_box(w, 0.3, v3(-1, 0, 0), v3(2, 0.1, 0)), b = add_box(w, 0.3, v3(1, 0.3, 0.2), v3(-1, 0, 0));
    assert_int_equal(ash_body_set_angular_velocity(w, a, v3(1, 2, 3)), ASH_OK);
    ash_vec3 before = ash_world_get_angular_momentum(w), spin = ash_body_get_angular_velocity(w, b);
    take_steps(w, h, (uint32_t)(1 / h + 0.5));
    assert_true(v3_distance(ash_body_get_angular_velocity(w, b), spin) > 0.1);
    double off = v3_distance(ash_world_get_angular_momentum(w), before);
    ash_world_destroy(w);
    return off;
}

static void angular_momentum_is_kept(void **state)
{
    (void)state;
    assert_below(couple_left(0.01), 1e-12 * 400);
    assert_below(couple_left(0.0005), 1e-12 * 400);
}

/* How far a box goes in a second on a slope, down along x, and its speed then. */
static double slide(double height, double slope, double friction, double *speed)
{
    ash_world *w = make(v3(G * sin(slope), 0, -G * cos(slope)), friction, 0);
    add_floor(w);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(0.2, 0.2, 0.5 * height);
    ash_body box = add_shape(w, &def, ASH_BODY_DYNAMIC, 1000, v3(0, 0, 0.5 * height), v3(0, 0, 0));
    take_steps(w, 0.01, 100);
    double x = ash_body_get_centre(w, box).x;
    *speed = ash_body_get_velocity(w, box).x;
    assert_near(ash_body_get_centre(w, box).z, 0.5 * height, 2e-3);
    ash_world_destroy(w);
    return x;
}

static void friction_sticks_and_slides(void **state)
{
    (void)state;
    double speed, slope = 0.4, limit = tan(0.4);
    assert_below(fabs(slide(0.1, slope, 1.2 * limit, &speed)), 1e-5);
    assert_below(fabs(speed), 1e-5);
    assert_below(slide(0.4, slope, 1.2 * limit, &speed), 0.01); /* a cube creeps: its upper edge is hardly pressed */
    slide(0.1, slope, 0.5 * limit, &speed);
    assert_near(speed, 0.5 * G * sin(slope), 0.02 * G * sin(slope));
    slide(0.1, slope, 0, &speed);
    assert_near(speed, G * sin(slope), 1e-3 * G);
}

typedef struct stand {
    double drift, lean, deepest, force; /* m, m, m, N on the floor */
} stand;

static stand let_stand(uint32_t boxes, const char *field, const char *value)
{
    ash_world *w = make(v3(0, 0, -G), 0.5, 0);
    ash_body floor = add_floor(w), box[20];
    stand s = {0};
    for (uint32_t i = 0; i < boxes; i++)
        box[i] = add_box(w, 0.5, v3(0, 0, 0.5 + i), v3(0, 0, 0));
    if (field != NULL)
        set_field(w, field, value);
    for (int i = 0; i < 150; i++) {
        take_steps(w, 0.01, 1);
        s.deepest = fmax(s.deepest, ash_world_get_report(w).penetration);
    }
    for (uint32_t i = 0; i < boxes; i++) {
        ash_vec3 p = ash_body_get_centre(w, box[i]);
        s.drift = fmax(s.drift, sqrt(p.x * p.x + p.y * p.y));
        s.lean = fmax(s.lean, fabs(p.z - 0.5 - i));
    }
    s.force = -ash_body_get_reaction(w, floor).force.z;
    ash_world_destroy(w);
    return s;
}

static void a_stack_stands(void **state)
{
    (void)state;
    stand s = let_stand(10, NULL, NULL);
    assert_below(s.drift, 2e-3);
    assert_below(s.lean, 2e-3);
    assert_below(s.deepest, 1e-4);
}

/* One pass of contact stops the lowest boxes only: the others rest since each layer rests on what is held below. */
static void shock_propagation_bears_what_contact_does_not(void **state)
{
    (void)state;
    stand s = let_stand(10, "iterations", "1");
    assert_below(s.lean, 2e-3);
    assert_below(s.deepest, 1e-4);
    assert_true(s.force < 0.5 * 10 * 1000 * G); /* the floor does not feel what was held: momentum is lost */
}

/* Stopped at once, corner by corner, a stack rocks. */
static void layers_are_stopped_gradually(void **state)
{
    (void)state;
    double gradually = let_stand(10, NULL, NULL).drift, at_once = let_stand(10, "shock-rounds", "1").drift;
    assert_true(at_once > 5 * gradually);
}

/* What overlaps stays so: the scheme removes no overlap, and adds none. */
static void overlap_stays(void **state)
{
    (void)state;
    ash_world *w = make(v3(0, 0, -G), 0.5, 0);
    add_floor(w);
    ash_body box = add_box(w, 0.5, v3(0, 0, 0.45), v3(0, 0, 0));
    take_steps(w, 0.01, 100);
    assert_near(ash_body_get_centre(w, box).z, 0.45, 1e-3);
    assert_near(ash_world_get_report(w).penetration, 0.05, 1e-3);
    ash_world_destroy(w);
}

/* A ball that goes 1 m in a step meets a plate of 2 cm, at any phase: it passes through unless impacts within a step
 * are looked for. Then it is held there, and stopped by the plate, or both go on with its momentum. */
static void fast_bodies_are_held(void **state)
{
    (void)state;
    for (int phase = 0; phase < 10; phase++)
        for (int moves = 0; moves < 2; moves++)
            for (int on = 0; on < 2; on++) {
                ash_world *w = make(v3(0, 0, 0), 0.5, 0);
                ash_method method = ash_world_get_method(w);
                assert_int_equal(ash_method_set(&method, "continuous", on ? "on" : "off", NULL), ASH_OK);
                assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
                ash_geometry_def plate = ash_default_geometry_def(ASH_GEOMETRY_BOX);
                plate.half_extents = v3(0.01, 1, 1);
                ash_body target = add_shape(w, &plate, moves ? ASH_BODY_DYNAMIC : ASH_BODY_STATIC, moves ? 1000 : 0,
                                            v3(0, 0, 0), v3(0, 0, 0));
                ash_body ball = add_ball(w, 0.05, 1000, v3(-2.55 + 0.05 * phase, 0, 0), v3(100, 0, 0));
                double mass = ash_body_get_mass(w, ball).mass;
                take_steps(w, 0.01, 10);
                double after = mass * ash_body_get_velocity(w, ball).x;
                bool behind = ash_body_get_centre(w, ball).x < ash_body_get_centre(w, target).x;
                if (moves)
                    after += ash_body_get_mass(w, target).mass * ash_body_get_velocity(w, target).x;
                if (on) {
                    assert_true(behind);
                    assert_near(after, moves ? 100 * mass : 0, 1e-9 * mass);
                } else {
                    assert_false(behind);
                }
                ash_world_destroy(w);
            }
}

/* A belt takes a box along; a ball on felt is slowed by its resistance to rolling: v' = -(5/7) g k / r. */
static void surfaces_move_and_resist(void **state)
{
    (void)state;
    ash_world *w = make(v3(0, 0, -G), 0.5, 0);
    ash_body belt = add_floor(w), box = add_box(w, 0.2, v3(0, 0, 0.2), v3(0, 0, 0));
    ash_shape surface;
    assert_int_equal(ash_body_get_shapes(w, belt, &surface, 1), 1);
    assert_int_equal(ash_shape_set_surface_velocity(w, surface, v3(1, 0, 0)), ASH_OK);
    take_steps(w, 0.01, 100);
    assert_near(ash_body_get_velocity(w, box).x, 1, 1e-2);
    ash_world_destroy(w);

    w = make_held_world(method_name, v3(0, 0, -G), 1);
    ash_material_def felt = ash_default_material_def();
    felt.surface.rolling = 0.005;
    assert_int_equal(ash_material_set(w, ash_world_get_default_material(w), &felt, NULL), ASH_OK);
    add_floor(w);
    ash_body ball = add_ball(w, 0.1, 1000, v3(0, 0, 0.1), v3(1, 0, 0));
    assert_int_equal(ash_body_set_angular_velocity(w, ball, v3(0, 10, 0)), ASH_OK);
    take_steps(w, 0.002, 250);
    assert_near(ash_body_get_velocity(w, ball).x, 1 - 5.0 / 7 * G * 0.05 * 0.5, 0.02);
    ash_world_destroy(w);
}

/* Rods on ball joints swing down and hit the floor. */
static void joints_hold(void **state)
{
    (void)state;
    ash_world *w = make(v3(0, 0, -G), 0.5, 0);
    add_floor(w);
    ash_body last = ash_world_get_background(w);
    for (int i = 0; i < 6; i++) {
        ash_geometry_def rod = ash_default_geometry_def(ASH_GEOMETRY_BOX);
        rod.half_extents = v3(0.2, 0.05, 0.05);
        ash_body body = add_shape(w, &rod, ASH_BODY_DYNAMIC, 1000, v3(0.2 + 0.4 * i, 0, 1.5), v3(0, 0, 0));
        ash_joint_def def = ash_default_joint_def(ASH_JOINT_BALL);
        ash_joint joint;
        def.body_a = last;
        def.body_b = body;
        def.frame_a.position = i > 0 ? v3(0.2, 0, 0) : v3(0, 0, 1.5);
        def.frame_b.position = v3(-0.2, 0, 0);
        assert_int_equal(ash_joint_create(w, &def, &joint, NULL), ASH_OK);
        last = body;
    }
    double worst = 0, energy = ash_world_get_ledger(w).total, most = energy;
    for (int i = 0; i < 300; i++) {
        take_steps(w, 0.01, 1);
        worst = fmax(worst, ash_world_get_report(w).joint_error);
        most = fmax(most, ash_world_get_ledger(w).total);
    }
    assert_below(worst, 1e-5);
    assert_below(most, energy * 1.02);
    assert_below(ash_body_get_centre(w, last).z, 0.3); /* it has come down */
    ash_world_destroy(w);
}

/* Whichever allocation of a step fails, velocities that collisions have changed are as before. */
static void a_failed_step_changes_nothing(void **state)
{
    (void)state;
    uint32_t failures = 0;
    for (uint64_t k = 1; k < 200; k++) {
        ash_world *w = make_heap(method_name, 1);
        take_steps(w, 0.01, 4);      /* some have hit the floor, others are about to */
        for (int i = 0; i < 12; i++) /* more to collide than there was memory for */
            add_box(w, 0.25, v3(0.3 * i, 2, 0.252), v3(0, 0, -3));
        uint64_t before = ash_world_get_hash(w);
        ashi_alloc_fail_at(k, false);
        ash_status status = ash_world_step(w, 0.01);
        ashi_alloc_fail_at(0, false);
        bool failed = status != ASH_OK;
        if (failed && ash_world_get_hash(w) != before)
            fail_msg("allocation %llu left something", (unsigned long long)k);
        failures += failed;
        take_steps(w, 0.01, 2);
        ash_world_destroy(w);
        if (!failed)
            break;
    }
    assert_true(failures > 10);
}

static void an_overflow_restores_velocities(void **state)
{
    (void)state;
    ash_world *w = make(v3(0, 0, -G), 0.5, 1);
    add_floor(w);
    add_ball(w, 0.5, 1000, v3(0, 0, 0.51), v3(0, 0, -3));
    add_ball(w, 0.5, 1000, v3(5, 0, 3), v3(1e200, 0, 0));
    uint64_t before = ash_world_get_hash(w);
    assert_int_equal(ash_world_step(w, 0.01), ASH_NUMERICS);
    assert_true(ash_world_get_hash(w) == before);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_drops_and_rests),
        cmocka_unit_test(what_rests_does_not_bounce),
        cmocka_unit_test(an_elastic_ball_comes_back),
        cmocka_unit_test(an_elastic_collision_conserves),
        cmocka_unit_test(angular_momentum_is_kept),
        cmocka_unit_test(friction_sticks_and_slides),
        cmocka_unit_test(a_stack_stands),
        cmocka_unit_test(shock_propagation_bears_what_contact_does_not),
        cmocka_unit_test(layers_are_stopped_gradually),
        cmocka_unit_test(overlap_stays),
        cmocka_unit_test(fast_bodies_are_held),
        cmocka_unit_test(surfaces_move_and_resist),
        cmocka_unit_test(joints_hold),
        cmocka_unit_test(a_failed_step_changes_nothing),
        cmocka_unit_test(an_overflow_restores_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
