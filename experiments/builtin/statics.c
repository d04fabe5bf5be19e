/* What the ground carries, and how far bodies have fallen: numbers of the scene as it was written down. */
#include "experiments/builtin/statics.h"

#include "experiments/builtin/parts.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* kg; 0 for what does not move. */
static double mass_of(const ash_scene *scene, const ashi_scene_body *body)
{
    if (body->def.type != ASH_BODY_DYNAMIC)
        return 0;
    double sum = 0;
    for (uint32_t i = body->first_shape; i < body->first_shape + body->shape_count; i++) {
        const ashi_scene_shape *shape = &scene->shapes.data[i];
        ash_mass_properties mass = {0};
        double density = shape->density;
        if (density == ASH_MATERIAL_DENSITY)
            density = shape->material != ASHI_NONE ? scene->materials.data[shape->material].density
                                                   : ash_default_material_def().density;
        if (ash_geometry_mass(scene->geometries.data[shape->geometry].geometry, density, &mass, NULL) == ASH_OK)
            sum += mass.mass;
    }
    return body->def.mass > 0 ? body->def.mass : sum;
}

double ashi_scene_mass(const ash_scene *scene)
{
    double sum = 0;
    for (uint32_t i = 0; i < scene->bodies.count; i++)
        sum += mass_of(scene, &scene->bodies.data[i]);
    return sum;
}

double ashi_scene_height_energy(const ash_scene *scene)
{
    double sum = 0;
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        const ashi_scene_body *body = &scene->bodies.data[i];
        sum -= mass_of(scene, body) * v3_dot(scene->gravity, body->def.position);
    }
    return sum;
}

void ashi_expect_weight_carried(ash_scene *scene)
{
    ashi_component up = scene->planar ? ASHI_Y : ASHI_Z;
    double weight = ashi_scene_mass(scene) * v3_norm(scene->gravity);
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        const char *name = scene->bodies.data[i].def.name;
        if (name == NULL || strcmp(name, "ground") != 0)
            continue;
        uint32_t load = ashi_watch_body(scene, "load of the ground", ASHI_BODY_CONTACT_FORCE, i, up);
        ashi_expect_output_between(scene, "the ground carries the weight, within 2 %", load, ASHI_MEAN, -weight,
                                   0.02 * weight, scene->step, 0);
    }
}

/* Of bodies that lie on the ground at height 0: no centre is as low as a tenth of what its shape reaches, in any pose.
 */
static double least_height_energy(const ash_scene *scene)
{
    const ash_transform origin = {{0, 0, 0}, {1, 0, 0, 0}};
    double sum = 0;
    for (uint32_t i = 0; i < scene->bodies.count; i++) {
        const ashi_scene_body *body = &scene->bodies.data[i];
        double weight = mass_of(scene, body) * v3_norm(scene->gravity);
        if (!(weight > 0))
            continue;
        ash_bounds b = ash_geometry_bounds(
            scene->geometries.data[scene->shapes.data[body->first_shape].geometry].geometry, origin);
        double reach = fmin(b.upper.x - b.lower.x, b.upper.y - b.lower.y) / 2;
        sum += weight * 0.1 * (scene->planar ? reach : fmin(reach, (b.upper.z - b.lower.z) / 2));
    }
    return sum;
}

void ashi_expect_fallen(ash_scene *scene, double low, double high)
{
    double start = ashi_scene_height_energy(scene);
    uint32_t energy = ashi_watch_world(scene, "potential energy", ASHI_WORLD_GRAVITY);
    ashi_expect_range(scene, "everything has fallen, and lies on something", energy, ASHI_FINAL,
                      fmax(low * start, least_height_energy(scene)), high * start);
}

void ashi_expect_range(ash_scene *scene, const char *name, uint32_t output, ashi_reduction reduction, double low,
                       double high)
{
    ashi_expect_output(scene, name, output, reduction, 0.5 * (low + high), 0.5 * (high - low));
}
