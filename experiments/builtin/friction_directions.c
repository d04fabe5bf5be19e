/* friction-directions: a point mass at rest on a plane is pushed at an angle (de Jong 2014, examples 1 and 2).
 *
 * In units of mu m g, a push (x, y) with x, y >= 0 is held, or what is left of it accelerates the mass, by
 *   cone     the push within the unit circle; else it less its own direction;
 *   pyramid  of 4: x + y <= 1; else less (a, 1 - a), a = (1 + x - y) / 2 within 0 to 1: corners lie on the axes;
 *   box      each of x and y by itself up to 1. */
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"
#include "math/elementary.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, friction = 0.5, mass = 1;

static const ash_scene_parameter parameters[] = {
    {.name = "law",
     .summary = "of friction: cone, pyramid of 4 or box along the axes",
     .choices = "cone|pyramid|box",
     .choice_value = "cone"},
    {.name = "angle", .summary = "of the push to the x axis, degrees", .value = 45, .low = 0, .high = 90},
    {.name = "push", .summary = "horizontal force over mu m g", .value = 0.9, .low = 0, .high = 100},
};

typedef struct slide {
    double x, y;
} slide;

/* What is left of a push, in units of mu g. */
static slide acceleration(ash_friction_law law, double push, double degrees)
{
    double x = push * cos(degrees * ASHI_PI / 180), y = push * sin(degrees * ASHI_PI / 180);
    if (law == ASH_FRICTION_CONE) {
        double left = push > 1 ? (push - 1) / push : 0;
        return (slide){left * x, left * y};
    }
    if (law == ASH_FRICTION_BOX)
        return (slide){fmax(x - 1, 0), fmax(y - 1, 0)};
    double a = fmin(fmax((1 + x - y) / 2, 0), 1);
    return x + y > 1 ? (slide){x - a, y - (1 - a)} : (slide){0, 0};
}

/* The largest push that is held, over mu m g. */
static double static_limit(ash_friction_law law, double degrees)
{
    double c = cos(degrees * ASHI_PI / 180), s = sin(degrees * ASHI_PI / 180);
    return law == ASH_FRICTION_CONE ? 1 : law == ASH_FRICTION_PYRAMID ? 1 / (c + s) : 1 / fmax(c, s);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    ash_friction_law law = (ash_friction_law)ashi_parameter_choice(given, "law");
    double push = ashi_parameter(given, "push"), degrees = ashi_parameter(given, "angle");
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = 0.01;
    scene->time = 1;
    uint32_t surface = ashi_add_material(scene, "surface", friction, 0), body;
    ash_status status = ashi_add_ground(scene, surface, diagnostic);
    if (status == ASH_OK)
        status = ashi_add_ball(scene, "mass", (ash_vec3){0, 0, 0.1}, 0.1, mass, surface, &body, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->bodies.data[body].def.locks = ASH_LOCK_ROTATION;
    double force = push * friction * mass * gravity, angle = degrees * ASHI_PI / 180;
    ashi_scene_force load = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    load.def.load.name = "push";
    load.def.load.body = ashi_scene_body_ref(body);
    load.def.load.force = (ash_vec3){force * ashi_cos(angle), force * ashi_sin(angle), 0};
    ashi_scene_add_force(scene, &load);

    slide a = acceleration(law, push, degrees);
    double way = 0.5 * friction * gravity * scene->time * scene->time, tolerance = 0.02 * way * hypot(a.x, a.y) + 1e-6;
    ashi_expect_output(scene, "x as by the law, within 2 %",
                       ashi_watch_body(scene, "x", ASHI_BODY_POSITION, body, ASHI_X), ASHI_FINAL, way * a.x, tolerance);
    ashi_expect_output(scene, "y as by the law, within 2 %",
                       ashi_watch_body(scene, "y", ASHI_BODY_POSITION, body, ASHI_Y), ASHI_FINAL, way * a.y, tolerance);
    /* What does not go into motion is friction. */
    uint32_t held = ashi_watch_body(scene, "force of the plane along x", ASHI_BODY_CONTACT_FORCE, body, ASHI_X);
    double slides = mass * friction * gravity * a.x;
    ashi_expect_output(scene, "friction along x holds against the push, within 2 %", held, ASHI_FINAL,
                       slides - load.def.load.force.x, 0.02 * force);
    ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    static const char *const words[ASH_FRICTION_LAWS] = {"cone", "pyramid", "box"};
    status = ashi_use_method(scene, "engineering", diagnostic);
    ash_setting fields[] = {{"friction-law", words[law]}, {"friction-directions", "4"}};
    return status == ASH_OK ? ashi_change_method(scene, fields, 2, diagnostic) : status;
}

/* ---- experiments ---- */

/* The velocity after three steps. */
static ash_status push_mass(const char *law, const char *more, double push, double degrees, ash_vec3 *velocity,
                            ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "friction-directions",
                                             "law=%s push=%.17g angle=%.17g%s", law, push, degrees, more);
    if (status != ASH_OK)
        return status;
    status = ashi_experiment_run(&experiment, 0.01, 3, NULL, NULL, NULL, diagnostic);
    *velocity = ash_body_get_velocity(experiment.world, ash_world_find_body(experiment.world, "mass"));
    ashi_experiment_close(&experiment);
    return status;
}

/* The push at which the mass begins to move, by bisection to 1e-8. */
static ash_status find_limit(const char *law, const char *more, double degrees, double *limit,
                             ash_diagnostic *diagnostic)
{
    double low = 0.4, high = 2;
    while (high - low > 1e-8) {
        ash_vec3 velocity;
        *limit = (low + high) / 2;
        ash_status status = push_mass(law, more, *limit, degrees, &velocity, diagnostic);
        if (status != ASH_OK)
            return status;
        if (hypot(velocity.x, velocity.y) > 1e-8)
            high = *limit;
        else
            low = *limit;
    }
    return ASH_OK;
}

static double direction_error(double degrees, double x, double y)
{
    return fabs(atan2(y, x) * 180 / ASHI_PI - degrees);
}

/* The angle between push and motion, the worst of some; the law's own and ours. */
static ash_status worst_direction(ash_friction_law law, const char *name, const char *more, double *exact, double *ours,
                                  ash_diagnostic *diagnostic)
{
    *exact = *ours = 0;
    for (double degrees = 2.5; degrees < 90; degrees += 5) {
        ash_vec3 velocity;
        ash_status status = push_mass(name, more, 3, degrees, &velocity, diagnostic);
        if (status != ASH_OK)
            return status;
        slide a = acceleration(law, 3, degrees);
        if (law != ASH_FRICTION_CONE) /* whose error is none, and would come out as rounding */
            *exact = fmax(*exact, direction_error(degrees, a.x, a.y));
        *ours = fmax(*ours, direction_error(degrees, velocity.x, velocity.y));
    }
    return ASH_OK;
}

static ash_status validate_law(ashi_validation *validation, ash_friction_law law, const char *title, const char *name,
                               const char *more, ash_diagnostic *diagnostic)
{
    static const double angles[] = {0, 22.5, 45};
    char quantity[96];
    double exact, ours;
    const char *source = law == ASH_FRICTION_CONE      ? "Coulomb's law"
                         : law == ASH_FRICTION_PYRAMID ? "exact; de Jong 2014, figure 4-4"
                                                       : "exact; de Jong 2014, figure 4-6";
    for (int i = 0; i < 3 && !validation->stopped; i++) {
        ash_status status = find_limit(name, more, angles[i], &ours, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "static limit over mu N at %g degrees, %s", angles[i], title);
        ashi_validation_near(validation, quantity, source, static_limit(law, angles[i]), ours, 1e-6);
        if (law != ASH_FRICTION_BOX)
            ashi_validation_point(validation, "de Jong 2014, figure 4-4", title, angles[i],
                                  static_limit(law, angles[i]), ours);
        if (law != ASH_FRICTION_PYRAMID)
            ashi_validation_point(validation, "de Jong 2014, figure 4-6", title, angles[i],
                                  static_limit(law, angles[i]), ours);
    }
    ash_status status = worst_direction(law, name, more, &exact, &ours, diagnostic);
    snprintf(quantity, sizeof quantity, "sliding off the push's direction at most, degrees, %s", title);
    if (status == ASH_OK)
        ashi_validation_near(validation, quantity, source, exact, ours, 1e-5);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const struct {
        ash_friction_law law;
        const char *title, *name, *more;
    } cases[] = {
        {ASH_FRICTION_CONE, "cone", "cone", ""},
        {ASH_FRICTION_PYRAMID, "pyramid of 4", "pyramid", ""},
        {ASH_FRICTION_PYRAMID, "pyramid of 4 by lemke", "pyramid", " solver=lemke"},
        {ASH_FRICTION_BOX, "box along the axes", "box", ""},
    };
    ash_status status = ASH_OK;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && status == ASH_OK && !validation->stopped; i++)
        status = validate_law(validation, cases[i].law, cases[i].title, cases[i].name, cases[i].more, diagnostic);
    double exact, ours;
    if (status == ASH_OK)
        status = worst_direction(ASH_FRICTION_CONE, "box", " friction-axes=sliding", &exact, &ours, diagnostic);
    if (status == ASH_OK)
        ashi_validation_report(validation, "sliding off the push's direction at most, degrees, box along the sliding",
                               "de Jong 2014, 6-1-2", exact, ours);
    return status;
}

const ashi_builtin ashi_scene_friction_directions = {
    .info = {.name = "friction-directions",
             .summary = "a point mass on a plane is pushed at an angle: what each friction law holds",
             .source = "de Jong 2014, 4-4",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
