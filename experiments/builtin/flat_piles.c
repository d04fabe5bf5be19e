/* pyramid-2d and pile-2d: flat crowds, at rest and falling, as flat engines are measured by.
 *
 * pyramid-2d: squares in rows of n, n - 1, ..., 1, exactly on each other; those of a row are a tenth of a side apart,
 * so that only beds carry. pile-2d: discs, boxes, triangles, pentagons, hexagons and capsules in turn, turned anyhow,
 * fall into a basin; none touches another at the start. */
#include "base/random.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <math.h>

static const double friction = 0.5, density = 8, gravity = 9.81; /* kg/m2, m/s2 */
static const double side = 0.5, row_pitch = 0.55;                /* m, of the pyramid */
static const double radius = 0.1, cell = 0.22, wall = 0.5; /* m, of the pile: no shape reaches beyond the radius */

static const ash_scene_parameter pyramid_parameters[] = {
    {.name = "rows", .summary = "20: 210 squares, 100: 5050", .value = 20, .low = 1, .high = 300},
};
static const ash_scene_parameter pile_parameters[] = {
    {.name = "n", .summary = "shapes", .value = 3000, .low = 1, .high = 30000},
};

static ash_status begin(ash_scene *scene, double time, uint32_t *stone, ash_diagnostic *diagnostic)
{
    scene->planar = true;
    scene->gravity = v3(0, -gravity, 0);
    scene->step = 0.01;
    scene->time = time;
    *stone = ashi_add_material(scene, "stone", friction, 0);
    ash_status status = ashi_use_method(scene, "realtime", diagnostic);
    return status == ASH_OK ? ashi_add_ground(scene, *stone, diagnostic) : status;
}

static ash_status build_pyramid(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    static const ash_vec3 square[] = {{-0.25, -0.25, 0}, {0.25, -0.25, 0}, {0.25, 0.25, 0}, {-0.25, 0.25, 0}};
    uint32_t rows = 0, stone = ASHI_NONE, top = ASHI_NONE;
    ashi_stock stock = {0};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    def.points = square;
    def.point_count = 4;
    ash_status status = ashi_parameter_whole(given, "rows", &rows, diagnostic);
    if (status == ASH_OK)
        status = begin(scene, 4, &stone, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "square", &def, stone, density, &stock, diagnostic);
    if (status != ASH_OK)
        return status;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < rows - row; i++) {
            ash_body_def body = ash_default_body_def();
            body.position = v3(row_pitch * (i - 0.5 * (rows - row - 1)), side * (row + 0.5), 0);
            top = ashi_add_from_stock(scene, &body, &stock);
        }
    uint32_t x = ashi_watch_body(scene, "top x", ASHI_BODY_POSITION, top, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "top y", ASHI_BODY_POSITION, top, ASHI_Y);
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_expect_output(scene, "the top stays in its place along x within 1 mm", x, ASHI_MAX_ABS, 0, 0.001);
    ashi_expect_output(scene, "the top stays at its height within 1 mm", y, ASHI_FINAL, side * (rows - 0.5), 0.001);
    ashi_expect_output(scene, "no overlap beyond 1 mm", overlap, ASHI_MAX, 0, 0.001);
    ashi_expect_weight_carried(scene);
    return ASH_OK;
}

enum { KINDS = 6 };

/* The six shapes, all within a circle of the same radius. */
static ash_status make_shapes(ash_scene *scene, uint32_t stone, ashi_stock stocks[KINDS], ash_diagnostic *diagnostic)
{
    static const char *const names[KINDS] = {"disc", "box", "triangle", "pentagon", "hexagon", "capsule"};
    static const uint32_t corners[KINDS] = {0, 4, 3, 5, 6, 0};
    ash_status status = ASH_OK;
    for (uint32_t kind = 0; kind < KINDS && status == ASH_OK; kind++) {
        ash_geometry_def def = ash_default_geometry_def(corners[kind] > 0 ? ASH_GEOMETRY_POLYGON
                                                        : kind == 0       ? ASH_GEOMETRY_CIRCLE
                                                                          : ASH_GEOMETRY_FLAT_CAPSULE);
        ash_vec3 points[6];
        def.radius = kind == 0 ? radius : 0.5 * radius;
        def.height = radius;
        for (uint32_t i = 0; i < corners[kind]; i++) {
            double angle = 2 * ASHI_PI * (i + 0.5) / corners[kind];
            points[i] = v3(radius * ashi_cos(angle), radius * ashi_sin(angle), 0);
        }
        def.points = corners[kind] > 0 ? points : NULL;
        def.point_count = corners[kind];
        status = ashi_make_stock(scene, names[kind], &def, stone, density, &stocks[kind], diagnostic);
    }
    return status;
}

static ash_status add_basin(ash_scene *scene, double inner, double height, uint32_t stone, ash_diagnostic *diagnostic)
{
    const ash_vec3 corners[] = {{-wall, 0, 0}, {wall, 0, 0}, {wall, height, 0}, {-wall, height, 0}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    ashi_stock stock = {0};
    def.points = corners;
    def.point_count = 4;
    ash_status status = ashi_make_stock(scene, "wall", &def, stone, 0, &stock, diagnostic);
    for (int i = 0; i < 2 && status == ASH_OK; i++) {
        ash_body_def body = ash_default_body_def();
        body.type = ASH_BODY_STATIC;
        body.name = i == 0 ? "left" : "right";
        body.position = v3((i == 0 ? -1 : 1) * (inner + wall), 0, 0);
        ashi_add_from_stock(scene, &body, &stock);
    }
    return status;
}

static ash_status build_pile(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t count = 0, stone = ASHI_NONE;
    ashi_stock stocks[KINDS] = {0};
    ash_status status = ashi_parameter_whole(given, "n", &count, diagnostic);
    if (status == ASH_OK)
        status = begin(scene, 6, &stone, diagnostic);
    if (status == ASH_OK)
        status = make_shapes(scene, stone, stocks, diagnostic);
    if (status != ASH_OK)
        return status;
    /* Sixteen times as wide as high. */
    uint32_t across = (uint32_t)ceil(4 * sqrt(count));
    double inner = 0.5 * across * cell;
    status = add_basin(scene, inner, (count / across + 1) * cell, stone, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_random random = {2};
    for (uint32_t i = 0; i < count; i++) {
        ash_body_def body = ash_default_body_def();
        body.position = v3(cell * (i % across + 0.5) - inner, cell * (i / across + 0.5), 0);
        body.rotation = ash_rotation(v3(0, 0, 1), ashi_random_range(&random, -ASHI_PI, ASHI_PI));
        ashi_add_from_stock(scene, &body, &stocks[ashi_random_below(&random, KINDS)]);
    }
    ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    ashi_watch_world(scene, "contact points", ASHI_WORLD_CONTACT_POINTS);
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_expect_output(scene, "no overlap beyond a tenth of the radius in the end", overlap, ASHI_FINAL, 0,
                       0.1 * radius);
    ashi_expect_fallen(scene, 0.1, 0.95);
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    return ashi_validate_checks(validation, "rest", diagnostic);
}

const ashi_builtin ashi_scene_pyramid_2d = {
    .info = {.name = "pyramid-2d",
             .summary = "a flat pyramid of squares at rest",
             .source = "a pyramid as flat engines are measured by",
             .parameters = pyramid_parameters,
             .parameter_count = 1},
    .build = build_pyramid,
    .validate = validate,
};

const ashi_builtin ashi_scene_pile_2d = {
    .info = {.name = "pile-2d",
             .lengthy = true,
             .summary = "six kinds of flat shapes fall into a basin",
             .source = "a pile as flat engines are measured by",
             .parameters = pile_parameters,
             .parameter_count = 1},
    .build = build_pile,
    .validate = validate,
};
