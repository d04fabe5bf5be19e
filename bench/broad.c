/* What finding pairs of boxes costs: each kind of broad phase, and Bullet's where it was found, over growing numbers of
 * bodies at constant density, in nanoseconds a body and step (moving the boxes included), with the exponent of the
 * growth. One thread is timed by the processor, two by the clock. The hash is that of the sorted pairs of the last
 * step: the same in all rows that take as many steps. */
#include "bench.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/random.h"
#include "collide/broad/broad.h"
#include "experiments/analysis.h"
#include "math/vec3.h"
#ifdef BENCH_BULLET
#include "bullet_broad.h"
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 5, BULLET = ASHI_BROAD_KINDS };
static const uint32_t sizes[SIZES] = {1000, 3000, 10000, 30000, 100000};

/* Boxes, what they do, and the pairs of the last step. */
typedef struct box_world {
    ash_bounds *boxes;
    ash_vec3 *velocities; /* a step */
    bool *moves;
    uint32_t *proxies;
    uint32_t count;
    double side; /* of the space they live in */
    bool pile;
    ashi_random random;
    ashi_broad_pairs pairs;
} box_world;

static ash_vec3 random_vector(box_world *world, double low, double high)
{
    double x = ashi_random_range(&world->random, low, high), y = ashi_random_range(&world->random, low, high);
    return v3(x, y, ashi_random_range(&world->random, low, high));
}

static ash_bounds box_at(ash_vec3 centre, ash_vec3 half)
{
    return (ash_bounds){v3_sub(centre, half), v3_add(centre, half)};
}

/* A gas: one box a cubic metre, sides of 0.5 to 1 m, up to 0.05 m a step along each axis (3 m/s at 60 steps a
 * second). */
static void place_gas(box_world *world)
{
    world->side = cbrt(world->count);
    for (uint32_t i = 0; i < world->count; ++i) {
        ash_vec3 centre = random_vector(world, 0, world->side);
        world->boxes[i] = box_at(centre, random_vector(world, 0.25, 0.5));
        world->velocities[i] = random_vector(world, -0.05, 0.05);
        world->moves[i] = true;
    }
}

/* A pile: cubes of 1 m in layers that press into each other a little, on a fixed floor. */
static void place_pile(box_world *world)
{
    uint32_t row = (uint32_t)ceil(cbrt(world->count));
    world->side = row;
    for (uint32_t i = 1; i < world->count; ++i) {
        ash_vec3 centre = v3(0.99 * (i % row), 0.99 * (i / row % row), 0.99 * (i / (row * row)) + 0.49);
        world->boxes[i] = box_at(v3_add(centre, random_vector(world, -0.03, 0.03)), v3(0.5, 0.5, 0.5));
        world->velocities[i] = v3(0, 0, 0);
        world->moves[i] = true;
    }
    world->boxes[0] = (ash_bounds){{-1e3, -1e3, -10}, {1e3, 1e3, 0}};
    world->velocities[0] = v3(0, 0, 0);
    world->moves[0] = false;
}

static double reflected(double velocity, double lower, double upper, double side)
{
    return (upper < 0 && velocity < 0) || (lower > side && velocity > 0) ? -velocity : velocity;
}

/* Gas: all fly on. Pile: all tremble by a tenth of a millimetre, one in a hundred slips by up to 0.2 m. */
static void step_boxes(box_world *world)
{
    for (uint32_t i = 0; i < world->count; ++i) {
        ash_bounds *box = &world->boxes[i];
        ash_vec3 *v = &world->velocities[i], by = *v;
        if (!world->moves[i])
            continue;
        if (world->pile) { /* forth and back, so that the pile stays */
            *v = v3_norm2(*v) > 0 ? v3(0, 0, 0) : random_vector(world, -1e-4, 1e-4);
            if (v3_norm2(by) > 0)
                by = v3_neg(by);
            else
                by = *v = ashi_random_below(&world->random, 100) == 0 ? v3_scale(*v, 2000) : *v;
        } else {
            v->x = reflected(v->x, box->lower.x, box->upper.x, world->side);
            v->y = reflected(v->y, box->lower.y, box->upper.y, world->side);
            v->z = reflected(v->z, box->lower.z, box->upper.z, world->side);
            by = *v;
        }
        *box = (ash_bounds){v3_add(box->lower, by), v3_add(box->upper, by)};
    }
}

static void release_world(box_world *world)
{
    ashi_dealloc(world->boxes);
    ashi_dealloc(world->velocities);
    ashi_dealloc(world->moves);
    ashi_dealloc(world->proxies);
    ashi_array_release(&world->pairs);
}

static bool make_world(box_world *world, bool pile, uint32_t count)
{
    *world = (box_world){.count = count, .pile = pile, .random = {2007}};
    world->boxes = ashi_alloc_array(count, sizeof *world->boxes);
    world->velocities = ashi_alloc_array(count, sizeof *world->velocities);
    world->moves = ashi_alloc_array(count, sizeof *world->moves);
    world->proxies = ashi_alloc_array(count, sizeof *world->proxies);
    if (!world->boxes || !world->velocities || !world->moves || !world->proxies) {
        release_world(world);
        return false;
    }
    if (pile)
        place_pile(world);
    else
        place_gas(world);
    return true;
}

typedef struct timing {
    double seconds; /* a step, the best of the repeats */
    double moved;   /* share of the boxes that had to be searched anew */
    uint32_t warm_up, steps, repeats, pairs;
    uint64_t hash;
} timing;

/* Something that is timed: a broad phase of ours or Bullet's. */
typedef struct subject {
    int kind; /* ashi_broad_kind or BULLET */
    ashi_tasks *tasks;
    ashi_broad *broad;
#ifdef BENCH_BULLET
    bullet_broad *bullet;
#endif
} subject;

static bool begin_subject(subject *s, box_world *world)
{
#ifdef BENCH_BULLET
    if (s->kind == BULLET)
        return (s->bullet = bullet_broad_create(world->boxes, world->moves, world->count)) != NULL;
#endif
    s->broad = ashi_broad_create((ashi_broad_kind)s->kind);
    for (uint32_t i = 0; s->broad && i < world->count; ++i) {
        world->proxies[i] = ashi_broad_add(s->broad, world->boxes[i], i, world->moves[i]);
        if (world->proxies[i] == UINT32_MAX)
            return false;
    }
    return s->broad != NULL;
}

static void end_subject(subject *s)
{
    ashi_broad_destroy(s->broad);
#ifdef BENCH_BULLET
    bullet_broad_destroy(s->bullet);
#endif
}

static bool update_subject(subject *s, box_world *world)
{
#ifdef BENCH_BULLET
    if (s->kind == BULLET) {
        bullet_broad_update(s->bullet, world->boxes, world->moves, world->count);
        return true;
    }
#endif
    for (uint32_t i = 0; i < world->count; ++i)
        if (world->moves[i])
            ashi_broad_move(s->broad, world->proxies[i], world->boxes[i],
                            world->pile ? v3(0, 0, 0) : world->velocities[i]);
    return ashi_broad_find_pairs(s->broad, s->tasks, &world->pairs);
}

#ifdef BENCH_BULLET
static int by_items(const void *one, const void *two)
{
    const ashi_broad_pair *p = one, *q = two;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* Bullet's cache holds pairs of enlarged boxes: leaves those whose boxes overlap, sorted. Not timed. */
static bool take_bullet_pairs(const subject *s, box_world *world)
{
    world->pairs.count = 0;
    uint32_t cached = bullet_broad_pairs(s->bullet, NULL, 0);
    if (!ashi_array_reserve(&world->pairs, cached))
        return false;
    bullet_broad_pairs(s->bullet, world->pairs.data, cached);
    for (uint32_t i = 0; i < cached; ++i) {
        ashi_broad_pair pair = world->pairs.data[i];
        const ash_bounds *a = &world->boxes[pair.a], *b = &world->boxes[pair.b];
        if (a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
            b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z)
            world->pairs.data[world->pairs.count++] = pair;
    }
    qsort(world->pairs.data, world->pairs.count, sizeof *world->pairs.data, by_items);
    return true;
}
#endif

/* One thread is timed by what it gets of a processor; several by the clock, because they wait for each other. */
static double seconds_now(const subject *s)
{
    return ashi_tasks_workers(s->tasks) > 1 ? ashi_seconds() : bench_processor_seconds();
}

static bool take_steps(subject *s, box_world *world, timing *taken)
{
    double moved = 0;
    taken->seconds = INFINITY;
    for (uint32_t repeat = 0; repeat <= taken->repeats; ++repeat) {
        double seconds = 0;
        for (uint32_t i = 0; i < (repeat == 0 ? taken->warm_up : taken->steps); ++i) {
            step_boxes(world);
            double started = seconds_now(s);
            if (!update_subject(s, world))
                return false;
            seconds += seconds_now(s) - started;
            moved += repeat > 0 && s->broad ? ashi_broad_last(s->broad).moved : 0;
        }
        if (repeat > 0) /* the first only warms up */
            taken->seconds = fmin(taken->seconds, seconds / taken->steps);
    }
    taken->moved = moved / ((double)taken->repeats * taken->steps * world->count);
#ifdef BENCH_BULLET
    if (s->kind == BULLET && !take_bullet_pairs(s, world))
        return false;
#endif
    taken->pairs = world->pairs.count;
    taken->hash = ashi_hash(ASHI_HASH_START, world->pairs.data, world->pairs.count * sizeof *world->pairs.data);
    return true;
}

/* As many steps as give a steady figure; all kinds with all bodies take about a minute. Trees need some steps until
 * their boxes no longer leave their margins all at once. */
static void choose_steps(int kind, uint32_t count, timing *taken)
{
    bool many = count > 15000;
    if (kind == ASHI_BROAD_TREE || kind == BULLET) {
        bool slow = many && kind == BULLET;
        taken->warm_up = slow ? 10 : 20;
        taken->steps = slow ? 5 : many ? 10 : 150000 / count;
        taken->repeats = slow ? 1 : 3;
    } else {
        taken->warm_up = 1;
        taken->steps = count < 10000 ? 30000 / count : 1;
        taken->repeats = many ? 1 : 3;
    }
}

static bool time_size(int kind, uint32_t threads, bool pile, uint32_t count, timing *taken)
{
    box_world world;
    if (!make_world(&world, pile, count))
        return false;
    subject s = {.kind = kind, .tasks = ashi_tasks_create(threads, NULL)};
    choose_steps(kind, count, taken);
    bool done = s.tasks && begin_subject(&s, &world) && take_steps(&s, &world, taken);
    end_subject(&s);
    ashi_tasks_destroy(s.tasks);
    release_world(&world);
    return done;
}

static json_t *timing_row(int kind, uint32_t threads, bool pile, uint32_t count, const timing *taken, double exponent)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)taken->hash);
    json_t *row = json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:f}", "world", pile ? "pile" : "gas", "broad phase",
                            kind == BULLET ? "Bullet's tree" : ashi_broad_kind_name((ashi_broad_kind)kind), "threads",
                            (json_int_t)threads, "bodies", (json_int_t)count, "steps", (json_int_t)taken->steps,
                            "pairs per body", (double)taken->pairs / count, "searched anew", taken->moved,
                            "ns per body", taken->seconds * 1e9 / count);
    if (row) {
        json_object_set_new(row, "exponent", isnan(exponent) ? json_null() : json_real(exponent));
        json_object_set_new(row, "hash", json_string(hash));
    }
    return row;
}

static ash_status time_growth(int kind, uint32_t threads, bool pile, uint32_t most, json_t *rows,
                              ash_diagnostic *diagnostic)
{
    double bodies[SIZES], seconds[SIZES];
    uint32_t count = 0;
    if (kind == ASHI_BROAD_ALL_PAIRS && most > 10000)
        most = 10000; /* ten times the bodies would take a hundred times as long */
    for (int i = 0; i < SIZES && (sizes[i] <= most || i == 0); ++i) {
        timing taken = {0};
        if (!time_size(kind, threads, pile, sizes[i], &taken))
            return ashi_out_of_memory(diagnostic);
        bodies[count] = sizes[i];
        seconds[count++] = taken.seconds;
        bool last = i + 1 == SIZES || sizes[i + 1] > most;
        double exponent = last && count > 1 ? ashi_fitted_order(bodies, seconds, count) : (double)NAN;
        if (json_array_append_new(rows, timing_row(kind, threads, pile, sizes[i], &taken, exponent)) != 0)
            return ashi_out_of_memory(diagnostic);
    }
    return ASH_OK;
}

json_t *bench_broad(uint32_t most, ash_diagnostic *diagnostic)
{
#ifdef BENCH_BULLET
    const int kinds = BULLET + 1;
#else
    const int kinds = BULLET;
#endif
    json_t *rows = json_array();
    ash_status status = rows ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (int pile = 0; pile < 2; ++pile)
        for (int kind = 0; kind < kinds; ++kind)
            for (uint32_t threads = 1; threads <= (kind == ASHI_BROAD_TREE ? 2u : 1u) && status == ASH_OK; ++threads)
                status = time_growth(kind, threads, pile == 1, most, rows, diagnostic);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
