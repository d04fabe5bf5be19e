/* iftomm-pendulum: a point mass on a massless rod, from rest at the height of its pivot (IFToMM library of benchmark
 * problems for multibody dynamics).
 *
 * The exact motion is an elliptic function; the references are its values. A method that is symmetric and symplectic
 * keeps the energy within bounds for ever, so that its error grows with time and not with its square. */
#include "experiments/analysis.h"
#include "experiments/builtin/mechanism.h"

#include <math.h>
#include <stdio.h>

static const double mass = 1, length = 1, gravity = 9.81;

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    scene->planar = true;
    scene->gravity = (ash_vec3){0, -gravity, 0};
    scene->step = 0.001;
    scene->time = 10;
    uint32_t bob = ashi_add_point_mass(scene, "bob", (ash_vec3){length, 0, 0}, mass);
    ash_geometry_def ball = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    ball.radius = 0.05;
    ash_status status = ashi_add_solid(scene, bob, "bob", &ball, 0, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_joint_def rod = ash_default_joint_def(ASH_JOINT_DISTANCE);
    rod.name = "rod";
    rod.body_b = ashi_scene_body_ref(bob);
    rod.length = length;
    uint32_t joint = ashi_scene_add_joint(scene, &rod);
    uint32_t x = ashi_watch_body(scene, "x", ASHI_BODY_POSITION, bob, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "y", ASHI_BODY_POSITION, bob, ASHI_Y);
    uint32_t energy = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    uint32_t error = ashi_watch_joint(scene, "joint error", ASHI_JOINT_ERROR, joint, ASH_MOVE_X);
    ashi_expect_output(scene, "x after 10 s", x, ASHI_FINAL, 0.275087462576, 1e-3);
    ashi_expect_output(scene, "y after 10 s", y, ASHI_FINAL, -0.961419205099, 1e-3);
    ashi_expect_output(scene, "energy stays 0", energy, ASHI_MAX_ABS, 0, 1e-3);
    ashi_expect_output(scene, "the rod keeps its length", error, ASHI_MAX, 0, 1e-6);
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* ---- experiments ---- */

static double distance(const ashi_outcome *seen, double x, double y)
{
    return seen->finished ? hypot(seen->outputs[0] - x, seen->outputs[1] - y) : HUGE_VAL;
}

/* The limits of the benchmark over 2000 s: 0.1 at low accuracy, 0.001 at high accuracy. */
static ash_status run_long(ashi_validation *validation, const char *method, double h, double limit,
                           ash_diagnostic *diagnostic)
{
    static const double end = 2000;
    ashi_outcome seen;
    char quantity[120];
    ash_status status = ashi_run_mechanism("iftomm-pendulum", method, h, &end, 1, &seen, diagnostic);
    if (status != ASH_OK)
        return status;
    snprintf(quantity, sizeof quantity, "distance from the exact place at 2000 s, m, h %g ms, %s", h * 1000, method);
    ashi_validation_below(validation, quantity, "exact; IFToMM's limit",
                          distance(&seen, -0.814603068589, -0.580018827837), limit);
    snprintf(quantity, sizeof quantity, "largest departure of the energy in 2000 s, J, h %g ms, %s", h * 1000, method);
    ashi_validation_below(validation, quantity, "exact; IFToMM's limit", seen.energy, limit);
    snprintf(quantity, sizeof quantity, "largest joint error in 2000 s, m, h %g ms, %s", h * 1000, method);
    ashi_validation_below(validation, quantity, "exact", seen.joint_error, 1e-6);
    return ASH_OK;
}

static ash_status validate_order(ashi_validation *validation, const char *method, double order,
                                 ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.02, 0.01, 0.005, 0.0025};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    static const double end = 1;
    double errors[SIZES];
    ashi_outcome seen;
    char quantity[120];
    for (int i = 0; i < SIZES; i++) {
        ash_status status = ashi_run_mechanism("iftomm-pendulum", method, sizes[i], &end, 1, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        errors[i] = distance(&seen, -0.986291751132, -0.165010853126);
    }
    snprintf(quantity, sizeof quantity, "order of the error of position at 1 s, %s", method);
    double fitted = ashi_fitted_order(sizes, errors, SIZES);
    if (order > 0)
        ashi_validation_near(validation, quantity, "theory", order, fitted, 0.2);
    else
        ashi_validation_report(validation, quantity, "measured", NAN, fitted);
    snprintf(quantity, sizeof quantity, "distance from the exact place at 1 s, m, h 10 ms, %s", method);
    ashi_validation_report(validation, quantity, "exact", 0, errors[1]);
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const struct {
        const char *name;
        double order; /* 0: only told */
    } methods[] = {{"engineering", 2},
                   {"bender-schmitt-2006 joint-tolerance=1e-12", 2},
                   {"faure joint-tolerance=1e-13", 4},
                   {"realtime", 0},
                   {"gribel-2009", 0}};
    ash_status status = ASH_OK;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && status == ASH_OK && !validation->stopped; i++)
        status = validate_order(validation, methods[i].name, methods[i].order, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = run_long(validation, "engineering", 0.003, 0.1, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = run_long(validation, "bender-schmitt-2006 joint-tolerance=1e-12", 0.003, 0.1, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = run_long(validation, "engineering", 0.00025, 1e-3, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = run_long(validation, "bender-schmitt-2006 joint-tolerance=1e-12", 0.00025, 1e-3, diagnostic);
    return status;
}

const ashi_builtin ashi_scene_iftomm_pendulum = {
    .info = {.name = "iftomm-pendulum",
             .lengthy = true,
             .summary = "a point mass on a rod, for 2000 s",
             .source = "IFToMM benchmark"},
    .build = build,
    .validate = validate,
};
