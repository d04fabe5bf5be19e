/* rolling-balls: a box is pulled over the ground at 45 degrees to its sides and carries 25 balls that roll on it.
 *
 * The pull less the friction of the ground accelerates the box and, by the friction that rolls them, the balls: a solid
 * ball on an accelerated plane follows with 2/7 of its acceleration. So a = (F - mu M g) / (m_box + 2/7 m_balls), and
 * nothing turns but the balls. Two pairs of materials carry the two coefficients. */
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "math/vec3.h"

#include <math.h>

static const double gravity = 9.8, pull = 150, box_mass = 10, ball_mass = 1, box_friction = 0.4, ball_friction = 0.8,
                    duration = 1.2;
enum { SIDE = 5 };

static ash_status add_bodies(ash_scene *scene, const uint32_t *materials, uint32_t *box, uint32_t *ball,
                             ash_diagnostic *diagnostic)
{
    const double thickness = 0.1, radius = 0.1, spacing = 0.3;
    ash_geometry_def plate = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    plate.half_extents = v3(1, 1, 0.5 * thickness);
    sphere.radius = radius;
    ashi_stock plate_stock = {0}, ball_stock = {0};
    ash_status status = ashi_add_ground(scene, materials[0], diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "plate", &plate, materials[1], ASH_MATERIAL_DENSITY, &plate_stock, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "ball", &sphere, materials[2], ASH_MATERIAL_DENSITY, &ball_stock, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_body_def body = ash_default_body_def();
    body.name = "box";
    body.mass = box_mass;
    body.position = v3(0, 0, 0.5 * thickness);
    *box = ashi_add_from_stock(scene, &body, &plate_stock);
    body.mass = ball_mass;
    for (int i = 0; i < SIDE * SIDE; i++) {
        body.name = i == SIDE * SIDE / 2 ? "ball" : NULL;
        body.position = v3(spacing * (i % SIDE - SIDE / 2), spacing * (i / SIDE - SIDE / 2), thickness + radius);
        uint32_t number = ashi_add_from_stock(scene, &body, &ball_stock);
        if (body.name != NULL)
            *ball = number;
    }
    return ASH_OK;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    uint32_t box = ASHI_NONE, ball = ASHI_NONE;
    uint32_t materials[] = {ashi_add_material(scene, "ground", 0.5, 0), ashi_add_material(scene, "plate", 0.5, 0),
                            ashi_add_material(scene, "ball", 0.5, 0)};
    ashi_scene_material_pair law = {materials[0], materials[1], 1, {.friction = box_friction}};
    ashi_scene_add_material_pair(scene, &law);
    law = (ashi_scene_material_pair){materials[1], materials[2], 1, {.friction = ball_friction}};
    ashi_scene_add_material_pair(scene, &law);
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 0.01;
    scene->time = duration;
    ash_status status = add_bodies(scene, materials, &box, &ball, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_scene_force load = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    load.def.load.name = "pull";
    load.def.load.body = ashi_scene_body_ref(box);
    load.def.load.force = v3(pull * sqrt(0.5), pull * sqrt(0.5), 0);
    ashi_scene_add_force(scene, &load);

    double balls = SIDE * SIDE * ball_mass;
    double of_box = (pull - box_friction * (box_mass + balls) * gravity) / (box_mass + 2.0 / 7 * balls);
    double of_ball = 2.0 / 7 * of_box;
    uint32_t fast = ashi_watch_body(scene, "speed of the box", ASHI_BODY_VELOCITY, box, ASHI_NORM);
    uint32_t slow = ashi_watch_body(scene, "speed of the middle ball", ASHI_BODY_VELOCITY, ball, ASHI_NORM);
    uint32_t x = ashi_watch_body(scene, "box x", ASHI_BODY_POSITION, box, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "box y", ASHI_BODY_POSITION, box, ASHI_Y);
    uint32_t turn = ashi_watch_body(scene, "turn of the box", ASHI_BODY_ROTATION_VECTOR, box, ASHI_NORM);
    double way = sqrt(0.5) * 0.5 * of_box * duration * duration;
    ashi_expect_output(scene, "the box is as fast as 0.746667 m/s2 makes it", fast, ASHI_FINAL, of_box * duration,
                       1e-6);
    ashi_expect_output(scene, "the ball is as fast as 0.213333 m/s2 makes it", slow, ASHI_FINAL, of_ball * duration,
                       1e-6);
    ashi_expect_output(scene, "the box's way along x", x, ASHI_FINAL, way, 1e-6);
    ashi_expect_output(scene, "the box's way along y", y, ASHI_FINAL, way, 1e-6);
    ashi_expect_output(scene, "the box does not turn", turn, ASHI_MAX_ABS, 0, 1e-6);
    return ashi_use_method(scene, "engineering", diagnostic);
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    return ashi_validate_checks(validation, "exact", diagnostic);
}

const ashi_builtin ashi_scene_rolling_balls = {
    .info = {.name = "rolling-balls",
             .summary = "a box that is pulled over the ground carries 25 rolling balls",
             .source = "public reference problem"},
    .build = build,
    .validate = validate,
};
