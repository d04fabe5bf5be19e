/* Mechanisms in joint coordinates against the same in bodies' coordinates: energies, numerical derivatives along
 * motions, what joints measure, and simulations. The trees have every kind of joint that has coordinates, in both
 * directions. */
#include "worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

/* In [-1, 1], always the same sequence. */
static double chance(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

static ash_vec3 chance3(uint32_t *seed, double size)
{
    double x = chance(seed), y = chance(seed), z = chance(seed);
    return ash_vec3_make(size * x, size * y, size * z);
}

static ash_body random_body(ash_world *world, uint32_t *seed)
{
    ash_body_def def = ash_default_body_def();
    def.mass = 1 + 0.5 * chance(seed);
    double x = chance(seed), y = chance(seed), z = chance(seed);
    def.inertia = (ash_sym3){0.4 + 0.05 * x, 0.45 + 0.05 * y, 0.5 + 0.05 * z, 0.03 * y, 0.03 * z, 0.03 * x};
    def.centre = chance3(seed, 0.2);
    def.position = chance3(seed, 2);
    def.rotation = ash_rotation(chance3(seed, 1), 2 * chance(seed));
    def.gravity_scale = 1 + 0.5 * chance(seed);
    return make_body(world, &def);
}

/* Frames of any place on both bodies: the mechanism's state, not the bodies' poses, says where they are. */
static void random_joint(ash_world *world, ash_joint_kind kind, ash_body a, ash_body b, uint32_t *seed)
{
    ash_joint_def def = ash_default_joint_def(kind);
    def.body_a = a;
    def.body_b = b;
    def.frame_a = (ash_transform){chance3(seed, 0.5), ash_rotation(chance3(seed, 1), 3 * chance(seed))};
    def.frame_b = (ash_transform){chance3(seed, 0.5), ash_rotation(chance3(seed, 1), 3 * chance(seed))};
    def.pitch = 0.3;
    def.angle = 1.5707963267948966;
    def.removed = ASH_FREEDOM_BIT(ASH_MOVE_Y) | ASH_FREEDOM_BIT(ASH_TURN_X); /* of combinations */
    ash_diagnostic diagnostic = {0};
    if (ash_joint_create(world, &def, &(ash_joint){0}, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", ash_joint_kind_name(kind), diagnostic.message);
}

static const ash_joint_kind kinds[] = {
    ASH_JOINT_HINGE,  ASH_JOINT_BALL,          ASH_JOINT_SLIDER,      ASH_JOINT_UNIVERSAL,   ASH_JOINT_CYLINDRICAL,
    ASH_JOINT_PLANAR, ASH_JOINT_SCREW,         ASH_JOINT_SUSPENSION,  ASH_JOINT_FIXED,       ASH_JOINT_POINT_ON_LINE,
    ASH_JOINT_HINGE,  ASH_JOINT_COMMON_AXIS,   ASH_JOINT_COMBINATION, ASH_JOINT_FIXED_ANGLE, ASH_JOINT_PARALLEL,
    ASH_JOINT_BALL,   ASH_JOINT_POINT_ON_PLANE};
#define KINDS (sizeof kinds / sizeof *kinds)

/* A tree of a body for each kind, on the background or afloat, every other joint from child to parent. */
static ash_world *make_tree(bool floating, uint32_t *seed, ash_mechanism **mechanism, ash_body bodies[MOST])
{
    ash_world *world = make_world(ASH_RK4, ash_vec3_make(0.5, -1, -9.81), 1);
    bodies[0] = floating ? random_body(world, seed) : ash_world_get_background(world);
    for (uint32_t i = 0; i < KINDS; i++) {
        ash_body parent = bodies[i < 3 ? 0 : (uint32_t)(fabs(chance(seed)) * 0.999 * (i + 1))];
        bodies[i + 1] = random_body(world, seed);
        bool back = i % 2 == 1;
        random_joint(world, kinds[i], back ? bodies[i + 1] : parent, back ? parent : bodies[i + 1], seed);
    }
    ash_diagnostic diagnostic = {0};
    if (ash_mechanism_create(world, mechanism, &diagnostic) != ASH_OK)
        fail_msg("mechanism: %s", diagnostic.message);
    return world;
}

/* Moves the state by `rates` for a small time: quaternions turn about the axes of b. */
static void drift(const ash_mechanism *mechanism, double *positions, const double *rates, double time)
{
    ash_mechanism_coordinate list[MOST];
    uint32_t count = ash_mechanism_get_coordinates(mechanism, list, MOST);
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; i++) {
        double *at = positions + list[i].position;
        if (!list[i].quaternion) {
            *at += time * rates[i];
            continue;
        }
        ash_vec3 spin = ash_vec3_make(rates[i], rates[i + 1], rates[i + 2]);
        ash_quat q = {at[0], at[1], at[2], at[3]};
        q = ash_quat_multiply(q, ash_rotation(spin, ash_vec3_length(spin) * time));
        memcpy(at, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof *at);
        i += 2;
    }
}

static void random_state(ash_mechanism *mechanism, double *positions, double *rates, uint32_t *seed)
{
    ash_mechanism_size size = ash_mechanism_get_size(mechanism);
    assert_true(size.positions <= MOST && size.rates <= MOST);
    for (uint32_t i = 0; i < size.positions; i++)
        positions[i] = chance(seed);
    for (uint32_t i = 0; i < size.rates; i++)
        rates[i] = chance(seed);
    assert_int_equal(ash_mechanism_set_state(mechanism, positions, rates), ASH_OK);
    ash_mechanism_get_state(mechanism, positions, rates); /* quaternions are unit now */
}

/* v . M v / 2 is the kinetic energy of the bodies where the state puts them, joints are closed there, and read back. */
static void mass_matrix_is_that_of_the_bodies(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int trial = 0; trial < 20; trial++) {
        ash_mechanism *mechanism;
        ash_body bodies[MOST];
        ash_world *world = make_tree(trial % 2 == 0, &seed, &mechanism, bodies);
        double positions[MOST], rates[MOST], matrix[MOST * MOST], back[MOST], back_rates[MOST];
        ash_mechanism_size size = ash_mechanism_get_size(mechanism);
        assert_int_equal(size.loops, 0);
        random_state(mechanism, positions, rates, &seed);
        assert_int_equal(ash_mechanism_get_mass_matrix(mechanism, matrix), ASH_OK);
        assert_int_equal(ash_mechanism_apply(mechanism), ASH_OK);
        double energy = 0, expected = 0;
        for (uint32_t i = 0; i < size.rates; i++)
            for (uint32_t j = 0; j < size.rates; j++)
                energy += 0.5 * rates[i] * matrix[i * size.rates + j] * rates[j];
        for (uint32_t i = trial % 2; i <= KINDS; i++)
            expected += ash_body_get_kinetic_energy(world, bodies[i]);
        assert_near(energy, expected, 1e-12 * expected);
        ash_joint joints[MOST];
        uint32_t count = ash_world_get_joints(world, joints, MOST);
        for (uint32_t i = 0; i < count; i++) {
            ash_joint_error error = ash_joint_get_error(world, joints[i]);
            assert_true(error.distance < 1e-12 && error.angle < 1e-7); /* an angle by its cosine */
        }
        assert_int_equal(ash_mechanism_look(mechanism), ASH_OK);
        ash_mechanism_get_state(mechanism, back, back_rates);
        ash_mechanism_coordinate list[MOST];
        ash_mechanism_get_coordinates(mechanism, list, MOST);
        for (uint32_t i = 0; i < size.rates; i++) {
            assert_near(back_rates[i], rates[i], 1e-11);
            if (!list[i].quaternion)
                assert_near(back[list[i].position], positions[list[i].position], 1e-11);
        }
        ash_mechanism_destroy(mechanism);
        ash_world_destroy(world);
    }
}

/* d'Alembert: the forces are the bodies' inertia and weight on the motion of each rate. Accelerations of bodies are
 * differences of their velocities a little before and after, along a motion with the accelerations given. */
static void inverse_dynamics_are_those_of_the_bodies(void **state)
{
    (void)state;
    uint32_t seed = 11;
    const double little = 1e-5;
    for (int trial = 0; trial < 10; trial++) {
        ash_mechanism *mechanism;
        ash_body bodies[MOST];
        ash_world *world = make_tree(trial % 2 == 0, &seed, &mechanism, bodies);
        double positions[MOST], rates[MOST], accelerations[MOST], forces[MOST], expected[MOST] = {0};
        ash_mechanism_size size = ash_mechanism_get_size(mechanism);
        random_state(mechanism, positions, rates, &seed);
        for (uint32_t i = 0; i < size.rates; i++)
            accelerations[i] = chance(&seed);
        assert_int_equal(ash_mechanism_inverse_dynamics(mechanism, accelerations, forces), ASH_OK);
        ash_vec3 momentum[2][MOST], spin[2][MOST];
        for (int side = 0; side < 2; side++) {
            double t = side == 0 ? -little : little, moved[MOST], moved_rates[MOST], mean[MOST];
            memcpy(moved, positions, sizeof moved);
            for (uint32_t i = 0; i < size.rates; i++) {
                moved_rates[i] = rates[i] + t * accelerations[i];
                mean[i] = rates[i] + 0.5 * t * accelerations[i];
            }
            drift(mechanism, moved, mean, t);
            assert_int_equal(ash_mechanism_set_state(mechanism, moved, moved_rates), ASH_OK);
            assert_int_equal(ash_mechanism_apply(mechanism), ASH_OK);
            for (uint32_t i = trial % 2; i <= KINDS; i++) {
                momentum[side][i] = ash_body_get_momentum(world, bodies[i]);
                spin[side][i] = ash_body_get_angular_momentum(world, bodies[i]);
            }
        }
        ash_mechanism_set_state(mechanism, positions, rates);
        ash_mechanism_apply(mechanism);
        double largest = 0;
        for (uint32_t i = trial % 2; i <= KINDS; i++) {
            double jacobian[6 * MOST], mass = ash_body_get_mass(world, bodies[i]).mass;
            ash_vec3 weight =
                ash_vec3_scale(ash_world_get_gravity(world), mass * ash_body_get_gravity_scale(world, bodies[i]));
            ash_vec3 force = ash_vec3_subtract(
                ash_vec3_scale(ash_vec3_subtract(momentum[1][i], momentum[0][i]), 0.5 / little), weight);
            ash_vec3 torque = ash_vec3_scale(ash_vec3_subtract(spin[1][i], spin[0][i]), 0.5 / little);
            ash_vec3 centre = ash_body_get_centre(world, bodies[i]);
            assert_int_equal(ash_mechanism_get_jacobian(mechanism, bodies[i], centre, jacobian), ASH_OK);
            double wrench[] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
            for (uint32_t row = 0; row < 6; row++)
                for (uint32_t k = 0; k < size.rates; k++)
                    expected[k] += jacobian[row * size.rates + k] * wrench[row];
        }
        for (uint32_t k = 0; k < size.rates; k++)
            largest = fmax(largest, fabs(expected[k]));
        for (uint32_t k = 0; k < size.rates; k++) /* differences of second order, and rounding over `little` */
            assert_near(forces[k], expected[k], 1e-7 * largest);
        ash_mechanism_destroy(mechanism);
        ash_world_destroy(world);
    }
}

static void jacobian_is_the_points_velocity(void **state)
{
    (void)state;
    uint32_t seed = 3;
    ash_mechanism *mechanism;
    ash_body bodies[MOST];
    ash_world *world = make_tree(true, &seed, &mechanism, bodies);
    double positions[MOST], rates[MOST], jacobian[6 * MOST];
    random_state(mechanism, positions, rates, &seed);
    ash_mechanism_apply(mechanism);
    uint32_t n = ash_mechanism_get_size(mechanism).rates;
    for (uint32_t i = 0; i <= KINDS; i++) {
        ash_vec3 point = chance3(&seed, 3), v = ash_body_get_point_velocity(world, bodies[i], point);
        ash_vec3 w = ash_body_get_angular_velocity(world, bodies[i]);
        double expected[] = {v.x, v.y, v.z, w.x, w.y, w.z};
        assert_int_equal(ash_mechanism_get_jacobian(mechanism, bodies[i], point, jacobian), ASH_OK);
        for (int row = 0; row < 6; row++) {
            double sum = 0;
            for (uint32_t k = 0; k < n; k++)
                sum += jacobian[row * n + k] * rates[k];
            assert_near(sum, expected[row], 1e-12 * (1 + fabs(expected[row])));
        }
        ash_transform pose = ash_mechanism_get_transform(mechanism, bodies[i]);
        ash_transform applied = ash_body_get_transform(world, bodies[i]);
        assert_true(ash_vec3_length(ash_vec3_subtract(pose.position, applied.position)) < 1e-12);
    }
    ash_mechanism_destroy(mechanism);
    ash_world_destroy(world);
}

/* Three ways to one answer: M a + bias, recursive Newton-Euler, and articulated bodies backwards. */
static void the_three_algorithms_agree(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int trial = 0; trial < 10; trial++) {
        ash_mechanism *mechanism;
        ash_body bodies[MOST];
        ash_world *world = make_tree(trial % 2 == 0, &seed, &mechanism, bodies);
        double positions[MOST], rates[MOST], a[MOST], back[MOST], forces[MOST], bias[MOST], matrix[MOST * MOST];
        uint32_t n = ash_mechanism_get_size(mechanism).rates;
        random_state(mechanism, positions, rates, &seed);
        for (uint32_t i = 0; i < n; i++)
            a[i] = chance(&seed);
        ash_mechanism_get_mass_matrix(mechanism, matrix);
        ash_mechanism_get_bias(mechanism, bias);
        ash_mechanism_inverse_dynamics(mechanism, a, forces);
        assert_int_equal(ash_mechanism_forward_dynamics(mechanism, forces, back), ASH_OK);
        double largest = 1;
        for (uint32_t i = 0; i < n; i++)
            largest = fmax(largest, fabs(forces[i]));
        for (uint32_t i = 0; i < n; i++) {
            double sum = bias[i];
            for (uint32_t j = 0; j < n; j++) {
                sum += matrix[i * n + j] * a[j];
                assert_true(matrix[i * n + j] == matrix[j * n + i]);
            }
            assert_near(sum, forces[i], 1e-13 * largest * n);
            assert_near(back[i], a[i], 1e-9); /* rounding times the condition of M */
        }
        ash_mechanism_destroy(mechanism);
        ash_world_destroy(world);
    }
}

/* A four-bar linkage: an open chain of three and a rod that closes it, all hinges. */
static ash_world *make_four_bar(ash_method *method)
{
    ash_world_def world_def = ash_default_world_def();
    ash_world *world = NULL;
    if (method != NULL)
        world_def.method = *method;
    world_def.method.contacts = ASH_CONTACTS_OFF;
    assert_int_equal(ash_world_create(&world_def, &world, NULL), ASH_OK);
    static const double corners[][2] = {{0, 0}, {0.3, 0.8}, {1.4, 1.0}, {1.2, 0}};
    ash_body before = {0};
    for (int i = 0; i < 4; i++) {
        ash_body next = {0};
        if (i < 3) {
            ash_body_def def = ash_default_body_def();
            def.mass = 1 + i;
            def.inertia = (ash_sym3){0.1, 0.2, 0.1, 0, 0, 0};
            def.position =
                ash_vec3_make(0.5 * (corners[i][0] + corners[i + 1][0]), 0, 0.5 * (corners[i][1] + corners[i + 1][1]));
            next = make_body(world, &def);
        }
        ash_joint_def joint = ash_default_joint_def(ASH_JOINT_HINGE);
        joint.body_a = before;
        joint.body_b = next;
        assert_int_equal(
            ash_joint_def_place(world, &joint, ash_vec3_make(corners[i][0], 0, corners[i][1]), ash_vec3_make(0, 1, 0)),
            ASH_OK);
        assert_int_equal(ash_joint_create(world, &joint, &(ash_joint){0}, NULL), ASH_OK);
        before = next;
    }
    return world;
}

/* Energy of a mechanism in its world, by the ledger; and how far its joints are open. */
static double energy_of(ash_world *world, ash_mechanism *mechanism, double *open)
{
    ash_joint joints[8];
    assert_int_equal(ash_mechanism_apply(mechanism), ASH_OK);
    uint32_t count = ash_world_get_joints(world, joints, 8);
    *open = 0;
    for (uint32_t i = 0; i < count; i++)
        *open = fmax(*open, ash_joint_get_error(world, joints[i]).distance);
    return ash_world_get_ledger(world).total;
}

/* The linkage closes a loop with five rows, of which two are independent; its RK4 keeps the energy and the loop with an
 * error of fourth order in the step. */
static void a_loop_stays_closed(void **state)
{
    (void)state;
    double errors[2], gaps[2];
    for (int k = 0; k < 2; k++) {
        ash_world *world = make_four_bar(NULL);
        ash_mechanism *mechanism;
        assert_int_equal(ash_mechanism_create(world, &mechanism, NULL), ASH_OK);
        ash_mechanism_size size = ash_mechanism_get_size(mechanism);
        assert_int_equal(size.rates, 3);
        assert_int_equal(size.loops, 1);
        assert_int_equal(size.loop_rows, 5);
        double open, before = energy_of(world, mechanism, &open), h = k == 0 ? 0.01 : 0.005;
        for (double t = 0; t < 2 - h / 2; t += h)
            assert_int_equal(ash_mechanism_step(mechanism, NULL, h), ASH_OK);
        errors[k] = fabs(energy_of(world, mechanism, &open) - before);
        gaps[k] = open;
        double positions[3];
        ash_mechanism_get_state(mechanism, positions, NULL);
        assert_true(fabs(positions[0]) > 0.1);
        ash_mechanism_destroy(mechanism);
        ash_world_destroy(world);
    }
    assert_true(gaps[0] < 1e-3 && errors[0] < 1e-2); /* small enough for the order to show: of 1 m, and 50 J */
    assert_true(log2(gaps[0] / gaps[1]) > 3.5 && log2(errors[0] / errors[1]) > 3.5);
}

/* The same linkage as bodies with joints, by steps of first order: both come together as the step becomes smaller. */
static void a_loop_moves_as_bodies_with_joints_do(void **state)
{
    (void)state;
    double angles[3];
    for (int k = 0; k < 3; k++) {
        ash_method method;
        assert_int_equal(ash_method_find("engineering", &method, NULL), ASH_OK);
        ash_world *world = make_four_bar(&method);
        ash_mechanism *mechanism;
        assert_int_equal(ash_mechanism_create(world, &mechanism, NULL), ASH_OK);
        double position[3];
        for (int i = 0; i < (k == 2 ? 500 : 500 << k); i++)
            assert_int_equal(
                k == 2 ? ash_mechanism_step(mechanism, NULL, 1e-3) : ash_world_step(world, 1e-3 / (1 << k)), ASH_OK);
        if (k < 2)
            ash_mechanism_look(mechanism);
        ash_mechanism_get_state(mechanism, position, NULL);
        angles[k] = position[0];
        ash_mechanism_destroy(mechanism);
        ash_world_destroy(world);
    }
    double coarse = fabs(angles[0] - angles[2]), fine = fabs(angles[1] - angles[2]);
    assert_true(fabs(angles[2]) > 0.1 && coarse < 2e-3);
    assert_true(fine < 0.6 * coarse);
}

/* A closed loop of a rod (no coordinates of its own) holds a point mass that floats: a pendulum of known period. */
static void a_rod_holds_a_floating_mass(void **state)
{
    (void)state;
    ash_world *world = make_world(ASH_RK4, ash_vec3_make(0, 0, -9.81), 1);
    ash_body bob = make_point(world, 2, ash_vec3_make(1, 0, 0), ash_vec3_make(0, 0, 0));
    ash_joint_def rod = ash_default_joint_def(ASH_JOINT_DISTANCE);
    rod.body_b = bob;
    rod.length = -1;
    assert_int_equal(ash_joint_create(world, &rod, &(ash_joint){0}, NULL), ASH_OK);
    ash_mechanism *mechanism;
    assert_int_equal(ash_mechanism_create(world, &mechanism, NULL), ASH_OK);
    ash_mechanism_size size = ash_mechanism_get_size(mechanism);
    assert_int_equal(size.positions, 3);
    assert_int_equal(size.rates, 3);
    assert_int_equal(size.loop_rows, 1);
    double a[3];
    assert_int_equal(ash_mechanism_forward_dynamics(mechanism, NULL, a), ASH_OK);
    assert_near(a[0], 0, 1e-15);
    assert_near(a[2], -9.81, 1e-14);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(ash_mechanism_step(mechanism, NULL, 1e-3), ASH_OK);
    double position[3], rates[3];
    ash_mechanism_get_state(mechanism, position, rates);
    double speed = ash_vec3_length(ash_vec3_make(rates[0], rates[1], rates[2]));
    assert_near(ash_vec3_length(ash_vec3_make(position[0], position[1], position[2])), 1, 1e-9);
    assert_near(0.5 * speed * speed, -9.81 * position[2], 1e-9); /* it fell as far as it is fast */
    ash_mechanism_destroy(mechanism);
    ash_world_destroy(world);
}

/* A free top: its angular momentum stays, with an error of fourth order. */
static void a_top_turns_with_fourth_order(void **state)
{
    (void)state;
    ash_vec3 last[3];
    for (int k = 0; k < 3; k++) {
        ash_world *world = make_world(ASH_RK4, ash_vec3_make(0, 0, 0), 1);
        ash_body body =
            make_rotor(world, 1, ash_vec3_make(1, 2, 2.5), ash_vec3_make(1, 2, 3), ash_vec3_make(0.1, 3, 1));
        ash_mechanism *mechanism;
        assert_int_equal(ash_mechanism_create(world, &mechanism, NULL), ASH_OK);
        for (int i = 0; i < 50 << k; i++)
            assert_int_equal(ash_mechanism_step(mechanism, NULL, 0.04 / (1 << k)), ASH_OK);
        ash_mechanism_apply(mechanism);
        last[k] = ash_body_get_angular_momentum(world, body);
        ash_mechanism_destroy(mechanism);
        ash_world_destroy(world);
    }
    ash_vec3 exact = ash_vec3_make(0.1, 6, 2.5);
    double error[3];
    for (int k = 0; k < 3; k++)
        error[k] = ash_vec3_length(ash_vec3_subtract(last[k], exact));
    assert_true(error[0] < 1e-3 && log2(error[0] / error[1]) > 3.5 && log2(error[1] / error[2]) > 3.5);
}

/* On a turntable whose speed is given: at rest on it a body needs the centripetal force. */
static void kinematic_parents_carry_their_links(void **state)
{
    (void)state;
    ash_world *world = make_world(ASH_RK4, ash_vec3_make(0, 0, 0), 1);
    ash_body_def def = ash_default_body_def();
    def.type = ASH_BODY_KINEMATIC;
    def.position = ash_vec3_make(5, 0, 0);
    def.velocity = ash_vec3_make(0, 1, 0);
    def.angular_velocity = ash_vec3_make(0, 0, 3);
    ash_body table = make_body(world, &def);
    ash_body mass = make_rotor(world, 2, ash_vec3_make(1, 1, 1), ash_vec3_make(7, 0, 0), ash_vec3_make(0, 0, 3));
    ash_body_set_velocity(world, mass, ash_vec3_make(0, 1 + 3 * 2, 0));
    ash_joint_def slider = ash_default_joint_def(ASH_JOINT_SLIDER);
    slider.body_a = table;
    slider.body_b = mass;
    assert_int_equal(ash_joint_def_place(world, &slider, ash_vec3_make(5, 0, 0), ash_vec3_make(1, 0, 0)), ASH_OK);
    assert_int_equal(ash_joint_create(world, &slider, &(ash_joint){0}, NULL), ASH_OK);
    ash_mechanism *mechanism;
    assert_int_equal(ash_mechanism_create(world, &mechanism, NULL), ASH_OK);
    double bias, rate;
    ash_mechanism_get_state(mechanism, NULL, &rate);
    ash_mechanism_get_bias(mechanism, &bias);
    assert_near(rate, 0, 1e-14);
    assert_near(bias, -2 * 9 * 2, 1e-12);
    ash_mechanism_destroy(mechanism);
    ash_world_destroy(world);
}

static void planar_worlds_have_planar_coordinates(void **state)
{
    (void)state;
    ash_world_def def = ash_default_world_def();
    def.planar = true;
    def.gravity = ash_vec3_make(0, -10, 0);
    ash_world *world = NULL;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    ash_body_def body = ash_default_body_def();
    body.mass = 2;
    body.inertia = (ash_sym3){0.5, 0.5, 0.5, 0, 0, 0};
    body.position = ash_vec3_make(1, 0, 0);
    ash_body arm = make_body(world, &body);
    body.position = ash_vec3_make(4, 4, 0);
    body.rotation = ash_rotation(ash_vec3_make(0, 0, 1), 0.7);
    body.angular_velocity = ash_vec3_make(0, 0, 0.3);
    make_body(world, &body);
    ash_joint_def hinge = ash_default_joint_def(ASH_JOINT_HINGE);
    hinge.body_b = arm;
    ash_joint_def_place(world, &hinge, ash_vec3_make(0, 0, 0), ash_vec3_make(1, 0, 0));
    assert_int_equal(ash_joint_create(world, &hinge, &(ash_joint){0}, NULL), ASH_OK);
    ash_mechanism *mechanism;
    assert_int_equal(ash_mechanism_create(world, &mechanism, NULL), ASH_OK);
    assert_int_equal(ash_mechanism_get_size(mechanism).positions, 4);
    double q[4], v[4], bias[4], matrix[16];
    ash_mechanism_get_state(mechanism, q, v);
    assert_near(q[3], 0.7, 1e-14);
    assert_near(v[3], 0.3, 1e-15);
    ash_mechanism_get_bias(mechanism, bias);
    ash_mechanism_get_mass_matrix(mechanism, matrix);
    assert_near(bias[0], 2 * 10 * 1, 1e-12);
    assert_near(matrix[0], 2 * 1 + 0.5, 1e-12);
    assert_near(bias[2], 20, 1e-12);
    ash_mechanism_destroy(mechanism);
    ash_world_destroy(world);
}

static void refuses_what_it_cannot_do(void **state)
{
    (void)state;
    uint32_t seed = 9;
    ash_mechanism *mechanism;
    ash_body bodies[MOST];
    ash_world *world = make_tree(false, &seed, &mechanism, bodies);
    double values[MOST] = {0}, matrix[MOST * MOST];
    assert_int_equal(ash_mechanism_set_state(mechanism, values, NULL), ASH_BAD_ARGUMENT); /* quaternions of zero */
    values[0] = NAN;
    assert_int_equal(ash_mechanism_set_state(mechanism, NULL, values), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_mechanism_step(mechanism, NULL, 0), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_mechanism_step(mechanism, values, 0.1), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_mechanism_get_jacobian(mechanism, (ash_body){0}, ash_vec3_make(0, 0, 0), matrix),
                     ASH_BAD_HANDLE);
    assert_int_equal(ash_mechanism_create(world, NULL, NULL), ASH_BAD_ARGUMENT);
    ash_joint joints[MOST];
    ash_world_get_joints(world, joints, MOST);
    ash_joint_set_enabled(world, joints[2], false);
    assert_int_equal(ash_mechanism_get_mass_matrix(mechanism, matrix), ASH_BAD_HANDLE);
    assert_int_equal(ash_mechanism_look(mechanism), ASH_BAD_HANDLE);
    assert_int_equal(ash_mechanism_get_coordinates(mechanism, NULL, 0), 0);
    ash_mechanism_destroy(mechanism);
    ash_diagnostic diagnostic = {0};
    ash_body_set_locks(world, bodies[2], ASH_LOCK_X);
    assert_int_equal(ash_mechanism_create(world, &mechanism, &diagnostic), ASH_UNSUPPORTED);
    assert_null(mechanism);
    assert_non_null(strstr(diagnostic.message, "locks"));
    ash_mechanism_destroy(NULL);
    ash_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_matrix_is_that_of_the_bodies),
        cmocka_unit_test(inverse_dynamics_are_those_of_the_bodies),
        cmocka_unit_test(jacobian_is_the_points_velocity),
        cmocka_unit_test(the_three_algorithms_agree),
        cmocka_unit_test(a_loop_stays_closed),
        cmocka_unit_test(a_loop_moves_as_bodies_with_joints_do),
        cmocka_unit_test(a_rod_holds_a_floating_mass),
        cmocka_unit_test(a_top_turns_with_fourth_order),
        cmocka_unit_test(kinematic_parents_carry_their_links),
        cmocka_unit_test(planar_worlds_have_planar_coordinates),
        cmocka_unit_test(refuses_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
