/* Chains and small nets of springs, below the bound of explicit integrators: h omega < 0.5 at each spring. */
#include "generate.h"

#include "math/quat.h"

#include <math.h>

static double mass_of_ball(const law_maker *maker, double radius)
{
    double density = maker->scene->materials.data[maker->material].density;
    double pi = 3.141592653589793;
    return density * (maker->scene->planar ? pi * radius * radius : pi * 4 / 3 * radius * radius * radius);
}

static void tie(law_maker *maker, uint32_t a, uint32_t b, double mass, bool conservative)
{
    const ashi_scene_body *bodies = maker->scene->bodies.data;
    ash_spring_def spring = ash_default_spring_def();
    double h = maker->scene->step, distance;
    if (a == ASHI_NONE) {
        spring.point_a = v3_add(bodies[b].def.position, v3_scale(law_direction(maker), 0.4));
        distance = v3_distance(spring.point_a, bodies[b].def.position);
    } else {
        spring.body_a = ashi_scene_body_ref(a);
        distance = v3_distance(bodies[a].def.position, bodies[b].def.position);
    }
    spring.body_b = ashi_scene_body_ref(b);
    /* Up to four springs at a ball, and two balls at a spring: omega^2 <= 8 k / m. */
    double stiffest = mass * 0.25 / (8 * h * h);
    spring.stiffness = stiffest * law_spread(maker, 1e-4, 1);
    spring.damping = conservative ? 0 : law_range(maker, 0, 0.05) * sqrt(spring.stiffness * mass);
    spring.rest_length = distance * law_range(maker, 0.8, 1.2);
    spring.tension_only = !conservative && law_chance(maker, 0.3);
    ashi_scene_add_spring(maker->scene, &spring);
}

void law_make_springs(law_maker *maker)
{
    uint32_t columns = 2 + law_below(maker, 2), rows = 1 + law_below(maker, law_chance(maker, 0.6) ? 1 : 4);
    bool conservative = law_chance(maker, 0.4), anchored = law_chance(maker, 0.6);
    maker->contacts = !conservative && law_chance(maker, 0.4);
    law_set_material(maker, 0.3, 0);
    if (maker->contacts)
        law_add_floor(maker, v3_scale(law_up(maker), -law_range(maker, 0.15, 0.3)), law_up(maker));
    if (!maker->contacts && law_chance(maker, anchored ? 0.2 : 0.8))
        maker->scene->gravity = v3(0, 0, 0);
    double radius = law_range(maker, 0.05, 0.1), mass = mass_of_ball(maker, radius);
    uint32_t first = maker->scene->bodies.count;
    for (uint32_t i = 0; i < rows * columns; i++) {
        ash_vec3 at = v3(0.4 * (double)(i % columns), 0.4 * (double)(i / columns), 0);
        law_add_ball(maker, radius, at, law_vector(maker, 1), law_spin(maker, 2));
        if (i % columns > 0)
            tie(maker, first + i - 1, first + i, mass, conservative);
        if (i >= columns)
            tie(maker, first + i - columns, first + i, mass, conservative);
    }
    if (anchored)
        tie(maker, ASHI_NONE, first, mass, conservative);
}
