/* ball-grid: a cube of balls that overlap deeply at the start, on the ground (Erleben 2007, figure 13). Corrections of
 * positions must take them apart: layer by layer from the ground with shock propagation, all at once without it.
 *
 * Neighbours are `overlap` of a diameter closer than they can be, and the lowest balls that deep in the ground.
 * Friction plays no part in corrections. */
#include "base/diagnostic.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "experiments/experiment.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 6 };
static const double radius = 0.5, density = 1000, step = 0.01, gone = 0.001; /* m, kg/m3, s; overlap that is none, m */

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "balls along each edge", .value = 5, .low = 1, .high = 50},
    {.name = "overlap", .summary = "of neighbours, in diameters", .value = 0.2, .low = 0, .high = 0.25},
};

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t n = 0, rubber = ashi_add_material(scene, "rubber", 0.5, 0);
    ashi_stock ball = {0};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = radius;
    ash_status status = ashi_parameter_whole(given, "n", &n, diagnostic);
    if (status == ASH_OK)
        status = ashi_use_method(scene, "erleben-2007", diagnostic);
    if (status == ASH_OK)
        status = ashi_add_ground(scene, rubber, diagnostic);
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "ball", &def, rubber, density, &ball, diagnostic);
    if (status != ASH_OK)
        return status;
    double pitch = 2 * radius * (1 - ashi_parameter(given, "overlap")), middle = 0.5 * (n - 1) * pitch;
    ash_body_def body = ash_default_body_def();
    uint32_t corner = ASHI_NONE;
    for (uint32_t i = 0; i < n * n * n; i++) {
        body.position = v3(i % n * pitch - middle, i / n % n * pitch - middle, i / (n * n) * pitch + pitch - radius);
        uint32_t added = ashi_add_from_stock(scene, &body, &ball);
        corner = i == 0 ? added : corner;
    }
    scene->step = step;
    scene->time = FRAMES * step;
    uint32_t overlap = ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_expect_output(scene, "the overlap is gone after six steps", overlap, ASHI_FINAL, 0, gone);
    if (pitch < 2 * radius && n > 1) { /* a straight row of n balls that do not overlap is this long */
        uint32_t x = ashi_watch_body(scene, "corner x", ASHI_BODY_POSITION, corner, ASHI_X);
        ashi_expect_range(scene, "the corners have moved outwards", x, ASHI_FINAL, -2.0 * (n - 1) * radius,
                          -middle - 0.25 * ((n - 1) * radius - middle));
    }
    return ASH_OK;
}

/* ---- the experiment ---- */

typedef struct history {
    double overlap[FRAMES + 1]; /* m, after each frame */
} history;

static bool look(const ash_world *world, uint32_t frame, void *data)
{
    history *h = data;
    if (frame > 0)
        h->overlap[frame] = ash_world_get_report(world).penetration;
    return true;
}

static ash_status take_apart(const char *settings, history *h, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "ball-grid", "%s", settings);
    if (status != ASH_OK)
        return status;
    status = ashi_experiment_run(&experiment, step, FRAMES, look, h, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    return status;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    enum { APART, STUCK, TOLD };
    static const struct {
        const char *title, *settings;
        int fate;
    } trials[] = {
        {"erleben-2007, 5 iterations", "", APART},
        {"dynamics and one correction, no shock propagation", "scheme=velocity solver=pgs", STUCK},
        {"all stages, no shock propagation", "solver=pgs", TOLD},
        {"all stages, no shock propagation, 100 iterations", "solver=pgs correction-iterations=100", TOLD},
    };
    static const char source[] = "Erleben 2007, figure 13";
    for (uint32_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        history h = {0};
        char quantity[96];
        ash_status status = take_apart(trials[i].settings, &h, diagnostic);
        if (status != ASH_OK)
            return status;
        for (int frame = 1; frame <= FRAMES; frame++)
            ashi_validation_point(validation, source, trials[i].title, frame, NAN, h.overlap[frame]);
        snprintf(quantity, sizeof quantity, "%s: overlap after %d frames, m", trials[i].title, FRAMES);
        if (trials[i].fate == APART)
            ashi_validation_below(validation, quantity, source, h.overlap[FRAMES], gone);
        else if (trials[i].fate == STUCK) /* "completely fails to converge" */
            ashi_validation_above(validation, quantity, source, h.overlap[FRAMES], gone);
        else
            ashi_validation_report(validation, quantity, source, NAN, h.overlap[FRAMES]);
    }
    return ASH_OK;
}

const ashi_builtin ashi_scene_ball_grid = {
    .info = {.name = "ball-grid",
             .summary = "balls that overlap deeply are taken apart",
             .source = "Erleben 2007, figure 13",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
