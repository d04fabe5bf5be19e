/* truck-2d: a truck drives over bumps, stops, tips its load and comes to rest (Gribel 2009, figure 1.1), planar.
 *
 * Each wheel is on a joint that leaves it one translation of the chassis, with a spring and a damper along it, and its
 * rotation, driven to a speed within a torque. The bed is hinged at the rear and raised by a hydraulic cylinder. */
#include "experiments/builtin/flat_kit.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <math.h>

static const double wheel_radius = 0.45, drive_at = 0.5, brake_at = 6, raise_at = 8, leave_at = 13, stop_at = 14.5,
                    lower_at = 15, duration = 20;

typedef struct truck {
    ashi_flat_kit kit;
    uint32_t chassis, bed, rear_axle, front_axle, bed_hinge, cylinder;
} truck;

static void add_bumps(truck *t)
{
    static const ash_vec3 bump[] = {{-0.7, 0, 0}, {0.7, 0, 0}, {0.25, 0.12, 0}, {-0.25, 0.12, 0}};
    t->kit.type = ASH_BODY_STATIC;
    for (int i = 0; i < 4; i++)
        ashi_flat_polygon(&t->kit, NULL, 4.5 + 2.3 * i, 0, bump, 4);
    t->kit.type = ASH_BODY_DYNAMIC;
}

static uint32_t add_wheel(truck *t, const char *name, const char *axle, double x)
{
    uint32_t wheel = ashi_flat_disc(&t->kit, name, x, wheel_radius, wheel_radius);
    /* x of the joint is up; at 0 the spring carries about half of the truck. */
    ash_joint_def def =
        ashi_flat_joint(&t->kit, ASH_JOINT_POINT_ON_LINE, axle, t->chassis, wheel, v3(x, wheel_radius, 0), v3(0, 1, 0));
    ash_joint_axis *spring = &def.axes[ASH_MOVE_X], *turn = &def.axes[ASH_TURN_Z];
    spring->stiffness = 40000;
    spring->damping = 3000;
    spring->rest = -0.06;
    spring->lower = -0.2;
    spring->upper = 0.2;
    turn->motor.drive = ASH_DRIVE_VELOCITY;
    turn->motor.max_force = 300;
    return ashi_flat_add_joint(&t->kit, &def);
}

/* Parts of the truck do not touch each other; what they carry touches all. */
static void add_truck(truck *t)
{
    ashi_flat_kit *kit = &t->kit;
    kit->group = -1;
    kit->density = 100;
    t->chassis = ashi_flat_box(kit, "chassis", 0, 0.9, 5, 0.25);
    ashi_flat_more_box(kit, t->chassis, 1.75, 0.8, 1.3, 1.35); /* the cab */
    t->rear_axle = add_wheel(t, "rear wheel", "rear axle", -1.6);
    t->front_axle = add_wheel(t, "front wheel", "front axle", 1.7);
    t->bed = ashi_flat_box(kit, "bed", -0.9, 1.1, 3.2, 0.1);
    ashi_flat_more_box(kit, t->bed, 1.55, 0.4, 0.1, 0.7); /* its front wall */
    ash_joint_def hinge =
        ashi_flat_joint(kit, ASH_JOINT_HINGE, "bed hinge", t->chassis, t->bed, v3(-2.3, 1.05, 0), v3(1, 0, 0));
    hinge.axes[ASH_TURN_Z].lower = 0;
    hinge.axes[ASH_TURN_Z].upper = 1;
    t->bed_hinge = ashi_flat_add_joint(kit, &hinge);
    ash_joint_def cylinder =
        ashi_flat_joint(kit, ASH_JOINT_HYDRAULIC, "cylinder", t->chassis, t->bed, v3(0, 0, 0), v3(1, 0, 0));
    cylinder.frame_a.position = v3(-0.6, 0, 0);
    cylinder.frame_b.position = v3(1.2, 0, 0);
    cylinder.min_length = 0.8;
    cylinder.max_length = 2.15;
    cylinder.speed = 0.3;
    cylinder.max_force = 30000;
    t->cylinder = ashi_flat_add_joint(kit, &cylinder);
    kit->group = 0;
}

/* Polygons of three to six corners in two rows. */
static uint32_t add_load(truck *t)
{
    uint32_t last = ASHI_NONE;
    t->kit.density = 60;
    for (int i = 0; i < 8; i++) {
        ash_vec3 corners[6];
        uint32_t count = 3 + (uint32_t)i % 4;
        for (uint32_t k = 0; k < count; k++) {
            double angle = 2 * ASHI_PI * (k + 0.25) / count;
            corners[k] = v3(0.22 * ashi_cos(angle), 0.22 * ashi_sin(angle), 0);
        }
        last = ashi_flat_polygon(&t->kit, ashi_scene_text(t->kit.scene, "piece %d", i), -1.5 + 0.52 * (i % 4),
                                 1.45 + 0.5 * (i / 4), corners, count);
    }
    return last;
}

static void set_drive(const truck *t, double time, uint32_t axle, double rate)
{
    ashi_scene_event event = {.time = time,
                              .kind = ASHI_EVENT_SET,
                              .owner = ASHI_OF_JOINT,
                              .object = axle,
                              .fields = ASHI_SET_MOTOR,
                              .freedom = ASH_TURN_Z,
                              .drive = ASH_DRIVE_VELOCITY,
                              .motor_target = rate,
                              .max_force = 300};
    ashi_scene_add_event(t->kit.scene, &event);
}

static void set_piston(const truck *t, double time, ash_piston piston)
{
    ashi_scene_event event = {.time = time,
                              .kind = ASHI_EVENT_SET,
                              .owner = ASHI_OF_JOINT,
                              .object = t->cylinder,
                              .fields = ASHI_SET_PISTON,
                              .piston = piston};
    ashi_scene_add_event(t->kit.scene, &event);
}

static void add_course(const truck *t)
{
    const uint32_t axles[2] = {t->rear_axle, t->front_axle};
    for (int i = 0; i < 2; i++) {
        set_drive(t, drive_at, axles[i], -6);
        set_drive(t, brake_at, axles[i], 0);
        set_drive(t, leave_at, axles[i], -2.5); /* from under its load */
        set_drive(t, stop_at, axles[i], 0);
    }
    set_piston(t, raise_at, ASH_PISTON_EXTEND);
    set_piston(t, lower_at, ASH_PISTON_CONTRACT);
}

static void watch(const truck *t, uint32_t piece)
{
    ash_scene *scene = t->kit.scene;
    uint32_t x = ashi_watch_body(scene, "truck x", ASHI_BODY_POSITION, t->chassis, ASHI_X);
    uint32_t angle = ashi_watch_joint(scene, "angle of the bed", ASHI_JOINT_POSITION, t->bed_hinge, ASH_TURN_Z);
    uint32_t height = ashi_watch_body(scene, "height of a piece of the load", ASHI_BODY_POSITION, piece, ASHI_Y);
    uint32_t energy = ashi_watch_world(scene, "kinetic energy", ASHI_WORLD_KINETIC);
    ashi_watch_joint(scene, "length of the cylinder", ASHI_JOINT_POSITION, t->cylinder, ASH_MOVE_X);
    ashi_watch_joint(scene, "travel of the front wheel", ASHI_JOINT_POSITION, t->front_axle, ASH_MOVE_X);
    ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    ashi_expect_output(scene, "it drives over the bumps: 12 m or more", x, ASHI_MAX, 22, 10);
    ashi_expect_output(scene, "the bed is raised by 0.8 rad or more", angle, ASHI_MAX, 1, 0.2);
    ashi_expect_output(scene, "and lowered again", angle, ASHI_FINAL, 0, 0.02);
    /* In a heap perhaps: two pieces of 0.44 m are lower than the bed. */
    ashi_expect_output(scene, "the load lies on the ground", height, ASHI_FINAL, 0.45, 0.45);
    ashi_expect_output(scene, "all is at rest in the end: below 1 J", energy, ASHI_FINAL, 0, 1);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    truck t = {.kit = ashi_flat_begin(scene, "gribel-2009", 0.01, duration, diagnostic)};
    t.kit.material = ashi_add_material(scene, "rubber", 0.6, 0);
    if (t.kit.status == ASH_OK)
        t.kit.status = ashi_add_ground(scene, t.kit.material, diagnostic);
    add_bumps(&t);
    add_truck(&t);
    uint32_t piece = add_load(&t);
    if (t.kit.status != ASH_OK)
        return t.kit.status;
    add_course(&t);
    watch(&t, piece);
    return ash_method_set(&scene->method, "iterations", "50", diagnostic);
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    return ashi_validate_checks(validation, "Gribel 2009, figure 1.1", diagnostic);
}

const ashi_builtin ashi_scene_truck_2d = {
    .info = {.name = "truck-2d",
             .summary = "a truck drives over bumps and tips its load",
             .source = "Gribel 2009, figure 1.1"},
    .build = build,
    .validate = validate,
};
