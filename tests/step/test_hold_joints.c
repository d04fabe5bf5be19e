/* Joints that hold within steps: errors by stabilization, reactions against statics, momentum, redundant and
 * contradictory mechanisms, sleeping, breaking, snapshots, threads, memory, and figures that stand. */
#include "step/piles.h"

#include "joints.h"

#include <math.h>
#include <string.h>

#define G 9.81

/* ---- worlds ---- */

static ash_world *world_with(const char *method, const char *const *fields, ash_vec3 gravity, uint32_t threads)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(method, &def.method, NULL), ASH_OK);
    for (; fields != NULL && fields[0] != NULL; fields += 2)
        assert_int_equal(ash_method_set(&def.method, fields[0], fields[1], NULL), ASH_OK);
    def.gravity = gravity;
    def.threads = threads;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    return world;
}

static ash_body solid(ash_world *world, double mass, ash_vec3 half, ash_vec3 position)
{
    double third = mass / 3;
    ash_vec3 s = v3_mul(half, half);
    return make_rotor(world, mass, v3(third * (s.y + s.z), third * (s.x + s.z), third * (s.x + s.y)), position,
                      v3(0, 0, 0));
}

static ash_joint join(ash_world *world, ash_joint_kind kind, ash_body a, ash_body b, ash_vec3 point, ash_vec3 axis)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.body_a = a;
    def.body_b = b;
    assert_int_equal(ash_joint_def_place(world, &def, point, axis), ASH_OK);
    return make_joint(world, &def);
}

static void take(ash_world *world, double h, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        if (ash_world_step(world, h) != ASH_OK)
            fail_msg("%s, step %u: %s", ash_world_get_method(world).name, (unsigned)i,
                     ash_world_get_last_diagnostic(world).message);
}

/* The largest error of any joint in some steps. */
static double worst_error(ash_world *world, double h, uint32_t steps)
{
    double worst = 0;
    for (uint32_t i = 0; i < steps; i++) {
        take(world, h, 1);
        worst = fmax(worst, fmax(ash_world_get_report(world).joint_error, ash_world_get_report(world).joint_angle));
    }
    return worst;
}

static const ash_body nobody = {0};

/* `count` links of 1 kg and 1 m with balls between, hanging or lying along x, and `end` kg below the last. */
static ash_body add_chain(ash_world *world, uint32_t count, double end, bool lies, ash_joint *joints)
{
    ash_body last = nobody;
    for (uint32_t i = 0; i <= count; i++) {
        ash_vec3 along = lies ? v3(1, 0, 0) : v3(0, 0, -1), half = lies ? v3(0.5, 0.1, 0.1) : v3(0.1, 0.1, 0.5);
        ash_body link =
            solid(world, i < count ? 1 : end, i < count ? half : v3(0.5, 0.5, 0.5), v3_scale(along, 0.5 + i));
        joints[i] = join(world, ASH_JOINT_BALL, last, link, v3_scale(along, i), v3(1, 0, 0));
        last = link;
    }
    return last;
}

/* ---- errors ---- */

/* de Jong's pendulum: a point mass on a rod of 1 m, from the horizontal, h = 0.1. */
static double pendulum_error(const char *stabilization)
{
    const char *const fields[] = {"stabilization", stabilization, "erp", "0.2", "iterations", "100", NULL};
    ash_world *w = world_with("dejong-2014", fields, v3(0, 0, -G), 1);
    ash_body bob = make_point(w, 1, v3(1, 0, 0), v3(0, 0, 0));
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_DISTANCE);
    def.body_b = bob;
    def.length = 1;
    make_joint(w, &def);
    double worst = worst_error(w, 0.1, 100);
    ash_world_destroy(w);
    return worst;
}

static void stabilization_orders_the_errors(void **state)
{
    (void)state;
    double none = pendulum_error("none"), baumgarte = pendulum_error("baumgarte"), post = pendulum_error("post");
    if (!(none > baumgarte && baumgarte > 2 * post))
        fail_msg("none %g, baumgarte %g, post %g", none, baumgarte, post);
    assert_true(post < 1e-3);
}

static void real_time_holds_heavy_chains(void **state)
{
    (void)state;
    for (int lies = 0; lies < 2; lies++) {
        ash_world *w = world_with("realtime", NULL, v3(0, 0, -G), 1);
        ash_joint joints[11];
        ash_body end = add_chain(w, 10, 1000, lies, joints);
        double worst = worst_error(w, 1.0 / 60, some(600));
        if (!(worst < 1e-4))
            fail_msg("error %g m", worst);
        if (lies) /* and it swings: at the bottom within two seconds, then up again */
            assert_true(v3_norm(ash_body_get_centre(w, end)) > 5);
        ash_world_destroy(w);
    }
}

/* A binary tree of bodies that is thrown about. */
static void real_time_holds_a_tree(void **state)
{
    (void)state;
    enum { BODIES = 127 };
    ash_world *w = world_with("realtime", NULL, v3(0, 0, -G), 1);
    ash_body bodies[BODIES];
    ash_vec3 ends[BODIES];
    for (int i = 0; i < BODIES; i++) {
        int parent = (i - 1) / 2, level = 0;
        for (int k = i; k > 0; k = (k - 1) / 2)
            level++;
        double length = 2 * pow(0.7, level);
        ash_vec3 top = i == 0 ? v3(0, 0, 0) : ends[parent];
        bodies[i] = solid(w, length, v3(0.05, 0.05, length / 2), v3_add(top, v3(0, 0, -length / 2)));
        ends[i] = v3_add(top, v3(0, 0, -length));
        join(w, ASH_JOINT_BALL, i == 0 ? nobody : bodies[parent], bodies[i], top, v3(1, 0, 0));
    }
    double worst = 0;
    for (uint32_t i = 0; i < some(200); i++) {
        if (i < 15)
            assert_int_equal(ash_body_apply_torque(w, bodies[0], v3(60, 40, 0)), ASH_OK);
        worst = fmax(worst, worst_error(w, 1.0 / 30, 1));
    }
    if (!(worst < 1e-4))
        fail_msg("error %g m", worst);
    ash_world_destroy(w);
}

/* ---- reactions ---- */

static const char *const exact_methods[] = {"realtime", "engineering"};

static void chains_bear_their_weight(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *w = world_with(exact_methods[m], NULL, v3(0, 0, -G), 1);
        ash_joint joints[6];
        add_chain(w, 5, 20, false, joints);
        take(w, 0.01, 20);
        for (int i = 0; i < 6; i++) {
            ash_joint_reaction r = ash_joint_get_reaction(w, joints[i], ASH_FRAME_WORLD);
            double weight = (25 - i) * G;
            if (!(v3_distance(r.force, v3(0, 0, weight)) < 1e-6 * weight) || !(v3_norm(r.torque) < 1e-6))
                fail_msg("%s, joint %d: %g of %g N, torque %g", exact_methods[m], i, r.force.z, weight,
                         v3_norm(r.torque));
            assert_false(r.indeterminate);
        }
        ash_world_destroy(w);
    }
}

/* Boxes of 2 kg and 1 m, welded end to end and to the wall: force and bending moment of each weld. */
static void a_cantilever_bears_its_moment(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *w = world_with(exact_methods[m], NULL, v3(0, 0, -G), 1);
        ash_joint welds[3];
        ash_body last = nobody;
        for (int i = 0; i < 3; i++) {
            ash_body box = solid(w, 2, v3(0.5, 0.1, 0.1), v3(0.5 + i, 0, 0));
            welds[i] = join(w, ASH_JOINT_FIXED, last, box, v3(i, 0, 0), v3(1, 0, 0));
            last = box;
        }
        take(w, 0.01, 20);
        for (int i = 0; i < 3; i++) {
            double length = 3 - i, force = 2 * length * G, moment = force * length / 2;
            ash_joint_reaction r = ash_joint_get_reaction(w, welds[i], ASH_FRAME_WORLD);
            if (!(v3_distance(r.force, v3(0, 0, force)) < 1e-6 * force) ||
                !(v3_distance(r.torque, v3(0, -moment, 0)) < 1e-6 * moment))
                fail_msg("%s, weld %d: force %g of %g, moment %g of %g", exact_methods[m], i, r.force.z, force,
                         r.torque.y, moment);
        }
        ash_world_destroy(w);
    }
}

/* A door of 20 kg, 1 m wide, on `count` hinges: together they carry it, whatever each does. */
static void check_door(const char *method, uint32_t count)
{
    ash_world *w = world_with(method, NULL, v3(0, 0, -G), 1);
    ash_body door = solid(w, 20, v3(0.5, 0.02, 1), v3(0.5, 0, 0));
    ash_joint hinges[3];
    for (uint32_t i = 0; i < count; i++)
        hinges[i] = join(w, ASH_JOINT_HINGE, nobody, door, v3(0, 0, 0.8 - 0.8 * i), v3(0, 0, 1));
    take(w, 0.01, 50);
    ash_vec3 force = {0, 0, 0}, moment = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        ash_joint_reaction r = ash_joint_get_reaction(w, hinges[i], ASH_FRAME_WORLD);
        assert_true(v3_is_finite(r.force) && v3_is_finite(r.torque));
        assert_true(r.indeterminate == (count > 1));
        force = v3_add(force, r.force);
        moment = v3_add(moment, v3_add(r.torque, v3_cross(v3(0, 0, 0.8 - 0.8 * i), r.force)));
    }
    if (!(v3_distance(force, v3(0, 0, 20 * G)) < 1e-5 * 20 * G) || !(fabs(moment.y + 10 * G) < 1e-4 * 10 * G))
        fail_msg("%s, %u hinges: force (%g, %g, %g), moment (%g, %g, %g)", method, (unsigned)count, force.x, force.y,
                 force.z, moment.x, moment.y, moment.z);
    assert_true(ash_world_get_report(w).joint_error < 1e-6);
    ash_mobility mobility;
    assert_int_equal(ash_world_get_mobility(w, &mobility), ASH_OK);
    assert_int_equal(mobility.rows, 5 * count);
    assert_int_equal(mobility.rank, 5);
    assert_int_equal(mobility.freedoms, 1);
    assert_int_equal(mobility.redundant_joints, count > 1 ? count : 0);
    ash_joint redundant[3];
    assert_int_equal(ash_world_get_redundant_joints(w, redundant, 3), count > 1 ? count : 0);
    ash_world_destroy(w);
}

static void doors_hang_on_any_number_of_hinges(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++)
        for (uint32_t count = 1; count <= 3; count++)
            check_door(exact_methods[m], count);
}

/* A table top on four parallel links, one more than a parallelogram needs: it swings on. */
static void parallelograms_may_have_a_link_too_many(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *w = world_with(exact_methods[m], NULL, v3(0, 0, -G), 1);
        ash_body top = solid(w, 5, v3(1, 0.1, 0.1), v3(0.6, 0, 0.8));
        for (int i = 0; i < 3; i++) {
            double x = i - 1;
            ash_body link = solid(w, 1, v3(0.05, 0.05, 0.5), v3(x + 0.3, 0, 0.4));
            join(w, ASH_JOINT_HINGE, nobody, link, v3(x, 0, 0), v3(0, 1, 0));
            join(w, ASH_JOINT_HINGE, link, top, v3(x + 0.6, 0, 0.8), v3(0, 1, 0));
        }
        ash_mobility mobility;
        assert_int_equal(ash_world_get_mobility(w, &mobility), ASH_OK);
        assert_int_equal(mobility.freedoms, 1);
        assert_true(mobility.redundant > 0);
        double worst = worst_error(w, 0.005, some(400));
        if (!(worst < 1e-4))
            fail_msg("%s: error %g", exact_methods[m], worst);
        assert_true(v3_norm(ash_body_get_velocity(w, top)) > 1e-3);
        ash_world_destroy(w);
    }
}

/* ---- conservation ---- */

static void momentum_is_kept_by_joints(void **state)
{
    (void)state;
    static const char *const methods[] = {"realtime", "engineering", "gribel-2009", "dejong-2014"};
    for (int m = 0; m < 4; m++) {
        ash_world *w = world_with(methods[m], NULL, v3(0, 0, 0), 1);
        ash_body bodies[4];
        for (int i = 0; i < 4; i++) {
            bodies[i] = solid(w, 1 + i, v3(0.5, 0.1, 0.2), v3(0.5 + i, 0, 0));
            if (i > 0)
                join(w, i % 2 == 0 ? ASH_JOINT_BALL : ASH_JOINT_HINGE, bodies[i - 1], bodies[i], v3(i, 0, 0),
                     v3(0, 1, 0));
        }
        assert_int_equal(ash_body_set_velocity(w, bodies[3], v3(1, 2, 3)), ASH_OK);
        assert_int_equal(ash_body_set_angular_velocity(w, bodies[0], v3(0.5, -1, 2)), ASH_OK);
        ash_vec3 p = ash_world_get_momentum(w), l = ash_world_get_angular_momentum(w);
        take(w, 0.005, 200);
        double off = v3_distance(ash_world_get_momentum(w), p),
               spin = v3_distance(ash_world_get_angular_momentum(w), l);
        /* Positions that are projected, or moved by velocities of another instant, keep it to their order only. */
        if (!(off < 1e-11 * v3_norm(p)) || !(spin < 0.02 * v3_norm(l)))
            fail_msg("%s: momentum off by %g of %g, angular momentum by %g of %g", methods[m], off, v3_norm(p), spin,
                     v3_norm(l));
        ash_world_destroy(w);
    }
}

/* ---- trouble ---- */

/* Two rods of 1 m between points that are 3 m apart, beside joints that have nothing to do. */
static void contradictions_do_no_harm(void **state)
{
    (void)state;
    for (int m = 0; m < PILE_METHODS; m++) {
        ash_world *w = world_with(pile_methods[m], NULL, v3(0, 0, -G), 1);
        ash_body body = solid(w, 1, v3(0.1, 0.1, 0.1), v3(0, 0, 0));
        ash_body wall = make_body(w, &(ash_body_def){.type = ASH_BODY_STATIC, .rotation = {1, 0, 0, 0}});
        ash_body_def locked = ash_default_body_def();
        locked.mass = 1;
        locked.inertia = (ash_sym3){1, 1, 1, 0, 0, 0};
        locked.locks = 63;
        ash_body stone = make_body(w, &locked);
        ash_joint_def rod = ash_default_joint_def(ASH_JOINT_DISTANCE);
        rod.body_b = body;
        rod.length = 1;
        rod.frame_a.position = v3(-1.5, 0, 0);
        make_joint(w, &rod);
        rod.frame_a.position = v3(1.5, 0, 0);
        make_joint(w, &rod);
        join(w, ASH_JOINT_FIXED, nobody, wall, v3(0, 0, 0), v3(1, 0, 0));
        join(w, ASH_JOINT_BALL, wall, stone, v3(1, 0, 0), v3(1, 0, 0));
        join(w, ASH_JOINT_HINGE, stone, body, v3(0.1, 0, 0), v3(1, 0, 0));
        take(w, 0.01, 10 + TRIALS(90)); /* each is iterated on until its limit */
        assert_true(v3_is_finite(ash_body_get_centre(w, body)));
        assert_true(ash_world_get_report(w).joint_error > 0.4);
        assert_true(v3_norm(ash_body_get_centre(w, stone)) == 0);
        ash_world_destroy(w);
    }
}

/* ---- what is kept from step to step ---- */

/* A figure: a trunk on four legs, welded, with a turning arm on it. */
static ash_body add_figure(ash_world *world, ash_vec3 at, ash_joint *motor)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(0.5, 0.3, 0.1);
    ash_body trunk = add_shape(world, &box, ASH_BODY_DYNAMIC, 200, v3_add(at, v3(0, 0, 0.7)), v3(0, 0, 0));
    box.half_extents = v3(0.05, 0.05, 0.3);
    for (int i = 0; i < 4; i++) {
        ash_vec3 place = v3_add(at, v3(i % 2 ? 0.4 : -0.4, i / 2 ? 0.2 : -0.2, 0.3));
        ash_body leg = add_shape(world, &box, ASH_BODY_DYNAMIC, 500, place, v3(0, 0, 0));
        join(world, ASH_JOINT_FIXED, trunk, leg, v3_add(place, v3(0, 0, 0.3)), v3(1, 0, 0));
    }
    box.half_extents = v3(0.3, 0.05, 0.05);
    ash_body arm = add_shape(world, &box, ASH_BODY_DYNAMIC, 200, v3_add(at, v3(0, 0, 0.9)), v3(0, 0, 0));
    *motor = join(world, ASH_JOINT_HINGE, trunk, arm, v3_add(at, v3(0, 0, 0.85)), v3(0, 0, 1));
    return trunk;
}

static void figures_stand_by_every_method(void **state)
{
    (void)state;
    for (int m = 0; m < PILE_METHODS; m++) {
        bool penalty = strcmp(pile_methods[m], "penalty") == 0;
        bool sweeps = strcmp(pile_methods[m], "gribel-2009") == 0 || strcmp(pile_methods[m], "dejong-2014") == 0;
        const char *const fields[] = {"iterations", "200", NULL};
        ash_world *w = world_with(pile_methods[m], sweeps ? fields : NULL, v3(0, 0, -G), 1);
        set_surface(w, 0.6, 0);
        add_floor(w);
        ash_joint motor;
        ash_body trunk = add_figure(w, v3(0, 0, 0), &motor);
        double h = penalty ? 0.0005 : 0.01;
        take(w, h, some((uint32_t)(1 / h)));
        ash_vec3 place = ash_body_get_centre(w, trunk);
        double limit = penalty ? 0.02 : 0.005;
        if (!(fabs(place.z - 0.7) < limit && fabs(place.x) < limit && fabs(place.y) < limit))
            fail_msg("%s: the trunk is at (%g, %g, %g)", pile_methods[m], place.x, place.y, place.z);
        if (!(ash_world_get_report(w).joint_error < limit))
            fail_msg("%s: joint error %g", pile_methods[m], ash_world_get_report(w).joint_error);
        ash_world_destroy(w);
    }
}

static void sleepers_wake_through_joints(void **state)
{
    (void)state;
    ash_world *w = world_with("realtime", NULL, v3(0, 0, -G), 1);
    set_surface(w, 0.6, 0);
    add_floor(w);
    ash_joint motor;
    ash_body trunk = add_figure(w, v3(0, 0, 0), &motor);
    take(w, 0.01, 200);
    assert_false(ash_body_is_awake(w, trunk));
    assert_int_equal(ash_world_get_report(w).sleeping, 6);
    /* A motor wakes all, and keeps them awake while it turns. */
    assert_int_equal(ash_joint_set_motor(w, motor, ASH_TURN_X, ASH_DRIVE_VELOCITY, 0.02, 100), ASH_OK);
    assert_true(ash_body_is_awake(w, trunk));
    take(w, 0.01, 200);
    assert_true(ash_body_is_awake(w, trunk));
    assert_true(fabs(ash_joint_get_position(w, motor, ASH_TURN_X) - 0.04) < 2e-3);
    assert_int_equal(ash_joint_set_motor(w, motor, ASH_TURN_X, ASH_DRIVE_OFF, 0, 0), ASH_OK);
    take(w, 0.01, 200);
    assert_false(ash_body_is_awake(w, trunk));
    ash_world_destroy(w);
}

static void joints_break_once(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *w = world_with(exact_methods[m], NULL, v3(0, 0, -G), 1);
        ash_body body = solid(w, 10, v3(0.1, 0.1, 0.1), v3(0, 0, -0.5));
        ash_joint_def def = ash_default_joint_def(ASH_JOINT_BALL);
        def.body_b = body;
        def.break_force = 150;
        assert_int_equal(ash_joint_def_place(w, &def, v3(0, 0, 0), v3(1, 0, 0)), ASH_OK);
        ash_joint joint = make_joint(w, &def);
        take(w, 0.01, 20);
        assert_int_equal(ash_world_get_joint_events(w, NULL, 0), 0);
        ash_joint_event event;
        assert_int_equal(ash_body_apply_force_to_centre(w, body, v3(0, 0, -60)), ASH_OK);
        take(w, 0.01, 1);
        assert_int_equal(ash_world_get_joint_events(w, &event, 1), 1);
        assert_true(event.joint.id == joint.id && fabs(event.force - (10 * G + 60)) < 0.5);
        assert_true(ash_joint_is_broken(w, joint) && !ash_joint_get_enabled(w, joint));
        take(w, 0.01, 20);
        assert_int_equal(ash_world_get_joint_events(w, NULL, 0), 0);
        assert_true(ash_body_get_velocity(w, body).z < -1.5);
        ash_world_destroy(w);
    }
}

/* Everything that joints keep: motors, servos, limits, springs, friction, a swinging chain on a figure. */
static ash_world *make_joined(const char *method, uint32_t threads)
{
    ash_world *w = world_with(method, NULL, v3(0, 0, -G), threads);
    set_surface(w, 0.6, 0.2);
    add_floor(w);
    for (int i = 0; i < 4; i++) {
        ash_joint motor;
        add_figure(w, v3(2 * i, 0, 0.02), &motor);
        ash_joint_axis axis = ash_joint_get_axis(w, motor, ASH_TURN_X);
        axis.friction = 0.5;
        axis.lower = -2;
        axis.upper = 1.5;
        axis.motor.drive = i % 2 ? ASH_DRIVE_SERVO : ASH_DRIVE_VELOCITY;
        axis.motor.target = 1;
        axis.motor.max_force = 200;
        axis.motor.proportional = 50;
        axis.motor.integral = 20;
        axis.motor.derivative = 5;
        assert_int_equal(ash_joint_set_axis(w, motor, ASH_TURN_X, &axis), ASH_OK);
    }
    ash_joint joints[4];
    ash_body end = add_chain(w, 3, 5, true, joints);
    ash_joint_axis spring = ash_joint_get_axis(w, joints[2], ASH_TURN_Y);
    spring.stiffness = 20;
    spring.damping = 1;
    assert_int_equal(ash_joint_set_axis(w, joints[2], ASH_TURN_Y, &spring), ASH_OK);
    assert_int_equal(ash_body_set_transform(w, end, ash_body_get_transform(w, end)), ASH_OK);
    return w;
}

static void snapshots_go_on_bit_by_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"realtime", "engineering", "dejong-2014"};
    for (int m = 0; m < 3; m++) {
        ash_world *w = make_joined(methods[m], 1), *other = world_with("realtime", NULL, v3(0, 0, 0), 1);
        void *bytes;
        size_t size;
        take(w, 0.01, 15 + TRIALS(45));
        assert_int_equal(ash_world_save(w, &bytes, &size, NULL), ASH_OK);
        ash_diagnostic diagnostic = {0};
        if (ash_world_restore(other, bytes, size, &diagnostic) != ASH_OK)
            fail_msg("%s", diagnostic.message);
        ash_free(bytes);
        for (uint32_t i = 0; i < 10 + TRIALS(30); i++) {
            take(w, 0.01, 1);
            take(other, 0.01, 1);
            if (ash_world_get_hash(w) != ash_world_get_hash(other))
                fail_msg("%s: the restored world differs after %u steps", methods[m], (unsigned)i + 1);
        }
        ash_world_destroy(w);
        ash_world_destroy(other);
    }
}

static void warm_steps_take_no_memory(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *w = make_joined(exact_methods[m], 1);
        take(w, 0.01, some(60));
        uint64_t before = ash_memory_used().allocations;
        take(w, 0.01, 20);
        if (ash_memory_used().allocations != before)
            fail_msg("%s: %u allocations", exact_methods[m], (unsigned)(ash_memory_used().allocations - before));
        ash_world_destroy(w);
    }
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *one = make_joined(exact_methods[m], 1), *three = make_joined(exact_methods[m], 3);
        take(one, 0.01, 15 + TRIALS(45));
        take(three, 0.01, 15 + TRIALS(45));
        assert_true(ash_world_get_hash(one) == ash_world_get_hash(three));
        ash_world_destroy(one);
        ash_world_destroy(three);
    }
}

/* ---- works ---- */

static void works_are_booked(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        ash_world *w = world_with(exact_methods[m], NULL, v3(0, 0, 0), 1);
        ash_body wheel = solid(w, 3, v3(0.5, 0.5, 0.1), v3(0, 0, 0));
        ash_joint hinge = join(w, ASH_JOINT_HINGE, nobody, wheel, v3(0, 0, 0), v3(0, 0, 1));
        assert_int_equal(ash_joint_set_motor(w, hinge, ASH_TURN_X, ASH_DRIVE_VELOCITY, 4, 2), ASH_OK);
        take(w, 0.01, 200);
        ash_ledger l = ash_world_get_ledger(w);
        double energy = 0.5 * 0.5 * 16; /* I = 3 / 3 (0.25 + 0.25) */
        if (!(fabs(l.kinetic - energy) < 1e-6) || !(fabs(l.motors - energy) < 1e-6) || !(fabs(l.joints) < 1e-9))
            fail_msg("%s: kinetic %g, motors %g, joints %g", exact_methods[m], l.kinetic, l.motors, l.joints);
        /* Friction takes it all again. */
        ash_joint_axis axis = ash_joint_get_axis(w, hinge, ASH_TURN_X);
        axis.motor.drive = ASH_DRIVE_OFF;
        axis.friction = 2;
        assert_int_equal(ash_joint_set_axis(w, hinge, ASH_TURN_X, &axis), ASH_OK);
        take(w, 0.01, 200);
        l = ash_world_get_ledger(w);
        if (!(l.kinetic < 1e-12) || !(fabs(l.friction + energy) < 1e-6))
            fail_msg("%s: kinetic %g, friction %g", exact_methods[m], l.kinetic, l.friction);
        ash_world_destroy(w);
    }
}

/* ---- assembly ---- */

/* A chain of every basic kind, its bodies thrown about by up to a metre, pulls itself together. */
static void parts_are_assembled(void **state)
{
    (void)state;
    static const ash_joint_kind kinds[] = {ASH_JOINT_BALL,        ASH_JOINT_HINGE,         ASH_JOINT_FIXED,
                                           ASH_JOINT_UNIVERSAL,   ASH_JOINT_SLIDER,        ASH_JOINT_CYLINDRICAL,
                                           ASH_JOINT_PLANAR,      ASH_JOINT_POINT_ON_LINE, ASH_JOINT_POINT_ON_PLANE,
                                           ASH_JOINT_COMMON_AXIS, ASH_JOINT_PARALLEL,      ASH_JOINT_FIXED_ANGLE};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    ashi_random random = {5};
    ash_world *w = world_with("realtime", NULL, v3(0, 0, 0), 1);
    ash_body bodies[40];
    for (int i = 0; i < 40; i++) {
        bodies[i] = solid(w, 1 + i % 3, v3(0.5, 0.2, 0.2), v3(0.5 + i, 0, 0));
        join(w, kinds[i % KINDS], i == 0 ? nobody : bodies[i - 1], bodies[i], v3(i, 0, 0), v3(0, 1, 0));
    }
    for (int i = 0; i < 40; i++) {
        ash_transform place = ash_body_get_transform(w, bodies[i]);
        place.position = v3_add(place.position, random_vector(&random, 0.5));
        place.rotation = q_mul(q_exp(random_vector(&random, 0.4)), place.rotation);
        assert_int_equal(ash_body_set_transform(w, bodies[i], place), ASH_OK);
        assert_int_equal(ash_body_set_velocity(w, bodies[i], random_vector(&random, 1)), ASH_OK);
    }
    ash_assembly_report report;
    ash_diagnostic diagnostic = {0};
    if (ash_world_assemble(w, 1e-8, &report, &diagnostic) != ASH_OK)
        fail_msg("%s (%u passes)", diagnostic.message, (unsigned)report.passes);
    assert_true(report.distance <= 1e-8 && report.angle <= 1e-8 && report.open_joints == 0);
    assert_true(report.moved > 0.1 && report.turned > 0.1 && report.passes < 60);
    /* Velocities agree with the joints, too: a step of nothing opens nothing. */
    take(w, 1e-6, 1);
    assert_true(ash_world_get_report(w).joint_error < 1e-7);
    ash_world_destroy(w);
}

static void what_cannot_close_is_named(void **state)
{
    (void)state;
    ash_world *w = world_with("realtime", NULL, v3(0, 0, 0), 1);
    ash_body body = solid(w, 1, v3(0.1, 0.1, 0.1), v3(0.2, 0.3, 0)), free = solid(w, 1, v3(0.1, 0.1, 0.1), v3(5, 0, 0));
    ash_joint_def rod = ash_default_joint_def(ASH_JOINT_DISTANCE);
    rod.body_b = body;
    rod.length = 1;
    rod.frame_a.position = v3(-1.5, 0, 0);
    rod.name = "left";
    make_joint(w, &rod);
    rod.frame_a.position = v3(1.5, 0, 0);
    rod.name = "right";
    make_joint(w, &rod);
    ash_joint_def ball = ash_default_joint_def(ASH_JOINT_BALL);
    ball.body_b = free;
    ball.frame_a.position = v3(4, 1, 0);
    ball.name = "fine";
    make_joint(w, &ball);
    ash_assembly_report report;
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ash_world_assemble(w, 1e-8, &report, &diagnostic), ASH_BAD_DATA);
    assert_int_equal(report.open_joints, 2);
    assert_non_null(strstr(diagnostic.message, "left, right"));
    assert_null(strstr(diagnostic.message, "fine"));
    /* Where the errors are least: in the middle. */
    if (!(fabs(report.distance - 0.5) < 1e-4))
        fail_msg("distance %g after %u passes", report.distance, (unsigned)report.passes);
    assert_int_equal(ash_world_assemble(w, -1, &report, &diagnostic), ASH_BAD_ARGUMENT);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stabilization_orders_the_errors),
        cmocka_unit_test(real_time_holds_heavy_chains),
        cmocka_unit_test(real_time_holds_a_tree),
        cmocka_unit_test(chains_bear_their_weight),
        cmocka_unit_test(a_cantilever_bears_its_moment),
        cmocka_unit_test(doors_hang_on_any_number_of_hinges),
        cmocka_unit_test(parallelograms_may_have_a_link_too_many),
        cmocka_unit_test(momentum_is_kept_by_joints),
        cmocka_unit_test(contradictions_do_no_harm),
        cmocka_unit_test(figures_stand_by_every_method),
        cmocka_unit_test(sleepers_wake_through_joints),
        cmocka_unit_test(joints_break_once),
        cmocka_unit_test(snapshots_go_on_bit_by_bit),
        cmocka_unit_test(warm_steps_take_no_memory),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(works_are_booked),
        cmocka_unit_test(parts_are_assembled),
        cmocka_unit_test(what_cannot_close_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
