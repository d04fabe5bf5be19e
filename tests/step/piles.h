/* Worlds in which things touch, for tests of time stepping. */
#ifndef TESTS_STEP_PILES_H
#define TESTS_STEP_PILES_H

#include "worlds.h"

#include "ashlar/contact.h"
#include "ashlar/material.h"
#include "math/vec3.h"

static const char *const pile_methods[] = {
    "realtime",     "engineering",     "gribel-2009",         "stewart-trinkle",  "dejong-2014", "penalty",
    "erleben-2007", "guendelman-2003", "bender-schmitt-2006", "bender-iterative", "faure"};
enum { PILE_METHODS = sizeof pile_methods / sizeof *pile_methods };

/* Half of the steps, a quarter in builds that are slow, all with ASHLAR_ALL_TRIALS. */
static inline uint32_t some(uint32_t count)
{
    return SLOW_BUILD ? (count + 3) / 4 : TRIALS(8) == 8 ? count : (count + 1) / 2;
}

static inline ash_world *make_held_world(const char *method, ash_vec3 gravity, uint32_t threads)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(method, &def.method, NULL), ASH_OK);
    def.gravity = gravity;
    def.threads = threads;
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    return world;
}

static inline void set_surface(ash_world *world, double friction, double restitution)
{
    ash_material_def def = ash_default_material_def();
    def.surface.friction = friction;
    def.surface.sliding_friction = -1;
    def.surface.restitution = restitution;
    assert_int_equal(ash_material_set(world, ash_world_get_default_material(world), &def, NULL), ASH_OK);
}

static inline ash_body add_shape(ash_world *world, const ash_geometry_def *geometry, ash_body_type type, double density,
                                 ash_vec3 position, ash_vec3 velocity)
{
    ash_body body = {0};
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def def = ash_default_body_def();
    assert_int_equal(ash_geometry_create(geometry, &shape.geometry, NULL), ASH_OK);
    shape.density = density;
    def.type = type;
    def.position = position;
    def.velocity = velocity;
    assert_int_equal(ash_body_create(world, &def, &shape, 1, &body, NULL), ASH_OK);
    ash_geometry_release(shape.geometry);
    return body;
}

static inline ash_body add_floor(ash_world *world)
{
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    return add_shape(world, &plane, ASH_BODY_STATIC, 0, v3(0, 0, 0), v3(0, 0, 0));
}

static inline ash_body add_box(ash_world *world, double half, ash_vec3 position, ash_vec3 velocity)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(half, half, half);
    return add_shape(world, &box, ASH_BODY_DYNAMIC, 1000, position, velocity);
}

static inline ash_body add_ball(ash_world *world, double radius, double density, ash_vec3 position, ash_vec3 velocity)
{
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ball.radius = radius;
    return add_shape(world, &ball, ASH_BODY_DYNAMIC, density, position, velocity);
}

/* Boxes and balls that fall onto a floor and each other: several islands, impacts, sliding and rest. */
static inline ash_world *make_heap(const char *method, uint32_t threads)
{
    ash_world *world = make_held_world(method, v3(0, 0, -9.81), threads);
    set_surface(world, 0.4, 0.3);
    add_floor(world);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            ash_vec3 place = v3(1.2 * i + 0.1 * k, 0.05 * k, 0.26 + 0.53 * k);
            if ((i + k) % 3 == 0)
                add_ball(world, 0.25, 700, place, v3(0.3, 0, 0));
            else
                add_box(world, 0.25, place, v3(0, 0.2, 0));
        }
    return world;
}

#endif
