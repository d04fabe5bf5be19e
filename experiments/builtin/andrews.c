/* andrews: Andrews' squeezing mechanism, seven plane bodies in three loops, driven by a torque against a spring.
 *
 * Angles beta (body 1), Theta (2 against 1), gamma (3), Phi (4 against 5), delta (5), Omega (6 against 7), epsilon (7)
 * place all bodies. The three loops close in the point P where bodies 2, 3, 4 and 6 are pinned together. It turns by 16
 * rad within 30 ms. */
#include "experiments/analysis.h"
#include "experiments/builtin/mechanism.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES };
static const char *const names[ANGLES] = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
static const double start[ANGLES] = {
    -0.0617138900142764, 0, 0.455279819163070, 0.222668390165886, 0.487364979543843, -0.222668390165886,
    1.23054744454982};
static const double at_30_ms[ANGLES] = {15.810771195, -15.756371060, 0.040822240, -0.534730116,
                                        0.524409966,  0.534730116,   1.048080741};
static const double masses[7] = {.04325, .00365, .02373, .00706, .07050, .00706, .05498};
static const double inertias[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
static const ash_vec3 fixed_a = {-.06934, -.00227, 0}, fixed_b = {-.03635, .03273, 0}, fixed_c = {.014, .072, 0};
static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, sa = .01874, sb = .01043,
                    sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02,
                    zt = .04, fa = .01421;
static const double spring = 4530, spring_length = .07785, torque = .033;

/* from + along * (cos, sin) + across * (-sin, cos) of an angle. */
static ash_vec3 place(ash_vec3 from, double angle, double along, double across)
{
    double sine, cosine;
    ashi_sincos(angle, &sine, &cosine);
    return v3(from.x + along * cosine - across * sine, from.y + along * sine + across * cosine, 0);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    const double *q = start;
    const ash_vec3 origin = {0, 0, 0};
    double angle[7] = {q[BETA],  q[BETA] + q[THETA],    q[GAMMA],  q[PHI] + q[DELTA],
                       q[DELTA], q[OMEGA] + q[EPSILON], q[EPSILON]};
    ash_vec3 crank = place(origin, angle[0], rr, 0), meeting = place(crank, angle[1], -d, 0);
    ash_vec3 elbow = place(fixed_a, angle[4], zt, 0), knee = place(fixed_a, angle[6], 0, -u);
    const ash_vec3 centre[7] = {place(origin, angle[0], ra, 0),    place(crank, angle[1], -da, 0),
                                place(fixed_b, angle[2], sb, -sa), place(elbow, angle[3], 0, ea - e),
                                place(fixed_a, angle[4], ta, tb),  place(knee, angle[5], zf - fa, 0),
                                place(fixed_a, angle[6], -ub, -ua)};
    const ash_vec3 ends[7][2] = {{origin, crank},  {crank, meeting}, {fixed_b, meeting}, {elbow, meeting},
                                 {fixed_a, elbow}, {knee, meeting},  {fixed_a, knee}};
    uint32_t body[7];
    scene->planar = true;
    scene->gravity = (ash_vec3){0, 0, 0};
    scene->step = 2e-5;
    scene->time = 0.03;
    for (int i = 0; i < 7; i++) {
        ashi_linkage_link link = {.name = ashi_scene_text(scene, "body-%d", i + 1),
                                  .mass = masses[i],
                                  .inertia = inertias[i],
                                  .centre = centre[i],
                                  .angle = angle[i],
                                  .from = ends[i][0],
                                  .to = ends[i][1],
                                  .radius = 0.001};
        ash_status status = ashi_add_link(scene, &link, &body[i], diagnostic);
        if (status != ASH_OK)
            return status;
    }
    uint32_t joint[ANGLES];
    joint[BETA] = ashi_pin(scene, "O", ASHI_NONE, body[0], origin);
    joint[THETA] = ashi_pin(scene, "crank", body[0], body[1], crank);
    joint[GAMMA] = ashi_pin(scene, "B", ASHI_NONE, body[2], fixed_b);
    joint[PHI] = ashi_pin(scene, "elbow", body[4], body[3], elbow);
    joint[DELTA] = ashi_pin(scene, "A-5", ASHI_NONE, body[4], fixed_a);
    joint[OMEGA] = ashi_pin(scene, "knee", body[6], body[5], knee);
    joint[EPSILON] = ashi_pin(scene, "A-7", ASHI_NONE, body[6], fixed_a);
    ashi_pin(scene, "P-3", body[1], body[2], meeting);
    ashi_pin(scene, "P-4", body[1], body[3], meeting);
    ashi_pin(scene, "P-6", body[1], body[5], meeting);

    ash_spring_def pull = ash_default_spring_def();
    pull.name = "spring";
    pull.body_b = ashi_scene_body_ref(body[2]);
    pull.point_a = fixed_c;
    ash_vec3 at = place(fixed_b, angle[2], sd, -sc), arm = v3_sub(at, centre[2]);
    double sine, cosine;
    ashi_sincos(angle[2], &sine, &cosine);
    pull.point_b = v3(cosine * arm.x + sine * arm.y, cosine * arm.y - sine * arm.x, 0);
    pull.stiffness = spring;
    pull.rest_length = spring_length;
    ashi_scene_add_spring(scene, &pull);
    ashi_scene_force drive = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    drive.def.load.name = "motor";
    drive.def.load.body = ashi_scene_body_ref(body[0]);
    drive.def.load.torque = v3(0, 0, torque);
    ashi_scene_add_force(scene, &drive);

    for (int i = 0; i < ANGLES; i++) {
        uint32_t output = ashi_watch_joint(scene, names[i], ASHI_JOINT_POSITION, joint[i], ASH_TURN_Z);
        ashi_expect_output(scene, ashi_scene_text(scene, "%s after 30 ms", names[i]), output, ASHI_FINAL, at_30_ms[i],
                           0.02);
    }
    uint32_t error = ashi_watch_world(scene, "joint error", ASHI_WORLD_JOINT_ERROR);
    ashi_expect_output(scene, "loops stay closed", error, ASHI_MAX, 0, 1e-6);
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* ---- experiments ---- */

static ash_status validate_method(ashi_validation *validation, const char *method, double order,
                                  ash_diagnostic *diagnostic)
{
    static const double sizes[] = {4e-5, 2e-5, 1e-5, 5e-6};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    double errors[SIZES], open = 0;
    static const double end = 0.03;
    ashi_outcome seen[SIZES];
    char quantity[120];
    for (int i = 0; i < SIZES; i++) {
        ash_status status = ashi_run_mechanism("andrews", method, sizes[i], &end, 1, &seen[i], diagnostic);
        if (status != ASH_OK)
            return status;
        errors[i] = 0;
        for (int k = 0; k < ANGLES; k++)
            errors[i] = fmax(errors[i], fabs(seen[i].outputs[k] - at_30_ms[k]));
        open = fmax(open, seen[i].joint_error);
    }
    snprintf(quantity, sizeof quantity, "order of the largest error of an angle at 30 ms, %s", method);
    if (order == 2)
        ashi_validation_near(validation, quantity, "theory", order, ashi_fitted_order(sizes, errors, SIZES), 0.2);
    else /* the published values are not exact enough */
        ashi_validation_report(validation, quantity, "theory", order, ashi_fitted_order(sizes, errors, SIZES));
    snprintf(quantity, sizeof quantity, "largest error of an angle at 30 ms, rad, h 5 us, %s", method);
    ashi_validation_report(validation, quantity, "published values", 0, errors[SIZES - 1]);
    for (int k = 0; k < ANGLES; k++) {
        double fine = seen[SIZES - 1].outputs[k], coarse = seen[SIZES - 2].outputs[k];
        snprintf(quantity, sizeof quantity, "%s at 30 ms, rad, extrapolated from h 10 and 5 us, %s", names[k], method);
        ashi_validation_near(validation, quantity, "published values", at_30_ms[k],
                             fine + (fine - coarse) / (order == 2 ? 3 : 15), order == 2 ? 1e-5 : 1e-8);
    }
    snprintf(quantity, sizeof quantity, "largest joint error, m, %s", method);
    ashi_validation_below(validation, quantity, "exact", open, 1e-6);
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_method(validation, "engineering", 2, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_method(validation, "bender-schmitt-2006 joint-tolerance=1e-13", 2, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_method(validation, "faure joint-tolerance=1e-13", 4, diagnostic);
    return status;
}

const ashi_builtin ashi_scene_andrews = {
    .info = {.name = "andrews",
             .summary = "Andrews' squeezing mechanism: seven bodies in three loops",
             .source = "reference problem of differential-algebraic equations"},
    .build = build,
    .validate = validate,
};
