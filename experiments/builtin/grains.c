/* Grains: balls and cubes in turn, by their numbers. */
#include "experiments/builtin/grains.h"

#include "math/quat.h"

ash_status ashi_make_grains(ash_scene *scene, double radius, double half, uint32_t material, ashi_grains *grains,
                            ash_diagnostic *diagnostic)
{
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    sphere.radius = radius;
    box.half_extents = v3(half, half, half);
    ash_status status =
        ashi_make_stock(scene, "ball", &sphere, material, ASH_MATERIAL_DENSITY, &grains->ball, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "cube", &box, material, ASH_MATERIAL_DENSITY, &grains->cube, diagnostic);
    return status;
}

ash_quat ashi_turned_anyhow(ashi_random *random)
{
    return q_exp(ashi_draw_vector(random));
}

void ashi_add_grain(ash_scene *scene, const ash_body_def *def, uint32_t number, const ashi_grains *grains,
                    ashi_random *random)
{
    ash_body_def turned = *def;
    turned.rotation = ashi_turned_anyhow(random);
    ashi_add_from_stock(scene, &turned, number % 2 == 0 ? &grains->ball : &grains->cube);
}
