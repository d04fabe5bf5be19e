/* Pairs of bodies with a joint between them, for tests. */
#ifndef TESTS_JOINTS_H
#define TESTS_JOINTS_H

#include "base/random.h"
#include "model/joint_class.h"
#include "world/world.h"
#include "worlds.h"

static inline ash_vec3 random_vector(ashi_random *random, double size)
{
    double x = ashi_random_range(random, -size, size), y = ashi_random_range(random, -size, size);
    return v3(x, y, ashi_random_range(random, -size, size));
}

static inline ash_joint make_joint(ash_world *world, const ash_joint_def *def)
{
    ash_diagnostic diagnostic = {0};
    ash_joint joint = {0};
    if (ash_joint_create(world, def, &joint, &diagnostic) != ASH_OK)
        fail_msg("joint: %s", diagnostic.message);
    return joint;
}

static inline ashi_joint_entry *joint_in(ash_world *world, ash_joint joint)
{
    return &world->model.joints.entries.data[ashi_world_joint(world, joint, "test")];
}

/* An empty world without gravity that moves in space or in the plane. */
static inline ash_world *make_joint_world(bool planar)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    def.planar = planar;
    def.gravity = v3(0, 0, 0);
    assert_int_equal(ash_world_create(&def, &world, NULL), ASH_OK);
    return world;
}

/* A body at a random pose and velocity, its centre of mass off its origin. */
static inline ash_body make_random_body(ash_world *world, ashi_random *random)
{
    bool planar = ash_world_is_planar(world);
    ash_body_def def = ash_default_body_def();
    ash_vec3 turn = random_vector(random, 2);
    def.mass = 1.5;
    def.inertia = (ash_sym3){0.5, 0.6, 0.7, 0.02, -0.03, 0.01};
    def.position = random_vector(random, 1);
    def.centre = random_vector(random, 0.3);
    def.velocity = random_vector(random, 1);
    def.angular_velocity = random_vector(random, 1);
    if (planar) {
        def.inertia = (ash_sym3){0.5, 0.6, 0.7, 0, 0, 0};
        turn.x = turn.y = def.position.z = def.centre.z = def.velocity.z = 0;
        def.angular_velocity.x = def.angular_velocity.y = 0;
    }
    def.rotation = q_exp(turn);
    return make_body(world, &def);
}

/* A frame on a body, from its place on the other and where they are against each other. */
static inline ash_transform frame_on(const ash_world *world, ash_body other, ash_transform frame,
                                     ash_transform relative, ash_body body)
{
    ash_transform in_world = t_mul(t_mul(ash_body_get_transform(world, other), frame), relative);
    return t_mul(t_inverse(ash_body_get_transform(world, body)), in_world);
}

#endif
