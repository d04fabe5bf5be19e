/* oscillator: a mass on a spring of no rest length, released at 1 m: x = cos(omega t) (de Jong 2014, 6-3-1).
 *
 * Symplectic Euler keeps omega^2 x^2 + v^2 - h omega^2 x v. From this follow its exact largest amplitude
 * 1 / sqrt(1 - (h omega / 2)^2), its exact frequency 2 asin(h omega / 2) / h, and its stability up to h = 2 / omega. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const ash_scene_parameter parameters[] = {
    {.name = "omega", .summary = "angular frequency, rad/s", .value = 1, .low = 1e-3, .high = 1e4},
    {.name = "h", .summary = "step, s", .value = 0.1, .low = 1e-6, .high = 1e3},
    {.name = "periods", .summary = "length of the run, in periods", .value = 1000, .low = 0.01, .high = 1e6},
};

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double omega = ashi_parameter(given, "omega"), h = ashi_parameter(given, "h");
    scene->gravity = (ash_vec3){0, 0, 0};
    scene->step = h;
    scene->time = ashi_parameter(given, "periods") * 2 * ASHI_PI / omega;
    uint32_t mass = ashi_add_point_mass(scene, "mass", (ash_vec3){1, 0, 0}, 1);
    ash_spring_def spring = ash_default_spring_def();
    spring.name = "spring";
    spring.body_b = ashi_scene_body_ref(mass);
    spring.stiffness = omega * omega;
    spring.damping = 0;
    spring.rest_length = 0;
    spring.tension_only = false;
    ashi_scene_add_spring(scene, &spring);
    uint32_t x = ashi_watch_body(scene, "x", ASHI_BODY_POSITION, mass, ASHI_X);
    ashi_watch_body(scene, "velocity", ASHI_BODY_VELOCITY, mass, ASHI_X);
    uint32_t energy = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    /* Beyond the stability bound there is nothing to expect. */
    double half = 0.5 * h * omega;
    if (half < 1) {
        double grown = 1 / sqrt(1 - half * half);
        if (ashi_parameter(given, "periods") >= 1 && half < 0.25) /* samples are at most h apart */
            ashi_expect_range(scene, "it swings to the other side", x, ASHI_MIN, -grown * (1 + 1e-6),
                              -grown * (1 - 2 * half * half));
        ashi_expect_output(scene, "amplitude within that of symplectic Euler", x, ASHI_MAX_ABS, 1,
                           (1 / sqrt(1 - half * half) - 1) * (1 + 1e-6));
        ashi_expect_output(scene, "energy gains no more than symplectic Euler's", energy, ASHI_MAX, 0.5 * omega * omega,
                           0.5 * omega * omega * half / (1 - half) * (1 + 1e-6));
        ashi_expect_output(scene, "energy loses no more than symplectic Euler's", energy, ASHI_MIN, 0.5 * omega * omega,
                           0.5 * omega * omega * half / (1 + half) * (1 + 1e-6));
    }
    return ashi_use_method(scene, "symplectic-euler", diagnostic);
}

/* What a run of the oscillator with omega = 1 shows. */
typedef struct response {
    double amplitude; /* largest |x|; huge when the numbers grew beyond all bounds */
    double last;      /* largest |x| of the last period */
    double frequency; /* rad/s, by zero crossings */
    double error;     /* distance of (x, v) from the exact state at the end */
    /* while observing */
    ash_body mass;
    double h, before, first_crossing, last_crossing;
    uint32_t crossings, steps;
} response;

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    response *seen = data;
    double x = ash_body_get_centre(world, seen->mass).x, t = step * seen->h;
    if (step > 0 && seen->before < 0 && x >= 0) {
        seen->last_crossing = t - seen->h * x / (x - seen->before);
        if (seen->crossings++ == 0)
            seen->first_crossing = seen->last_crossing;
    }
    seen->before = x;
    seen->amplitude = fmax(seen->amplitude, fabs(x));
    if (t >= seen->steps * seen->h - 2 * ASHI_PI)
        seen->last = fmax(seen->last, fabs(x));
    return seen->amplitude < 1e100;
}

static ash_status respond(ash_integrator integrator, double h, double time, response *seen, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "oscillator", "omega=1 h=%.17g integrator=%s", h,
                                             ash_integrator_name(integrator));
    if (status != ASH_OK)
        return status;
    *seen = (response){.mass = ash_world_find_body(experiment.world, "mass"), .h = h};
    seen->steps = (uint32_t)lround(time / h);
    uint32_t taken = 0;
    status = ashi_experiment_run(&experiment, h, seen->steps, observe, seen, &taken, diagnostic);
    double t = seen->steps * h, x = ash_body_get_centre(experiment.world, seen->mass).x;
    double v = ash_body_get_velocity(experiment.world, seen->mass).x;
    seen->error = hypot(x - cos(t), v + sin(t));
    if (taken < seen->steps)
        seen->amplitude = seen->last = seen->error = 1e300;
    if (seen->crossings > 1)
        seen->frequency = 2 * ASHI_PI * (seen->crossings - 1) / (seen->last_crossing - seen->first_crossing);
    ashi_experiment_close(&experiment);
    return status;
}

/* The orders of amplitude and period over 1000 periods below h = 1 / omega. The steps are not commensurate with the
 * period: at h = 1 the six states of a period would come again and again and miss the largest amplitude. */
static ash_status validate_below_bound(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.01, 0.0171, 0.0293, 0.0503, 0.0863, 0.148, 0.253, 0.434, 0.743};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    const char *paper = "de Jong 2014, figure 6-8";
    double amplitude[SIZES], period[SIZES], worst_amplitude = 0, worst_frequency = 0;
    for (int i = 0; i < SIZES; ++i) {
        response seen;
        ash_status status = respond(ASH_SYMPLECTIC_EULER, sizes[i], 2000 * ASHI_PI, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        double half = sizes[i] / 2, exact = 1 / sqrt(1 - half * half) - 1;
        amplitude[i] = seen.amplitude - 1;
        period[i] = fabs(1 / seen.frequency - 1);
        ashi_validation_point(validation, paper, "amplitude", sizes[i], exact, amplitude[i]);
        ashi_validation_point(validation, paper, "period", sizes[i], 1 - half / asin(half), period[i]);
        worst_amplitude = fmax(worst_amplitude, fabs(amplitude[i] / exact - 1));
        worst_frequency = fmax(worst_frequency, fabs(seen.frequency * half / asin(half) - 1));
    }
    ashi_validation_near(validation, "order of the amplitude error, symplectic Euler, h 0.01 to 0.74, 1000 periods",
                         paper, 2, ashi_fitted_order(sizes, amplitude, SIZES), 0.1);
    ashi_validation_near(validation, "order of the period error, symplectic Euler, h 0.01 to 0.74, 1000 periods", paper,
                         2, ashi_fitted_order(sizes, period, SIZES), 0.1);
    ashi_validation_below(validation, "amplitude error against 1/sqrt(1-(h omega/2)^2) - 1, relative", "exact",
                          worst_amplitude, 1e-5);
    /* Straight lines between samples miss the first and the last crossing by up to some 0.01 rad at the largest h. */
    ashi_validation_below(validation, "frequency against 2 asin(h omega/2)/h, relative", "exact", worst_frequency,
                          5e-6);
    return ASH_OK;
}

/* Around the stability bound h = 2 / omega. */
static ash_status validate_bound(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double bounded[] = {1.2, 1.5, 1.9, 1.99}, unstable[] = {2.01, 2.2};
    char quantity[96];
    response seen;
    for (int i = 0; i < 4; ++i) {
        ash_status status = respond(ASH_SYMPLECTIC_EULER, bounded[i], 2000 * ASHI_PI, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        double half = bounded[i] / 2, exact = 1 / sqrt(1 - half * half);
        snprintf(quantity, sizeof quantity, "amplitude over 1000 periods, symplectic Euler, h %g (bounded)",
                 bounded[i]);
        ashi_validation_near(validation, quantity, "exact; de Jong 2014, figure 6-7b", exact, seen.amplitude,
                             1e-5 * exact);
    }
    for (int i = 0; i < 2; ++i) {
        ash_status status = respond(ASH_SYMPLECTIC_EULER, unstable[i], 2000 * ASHI_PI, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "amplitude over 1000 periods, symplectic Euler, h %g (unstable): at least",
                 unstable[i]);
        ashi_validation_above(validation, quantity, "de Jong 2014, figure 6-7c", seen.amplitude, 1e6);
    }
    return ASH_OK;
}

/* Order of the state's error at t = 2, and the amplitude in the last of 100 periods. */
static ash_status validate_integrators(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.1, 0.05, 0.025, 0.0125};
    static const double orders[ASH_INTEGRATORS] = {1, 1, 1, 4, 2, 1, 2};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    char quantity[96];
    response seen;
    for (int integrator = 0; integrator < ASH_INTEGRATORS; ++integrator) {
        double errors[SIZES];
        for (int i = 0; i < SIZES; ++i) {
            ash_status status = respond((ash_integrator)integrator, sizes[i], 2, &seen, diagnostic);
            if (status != ASH_OK)
                return status;
            errors[i] = seen.error;
        }
        const char *name = ash_integrator_name((ash_integrator)integrator);
        snprintf(quantity, sizeof quantity, "order of the state's error at 2 s, %s", name);
        ashi_validation_near(validation, quantity, "theory", orders[integrator],
                             ashi_fitted_order(sizes, errors, SIZES), 0.1);
        ash_status status = respond((ash_integrator)integrator, 0.05, 200 * ASHI_PI, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "amplitude in the 100th period, h 0.05, %s%s", name,
                 integrator == ASH_EXPLICIT_EULER   ? " (grows): at least"
                 : integrator == ASH_IMPLICIT_EULER ? " (decays)"
                                                    : "");
        if (integrator == ASH_EXPLICIT_EULER)
            ashi_validation_above(validation, quantity, "de Jong 2014, 6-3-1", seen.last, 1e6);
        else if (integrator == ASH_IMPLICIT_EULER)
            ashi_validation_below(validation, quantity, "de Jong 2014, 6-3-1", seen.last, 1e-6);
        else
            ashi_validation_near(validation, quantity, "exact", 1, seen.last, 1e-3);
    }
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_below_bound(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_bound(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_integrators(validation, diagnostic);
    return status;
}

const ashi_builtin ashi_scene_oscillator = {
    .info = {.name = "oscillator",
             .summary = "a mass on a spring swings for 1000 periods",
             .source = "de Jong 2014, 6-3-1",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
