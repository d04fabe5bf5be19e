/* blocks: cubes of 1 m in a stack with little friction (de Jong 2014, 10-2).
 *
 * The exact solution is at rest. What numerical errors push sideways, little friction must hold. */
#include "base/diagnostic.h"
#include "experiments/analysis.h"
#include "experiments/builtin/parts.h"
#include "experiments/builtin/statics.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81, edge = 1, density = 1000;

static const ash_scene_parameter parameters[] = {
    {.name = "n", .summary = "cubes", .value = 8, .low = 1, .high = 10000},
    {.name = "mu", .summary = "coefficient of friction", .value = 0.1, .low = 0, .high = 10},
    {.name = "drop", .summary = "gap below each cube at the start, m", .value = 0, .low = 0, .high = 10},
};

static ash_status build(ash_scene *scene, const ashi_parameters *given, ash_diagnostic *diagnostic)
{
    uint32_t count;
    ash_status status = ashi_parameter_whole(given, "n", &count, diagnostic);
    if (status != ASH_OK)
        return status;
    scene->gravity = (ash_vec3){0, 0, -gravity};
    scene->step = 0.002;
    scene->time = 3;
    double drop = ashi_parameter(given, "drop");
    uint32_t surface = ashi_add_material(scene, "surface", ashi_parameter(given, "mu"), 0);
    status = ashi_add_ground(scene, surface, diagnostic);
    ash_geometry_def cube = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    cube.half_extents = (ash_vec3){edge / 2, edge / 2, edge / 2};
    ashi_stock stock;
    if (status == ASH_OK)
        status = ashi_make_stock(scene, "cube", &cube, surface, density, &stock, diagnostic);
    for (uint32_t i = 0; i < count && status == ASH_OK; i++) {
        ash_body_def def = ash_default_body_def();
        def.name = ashi_scene_text(scene, "block-%u", i + 1);
        def.position = (ash_vec3){0, 0, (i + 0.5) * edge + (i + 1) * drop};
        ashi_add_from_stock(scene, &def, &stock);
    }
    if (status != ASH_OK)
        return status;
    uint32_t top = (uint32_t)scene->bodies.count - 1;
    uint32_t x = ashi_watch_body(scene, "top x", ASHI_BODY_POSITION, top, ASHI_X);
    uint32_t y = ashi_watch_body(scene, "top y", ASHI_BODY_POSITION, top, ASHI_Y);
    uint32_t z = ashi_watch_body(scene, "top z", ASHI_BODY_POSITION, top, ASHI_Z);
    ashi_watch_world(scene, "penetration", ASHI_WORLD_PENETRATION);
    ashi_watch_world(scene, "energy", ASHI_WORLD_TOTAL);
    ashi_expect_output(scene, "the top stays, x within 10 mm", x, ASHI_MAX_ABS, 0, 0.01);
    ashi_expect_output(scene, "the top stays, y within 10 mm", y, ASHI_MAX_ABS, 0, 0.01);
    ashi_expect_output(scene, "the top sinks by less than 2 mm a block", z, ASHI_FINAL, (count - 0.5) * edge,
                       0.002 * count);
    if (drop == 0)
        ashi_expect_weight_carried(scene);
    return ashi_use_method(scene, "realtime", diagnostic);
}

/* ---- experiments ---- */

/* How a stack of blocks looks after 3 s. */
typedef struct stack {
    double aside, sunk;  /* largest of any block, m */
    double milliseconds; /* a step, on average */
    double operations;   /* the same in multiplications */
    double residual;     /* largest by the yardstick, m/s */
} stack;

typedef struct clock_sum {
    double seconds, operations, residual;
} clock_sum;

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    clock_sum *sum = data;
    ash_step_report report = ash_world_get_report(world);
    sum->seconds += step > 0 ? report.seconds : 0;
    sum->operations += step > 0 ? (double)report.operations : 0;
    sum->residual = fmax(sum->residual, report.error.largest);
    return true;
}

static ash_status let_stand(uint32_t count, double mu, const char *method, uint32_t steps, stack *seen,
                            ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    clock_sum sum = {0};
    ash_status status =
        ashi_experiment_open(&experiment, diagnostic, "blocks", "method=%s n=%u mu=%g", method, count, mu);
    if (status != ASH_OK)
        return status;
    uint32_t taken = 0;
    status = ashi_experiment_run(&experiment, 0.002, steps, observe, &sum, &taken, diagnostic);
    *seen = (stack){0, 0, sum.seconds * 1000 / fmax(taken, 1), sum.operations / fmax(taken, 1), sum.residual};
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "block-%u", i + 1);
        ash_vec3 at = ash_body_get_centre(experiment.world, ash_world_find_body(experiment.world, name));
        seen->aside = fmax(seen->aside, hypot(at.x, at.y));
        seen->sunk = fmax(seen->sunk, (i + 0.5) * edge - at.z);
    }
    ashi_experiment_close(&experiment);
    return status;
}

/* Beyond the contacts that pivoting takes, the same complementarity problem is solved by newton. */
static ash_status validate_large(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const uint32_t counts[] = {75, 250}; /* 300 and 1000 points */
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !validation->stopped; i++) {
        char quantity[96];
        stack seen;
        ash_status status = let_stand(counts[i], 0.1, "stewart-trinkle", 20, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        snprintf(quantity, sizeof quantity, "%u blocks, 20 steps: residual, m/s, stewart-trinkle", counts[i]);
        ashi_validation_below(validation, quantity, "the pyramid's law", seen.residual, 1e-8);
        snprintf(quantity, sizeof quantity, "%u blocks, 20 steps: largest sinking, m, stewart-trinkle", counts[i]);
        ashi_validation_below(validation, quantity, "exact: at rest", seen.sunk, 1e-6);
    }
    return ASH_OK;
}

static ash_status validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const struct {
        const char *title, *settings;
        double time;      /* s; pivoting is slow */
        double most_sunk; /* m; 0: only told */
    } methods[] = {{"engineering", "engineering", 3, 1e-5},
                   {"realtime", "realtime", 3, 0.001},
                   {"dejong-2014", "dejong-2014", 3, 0},
                   {"gribel-2009", "gribel-2009", 3, 0},
                   {"stewart-trinkle", "stewart-trinkle friction-directions=4", 1, 1e-6}};
    char quantity[96];
    stack seen;
    for (size_t i = 0; i < sizeof methods / sizeof *methods && !validation->stopped; i++) {
        uint32_t steps = (uint32_t)lround(methods[i].time / 0.002);
        ash_status status = let_stand(8, 0.1, methods[i].settings, steps, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        const char *title = methods[i].title;
        snprintf(quantity, sizeof quantity, "8 blocks, mu 0.1, %g s: largest way aside, m, %s", methods[i].time, title);
        ashi_validation_below(validation, quantity, "exact: at rest; de Jong 2014, figure 10-2", seen.aside, 0.01);
        snprintf(quantity, sizeof quantity, "8 blocks, mu 0.1, %g s: largest sinking, m, %s", methods[i].time, title);
        if (methods[i].most_sunk > 0)
            ashi_validation_below(validation, quantity, "exact: at rest", seen.sunk, methods[i].most_sunk);
        else
            ashi_validation_report(validation, quantity, "exact: at rest", 0, seen.sunk);
    }
    static const uint32_t counts[] = {8, 32, 100, 300, 1000};
    enum { COUNTS = sizeof counts / sizeof *counts };
    double x[COUNTS], work[COUNTS];
    for (size_t i = 0; i < COUNTS && !validation->stopped; i++) {
        ash_status status = let_stand(counts[i], 0.1, "realtime", 100, &seen, diagnostic);
        if (status != ASH_OK)
            return status;
        ashi_validation_point(validation, "de Jong 2014, figure 10-3", "realtime", counts[i], NAN, seen.milliseconds);
        x[i] = counts[i];
        work[i] = seen.operations;
    }
    if (!validation->stopped)
        ashi_validation_near(validation, "exponent of a step's work over blocks, 8 to 1000, realtime",
                             "de Jong 2014, figure 10-3: linear", 1, ashi_fitted_order(x, work, COUNTS), 0.1);
    return validate_large(validation, diagnostic);
}

const ashi_builtin ashi_scene_blocks = {
    .info = {.name = "blocks",
             .summary = "a stack of cubes with little friction stays a stack",
             .source = "de Jong 2014, 10-2",
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters},
    .build = build,
    .validate = validate,
};
