/* Forces: exact answers of each kind, gradients against energies, derivatives against differences, the directory. */
#include "base/random.h"
#include "model/forces.h"
#include "world/world.h"
#include "worlds.h"

static ash_vec3 force_on(ash_world *world, ash_body body, ash_vec3 *torque)
{
    ashi_force_instant stage = {&world->model.bodies.now, world->time, NULL};
    assert_true(ashi_forces_prepare(&world->model, 1));
    ashi_forces_evaluate(&world->model, &stage);
    uint32_t slot = ashi_world_body(world, body, "test");
    if (torque != NULL)
        *torque = world->model.bodies.torque[slot];
    return world->model.bodies.force[slot];
}

static void spring_pulls_along_its_line(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_point(w, 1, v3(3, 4, 0), v3(1, 0, 0));
    ash_spring_def def = ash_default_spring_def();
    def.body_a = a;
    def.stiffness = 10;
    def.damping = 2;
    def.rest_length = 4;
    ash_force spring = make_spring(w, &def);
    /* stretch 1, rate 1 * 3/5 */
    ash_vec3 f = force_on(w, a, NULL);
    double tension = 10 * 1 + 2 * 0.6;
    assert_near(f.x, -tension * 0.6, 1e-14);
    assert_near(f.y, -tension * 0.8, 1e-14);
    assert_near(ash_spring_get_tension(w, spring), tension, 1e-14);
    assert_near(ash_spring_get_length(w, spring), 5, 1e-15);
    assert_near(ash_force_get_energy(w, spring), 5, 1e-14);
    /* slack: neither spring nor damper */
    def.tension_only = true;
    def.rest_length = 6;
    assert_int_equal(ash_force_destroy(w, spring), ASH_OK);
    spring = make_spring(w, &def);
    f = force_on(w, a, NULL);
    assert_near(v3_norm(f), 0, 0);
    assert_near(ash_force_get_energy(w, spring), 0, 0);
    assert_int_equal(ash_spring_set(w, spring, 10, 0, 5), ASH_OK); /* just at its length: taut without force */
    assert_near(v3_norm(force_on(w, a, NULL)), 0, 1e-14);
    ash_world_destroy(w);
}

/* Stretched by 1 and shortening fast: spring 10 N, damper -24 N. A string cannot push; de Jong's form does. */
static void a_string_never_pushes(void **state)
{
    (void)state;
    for (int pushes = 0; pushes < 2; pushes++) {
        ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
        ash_body a = make_point(w, 1, v3(5, 0, 0), v3(-12, 0, 0));
        ash_spring_def def = ash_default_spring_def();
        def.body_a = a;
        def.stiffness = 10;
        def.damping = 2;
        def.rest_length = 4;
        def.tension_only = true;
        def.damper_pushes = pushes == 1;
        ash_force spring = make_spring(w, &def);
        assert_near(force_on(w, a, NULL).x, pushes == 1 ? 14 : 0, 1e-14);
        assert_near(ash_spring_get_tension(w, spring), pushes == 1 ? -14 : 0, 1e-14);
        assert_int_equal(ash_body_set_velocity(w, a, v3(-3, 0, 0)), ASH_OK); /* slower: it still pulls */
        assert_near(force_on(w, a, NULL).x, -4, 1e-14);
        ash_world_destroy(w);
    }
}

static void rest_length_defaults_to_the_distance(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_spring_def def = ash_default_spring_def();
    def.body_a = make_point(w, 1, v3(0, 0, 2), v3(0, 0, 0));
    def.stiffness = 1;
    ash_force spring = make_spring(w, &def);
    assert_near(ash_spring_get_length(w, spring), 2, 0);
    assert_near(ash_spring_get_tension(w, spring), 0, 0);
    ash_world_destroy(w);
}

static void drag_is_quadratic_masked_and_relative_to_wind(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_point(w, 1, v3(0, 0, 0), v3(3, 5, 4));
    ash_drag_def def = ash_default_drag_def();
    ash_force drag;
    def.body = a;
    def.area = 2;
    def.density = 1.5;
    def.coefficient = 0.4;
    def.linear = 0.25;
    def.mask = v3(1, 0, 1);
    assert_int_equal(ash_drag_create(w, &def, &drag, NULL), ASH_OK);
    ash_vec3 f = force_on(w, a, NULL); /* u = (3, 0, 4) */
    double factor = 0.5 * 1.5 * 0.4 * 2 * 5 + 0.25;
    assert_near(f.x, -factor * 3, 1e-14);
    assert_near(f.y, 0, 0);
    assert_near(f.z, -factor * 4, 1e-14);
    def.wind = v3(3, 0, 4);
    assert_int_equal(ash_force_destroy(w, drag), ASH_OK);
    assert_int_equal(ash_drag_create(w, &def, &drag, NULL), ASH_OK);
    assert_near(v3_norm(force_on(w, a, NULL)), 0, 0);
    ash_world_destroy(w);
}

static void drag_takes_the_shadow_of_shapes(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    ash_diagnostic d;
    ash_body body;
    ash_force drag;
    box.half_extents = v3(1, 2, 3);
    assert_int_equal(ash_geometry_create(&box, &shape.geometry, &d), ASH_OK);
    def.velocity = v3(2, 0, 0);
    def.rotation = ash_rotation(v3(0, 0, 1), ASHI_PI / 2); /* its y side now faces x */
    assert_int_equal(ash_body_create(w, &def, &shape, 1, &body, &d), ASH_OK);
    ash_geometry_release(shape.geometry);
    ash_drag_def drag_def = ash_default_drag_def();
    drag_def.body = body;
    assert_int_equal(ash_drag_create(w, &drag_def, &drag, &d), ASH_OK);
    assert_near(force_on(w, body, NULL).x, -0.5 * 1.2 * 0.5 * (2 * 6) * 4, 1e-12);
    ash_world_destroy(w);
}

static void pull_respects_its_limit(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_rotor(w, 1, v3(1, 1, 1), v3(0, 0, 0), v3(0, 0, 0));
    ash_pull_def def = ash_default_pull_def();
    ash_force pull;
    ash_vec3 torque;
    def.body = a;
    def.point = v3(0, 1, 0);
    def.target = v3(2, 1, 0);
    def.stiffness = 5;
    assert_int_equal(ash_pull_create(w, &def, &pull, NULL), ASH_OK);
    assert_near(force_on(w, a, &torque).x, 10, 1e-14);
    assert_near(torque.z, -10, 1e-14);
    assert_int_equal(ash_pull_set_target(w, pull, v3(4, 1, 0)), ASH_OK);
    assert_near(force_on(w, a, NULL).x, 20, 1e-14);
    assert_int_equal(ash_force_destroy(w, pull), ASH_OK);
    def.max_force = 3;
    assert_int_equal(ash_pull_create(w, &def, &pull, NULL), ASH_OK);
    assert_near(force_on(w, a, NULL).x, 3, 1e-14);
    ash_world_destroy(w);
}

static void loads_follow_their_signals(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_rotor(w, 1, v3(1, 1, 1), v3(0, 0, 0), v3(0, 0, 0));
    static const double times[] = {0, 1, 3}, values[] = {0, 2, -2};
    ash_load_def def = ash_default_load_def();
    ash_force load;
    def.body = a;
    def.force = v3(2, 0, 0);
    def.signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 3};
    assert_int_equal(ash_load_create(w, &def, &load, NULL), ASH_OK);
    const double at[][2] = {{-1, 0}, {0, 0}, {0.25, 1}, {1, 4}, {2, 0}, {2.5, -2}, {3, -4}, {9, -4}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        w->time = at[i][0];
        assert_near(force_on(w, a, NULL).x, at[i][1], 1e-14);
    }
    assert_int_equal(ash_force_destroy(w, load), ASH_OK);
    def.signal = (ash_signal){.kind = ASH_SIGNAL_HARMONIC, .rate = 2, .phase = 0.5};
    def.start = 1;
    def.stop = 2;
    assert_int_equal(ash_load_create(w, &def, &load, NULL), ASH_OK);
    w->time = 1;
    assert_near(force_on(w, a, NULL).x, 2 * cos(2.5), 1e-14);
    w->time = 2;
    assert_near(force_on(w, a, NULL).x, 0, 0);
    w->time = 0.999;
    assert_near(force_on(w, a, NULL).x, 0, 0);
    assert_int_equal(ash_load_set(w, load, v3(0, 0, 0), v3(0, 0, 7)), ASH_OK);
    w->time = 1.5;
    ash_vec3 torque;
    force_on(w, a, &torque);
    assert_near(torque.z, 7 * cos(3.5), 1e-14);
    ash_world_destroy(w);
}

static void body_axes_turn_the_load(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body_def def = ash_default_body_def();
    def.mass = 1;
    def.inertia = (ash_sym3){1, 1, 1, 0, 0, 0};
    def.rotation = ash_rotation(v3(0, 0, 1), ASHI_PI / 2);
    ash_body a = make_body(w, &def);
    ash_load_def load = ash_default_load_def();
    ash_force handle;
    ash_vec3 torque;
    load.body = a;
    load.force = v3(1, 0, 0);
    load.point = v3(0, 1, 0);
    load.body_axes = true;
    assert_int_equal(ash_load_create(w, &load, &handle, NULL), ASH_OK);
    ash_vec3 f = force_on(w, a, &torque);
    assert_near(f.x, 0, 1e-15);
    assert_near(f.y, 1, 1e-15);
    assert_near(torque.z, -1, 1e-15); /* at (-1, 0, 0) in the world */
    ash_world_destroy(w);
}

/* The generalized force of every conservative kind is minus the gradient of its energy, by central differences over the
 * six freedoms of each body. */
static void springs_are_gradients_of_their_energy(void **state)
{
    (void)state;
    ashi_random random = {7};
    for (int trial = 0; trial < 50; trial++) {
        ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
        ash_body_def def = ash_default_body_def();
        def.mass = 1;
        def.inertia = (ash_sym3){1, 1, 1, 0, 0, 0};
        def.centre = v3(0.1, -0.2, 0.05);
        double *p = &def.position.x;
        for (int k = 0; k < 3; k++)
            p[k] = ashi_random_range(&random, -1, 1);
        def.rotation = ash_rotation(v3(ashi_random_range(&random, -1, 1), 1, ashi_random_range(&random, -1, 1)),
                                    ashi_random_range(&random, -2, 2));
        ash_body a = make_body(w, &def);
        def.position = v3(2, 0, 0);
        ash_body b = make_body(w, &def);
        ash_spring_def spring = ash_default_spring_def();
        spring.body_a = a;
        spring.body_b = b;
        spring.point_a = v3(0.3, 0.1, 0.2);
        spring.point_b = v3(-0.2, 0.4, 0);
        spring.stiffness = 3;
        spring.rest_length = 0.7;
        make_spring(w, &spring);
        ash_angular_spring_def angular = ash_default_angular_spring_def();
        ash_force handle;
        angular.body_a = a;
        angular.body_b = b;
        angular.rest_rotation = ash_rotation(v3(1, 2, 3), 0.4);
        angular.stiffness = 2;
        assert_int_equal(ash_angular_spring_create(w, &angular, &handle, NULL), ASH_OK);

        ash_body bodies[2] = {a, b};
        for (int k = 0; k < 2; k++) {
            uint32_t slot = ashi_world_body(w, bodies[k], "test");
            ash_vec3 torque, force = force_on(w, bodies[k], &torque);
            ashi_state *now = &w->model.bodies.now;
            for (int axis = 0; axis < 6; axis++) {
                const double e = 1e-5;
                ash_vec3 unit = v3(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2);
                ash_vec3 x = now->position[slot];
                ash_quat q = now->rotation[slot];
                double energies[2];
                for (int side = 0; side < 2; side++) {
                    ash_vec3 shift = v3_scale(unit, side == 0 ? e : -e);
                    if (axis < 3)
                        now->position[slot] = v3_add(x, shift);
                    else
                        now->rotation[slot] = q_mul(q_exp(shift), q);
                    energies[side] = ashi_forces_energy(&w->model, now);
                    now->position[slot] = x;
                    now->rotation[slot] = q;
                }
                double gradient = (energies[0] - energies[1]) / (2 * e);
                assert_near(v3_dot(axis < 3 ? force : torque, unit), -gradient, 1e-8);
            }
        }
        ash_world_destroy(w);
    }
}

/* The derivatives that an implicit step uses, against differences of the force in position and velocity (translations;
 * the change of lever arms is left out by design, so points are at the centres). */
static void derivatives_match_differences(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_point(w, 1, v3(0.3, -0.4, 1.2), v3(0.5, 0.2, -0.7));
    ash_spring_def spring = ash_default_spring_def();
    spring.body_a = a;
    spring.stiffness = 20;
    spring.damping = 1.5;
    spring.rest_length = 0.9;
    make_spring(w, &spring);
    ash_drag_def drag = ash_default_drag_def();
    ash_pull_def pull = ash_default_pull_def();
    ash_force handle;
    drag.body = pull.body = a;
    drag.area = 3;
    drag.linear = 0.1;
    drag.mask = v3(1, 0.5, 0.2);
    assert_int_equal(ash_drag_create(w, &drag, &handle, NULL), ASH_OK);
    pull.stiffness = 4;
    pull.damping = 0.3;
    assert_int_equal(ash_pull_create(w, &pull, &handle, NULL), ASH_OK);
    assert_int_equal(ash_body_set_damping(w, a, 0.6, 0), ASH_OK);

    ashi_implicit_elements elements = {0};
    ashi_state *now = &w->model.bodies.now;
    uint32_t slot = ashi_world_body(w, a, "test");
    ashi_force_instant stage = {now, 0, NULL};
    const double tiny = 1e-9; /* h so small that h^2 K and h D are told apart by scale */
    assert_true(ashi_forces_linearize(&w->model, &stage, tiny, &elements));
    ash_sym3 damping = {0};
    for (uint32_t i = 0; i < elements.pairs.count; i++)
        damping = s3_add(damping, s3_scale(elements.pairs.data[i].matrix, 1 / tiny));
    const double large = 1e9;
    assert_true(ashi_forces_linearize(&w->model, &stage, large, &elements));
    ash_sym3 stiffness = {0};
    for (uint32_t i = 0; i < elements.pairs.count; i++)
        stiffness = s3_add(stiffness, s3_scale(elements.pairs.data[i].matrix, 1 / (large * large)));

    for (int axis = 0; axis < 3; axis++) {
        const double e = 1e-6;
        ash_vec3 unit = v3(axis == 0, axis == 1, axis == 2), v = now->velocity[slot];
        now->velocity[slot] = v3_add_scaled(v, unit, e);
        ash_vec3 plus = force_on(w, a, NULL);
        now->velocity[slot] = v3_add_scaled(v, unit, -e);
        ash_vec3 minus = force_on(w, a, NULL);
        now->velocity[slot] = v;
        ash_vec3 difference = v3_scale(v3_sub(minus, plus), 1 / (2 * e)), ours = s3_apply(damping, unit);
        assert_near(v3_distance(difference, ours), 0, 1e-7);
    }
    /* With velocity zero, the dampers do not depend on position. */
    now->velocity[slot] = v3(0, 0, 0);
    for (int axis = 0; axis < 3; axis++) {
        const double e = 1e-6;
        ash_vec3 unit = v3(axis == 0, axis == 1, axis == 2), x = now->position[slot];
        now->position[slot] = v3_add_scaled(x, unit, e);
        ash_vec3 plus = force_on(w, a, NULL);
        now->position[slot] = v3_add_scaled(x, unit, -e);
        ash_vec3 minus = force_on(w, a, NULL);
        now->position[slot] = x;
        ash_vec3 difference = v3_scale(v3_sub(minus, plus), 1 / (2 * e)), ours = s3_apply(stiffness, unit);
        assert_near(v3_distance(difference, ours), 0, 1e-6);
    }
    ashi_array_release(&elements.pairs);
    ash_world_destroy(w);
}

static void removing_a_body_removes_its_forces(void **state)
{
    (void)state;
    busy_world busy;
    make_busy(&busy, ASH_RK4, 1);
    uint32_t before = ash_world_get_forces(busy.world, NULL, 0);
    ash_force push = ash_world_find_force(busy.world, "push");
    assert_true(ash_force_is_valid(busy.world, push));
    assert_int_equal(ash_body_destroy(busy.world, busy.b), ASH_OK);
    assert_int_equal(before, 10);
    /* springs b-a, point-b, the angular and the bending spring and the pull go; a-driven, drag, two loads, callback
     * stay */
    assert_int_equal(ash_world_get_forces(busy.world, NULL, 0), 5);
    assert_true(ash_force_is_valid(busy.world, push));
    take_steps(busy.world, 0.01, 10);
    ash_world_destroy(busy.world);
}

/* Random additions and removals against a plain list. */
static void the_directory_survives_any_order(void **state)
{
    (void)state;
    enum { MOST = 200 };
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_point(w, 1, v3(0, 0, 0), v3(0, 0, 0)), b = make_point(w, 1, v3(1, 0, 0), v3(0, 0, 0));
    ash_force kept[MOST];
    double stiffness[MOST];
    uint32_t count = 0;
    ashi_random random = {99};
    for (int i = 0; i < 5000; i++) {
        if (count < MOST && ashi_random_unit(&random) < 0.55) {
            ash_spring_def def = ash_default_spring_def();
            def.body_a = a;
            def.body_b = b;
            def.rest_length = 0;
            def.stiffness = stiffness[count] = ashi_random_range(&random, 1, 2);
            kept[count++] = make_spring(w, &def);
        } else if (count > 0) {
            uint32_t k = ashi_random_below(&random, count);
            ash_force gone = kept[k];
            assert_int_equal(ash_force_destroy(w, gone), ASH_OK);
            assert_false(ash_force_is_valid(w, gone));
            assert_int_equal(ash_force_destroy(w, gone), ASH_BAD_HANDLE);
            kept[k] = kept[--count];
            stiffness[k] = stiffness[count];
        }
        for (uint32_t k = 0; k < count; k += 7)
            assert_near(ash_spring_get_tension(w, kept[k]), stiffness[k], 1e-15);
        assert_int_equal(ash_world_get_forces(w, NULL, 0), count);
    }
    ash_world_destroy(w);
}

static void bad_definitions_create_nothing(void **state)
{
    (void)state;
    ash_world *w = make_world(ASH_RK4, v3(0, 0, 0), 1);
    ash_body a = make_point(w, 1, v3(0, 0, 0), v3(0, 0, 0));
    ash_force f = {0};
    ash_diagnostic d;
    ash_spring_def spring = ash_default_spring_def();
    assert_int_equal(ash_spring_create(w, &spring, &f, &d), ASH_BAD_DATA); /* background to background */
    spring.body_a = a;
    spring.stiffness = -1;
    assert_int_equal(ash_spring_create(w, &spring, &f, &d), ASH_BAD_DATA);
    assert_string_equal(d.code, "force.coefficient");
    spring.stiffness = NAN;
    assert_int_equal(ash_spring_create(w, &spring, &f, &d), ASH_BAD_DATA);
    spring.stiffness = 1;
    spring.point_a.x = INFINITY;
    assert_int_equal(ash_spring_create(w, &spring, &f, &d), ASH_BAD_DATA);
    spring.point_a.x = 0;
    spring.rest_length = NAN;
    assert_int_equal(ash_spring_create(w, &spring, &f, &d), ASH_BAD_DATA);
    spring.body_b.id = 77;
    assert_int_equal(ash_spring_create(w, &spring, &f, &d), ASH_BAD_HANDLE);
    ash_angular_spring_def angular = ash_default_angular_spring_def();
    angular.body_a = a;
    angular.rest_rotation.w = 2;
    assert_int_equal(ash_angular_spring_create(w, &angular, &f, &d), ASH_BAD_DATA);
    angular.rest_rotation.w = 1;
    angular.body_b = a;
    assert_int_equal(ash_angular_spring_create(w, &angular, &f, &d), ASH_BAD_DATA);
    ash_drag_def drag = ash_default_drag_def();
    drag.body = a;
    assert_int_equal(ash_drag_create(w, &drag, &f, &d), ASH_BAD_DATA); /* no shape to take the area from */
    drag.area = 1;
    drag.mask.x = 2;
    assert_int_equal(ash_drag_create(w, &drag, &f, &d), ASH_BAD_DATA);
    ash_pull_def pull = ash_default_pull_def();
    pull.body = a;
    pull.target.y = NAN;
    assert_int_equal(ash_pull_create(w, &pull, &f, &d), ASH_BAD_DATA);
    ash_load_def load = ash_default_load_def();
    static const double times[] = {0, 0}, values[] = {1, 1};
    load.body = a;
    load.signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 2};
    assert_int_equal(ash_load_create(w, &load, &f, &d), ASH_BAD_DATA);
    load.signal.count = 0;
    assert_int_equal(ash_load_create(w, &load, &f, &d), ASH_BAD_DATA);
    load.signal = (ash_signal){.kind = ASH_SIGNAL_HARMONIC, .rate = NAN};
    assert_int_equal(ash_load_create(w, &load, &f, &d), ASH_BAD_DATA);
    load.signal = (ash_signal){0};
    load.start = 2;
    load.stop = 1;
    assert_int_equal(ash_load_create(w, &load, &f, &d), ASH_BAD_DATA);
    assert_int_equal(ash_callback_create(w, NULL, NULL, NULL, &f, &d), ASH_BAD_DATA);
    assert_int_equal(ash_world_get_forces(w, NULL, 0), 0);
    assert_int_equal(f.id, 0);
    assert_int_equal(ash_world_get_last_diagnostic(w).status, ASH_BAD_DATA);
    ash_world_destroy(w);
}

static void wrong_kinds_and_values_are_misuse(void **state)
{
    (void)state;
    busy_world busy;
    make_busy(&busy, ASH_RK4, 1);
    ash_force push = ash_world_find_force(busy.world, "push"), nothing = {0};
    assert_int_equal(ash_force_get_kind(busy.world, push), ASH_FORCE_CALLBACK);
    assert_string_equal(ash_force_kind_name(ASH_FORCE_CALLBACK), "callback");
    assert_int_equal(ash_spring_set(busy.world, push, 1, 1, 1), ASH_BAD_HANDLE);
    assert_int_equal(ash_pull_set_target(busy.world, push, v3(0, 0, 0)), ASH_BAD_HANDLE);
    assert_int_equal(ash_load_set(busy.world, nothing, v3(0, 0, 0), v3(0, 0, 0)), ASH_BAD_HANDLE);
    assert_near(ash_angular_spring_get_angle(busy.world, push), 0, 0);
    assert_near(ash_spring_get_length(busy.world, nothing), 0, 0);
    assert_near(ash_force_get_energy(busy.world, nothing), 0, 0);
    assert_int_equal(ash_force_set_enabled(busy.world, nothing, true), ASH_BAD_HANDLE);
    assert_string_equal(ash_force_get_name(busy.world, push), "push");
    assert_string_equal(ash_force_get_name(busy.world, nothing), "");
    assert_int_equal(ash_world_get_last_diagnostic(busy.world).status, ASH_BAD_HANDLE);
    ash_force all[16];
    uint32_t count = ash_world_get_forces(busy.world, all, 16);
    for (uint32_t i = 0; i < count; i++) {
        if (ash_force_get_kind(busy.world, all[i]) == ASH_FORCE_SPRING) {
            assert_int_equal(ash_spring_set(busy.world, all[i], -1, 0, 0), ASH_BAD_ARGUMENT);
            assert_int_equal(ash_spring_set(busy.world, all[i], 1, NAN, 0), ASH_BAD_ARGUMENT);
        }
        if (ash_force_get_kind(busy.world, all[i]) == ASH_FORCE_PULL)
            assert_int_equal(ash_pull_set_target(busy.world, all[i], v3(NAN, 0, 0)), ASH_BAD_ARGUMENT);
        if (ash_force_get_kind(busy.world, all[i]) == ASH_FORCE_LOAD)
            assert_int_equal(ash_load_set(busy.world, all[i], v3(NAN, 0, 0), v3(0, 0, 0)), ASH_BAD_ARGUMENT);
        assert_int_equal(ash_force_set_enabled(busy.world, all[i], false), ASH_OK);
        assert_false(ash_force_get_enabled(busy.world, all[i]));
    }
    /* With everything off, only gravity and the body's own damping are left. */
    ash_vec3 f = force_on(busy.world, busy.a, NULL);
    assert_near(f.z, -9.81 * 1.5, 1e-14);
    assert_near(f.x, 0, 0);
    ash_world_destroy(busy.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_pulls_along_its_line),
        cmocka_unit_test(a_string_never_pushes),
        cmocka_unit_test(rest_length_defaults_to_the_distance),
        cmocka_unit_test(drag_is_quadratic_masked_and_relative_to_wind),
        cmocka_unit_test(drag_takes_the_shadow_of_shapes),
        cmocka_unit_test(pull_respects_its_limit),
        cmocka_unit_test(loads_follow_their_signals),
        cmocka_unit_test(body_axes_turn_the_load),
        cmocka_unit_test(springs_are_gradients_of_their_energy),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(removing_a_body_removes_its_forces),
        cmocka_unit_test(the_directory_survives_any_order),
        cmocka_unit_test(bad_definitions_create_nothing),
        cmocka_unit_test(wrong_kinds_and_values_are_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
