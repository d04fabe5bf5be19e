/* The experiments on the net: what a symmetric release keeps, and how much the paper's variants change. */
#include "experiments/analysis.h"
#include "experiments/builtin/net.h"
#include "experiments/experiment.h"

#include <math.h>
#include <stdio.h>

enum { CORNERS = 4 };
static const char *const balls[CORNERS] = {"ball-lf", "ball-rf", "ball-lb", "ball-rb"};

/* What a fall of the net shows. */
typedef struct fall {
    ash_body balls[CORNERS];
    double asymmetry;       /* largest departure from mirror symmetry of the balls, m */
    double remainder;       /* largest |numerical remainder|, J */
    double unbooked;        /* largest |total - initial - works - remainder|, J */
    double released_energy; /* kinetic energy at the end, J */
    ash_vec3 end[CORNERS];
} fall;

/* Mirrored in the planes x = 0 and y = 0, every ball must lie where another one is. */
static double mirror_error(const ash_vec3 *at)
{
    double error = 0;
    for (int i = 0; i < CORNERS; ++i) {
        ash_vec3 x = at[i ^ 1], y = at[i ^ 2];
        error = fmax(error, fmax(fabs(at[i].x + x.x), fmax(fabs(at[i].y - x.y), fabs(at[i].z - x.z))));
        error = fmax(error, fmax(fabs(at[i].x - y.x), fmax(fabs(at[i].y + y.y), fabs(at[i].z - y.z))));
    }
    return error;
}

static bool observe(const ash_world *world, uint32_t step, void *data)
{
    fall *seen = data;
    (void)step;
    for (int i = 0; i < CORNERS; ++i)
        seen->end[i] = ash_body_get_centre(world, seen->balls[i]);
    ash_ledger ledger = ash_world_get_ledger(world);
    double works = ledger.dampers + ledger.drag + ledger.loads + ledger.callbacks + ledger.external;
    seen->asymmetry = fmax(seen->asymmetry, mirror_error(seen->end));
    seen->remainder = fmax(seen->remainder, fabs(ledger.remainder));
    seen->unbooked = fmax(seen->unbooked, fabs(ledger.total - ledger.initial - works - ledger.remainder));
    seen->released_energy = ledger.kinetic;
    return true;
}

static ash_status let_fall(double h, const char *settings, fall *seen, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "net", "%s", settings);
    if (status != ASH_OK)
        return status;
    *seen = (fall){0};
    for (int i = 0; i < CORNERS; ++i)
        seen->balls[i] = ash_world_find_body(experiment.world, balls[i]);
    uint32_t steps = (uint32_t)lround(experiment.scene->time / h), taken = 0;
    status = ashi_experiment_run(&experiment, h, steps, observe, seen, &taken, diagnostic);
    if (taken < steps)
        seen->asymmetry = seen->remainder = seen->unbooked = 1e300;
    ashi_experiment_close(&experiment);
    return status;
}

static double largest_difference(const fall *a, const fall *b)
{
    double largest = 0;
    for (int i = 0; i < CORNERS; ++i) {
        ash_vec3 d = {a->end[i].x - b->end[i].x, a->end[i].y - b->end[i].y, a->end[i].z - b->end[i].z};
        largest = fmax(largest, sqrt(d.x * d.x + d.y * d.y + d.z * d.z));
    }
    return largest;
}

static ash_status validate_fall(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    static const double sizes[] = {0.0002, 0.0001, 0.00005};
    double remainders[3];
    fall symmetric, delayed, lifted;
    ash_status status = ASH_OK;
    for (int i = 2; i >= 0 && status == ASH_OK; --i) {
        status = let_fall(sizes[i], "target=none cells=8", &symmetric, diagnostic);
        remainders[i] = symmetric.remainder;
    }
    if (status == ASH_OK)
        status = let_fall(0.0001, "target=none cells=8", &symmetric, diagnostic);
    if (status == ASH_OK)
        status = let_fall(0.0001, "target=none cells=8 delay=0.05", &delayed, diagnostic);
    if (status == ASH_OK)
        status = let_fall(0.0001, "target=none cells=8 lift=0.05", &lifted, diagnostic);
    if (status != ASH_OK)
        return status;
    ashi_validation_below(validation, "mirror symmetry of the corner balls over 0.5 s, m", "exact", symmetric.asymmetry,
                          1e-9);
    ashi_validation_near(validation, "corner balls fall by g t^2 / 2 (centre of mass), m", "exact", -0.5 * 9.81 * 0.25,
                         symmetric.end[0].z, 0.001);
    ashi_validation_below(validation, "ledger: total - initial - works - remainder, J", "exact", symmetric.unbooked,
                          1e-12);
    ashi_validation_below(validation, "numerical remainder over kinetic energy, h 0.1 ms", "exact",
                          symmetric.remainder / symmetric.released_energy, 0.01);
    ashi_validation_near(validation, "order of the numerical remainder", "theory", 1,
                         ashi_fitted_order(sizes, remainders, 3), 0.2);
    ashi_validation_report(validation, "two balls released 50 ms later: largest difference of a ball at 0.5 s, m",
                           "de Jong 2014, figure 9-7", NAN, largest_difference(&symmetric, &delayed));
    ashi_validation_report(validation, "two balls 50 mm higher: largest difference of a ball at 0.5 s, m",
                           "de Jong 2014, figure 9-8", NAN, largest_difference(&symmetric, &lifted));
    ashi_validation_below(validation, "delayed release: numerical remainder over kinetic energy", "exact",
                          delayed.remainder / delayed.released_energy, 0.01);
    return ASH_OK;
}

/* ---- on the target ---- */

/* The way of the corner balls over the bin. */
typedef struct wrap {
    ash_body balls[CORNERS];
    double lowest_time, lowest; /* when the mean height of the balls was least, s, and that height, m */
    double depth;               /* deepest overlap with the target, m */
    ash_vec3 at_lowest[CORNERS], end[CORNERS];
    double h;
} wrap;

static bool watch_wrap(const ash_world *world, uint32_t step, void *data)
{
    wrap *seen = data;
    double height = 0;
    for (int i = 0; i < CORNERS; ++i) {
        seen->end[i] = ash_body_get_centre(world, seen->balls[i]);
        height += seen->end[i].z / CORNERS;
    }
    if (height < seen->lowest) {
        seen->lowest = height;
        seen->lowest_time = step * seen->h;
        for (int i = 0; i < CORNERS; ++i)
            seen->at_lowest[i] = seen->end[i];
    }
    seen->depth = fmax(seen->depth, ash_world_get_report(world).penetration);
    return true;
}

static ash_status wrap_target(const char *settings, wrap *seen, ash_diagnostic *diagnostic)
{
    ashi_experiment experiment;
    ash_status status = ashi_experiment_open(&experiment, diagnostic, "net", "%s", settings);
    if (status != ASH_OK)
        return status;
    *seen = (wrap){.h = 0.0002};
    for (int i = 0; i < CORNERS; ++i)
        seen->balls[i] = ash_world_find_body(experiment.world, balls[i]);
    uint32_t steps = (uint32_t)lround(1 / seen->h);
    status = ashi_experiment_run(&experiment, seen->h, steps, watch_wrap, seen, NULL, diagnostic);
    ashi_experiment_close(&experiment);
    return status;
}

static double largest_distance(const ash_vec3 *a, const ash_vec3 *b)
{
    double largest = 0;
    for (int i = 0; i < CORNERS; ++i)
        largest = fmax(largest, hypot(hypot(a[i].x - b[i].x, a[i].y - b[i].y), a[i].z - b[i].z));
    return largest;
}

/* A small change of the start, in metres, has grown by 1 s: chaos (9-3). */
static void judge_variant(ashi_validation *validation, const char *title, const char *source, const wrap *plain,
                          const wrap *variant, double change)
{
    char quantity[112];
    snprintf(quantity, sizeof quantity, "%s: largest difference of a ball at its lowest, m", title);
    ashi_validation_report(validation, quantity, source, NAN, largest_distance(plain->at_lowest, variant->at_lowest));
    snprintf(quantity, sizeof quantity, "%s: largest difference of a ball at 1 s, m: more than at the start", title);
    ashi_validation_above(validation, quantity, source, largest_distance(plain->end, variant->end), change);
}

static ash_status validate_wrap(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    wrap plain, delayed, lifted;
    ash_status status = wrap_target("cells=6", &plain, diagnostic);
    if (status == ASH_OK)
        status = wrap_target("cells=6 delay=0.05", &delayed, diagnostic);
    if (status == ASH_OK)
        status = wrap_target("cells=6 lift=0.05", &lifted, diagnostic);
    if (status != ASH_OK)
        return status;
    double highest = -INFINITY, farthest = 0;
    for (int i = 0; i < CORNERS; ++i) {
        highest = fmax(highest, plain.end[i].z);
        farthest = fmax(farthest, hypot(plain.end[i].x, plain.end[i].y));
    }
    ashi_validation_below(validation, "highest corner ball at 1 s: below the bin's top, m",
                          "de Jong 2014, 9: wraps the target", highest, ASHI_NET_TARGET_TOP);
    ashi_validation_below(validation, "corner balls at 1 s: farthest from the axis (0.39 at the start), m",
                          "de Jong 2014, 9: wraps the target", farthest, 0.3);
    ashi_validation_below(validation, "deepest overlap with the target, h 0.2 ms, m", "exact", plain.depth, 0.005);
    ashi_validation_report(validation, "time at which the balls are lowest, s", "de Jong 2014, figure 9-6", NAN,
                           plain.lowest_time);
    const double fallen = 0.5 * 9.81 * 0.05 * 0.05; /* m: of 50 ms */
    judge_variant(validation, "on the bin, two balls 50 ms later", "de Jong 2014, figure 9-7", &plain, &delayed,
                  fallen);
    judge_variant(validation, "on the bin, two balls 50 mm higher", "de Jong 2014, figure 9-8", &plain, &lifted, 0.05);
    return ASH_OK;
}

ash_status ashi_net_validate(ashi_validation *validation, ash_diagnostic *diagnostic)
{
    ash_status status = validate_fall(validation, diagnostic);
    if (status == ASH_OK && !validation->stopped)
        status = validate_wrap(validation, diagnostic);
    return status;
}
