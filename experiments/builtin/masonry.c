/* box-stack, wall, tower: large structured stacks (Erleben 2007, figures 9-11), and what is measured of them.
 *
 * All blocks are laid without mortar, just touching in their bed joints. Head joints of wall and tower are open by far
 * more than any contact margin, so that only bed joints carry. */
#include "experiments/builtin/masonry.h"

#include "base/diagnostic.h"
#include "experiments/builtin/convergence.h"
#include "experiments/builtin/statics.h"
#include "math/quat.h"
#include "math/vec3.h"

static const double density = 2000, friction = 0.5, head_joint = 0.01;
static const ash_vec3 brick_half = {0.2, 0.1, 0.1}, half_brick_half = {0.095, 0.1, 0.1};

static const ash_scene_parameter stack_parameters[] = {
    {.name = "n", .summary = "unit cubes", .value = 25, .low = 1, .high = 1000},
};
static const ash_scene_parameter wall_parameters[] = {
    {.name = "columns", .summary = "bricks in a row", .value = 20, .low = 2, .high = 1000},
    {.name = "rows", .summary = "rows", .value = 10, .low = 1, .high = 1000},
};
static const ash_scene_parameter tower_parameters[] = {
    {.name = "layers", .summary = "rings of bricks", .value = 16, .low = 1, .high = 1000},
    {.name = "per-layer", .summary = "bricks in a ring", .value = 20, .low = 6, .high = 1000},
};

/* Step and time of Erleben's experiments, method engineering, and the ground of stone. */
static ash_status begin(ash_scene *scene, uint32_t *stone, ash_diagnostic *diagnostic)
{
    scene->step = 0.01;
    scene->time = 4;
    *stone = ashi_add_material(scene, "stone", friction, 0);
    ash_status status = ashi_use_method(scene, "engineering", diagnostic);
    return status == ASH_OK ? ashi_add_ground(scene, *stone, diagnostic) : status;
}

static ash_status block_stock(ash_scene *scene, const char *name, ash_vec3 half_extents, uint32_t stone,
                              ashi_stock *stock, ash_diagnostic *diagnostic)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = half_extents;
    return ashi_make_stock(scene, name, &def, stone, density, stock, diagnostic);
}

/* Watches the last block laid, which is on top: it moves more than any other when something gives way below. */
static void watch_top(ash_scene *scene, uint32_t top, ash_vec3 at)
{
    uint32_t x = ashi_watch_body(scene, "top x", ASHI_BODY_POSITION, top, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "top y", ASHI_BODY_POSITION, top, ASHI_Y);
    uint32_t z = ashi_watch_body(scene, "top z", ASHI_BODY_POSITION, top, ASHI_Z);
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_watch_world(scene, "residual", ASHI_WORLD_RESIDUAL);
    ashi_expect_output(scene, "the top stays in its place along x within 1 mm", x, ASHI_FINAL, at.x, 0.001);
    ashi_expect_output(scene, "the top stays in its place along y within 1 mm", y, ASHI_FINAL, at.y, 0.001);
    ashi_expect_output(scene, "the top stays at its height within 1 mm", z, ASHI_FINAL, at.z, 0.001);
    ashi_expect_output(scene, "no overlap beyond 1 mm at the end", overlap, ASHI_FINAL, 0, 0.001);
    ashi_expect_weight_carried(scene);
}

static ash_status build_stack(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t n = 0, stone = ASHI_NONE, top = ASHI_NONE;
    ashi_stock cube = {0};
    ash_status status = ashi_parameter_whole(given, "n", &n, diagnostic);
    if (status == ASH_OK)
        status = begin(scene, &stone, diagnostic);
    if (status == ASH_OK)
        status = block_stock(scene, "cube", v3(0.5, 0.5, 0.5), stone, &cube, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->time = 10;
    ash_body_def body = ash_default_body_def();
    for (uint32_t i = 0; i < n; i++) {
        body.position = v3(0, 0, i + 0.5);
        top = ashi_add_from_stock(scene, &body, &cube);
    }
    watch_top(scene, top, body.position);
    return ASH_OK;
}

/* Rows of `columns` bricks, every other one shifted by half a brick, with half bricks at its ends. */
static ash_status build_wall(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t columns = 0, rows = 0, stone = ASHI_NONE, top = ASHI_NONE;
    ashi_stock brick = {0}, half = {0};
    ash_status status = ashi_parameter_whole(given, "columns", &columns, diagnostic);
    if (status == ASH_OK)
        status = ashi_parameter_whole(given, "rows", &rows, diagnostic);
    if (status == ASH_OK)
        status = begin(scene, &stone, diagnostic);
    if (status == ASH_OK)
        status = block_stock(scene, "brick", brick_half, stone, &brick, diagnostic);
    if (status == ASH_OK)
        status = block_stock(scene, "half brick", half_brick_half, stone, &half, diagnostic);
    if (status != ASH_OK)
        return status;
    double pitch = 2 * brick_half.x + head_joint, middle = 0.5 * (columns - 1) * pitch;
    ash_body_def body = ash_default_body_def();
    for (uint32_t row = 0; row < rows; row++) {
        bool shifted = row % 2 == 1;
        body.position.z = (2 * row + 1) * brick_half.z;
        if (shifted) { /* flush with the ends of the row below */
            double end = middle + brick_half.x - half_brick_half.x;
            body.position.x = -end;
            ashi_add_from_stock(scene, &body, &half);
            body.position.x = end;
            ashi_add_from_stock(scene, &body, &half);
        }
        for (uint32_t column = 0; column < columns - shifted; column++) {
            body.position.x = (column + 0.5 * shifted) * pitch - middle;
            top = ashi_add_from_stock(scene, &body, &brick);
        }
    }
    watch_top(scene, top, body.position);
    return ASH_OK;
}

/* Rings of bricks, every other one turned by half a brick. Inner edges of neighbours are a head joint apart. */
static ash_status lay_tower(ash_scene *scene, uint32_t layers, uint32_t per_layer, uint32_t stone, ashi_tower *tower,
                            ash_diagnostic *diagnostic)
{
    ashi_stock brick = {0};
    ash_status status = block_stock(scene, "brick", brick_half, stone, &brick, diagnostic);
    if (status != ASH_OK)
        return status;
    double part = 2 * ASHI_PI / per_layer;
    ash_vec3 to_joint = q_rotate(ash_rotation(v3(0, 0, 1), 0.5 * part), v3(1, 0, 0));
    double radius = (brick_half.x + 0.5 * head_joint) * to_joint.x / to_joint.y + brick_half.y;
    *tower = (ashi_tower){.first = scene->bodies.count,
                          .outer_radius = v3_norm(v3(brick_half.x, radius + brick_half.y, 0)),
                          .height = 2 * layers * brick_half.z,
                          .brick_mass = 8 * density * brick_half.x * brick_half.y * brick_half.z};
    ash_body_def body = ash_default_body_def();
    for (uint32_t layer = 0; layer < layers; layer++)
        for (uint32_t i = 0; i < per_layer; i++) {
            body.rotation = ash_rotation(v3(0, 0, 1), (i + 0.5 * (layer % 2)) * part);
            body.position = q_rotate(body.rotation, v3(0, -radius, (2 * layer + 1) * brick_half.z));
            tower->top = ashi_add_from_stock(scene, &body, &brick);
        }
    tower->top_at = body.position;
    return ASH_OK;
}

ash_status ashi_begin_tower(ash_scene *scene, const ashi_parameters *given, uint32_t *stone, ashi_tower *tower,
                            ash_diagnostic *diagnostic)
{
    uint32_t layers = 0, per_layer = 0;
    ash_status status = ashi_parameter_whole(given, "layers", &layers, diagnostic);
    if (status == ASH_OK)
        status = ashi_parameter_whole(given, "per-layer", &per_layer, diagnostic);
    if (status == ASH_OK)
        status = begin(scene, stone, diagnostic);
    return status == ASH_OK ? lay_tower(scene, layers, per_layer, *stone, tower, diagnostic) : status;
}

static ash_status build_tower(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t stone = ASHI_NONE;
    ashi_tower tower = {0};
    ash_status status = ashi_begin_tower(scene, given, &stone, &tower, diagnostic);
    if (status == ASH_OK)
        watch_top(scene, tower.top, tower.top_at);
    return status;
}

/* Does it stand, and how do iterations converge on it? */
static ash_status validate_stack(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_validate_box_stack(validation, diagnostic);
    if (status == ASH_OK)
        status = ashi_validate_convergence(validation, "", "25 cubes", "Erleben 2007, figure 8", diagnostic);
    return status == ASH_OK ? ashi_validate_damping(validation, diagnostic) : status;
}

/* A smaller wall for the spectrum: that of 200 bricks has 4800 rows. Balls in a grid are beside it for comparison. */
static ash_status validate_wall(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = ashi_validate_wall(validation, diagnostic);
    if (status == ASH_OK)
        status = ashi_validate_convergence(validation, "columns=5 rows=5", "5 x 5 bricks", "Erleben 2007, figure 4",
                                           diagnostic);
    return status == ASH_OK ? ashi_validate_ball_grid_convergence(validation, diagnostic) : status;
}

const ashi_builtin ashi_scene_box_stack = {
    .info = {.name = "box-stack",
             .lengthy = true,
             .summary = "unit cubes on top of each other",
             .source = "Erleben 2007, figure 9",
             .parameters = stack_parameters,
             .parameter_count = sizeof stack_parameters / sizeof *stack_parameters},
    .build = build_stack,
    .validate = validate_stack,
};

const ashi_builtin ashi_scene_wall = {
    .info = {.name = "wall",
             .summary = "a dry wall of bricks in running bond",
             .source = "Erleben 2007, figure 10",
             .parameters = wall_parameters,
             .parameter_count = sizeof wall_parameters / sizeof *wall_parameters},
    .build = build_wall,
    .validate = validate_wall,
};

const ashi_builtin ashi_scene_tower = {
    .info = {.name = "tower",
             .lengthy = true,
             .summary = "a dry tower of rings of bricks",
             .source = "Erleben 2007, figure 11",
             .parameters = tower_parameters,
             .parameter_count = sizeof tower_parameters / sizeof *tower_parameters},
    .build = build_tower,
    .validate = ashi_validate_tower,
};
