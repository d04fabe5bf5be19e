/* bounce: a ball dropped from 5 m on a plane, by every kind of stabilization (de Jong 2014, 6-1-3 and 6-3-2).
 *
 * With e = 1 the exact motion keeps its energy for ever. A velocity-level scheme finds the ball some way below the
 * ground: Baumgarte's push out of it is a speed that the ball keeps, at any step; a projection of positions only lifts
 * the ball by its depth, which vanishes with h; cutting the step at the impact needs neither. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, radius = 0.5, mass = 1, drop = 5;

/* In the order of the parameter's words. The paper's shares: 0.2 for Baumgarte, 0.8 for the projection. */
enum { NONE, BAUMGARTE, POST, MIXED, ENGINEERING };

static const ash_scene_parameter parameters[] = {
    {.name = "way",
     .summary = "how overlap is removed: a stabilization of stewart-trinkle, or the method engineering",
     .choices = "none|baumgarte|post|mixed|engineering",
     .choice_value = "engineering"},
    {.name = "h", .summary = "step, s", .value = 0.01, .low = 1e-5, .high = 0.1},
    {.name = "e", .summary = "restitution", .value = 1, .low = 0, .high = 1},
};

static ash_status choose_method(ash_scene *scene, uint32_t way, ash_diagnostic *diagnostic)
{
    static const char *const stabilizations[] = {"none", "baumgarte", "post", "mixed"};
    if (way == ENGINEERING)
        return ashi_use_method(scene, "engineering", diagnostic);
    ash_status status = ashi_use_method(scene, "stewart-trinkle", diagnostic);
    ash_setting fields[] = {{"stabilization", stabilizations[way]}, {"erp", "0.2"}, {"post-erp", "0.8"}};
    return status == ASH_OK ? ashi_change_method(scene, fields, 3, diagnostic) : status;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double e = ashi_parameter(given, "e");
    uint32_t way = ashi_parameter_choice(given, "way");
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = ashi_parameter(given, "h");
    scene->time = 10;
    uint32_t rubber = ashi_add_material(scene, "rubber", 0.5, e), ball;
    ash_status status = ashi_add_ground(scene, rubber, diagnostic);
    if (status == ASH_OK)
        status = ashi_add_ball(scene, "ball", (ash_vec3){0, 0, drop + radius}, radius, mass, rubber, &ball, diagnostic);
    if (status != ASH_OK)
        return status;
    uint32_t gap = ashi_scene_add_output(scene, &(ashi_scene_output){.name = "gap",
                                                                     .quantity = ASHI_BODY_POSITION,
                                                                     .object = ball,
                                                                     .point = {0, 0, -radius},
                                                                     .component = ASHI_Z});
    uint32_t energy = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    uint32_t depth = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    if (way == ENGINEERING) {
        double fastest = sqrt(2 * gravity * drop);
        ashi_expect_range(scene, "it comes down to the ground", gap, ASHI_MIN, -0.001, fastest * scene->step);
        ashi_expect_output(scene, "never 1 mm below the ground", depth, ASHI_MAX, 0, 0.001);
        if (e == 1)
            ashi_expect_output(scene, "energy kept within 0.1 %", energy, ASHI_FINAL, mass * gravity * (drop + radius),
                               0.001 * mass * gravity * drop);
    }
    return choose_method(scene, way, diagnostic);
}

/* ---- experiments ---- */

/* Energy after 10 s over that of the drop, less one. */
static ash_status energy_gain(const char *settings, double h, double *gain, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "bounce", "%s h=%.17g", settings, h);
    if (status != ASH_OK)
        return status;
    status = ashi_experiment_run(&experiment, h, (uint32_t)lround(10 / h), NULL, NULL, NULL, diagnostic);
    double energy = ash_world_get_ledger(experiment.world).total - mass * gravity * radius;
    *gain = energy / (mass * gravity * drop) - 1;
    ashi_experiment_close(&experiment);
    return status;
}

/* Steps that are no round part of the flight, so that impacts fall anywhere in a step. */
static const double sizes[] = {0.0103, 0.0051, 0.0023, 0.00107, 0.00053};
enum { SIZES = sizeof sizes / sizeof *sizes };

static ash_status energy_gains(const char *settings, double *gains, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (int i = 0; i < SIZES && status == ASH_OK; i++)
        status = energy_gain(settings, sizes[i], &gains[i], diagnostic);
    return status;
}

/* The order with which the gain, or the loss, vanishes: 1 where impacts are met a part of a step late, 0 where it does
 * not depend on the step. */
static double order_of(const double *gains)
{
    double errors[SIZES];
    for (int i = 0; i < SIZES; i++)
        errors[i] = fabs(gains[i]);
    return ashi_fitted_order(sizes, errors, SIZES);
}

static void draw_gains(ashi_validation *validation, const char *title, const double *gains)
{
    for (int i = 0; i < SIZES; i++)
        ashi_validation_point(validation, "de Jong 2014, 6-3-2", title, sizes[i], 0, gains[i]);
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    double gains[SIZES], least = INFINITY, most = 0;
    ash_status status = energy_gains("way=baumgarte", gains, diagnostic);
    if (status != ASH_OK)
        return status;
    draw_gains(validation, "Baumgarte", gains);
    for (int i = 0; i < SIZES; i++)
        least = fmin(least, gains[i]);
    ashi_validation_above(validation, "least relative gain of energy at any of these h, Baumgarte: at least",
                          "de Jong 2014, 6-3-2", least, 0.01);
    ashi_validation_below(validation, "order of the gain, Baumgarte (does not converge; 1 would): at most",
                          "de Jong 2014, figure 6-10a", order_of(gains), 0.5);

    status = energy_gains("way=post", gains, diagnostic);
    if (status != ASH_OK)
        return status;
    draw_gains(validation, "post-stabilization", gains);
    ashi_validation_above(validation, "order of the energy's error, post-stabilization (converges): at least",
                          "de Jong 2014, figure 6-10b", order_of(gains), 0.7);

    status = energy_gains("way=mixed", gains, diagnostic);
    if (status != ASH_OK)
        return status;
    draw_gains(validation, "mixed", gains);
    for (int i = 0; i < SIZES; i++)
        most = fmax(most, gains[i]);
    ashi_validation_above(validation, "largest relative gain of energy at any of these h, mixed: at least",
                          "de Jong 2014, figure 6-9", most, 0.01);
    ashi_validation_below(validation, "order of the gain, mixed (does not converge; 1 would): at most",
                          "de Jong 2014, figure 6-9", order_of(gains), 0.5);

    status = energy_gains("method=realtime", gains, diagnostic);
    if (status != ASH_OK)
        return status;
    draw_gains(validation, "realtime", gains);
    ashi_validation_above(validation, "order of the energy's error, realtime (converges): at least", "exact",
                          order_of(gains), 0.7);

    status = energy_gains("way=engineering", gains, diagnostic);
    if (status != ASH_OK)
        return status;
    draw_gains(validation, "engineering", gains);
    ashi_validation_below(validation, "relative error of energy in 10 s, e 1, h 0.0103 s, engineering", "exact",
                          fabs(gains[0]), 1e-3);
    ashi_validation_below(validation, "relative error of energy in 10 s, e 1, h 0.00053 s, engineering", "exact",
                          fabs(gains[SIZES - 1]), 1e-4);
    return ASH_OK;
}

const ashi_builtin ashi_scene_bounce = {
    .info = {.name = "bounce",
             .summary = "an elastic ball bounces on the ground: what each stabilization does to its energy",
             .source = "de Jong 2014, 6-3-2",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
