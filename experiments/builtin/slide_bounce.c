/* slide-bounce: an elastic ball that also moves sideways leaves its first impact spinning (de Jong 2014, 6-1-4).
 *
 * With the normal impulse J = (1 + e) m v_n, the friction impulse is the smaller of mu J and what stops the slip,
 * (2/7) m v_t for a solid ball. It turns the ball by (5/2) / (m r) of itself. Where friction is bounded by the normal
 * impulse of the step before (de Jong 5-3-1), a first impact has none. */
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, radius = 0.5, mass = 1, drop = 5, sideways = 2;

static const ash_scene_parameter parameters[] = {
    {.name = "mu", .summary = "coefficient of friction", .value = 0.5, .low = 0, .high = 10},
    {.name = "h", .summary = "step, s", .value = 0.01, .low = 1e-5, .high = 0.1},
};

/* Friction impulse of the first impact over the ball's mass, m/s. */
static double exact_friction(double mu)
{
    return fmin(mu * 2 * sqrt(2 * gravity * drop), 2.0 / 7 * sideways);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double mu = ashi_parameter(given, "mu"), change = exact_friction(mu);
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = ashi_parameter(given, "h");
    scene->time = 2;
    uint32_t rubber = ashi_add_material(scene, "rubber", mu, 1), ball;
    ash_status status = ashi_add_ground(scene, rubber, diagnostic);
    if (status == ASH_OK)
        status = ashi_add_ball(scene, "ball", (ash_vec3){0, 0, drop + radius}, radius, mass, rubber, &ball, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->bodies.data[ball].def.velocity.x = sideways;
    ashi_watch_body(scene, "height", ASHI_BODY_POSITION, ball, ASHI_Z);
    uint32_t speed = ashi_watch_body(scene, "velocity x", ASHI_BODY_VELOCITY, ball, ASHI_X);
    uint32_t spin = ashi_watch_body(scene, "spin y", ASHI_BODY_ANGULAR_VELOCITY, ball, ASHI_Y);
    uint32_t energy = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    double start = mass * (gravity * (drop + radius) + sideways * sideways / 2);
    ashi_expect_output(scene, "sideways after the impact as by Newton and Coulomb", speed, ASHI_FINAL,
                       sideways - change, 0.001);
    ashi_expect_output(scene, "spin after the impact as by Newton and Coulomb", spin, ASHI_FINAL, 2.5 * change / radius,
                       0.005);
    ashi_expect_output(scene, "friction adds no energy", energy, ASHI_MAX, start, 1e-3 * start);
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* ---- experiments ---- */

typedef struct impact {
    double spin;  /* rad/s */
    double ratio; /* friction impulse over normal impulse */
} impact;

static ash_status bounce_once(const char *settings, double h, impact *seen, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "slide-bounce", "%s h=%.17g", settings, h);
    if (status != ASH_OK)
        return status;
    uint32_t steps = (uint32_t)lround(1.9 / h);
    status = ashi_experiment_run(&experiment, h, steps, NULL, NULL, NULL, diagnostic);
    ash_body ball = ash_world_find_body(experiment.world, "ball");
    ash_vec3 velocity = ash_body_get_velocity(experiment.world, ball);
    /* Gravity's part of the momentum is known: what is left of it is the ground's. */
    double normal = mass * (velocity.z + gravity * steps * h), friction = mass * (sideways - velocity.x);
    seen->spin = ash_body_get_angular_velocity(experiment.world, ball).y;
    seen->ratio = friction / normal;
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const struct {
        const char *title, *settings;
        bool exact_speed; /* the impact is where the ground is */
    } methods[] = {{"engineering", "", true}, {"stewart-trinkle", "method=stewart-trinkle ", false}};
    static const double coefficients[] = {0.5, 0.01};
    char quantity[96], settings[160];
    impact seen;
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 2 && !validation->stopped; i++) {
            double mu = coefficients[i], exact = 2.5 * exact_friction(mu) / radius;
            snprintf(settings, sizeof settings, "%smu=%g", methods[m].settings, mu);
            ash_status status = bounce_once(settings, 0.0103, &seen, diagnostic);
            if (status != ASH_OK)
                return status;
            snprintf(quantity, sizeof quantity, "spin after the first impact, mu %g, rad/s, %s", mu, methods[m].title);
            /* Up to one step late, the overlap is up to v h deep and shortens friction's arm by up to half of that. */
            double late = sqrt(2 * gravity * drop) * 0.0103 / (2 * radius);
            double limit = methods[m].exact_speed ? 1e-6 * exact : late * exact;
            ashi_validation_near(validation, quantity, "Newton's and Coulomb's law", exact, seen.spin, limit);
            snprintf(quantity, sizeof quantity, "friction impulse over normal impulse, mu %g, %s", mu,
                     methods[m].title);
            ashi_validation_below(validation, quantity, "Coulomb's law; de Jong 2014, 6-1-4", seen.ratio,
                                  mu * (1 + 1e-9));
        }
    ash_status status = bounce_once("method=stewart-trinkle friction-bound=previous", 0.0103, &seen, diagnostic);
    if (status == ASH_OK)
        ashi_validation_near(validation, "spin after the first impact, friction bounded by the step before, rad/s",
                             "de Jong 2014, 6-1-4: none", 0, seen.spin, 1e-9);
    return status;
}

const ashi_builtin ashi_scene_slide_bounce = {
    .info = {.name = "slide-bounce",
             .summary = "an elastic ball moving sideways leaves its first impact spinning",
             .source = "de Jong 2014, 6-1-4",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
