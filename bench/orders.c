/* The order of every method, measured: small problems whose motion follows from an equation of a few unknowns, run with
 * steps of h, h/2, h/4, h/8 and h/16 and compared with the integral of that equation, found here by Runge and Kutta's
 * method. The order is that of the last three halvings together: a third of the binary logarithm of the error before
 * over that after them. */
#include "bench.h"

#include "base/diagnostic.h"

#include <math.h>
#include <stdio.h>

#define LEVELS  5
#define JUDGED  3 /* halvings */
#define UNKNOWN 8 /* at most */

static const double g = 9.81;

typedef struct study study;
struct study {
    const char *name;
    double time, h;
    uint32_t unknowns;
    double start[UNKNOWN];
    void (*rate)(const double *x, double *dx);
    /* Fills a world of its own; `body` is watched. */
    ash_status (*fill)(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic);
    /* What is compared with the body: at the end of the equation, m. */
    ash_vec3 (*place)(const double *x);
    ash_vec3 along; /* what of it counts */
    double aside;   /* gravity along x, m/s2 */
};

/* ---- equations ---- */

static void integrate(const study *s, double *x)
{
    const int steps = 8000;
    double h = s->time / steps;
    for (int n = 0; n < steps; n++) {
        double at[UNKNOWN], slope[UNKNOWN], sum[UNKNOWN] = {0};
        for (int k = 0; k < 4; k++) {
            for (uint32_t i = 0; i < s->unknowns; i++)
                at[i] = x[i] + (k == 0 ? 0 : (k < 3 ? 0.5 * h : h) * slope[i]);
            s->rate(at, slope);
            for (uint32_t i = 0; i < s->unknowns; i++)
                sum[i] += (k == 0 || k == 3 ? h / 6 : h / 3) * slope[i];
        }
        for (uint32_t i = 0; i < s->unknowns; i++)
            x[i] += sum[i];
    }
}

/* ---- worlds ---- */

static ash_status add_body(ash_world *world, double mass, double inertia, ash_vec3 position, ash_body *body,
                           ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    def.mass = mass;
    def.inertia = (ash_sym3){inertia, inertia, inertia, 0, 0, 0};
    def.position = position;
    return ash_body_create(world, &def, NULL, 0, body, diagnostic);
}

static ash_status add_solid(ash_world *world, const ash_geometry_def *geometry, const ash_body_def *body,
                            ash_body *made, ash_diagnostic *diagnostic)
{
    ash_shape_def shape = ash_default_shape_def();
    shape.density = 1000;
    ash_status status = ash_geometry_create(geometry, &shape.geometry, diagnostic);
    if (status == ASH_OK)
        status = ash_body_create(world, body, &shape, 1, made, diagnostic);
    ash_geometry_release(shape.geometry);
    return status;
}

static ash_status add_fixed(ash_world *world, ash_geometry_kind kind, double radius, ash_diagnostic *diagnostic)
{
    ash_geometry_def geometry = ash_default_geometry_def(kind);
    ash_body_def def = ash_default_body_def();
    ash_body made;
    def.type = ASH_BODY_STATIC;
    geometry.radius = radius;
    return add_solid(world, &geometry, &def, &made, diagnostic);
}

static ash_status set_surface(ash_world *world, double friction, double restitution, ash_diagnostic *diagnostic)
{
    ash_material_def def = ash_default_material_def();
    def.surface.friction = friction;
    def.surface.restitution = restitution;
    return ash_material_set(world, ash_world_get_default_material(world), &def, diagnostic);
}

/* ---- bars on hinges: angles from the vertical, downwards ---- */

static const double bar_mass = 2, bar_half = 0.5, bar_inertia = 1.0 / 6;

/* A bar from (x, z) at an angle, on a hinge about y; `axis` may be null. */
static ash_status add_bar(ash_world *world, ash_body from, ash_vec3 hinge, double angle, const ash_joint_axis *axis,
                          ash_body *bar, ash_diagnostic *diagnostic)
{
    ash_vec3 centre = {hinge.x + bar_half * sin(angle), 0, hinge.z - bar_half * cos(angle)};
    ash_joint_def def = ash_default_joint_def(ASH_JOINT_HINGE);
    ash_joint joint;
    ash_status status = add_body(world, bar_mass, bar_inertia, centre, bar, diagnostic);
    def.body_a = from;
    def.body_b = *bar;
    if (status == ASH_OK)
        status = ash_joint_def_place(world, &def, hinge, (ash_vec3){0, -1, 0});
    if (axis != NULL)
        def.axes[ASH_TURN_X] = *axis;
    return status == ASH_OK ? ash_joint_create(world, &def, &joint, diagnostic) : status;
}

static ash_vec3 bar_place(const double *x)
{
    return (ash_vec3){bar_half * sin(x[0]), 0, -bar_half * cos(x[0])};
}

static void two_bars_rate(const double *x, double *dx)
{
    double a = bar_half, l = 2 * a, m = bar_mass, c = cos(x[0] - x[1]), s = sin(x[0] - x[1]);
    double m11 = bar_inertia + m * a * a + m * l * l, m12 = m * l * a * c, m22 = bar_inertia + m * a * a;
    double f1 = -m * l * a * s * x[3] * x[3] - (m * a + m * l) * g * sin(x[0]);
    double f2 = m * l * a * s * x[2] * x[2] - m * a * g * sin(x[1]), det = m11 * m22 - m12 * m12;
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = (m22 * f1 - m12 * f2) / det;
    dx[3] = (m11 * f2 - m12 * f1) / det;
}

static ash_vec3 two_bars_place(const double *x)
{
    double l = 2 * bar_half;
    return (ash_vec3){l * sin(x[0]) + bar_half * sin(x[1]), 0, -l * cos(x[0]) - bar_half * cos(x[1])};
}

static ash_status fill_two_bars(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic)
{
    ash_vec3 end = {2 * bar_half * sin(s->start[0]), 0, -2 * bar_half * cos(s->start[0])};
    ash_body first = {0};
    ash_status status = add_bar(world, (ash_body){0}, (ash_vec3){0, 0, 0}, s->start[0], NULL, &first, diagnostic);
    return status == ASH_OK ? add_bar(world, first, end, s->start[1], NULL, body, diagnostic) : status;
}

static const double hinge_stiffness = 20, hinge_damping = 1.5, hinge_rest = 0.6, motor_torque = 6;

static double bar_acceleration(const double *x, double torque)
{
    return (torque - bar_mass * g * bar_half * sin(x[0])) / (bar_inertia + bar_mass * bar_half * bar_half);
}

static void sprung_bar_rate(const double *x, double *dx)
{
    dx[0] = x[1];
    dx[1] = bar_acceleration(x, -hinge_stiffness * (x[0] - hinge_rest) - hinge_damping * x[1]);
}

static void driven_bar_rate(const double *x, double *dx)
{
    dx[0] = x[1];
    dx[1] = bar_acceleration(x, motor_torque);
}

/* The joint's angle is zero where the bar starts: at rest, straight down. */
static ash_status fill_sprung_bar(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic)
{
    ash_joint_axis axis = ash_default_joint_def(ASH_JOINT_HINGE).axes[ASH_TURN_X];
    axis.stiffness = hinge_stiffness;
    axis.damping = hinge_damping;
    axis.rest = hinge_rest;
    return add_bar(world, (ash_body){0}, (ash_vec3){0, 0, 0}, s->start[0], &axis, body, diagnostic);
}

static ash_status fill_servo_bar(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic)
{
    ash_joint_axis axis = ash_default_joint_def(ASH_JOINT_HINGE).axes[ASH_TURN_X];
    axis.motor.drive = ASH_DRIVE_SERVO;
    axis.motor.target = hinge_rest;
    axis.motor.proportional = hinge_stiffness;
    axis.motor.derivative = hinge_damping;
    return add_bar(world, (ash_body){0}, (ash_vec3){0, 0, 0}, s->start[0], &axis, body, diagnostic);
}

static ash_status fill_driven_bar(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic)
{
    ash_joint_axis axis = ash_default_joint_def(ASH_JOINT_HINGE).axes[ASH_TURN_X];
    axis.motor = (ash_joint_motor){.drive = ASH_DRIVE_VELOCITY, .target = 1000, .max_force = motor_torque};
    return add_bar(world, (ash_body){0}, (ash_vec3){0, 0, 0}, s->start[0], &axis, body, diagnostic);
}

/* ---- a mass on a spring ---- */

static const double spring_stiffness = 60, spring_damping = 0.3, spring_length = 1;

static void spring_rate(const double *x, double *dx)
{
    double r = hypot(x[0], x[1]), along = (x[0] * x[2] + x[1] * x[3]) / r;
    double pull = -spring_stiffness * (r - spring_length) - spring_damping * along;
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = pull * x[0] / r;
    dx[3] = pull * x[1] / r - g;
}

static ash_vec3 planar_place(const double *x)
{
    return (ash_vec3){x[0], 0, x[1]};
}

static ash_status fill_spring(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    ash_spring_def spring = ash_default_spring_def();
    ash_force force;
    def.mass = 1;
    def.position = planar_place(s->start);
    ash_status status = ash_body_create(world, &def, NULL, 0, body, diagnostic);
    spring.body_b = *body;
    spring.stiffness = spring_stiffness;
    spring.damping = spring_damping;
    spring.rest_length = spring_length;
    return status == ASH_OK ? ash_spring_create(world, &spring, &force, diagnostic) : status;
}

/* ---- contacts ---- */

#define SLIDE_ASIDE 2 /* gravity along x, m/s2 */

static const double fixed_radius = 0.8, ball_radius = 0.2, slide_friction = 0.2, rebound = 0.8;

static ash_status add_ball(ash_world *world, ash_vec3 position, ash_vec3 velocity, ash_vec3 spin, ash_body *body,
                           ash_diagnostic *diagnostic)
{
    ash_geometry_def geometry = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_body_def def = ash_default_body_def();
    geometry.radius = ball_radius;
    def.position = position;
    def.velocity = velocity;
    def.angular_velocity = spin;
    return add_solid(world, &geometry, &def, body, diagnostic);
}

/* Over a ball, at an angle from the top: 7/5 D x'' = g sin x. */
static void rolling_rate(const double *x, double *dx)
{
    dx[0] = x[1];
    dx[1] = 5.0 / 7 * g * sin(x[0]) / (fixed_radius + ball_radius);
}

static ash_vec3 rolling_place(const double *x)
{
    double d = fixed_radius + ball_radius;
    return (ash_vec3){d * sin(x[0]), 0, d * cos(x[0])};
}

static ash_status fill_rolling(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic)
{
    double d = fixed_radius + ball_radius, x = s->start[0], rate = s->start[1];
    ash_status status = set_surface(world, 10, 0, diagnostic);
    if (status == ASH_OK)
        status = add_fixed(world, ASH_GEOMETRY_SPHERE, fixed_radius, diagnostic);
    return status == ASH_OK
               ? add_ball(world, rolling_place(s->start), (ash_vec3){d * rate * cos(x), 0, -d * rate * sin(x)},
                          (ash_vec3){0, d / ball_radius * rate, 0}, body, diagnostic)
               : status;
}

/* A ball that slides and spins on a plane: place, velocity, spin. */
static void sliding_rate(const double *x, double *dx)
{
    double slip[2] = {x[2] - ball_radius * x[5], x[3] + ball_radius * x[4]}, speed = hypot(slip[0], slip[1]);
    double drag = -slide_friction * g * slip[0] / speed, ay = -slide_friction * g * slip[1] / speed;
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = drag + SLIDE_ASIDE;
    dx[3] = ay;
    dx[4] = 2.5 / ball_radius * ay;
    dx[5] = -2.5 / ball_radius * drag;
}

static ash_vec3 sliding_place(const double *x)
{
    return (ash_vec3){x[0], x[1], ball_radius};
}

static ash_status fill_sliding(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic)
{
    const double *x = s->start;
    ash_status status = set_surface(world, slide_friction, 0, diagnostic);
    if (status == ASH_OK)
        status = add_fixed(world, ASH_GEOMETRY_PLANE, 0, diagnostic);
    return status == ASH_OK ? add_ball(world, sliding_place(x), (ash_vec3){x[2], x[3], 0}, (ash_vec3){x[4], x[5], 0},
                                       body, diagnostic)
                            : status;
}

/* A ball that bounces: its height in closed form, from flight to flight. */
static ash_vec3 bounce_place(const double *x)
{
    double height = x[0], up = 0, left = x[1];
    for (;;) {
        double land = (up + sqrt(up * up + 2 * g * height)) / g;
        if (land > left)
            return (ash_vec3){0, 0, ball_radius + height + up * left - 0.5 * g * left * left};
        left -= land;
        up = rebound * (g * land - up);
        height = 0;
    }
}

static void bounce_rate(const double *x, double *dx)
{
    (void)x;
    dx[0] = 0; /* the height of the start */
    dx[1] = 1; /* the time */
}

static ash_status fill_bounce(ash_world *world, const study *s, ash_body *body, ash_diagnostic *diagnostic)
{
    ash_status status = set_surface(world, 0, rebound, diagnostic);
    if (status == ASH_OK)
        status = add_fixed(world, ASH_GEOMETRY_PLANE, 0, diagnostic);
    return status == ASH_OK ? add_ball(world, (ash_vec3){0, 0, ball_radius + s->start[0]}, (ash_vec3){0, 0, 0},
                                       (ash_vec3){0, 0, 0}, body, diagnostic)
                            : status;
}

/* ---- studies ---- */

/* Contacts hold to the slop, which is no error of the order: rolling and sliding are judged along the surface. */
static const study studies[] = {
    {"joints: two bars", 1.2, 0.01, 4, {0.5, 0.9, 0, 0}, two_bars_rate, fill_two_bars, two_bars_place, {1, 1, 1}, 0},
    {"spring as a force", 1.5, 0.01, 4, {0.9, -0.4, 0, 0}, spring_rate, fill_spring, planar_place, {1, 1, 1}, 0},
    {"spring in a joint", 0.8, 0.01, 2, {0, 0}, sprung_bar_rate, fill_sprung_bar, bar_place, {1, 1, 1}, 0},
    {"servo", 0.8, 0.01, 2, {0, 0}, sprung_bar_rate, fill_servo_bar, bar_place, {1, 1, 1}, 0},
    {"motor at its torque", 0.8, 0.01, 2, {0, 0}, driven_bar_rate, fill_driven_bar, bar_place, {1, 1, 1}, 0},
    {"rolling", 0.6, 0.01, 2, {0.1, 0.4}, rolling_rate, fill_rolling, rolling_place, {1, 0, 0}, 0},
    {"sliding", 0.4, 0.01, 6, {0, 0, -1, 2, 8, 12}, sliding_rate, fill_sliding, sliding_place, {1, 1, 0}, SLIDE_ASIDE},
    {"impacts", 1.5, 0.01, 2, {0.5, 0}, bounce_rate, fill_bounce, bounce_place, {0, 0, 1}, 0},
};

static const char *const methods[] = {
    "realtime",     "engineering",     "gribel-2009",         "stewart-trinkle",  "dejong-2014", "penalty",
    "erleben-2007", "guendelman-2003", "bender-schmitt-2006", "bender-iterative", "faure"};
enum { STUDIES = sizeof studies / sizeof *studies, METHODS = sizeof methods / sizeof *methods };

/* How far a run ends from where it should, m. */
static ash_status run_study(const study *s, const char *method, double h, ash_vec3 right, double *off,
                            ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    ash_world *world = NULL;
    ash_body body = {0};
    def.gravity = (ash_vec3){s->aside, 0, -g};
    ash_status status = ash_method_find(method, &def.method, diagnostic);
    if (status == ASH_OK)
        status = ash_method_set(&def.method, "sleeping", "off", diagnostic);
    if (status == ASH_OK)
        status = ash_world_create(&def, &world, diagnostic);
    if (status == ASH_OK)
        status = s->fill(world, s, &body, diagnostic);
    for (long i = lround(s->time / h); i > 0 && status == ASH_OK; i--)
        status = ash_world_step(world, h);
    if (status == ASH_OK) {
        ash_vec3 at = ash_body_get_centre(world, body);
        *off =
            sqrt(s->along.x * (at.x - right.x) * (at.x - right.x) + s->along.y * (at.y - right.y) * (at.y - right.y) +
                 s->along.z * (at.z - right.z) * (at.z - right.z));
    } else if (world != NULL && diagnostic->message[0] == 0) {
        *diagnostic = ash_world_get_last_diagnostic(world);
    }
    ash_world_destroy(world);
    return status;
}

static json_t *measure(const study *s, const char *method, ash_diagnostic *diagnostic)
{
    double x[UNKNOWN], off[LEVELS];
    for (int i = 0; i < UNKNOWN; i++)
        x[i] = s->start[i];
    integrate(s, x);
    for (int k = 0; k < LEVELS; k++)
        if (run_study(s, method, s->h / (1 << k), s->place(x), &off[k], diagnostic) != ASH_OK)
            return NULL;
    double order = log2(fmax(off[LEVELS - 1 - JUDGED], 1e-300) / fmax(off[LEVELS - 1], 1e-300)) / JUDGED;
    return json_pack("{s:s,s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "problem", s->name, "method", method, "h (s)", s->h,
                     "error at h (m)", off[0], "at h/2 (m)", off[1], "at h/4 (m)", off[2], "at h/8 (m)", off[3],
                     "at h/16 (m)", off[4], "order", order);
}

json_t *bench_orders(ash_diagnostic *diagnostic)
{
    json_t *rows = json_array();
    for (int i = 0; i < STUDIES * METHODS; i++) {
        json_t *row = measure(&studies[i / METHODS], methods[i % METHODS], diagnostic);
        if (row == NULL || json_array_append_new(rows, row) != 0) {
            if (row != NULL)
                ashi_out_of_memory(diagnostic);
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}
