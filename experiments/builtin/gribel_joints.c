/* One flat scene for each joint of Gribel 2009 (2.3 to 2.6): `seesaw` (hinge), `chain-2d` (distance), `slider-2d` (one
 * translation removed, the rotation left) and `driver-2d` (a velocity held within a torque).
 *
 * All by `gribel-2009` with h 10 ms. The position constraints stay within the method's slop; the driver's torque is its
 * limit while it accelerates. */
#include "experiments/builtin/flat_kit.h"
#include "experiments/builtin/gribel_shares.h"
#include "experiments/experiment.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <math.h>

static const double step = 0.01, slop = 0.002;

/* The largest error of any joint, and that it stays within the slop. */
static void expect_joints_within_slop(ash_scene *scene)
{
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    ashi_expect_output(scene, "joints hold within the slop", error, ASHI_MAX, 0, slop);
}

static const char *const source = "Gribel 2009, 2.3-2.6";

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    return ashi_validate_checks(validation, source, diagnostic);
}

typedef struct gap_watch {
    double largest; /* error of any joint, m */
} gap_watch;

static bool see_gaps(const ash_world *world, uint32_t number, void *data)
{
    gap_watch *watch = data;
    ash_joint joints[256];
    uint32_t count = ash_world_get_joints(world, joints, 256);
    (void)number;
    for (uint32_t i = 0; i < count; i++)
        watch->largest = fmax(watch->largest, ash_joint_get_error(world, joints[i]).distance);
    return true;
}

/* A row that only tells the largest joint error with other settings. */
static ash_status report_gap(ashi_validation *validation, const char *settings, const char *quantity, double duration,
                             ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    gap_watch watch = {0};
    ash_status status = ashi_experiment_open(&experiment, diagnostic, validation->scene, "%s", settings);
    if (status != ASH_OK)
        return status;
    status =
        ashi_experiment_run(&experiment, step, (uint32_t)lround(duration / step), see_gaps, &watch, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    if (status == ASH_OK)
        ashi_validation_report(validation, quantity, source, (double)NAN, watch.largest);
    return status;
}

/* seesaw: a plank of 4 m on a pivot half a metre above the ground. A heavy square falls on one end and throws the light
 * one on the other. */
static ash_status build_seesaw(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    const double pivot = 0.5, half = 2, thick = 0.1, tilt = 0.24;
    ashi_flat_kit kit = ashi_flat_begin(scene, "gribel-2009", step, 4, diagnostic);
    kit.material = ashi_add_material(scene, "wood", 0.5, 0);
    if (kit.status == ASH_OK)
        kit.status = ashi_add_ground(scene, kit.material, diagnostic);
    kit.angle = tilt; /* its left end is down */
    uint32_t plank = ashi_flat_box(&kit, "plank", 0, pivot, 2 * half, thick);
    uint32_t light = ashi_flat_box(&kit, "light", -1.6, pivot - 1.6 * tilt + 0.205, 0.3, 0.3);
    kit.angle = 0;
    kit.density = 80;
    ashi_flat_box(&kit, "heavy", 1.6, 3, 0.5, 0.5);
    uint32_t hinge = ashi_flat_hinge(&kit, "pivot", ASHI_NONE, plank, 0, pivot);
    if (kit.status != ASH_OK)
        return kit.status;
    ashi_watch_joint(scene, "tilt", ASHI_JOINT_POSITION, hinge, ASH_TURN_Z);
    uint32_t height = ashi_watch_body(scene, "height of the light square", ASHI_BODY_POSITION, light, ASHI_Y);
    expect_joints_within_slop(scene);
    ashi_expect_output(scene, "the light square is thrown higher than 2 m", height, ASHI_MAX, 12, 10);
    uint32_t x = ashi_watch_body(scene, "plank x", ASHI_BODY_POSITION, plank, ASHI_X);
    ashi_expect_output(scene, "the plank stays on its pivot", x, ASHI_MAX_ABS, 0, slop);
    return ash_method_set(&scene->method, "iterations", "50", diagnostic);
}

static ash_status validate_seesaw(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate(validation, diagnostic);
    if (status == ASH_OK)
        status = report_gap(validation, "iterations=10", "largest joint error with 10 iterations, m", 4, diagnostic);
    return status == ASH_OK && !validation->stopped ? ashi_gribel_shares_validate(validation, diagnostic) : status;
}

const ashi_builtin ashi_scene_seesaw = {
    .info = {.name = "seesaw",
             .summary = "a plank on a hinge: a heavy square throws a light one",
             .source = "Gribel 2009, 2.4 and figure 4.5.1"},
    .build = build_seesaw,
    .validate = validate_seesaw,
};

/* chain-2d: discs on massless rods, held at one end and let go at an angle. A rod that turns by omega h in a step is
 * longer after it by L (omega h)^2 / 2, of which a part `erp` is taken back in each step: fast swings are beyond the
 * slop. */
static const ash_scene_parameter chain_parameters[] = {
    {.name = "links", .summary = "rods", .value = 8, .low = 1, .high = 200},
    {.name = "angle", .summary = "from the vertical at the start, degrees", .value = 30, .low = 0, .high = 90},
};

static ash_status build_chain(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    const double length = 0.5, radius = 0.1;
    uint32_t links = 0;
    ash_status status = ashi_parameter_whole(given, "links", &links, diagnostic);
    if (status != ASH_OK)
        return status;
    double angle = ashi_parameter(given, "angle") * (ASHI_PI / 180);
    ash_vec3 along = v3(length * ashi_sin(angle), -length * ashi_cos(angle), 0);
    ashi_flat_kit kit = ashi_flat_begin(scene, "gribel-2009", step, 5, diagnostic);
    uint32_t before = ASHI_NONE;
    for (uint32_t i = 0; i < links; i++) {
        ash_vec3 at = v3_scale(along, i + 1);
        uint32_t disc = ashi_flat_disc(&kit, i + 1 == links ? "end" : NULL, at.x, at.y, radius);
        const char *name = ashi_scene_text(scene, "rod %u", (unsigned)i);
        ash_joint_def rod = ashi_flat_joint(&kit, ASH_JOINT_DISTANCE, name, before, disc, at, v3(1, 0, 0));
        rod.frame_a.position = v3(0, 0, 0); /* of the disc before, or of the background */
        rod.length = length;
        ashi_flat_add_joint(&kit, &rod);
        before = disc;
    }
    if (kit.status != ASH_OK)
        return kit.status;
    uint32_t x = ashi_watch_body(scene, "end x", ASHI_BODY_POSITION, before, ASHI_X);
    ashi_watch_body(scene, "end y", ASHI_BODY_POSITION, before, ASHI_Y);
    ashi_expect_output(scene, "the end swings to the other side", x, ASHI_MIN, -(links * along.x),
                       0.5 * links * along.x);
    expect_joints_within_slop(scene);
    return ash_method_set(&scene->method, "iterations", "100", diagnostic);
}

static ash_status validate_chain(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate(validation, diagnostic);
    if (status == ASH_OK)
        status = report_gap(validation, "angle=90", "largest joint error from the horizontal, m", 5, diagnostic);
    if (status == ASH_OK)
        status = report_gap(validation, "iterations=10", "largest joint error with 10 iterations, m", 5, diagnostic);
    return status;
}

const ashi_builtin ashi_scene_chain_2d = {
    .info = {.name = "chain-2d",
             .summary = "discs on rods: a chain that swings",
             .source = "Gribel 2009, 2.3",
             .parameters = chain_parameters,
             .parameter_count = sizeof chain_parameters / sizeof *chain_parameters},
    .build = build_chain,
    .validate = validate_chain,
};

/* slider-2d: a square whose centre stays on a line 30 degrees below the horizontal, and that turns as it did: it slides
 * as a mass on a smooth slope, g sin 30. */
static ash_status build_slider(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    const double slope = ASHI_PI / 6, duration = 2, spin = 3;
    ashi_flat_kit kit = ashi_flat_begin(scene, "gribel-2009", step, duration, diagnostic);
    uint32_t square = ashi_flat_box(&kit, "square", 0, 0, 0.5, 0.5);
    ash_joint_def line = ashi_flat_joint(&kit, ASH_JOINT_POINT_ON_LINE, "line", ASHI_NONE, square, v3(0, 0, 0),
                                         v3(ashi_cos(slope), -ashi_sin(slope), 0));
    uint32_t slider = ashi_flat_add_joint(&kit, &line);
    if (kit.status != ASH_OK)
        return kit.status;
    if (square != ASHI_NONE)
        scene->bodies.data[square].def.angular_velocity = v3(0, 0, spin);
    uint32_t way = ashi_watch_joint(scene, "way", ASHI_JOINT_POSITION, slider, ASH_MOVE_X);
    uint32_t turn = ashi_watch_joint(scene, "angle", ASHI_JOINT_POSITION, slider, ASH_TURN_Z);
    double acceleration = 9.81 * sin(slope);
    /* The method's integrator is of order one: after n steps the way is g sin h^2 n (n + 1) / 2. */
    double expected = 0.5 * acceleration * duration * (duration + step);
    ashi_expect_output(scene, "it slides by g sin 30", way, ASHI_FINAL, expected, 1e-3);
    ashi_expect_output(scene, "it goes on turning", turn, ASHI_FINAL, spin * duration, 1e-6);
    ashi_expect_output(scene, "its centre stays on the line",
                       ashi_watch_joint(scene, "off the line", ASHI_JOINT_ERROR, slider, ASH_MOVE_X), ASHI_MAX, 0,
                       slop);
    return ASH_OK;
}

const ashi_builtin ashi_scene_slider_2d = {
    .info = {.name = "slider-2d", .summary = "a turning square slides along a line", .source = "Gribel 2009, 2.5"},
    .build = build_slider,
    .validate = validate,
};

/* driver-2d: a disc on a hinge is driven to 10 rad/s by at most 4 N m, and braked again. It gets there after I omega /
 * T, I = m r^2 / 2, and brakes as long. */
static const double wheel_radius = 0.5, wheel_density = 8, wheel_rate = 10, wheel_torque = 4;

static ash_status build_driver(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    const double brake_at = 3;
    ashi_flat_kit kit = ashi_flat_begin(scene, "gribel-2009", step, 6, diagnostic);
    kit.density = wheel_density;
    uint32_t wheel = ashi_flat_disc(&kit, "wheel", 0, 0, wheel_radius);
    ash_joint_def hinge = ashi_flat_joint(&kit, ASH_JOINT_HINGE, "axle", ASHI_NONE, wheel, v3(0, 0, 0), v3(1, 0, 0));
    hinge.axes[ASH_TURN_Z].motor.drive = ASH_DRIVE_VELOCITY;
    hinge.axes[ASH_TURN_Z].motor.target = wheel_rate;
    hinge.axes[ASH_TURN_Z].motor.max_force = wheel_torque;
    uint32_t axle = ashi_flat_add_joint(&kit, &hinge);
    if (kit.status != ASH_OK)
        return kit.status;
    ashi_scene_event brake = {.time = brake_at,
                              .kind = ASHI_EVENT_SET,
                              .owner = ASHI_OF_JOINT,
                              .object = axle,
                              .fields = ASHI_SET_MOTOR,
                              .freedom = ASH_TURN_Z,
                              .drive = ASH_DRIVE_VELOCITY,
                              .max_force = wheel_torque};
    ashi_scene_add_event(scene, &brake);
    uint32_t rate = ashi_watch_joint(scene, "rate", ASHI_JOINT_RATE, axle, ASH_TURN_Z);
    uint32_t drive = ashi_watch_joint(scene, "torque", ASHI_JOINT_DRIVE, axle, ASH_TURN_Z);
    uint32_t angle = ashi_watch_joint(scene, "angle", ASHI_JOINT_POSITION, axle, ASH_TURN_Z);
    ashi_expect_output(scene, "the torque is at its limit while it accelerates", drive, ASHI_MAX, wheel_torque, 1e-6);
    ashi_expect_output(scene, "and while it brakes", drive, ASHI_MIN, -wheel_torque, 1e-6);
    ashi_expect_output(scene, "it reaches its speed and no more", rate, ASHI_MAX, wheel_rate, 1e-6);
    ashi_expect_output(scene, "it stands still in the end", rate, ASHI_FINAL, 0, 1e-6);
    /* It accelerates and brakes equally long: it turns by brake_at omega in all. */
    ashi_expect_output(scene, "the angle is that of two equal ramps", angle, ASHI_FINAL, brake_at * wheel_rate,
                       wheel_rate * step);
    double weight = ASHI_PI * wheel_radius * wheel_radius * wheel_density * 9.81;
    uint32_t load = ashi_watch_joint_load(scene, "load of the axle", ASHI_JOINT_FORCE, axle, ASH_FRAME_WORLD, ASHI_Y);
    ashi_expect_output(scene, "the axle bears the wheel", load, ASHI_FINAL, weight, 1e-6 * weight);
    expect_joints_within_slop(scene);
    return ASH_OK;
}

typedef struct ramp_watch {
    ash_joint axle;
    double reached; /* s */
} ramp_watch;

static bool see_ramp(const ash_world *world, uint32_t number, void *data)
{
    ramp_watch *watch = data;
    (void)number;
    watch->reached = ash_world_get_time(world);
    return ash_joint_get_rate(world, watch->axle, ASH_TURN_Z) < wheel_rate - 1e-6;
}

static ash_status validate_driver(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = validate(validation, diagnostic);
    if (status == ASH_OK)
        status = ashi_experiment_open(&experiment, diagnostic, "driver-2d", "%s", "");
    if (status != ASH_OK)
        return status;
    ramp_watch watch = {.axle = ash_world_find_joint(experiment.world, "axle")};
    status = ashi_experiment_run(&experiment, step, 600, see_ramp, &watch, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    double area = ASHI_PI * wheel_radius * wheel_radius;
    double inertia = 0.5 * wheel_density * area * wheel_radius * wheel_radius;
    if (status == ASH_OK)
        ashi_validation_near(validation, "time until 10 rad/s by 4 N m, s", "exact: I omega / T",
                             inertia * wheel_rate / wheel_torque, watch.reached, step);
    return status;
}

const ashi_builtin ashi_scene_driver_2d = {
    .info = {.name = "driver-2d",
             .summary = "a wheel driven to a speed and braked, within a torque",
             .source = "Gribel 2009, 2.6"},
    .build = build_driver,
    .validate = validate_driver,
};
