/* Worlds with an answer by hand: a block on an incline, a central impact, a beam on two supports. */
#include "generate.h"

#include "math/quat.h"

#include <math.h>

/* A flat block on a plane whose slope is 0.9, 0.99, 1.01 or 1.1 times the coefficient of static friction; body 0 is the
 * plane, body 1 the block. In half of the worlds sliding friction is less. */
void law_make_incline(law_maker *maker)
{
    static const double shares[] = {0.9, 0.99, 1.01, 1.1};
    double friction = law_range(maker, 0.2, 0.8), share = shares[law_below(maker, 4)];
    law_set_material(maker, friction, 0);
    ash_material_def *material = &maker->scene->materials.data[maker->material];
    if (law_chance(maker, 0.5))
        material->surface.sliding_friction = friction * law_range(maker, 0.6, 0.95);
    double slope = share * friction, cosine = 1 / sqrt(1 + slope * slope), sine = slope * cosine;
    double c = 1, s = 0;
    if (!maker->scene->planar)
        ashi_sincos(law_range(maker, -3, 3), &s, &c);
    ash_vec3 normal = maker->scene->planar ? v3(-sine, cosine, 0) : v3(-sine * c, -sine * s, cosine);
    law_add_floor(maker, v3(0, 0, 0), normal);
    double width = law_range(maker, 0.2, 0.4), height = 0.3 * width;
    ash_vec3 half = maker->scene->planar ? v3(width, height, 0) : v3(width, law_range(maker, 0.2, 0.4), height);
    ash_quat rotation = law_rotation_to(maker, normal);
    if (!maker->scene->planar)
        rotation = q_mul(rotation, q_exp(v3(0, 0, law_range(maker, -3, 3))));
    law_add_block(maker, half, v3_scale(normal, height), rotation, v3(0, 0, 0), v3(0, 0, 0));
    maker->scene->time = law_chance(maker, 0.2) ? 1 : 0.4; /* a slow slide outlasts the time to fall asleep */
}

/* Without gravity: a ball meets a floor at any angle, or on a rail, or another ball head on, or a block meets a floor
 * flat, at any phase of a step. Bodies 0 and 1 are the two that meet. */
void law_make_bounce(law_maker *maker)
{
    double friction = law_chance(maker, 0.5) ? 0 : law_range(maker, 0.1, 0.8), speed = law_range(maker, 2, 12);
    double steps = rint(maker->scene->time / maker->scene->step);
    double until = (0.2 + 0.5 * law_range(maker, 0, 1)) * steps * maker->scene->step; /* of the impact */
    ash_vec3 normal = law_direction(maker), none = v3(0, 0, 0);
    ash_vec3 across = law_vector(maker, 3);
    law_set_material(maker, friction, law_chance(maker, 0.3) ? 1 : law_range(maker, 0.2, 1));
    maker->scene->gravity = none;
    across = v3_add_scaled(across, normal, -v3_dot(across, normal));
    double radius = law_range(maker, 0.1, 0.3);
    switch (law_below(maker, 3)) {
    case 0: {
        double other = law_range(maker, 0.1, 0.3), share = law_range(maker, 0, 1);
        law_add_ball(maker, other, none, v3_scale(normal, share * speed), none);
        law_add_ball(maker, radius, v3_scale(normal, radius + other + speed * until),
                     v3_scale(normal, (share - 1) * speed), none);
        return;
    }
    case 1: {
        law_add_floor(maker, none, normal);
        ash_vec3 at = v3_add_scaled(v3_scale(normal, radius + speed * until), across, -until);
        if (law_chance(maker, 0.4)) { /* on a rail */
            at = v3_scale(normal, radius + speed * until);
            uint32_t ball = law_add_ball(maker, radius, at, v3_scale(normal, -speed), none);
            ash_joint_def rail = ash_default_joint_def(ASH_JOINT_SLIDER);
            rail.body_b = ashi_scene_body_ref(ball);
            ashi_scene_place_joint(maker->scene, &rail, at, normal);
            ashi_scene_add_joint(maker->scene, &rail);
            return;
        }
        law_add_ball(maker, radius, at, v3_add_scaled(across, normal, -speed), law_spin(maker, 5));
        return;
    }
    default: {
        ash_vec3 half = v3(law_range(maker, 0.1, 0.3), radius, radius);
        law_add_floor(maker, none, normal);
        maker->scene->materials.data[maker->material].surface.friction = 0;
        law_add_block(maker, half, v3_scale(normal, radius + speed * until), law_rotation_to(maker, normal),
                      v3_scale(normal, -speed), none);
        return;
    }
    }
}

/* A beam, body 0, hinged at one place (joint 0) and held along the vertical at another (joint 1); further bodies are
 * fixed on it. All is at rest. */
void law_make_statics(law_maker *maker)
{
    ash_vec3 none = v3(0, 0, 0), up = law_up(maker);
    double length = law_range(maker, 0.5, 2), thick = 0.05;
    maker->contacts = false;
    law_set_material(maker, 0.5, 0);
    uint32_t beam = law_add_block(maker, v3(length, thick, thick), none, q_identity(), none, none);
    for (int end = 0; end < 2; end++) {
        ash_joint_def def = ash_default_joint_def(end == 0 ? ASH_JOINT_HINGE : ASH_JOINT_POINT_ON_PLANE);
        if (end == 1 && maker->scene->planar)
            def = ash_default_joint_def(ASH_JOINT_POINT_ON_LINE);
        def.body_b = ashi_scene_body_ref(beam);
        double at = end == 0 ? -length * law_range(maker, 0.5, 1) : length * law_range(maker, 0.3, 1);
        ash_vec3 axis = end == 0 ? v3(0, 1, 0) : maker->scene->planar ? v3(1, 0, 0) : up;
        ashi_scene_place_joint(maker->scene, &def, v3(at, 0, 0), axis);
        ashi_scene_add_joint(maker->scene, &def);
    }
    for (uint32_t i = 0, count = law_below(maker, 4); i < count; i++) {
        ash_vec3 at = v3_scale(up, 0.2);
        at.x = law_range(maker, -length, length);
        uint32_t load = law_add_ball(maker, law_range(maker, 0.05, 0.15), at, none, none);
        ash_joint_def def = ash_default_joint_def(ASH_JOINT_FIXED);
        def.body_a = ashi_scene_body_ref(beam);
        def.body_b = ashi_scene_body_ref(load);
        ashi_scene_place_joint(maker->scene, &def, at, v3(1, 0, 0));
        ashi_scene_add_joint(maker->scene, &def);
    }
}
