/* Small worlds for tests. Creation must succeed: these functions fail the test otherwise. */
#ifndef TESTS_WORLDS_H
#define TESTS_WORLDS_H

#include "ashlar/ashlar.h"
#include "check.h"

static inline ash_world *make_world(ash_integrator integrator, ash_vec3 gravity, uint32_t threads)
{
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(ash_integrator_name(integrator), &def.method, &diagnostic), ASH_OK);
    def.method.contacts = ASH_CONTACTS_DETECT; /* contacts that hold have tests of their own */
    def.gravity = gravity;
    def.threads = threads;
    if (ash_world_create(&def, &world, &diagnostic) != ASH_OK)
        fail_msg("world: %s", diagnostic.message);
    return world;
}

static inline ash_body make_body(ash_world *world, const ash_body_def *def)
{
    ash_diagnostic diagnostic = {0};
    ash_body body = {0};
    if (ash_body_create(world, def, NULL, 0, &body, &diagnostic) != ASH_OK)
        fail_msg("body: %s", diagnostic.message);
    return body;
}

/* A point mass. */
static inline ash_body make_point(ash_world *world, double mass, ash_vec3 position, ash_vec3 velocity)
{
    ash_body_def def = ash_default_body_def();
    def.mass = mass;
    def.position = position;
    def.velocity = velocity;
    return make_body(world, &def);
}

/* A body with principal moments along its axes. */
static inline ash_body make_rotor(ash_world *world, double mass, ash_vec3 moments, ash_vec3 position, ash_vec3 spin)
{
    ash_body_def def = ash_default_body_def();
    def.mass = mass;
    def.inertia = (ash_sym3){moments.x, moments.y, moments.z, 0, 0, 0};
    def.position = position;
    def.angular_velocity = spin;
    return make_body(world, &def);
}

static inline ash_force make_spring(ash_world *world, const ash_spring_def *def)
{
    ash_diagnostic diagnostic = {0};
    ash_force force = {0};
    if (ash_spring_create(world, def, &force, &diagnostic) != ASH_OK)
        fail_msg("spring: %s", diagnostic.message);
    return force;
}

static inline void take_steps(ash_world *world, double h, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ash_world_step(world, h) != ASH_OK)
            fail_msg("step %u: %s", i, ash_world_get_last_diagnostic(world).message);
}

/* A world in which every kind of force acts on bodies that turn and translate: two rotors on offset springs, one of
 * them damped, an angular spring, drag, a pull, loads of every signal, a kinematic body and a callback. */
static inline void push_along_x(ash_force_context *context, void *user)
{
    const ash_body *body = user;
    ash_vec3 v = ash_force_context_get_velocity(context, *body);
    double t = ash_force_context_get_time(context);
    ash_force_context_add(context, *body, (ash_vec3){0.2 * t - 0.1 * v.x, 0, 0}, (ash_vec3){0, 0.05, 0});
}

typedef struct busy_world {
    ash_world *world;
    ash_body a, b, point, driven;
    ash_body callback_body; /* what the callback pushes */
} busy_world;

static inline void make_busy(busy_world *busy, ash_integrator integrator, uint32_t threads)
{
    ash_world *w = make_world(integrator, (ash_vec3){0, 0, -9.81}, threads);
    ash_diagnostic d = {0};
    ash_force f;
    busy->world = w;
    busy->a = make_rotor(w, 1.5, (ash_vec3){0.1, 0.2, 0.25}, (ash_vec3){0, 0, 0}, (ash_vec3){1, 2, 0.5});
    busy->b = make_rotor(w, 0.8, (ash_vec3){0.05, 0.06, 0.1}, (ash_vec3){1, 0.2, 0}, (ash_vec3){0, -1, 0.3});
    busy->point = make_point(w, 0.3, (ash_vec3){0.5, 1, 0.5}, (ash_vec3){0, 0.5, 0});
    busy->callback_body = busy->b;
    ash_body_def kinematic = ash_default_body_def();
    kinematic.type = ASH_BODY_KINEMATIC;
    kinematic.position = (ash_vec3){0, 0, 2};
    kinematic.velocity = (ash_vec3){0.1, 0, 0};
    kinematic.angular_velocity = (ash_vec3){0, 0, 0.4};
    busy->driven = make_body(w, &kinematic);

    ash_spring_def spring = ash_default_spring_def();
    spring.body_a = busy->a;
    spring.body_b = busy->driven;
    spring.point_a = (ash_vec3){0.1, 0.05, 0.2};
    spring.point_b = (ash_vec3){0.3, 0, 0};
    spring.stiffness = 60;
    spring.damping = 0.4;
    spring.rest_length = 1.5;
    make_spring(w, &spring);
    spring.body_a = busy->b;
    spring.body_b = busy->a;
    spring.stiffness = 40;
    spring.damping = 0;
    make_spring(w, &spring);
    spring.body_a = busy->point;
    spring.body_b = busy->b;
    spring.point_a = spring.point_b = (ash_vec3){0, 0, 0};
    spring.rest_length = 0.4;
    spring.damping = 0.1;
    make_spring(w, &spring);

    ash_angular_spring_def angular = ash_default_angular_spring_def();
    angular.body_a = busy->a;
    angular.body_b = busy->b;
    angular.stiffness = 0.7;
    angular.damping = 0.05;
    assert_int_equal(ash_angular_spring_create(w, &angular, &f, &d), ASH_OK);
    ash_bending_spring_def bending = ash_default_bending_spring_def();
    bending.body_a = busy->a;
    bending.body_b = busy->point;
    bending.body_c = busy->b;
    bending.point_a = (ash_vec3){0.1, 0, 0.1};
    bending.stiffness = 0.3;
    bending.damping = 0.02;
    bending.rest_angle = 0.4;
    assert_int_equal(ash_bending_spring_create(w, &bending, &f, &d), ASH_OK);
    ash_drag_def drag = ash_default_drag_def();
    drag.body = busy->point;
    drag.area = 0.2;
    drag.linear = 0.02;
    drag.mask = (ash_vec3){1, 0.5, 1};
    drag.wind = (ash_vec3){0.3, 0, 0};
    assert_int_equal(ash_drag_create(w, &drag, &f, &d), ASH_OK);
    ash_pull_def pull = ash_default_pull_def();
    pull.body = busy->b;
    pull.point = (ash_vec3){0, 0.1, 0};
    pull.target = (ash_vec3){1, 0.5, 1};
    pull.stiffness = 15;
    pull.damping = 0.3;
    assert_int_equal(ash_pull_create(w, &pull, &f, &d), ASH_OK);

    ash_load_def load = ash_default_load_def();
    load.body = busy->a;
    load.force = (ash_vec3){0, 0.5, 0};
    load.torque = (ash_vec3){0.02, 0, 0};
    load.point = (ash_vec3){0, 0, 0.1};
    load.body_axes = true;
    load.signal.kind = ASH_SIGNAL_HARMONIC;
    load.signal.rate = 3;
    assert_int_equal(ash_load_create(w, &load, &f, &d), ASH_OK);
    static const double times[] = {-1, 10}, values[] = {0.5, 2};
    load.body = busy->point;
    load.body_axes = false;
    load.signal = (ash_signal){.kind = ASH_SIGNAL_TABLE, .times = times, .values = values, .count = 2};
    assert_int_equal(ash_load_create(w, &load, &f, &d), ASH_OK);
    assert_int_equal(ash_callback_create(w, push_along_x, &busy->callback_body, "push", &f, &d), ASH_OK);
    assert_int_equal(ash_body_set_damping(w, busy->b, 0.1, 0.2), ASH_OK);
}

#endif
