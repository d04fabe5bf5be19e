/* free-fall: a point mass falls from rest (de Jong 2014, appendix B and 6-3-1).
 *
 * In uniform gravity every one-step Euler rule misses the exact parabola by g h t / 2 (the explicit one above, the
 * others below it), while rules of order 2 and more are exact. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, height = 10, fall_time = 1;

static const ash_scene_parameter parameters[] = {
    {.name = "h", .summary = "step, s", .value = 0.01, .low = 1e-6, .high = 1},
};

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double h = ashi_parameter(given, "h"), euler_error = 0.5 * gravity * h * fall_time;
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = h;
    scene->time = fall_time;
    uint32_t ball = ashi_add_point_mass(scene, "ball", (ash_vec3){0, 0, height}, 1);
    uint32_t z = ashi_watch_body(scene, "height", ASHI_BODY_POSITION, ball, ASHI_Z);
    uint32_t speed = ashi_watch_body(scene, "velocity", ASHI_BODY_VELOCITY, ball, ASHI_Z);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    ashi_expect_output(scene, "height within the Euler error g h t / 2", z, ASHI_FINAL,
                       height - 0.5 * gravity * fall_time * fall_time, euler_error * (1 + 1e-9) + 1e-12);
    ashi_expect_output(scene, "velocity is g t", speed, ASHI_FINAL, -gravity * fall_time, 1e-10);
    return ashi_use_method(scene, "symplectic-euler", diagnostic);
}

/* How far above the exact parabola the ball is after the fall. */
static ash_status fall_error(ash_integrator integrator, double h, double *error, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "free-fall", "h=%.17g integrator=%s", h,
                                             ash_integrator_name(integrator));
    if (status != ASH_OK)
        return status;
    uint32_t steps = (uint32_t)lround(fall_time / h);
    status = ashi_experiment_run(&experiment, h, steps, NULL, NULL, NULL, diagnostic);
    ash_body ball = ash_world_find_body(experiment.world, "ball");
    double exact = height - 0.5 * gravity * (steps * h) * (steps * h);
    *error = ash_body_get_centre(experiment.world, ball).z - exact;
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.1, 0.05, 0.025, 0.0125};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int integrator = 0; integrator < ASH_INTEGRATORS; ++integrator) {
        double errors[SIZES], largest = 0;
        for (int i = 0; i < SIZES; ++i) {
            ash_status status = fall_error((ash_integrator)integrator, sizes[i], &errors[i], diagnostic);
            if (status != ASH_OK)
                return status;
            largest = fmax(largest, errors[i] = fabs(errors[i]));
        }
        char quantity[96];
        const char *name = ash_integrator_name((ash_integrator)integrator);
        if (integrator == ASH_RK4 || integrator == ASH_IMPLICIT_MIDPOINT || integrator == ASH_SDIRK2) {
            snprintf(quantity, sizeof quantity, "position error of %s, m (a parabola is exact)", name);
            ashi_validation_below(validation, quantity, "exact", largest, 1e-12);
            continue;
        }
        snprintf(quantity, sizeof quantity, "order of the position error of %s", name);
        ashi_validation_near(validation, quantity, "de Jong 2014, B", 1, ashi_fitted_order(sizes, errors, SIZES), 1e-6);
        snprintf(quantity, sizeof quantity, "position error of %s at h 0.1 s, m (g h t / 2)", name);
        ashi_validation_near(validation, quantity, "exact", 0.5 * gravity * sizes[0] * fall_time, errors[0], 1e-12);
    }
    return ASH_OK;
}

const ashi_builtin ashi_scene_free_fall = {
    .info = {.name = "free-fall",
             .summary = "a point mass falls for one second",
             .source = "de Jong 2014, 6-3-1",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
