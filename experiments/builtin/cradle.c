/* cradle: Newton's cradle. Balls hang side by side on rods and touch; some are lifted and let go.
 *
 * With sequential settlement of impacts as many balls leave at the far end as came, and as fast: the impact goes from
 * ball to ball. Settled together, momentum and energy are kept as well, but all balls move (docs/impacts.md). */
#include "base/diagnostic.h"
#include "experiments/builtin/flat_kit.h"
#include "experiments/experiment.h"
#include "math/elementary.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double radius = 0.05, rod = 1, lift = 0.5; /* m, m, rad */

static const ash_scene_parameter parameters[] = {
    {.name = "balls", .summary = "in the row", .value = 5, .low = 2, .high = 20},
    {.name = "lifted", .summary = "balls that are lifted and let go, fewer than all", .value = 1, .low = 1, .high = 19},
    {.name = "e", .summary = "coefficient of restitution", .value = 1, .low = 0, .high = 1},
};

static uint32_t add_ball(ashi_flat_kit *kit, uint32_t i, double angle)
{
    double x = 2 * radius * i, sine, cosine;
    ashi_sincos(angle, &sine, &cosine);
    ash_vec3 at = v3(x - rod * sine, -rod * cosine, 0);
    uint32_t ball = ashi_flat_disc(kit, ashi_scene_text(kit->scene, "ball %u", i + 1), at.x, at.y, radius);
    ash_joint_def joint = ashi_flat_joint(kit, ASH_JOINT_DISTANCE, ashi_scene_text(kit->scene, "rod %u", i + 1),
                                          ASHI_NONE, ball, at, v3(1, 0, 0));
    joint.frame_a.position = v3(x, 0, 0);
    joint.length = rod;
    ashi_flat_add_joint(kit, &joint);
    return ball;
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t balls = 0, lifted = 0, last = 0;
    ash_status status = ashi_parameter_whole(given, "balls", &balls, diagnostic);
    if (status == ASH_OK)
        status = ashi_parameter_whole(given, "lifted", &lifted, diagnostic);
    if (status != ASH_OK)
        return status;
    lifted = lifted < balls ? lifted : balls - 1;
    ashi_flat_kit kit = ashi_flat_begin(scene, "engineering", 0.01, 1, diagnostic);
    kit.material = ashi_add_material(scene, "steel", 0, ashi_parameter(given, "e"));
    for (uint32_t i = 0; i < balls; i++)
        last = add_ball(&kit, i, i < lifted ? lift : 0);
    if (kit.status != ASH_OK)
        return kit.status;
    uint32_t first = ashi_watch_body(scene, "first x", ASHI_BODY_POSITION, 0, ASHI_X);
    uint32_t far = ashi_watch_body(scene, "last x", ASHI_BODY_POSITION, last, ASHI_X);
    uint32_t energy = ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    if (ashi_parameter(given, "e") == 1 && balls > 2 * lifted) {
        double sine, cosine, middle = 2 * radius * (balls - 1), density = kit.density;
        ashi_sincos(lift, &sine, &cosine);
        double mass = density * ASHI_PI * radius * radius,
               start = -mass * 9.81 * rod * (balls - lifted + lifted * cosine);
        ashi_expect_output(scene, "the last ball swings out as far as the first came from", far, ASHI_MAX,
                           middle + rod * sine, 1e-3);
        ashi_expect_output_between(scene, "the first ball stays where it struck", first, ASHI_FINAL, 0, 1e-3, 0, 1);
        ashi_expect_output(scene, "energy is kept", energy, ASHI_FINAL, start, 1e-4 * mass * 9.81 * rod);
    }
    static const ash_setting order[] = {{"impact-order", "sequential"}};
    return ashi_change_method(scene, order, 1, diagnostic);
}

/* ---- experiments ---- */

/* Speeds of the balls after the first passage, over that of the lifted ones at the bottom. */
static ash_status swing(uint32_t balls, uint32_t lifted, const char *settings, double *speeds,
                        ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status =
        ashi_experiment_open(&experiment, diagnostic, "cradle", "balls=%u lifted=%u %s", balls, lifted, settings);
    if (status != ASH_OK)
        return status;
    double h = experiment.scene->step, sine, cosine;
    status = ashi_experiment_run(&experiment, h, (uint32_t)lround(0.55 / h), NULL, NULL, NULL, diagnostic);
    ashi_sincos(lift, &sine, &cosine);
    for (uint32_t i = 0; i < balls; i++) {
        char name[32];
        snprintf(name, sizeof name, "ball %u", i + 1);
        ash_body ball = ash_world_find_body(experiment.world, name);
        ash_vec3 v = ash_body_get_velocity(experiment.world, ball);
        double fallen = 9.81 * (ash_body_get_centre(experiment.world, ball).y + rod);
        /* At the bottom: with the height that it has gained since. */
        speeds[i] = copysign(sqrt((v3_norm2(v) + 2 * fallen) / (2 * 9.81 * rod * (1 - cosine))), v.x);
    }
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const struct {
        uint32_t balls, lifted;
    } cradles[] = {{3, 1}, {5, 1}, {5, 2}, {5, 3}, {5, 4}, {10, 1}};
    double speeds[20], together[20];
    char quantity[96];
    ash_status status = ashi_validate_checks(validation, "Newton's cradle", diagnostic);
    for (uint32_t i = 0; i < sizeof cradles / sizeof *cradles && status == ASH_OK && !validation->stopped; i++) {
        uint32_t balls = cradles[i].balls, lifted = cradles[i].lifted;
        status = swing(balls, lifted, "", speeds, diagnostic);
        double worst = 0;
        for (uint32_t k = 0; k < balls; k++)
            worst = fmax(worst, fabs(speeds[k] - (k + lifted >= balls ? 1 : 0)));
        snprintf(quantity, sizeof quantity, "%u of %u balls in and out: error of a speed over the speed", lifted,
                 balls);
        if (status == ASH_OK)
            ashi_validation_below(validation, quantity, "impacts from ball to ball", worst,
                                  9.81 / rod * 1e-4); /* (omega h)^2 of the pendulums */
    }
    if (status == ASH_OK)
        status = swing(5, 1, "impact-order=together", together, diagnostic);
    if (status == ASH_OK) /* (2 / 5 - 1, 2 / 5 ...): the frame of the mean, reflected */
        ashi_validation_near(validation, "1 of 5 balls, settled together: speed of the last over that of the first",
                             "one problem, e 1: 2/5", 0.4, together[4], 1e-3);
    return status;
}

const ashi_builtin ashi_scene_cradle = {
    .info = {.name = "cradle",
             .summary = "Newton's cradle: balls in a row that touch, some lifted",
             .source = "simultaneous impacts one after the other",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
