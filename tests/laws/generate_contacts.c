/* Worlds of loose bodies: free ones that collide, ones on a floor. */
#include "generate.h"

#include "math/quat.h"

#include <math.h>

/* 2 to 12, mostly few: a failure of few bodies is easier to understand. */
static uint32_t body_count(law_maker *maker)
{
    return law_chance(maker, 0.6) ? 2 + law_below(maker, 2) : 4 + law_below(maker, 9);
}

/* Friction and restitution: each is absent in a third of the worlds. */
static void any_material(law_maker *maker)
{
    double friction = law_chance(maker, 0.33) ? 0 : law_range(maker, 0.05, 1);
    double restitution = law_chance(maker, 0.33) ? 0 : law_chance(maker, 0.25) ? 1 : law_range(maker, 0.1, 1);
    law_set_material(maker, friction, restitution);
}

/* Bodies on a ring about the origin, in sectors of their own so that none overlap, flying towards points near it. They
 * meet within the run: the time is set by the slowest. */
void law_make_free(law_maker *maker)
{
    uint32_t count = body_count(maker);
    double largest = 0.4, apart = count < 4 ? 1 : 0.4 * (double)count;
    any_material(maker);
    maker->scene->gravity = v3(0, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        double sine, cosine, radius = law_range(maker, 0.1, largest);
        ashi_sincos(6.283185307179586 * (double)i / (double)count, &sine, &cosine);
        double distance = law_range(maker, 0.45, 0.6) * apart + radius / 2;
        ash_vec3 position = v3(distance * cosine, distance * sine, 0);
        ash_vec3 target = law_vector(maker, 0.2);
        double reach = v3_distance(position, target) / maker->scene->time;
        double speed = law_range(maker, 0.6, 1.5) * reach;
        speed = speed > 20 ? 20 : speed;
        ash_vec3 velocity = v3_scale(v3_unit(v3_sub(target, position)), speed);
        law_add_body(maker, radius, position, law_rotation(maker), velocity, law_spin(maker, 10));
    }
}

/* Half the height of what stands on the floor, in the direction up. */
static ash_vec3 block_half(law_maker *maker)
{
    return v3(law_range(maker, 0.08, 0.3), law_range(maker, 0.08, 0.3), law_range(maker, 0.08, 0.3));
}

static double height_of(const law_maker *maker, ash_vec3 half)
{
    return maker->scene->planar ? half.y : half.z;
}

/* A gap below what stands on the floor: contacts at exactly no gap would be there or not by rounding. */
static ash_vec3 stand(law_maker *maker, double height)
{
    return v3_scale(law_up(maker), height + law_spread(maker, 1e-6, 1e-4));
}

/* A row of blocks and balls at rest on a floor, and a last one that flies along the floor at them. */
void law_make_floor(law_maker *maker)
{
    uint32_t count = 1 + law_below(maker, law_chance(maker, 0.7) ? 2 : 6);
    double x = 0;
    law_set_material(maker, 0, law_chance(maker, 0.5) ? 0 : law_range(maker, 0.1, 1));
    law_add_floor(maker, v3(0, 0, 0), law_up(maker));
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 half = block_half(maker);
        bool ball = law_chance(maker, 0.3);
        double width = ball ? height_of(maker, half) : half.x;
        ash_vec3 position = stand(maker, height_of(maker, half));
        position.x = x + width;
        if (ball)
            law_add_ball(maker, height_of(maker, half), position, v3(0, 0, 0), v3(0, 0, 0));
        else
            law_add_block(maker, half, position, q_identity(), v3(0, 0, 0), v3(0, 0, 0));
        x += 2 * width + law_range(maker, 0.02, 0.1);
    }
    double radius = law_range(maker, 0.08, 0.2), speed = law_range(maker, 1, 15);
    double away = speed * maker->scene->time * law_range(maker, 0.1, 0.6);
    ash_vec3 position = stand(maker, radius * law_range(maker, 1, 1.3));
    position.x = -radius - (away > 1 ? 1 : away);
    law_add_ball(maker, radius, position, v3(speed, 0, 0), v3(0, 0, 0));
}

/* Piles of one or two blocks and balls on a floor, some of them sliding or spinning, some a little above it. */
void law_make_resting(law_maker *maker)
{
    uint32_t count = 1 + law_below(maker, law_chance(maker, 0.7) ? 3 : 8);
    any_material(maker);
    if (!maker->scene->planar && law_chance(maker, 0.25))
        law_add_ground(maker);
    else
        law_add_floor(maker, v3(0, 0, 0), law_up(maker));
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 half = block_half(maker), at = stand(maker, height_of(maker, half));
        ash_vec3 velocity = law_vector(maker, law_chance(maker, 0.5) ? 3 : 0), spin = v3(0, 0, 0);
        velocity = v3_sub(velocity, v3_scale(law_up(maker), v3_dot(velocity, law_up(maker))));
        at.x += 0.75 * (double)i;
        if (law_chance(maker, 0.3)) {
            at = v3_add_scaled(at, law_up(maker), law_range(maker, 0.15, 0.3));
            spin = law_spin(maker, 5);
            law_add_body(maker, height_of(maker, half), at, law_rotation(maker), velocity, spin);
        } else {
            law_add_block(maker, half, at, q_identity(), velocity, spin);
            if (law_chance(maker, 0.4)) {
                double radius = law_range(maker, 0.05, 0.2);
                at = v3_add(at, stand(maker, height_of(maker, half) + radius));
                law_add_ball(maker, radius, at, velocity, v3(0, 0, 0));
            }
        }
    }
}

/* Two or three, of which most are meshes or distance fields, fly at each other, or fall on a floor side by side. */
void law_make_surfaces(law_maker *maker)
{
    uint32_t count = law_chance(maker, 0.7) ? 2 : 3;
    bool free = law_chance(maker, 0.5);
    maker->surfaces = true;
    maker->scene->time = fmin(maker->scene->time, 25 * maker->scene->step); /* their contacts are costly */
    any_material(maker);
    if (free)
        maker->scene->gravity = v3(0, 0, 0);
    else if (law_chance(maker, 0.5))
        law_add_ground(maker);
    else
        law_add_floor(maker, v3(0, 0, 0), law_up(maker));
    for (uint32_t i = 0; i < count; i++) {
        double radius = law_range(maker, 0.15, 0.4), speed = law_range(maker, 0, 5);
        ash_vec3 at = v3(0.8 * (double)i, law_range(maker, -0.1, 0.1), radius + law_spread(maker, 1e-3, 0.1));
        ash_vec3 velocity = v3_add_scaled(law_vector(maker, 0.5), v3(1, 0, 0), i == 0 ? speed : -speed);
        law_add_body(maker, radius, at, law_rotation(maker), velocity, law_spin(maker, 5));
    }
}
