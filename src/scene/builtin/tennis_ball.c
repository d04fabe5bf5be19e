/* tennis-ball: dropped in air with its lowest point at 1.5 m, until just before its first impact (de Jong 2014, 7).
 *
 * The radius is the 0.0335 m that his table 7-1 prints as the diameter. The drag's area is the shadow of the ball's
 * shape. The exact fall is ashi_fall_with_drag with k = density C_D A / (2 m). */
#include "base/diagnostic.h"
#include "scene/analysis.h"
#include "scene/builtin/parts.h"
#include "scene/experiment.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, mass = 0.0548, radius = 0.0335, air = 1.2, drop = 1.5, fall_time = 0.55;

static const ash_scene_parameter parameters[] = {
    {.name = "drag", .summary = "drag coefficient C_D", .value = 0.5, .low = 0, .high = 10},
};

static double drag_rate(double coefficient)
{
    return 0.5 * air * coefficient * ASHI_PI * radius * radius / mass;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double coefficient = ashi_parameter(given, "drag");
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = 0.001;
    scene->time = fall_time;
    ash_body_def def = ash_default_body_def();
    def.name = "ball";
    def.position = (ash_vec3){0, 0, drop + radius};
    def.mass = mass;
    uint32_t ball = ashi_scene_add_body(scene, &def);
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    sphere.radius = radius;
    ash_status status = ashi_add_solid(scene, ball, "felt", &sphere, 0, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_scene_force air_drag = {.kind = ASH_FORCE_DRAG, .def.drag = ash_default_drag_def()};
    air_drag.def.drag.body = ashi_scene_body_ref(ball);
    air_drag.def.drag.coefficient = coefficient;
    air_drag.def.drag.density = air;
    air_drag.def.drag.name = "air";
    ashi_scene_add_force(scene, &air_drag);

    ashi_scene_output lowest = {.name = "lowest point",
                                .quantity = ASHI_BODY_POSITION,
                                .object = ball,
                                .point = {0, 0, -radius},
                                .component = ASHI_Z};
    uint32_t bottom = ashi_scene_add_output(scene, &lowest);
    uint32_t speed = ashi_watch_body(scene, "velocity", ASHI_BODY_VELOCITY, ball, ASHI_Z);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    ashi_watch_world(scene, "drag work", ASHI_WORLD_DRAG);
    ashi_fall exact = ashi_fall_with_drag(gravity, drag_rate(coefficient), fall_time);
    ashi_expect_output(scene, "lowest point on the exact fall within 5 mm", bottom, ASHI_FINAL, drop - exact.distance,
                       0.005);
    ashi_expect_output(scene, "velocity of the exact fall within 5 mm/s", speed, ASHI_FINAL, -exact.speed, 0.005);
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* Distance from the exact fall at the end, m. */
static ash_status fall_error(ash_integrator integrator, double h, double *error, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status =
        ashi_experiment_open(&experiment, diagnostic, "tennis-ball", "integrator=%s", ash_integrator_name(integrator));
    if (status != ASH_OK)
        return status;
    uint32_t steps = (uint32_t)lround(fall_time / h);
    status = ashi_experiment_run(&experiment, h, steps, NULL, NULL, NULL, diagnostic);
    ash_body ball = ash_world_find_body(experiment.world, "ball");
    ashi_fall exact = ashi_fall_with_drag(gravity, drag_rate(0.5), steps * h);
    *error = fabs(ash_body_get_centre(experiment.world, ball).z - (drop + radius - exact.distance));
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.055, 0.0275, 0.01375, 0.006875};
    static const double orders[ASH_INTEGRATORS] = {1, 1, 1, 4, 2, 1};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    char quantity[96];
    for (int integrator = 0; integrator < ASH_INTEGRATORS; ++integrator) {
        double errors[SIZES], error;
        for (int i = 0; i <= SIZES; ++i) {
            ash_status status = fall_error((ash_integrator)integrator, i < SIZES ? sizes[i] : 0.001,
                                           i < SIZES ? &errors[i] : &error, diagnostic);
            if (status != ASH_OK)
                return status;
        }
        const char *name = ash_integrator_name((ash_integrator)integrator);
        snprintf(quantity, sizeof quantity, "order of the height's error before the first bounce, %s", name);
        ashi_validation_near(validation, quantity, "theory", orders[integrator],
                             ashi_fitted_order(sizes, errors, SIZES), 0.1);
        snprintf(quantity, sizeof quantity, "error at 0.55 s, h 1 ms, %s, m", name);
        if (integrator == ASH_IMPLICIT_MIDPOINT || integrator == ASH_RK4)
            ashi_validation_below(validation, quantity, "exact fall with quadratic drag", error, 0.005);
        else
            ashi_validation_report(validation, quantity, "exact fall with quadratic drag", 0, error);
    }
    return ASH_OK;
}

const ashi_builtin ashi_scene_tennis_ball = {
    .info = {.name = "tennis-ball",
             .summary = "a tennis ball falls through air until just before its first impact",
             .source = "de Jong 2014, 7",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
