/* The method `realtime` on piles of boxes at rest: what a step costs awake and asleep, how well the pile stands, and
 * what knowing the error costs: the yardstick and theta, which every step reports. Times are of the processor, with one
 * thread, the best of some where the same is done again; sleeping is off until the end. */
#include "bench.h"

#include "base/diagnostic.h"
#include "math/elementary.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 100, FEW = 21, REPEATS = 401, MANY = 8001, ROW = 2, SMALL = 100, TOWER = 800, PYRAMID = 60 * 61 / 2 };
static const double step_length = 0.01;

typedef struct pile {
    ash_world *world;
    ash_geometry *brick;
    uint32_t count;
    ash_body bodies[PYRAMID];
    ash_vec3 start[PYRAMID];
} pile;

static ash_status add_box(pile *p, ash_vec3 position, ash_quat rotation, ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    ash_shape_def shape = ash_default_shape_def();
    shape.geometry = p->brick;
    def.position = p->start[p->count] = position;
    def.rotation = rotation;
    return ash_body_create(p->world, &def, &shape, 1, &p->bodies[p->count++], diagnostic);
}

static ash_status begin(pile *p, ash_vec3 half, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    ash_shape_def shape = ash_default_shape_def();
    ash_body_def ground = ash_default_body_def();
    ash_body body;
    def.method.sleeping = ASH_SLEEP_OFF;
    ash_status status = ash_world_create(&def, &p->world, diagnostic);
    box.half_extents = v3(100, 100, 0.5);
    if (status == ASH_OK)
        status = ash_geometry_create(&box, &shape.geometry, diagnostic);
    ground.type = ASH_BODY_STATIC;
    ground.position = v3(0, 0, -0.5);
    if (status == ASH_OK)
        status = ash_body_create(p->world, &ground, &shape, 1, &body, diagnostic);
    ash_geometry_release(shape.geometry);
    box.half_extents = half;
    return status == ASH_OK ? ash_geometry_create(&box, &p->brick, diagnostic) : status;
}

static ash_status make_stack(pile *p, ash_diagnostic *diagnostic)
{
    ash_status status = begin(p, v3(0.5, 0.5, 0.5), diagnostic);
    for (int i = 0; i < 25 && status == ASH_OK; ++i)
        status = add_box(p, v3(0, 0, 0.5 + i), q_identity(), diagnostic);
    return status;
}

/* Fifty rings of sixteen bricks, each over the joints of the ring beneath. */
static ash_status make_tower(pile *p, ash_diagnostic *diagnostic)
{
    ash_status status = begin(p, v3(0.15, 0.3, 0.1), diagnostic);
    for (int i = 0; i < TOWER && status == ASH_OK; ++i) {
        double angle = 2 * ASHI_PI * (i % 16 + 0.5 * (i / 16 % 2)) / 16, sine, cosine;
        ashi_sincos(angle, &sine, &cosine);
        status = add_box(p, v3(2 * cosine, 2 * sine, 0.1 + 0.2 * (i / 16)), q_exp(v3(0, 0, angle)), diagnostic);
    }
    return status;
}

static ash_status make_pyramid(pile *p, ash_diagnostic *diagnostic)
{
    ash_status status = begin(p, v3(0.5, 0.5, 0.5), diagnostic);
    for (int row = 0; row < 60; ++row)
        for (int i = 0; i < 60 - row && status == ASH_OK; ++i)
            status = add_box(p, v3(1.05 * (i - 0.5 * (59 - row)), 0, 0.5 + row), q_identity(), diagnostic);
    return status;
}

/* How far boxes have moved across and sunk, at most. */
static void measure_motion(const pile *p, double *drift, double *sink)
{
    *drift = *sink = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        ash_vec3 moved = v3_sub(ash_body_get_centre(p->world, p->bodies[i]), p->start[i]);
        *drift = fmax(*drift, hypot(moved.x, moved.y));
        *sink = fmax(*sink, -moved.z);
    }
}

static ash_status take_steps(pile *p, int count, double *best, ash_diagnostic *diagnostic)
{
    *best = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        double start = bench_processor_seconds();
        ash_status status = ash_world_step(p->world, step_length);
        *best = fmin(*best, bench_processor_seconds() - start);
        if (status != ASH_OK) {
            *diagnostic = ash_world_get_last_diagnostic(p->world);
            return status;
        }
    }
    return ASH_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* A row of steps, all judged, as they are wherever the engine is used, or none. The first does not count: it follows
 * others and the change of the method, and has its code to fetch. `mean` of the rest, and the best of them so far. */
static ash_status time_row(pile *p, bool unjudged, double *mean, double *best, ash_diagnostic *diagnostic)
{
    ash_method method = ash_world_get_method(p->world);
    method.solver.unjudged = unjudged;
    ash_status status = ash_world_set_method(p->world, &method);
    *mean = 0;
    for (int i = 0; i < ROW && status == ASH_OK; ++i) {
        double time;
        status = take_steps(p, 1, &time, diagnostic);
        if (i == 0)
            continue;
        *mean += time / (ROW - 1);
        if (time > 0) /* clocks of shared machines can stand still */
            *best = fmin(*best, time);
    }
    return status;
}

/* Rows of steps that are judged and others in turn, so that both see the same machine: one, two others, one. Each kind
 * is so early as late. The best judged step, and the median of what judging takes of one. */
static ash_status time_judgement(pile *p, bool quick, double *step, double *share, ash_diagnostic *diagnostic)
{
    static double shares[MANY];
    ash_status status = ASH_OK;
    int repeats = quick ? FEW : p->count < SMALL ? MANY : REPEATS; /* short steps scatter more, and cost less */
    double unjudged = HUGE_VAL;
    *step = HUGE_VAL;
    for (int i = 0; i < repeats && status == ASH_OK; ++i) {
        double times[4] = {1, 1, 1, 1};
        for (int k = 0; k < 4 && status == ASH_OK; ++k) {
            bool others = k == 1 || k == 2;
            status = time_row(p, others, &times[k], others ? &unjudged : step, diagnostic);
        }
        shares[i] = 1 - (times[1] + times[2]) / (times[0] + times[3]);
    }
    qsort(shares, (size_t)repeats, sizeof *shares, compare_numbers);
    *share = shares[repeats / 2];
    return status;
}

static ash_status fall_asleep(pile *p, double *asleep, ash_diagnostic *diagnostic)
{
    ash_method method = ash_world_get_method(p->world);
    double best;
    method.sleeping = ASH_SLEEP_ISLANDS;
    ash_status status = ash_world_set_method(p->world, &method);
    if (status == ASH_OK)
        status = take_steps(p, STEPS, &best, diagnostic);
    return status == ASH_OK ? take_steps(p, REPEATS, asleep, diagnostic) : status;
}

static ash_status measure_pile(const char *name, ash_status (*make)(pile *, ash_diagnostic *), bool quick, json_t *rows,
                               ash_diagnostic *diagnostic)
{
    static pile p;
    double first, step = 0, share = 0, asleep = 0, drift = 0, sink = 0;
    char hash[20];
    p = (pile){0};
    ash_status status = make(&p, diagnostic);
    if (status == ASH_OK)
        status = take_steps(&p, STEPS, &first, diagnostic);
    if (status == ASH_OK) {
        measure_motion(&p, &drift, &sink);
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)ash_world_get_hash(p.world));
        status = time_judgement(&p, quick, &step, &share, diagnostic);
    }
    if (status == ASH_OK) {
        ash_step_report report = ash_world_get_report(p.world);
        status = fall_asleep(&p, &asleep, diagnostic);
        json_t *row =
            json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:s}", "boxes", name, "count", (json_int_t)p.count,
                      "points", (json_int_t)report.contact_points, "step (ms)", 1e3 * step, "yardstick (% of step)",
                      100 * share, "drift (mm)", 1e3 * drift, "sinks (mm)", 1e3 * sink, "asleep (ms)", 1e3 * asleep,
                      "sleepers", (json_int_t)ash_world_get_report(p.world).sleeping, "hash", hash);
        if (json_array_append_new(rows, row) != 0)
            status = ashi_out_of_memory(diagnostic);
    }
    ash_world_destroy(p.world);
    ash_geometry_release(p.brick);
    return status;
}

json_t *bench_realtime(uint32_t most, bool quick, ash_diagnostic *diagnostic)
{
    json_t *rows = json_array();
    ash_status status = measure_pile("stack", make_stack, quick, rows, diagnostic);
    if (status == ASH_OK && most >= TOWER)
        status = measure_pile("tower", make_tower, quick, rows, diagnostic);
    if (status == ASH_OK && most >= PYRAMID)
        status = measure_pile("pyramid", make_pyramid, quick, rows, diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
