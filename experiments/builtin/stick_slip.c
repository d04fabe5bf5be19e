/* stick-slip: a block on the ground under a slowly turning force, 8 cos t N against at most mu m g = 7.848 N.
 *
 * It moves only while the force is beyond the bound and until it has lost its speed again: three short slides in nine
 * seconds, of known instants and lengths, and a fourth like the second before the end. The figures are those of the
 * reference problem; they follow from integrating m x'' = 8 cos t -+ mu m g from the instant at which |8 cos t| = mu m
 * g to the instant at which x' = 0. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/parts.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double friction = 0.8, gravity = 9.81, amplitude = 8, duration = 10;
static const double first_stop = 0.338608184672, second_start = 2.946346791, second_stop = 3.532834609,
                    third_start = 6.087939445, third_stop = 6.674427262;
static const double after_first = 0.004348569727, after_second = -0.008697166885, after_third = 0.004348569727;

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    (void)given;
    scene->gravity = v3(0, 0, -gravity);
    scene->step = 0.001;
    scene->time = duration;
    uint32_t rough = ashi_add_material(scene, "rough", friction, 0);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(0.2, 0.2, 0.05);
    ashi_stock stock = {0};
    ash_status status = ashi_add_ground(scene, rough, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "block", &def, rough, ASH_MATERIAL_DENSITY, &stock, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_body_def body = ash_default_body_def();
    body.name = "block";
    body.mass = 1;
    body.position = v3(0, 0, 0.05);
    uint32_t block = ashi_add_from_stock(scene, &body, &stock);
    ashi_scene_force push = {.kind = ASH_FORCE_LOAD, .def.load = ash_default_load_def()};
    push.def.load.name = "push";
    push.def.load.body = ashi_scene_body_ref(block);
    push.def.load.force = v3(amplitude, 0, 0);
    push.def.load.signal = (ash_signal){.kind = ASH_SIGNAL_HARMONIC, .rate = 1};
    ashi_scene_add_force(scene, &push);
    uint32_t x = ashi_watch_body(scene, "x", ASHI_BODY_POSITION, block, ASHI_X);
    ashi_watch_body(scene, "speed", ASHI_BODY_VELOCITY, block, ASHI_X);
    ashi_expect_output(scene, "farthest along x", x, ASHI_MAX, after_first, 2e-5);
    ashi_expect_output(scene, "farthest against x", x, ASHI_MIN, after_second, 2e-5);
    ashi_expect_output(scene, "the fourth slide ends where the second did", x, ASHI_FINAL, after_second, 2e-5);
    return ashi_use_method(scene, "engineering", diagnostic);
}

/* Where the block lies between the slides, and when it is seen to move. */
typedef struct sight {
    ash_body block;
    double rest[3];             /* x at 2 s, 5 s and 9 s */
    double starts[3], stops[3]; /* of the slides */
    uint32_t slides;
    bool moving;
} sight;

static bool look(const ash_world *world, uint32_t step, void *data)
{
    sight *s = data;
    double t = ash_world_get_time(world), x = ash_body_get_centre(world, s->block).x;
    bool moving = fabs(ash_body_get_velocity(world, s->block).x) > 1e-8; /* far above the solver's tolerance */
    if (step == 0)
        return true;
    if (t > 9)
        return false;
    if (moving && !s->moving && s->slides < 3)
        s->starts[s->slides] = t;
    if (!moving && s->moving && s->slides < 3)
        s->stops[s->slides++] = t;
    s->moving = moving;
    s->rest[t < 2 ? 0 : t < 5 ? 1 : 2] = x;
    return true;
}

static ash_status slide(double h, const char *settings, sight *s, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "stick-slip", "%s", settings);
    if (status != ASH_OK)
        return status;
    *s = (sight){.block = ash_world_find_body(experiment.world, "block")};
    status = ashi_experiment_run(&experiment, h, (uint32_t)lround(duration / h), look, s, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    return status;
}

static double position_error(const sight *s)
{
    return fmax(fabs(s->rest[0] - after_first), fmax(fabs(s->rest[1] - after_second), fabs(s->rest[2] - after_third)));
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.004, 0.002, 0.001};
    static const char *const source = "reference problem";
    double errors[3] = {0};
    sight s = {0};
    for (int i = 0; i < 3; i++) {
        ash_status status = slide(sizes[i], "", &s, diagnostic);
        if (status != ASH_OK)
            return status;
        errors[i] = position_error(&s);
    }
    ashi_validation_near(validation, "x after the first slide, h 1 ms, m", source, after_first, s.rest[0], 2e-5);
    ashi_validation_near(validation, "x after the second slide, h 1 ms, m", source, after_second, s.rest[1], 2e-5);
    ashi_validation_near(validation, "x after the third slide, h 1 ms, m", source, after_third, s.rest[2], 2e-5);
    ashi_validation_near(validation, "slides in 9 s", source, 3, s.slides, 0);
    ashi_validation_near(validation, "end of the first slide, h 1 ms, s", source, first_stop, s.stops[0], 2e-3);
    ashi_validation_near(validation, "start of the second slide, h 1 ms, s", source, second_start, s.starts[1], 2e-3);
    ashi_validation_near(validation, "end of the second slide, h 1 ms, s", source, second_stop, s.stops[1], 2e-3);
    ashi_validation_near(validation, "start of the third slide, h 1 ms, s", source, third_start, s.starts[2], 2e-3);
    ashi_validation_near(validation, "end of the third slide, h 1 ms, s", source, third_stop, s.stops[2], 2e-3);
    ashi_validation_report(validation, "order of the position's error, h 4 to 1 ms", "theory: at least 1", 1,
                           ashi_fitted_order(sizes, errors, 3));
    return ASH_OK;
}

const ashi_builtin ashi_scene_stick_slip = {
    .info = {.name = "stick-slip",
             .summary = "a block sticks and slips under a slowly turning force",
             .source = "public reference problem"},
    .build = build,
    .validate = validate,
};
