/* How the costs of a step grow with the number of bodies: the scenes `box-pile` and `silo` by the method `realtime`,
 * with 1000 to 30 000 bodies, while they fall, at rest, and while the silo flows out.
 *
 * Times are of the processor, on one thread with sleeping off, the mean of a phase's steps; those of stages are told by
 * the step report in seconds of the clock and scaled to the processor's. Memory is what the library holds. The exponent
 * is the slope of a line through the logarithms: 1 is linear. */
#include "bench.h"

#include "base/diagnostic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZES = 4, STAGE_ROWS = ASH_STAGES + 1, QUANTITIES = STAGE_ROWS + 3 };
static const uint32_t sizes[SIZES] = {1000, 3000, 10000, 30000};

typedef struct phase {
    const char *scene, *name;
    int first, end;   /* steps that are measured */
    const char *gate; /* a body that is taken away before; null: none */
} phase;

static const phase phases[] = {
    {"box-pile", "falling", 20, 80, NULL}, {"box-pile", "at rest", 270, 300, NULL}, {"silo", "falling", 20, 60, NULL},
    {"silo", "at rest", 220, 250, NULL},   {"silo", "flowing", 290, 320, "gate"},
};
enum { PHASES = sizeof phases / sizeof *phases };

/* What was measured of a phase, by size: the whole step and its stages in ms, contact points, memory in MB and that of
 * the world before its first step. */
typedef struct course {
    double value[QUANTITIES][SIZES];
} course;

static void quantity_name(int number, char *name, size_t size)
{
    static const char *const others[] = {"contact points", "memory (MB)", "memory before the first step (MB)"};
    if (number >= STAGE_ROWS)
        snprintf(name, size, "%s", others[number - STAGE_ROWS]);
    else
        snprintf(name, size, "%s (ms)", number == 0 ? "whole step" : ash_stage_name((ash_stage)(number - 1)));
}

static ash_status open_world(const char *name, uint32_t bodies, ash_world **world, ash_diagnostic *diagnostic)
{
    char count[16];
    ash_setting setting = {"n", count};
    ash_scene *scene = NULL;
    snprintf(count, sizeof count, "%u", bodies);
    ash_status status = ash_scene_open(name, &setting, 1, &scene, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_method method = ash_scene_get_method(scene);
    status = ash_method_find("realtime", &method, diagnostic);
    method.sleeping = ASH_SLEEP_OFF;
    if (status == ASH_OK)
        status = ash_scene_set_method(scene, &method);
    if (status == ASH_OK)
        status = ash_scene_instantiate(scene, 1, world, diagnostic);
    ash_scene_destroy(scene);
    return status;
}

/* Takes a step and adds its costs to the sums, s. */
static ash_status take_step(ash_world *world, double sums[STAGE_ROWS], ash_diagnostic *diagnostic)
{
    double start = bench_processor_seconds();
    ash_status status = ash_world_step(world, 0.01);
    double seconds = bench_processor_seconds() - start;
    if (status != ASH_OK) {
        *diagnostic = ash_world_last_diagnostic(world);
        return status;
    }
    ash_step_report report = ash_world_report(world);
    sums[0] += seconds;
    for (int i = 0; i < ASH_STAGES; ++i)
        sums[1 + i] += report.seconds > 0 ? report.stage_seconds[i] * seconds / report.seconds : 0;
    return ASH_OK;
}

static ash_status measure_phase(ash_world *world, const phase *p, int *step, course *c, int size,
                                ash_diagnostic *diagnostic)
{
    double sums[STAGE_ROWS] = {0};
    ash_status status = ASH_OK;
    if (p->gate != NULL)
        status = ash_body_destroy(world, ash_world_find_body(world, p->gate));
    for (; *step < p->end && status == ASH_OK; ++*step) {
        double unused[STAGE_ROWS] = {0};
        status = take_step(world, *step < p->first ? unused : sums, diagnostic);
    }
    for (int i = 0; i < STAGE_ROWS; ++i)
        c->value[i][size] = 1e3 * sums[i] / (p->end - p->first);
    c->value[STAGE_ROWS][size] = ash_world_report(world).contact_points;
    return status;
}

/* All phases of one scene at one size. */
static ash_status measure_scene(const char *scene, int size, course courses[PHASES], ash_diagnostic *diagnostic)
{
    ash_world *world = NULL;
    double before = (double)ash_memory_used().bytes;
    ash_status status = open_world(scene, sizes[size], &world, diagnostic);
    double made = (double)ash_memory_used().bytes;
    int step = 0;
    for (int i = 0; i < PHASES && status == ASH_OK; ++i) {
        if (strcmp(phases[i].scene, scene) != 0)
            continue;
        status = measure_phase(world, &phases[i], &step, &courses[i], size, diagnostic);
        courses[i].value[STAGE_ROWS + 1][size] = 1e-6 * ((double)ash_memory_used().bytes - before);
        courses[i].value[STAGE_ROWS + 2][size] = 1e-6 * (made - before);
    }
    ash_world_destroy(world);
    return status;
}

/* The slope of the line through the logarithms with the least squares of distances. */
static double exponent_of(const double *values, int count)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; ++i) {
        if (!(values[i] > 0))
            return 0;
        double a = log(sizes[i]), b = log(values[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    double width = count * xx - x * x;
    return width > 0 ? (count * xy - x * y) / width : 0;
}

static bool report(const phase *p, const course *c, int count, json_t *rows)
{
    for (int q = 0; q < QUANTITIES; ++q) {
        char name[64];
        quantity_name(q, name, sizeof name);
        json_t *row = json_pack("{s:s, s:s, s:s}", "scene", p->scene, "phase", p->name, "quantity", name);
        for (int i = 0; i < count; ++i) {
            char bodies[16];
            snprintf(bodies, sizeof bodies, "%u", sizes[i]);
            json_object_set_new(row, bodies, json_real(c->value[q][i]));
        }
        json_object_set_new(row, "exponent", json_real(exponent_of(c->value[q], count)));
        if (json_array_append_new(rows, row) != 0)
            return false;
    }
    return true;
}

json_t *bench_scale(uint32_t most, ash_diagnostic *diagnostic)
{
    static course courses[PHASES];
    static const char *const scenes[] = {"box-pile", "silo"};
    json_t *rows = json_array();
    int count = 0;
    ash_status status = ASH_OK;
    while (count < SIZES && sizes[count] <= most)
        ++count;
    for (int i = 0; i < 2; ++i)
        for (int size = 0; size < count && status == ASH_OK; ++size)
            status = measure_scene(scenes[i], size, courses, diagnostic);
    for (int i = 0; i < PHASES && status == ASH_OK && count > 0; ++i)
        if (!report(&phases[i], &courses[i], count, rows))
            status = ashi_out_of_memory(diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
