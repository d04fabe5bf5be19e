/* walker: a walking machine with six legs, each of one servo motor, two hinges and a slider (Bender & Schmitt 2006,
 * section 6, figure 9; all dimensions are ours): a closed chain a leg.
 *
 * The servo turns a crank on the body; the pin at its end carries the leg, whose upper part slides through a guide that
 * turns on the body above. The foot runs around a flat oval: 4.3 times as far as the crank's end along the ground, and
 * about as far up and down. Three legs, two on one side and one on the other, are half a turn ahead of the other three:
 * there are always three on the ground.
 *
 * It moves to and fro over these three by A = 0.13 m, with an acceleration of omega^2 A. So that no foot is lifted, the
 * point where weight and inertia meet the ground, A (1 + omega^2 height / g) off the middle at most, must stay within
 * half of the legs' spacing: up to a pace of 0.45 turns a second, reached gradually.
 *
 * A plane chain of hinges is held three times too often in space: the loop solver finds what depends on the rest. The
 * contacts of its feet are solved by newton, in a fifth of the time that the preset's passes between tree and contacts
 * take to come to the same way. */
#include "experiments/builtin/space_kit.h"
#include "experiments/experiment.h"
#include "math/quat.h"

#include <math.h>

static const double gravity = 9.81, duration = 6, step = 0.005;
static const double rest = 0.5, ramp = 1; /* s before it walks; until it walks at its pace */
static const double crank = 0.03, guide = 0.15 /* above the crank's axle */, shank = 0.5 /* from crank to foot */;
static const double foot = 0.04, half_width = 0.3, spacing = 0.45;
static const double body_mass = 15, crank_mass = 0.3, guide_mass = 0.3, leg_mass = 0.8;

enum { LEGS = 6, RAMP_POINTS = 20, SIGNAL_POINTS = RAMP_POINTS + 3 };

static const ash_scene_parameter parameters[] = {
    {.name = "pace", .summary = "turns of the cranks in a second", .value = 0.4, .low = 0, .high = 1.5},
};

typedef struct walker {
    ashi_space_kit kit;
    double pace;
    uint32_t plastic, rubber, body, motors[LEGS];
} walker;

/* A rod from its upper end to the foot, which is a ball of rubber. */
static uint32_t add_shank(walker *w, const char *name, ash_vec3 pin)
{
    double above = guide + crank + 0.03, half = 0.5 * (above + shank);
    ash_vec3 centre = v3(pin.x, pin.y, pin.z + above - half);
    uint32_t leg = ashi_space_box(&w->kit, name, centre, leg_mass, v3(0.015, 0.015, half));
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry *geometry = NULL;
    ball.radius = foot;
    if (w->kit.status == ASH_OK)
        w->kit.status = ash_geometry_create(&ball, &geometry, w->kit.diagnostic);
    if (w->kit.status != ASH_OK)
        return ASHI_NONE;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(w->kit.scene, NULL, geometry);
    shape.material = w->rubber;
    shape.density = 1;
    shape.pose.position = v3(0, 0, -half);
    shape.group = -1;
    if (leg != ASHI_NONE && shape.geometry != ASHI_NONE)
        ashi_scene_add_shape(w->kit.scene, leg, &shape);
    return leg;
}

/* The cranks' angle, rad. */
static double angle_at(const walker *w, double time)
{
    double since = fmax(time - rest, 0), begun = fmin(since, ramp);
    return 2 * ASHI_PI * w->pace * (0.5 * begun * begun / ramp + since - begun);
}

static ash_joint_motor servo(const walker *w, double *times, double *angles)
{
    for (int i = 0; i < SIGNAL_POINTS; i++) {
        times[i] = i == 0 ? 0 : rest + (i - 1) * ramp / RAMP_POINTS;
        if (i == SIGNAL_POINTS - 1)
            times[i] = 2 * duration;
        angles[i] = angle_at(w, times[i]);
    }
    return (ash_joint_motor){.drive = ASH_DRIVE_SERVO,
                             .target = 1,
                             .signal = {ASH_SIGNAL_TABLE, 0, 0, times, angles, SIGNAL_POINTS},
                             .max_force = 60,
                             .proportional = 400,
                             .derivative = 20};
}

/* How far back of the axle a foot that was below it touches the ground, its crank turned by up to a quarter: the pin's
 * way and the leg's beyond it, and the round foot rolls. */
static double reach(double turn)
{
    double across = crank * sin(turn), down = guide + crank * cos(turn);
    return across * (1 + shank / hypot(across, down)) + foot * atan2(across, down);
}

/* The way of the body: feet stand for half a turn, and do not slide. */
static double way_of(double turn)
{
    double halves = floor(turn / ASHI_PI + 0.5);
    return 2 * halves * reach(0.5 * ASHI_PI) + reach(turn - halves * ASHI_PI);
}

static void add_leg(walker *w, int i)
{
    static const char *const row[3] = {"front", "middle", "rear"};
    ash_scene *scene = w->kit.scene;
    bool left = i % 2 == 0, down = (i / 2 + i % 2) % 2 == 0;
    const char *name = ashi_scene_text(scene, "%s %s", row[i / 2], left ? "left" : "right");
    ash_vec3 axle = v3(spacing * (1 - i / 2), left ? half_width : -half_width, crank + shank + foot);
    ash_vec3 pin = v3(axle.x, axle.y, axle.z + (down ? -crank : crank)), top = v3(axle.x, axle.y, axle.z + guide);
    ash_vec3 sideways = v3(0, 1, 0);
    double times[SIGNAL_POINTS], angles[SIGNAL_POINTS];
    w->kit.material = w->plastic;
    uint32_t turning = ashi_space_box(&w->kit, ashi_scene_text(scene, "%s crank", name),
                                      v3(axle.x, axle.y, 0.5 * (axle.z + pin.z)), crank_mass, v3(0.02, 0.01, 0.035));
    uint32_t sleeve =
        ashi_space_box(&w->kit, ashi_scene_text(scene, "%s guide", name), top, guide_mass, v3(0.03, 0.03, 0.03));
    uint32_t leg = add_shank(w, ashi_scene_text(scene, "%s leg", name), pin);
    ash_joint_def def = ashi_space_joint(&w->kit, ASH_JOINT_HINGE, ashi_scene_text(scene, "%s motor", name), w->body,
                                         turning, axle, sideways);
    def.axes[ASH_TURN_X].motor = servo(w, times, angles);
    w->motors[i] = ashi_space_add_joint(&w->kit, &def);
    def =
        ashi_space_joint(&w->kit, ASH_JOINT_HINGE, ashi_scene_text(scene, "%s pin", name), turning, leg, pin, sideways);
    ashi_space_add_joint(&w->kit, &def);
    def = ashi_space_joint(&w->kit, ASH_JOINT_HINGE, ashi_scene_text(scene, "%s swivel", name), w->body, sleeve, top,
                           sideways);
    ashi_space_add_joint(&w->kit, &def);
    def = ashi_space_joint(&w->kit, ASH_JOINT_SLIDER, ashi_scene_text(scene, "%s slide", name), sleeve, leg, top,
                           v3(0, 0, 1));
    ashi_space_add_joint(&w->kit, &def);
}

static void watch(const walker *w)
{
    ash_scene *scene = w->kit.scene;
    double turn = angle_at(w, duration), way = way_of(turn);
    uint32_t x = ashi_watch_body(scene, "x", ASHI_BODY_POSITION, w->body, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "y", ASHI_BODY_POSITION, w->body, ASHI_Y);
    uint32_t z = ashi_watch_body(scene, "z", ASHI_BODY_POSITION, w->body, ASHI_Z);
    uint32_t angle = ashi_watch_joint(scene, "crank", ASHI_JOINT_POSITION, w->motors[0], ASH_TURN_X);
    ashi_watch_joint(scene, "torque", ASHI_JOINT_DRIVE, w->motors[0], ASH_TURN_X);
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    ashi_expect_output(scene, "it walks as far as its strides, m", x, ASHI_FINAL, way, 0.01 * way);
    ashi_expect_output(scene, "it walks straight on, m", y, ASHI_MAX_ABS, 0, 0.01);
    double lowest = 0.08 + foot + shank * guide / hypot(guide, crank); /* when it goes from three feet to the others */
    ashi_expect_output(scene, "it does not sink, m", z, ASHI_MIN, lowest, 0.002);
    ashi_expect_output(scene, "its cranks follow, rad", angle, ASHI_FINAL, turn, 0.1);
    ashi_expect_output(scene, "its loops stay closed, m", error, ASHI_MAX, 0, 1e-6);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    walker w = {.kit = {.scene = scene, .diagnostic = diagnostic}, .pace = ashi_parameter(given, "pace")};
    scene->gravity = v3(0, 0, -gravity);
    scene->step = step;
    scene->time = duration;
    scene->sample_interval = 0.02;
    w.rubber = ashi_add_material(scene, "rubber", 1, 0);
    w.plastic = ashi_add_material(scene, "plastic", 0.3, 0);
    w.kit.status = ashi_add_ground(scene, w.rubber, diagnostic);
    w.kit.material = w.plastic;
    w.body = ashi_space_box(&w.kit, "body", v3(0, 0, crank + shank + foot + 0.08), body_mass, v3(0.5, 0.22, 0.08));
    for (int i = 0; i < LEGS; i++)
        add_leg(&w, i);
    if (w.kit.status != ASH_OK)
        return w.kit.status;
    watch(&w);
    ash_status status = ashi_use_method(scene, "bender-schmitt-2006", diagnostic);
    const ash_setting solver = {"solver", "newton"};
    return status == ASH_OK ? ashi_change_method(scene, &solver, 1, diagnostic) : status;
}

/* By both of the paper's methods; contacts of the feet by newton, as above. */
static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const ash_setting solver = {"solver", "newton"};
    static const ashi_checked_method joint_by_joint = {"bender-iterative by newton: ", "bender-iterative", &solver, 1};
    static const char paper[] = "Bender & Schmitt 2006, 6";
    ash_status status = ashi_validate_checks(validation, paper, diagnostic);
    return status == ASH_OK ? ashi_validate_checks_by(validation, &joint_by_joint, paper, diagnostic) : status;
}

const ashi_builtin ashi_scene_walker = {
    .info = {.name = "walker",
             .summary = "a walking machine with six legs, a closed chain each",
             .source = "Bender & Schmitt 2006, 6",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
