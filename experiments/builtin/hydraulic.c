/* hydraulic: a cylinder pulls at a spring of 2 m and 200 N/m without damping (Gribel 2009, 5.2), planar.
 *
 * A block on a rail hangs between the cylinder (left) and the spring (right). The cylinder holds for a second,
 * contracts at 1 m/s until the spring pulls with its greatest force and stops there, and extends at 1 m/s again
 * although the spring helps. The paper does not tell what is between both. A block of mass m runs on by its momentum
 * until the spring pulls with sqrt(m k) v more: it is light, so that this is less than what is to be shown. */
#include "experiments/builtin/flat_kit.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double step = 0.01, stiffness = 200, speed = 1, start = 3, rest = 2, contracts = 1;
static const double side = 0.2, lightest = 0.01; /* of the block, m, kg */

static const ash_scene_parameter parameters[] = {
    {.name = "fmax", .summary = "greatest force of the cylinder, N", .value = 200, .low = 50, .high = 400},
    {.name = "mass", .summary = "of the block between cylinder and spring, kg", .value = 0.01, .low = 0.01, .high = 2},
};

/* How much more than its greatest force it may be found to pull with: the block runs on, and what it does is seen once
 * in a step. */
static double slack(double mass)
{
    return sqrt(mass * stiffness) * speed + stiffness * speed * step;
}

/* When it has stood still at its greatest force for a second. */
static double extends_at(double greatest)
{
    return contracts + greatest / stiffness / speed + 1;
}

static void tell_piston(ash_scene *scene, uint32_t cylinder, double time, ash_piston piston)
{
    ashi_scene_event event = {.time = time,
                              .kind = ASHI_EVENT_SET,
                              .owner = ASHI_OF_JOINT,
                              .object = cylinder,
                              .fields = ASHI_SET_PISTON,
                              .piston = piston};
    ashi_scene_add_event(scene, &event);
}

/* From the block to the right, as long as it wants to be. */
static uint32_t add_spring(ash_scene *scene, uint32_t block)
{
    ash_spring_def def = ash_default_spring_def();
    def.name = "spring";
    def.body_a = ashi_scene_body_ref(block);
    def.point_b = v3(start + rest, 0, 0);
    def.stiffness = stiffness;
    def.damping = 0;
    def.rest_length = rest;
    def.tension_only = false;
    return ashi_scene_add_spring(scene, &def);
}

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    double greatest = ashi_parameter(given, "fmax"), extends = extends_at(greatest);
    double mass = ashi_parameter(given, "mass"), more = slack(mass);
    ashi_flat_kit kit =
        ashi_flat_begin(scene, "gribel-2009", step, extends + greatest / stiffness / speed + 1, diagnostic);
    kit.density = mass / (side * side);
    uint32_t block = ashi_flat_box(&kit, "block", start, 0, side, side);
    ash_joint_def def =
        ashi_flat_joint(&kit, ASH_JOINT_HYDRAULIC, "cylinder", ASHI_NONE, block, v3(0, 0, 0), v3(1, 0, 0));
    def.frame_b = ash_identity();
    def.min_length = 0.5;
    def.max_length = start;
    def.speed = speed;
    def.max_force = greatest;
    uint32_t cylinder = ashi_flat_add_joint(&kit, &def);
    def = ashi_flat_joint(&kit, ASH_JOINT_SLIDER, "rail", ASHI_NONE, block, v3(start, 0, 0), v3(1, 0, 0));
    ashi_flat_add_joint(&kit, &def);
    if (kit.status != ASH_OK)
        return kit.status;
    uint32_t spring = add_spring(scene, block);
    tell_piston(scene, cylinder, contracts, ASH_PISTON_CONTRACT);
    tell_piston(scene, cylinder, extends, ASH_PISTON_EXTEND);
    uint32_t length = ashi_watch_joint(scene, "length", ASHI_JOINT_POSITION, cylinder, ASH_MOVE_X);
    uint32_t rate = ashi_watch_joint(scene, "piston speed", ASHI_JOINT_RATE, cylinder, ASH_MOVE_X);
    uint32_t pull = ashi_watch_force(scene, "spring force", ASHI_FORCE_TENSION, spring);
    uint32_t force = ashi_watch_joint(scene, "piston force", ASHI_JOINT_LINE_FORCE, cylinder, ASH_MOVE_X);
    ashi_expect_output(scene, "the cylinder pulls with fmax, and what the block runs on by", force, ASHI_MIN, -greatest,
                       more);
    ashi_expect_output(scene, "so does the spring", pull, ASHI_MAX, greatest, more);
    ashi_expect_output(scene, "the cylinder contracts until then, m", length, ASHI_MIN, start - greatest / stiffness,
                       more / stiffness);
    ashi_expect_output(scene, "contracts at 1 m/s", rate, ASHI_MIN, -speed, 0.01 * speed);
    ashi_expect_output(scene, "extends at 1 m/s although the spring helps", rate, ASHI_MAX, speed, 0.01 * speed);
    ashi_expect_output(scene, "is at its full length in the end, m", length, ASHI_FINAL, start, 0.002);
    return ASH_OK;
}

/* What the stages of a run showed. */
typedef struct stages {
    ash_joint cylinder;
    ash_force spring;
    double force; /* of the cylinder just before it extends, N */
    double extends;
    double held;       /* how far it left its length while it held, m */
    double slowest_in; /* while it contracted and the spring pulled with 10 to 90 % of the force, m/s */
    double fastest_in;
    double stopped; /* force of the spring just before it extends, N */
    double fastest_out, slowest_out;
    double greatest;
} stages;

static bool observe(const ash_world *world, uint32_t number, void *data)
{
    stages *s = data;
    double time = number * step, rate = ash_joint_get_rate(world, s->cylinder, ASH_MOVE_X);
    double length = ash_joint_get_position(world, s->cylinder, ASH_MOVE_X);
    double pull = ash_spring_get_tension(world, s->spring);
    bool between = pull > 0.1 * s->greatest && pull < 0.9 * s->greatest;
    if (time <= contracts) {
        s->held = fmax(s->held, fabs(length - start));
    } else if (time <= s->extends) {
        s->stopped = pull;
        s->force = ash_joint_get_line_force(world, s->cylinder);
        if (between) {
            s->slowest_in = fmin(s->slowest_in, -rate);
            s->fastest_in = fmax(s->fastest_in, -rate);
        }
    } else if (between) {
        s->slowest_out = fmin(s->slowest_out, rate);
        s->fastest_out = fmax(s->fastest_out, rate);
    }
    return true;
}

/* A heavy block runs on by its momentum, further than the cylinder can pull; oil does not give it back. */
static ash_status run_on(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    const double mass = 1, greatest = 200;
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "hydraulic", "fmax=%g mass=%g", greatest, mass);
    if (status != ASH_OK)
        return status;
    stages s = {.cylinder = ash_world_find_joint(experiment.world, "cylinder"),
                .spring = ash_world_find_force(experiment.world, "spring"),
                .extends = extends_at(greatest),
                .greatest = greatest};
    uint32_t count = (uint32_t)lround((s.extends - 0.1) / step);
    status = ashi_experiment_run(&experiment, step, count, observe, &s, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    ashi_validation_near(validation, "force of the spring where it stops, fmax 200 N, block of 1 kg, N",
                         "fmax + (m k)^1/2 v", greatest + sqrt(mass * stiffness) * speed, s.stopped, 0.01 * greatest);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    const char *source = "Gribel 2009, 5.2";
    for (int i = 0; i < 2 && !validation->stopped; i++) {
        double greatest = i == 0 ? 200 : 400;
        ashi_experiment experiment;
        char quantity[120];
        ash_status status = ashi_experiment_open(&experiment, diagnostic, "hydraulic", "fmax=%g", greatest);
        if (status != ASH_OK)
            return status;
        stages s = {.cylinder = ash_world_find_joint(experiment.world, "cylinder"),
                    .spring = ash_world_find_force(experiment.world, "spring"),
                    .extends = extends_at(greatest),
                    .slowest_in = 1e300,
                    .slowest_out = 1e300,
                    .greatest = greatest};
        uint32_t count = (uint32_t)lround(experiment.scene->time / step);
        status = ashi_experiment_run(&experiment, step, count, observe, &s, NULL, diagnostic);
        ashi_experiment_close(&experiment);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "way while it holds, fmax %g N, block of 0.01 kg, m", greatest);
        ashi_validation_below(validation, quantity, source, s.held, 0.002);
        snprintf(quantity, sizeof quantity, "least speed of contraction, fmax %g N, block of 0.01 kg, m/s", greatest);
        ashi_validation_near(validation, quantity, source, speed, s.slowest_in, 0.01 * speed);
        snprintf(quantity, sizeof quantity, "greatest speed of contraction, fmax %g N, block of 0.01 kg, m/s",
                 greatest);
        ashi_validation_near(validation, quantity, source, speed, s.fastest_in, 0.01 * speed);
        snprintf(quantity, sizeof quantity, "force of the spring where it stops, fmax %g N, block of 0.01 kg, N",
                 greatest);
        ashi_validation_near(validation, quantity, source, greatest, s.stopped, slack(lightest));
        snprintf(quantity, sizeof quantity, "force of the cylinder where it stops, fmax %g N, block of 0.01 kg, N",
                 greatest);
        ashi_validation_near(validation, quantity, source, -greatest, s.force, slack(lightest));
        snprintf(quantity, sizeof quantity, "least speed of extension, fmax %g N, block of 0.01 kg, m/s", greatest);
        ashi_validation_near(validation, quantity, source, speed, s.slowest_out, 0.01 * speed);
        snprintf(quantity, sizeof quantity, "greatest speed of extension, fmax %g N, block of 0.01 kg, m/s", greatest);
        ashi_validation_near(validation, quantity, source, speed, s.fastest_out, 0.01 * speed);
    }
    return validation->stopped ? ASH_OK : run_on(validation, diagnostic);
}

const ashi_builtin ashi_scene_hydraulic = {
    .info = {.name = "hydraulic",
             .summary = "a hydraulic cylinder pulls at a spring: holds, contracts, stops, extends",
             .source = "Gribel 2009, 5.2",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
