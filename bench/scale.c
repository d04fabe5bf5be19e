/* How the costs of a step grow with the number of bodies: the scenes `box-pile` and `silo` by the method `realtime`,
 * with 1000 to 30 000 bodies, while they fall, at rest, and while the silo flows out.
 *
 * States are compared, not times: a silo three times as high takes sqrt(3) times as long to fill. Phases are therefore
 * given for the smallest size and last longer in others as free fall from the highest body does. Sizes take turns, so
 * that what else the machine does meets all of them; the first step of a turn is not measured: it fills the caches. Of
 * the small sizes several worlds run, one after the other: a phase of a single one is over before the machine has done
 * much else.
 *
 * Times are of the processor, on one thread with sleeping off, the mean of a phase's steps; those of stages are told by
 * the step report in seconds of the clock and scaled to the processor's. Memory is what the library holds. The exponent
 * is the slope of a line through the logarithms, over bodies and over contact points: 1 is linear. */
#include "bench.h"

#include "base/diagnostic.h"
#include "realtime_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIZES = 4, STAGE_ROWS = ASH_STAGES + 1, PARTS = 6, TURNS = 5 };
enum { POINTS = STAGE_ROWS, MEMORY, MEMORY_AT_FIRST, PER_BODY, PER_POINT, FIRST_PART, QUANTITIES = FIRST_PART + PARTS };
static const uint32_t sizes[SIZES] = {1000, 3000, 10000, 30000};
static const int copies[SIZES] = {10, 5, 2, 1};
enum { MOST_COPIES = 10 };
enum { MOST_BODIES = 30100 }; /* walls included */

typedef struct phase {
    const char *scene, *name;
    int first, end;   /* steps that are measured, with the fewest bodies */
    const char *gate; /* a body that is taken away before; null: none */
} phase;

static const phase phases[] = {
    {"box-pile", "falling", 20, 80, NULL}, {"box-pile", "at rest", 270, 300, NULL}, {"silo", "falling", 20, 60, NULL},
    {"silo", "at rest", 220, 250, NULL},   {"silo", "flowing", 290, 320, "gate"},
};
enum { PHASES = sizeof phases / sizeof *phases };

/* What was measured of a phase, by size: the whole step and its stages in ms, contact points, memory at its end in MB,
 * that of the world before its first step, the same a body and a contact point in kB, and of the world's parts in MB.
 */
typedef struct course {
    double value[QUANTITIES][SIZES];
} course;

/* A world on its way through the phases. */
typedef struct runner {
    ash_world *world;
    int step;
    double stretch;  /* of its phases */
    double memory;   /* that it holds, bytes, ... */
    double at_first; /* ... and before its first step */
    int measured;    /* steps of the present phase, and their sums: */
    double seconds[STAGE_ROWS], points;
} runner;

/* Worlds of one size, all the same. */
typedef struct team {
    runner runners[MOST_COPIES];
    int size; /* number in `sizes` */
} team;

static void quantity_name(int number, char *name, size_t size)
{
    static const char *const others[] = {"contact points",
                                         "memory (MB)",
                                         "memory before the first step (MB)",
                                         "memory a body (kB)",
                                         "memory a contact point (kB)",
                                         "memory of bodies and shapes (MB)",
                                         "memory of the broad phase (MB)",
                                         "memory of contacts (MB)",
                                         "memory of the problem (MB)",
                                         "memory of the solver (MB)",
                                         "scratch memory (MB)"};
    if (number >= STAGE_ROWS)
        snprintf(name, size, "%s", others[number - STAGE_ROWS]);
    else
        snprintf(name, size, "%s (ms)", number == 0 ? "whole step" : ash_stage_name((ash_stage)(number - 1)));
}

/* How high the highest body is. */
static double height_of(const ash_world *world)
{
    static ash_body bodies[MOST_BODIES];
    uint32_t count = ash_world_get_bodies(world, bodies, MOST_BODIES);
    double highest = 0;
    for (uint32_t i = 0; i < count && i < MOST_BODIES; ++i)
        highest = fmax(highest, ash_body_get_centre(world, bodies[i]).z);
    return highest;
}

static ash_status open_runner(const char *scene, uint32_t bodies, runner *r, ash_diagnostic *diagnostic)
{
    double before = (double)ash_memory_used().bytes;
    *r = (runner){.stretch = 1};
    ash_status status = bench_open_realtime(scene, bodies, &r->world, diagnostic);
    r->memory = r->at_first = (double)ash_memory_used().bytes - before;
    return status;
}

/* Takes a step; its costs are added to the sums when it is measured. */
static ash_status take_step(runner *r, bool measured, ash_diagnostic *diagnostic)
{
    double before = (double)ash_memory_used().bytes, start = bench_processor_seconds();
    ash_status status = ash_world_step(r->world, 0.01);
    double seconds = bench_processor_seconds() - start;
    r->step++;
    r->memory += (double)ash_memory_used().bytes - before;
    if (status != ASH_OK) {
        *diagnostic = ash_world_get_last_diagnostic(r->world);
        return status;
    }
    if (!measured)
        return ASH_OK;
    ash_step_report report = ash_world_get_report(r->world);
    r->measured++;
    r->points += report.contact_points;
    r->seconds[0] += seconds;
    for (int i = 0; i < ASH_STAGES; ++i)
        r->seconds[1 + i] += report.seconds > 0 ? report.stage_seconds[i] * seconds / report.seconds : 0;
    return ASH_OK;
}

/* Steps up to `end`, in the smallest size's count; all but the first are measured from `first` on. */
static ash_status take_turn(runner *r, double first, double end, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (bool warm = false; r->step < r->stretch * end && status == ASH_OK; warm = true)
        status = take_step(r, warm && r->step >= r->stretch * first, diagnostic);
    return status;
}

/* Means over all steps that were measured; memory is that of one world. */
static void store_course(const team *t, course *c)
{
    const runner *first = &t->runners[0];
    int size = t->size, measured = 0;
    for (int q = 0; q <= POINTS; ++q)
        c->value[q][size] = 0;
    for (int k = 0; k < copies[size]; ++k) {
        const runner *r = &t->runners[k];
        measured += r->measured;
        c->value[POINTS][size] += r->points;
        for (int i = 0; i < STAGE_ROWS; ++i)
            c->value[i][size] += 1e3 * r->seconds[i];
    }
    for (int q = 0; q <= POINTS; ++q)
        c->value[q][size] /= measured > 0 ? measured : 1;
    c->value[MEMORY][size] = 1e-6 * first->memory;
    c->value[MEMORY_AT_FIRST][size] = 1e-6 * first->at_first;
    c->value[PER_BODY][size] = 1e-3 * first->memory / sizes[size];
    c->value[PER_POINT][size] = 1e-3 * first->memory / ash_world_get_report(first->world).contact_points;
    ash_memory_parts m = ash_world_get_memory(first->world);
    const uint64_t parts[PARTS] = {m.bodies, m.broad_phase, m.contacts, m.problem, m.solver, m.scratch};
    for (int i = 0; i < PARTS; ++i)
        c->value[FIRST_PART + i][size] = 1e-6 * (double)parts[i];
}

/* Ready for the phase, which begins with the next step. */
static ash_status begin_phase(runner *r, const phase *p, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    r->measured = 0;
    r->points = 0;
    memset(r->seconds, 0, sizeof r->seconds);
    if (p->gate != NULL)
        status = ash_body_destroy(r->world, ash_world_find_body(r->world, p->gate));
    return status == ASH_OK ? take_turn(r, p->end, p->first, diagnostic) : status; /* on the way */
}

static ash_status measure_phase(team *teams, int count, const phase *p, course *c, ash_diagnostic *diagnostic)
{
    ash_status status = ASH_OK;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < copies[i] && status == ASH_OK; ++k)
            status = begin_phase(&teams[i].runners[k], p, diagnostic);
    for (int turn = 1; turn <= TURNS; ++turn) {
        double end = p->first + (p->end - p->first) * turn / (double)TURNS;
        for (int i = 0; i < count; ++i)
            for (int k = 0; k < copies[i] && status == ASH_OK; ++k)
                status = take_turn(&teams[i].runners[k], p->first, end, diagnostic);
    }
    for (int i = 0; i < count && status == ASH_OK; ++i)
        store_course(&teams[i], c);
    return status;
}

/* All phases of one scene. */
static ash_status measure_scene(const char *scene, int count, course courses[PHASES], ash_diagnostic *diagnostic)
{
    static team teams[SIZES];
    ash_status status = ASH_OK;
    memset(teams, 0, sizeof teams);
    for (int i = 0; i < count; ++i) {
        teams[i].size = i;
        for (int k = 0; k < copies[i] && status == ASH_OK; ++k) {
            runner *r = &teams[i].runners[k];
            status = open_runner(scene, sizes[i], r, diagnostic);
            if (status == ASH_OK)
                r->stretch = sqrt(height_of(r->world) / height_of(teams[0].runners[0].world));
        }
    }
    for (int i = 0; i < PHASES && status == ASH_OK; ++i)
        if (strcmp(phases[i].scene, scene) == 0)
            status = measure_phase(teams, count, &phases[i], &courses[i], diagnostic);
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < copies[i]; ++k)
            ash_world_destroy(teams[i].runners[k].world);
    return status;
}

/* The slope of the line through the logarithms with the least squares of distances; not finite where there is none. */
static double exponent_of(const double *over, const double *values, int count)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; ++i) {
        double a = log(over[i]), b = log(values[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static bool report(const phase *p, const course *c, int count, json_t *rows)
{
    double bodies[SIZES];
    for (int i = 0; i < count; ++i)
        bodies[i] = sizes[i];
    for (int q = 0; q < QUANTITIES; ++q) {
        char name[64];
        quantity_name(q, name, sizeof name);
        json_t *row = json_pack("{s:s, s:s, s:s}", "scene", p->scene, "phase", p->name, "quantity", name);
        for (int i = 0; i < count; ++i) {
            char column[16];
            snprintf(column, sizeof column, "%u", sizes[i]);
            json_object_set_new(row, column, json_real(c->value[q][i]));
        }
        json_object_set_new(row, "exponent", number_or_null(exponent_of(bodies, c->value[q], count)));
        json_object_set_new(row, "over contact points",
                            number_or_null(exponent_of(c->value[POINTS], c->value[q], count)));
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
    for (int i = 0; i < 2 && status == ASH_OK && count > 0; ++i)
        status = measure_scene(scenes[i], count, courses, diagnostic);
    for (int i = 0; i < PHASES && status == ASH_OK && count > 0; ++i)
        if (!report(&phases[i], &courses[i], count, rows))
            status = ashi_out_of_memory(diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
