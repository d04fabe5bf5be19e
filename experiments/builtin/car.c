/* car: four wheels, a servo motor on each, one for the steering, sliders with springs as dampers (Bender & Schmitt
 * 2006, section 6, figure 9; all dimensions are ours). It drives a slalom around poles.
 *
 * Tyres are rounded across, as tyres are: each touches the road at one point. Flat ones touch along their width, at two
 * points: on rigid axles these lock against each other, and friction jumps to its bounds for the least misalignment.
 *
 * The front wheels turn on knuckles that slide and steer along their struts; a rod joins the knuckles' arms, so that
 * one servo steers both: a closed chain. The rear wheels turn on carriers that slide. The wheels' servos have no
 * proportional part: wheels of one axle go different ways in a bend. */
#include "experiments/builtin/space_kit.h"
#include "experiments/experiment.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static const double gravity = 9.81, duration = 20, step = 0.005;
static const double chassis_mass = 800, carrier_mass = 20, wheel_mass = 20;
static const double radius = 0.35, wheel_width = 0.2, crown = 0.15, half_track = 0.8, half_base = 1.3, strut = 20000,
                    damper = 2000;
static const double wave = 1.25 /* rad/s, of the steering */, straight = 5 /* s before it */;
static const double lane = -3; /* m, y that it starts at: the slalom is around 0 */
/* m, the poles; the first is passed on the left, the next on the right */
static const double poles[][2] = {{53, 0}, {73.5, 0}, {91.5, -0.8}};
enum { POLES = sizeof poles / sizeof *poles };

enum { SWINGS = 5, SAMPLES = 16, POINTS = SWINGS * SAMPLES + 2 };

static const ash_scene_parameter parameters[] = {
    {.name = "speed", .summary = "that the wheels are driven at, m/s", .value = 8, .low = 1, .high = 12},
    {.name = "steering", .summary = "greatest angle of the front wheels, rad", .value = 0.16, .low = 0, .high = 0.4},
    {.name = "flat-tyres", .summary = "1: cylinders, which touch along their width", .value = 0, .low = 0, .high = 1},
};

typedef struct car {
    ashi_space_kit kit;
    double speed, steering;
    bool flat;
    uint32_t rubber, steel, chassis;
    uint32_t carriers[4], wheels[4], struts[4]; /* front left, front right, rear left, rear right */
} car;

/* The steering over time, as a share of its greatest angle: straight on, half a swing, whole ones from side to side,
 * and half a swing back. */
static uint32_t steering_over_time(double *times, double *shares)
{
    uint32_t count = 0;
    times[count] = 0;
    shares[count++] = 0;
    for (int swing = 0; swing < SWINGS; swing++)
        for (int i = swing == 0 ? 0 : 1; i <= SAMPLES; i++) {
            double size = swing == 0 || swing == SWINGS - 1 ? 0.5 : 1;
            times[count] = straight + (swing + (double)i / SAMPLES) * ASHI_PI / wave;
            shares[count++] = (swing % 2 == 0 ? size : -size) * ashi_sin(ASHI_PI * i / SAMPLES);
        }
    return count;
}

/* The strut of a wheel's carrier: a slider with spring and damper, about which the front ones steer; the servo is at
 * the left. */
static uint32_t add_strut(car *c, int i, const char *name, ash_vec3 place)
{
    double times[POINTS], shares[POINTS];
    ash_joint_def def = ashi_space_joint(&c->kit, i < 2 ? ASH_JOINT_CYLINDRICAL : ASH_JOINT_SLIDER, name, c->chassis,
                                         c->carriers[i], place, v3(0, 0, 1));
    def.axes[ASH_MOVE_X].stiffness = strut;
    def.axes[ASH_MOVE_X].damping = damper;
    def.axes[ASH_MOVE_X].rest = -chassis_mass * gravity / (4 * strut); /* it stands at 0 */
    def.axes[ASH_MOVE_X].lower = -0.15;
    def.axes[ASH_MOVE_X].upper = 0.15;
    if (i == 0)
        def.axes[ASH_TURN_X].motor = (ash_joint_motor){
            .drive = ASH_DRIVE_SERVO,
            .target = c->steering,
            .signal = {ASH_SIGNAL_TABLE, 0, 0, times, shares, steering_over_time(times, shares)},
            .max_force = 2000,
            .proportional = 20000,
            .derivative = 1000,
        };
    return ashi_space_add_joint(&c->kit, &def);
}

static void add_wheel(car *c, int i)
{
    static const char *const corner[4] = {"front left", "front right", "rear left", "rear right"};
    ash_scene *scene = c->kit.scene;
    double across = i % 2 == 0 ? half_track : -half_track;
    ash_vec3 at = v3(i < 2 ? half_base : -half_base, lane + across, radius);
    ash_vec3 inside = v3(at.x, lane + 0.8 * across, at.z);
    c->kit.material = c->steel;
    c->carriers[i] = ashi_space_box(&c->kit, ashi_scene_text(scene, "%s carrier", corner[i]), inside, carrier_mass,
                                    v3(0.08, 0.05, 0.12));
    ash_geometry_def tyre = ash_default_geometry_def(c->flat ? ASH_GEOMETRY_CYLINDER : ASH_GEOMETRY_ELLIPSOID);
    tyre.radius = radius;
    tyre.height = wheel_width;
    tyre.half_extents = v3(radius, radius, crown);
    c->kit.material = c->rubber;
    c->wheels[i] = ashi_space_body(&c->kit, ashi_scene_text(scene, "%s wheel", corner[i]), at, wheel_mass, &tyre,
                                   q_exp(v3(ASHI_PI / 2, 0, 0)));
    c->struts[i] = add_strut(c, i, ashi_scene_text(scene, "%s strut", corner[i]), inside);
    ash_joint_def def = ashi_space_joint(&c->kit, ASH_JOINT_HINGE, ashi_scene_text(scene, "%s axle", corner[i]),
                                         c->carriers[i], c->wheels[i], at, v3(0, 1, 0));
    const double times[2] = {0, 2 * duration}, angles[2] = {0, 2 * duration * c->speed / radius};
    def.axes[ASH_TURN_X].motor = (ash_joint_motor){.drive = ASH_DRIVE_SERVO,
                                                   .target = 1,
                                                   .signal = {ASH_SIGNAL_TABLE, 0, 0, times, angles, 2},
                                                   .max_force = 200,
                                                   .derivative = 100};
    ashi_space_add_joint(&c->kit, &def);
}

/* The rod between arms that reach back from the struts. */
static void add_track_rod(car *c)
{
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_DISTANCE);
    if (c->kit.status != ASH_OK || c->carriers[0] == ASHI_NONE || c->carriers[1] == ASHI_NONE)
        return;
    def.name = "track rod";
    def.body_a = ashi_scene_body_ref(c->carriers[0]);
    def.body_b = ashi_scene_body_ref(c->carriers[1]);
    def.frame_a.position = v3(-0.25, -0.05, 0);
    def.frame_b.position = v3(-0.25, 0.05, 0);
    ashi_space_add_joint(&c->kit, &def);
}

static void add_poles(car *c)
{
    ash_geometry_def rod = ash_default_geometry_def(ASH_GEOMETRY_CYLINDER);
    ashi_stock stock = {0};
    rod.radius = 0.1;
    rod.height = 1.5;
    if (c->kit.status == ASH_OK)
        c->kit.status = ashi_make_stock(c->kit.scene, "pole", &rod, c->steel, 0, &stock, c->kit.diagnostic);
    for (int i = 0; i < POLES && c->kit.status == ASH_OK; i++) {
        ash_body_def pole = ash_default_body_def();
        pole.type = ASH_BODY_STATIC;
        pole.position = v3(poles[i][0], poles[i][1], 0.75);
        ashi_add_from_stock(c->kit.scene, &pole, &stock);
    }
}

static void watch(const car *c)
{
    ash_scene *scene = c->kit.scene;
    double way = c->speed * (duration - 3);
    uint32_t x = ashi_watch_body(scene, "x", ASHI_BODY_POSITION, c->chassis, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "y", ASHI_BODY_POSITION, c->chassis, ASHI_Y);
    uint32_t z = ashi_watch_body(scene, "z", ASHI_BODY_POSITION, c->chassis, ASHI_Z);
    ashi_watch_body(scene, "speed", ASHI_BODY_VELOCITY, c->chassis, ASHI_NORM);
    uint32_t angle = ashi_watch_joint(scene, "steering", ASHI_JOINT_POSITION, c->struts[0], ASH_TURN_X);
    ashi_watch_joint(scene, "front left strut", ASHI_JOINT_POSITION, c->struts[0], ASH_MOVE_X);
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    ashi_expect_output(scene, "it gets ahead, m", x, ASHI_FINAL, way, 0.15 * way);
    ashi_expect_output(scene, "it steers to the left, rad", angle, ASHI_MAX, c->steering, 0.01);
    ashi_expect_output(scene, "it steers to the right, rad", angle, ASHI_MIN, -c->steering, 0.01);
    ashi_expect_output(scene, "it gets to the left of the poles, m", y, ASHI_MAX, 2.5, 1.3);
    ashi_expect_output(scene, "it stays on its wheels, m", z, ASHI_MIN, 0.65, 0.1);
    ashi_expect_output(scene, "its joints hold, m", error, ASHI_MAX, 0, 1e-6);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    car c = {.kit = {.scene = scene, .diagnostic = diagnostic},
             .speed = ashi_parameter(given, "speed"),
             .steering = ashi_parameter(given, "steering"),
             .flat = ashi_parameter(given, "flat-tyres") >= 0.5};
    scene->gravity = v3(0, 0, -gravity);
    scene->step = step;
    scene->time = duration;
    scene->sample_interval = 0.02;
    c.rubber = ashi_add_material(scene, "rubber", 1, 0);
    c.steel = ashi_add_material(scene, "steel", 0.3, 0);
    c.kit.status = ashi_add_ground(scene, c.rubber, diagnostic);
    c.kit.material = c.steel;
    c.chassis = ashi_space_box(&c.kit, "chassis", v3(0, lane, 0.65), chassis_mass, v3(1.9, 0.5, 0.25));
    for (int i = 0; i < 4; i++)
        add_wheel(&c, i);
    add_track_rod(&c);
    add_poles(&c);
    if (c.kit.status != ASH_OK)
        return c.kit.status;
    watch(&c);
    return ashi_use_method(scene, "realtime", diagnostic);
}

typedef struct ride {
    ash_body chassis;
    double aside[POLES]; /* how far left of the poles it passes, m */
    double lowest;
    double error;      /* of the joints after any step, m: the largest */
    clock_t start;     /* of the processor */
    double operations; /* multiplications, counted */
    uint32_t unconverged, steps;
} ride;

static bool observe(const ash_world *world, uint32_t number, void *data)
{
    ride *r = data;
    ash_vec3 at = ash_body_get_centre(world, r->chassis);
    for (int i = 0; i < POLES; i++)
        if (at.x <= poles[i][0])
            r->aside[i] = at.y - poles[i][1];
    r->lowest = fmin(r->lowest, at.z);
    if (number == 0)
        return true;
    ash_step_report report = ash_world_get_report(world);
    r->operations += (double)report.operations;
    r->error = fmax(r->error, report.joint_error);
    r->unconverged += (report.flags & ASH_FLAG_NOT_CONVERGED) != 0;
    r->steps = number;
    return true;
}

/* Counted multiplications that a core of the machine of docs/validation.md does in a sixth of a second of processor
 * time, measured on these runs: 1.2e9 a second when nothing else runs, never below 6e8 on a busy machine. Fewer in a
 * second of driving is six times real time there. */
#define SIXFOLD 1e8

/* A way to drive. */
typedef struct way {
    const char *label, *settings;
    double tolerance; /* of joints, m */
    bool papers;      /* by a method of the paper */
    bool sixfold;     /* its work is judged */
} way;

#define TO_1E_4 "joint-tolerance=1e-4 joint-velocity-tolerance=1e-4 solver-tolerance=1e-4"

static const way ways[] = {
    {"", "speed=8", 1e-6, false, false},
    {"bender-schmitt-2006, 1e-4: ", "method=bender-schmitt-2006 eliminate-joints=on " TO_1E_4, 1e-4, true, true},
    {"bender-schmitt-2006, 1e-6: ", "method=bender-schmitt-2006 eliminate-joints=on", 1e-6, true, true},
    {"bender-iterative by newton, 1e-4: ", "method=bender-iterative solver=newton iterations=100 " TO_1E_4, 1e-4, true,
     true},
    {"bender-iterative by newton, 1e-6: ", "method=bender-iterative solver=newton iterations=100", 1e-6, true, false},
    {"flat tyres, bender-schmitt-2006, 1e-4: ", "method=bender-schmitt-2006 eliminate-joints=on flat-tyres=1 " TO_1E_4,
     1e-4, true, false},
};

static ash_status drive(const way *by, ride *r, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "car", "%s", by->settings);
    if (status != ASH_OK)
        return status;
    *r = (ride){.chassis = ash_world_find_body(experiment.world, "chassis"), .lowest = 1};
    r->start = clock();
    status = ashi_experiment_run(&experiment, step, (uint32_t)lround(duration / step), observe, r, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    const char *source = "Bender & Schmitt 2006, 6";
    char name[96];
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !validation->stopped; i++) {
        const way *by = &ways[i];
        ride r;
        ash_status status = drive(by, &r, diagnostic);
        double spent = (double)(clock() - r.start) / CLOCKS_PER_SEC;
        if (status != ASH_OK)
            return status;
        /* half its width and that of a pole */
        snprintf(name, sizeof name, "%sfirst pole passed on the left by, m", by->label);
        ashi_validation_above(validation, name, source, r.aside[0], 1);
        snprintf(name, sizeof name, "%ssecond pole passed on the right by, m", by->label);
        ashi_validation_above(validation, name, source, -r.aside[1], 1);
        snprintf(name, sizeof name, "%sthird pole passed on the left by, m", by->label);
        ashi_validation_above(validation, name, source, r.aside[2], 1);
        snprintf(name, sizeof name, "%sheight of the chassis at least, m", by->label);
        ashi_validation_above(validation, name, source, r.lowest, 0.55);
        snprintf(name, sizeof name, "%serror of the joints at most, m", by->label);
        ashi_validation_below(validation, name, source, r.error, by->tolerance);
        if (by->papers) {
            snprintf(name, sizeof name, "%ssteps that did not converge", by->label);
            ashi_validation_below(validation, name, source, r.unconverged, 0);
            double work = r.operations / (r.steps * step);
            snprintf(name, sizeof name, "%smultiplications in 1 s (6 times real time)", by->label);
            if (by->sixfold)
                ashi_validation_below(validation, name, source, work, SIXFOLD);
            else
                ashi_validation_report(validation, name, source, SIXFOLD, work);
        }
        snprintf(name, sizeof name, "%stimes real time, of the processor (paper: nearly 6)", by->label);
        ashi_validation_report(validation, name, source, 6, r.steps * step / spent);
    }
    return ASH_OK;
}

const ashi_builtin ashi_scene_car = {
    .info = {.name = "car",
             .summary = "a car with servo motors, springs and steering drives a slalom",
             .source = "Bender & Schmitt 2006, 6",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
