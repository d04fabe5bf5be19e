/* conveyor, rolling-resistance: small scenes whose exact answer each needs one part of the contact law.
 *
 * conveyor: a block laid on a belt is accelerated by mu g until it moves with the belt; it then is v^2 / (2 mu g)
 * behind. rolling-resistance: a ball that rolls without slip on a surface with the coefficient c (m) loses 5/7 c g / r
 * of its speed each second, one that spins about the vertical 5/2 s g / r^2, and both come to rest for good. */
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>

static const double gravity = 9.81;

static const ash_scene_parameter conveyor_parameters[] = {
    {.name = "speed", .summary = "of the belt, m/s", .value = 1, .low = 0, .high = 5},
};

static ash_status block_stock(ash_scene *scene, uint32_t material, ashi_stock *stock, ash_diagnostic *diagnostic)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(0.2, 0.2, 0.1);
    return ashi_make_stock(scene, "block", &def, material, ASH_MATERIAL_DENSITY, stock, diagnostic);
}

static ash_status build_conveyor(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    const double friction = 0.5;
    double speed = ashi_parameter(given, "speed");
    uint32_t rubber = ashi_add_material(scene, "rubber", friction, 0);
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 0.001;
    scene->time = 2;
    ashi_stock stock = {0};
    ash_status status = ashi_add_ground(scene, rubber, diagnostic);
    if (status == ASH_OK)
        status = block_stock(scene, rubber, &stock, diagnostic);
    if (status != ASH_OK)
        return status;
    if (scene->shapes.count > 0) /* the ground is the belt */
        scene->shapes.data[0].surface_velocity = v3(speed, 0, 0);
    ash_body_def body = ash_default_body_def();
    body.name = "parcel";
    body.position = v3(0, 0, 0.1);
    uint32_t parcel = ashi_add_from_stock(scene, &body, &stock);
    uint32_t x = ashi_watch_body(scene, "x", ASHI_BODY_POSITION, parcel, ASHI_X);
    uint32_t v = ashi_watch_body(scene, "speed", ASHI_BODY_VELOCITY, parcel, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "y", ASHI_BODY_POSITION, parcel, ASHI_Y);
    double behind = speed * speed / (2 * friction * gravity);
    ashi_expect_output(scene, "it moves with the belt in the end", v, ASHI_FINAL, speed, 1e-9);
    ashi_expect_output(scene, "it never overtakes the belt", v, ASHI_MAX, speed, 1e-9);
    ashi_expect_output(scene, "it is behind by v^2 / (2 mu g)", x, ASHI_FINAL, speed * scene->time - behind, 1e-4);
    ashi_expect_output(scene, "it does not leave the belt's direction", y, ASHI_MAX_ABS, 0, 1e-9);
    return ashi_use_method(scene, "engineering", diagnostic);
}

static ash_status build_rolling(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    const double radius = 0.1, rolling = 0.002, spinning = 0.001, start_speed = 1, start_spin = 10;
    ash_material_def felt = ash_default_material_def();
    felt.name = "felt";
    felt.surface.rolling = rolling;
    felt.surface.spinning = spinning;
    uint32_t material = ashi_scene_add_material(scene, &felt);
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 0.01;
    scene->time = 10;
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    sphere.radius = radius;
    ashi_stock stock = {0};
    ash_status status = ashi_add_ground(scene, material, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "ball", &sphere, material, ASH_MATERIAL_DENSITY, &stock, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_body_def body = ash_default_body_def();
    body.name = "rolling ball";
    body.position = v3(0, 0, radius);
    body.velocity = v3(start_speed, 0, 0);
    body.angular_velocity = v3(0, start_speed / radius, 0);
    uint32_t roller = ashi_add_from_stock(scene, &body, &stock);
    body.name = "spinning ball";
    body.position = v3(0, 1, radius);
    body.velocity = v3(0, 0, 0);
    body.angular_velocity = v3(0, 0, start_spin);
    uint32_t spinner = ashi_add_from_stock(scene, &body, &stock);
    uint32_t x = ashi_watch_body(scene, "way of the rolling ball", ASHI_BODY_POSITION, roller, ASHI_X);
    uint32_t v = ashi_watch_body(scene, "speed of the rolling ball", ASHI_BODY_VELOCITY, roller, ASHI_X);
    uint32_t w = ashi_watch_body(scene, "spin of the spinning ball", ASHI_BODY_ANGULAR_VELOCITY, spinner, ASHI_Z);
    uint32_t turned =
        ashi_watch_body(scene, "mean spin of the spinning ball", ASHI_BODY_ANGULAR_VELOCITY, spinner, ASHI_Z);
    double brake = 5.0 / 7 * rolling * gravity / radius, spin_brake = 2.5 * spinning * gravity / (radius * radius);
    ashi_expect_output(scene, "the rolling ball stops after v^2 / (2 a)", x, ASHI_FINAL,
                       start_speed * start_speed / (2 * brake), 1e-4);
    ashi_expect_output(scene, "the rolling ball rests", v, ASHI_FINAL, 0, 1e-9);
    ashi_expect_output(scene, "the rolling ball never rolls back", v, ASHI_MIN, 0, 1e-9);
    ashi_expect_output(scene, "the spinning ball rests", w, ASHI_FINAL, 0, 1e-9);
    ashi_expect_output(scene, "the spinning ball turns as far as its brake lets it", turned, ASHI_MEAN,
                       0.5 * start_spin * start_spin / spin_brake / scene->time, 0.02);
    return ashi_use_method(scene, "engineering", diagnostic);
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    return ashi_validate_checks(validation, "exact", diagnostic);
}

const ashi_builtin ashi_scene_conveyor = {
    .info = {.name = "conveyor",
             .summary = "a belt takes a parcel along",
             .source = "exact",
             .parameters = conveyor_parameters,
             .parameter_count = 1},
    .build = build_conveyor,
    .validate = validate,
};

const ashi_builtin ashi_scene_rolling_resistance = {
    .info = {.name = "rolling-resistance",
             .summary = "a rolling and a spinning ball come to rest on felt",
             .source = "exact"},
    .build = build_rolling,
    .validate = validate,
};
