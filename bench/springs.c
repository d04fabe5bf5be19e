/* What a step of many springs costs: the string and the net at growing sizes, by each integrator and for one and two
 * threads, in nanoseconds an element (spring) and step, with the exponent of the growth. */
#include "bench.h"

#include "base/alloc.h"
#include "base/diagnostic.h"
#include "experiments/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 3, REPEATS = 3 };
static const uint32_t sizes[SIZES] = {1000, 10000, 100000};

/* An integrator, its step as a multiple of the scene's, and how many element steps a timing takes. */
typedef struct bench_rule {
    ash_integrator integrator;
    double step_factor;
    double element_steps;
} bench_rule;

/* Explicit Euler is left out: it costs what symplectic Euler does and blows up. Implicit springs take ten times the
 * step, which is what they are for. */
static const bench_rule rules[] = {
    {ASH_SYMPLECTIC_EULER, 1, 1e6}, {ASH_AXIS_SPLITTING, 1, 1e6},    {ASH_RK4, 1, 5e5},
    {ASH_IMPLICIT_EULER, 10, 2e5},  {ASH_IMPLICIT_MIDPOINT, 1, 2e5},
};

typedef struct timing {
    uint32_t elements, steps;
    double step_seconds; /* the best of the repeats */
    double stage_seconds[ASH_STAGES];
    double iterations; /* a step */
    uint64_t hash;
} timing;

static ash_status open_scene(const char *name, uint32_t wanted, ash_integrator integrator, ash_scene **scene,
                             ash_diagnostic *diagnostic)
{
    char size[32];
    bool net = name[0] == 'n';
    /* A net of c cells a side has 2 c (c + 1) bands of three springs; a string of n masses has n + 1 springs. */
    snprintf(size, sizeof size, "%u", net ? (unsigned)(sqrt(wanted / 6.0) - 0.5 + 0.5) : (unsigned)wanted - 1);
    ash_setting settings[] = {{net ? "cells" : "elements", size}, {"integrator", ash_integrator_name(integrator)}};
    return ash_scene_open(name, settings, 2, scene, diagnostic);
}

/* Times `steps` steps in each repeat and keeps the fastest repeat. */
static ash_status take_steps(ash_world *world, double h, timing *taken)
{
    uint64_t iterations = 0;
    taken->step_seconds = INFINITY;
    for (uint32_t repeat = 0; repeat <= REPEATS; ++repeat) {
        double seconds = 0, stages[ASH_STAGES] = {0};
        for (uint32_t i = 0; i < taken->steps; ++i) {
            ash_status status = ash_world_step(world, h);
            if (status != ASH_OK)
                return status;
            ash_step_report report = ash_world_get_report(world);
            seconds += report.seconds;
            iterations += report.iterations;
            for (int stage = 0; stage < ASH_STAGES; ++stage)
                stages[stage] += report.stage_seconds[stage];
        }
        /* The first repeat only warms up. */
        if (repeat == 0 || seconds >= taken->step_seconds)
            continue;
        taken->step_seconds = seconds;
        for (int stage = 0; stage < ASH_STAGES; ++stage)
            taken->stage_seconds[stage] = stages[stage] / taken->steps;
    }
    taken->step_seconds /= taken->steps;
    taken->iterations = (double)iterations / ((REPEATS + 1.0) * taken->steps);
    taken->hash = ash_world_get_hash(world);
    return ASH_OK;
}

/* `share` of the element steps that the rule's timing takes. */
static ash_status time_rule(const char *name, uint32_t wanted, const bench_rule *rule, double share, uint32_t threads,
                            timing *taken, ash_diagnostic *diagnostic)
{
    ash_scene *scene = NULL;
    ash_world *world = NULL;
    ash_status status = open_scene(name, wanted, rule->integrator, &scene, diagnostic);
    if (status == ASH_OK)
        status = ash_scene_instantiate(scene, threads, &world, diagnostic);
    if (status == ASH_OK) {
        taken->elements = ash_world_get_forces(world, NULL, 0);
        taken->steps = (uint32_t)fmax(2, share * rule->element_steps / taken->elements);
        status = take_steps(world, rule->step_factor * ash_scene_get_step(scene), taken);
        if (status != ASH_OK && diagnostic)
            *diagnostic = ash_world_get_last_diagnostic(world);
    }
    ash_world_destroy(world);
    ash_scene_destroy(scene);
    return status;
}

static json_t *timing_row(const char *scene, const bench_rule *rule, uint32_t threads, const timing *taken,
                          double exponent)
{
    char hash[24];
    double scale = 1e9 / taken->elements;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)taken->hash);
    json_t *row = json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:f}", "scene", scene, "integrator",
                            ash_integrator_name(rule->integrator), "threads", (json_int_t)threads, "elements",
                            (json_int_t)taken->elements, "steps", (json_int_t)taken->steps, "ns per element and step",
                            taken->step_seconds * scale, "iterations", taken->iterations);
    for (int stage = 0; row && stage < ASH_STAGES; ++stage)
        json_object_set_new(row, ash_stage_name((ash_stage)stage), json_real(taken->stage_seconds[stage] * scale));
    /* The exponent belongs to the last size: it needs all of them. */
    if (row) {
        json_object_set_new(row, "exponent", isnan(exponent) ? json_null() : json_real(exponent));
        json_object_set_new(row, "hash", json_string(hash));
    }
    return row;
}

static ash_status time_growth(const char *scene, const bench_rule *rule, uint32_t threads, uint32_t most, json_t *rows,
                              ash_diagnostic *diagnostic)
{
    double elements[SIZES], seconds[SIZES];
    uint32_t count = 0;
    double share = fmin(1, (double)most / sizes[0]); /* short runs for who wants few elements */
    for (int i = 0; i < SIZES && (sizes[i] <= most || i == 0); ++i) {
        timing taken = {0};
        ash_status status = time_rule(scene, sizes[i], rule, share, threads, &taken, diagnostic);
        if (status != ASH_OK)
            return status;
        elements[count] = taken.elements;
        seconds[count++] = taken.step_seconds;
        bool last = i + 1 == SIZES || sizes[i + 1] > most;
        double exponent = last && count > 1 ? ashi_fitted_order(elements, seconds, count) : (double)NAN;
        if (json_array_append_new(rows, timing_row(scene, rule, threads, &taken, exponent)) != 0)
            return ashi_out_of_memory(diagnostic);
    }
    return ASH_OK;
}

json_t *bench_springs(uint32_t most, ash_diagnostic *diagnostic)
{
    static const char *const scenes[] = {"string", "net"};
    json_t *rows = json_array();
    ash_status status = rows ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (size_t s = 0; s < 2; ++s)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; ++r)
            for (uint32_t threads = 1; threads <= 2 && status == ASH_OK; ++threads)
                status = time_growth(scenes[s], &rules[r], threads, most, rows, diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
