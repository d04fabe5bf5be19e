/* roof-tower and falling-roof: a heavy roof falls on a dry tower of bricks, which stands, and a cannonball breaks it
 * (Erleben 2007, section 5 with figures 20-27, and figure 16).
 *
 * The roof of roof-tower is one slab, that of falling-roof three that grow smaller upwards, as one body. A roof is
 * absent until it is dropped, and the ball until it is shot. Masses are in bricks. What the paper leaves out: the roof
 * falls from 1 m (2 m), the ball is of stone and flies level towards the tower's axis from 2 m outside. */
#include "experiments/builtin/building.h"
#include "experiments/builtin/masonry.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <math.h>

static const double stone_density = 2000, slab_thickness = 0.2, overhang = 0.1, run_up = 2; /* kg/m3, m */
static const double standing = 0.1; /* m: a brick further from its place has fallen */
static const double after_ball = 4; /* s */

enum { LAYERS, PER_LAYER, ROOF_MASS, ROOF_TIME, DROP, BALL_MASS, BALL_SPEED, BALL_HEIGHT, BALL_TIME, PARAMETERS };

static const ash_scene_parameter tower_parameters[PARAMETERS] = {
    [LAYERS] = {.name = "layers", .summary = "rings of bricks", .value = 40, .low = 1, .high = 1000},
    [PER_LAYER] = {.name = "per-layer", .summary = "bricks in a ring", .value = 20, .low = 6, .high = 1000},
    [ROOF_MASS] = {.name = "roof-mass", .summary = "bricks; 0: no roof", .value = 50, .low = 0, .high = 1e6},
    [ROOF_TIME] = {.name = "roof-time", .summary = "the roof is dropped, s", .value = 2, .low = 0, .high = 1e6},
    [DROP] = {.name = "drop", .summary = "height of the roof over the tower, m", .value = 1, .low = 0, .high = 1000},
    [BALL_MASS] = {.name = "ball-mass", .summary = "bricks; 0: no ball", .value = 40, .low = 0, .high = 1e6},
    [BALL_SPEED] = {.name = "ball-speed", .summary = "m/s", .value = 40, .low = 0, .high = 1000},
    [BALL_HEIGHT] = {.name = "ball-height", .summary = "part of the tower's", .value = 0.35, .low = 0, .high = 2},
    [BALL_TIME] = {.name = "ball-time", .summary = "the ball is shot, s", .value = 6, .low = 0, .high = 1e6},
};

static const ash_scene_parameter roof_parameters[PARAMETERS] = {
    [LAYERS] = {.name = "layers", .summary = "rings of bricks", .value = 32, .low = 1, .high = 1000},
    [PER_LAYER] = {.name = "per-layer", .summary = "bricks in a ring", .value = 20, .low = 6, .high = 1000},
    [ROOF_MASS] = {.name = "roof-mass", .summary = "bricks; 0: no roof", .value = 100, .low = 0, .high = 1e6},
    [ROOF_TIME] = {.name = "roof-time", .summary = "the roof is dropped, s", .value = 0.5, .low = 0, .high = 1e6},
    [DROP] = {.name = "drop", .summary = "height of the roof over the tower, m", .value = 2, .low = 0, .high = 1000},
    [BALL_MASS] = {.name = "ball-mass", .summary = "bricks; 0: no ball", .value = 40, .low = 0, .high = 1e6},
    [BALL_SPEED] = {.name = "ball-speed", .summary = "m/s", .value = 40, .low = 0, .high = 1000},
    [BALL_HEIGHT] = {.name = "ball-height", .summary = "part of the tower's", .value = 0.25, .low = 0, .high = 2},
    [BALL_TIME] = {.name = "ball-time", .summary = "the ball is shot, s", .value = 3, .low = 0, .high = 1e6},
};

/* The last body comes into the world at that time. */
static void add_at(ash_scene *scene, uint32_t body, double time)
{
    ashi_scene_event event = {.time = time, .kind = ASHI_EVENT_ADD, .owner = ASHI_OF_BODY, .object = body};
    if (body == ASHI_NONE)
        return;
    scene->bodies.data[body].absent = true;
    ashi_scene_add_event(scene, &event);
}

/* Square slabs on each other, the lowest over the whole tower, each half as wide as the one beneath. */
static ash_status add_roof(ash_scene *scene, const ashi_tower *tower, const ashi_parameters *given, uint32_t slabs,
                           uint32_t stone, uint32_t *roof, ash_diagnostic *diagnostic)
{
    double widest = tower->outer_radius + overhang, volume = 0;
    for (uint32_t i = 0; i < slabs; i++)
        volume += slab_thickness * 4 * widest * widest / (double)(1u << 2 * i);
    double density = given->numbers[ROOF_MASS] * tower->brick_mass / volume;
    ash_body_def def = ash_default_body_def();
    def.name = "roof";
    def.position = v3(0, 0, tower->height + given->numbers[DROP] + 0.5 * slab_thickness);
    *roof = ashi_scene_add_body(scene, &def);
    ash_status status = ASH_OK;
    for (uint32_t i = 0; i < slabs && status == ASH_OK; i++) {
        ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
        double half = widest / (double)(1u << i);
        box.half_extents = v3(half, half, 0.5 * slab_thickness);
        uint32_t shape = scene->shapes.count;
        status =
            ashi_add_solid_of(scene, *roof, ashi_scene_text(scene, "slab-%u", i + 1), &box, density, stone, diagnostic);
        if (shape < scene->shapes.count)
            scene->shapes.data[shape].pose.position = v3(0, 0, i * slab_thickness);
    }
    add_at(scene, *roof, given->numbers[ROOF_TIME]);
    return status;
}

static ash_status add_ball(ash_scene *scene, const ashi_tower *tower, const ashi_parameters *given, uint32_t stone,
                           uint32_t *ball, ash_diagnostic *diagnostic)
{
    double mass = given->numbers[BALL_MASS] * tower->brick_mass;
    double radius = ashi_exp(ashi_ln(0.75 * mass / (ASHI_PI * stone_density)) / 3);
    /* Clear of the ground, whatever the tower's height. */
    double height = fmax(given->numbers[BALL_HEIGHT] * tower->height, 1.2 * radius);
    ash_vec3 muzzle = v3(-(tower->outer_radius + radius + run_up), 0, height);
    ash_status status = ashi_add_ball(scene, "ball", muzzle, radius, mass, stone, ball, diagnostic);
    if (*ball != ASHI_NONE)
        scene->bodies.data[*ball].def.velocity = v3(given->numbers[BALL_SPEED], 0, 0);
    add_at(scene, *ball, given->numbers[BALL_TIME]);
    return status;
}

/* The tower stands until the ball is shot, through the fall of the roof, and afterwards comes down. */
static void expect_all(ash_scene *scene, const ashi_tower *tower, const uint32_t top[3], double ball_time, bool ball)
{
    static const char *const names[] = {"the top stays in its place along x within 0.1 m until the ball",
                                        "the top stays in its place along y within 0.1 m until the ball",
                                        "the top stays at its height within 0.1 m until the ball"};
    const double at[] = {tower->top_at.x, tower->top_at.y, tower->top_at.z};
    for (int i = 0; i < 3; i++)
        ashi_expect_output_between(scene, names[i], top[i], ASHI_FINAL, at[i], standing, 0, ball_time);
    if (ball)
        ashi_expect_output(scene, "the ball brings the top down, below half of its height", top[2], ASHI_FINAL, 0,
                           0.5 * tower->height);
}

static void watch_all(ash_scene *scene, const ashi_tower *tower, uint32_t roof, uint32_t ball, double ball_time)
{
    const uint32_t top[3] = {ashi_watch_body(scene, "top x", ASHI_BODY_POSITION, tower->top, ASHI_X),
                             ashi_watch_body(scene, "top y", ASHI_BODY_POSITION, tower->top, ASHI_Y),
                             ashi_watch_body(scene, "top z", ASHI_BODY_POSITION, tower->top, ASHI_Z)};
    if (roof != ASHI_NONE)
        ashi_watch_body(scene, "roof z", ASHI_BODY_POSITION, roof, ASHI_Z);
    if (ball != ASHI_NONE)
        ashi_watch_body(scene, "ball speed", ASHI_BODY_VELOCITY, ball, ASHI_NORM);
    ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    ashi_watch_world(scene, "total energy", ASHI_WORLD_TOTAL);
    ashi_watch_world(scene, "contact points", ASHI_WORLD_CONTACT_POINTS);
    expect_all(scene, tower, top, ball_time, ball != ASHI_NONE);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, uint32_t slabs, ash_diagnostic *diagnostic)
{
    uint32_t stone = ASHI_NONE, roof = ASHI_NONE, ball = ASHI_NONE;
    ashi_tower tower = {0};
    ash_status status = ashi_begin_tower(scene, given, &stone, &tower, diagnostic);
    if (status == ASH_OK && given->numbers[ROOF_MASS] > 0)
        status = add_roof(scene, &tower, given, slabs, stone, &roof, diagnostic);
    if (status == ASH_OK && given->numbers[BALL_MASS] > 0)
        status = add_ball(scene, &tower, given, stone, &ball, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->time = given->numbers[BALL_TIME] + after_ball;
    watch_all(scene, &tower, roof, ball, given->numbers[BALL_TIME]);
    return ashi_use_method(scene, "realtime", diagnostic);
}

static ash_status build_roof_tower(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    return build(scene, given, 1, diagnostic);
}

static ash_status build_falling_roof(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    return build(scene, given, 3, diagnostic);
}

const ashi_builtin ashi_scene_roof_tower = {
    .info = {.name = "roof-tower",
             .lengthy = true,
             .summary = "a slab falls on a dry tower, which stands; a cannonball breaks it",
             .source = "Erleben 2007, section 5",
             .parameters = tower_parameters,
             .parameter_count = PARAMETERS},
    .build = build_roof_tower,
    .validate = ashi_validate_roof_tower,
};

const ashi_builtin ashi_scene_falling_roof = {
    .info = {.name = "falling-roof",
             .lengthy = true,
             .summary = "a stepped roof falls on a dry tower, then a cannonball hits it",
             .source = "Erleben 2007, figure 16",
             .parameters = roof_parameters,
             .parameter_count = PARAMETERS},
    .build = build_falling_roof,
    .validate = ashi_validate_falling_roof,
};
