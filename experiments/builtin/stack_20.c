/* stack-20: squares on top of each other (Gribel 2009, 5.1), planar.
 *
 * Sleeping is off, so that the solver alone keeps the stack. It stands while its top has moved sideways by less than
 * half a box and is not lower than by half a box. */
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static const double side = 0.5, density = 8, gravity = 9.81, friction = 0.25, restitution = 0.25, duration = 15;

static const char *const source = "Gribel 2009, 5.1";

static const ash_scene_parameter parameters[] = {
    {.name = "boxes", .summary = "height of the stack", .value = 20, .low = 1, .high = 1000},
};

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    static const ash_vec3 square[] = {{-0.25, -0.25, 0}, {0.25, -0.25, 0}, {0.25, 0.25, 0}, {-0.25, 0.25, 0}};
    uint32_t boxes = 0;
    ash_status status = ashi_parameter_whole(given, "boxes", &boxes, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->planar = true;
    scene->gravity = v3(0, -gravity, 0);
    scene->step = 0.01;
    scene->time = duration;
    uint32_t wood = ashi_add_material(scene, "wood", friction, restitution);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    def.points = square;
    def.point_count = 4;
    ashi_stock stock = {0};
    status = ashi_add_ground(scene, wood, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "square", &def, wood, density, &stock, diagnostic);
    if (status != ASH_OK)
        return status;
    uint32_t top = ASHI_NONE;
    for (uint32_t i = 0; i < boxes; i++) {
        ash_body_def body = ash_default_body_def();
        body.name = i + 1 == boxes ? "top" : NULL;
        body.position = v3(0, (i + 0.5) * side, 0);
        top = ashi_add_from_stock(scene, &body, &stock);
    }
    uint32_t x = ashi_watch_body(scene, "top x", ASHI_BODY_POSITION, top, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "top y", ASHI_BODY_POSITION, top, ASHI_Y);
    ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_expect_output(scene, "the top moves sideways by less than half a box", x, ASHI_MAX_ABS, 0, 0.5 * side);
    ashi_expect_output(scene, "the top is still up there", y, ASHI_MIN, (boxes - 0.5) * side, 0.5 * side);
    ashi_expect_weight_carried(scene);
    status = ashi_use_method(scene, "gribel-2009", diagnostic);
    return status == ASH_OK ? ash_method_set(&scene->method, "iterations", "100", diagnostic) : status;
}

#define NOTICED 1e-3 /* m: less is no sway */

typedef struct watch {
    ash_body top;
    double height; /* of the top at the start */
    double sideways;
    double turned; /* s: when the first sway has come back by a tenth */
    double stood;  /* s */
} watch;

static bool stands(const ash_world *world, uint32_t step, void *data)
{
    watch *w = data;
    ash_vec3 at = ash_body_get_centre(world, w->top);
    if (step == 0)
        w->height = at.y;
    w->sideways = fmax(w->sideways, fabs(at.x));
    w->stood = ash_world_get_time(world);
    if (w->turned == 0 && w->sideways > NOTICED && fabs(at.x) < 0.9 * w->sideways)
        w->turned = w->stood;
    return fabs(at.x) < 0.5 * side && at.y > w->height - 0.5 * side;
}

static ash_status let_stand(const char *settings, watch *w, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "stack-20", "%s", settings);
    if (status != ASH_OK)
        return status;
    *w = (watch){.top = ash_world_find_body(experiment.world, "top")};
    uint32_t steps = (uint32_t)lround(duration / 0.01);
    status = ashi_experiment_run(&experiment, 0.01, steps, stands, w, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    return status;
}

/* It stands longer and longer with more iterations (Gribel 2009, 5.1). */
static ash_status validate_iterations(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const uint32_t iterations[] = {10, 50, 100};
    char quantity[96], settings[96];
    watch w[3];
    for (int i = 0; i < 3; i++) {
        snprintf(settings, sizeof settings, "iterations=%u", iterations[i]);
        ash_status status = let_stand(settings, &w[i], diagnostic);
        if (status != ASH_OK)
            return status;
    }
    ashi_validation_below(v, "time that 20 boxes stand, 10 iterations, s (of 15): falls quickly", source, w[0].stood,
                          5);
    snprintf(quantity, sizeof quantity, "time that 20 boxes stand, 50 iterations, s (of 15): longer than at 10");
    ashi_validation_above(v, quantity, source, w[1].stood, w[0].stood);
    ashi_validation_above(v, "time that 20 boxes stand, 100 iterations, s (of 15)", source, w[2].stood,
                          duration - 1e-9);
    ashi_validation_below(v, "sideways motion of the top in 15 s, 100 iterations, m", source, w[2].sideways,
                          0.5 * side);
    return ASH_OK;
}

/* A row for one setting; `w` is what it showed. */
static ash_status report_sway(ashi_validation *v, const char *setting, double plain, watch *w,
                              ash_diagnostic *diagnostic)
{
    char quantity[160];
    ash_status status = let_stand(setting, w, diagnostic);
    snprintf(quantity, sizeof quantity, "sway of the top in %.2f s, %s, m (of slop 2 mm, erp 0.4)", w->stood, setting);
    if (status == ASH_OK)
        ashi_validation_report(v, quantity, source, plain, w->sideways);
    return status;
}

/* The allowed penetration influences the amplitude of the sway, the error reduction how fast it recovers. */
static ash_status validate_sway(ashi_validation *v, ash_diagnostic *diagnostic)
{
    watch plain = {0}, shallow = {0}, deep = {0}, slow = {0}, quick = {0};
    ash_status status = let_stand("iterations=100", &plain, diagnostic);
    if (status == ASH_OK)
        status = report_sway(v, "slop=0.0005", plain.sideways, &shallow, diagnostic);
    if (status == ASH_OK)
        status = report_sway(v, "slop=0.005", plain.sideways, &deep, diagnostic);
    if (status == ASH_OK)
        status = report_sway(v, "erp=0.3", plain.sideways, &slow, diagnostic);
    if (status == ASH_OK)
        status = report_sway(v, "erp=0.8", plain.sideways, &quick, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_above(v, "sway over that with a quarter of the allowed penetration", source,
                          plain.sideways / shallow.sideways, 1);
    ashi_validation_above(v, "sway with 2.5 times the allowed penetration over it", source,
                          deep.sideways / plain.sideways, 1);
    ashi_validation_above(v, "time until the sway turns, erp 0.3, over that with 0.4", source,
                          slow.turned / plain.turned, 1);
    ashi_validation_below(v, "time until the sway turns, erp 0.8, over that with 0.4", source,
                          quick.turned / plain.turned, 1);
    return ASH_OK;
}

/* Friction contact by contact, as his algorithm may be read, beside all normals first: it stands for longer and longer,
 * in his words, as well. */
static ash_status validate_in_turn(ashi_validation *v, ash_diagnostic *diagnostic)
{
    static const uint32_t iterations[] = {10, 50, 100};
    watch w[3], warm;
    char settings[96];
    for (int i = 0; i < 3; i++) {
        snprintf(settings, sizeof settings, "row-order=contact-by-contact iterations=%u", iterations[i]);
        ash_status status = let_stand(settings, &w[i], diagnostic);
        if (status != ASH_OK)
            return status;
    }
    ash_status status = let_stand("row-order=contact-by-contact warm-start=on", &warm, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_above(v, "contact by contact: time that 20 boxes stand, 50 iterations, s: longer than at 10",
                          source, w[1].stood, w[0].stood + 0.1);
    ashi_validation_above(v, "contact by contact: time that 20 boxes stand, 100 iterations, s: longer than at 50",
                          source, w[2].stood, w[1].stood + 0.1);
    ashi_validation_explain(v, "Of two corners the one that is visited last has its way, and the stack leans to it: in "
                               "this order 100 sweeps are too few, as they are with the corners in turn.");
    ashi_validation_above(v, "contact by contact: time that 20 boxes stand, 100 iterations, s (of 15)", source,
                          w[2].stood, duration - 1e-9);
    ashi_validation_above(v, "contact by contact: time that 20 boxes stand, 100 iterations, warm start, s (of 15)",
                          source, warm.stood, duration - 1e-9);
    return ASH_OK;
}

/* He tests stacks with sleeping off. */
static ash_status report_sleep(ashi_validation *v, ash_diagnostic *diagnostic)
{
    watch plain = {0}, w = {0};
    ash_status status = let_stand("iterations=100", &plain, diagnostic);
    if (status == ASH_OK)
        status = let_stand("sleeping=velocity sleep-speed=0.05 sleep-spin=0.05 sleep-time=0.5", &w, diagnostic);
    if (status == ASH_OK)
        ashi_validation_report(v, "sway of the top, sleeping by thresholds of speed and spin, m (awake)",
                               "Gribel 2009, 4.3.1", plain.sideways, w.sideways);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_iterations(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_sway(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_in_turn(validation, diagnostic);
    return status == ASH_OK && !validation->stopped ? report_sleep(validation, diagnostic) : status;
}

const ashi_builtin ashi_scene_stack_20 = {
    .info = {.name = "stack-20",
             .summary = "squares on top of each other: does the stack stand?",
             .source = "Gribel 2009, 5.1",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
