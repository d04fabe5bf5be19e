/* box-pile: cubes turned anyhow fall into a pit and come to lie, beside other engines and for the growth of the costs.
 *
 * The pit widens with the number of cubes and its depth stays, so that what a cube carries and how many it touches do
 * not depend on the number. No cube touches another at the start. */
#include "experiments/builtin/grains.h"
#include "experiments/builtin/statics.h"
#include "math/quat.h"
#include "math/vec3.h"

static const double half = 0.25, spacing = 0.9, wall = 0.5; /* m; the spacing is more than a cube's diagonal */

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "cubes", .value = 1000, .low = 1, .high = 1000000},
    {.name = "layers", .summary = "in which they start", .value = 10, .low = 1, .high = 1000},
    {.name = "mu", .summary = "friction", .value = 0.5, .low = 0, .high = 1000},
};

/* Four walls around a square whose sides are 2 `inner` long. */
static ash_status add_pit(ash_scene *scene, double inner, double height, uint32_t material, ash_diagnostic *diagnostic)
{
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ashi_stock stock = {0};
    box.half_extents = v3(wall, inner + 2 * wall, 0.5 * height);
    ash_status status = ashi_make_stock(scene, "wall", &box, material, 0, &stock, diagnostic);
    for (int i = 0; i < 4 && status == ASH_OK; i++) {
        ash_body_def def = ash_default_body_def();
        def.type = ASH_BODY_STATIC;
        def.name = ashi_scene_text(scene, "wall-%d", i + 1);
        def.rotation = ash_rotation(v3(0, 0, 1), 0.5 * ASHI_PI * i);
        def.position = q_rotate(def.rotation, v3(inner + wall, 0, 0.5 * height));
        ashi_add_from_stock(scene, &def, &stock);
    }
    return status;
}

static void add_cubes(ash_scene *scene, uint32_t count, uint32_t side, const ashi_stock *cube)
{
    ashi_random random = {1000};
    double middle = 0.5 * (side - 1);
    for (uint32_t i = 0; i < count; i++) {
        ash_body_def def = ash_default_body_def();
        uint32_t column = i % (side * side);
        def.position = v3(spacing * (column % side - middle), spacing * (column / side - middle),
                          spacing * (i / (side * side) + 0.5));
        def.rotation = ashi_turned_anyhow(&random);
        ashi_add_from_stock(scene, &def, cube);
    }
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t count = 0, layers = 0, side = 1;
    ash_status status = ashi_parameter_whole(given, "n", &count, diagnostic);
    if (status == ASH_OK)
        status = ashi_parameter_whole(given, "layers", &layers, diagnostic);
    if (status != ASH_OK)
        return status;
    while ((uint64_t)side * side * layers < count)
        side++;
    uint32_t stone = ashi_add_material(scene, "stone", ashi_parameter(given, "mu"), 0);
    scene->step = 0.01;
    scene->time = 4;
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(half, half, half);
    ashi_stock cube = {0};
    status = ashi_add_ground(scene, stone, diagnostic);
    if (status == ASH_OK)
        status = add_pit(scene, 0.5 * side * spacing, layers * spacing, stone, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "cube", &box, stone, ASH_MATERIAL_DENSITY, &cube, diagnostic);
    if (status != ASH_OK)
        return status;
    add_cubes(scene, count, side, &cube);
    ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    ashi_watch_world(scene, "contact points", ASHI_WORLD_CONTACT_POINTS);
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_expect_output(scene, "no overlap beyond a twentieth of a cube in the end", overlap, ASHI_FINAL, 0, 0.1 * half);
    ashi_expect_fallen(scene, 0.1, 0.95);
    return ashi_use_method(scene, "realtime", diagnostic);
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    return ashi_validate_checks(validation, "rest", diagnostic);
}

const ashi_builtin ashi_scene_box_pile = {
    .info = {.name = "box-pile",
             .lengthy = true,
             .summary = "cubes fall into a pit and come to lie",
             .source = "a pile as other engines are measured by",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
