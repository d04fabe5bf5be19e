/* The families, and the random parts that they share. Rotations and directions use only +, -, *, / and square roots:
 * the same bits everywhere. */
#include "generate.h"

#include "math/quat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const family_names[FAMILIES] = {"free",   "floor", "resting", "mechanism", "jointed", "springs",
                                                   "motors", "mixed", "incline", "bounce",    "statics", "surfaces"};

const char *law_family_name(law_family family)
{
    return family_names[family];
}

law_family law_family_find(const char *name)
{
    law_family family = 0;
    while (family < FAMILIES && strcmp(name, family_names[family]) != 0)
        family++;
    return family;
}

double law_range(law_maker *maker, double low, double high)
{
    return ashi_random_range(&maker->random, low, high);
}

double law_spread(law_maker *maker, double low, double high)
{
    return low * ashi_exp(ashi_random_unit(&maker->random) * ashi_ln(high / low));
}

uint32_t law_below(law_maker *maker, uint32_t count)
{
    return ashi_random_below(&maker->random, count);
}

bool law_chance(law_maker *maker, double probability)
{
    return ashi_random_unit(&maker->random) < probability;
}

ash_vec3 law_vector(law_maker *maker, double radius)
{
    for (;;) {
        ash_vec3 v;
        v.x = law_range(maker, -1, 1);
        v.y = law_range(maker, -1, 1);
        v.z = maker->scene->planar ? 0 : law_range(maker, -1, 1);
        if (v3_norm2(v) <= 1 && v3_norm2(v) > 1e-4)
            return v3_scale(v, radius);
    }
}

ash_vec3 law_direction(law_maker *maker)
{
    return v3_unit(law_vector(maker, 1));
}

ash_quat law_rotation(law_maker *maker)
{
    if (maker->scene->planar)
        return q_exp(v3(0, 0, law_range(maker, -3, 3)));
    return q_exp(law_vector(maker, 3));
}

ash_vec3 law_spin(law_maker *maker, double size)
{
    if (maker->scene->planar)
        return v3(0, 0, law_range(maker, -size, size));
    return law_vector(maker, size);
}

ash_vec3 law_up(const law_maker *maker)
{
    return maker->scene->planar ? v3(0, 1, 0) : v3(0, 0, 1);
}

void law_set_material(law_maker *maker, double friction, double restitution)
{
    ash_material_def def = ash_default_material_def();
    def.name = "surface";
    def.surface.friction = friction;
    def.surface.restitution = restitution;
    def.density = law_spread(maker, 200, 5000);
    maker->material = ashi_scene_add_material(maker->scene, &def);
}

ash_quat law_rotation_to(const law_maker *maker, ash_vec3 normal)
{
    ash_vec3 up = law_up(maker);
    ash_vec3 axis = v3_cross(up, normal);
    double cosine = v3_dot(up, normal);
    return q_unit((ash_quat){1 + cosine, axis.x, axis.y, axis.z});
}

/* Steps and time: some tens of steps of 1 to 10 ms. */
static void set_time(law_maker *maker)
{
    static const double steps[] = {0.01, 0.005, 0.002, 0.001};
    maker->scene->step = steps[law_below(maker, 4)];
    maker->scene->time = maker->scene->step * (20 + law_below(maker, 30));
}

static void make(law_maker *maker, law_family family)
{
    switch (family) {
    case FAMILY_FREE:
        law_make_free(maker);
        return;
    case FAMILY_FLOOR:
        law_make_floor(maker);
        return;
    case FAMILY_RESTING:
        law_make_resting(maker);
        return;
    case FAMILY_MECHANISM:
        law_make_mechanism(maker, false, false);
        return;
    case FAMILY_JOINTED:
        law_make_mechanism(maker, true, false);
        return;
    case FAMILY_SPRINGS:
        law_make_springs(maker);
        return;
    case FAMILY_MOTORS:
        law_make_mechanism(maker, false, true);
        return;
    case FAMILY_MIXED:
        law_make_mixed(maker);
        return;
    case FAMILY_INCLINE:
        law_make_incline(maker);
        return;
    case FAMILY_BOUNCE:
        law_make_bounce(maker);
        return;
    case FAMILY_STATICS:
        law_make_statics(maker);
        return;
    default:
        law_make_surfaces(maker);
        return;
    }
}

ash_scene *law_generate(law_family family, uint64_t seed)
{
    law_maker maker = {.random = {seed * 0x9e3779b97f4a7c15u + (uint64_t)family}, .contacts = true};
    char name[64];
    snprintf(name, sizeof name, "%s-%llu", law_family_name(family), (unsigned long long)seed);
    if (ashi_scene_create(name, &maker.scene, NULL) != ASH_OK)
        abort(); /* out of memory */
    maker.scene->planar = law_chance(&maker, 0.4) && family != FAMILY_SURFACES;
    maker.scene->gravity = v3_scale(law_up(&maker), -9.81);
    set_time(&maker);
    make(&maker, family);
    ash_diagnostic diagnostic = {0};
    if (ashi_scene_finish(maker.scene, &diagnostic) != ASH_OK) {
        fprintf(stderr, "%s: %s\n", name, diagnostic.message);
        abort(); /* a fault of the generator */
    }
    return maker.scene;
}
