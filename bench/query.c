/* What queries cost: rays, casts and overlap in a world of boxes (10 000 of them, or fewer when asked for), and closest
 * points and times of impact of single pairs. Each is done a fixed number of times after a warm-up; the fastest of a
 * few repeats counts. The hash is that of all results. */
#include "bench.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/random.h"
#include "collide/query/impact.h"
#include "math/transform.h"
#include "shape/tessellate.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 3, RAYS = 10000, CASTS = 2000, PAIRS = 500 };

/* Boxes of half size 0.5 in a cube with one for each 8 cubic metres, so that a ray meets one after some 10 m. */
typedef struct query_bench {
    ash_world *world;
    uint32_t boxes;
    double side; /* of the cube */
    ash_ray rays[RAYS];
    bool found[RAYS];
    ash_cast_hit hits[RAYS];
    json_t *rows;
} query_bench;

static ash_vec3 random_point(ashi_random *random, double half)
{
    double x = ashi_random_range(random, -half, half), y = ashi_random_range(random, -half, half);
    return v3(x, y, ashi_random_range(random, -half, half));
}

static ash_geometry *make_box(ash_vec3 half_extents, ash_diagnostic *diagnostic)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = half_extents;
    ash_geometry *box = NULL;
    ash_geometry_create(&def, &box, diagnostic);
    return box;
}

static ash_status make_world(query_bench *bench, uint32_t threads, ash_diagnostic *diagnostic)
{
    ash_world_def def = ash_default_world_def();
    def.threads = threads;
    ash_status status = ash_world_create(&def, &bench->world, diagnostic);
    if (status != ASH_OK)
        return status;
    ash_shape_def shape = ash_default_shape_def();
    shape.geometry = make_box(v3(0.5, 0.5, 0.5), diagnostic);
    if (shape.geometry == NULL)
        return diagnostic->status;
    ashi_random random = {1};
    for (uint32_t i = 0; i < bench->boxes && status == ASH_OK; ++i) {
        ash_body_def body = ash_default_body_def();
        ash_body handle;
        body.position = random_point(&random, bench->side / 2);
        body.rotation = ash_rotation(random_point(&random, 1), ashi_random_range(&random, 0, 3));
        status = ash_body_create(bench->world, &body, &shape, 1, &handle, diagnostic);
    }
    ash_geometry_release(shape.geometry);
    for (uint32_t i = 0; i < RAYS; ++i) {
        ash_vec3 from = random_point(&random, bench->side / 2);
        bench->rays[i] = (ash_ray){from, v3_unit(v3_sub(random_point(&random, bench->side / 2), from)), 100};
    }
    return status;
}

static ash_status add_row(query_bench *bench, const char *query, uint32_t threads, uint32_t count, double seconds,
                          uint32_t hits, uint64_t hash, ash_diagnostic *diagnostic)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    json_t *row = json_pack("{s:s, s:I, s:f, s:f, s:f, s:s}", "query", query, "threads", (json_int_t)threads, "ns each",
                            seconds / count * 1e9, "per second", count / seconds, "share of hits", (double)hits / count,
                            "hash", text);
    return json_array_append_new(bench->rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

static ash_status time_batch(query_bench *bench, uint32_t threads, ash_diagnostic *diagnostic)
{
    double best = INFINITY;
    for (int repeat = 0; repeat <= REPEATS; ++repeat) {
        double started = ashi_seconds();
        ash_status status = ash_world_cast_rays(bench->world, bench->rays, RAYS, NULL, bench->found, bench->hits);
        double seconds = ashi_seconds() - started;
        if (status != ASH_OK)
            return *diagnostic = ash_world_get_last_diagnostic(bench->world), status;
        if (repeat > 0)
            best = fmin(best, seconds);
    }
    uint32_t hits = 0;
    uint64_t hash = ASHI_HASH_START;
    for (uint32_t i = 0; i < RAYS; ++i)
        if (bench->found[i]) {
            hits++;
            hash = ashi_hash(hash, &bench->hits[i].t, sizeof bench->hits[i].t);
        }
    return add_row(bench, "rays in a batch", threads, RAYS, best, hits, hash, diagnostic);
}

/* One question of a kind: the number that it answers with, negative for none. */
typedef double (*question)(const query_bench *bench, uint32_t number, const void *with);

static ash_status time_questions(query_bench *bench, const char *name, uint32_t count, question ask, const void *with,
                                 ash_diagnostic *diagnostic)
{
    double best = INFINITY;
    uint32_t hits = 0;
    uint64_t hash = 0;
    for (int repeat = 0; repeat <= REPEATS; ++repeat) {
        hash = ASHI_HASH_START;
        hits = 0;
        double started = ashi_seconds();
        for (uint32_t i = 0; i < count; ++i) {
            double answer = ask(bench, i, with);
            hits += answer >= 0;
            hash = ashi_hash(hash, &answer, sizeof answer);
        }
        if (repeat > 0)
            best = fmin(best, ashi_seconds() - started);
    }
    return add_row(bench, name, 1, count, best, hits, hash, diagnostic);
}

static double ask_ray(const query_bench *bench, uint32_t number, const void *with)
{
    (void)with;
    ash_cast_hit hit;
    return ash_world_cast_ray(bench->world, bench->rays[number], NULL, &hit) ? hit.t : -1;
}

static double ask_sphere(const query_bench *bench, uint32_t number, const void *with)
{
    ash_cast_hit hit;
    return ash_world_cast_sphere(bench->world, bench->rays[number], *(const double *)with, NULL, &hit) ? hit.t : -1;
}

static double ask_shape(const query_bench *bench, uint32_t number, const void *with)
{
    ash_cast_hit hit;
    ash_quat turned = ash_rotation(v3(1, 2, 3), number);
    return ash_world_cast_shape(bench->world, with, turned, bench->rays[number], NULL, &hit) ? hit.t : -1;
}

static double ask_overlap(const query_bench *bench, uint32_t number, const void *with)
{
    ash_vec3 half = *(const ash_vec3 *)with, middle = bench->rays[number].origin;
    uint32_t count =
        ash_world_overlap_box(bench->world, (ash_bounds){v3_sub(middle, half), v3_add(middle, half)}, NULL, NULL, 0);
    return count > 0 ? (double)count : -1;
}

static ash_status time_world(query_bench *bench, ash_diagnostic *diagnostic)
{
    double radius = 0.25;
    ash_vec3 half = v3(1, 1, 1);
    ash_geometry *box = make_box(v3(0.2, 0.3, 0.4), diagnostic);
    if (box == NULL)
        return diagnostic->status;
    ash_status status = time_questions(bench, "rays one by one", RAYS, ask_ray, NULL, diagnostic);
    if (status == ASH_OK)
        status = time_questions(bench, "casts of a sphere", CASTS, ask_sphere, &radius, diagnostic);
    if (status == ASH_OK)
        status = time_questions(bench, "casts of a box", CASTS, ask_shape, box, diagnostic);
    if (status == ASH_OK)
        status = time_questions(bench, "overlap of a box", CASTS, ask_overlap, &half, diagnostic);
    ash_geometry_release(box);
    return status;
}

/* Two geometries for single pairs. */
typedef struct geometry_pair {
    const ash_geometry *a, *b;
} geometry_pair;

static double ask_closest(const query_bench *bench, uint32_t number, const void *with)
{
    const geometry_pair *pair = with;
    ash_vec3 along = bench->rays[number].direction;
    ash_transform pose = {v3_scale(along, 2.5), ash_rotation(v3(along.y, along.z, along.x), number)};
    ash_closest closest;
    return ash_closest_points(pair->a, ash_identity(), pair->b, pose, &closest) == ASH_OK ? closest.distance : -1;
}

/* From 3 m towards the other one, which turns, within a tenth of a second at 50 m/s. */
static double ask_impact(const query_bench *bench, uint32_t number, const void *with)
{
    const geometry_pair *pair = with;
    ash_vec3 along = bench->rays[number].direction;
    ash_vec3 aside = v3_scale(bench->rays[number].origin, 1 / bench->side);
    ash_sweep a = {.geometry = pair->a, .pose = ash_identity()};
    ash_sweep b = {.geometry = pair->b,
                   .pose = {v3_add(v3_scale(along, -3), aside), ash_rotation(aside, number)},
                   .velocity = v3_scale(along, 50),
                   .angular_velocity = v3_scale(aside, 20)};
    ashi_toi toi;
    return ashi_first_impact(&a, &b, 0.1, 1e-5, &toi) ? toi.time : -1;
}

static ash_status time_pairs(query_bench *bench, ash_diagnostic *diagnostic)
{
    ash_geometry *ball = NULL, *box = make_box(v3(0.5, 0.5, 0.5), diagnostic), *mesh = NULL;
    ash_geometry *rod = make_box(v3(0.05, 0.05, 1), diagnostic);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = 0.025;
    ash_status status = ash_geometry_create(&def, &ball, diagnostic);
    ashi_tessellation faces;
    if (status == ASH_OK && !ashi_mesh_sphere(4, 1, &faces))
        status = ashi_out_of_memory(diagnostic);
    if (status == ASH_OK) {
        def = ashi_tessellation_def(&faces);
        status = ash_geometry_create(&def, &mesh, diagnostic);
        ashi_tessellation_release(&faces);
    }
    const struct {
        const char *name;
        geometry_pair pair;
        question ask;
    } list[] = {
        {"closest points, two boxes", {box, box}, ask_closest},
        {"closest points, box and mesh of 5120 triangles", {mesh, box}, ask_closest},
        {"time of impact, ball on box", {box, ball}, ask_impact},
        {"time of impact, two boxes", {box, box}, ask_impact},
        {"time of impact, rod on box", {box, rod}, ask_impact},
        {"time of impact, ball on mesh of 5120 triangles", {mesh, ball}, ask_impact},
        {"time of impact, box on mesh of 5120 triangles", {mesh, box}, ask_impact},
    };
    if (status == ASH_OK && (box == NULL || rod == NULL))
        status = ashi_out_of_memory(diagnostic);
    for (size_t i = 0; i < sizeof list / sizeof *list && status == ASH_OK; ++i)
        status = time_questions(bench, list[i].name, PAIRS, list[i].ask, &list[i].pair, diagnostic);
    ash_geometry_release(ball);
    ash_geometry_release(box);
    ash_geometry_release(mesh);
    ash_geometry_release(rod);
    return status;
}

json_t *bench_query(uint32_t most, ash_diagnostic *diagnostic)
{
    query_bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL || (bench->rows = json_array()) == NULL) {
        free(bench);
        ashi_out_of_memory(diagnostic);
        return NULL;
    }
    bench->boxes = most < 10000 ? most : 10000;
    while (bench->side * bench->side * bench->side < 8.0 * bench->boxes)
        bench->side += 1;
    ash_status status = ASH_OK;
    for (uint32_t threads = 1; threads <= 2 && status == ASH_OK; ++threads) {
        status = make_world(bench, threads, diagnostic);
        if (status == ASH_OK)
            status = time_batch(bench, threads, diagnostic);
        if (status == ASH_OK && threads == 2)
            status = time_world(bench, diagnostic);
        ash_world_destroy(bench->world);
        bench->world = NULL;
    }
    if (status == ASH_OK)
        status = time_pairs(bench, diagnostic);
    json_t *rows = bench->rows;
    free(bench);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
