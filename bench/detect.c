/* What the whole of collision detection costs: boxes, pairs, filters, contacts, matching and events, in a grid of 5000
 * boxes of which each rests on four. At rest, pairs keep their contacts (still: no box is at a new place; trembling:
 * all are, by a micrometre); moving (by 4 mm), nearly all are computed again. Times are of the processor, with one
 * thread; moving the bodies is not timed. The hash is that of all contact points at the end. */
#include "bench.h"

#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/random.h"
#include "world/world.h"

#include <stdio.h>

enum { ROWS = 20, COLUMNS = 25, LAYERS = 10, BOXES = ROWS * COLUMNS * LAYERS, WARM_UP = 5, STEPS = 30 };

typedef struct grid {
    ash_world *world;
    ash_body bodies[BOXES];
    ash_transform poses[BOXES];
} grid;

/* Cubes of 1 m, a little turned, 2 cm apart in layers; every other layer is shifted by half a cube along both sides,
 * and each presses into that below by 0.1 mm. The lowest lies on a fixed floor. */
static ash_status place_boxes(grid *g, const ash_shape_def *cube, const ash_shape_def *floor,
                              ash_diagnostic *diagnostic)
{
    ashi_random random = {5000};
    ash_body_def def = ash_default_body_def();
    ash_body body;
    def.type = ASH_BODY_STATIC;
    def.position = v3(0, 0, -0.5);
    ash_status status = ash_body_create(g->world, &def, floor, 1, &body, diagnostic);
    for (int i = 0; i < BOXES && status == ASH_OK; ++i) {
        def = ash_default_body_def();
        int layer = i / (ROWS * COLUMNS);
        double shift = layer % 2 * 0.51;
        def.position = v3(1.02 * (i % ROWS) + shift, 1.02 * (i / ROWS % COLUMNS) + shift, 0.9999 * layer + 0.4999);
        def.rotation = ash_rotation(v3(0, 0, 1), ashi_random_range(&random, -1e-4, 1e-4));
        g->poses[i] = (ash_transform){def.position, def.rotation};
        status = ash_body_create(g->world, &def, cube, 1, &g->bodies[i], diagnostic);
    }
    return status;
}

static ash_status make_grid(grid *g, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    ash_geometry *cube = NULL, *slab = NULL;
    def.threads = 1;
    ash_status status = ash_world_create(&def, &g->world, diagnostic);
    ash_geometry_def box = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    box.half_extents = v3(0.5, 0.5, 0.5);
    if (status == ASH_OK)
        status = ash_geometry_create(&box, &cube, diagnostic);
    box.half_extents = v3(100, 100, 0.5);
    if (status == ASH_OK)
        status = ash_geometry_create(&box, &slab, diagnostic);
    ash_shape_def of_cube = ash_default_shape_def(), of_slab = of_cube;
    of_cube.geometry = cube;
    of_slab.geometry = slab;
    if (status == ASH_OK)
        status = place_boxes(g, &of_cube, &of_slab, diagnostic);
    ash_geometry_release(cube);
    ash_geometry_release(slab);
    return status;
}

/* Each box near its place in the grid. */
static ash_status shake(grid *g, double distance, ashi_random *random)
{
    ash_status status = ASH_OK;
    for (int i = 0; i < BOXES && distance > 0 && status == ASH_OK; ++i) {
        double x = ashi_random_range(random, -distance, distance), y = ashi_random_range(random, -distance, distance);
        ash_transform pose = g->poses[i];
        pose.position = v3_add(pose.position, v3(x, y, ashi_random_range(random, -distance, distance)));
        status = ash_body_set_transform(g->world, g->bodies[i], pose);
    }
    return status;
}

static uint64_t hash_of_points(const ashi_contact_set *set)
{
    uint64_t hash = ASHI_HASH_START;
    for (uint32_t i = 0; i < set->points.count; ++i)
        hash = ashi_hash(hash, &set->points.data[i].depth, sizeof set->points.data[i].depth);
    return hash;
}

static ash_status add_row(grid *g, const char *name, double distance, json_t *rows, ash_diagnostic *diagnostic)
{
    ashi_random random = {31};
    double best = INFINITY;
    char hash[24];
    for (int step = 0; step < WARM_UP + STEPS; ++step) {
        ash_status status = shake(g, distance, &random);
        double started = bench_processor_seconds();
        if (status == ASH_OK)
            status = ash_world_detect(g->world);
        double seconds = bench_processor_seconds() - started;
        if (status != ASH_OK)
            return *diagnostic = ash_world_get_last_diagnostic(g->world), status;
        best = step < WARM_UP ? best : fmin(best, seconds);
    }
    const ashi_collision *c = &g->world->collision;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)hash_of_points(&c->now));
    json_t *row = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:s}", "boxes", name, "number", (json_int_t)BOXES,
                            "pairs", (json_int_t)c->now.pairs.count, "computed", (json_int_t)c->tests, "contacts",
                            (json_int_t)c->now.contacts.count, "points", (json_int_t)c->now.points.count, "ms",
                            best * 1e3, "ns per pair", best * 1e9 / c->now.pairs.count, "hash", hash);
    return json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

json_t *bench_detect(ash_diagnostic *diagnostic)
{
    static const struct {
        const char *name;
        double distance;
    } motions[3] = {{"still", 0}, {"trembling", 1e-6}, {"moving", 4e-3}};
    grid *g = ashi_alloc_zeroed(sizeof *g);
    json_t *rows = json_array();
    ash_status status = g && rows ? make_grid(g, diagnostic) : ashi_out_of_memory(diagnostic);
    for (int i = 0; i < 3 && status == ASH_OK; ++i)
        status = add_row(g, motions[i].name, motions[i].distance, rows, diagnostic);
    if (g)
        ash_world_destroy(g->world);
    ashi_dealloc(g);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
