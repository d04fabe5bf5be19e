/* incline: static and kinetic friction on a slope. At an angle between those of kinetic and static friction a block at
 * rest stays, and a block that slides is never caught: its speed grows with g (sin a - mu_k cos a). */
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double gravity = 9.81, start_speed = 0.5;

static const ash_scene_parameter parameters[] = {
    {.name = "angle", .summary = "of the plane, degrees", .value = 24, .low = 0, .high = 60},
    {.name = "mu-static", .summary = "static coefficient of friction", .value = 0.5, .low = 0, .high = 2},
    {.name = "mu-kinetic", .summary = "kinetic coefficient; at most the static one", .value = 0.4, .low = 0, .high = 2},
};

static ash_status make_stocks(ash_scene *scene, const ashi_parameters *given, ashi_stock *plane, ashi_stock *block,
                              ash_diagnostic *diagnostic)
{
    ash_material_def rough = ash_default_material_def();
    rough.name = "rough";
    rough.surface.friction = ashi_parameter(given, "mu-static");
    rough.surface.sliding_friction = fmin(rough.surface.friction, ashi_parameter(given, "mu-kinetic"));
    uint32_t material = ashi_scene_add_material(scene, &rough);
    ash_geometry_def half_space = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(0.2, 0.2, 0.1);
    ash_status status = ashi_make_stock(scene, "slope", &half_space, material, 0, plane, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "block", &box, material, ASH_MATERIAL_DENSITY, block, diagnostic);
    return status;
}

static uint32_t add_block(ash_scene *scene, const ashi_stock *stock, const char *name, ash_quat tilt, double y,
                          double speed)
{
    ash_body_def body = ash_default_body_def();
    body.name = name;
    body.rotation = tilt;
    body.position = v3_add_scaled(v3(0, y, 0), q_rotate(tilt, v3(0, 0, 1)), 0.1);
    body.velocity = v3_scale(q_rotate(tilt, v3(1, 0, 0)), speed);
    return ashi_add_from_stock(scene, &body, stock);
}

/* Of a block that slides down: g (sin a - mu cos a). */
static double drive_of(double angle, double mu)
{
    return gravity * (sin(angle) - mu * cos(angle));
}

static void expect(ash_scene *scene, const ashi_parameters *given, uint32_t rest, uint32_t slide)
{
    double angle = ashi_parameter(given, "angle") * ASHI_PI / 180, still = ashi_parameter(given, "mu-static");
    double drive = drive_of(angle, fmin(still, ashi_parameter(given, "mu-kinetic")));
    bool stays = sin(angle) <= still * cos(angle);
    double pushed_speed = start_speed + drive * scene->time;
    if (pushed_speed < 0) /* it comes to rest, and then stays: below the angle of static friction */
        pushed_speed = 0;
    ashi_expect_output(scene, "the resting block does what static friction allows", rest, ASHI_FINAL,
                       stays ? 0 : drive * scene->time, 1e-8);
    ashi_expect_output(scene, "the pushed block is braked by kinetic friction", slide, ASHI_FINAL, pushed_speed, 1e-8);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    ash_quat tilt = ash_rotation(v3(0, 1, 0), ashi_parameter(given, "angle") * ASHI_PI / 180);
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 0.01;
    scene->time = 2;
    ashi_stock plane = {0}, stock = {0};
    ash_status status = make_stocks(scene, given, &plane, &stock, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_body_def slope = ash_default_body_def();
    slope.name = "slope";
    slope.type = ASH_BODY_STATIC;
    slope.rotation = tilt;
    ashi_add_from_stock(scene, &slope, &plane);
    uint32_t resting = add_block(scene, &stock, "resting block", tilt, 1, 0);
    uint32_t pushed = add_block(scene, &stock, "pushed block", tilt, -1, start_speed);
    uint32_t rest = ashi_watch_body(scene, "speed of the resting block", ASHI_BODY_VELOCITY, resting, ASHI_NORM);
    uint32_t slide = ashi_watch_body(scene, "speed of the pushed block", ASHI_BODY_VELOCITY, pushed, ASHI_NORM);
    ashi_watch_body(scene, "height of the pushed block", ASHI_BODY_POSITION, pushed, ASHI_Z);
    expect(scene, given, rest, slide);
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* ---- experiments: around the limit of static friction, by every method with friction ---- */

static const char *const contenders[] = {
    "realtime",         "engineering",  "gribel-2009",     "stewart-trinkle", "dejong-2014", "bender-schmitt-2006",
    "bender-iterative", "erleben-2007", "guendelman-2003", "penalty"};

/* The speed and the displacement of the resting block after 2 s, and the method's stick speed. */
typedef struct outcome {
    double speed, displacement, stick_speed;
} outcome;

/* Springs that carry nothing yet let the block slip before they press: it is laid down as deep as its weight wants, and
 * tilted as far as its weight and friction turn it. */
static void press_in(ash_world *world, ash_body block, double angle)
{
    ash_method method = ash_world_get_method(world);
    if (method.solver.solver != ASH_SOLVER_PENALTY)
        return;
    const double height = 0.1, arm = 0.2;
    ash_transform at = ash_body_get_transform(world, block);
    double weight = ash_body_get_mass(world, block).mass * gravity, stiffness = 4 * method.solver.stiffness;
    at.position = v3_add_scaled(at.position, q_rotate(at.rotation, v3(0, 0, -1)), weight * cos(angle) / stiffness);
    at.rotation = q_mul(at.rotation, ash_rotation(v3(0, 1, 0), weight * sin(angle) * height / (stiffness * arm * arm)));
    ash_body_set_transform(world, block, at);
}

static ash_status lay_down(const char *method, double degrees, double h, outcome *seen, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status =
        ashi_experiment_open(&experiment, diagnostic, "incline", "method=%s angle=%.17g", method, degrees);
    if (status != ASH_OK)
        return status;
    ash_body block = ash_world_find_body(experiment.world, "resting block");
    press_in(experiment.world, block, degrees * ASHI_PI / 180);
    ash_vec3 start = ash_body_get_centre(experiment.world, block);
    status = ashi_experiment_run(&experiment, h, (uint32_t)lround(2 / h), NULL, NULL, NULL, diagnostic);
    seen->speed = v3_norm(ash_body_get_velocity(experiment.world, block));
    seen->displacement = v3_distance(ash_body_get_centre(experiment.world, block), start);
    seen->stick_speed = ash_world_get_method(experiment.world).stick_speed;
    ashi_experiment_close(&experiment);
    return status;
}

/* Below the limit the block creeps no faster than the stick speed. Above it, it slides by kinetic friction from the
 * moment on at which it slips faster than that. */
static void judge(ashi_validation *validation, const char *method, double share, double h, const outcome *seen)
{
    const double still = 0.5, kinetic = 0.4, angle = atan(share * still);
    char quantity[120];
    double expected = share < 1 ? 0 : 2 * drive_of(angle, kinetic), ours = share < 1 ? seen->displacement : seen->speed;
    double late = share < 1 ? 0 : seen->stick_speed / drive_of(angle, still) + 2 * h;
    double limit = share < 1 ? 2 * seen->stick_speed : fmax(1e-8, late * drive_of(angle, kinetic));
    snprintf(quantity, sizeof quantity, "%s at %g of the limit, h %g s, %s, %s",
             share < 1 ? "displacement in 2 s" : "speed after 2 s", share, h, share < 1 ? "m" : "m/s", method);
    if (strcmp(method, "penalty") == 0)
        ashi_validation_explain(
            validation, "Springs and dampers hold by what has slipped: at 0.99 and steps of 10 ms the block slides.");
    ashi_validation_near(validation, quantity, "exact", expected, ours, limit);
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double shares[] = {0.9, 0.99, 1.01, 1.1}, steps[] = {0.01, 0.002};
    ash_status status = ashi_validate_checks(validation, "exact", diagnostic);
    for (size_t m = 0; m < sizeof contenders / sizeof *contenders; m++)
        for (int i = 0; i < 8 && status == ASH_OK && !validation->stopped; i++) {
            double degrees = atan(shares[i % 4] * 0.5) * 180 / ASHI_PI;
            outcome seen;
            status = lay_down(contenders[m], degrees, steps[i / 4], &seen, diagnostic);
            if (status == ASH_OK)
                judge(validation, contenders[m], shares[i % 4], steps[i / 4], &seen);
        }
    return status;
}

const ashi_builtin ashi_scene_incline = {
    .info = {.name = "incline",
             .summary = "two blocks on a slope: static friction holds one, kinetic friction cannot stop the other",
             .source = "exact",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
