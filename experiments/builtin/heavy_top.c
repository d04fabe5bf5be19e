/* heavy-top: a symmetric top that spins fast about its axis, held at a point and pulled aside by gravity.
 *
 * Its gyroscopic torque is large and its precession steep, so that errors of rotation show at once. */
#include "experiments/analysis.h"
#include "experiments/builtin/mechanism.h"

#include <math.h>
#include <stdio.h>

static const double mass = 15, gravity = 9.81;
static const ash_vec3 centre = {0, 1, 0}, spin = {0, 150, -4.61538};

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = 0.0005;
    scene->time = 2;
    ash_body_def def = ash_default_body_def();
    def.name = "top";
    def.position = centre;
    def.mass = mass;
    def.inertia = (ash_sym3){.xx = 0.234375, .yy = 0.46875, .zz = 0.234375};
    def.angular_velocity = spin;
    def.velocity = (ash_vec3){-spin.z * centre.y, 0, spin.x * centre.y};
    uint32_t top = ashi_scene_add_body(scene, &def);
    ash_geometry_def disc = ash_default_geometry_def(ASH_GEOMETRY_CYLINDER);
    disc.radius = 0.25;
    disc.height = 0.05;
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(&disc, &geometry, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_scene_shape shape = ashi_default_scene_shape();
    shape.geometry = ashi_scene_add_geometry(scene, "disc", geometry);
    shape.density = 0;
    shape.pose.rotation = (ash_quat){sqrt(0.5), sqrt(0.5), 0, 0}; /* the cylinder's z along y */
    if (shape.geometry != ASHI_NONE && top != ASHI_NONE)
        ashi_scene_add_shape(scene, top, &shape);
    ash_joint_def ball = ash_default_joint_def(ASH_JOINT_BALL);
    ball.name = "tip";
    ball.body_b = ashi_scene_body_ref(top);
    ball.frame_b.position = (ash_vec3){-centre.x, -centre.y, -centre.z};
    uint32_t joint = ashi_scene_add_joint(scene, &ball);
    static const double at_end[3] = {-0.15041682, -0.72416559, -0.67302227};
    for (int axis = ASHI_X; axis <= ASHI_Z; axis++) {
        const char *name = ashi_scene_text(scene, "centre %c", "xyz"[axis]);
        uint32_t output = ashi_watch_body(scene, name, ASHI_BODY_POSITION, top, (ashi_component)axis);
        ashi_expect_output(scene, ashi_scene_text(scene, "%s after 2 s", name), output, ASHI_FINAL, at_end[axis], 1e-3);
    }
    ashi_watch_body(scene, "angular velocity y", ASHI_BODY_ANGULAR_VELOCITY, top, ASHI_Y);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    uint32_t error = ashi_watch_joint(scene, "joint error", ASHI_JOINT_ERROR, joint, ASH_MOVE_X);
    ashi_expect_output(scene, "the tip stays", error, ASHI_MAX, 0, 1e-6);
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* ---- experiments ---- */

static double distance(const ashi_outcome *seen)
{
    double x = seen->outputs[0] + 0.15041682, y = seen->outputs[1] + 0.72416559, z = seen->outputs[2] + 0.67302227;
    return seen->finished ? sqrt(x * x + y * y + z * z) : HUGE_VAL;
}

static ash_status validate_method(ashi_validation *validation, const char *method, double order,
                                  ash_diagnostic *diagnostic)
{
    enum { SIZES = 4 };
    double sizes[SIZES], errors[SIZES], spins[SIZES], strayed = 0, open = 0;
    static const double end = 2;
    ashi_outcome seen;
    char quantity[120];
    for (int i = 0; i < SIZES; i++) {
        sizes[i] = 0.001 / (1 << i);
        ash_status status = ashi_run_mechanism("heavy-top", method, sizes[i], &end, 1, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        errors[i] = distance(&seen);
        spins[i] = seen.outputs[3];
        strayed = sizes[i] == 0.0005 ? seen.energy : strayed;
        open = fmax(open, seen.joint_error);
    }
    snprintf(quantity, sizeof quantity, "order of the error of the centre at 2 s, %s", method);
    double fitted = ashi_fitted_order(sizes, errors, SIZES);
    if (order == 2)
        ashi_validation_near(validation, quantity, "theory", order, fitted, 0.2);
    else if (order > 0) /* it comes as near as the eight digits of the references allow */
        ashi_validation_report(validation, quantity, "theory", order, fitted);
    else
        ashi_validation_report(validation, quantity, "measured", NAN, fitted);
    snprintf(quantity, sizeof quantity, "distance of the centre at 2 s, m, h %g ms, %s", 1000 * sizes[SIZES - 1],
             method);
    if (order > 0)
        ashi_validation_below(validation, quantity, "reference values", errors[SIZES - 1], 1e-3);
    else
        ashi_validation_report(validation, quantity, "reference values", 0, errors[SIZES - 1]);
    snprintf(quantity, sizeof quantity, "angular velocity y at 2 s, rad/s, extrapolated, %s", method);
    if (order > 0)
        ashi_validation_near(validation, quantity, "reference values", -106.163804,
                             spins[SIZES - 1] + (spins[SIZES - 1] - spins[SIZES - 2]) / (order > 2 ? 15 : 3), 1e-3);
    snprintf(quantity, sizeof quantity, "largest departure of the energy in 2 s, J, h 0.5 ms, %s", method);
    ashi_validation_report(validation, quantity, "exact", 0, strayed);
    snprintf(quantity, sizeof quantity, "largest joint error, m, %s", method);
    if (order > 0)
        ashi_validation_below(validation, quantity, "exact", open, 1e-6);
    else
        ashi_validation_report(validation, quantity, "exact", 0, open);
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_method(validation, "engineering", 2, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_method(validation, "bender-schmitt-2006 joint-tolerance=1e-12", 2, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_method(validation, "faure joint-tolerance=1e-13", 4, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_method(validation, "realtime", 0, diagnostic);
    return status;
}

const ashi_builtin ashi_scene_heavy_top = {
    .info = {.name = "heavy-top",
             .summary = "a fast spinning top held at its tip",
             .source = "reference problem of integrators on Lie groups"},
    .build = build,
    .validate = validate,
};
