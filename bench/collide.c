/* The narrow phase by pair of kinds: what one call of ashi_collide costs on fixed seeded poses, of which about half
 * touch, and beside it libccd's penetration depth of the same convex pairs at its own default tolerance, where it is
 * installed. Pairs without a pair function do not appear. */
#include "bench.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/random.h"
#include "collide/convex.h"
#include "collide/manifold.h"
#include "shape/tessellate.h"

#ifdef BENCH_LIBCCD
#include <ccd/ccd.h>
#endif
#include <stdio.h>

enum { POSES = 256, REPEATS = 5, SAMPLES = 17 };

static double ball(ash_vec3 point, void *user)
{
    (void)user;
    return v3_norm(point) - 0.7;
}

/* One geometry of the kind, about a metre large; null with OK for compounds, which are their parts. */
static ash_status make(ash_geometry_kind kind, ash_geometry **geometry, ash_diagnostic *diagnostic)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    ash_vec3 points[16], corners[5] = {{0.6, 0, 0}, {0.2, 0.55, 0}, {-0.5, 0.35, 0}, {-0.5, -0.35, 0}, {0.2, -0.55, 0}};
    ash_vec3 ends[2] = {{-0.7, 0, 0}, {0.7, 0, 0}};
    double heights[SAMPLES * SAMPLES];
    ashi_tessellation mesh = {0};
    ashi_random random = {5};
    *geometry = NULL;
    switch (kind) {
    case ASH_GEOMETRY_HULL:
        for (int i = 0; i < 16; i++) {
            double z = ashi_random_range(&random, -1, 1), x = ashi_random_range(&random, -1, 1);
            points[i] = v3_scale(v3_unit(v3(x, ashi_random_range(&random, -1, 1), z)), 0.6);
        }
        def.points = points;
        def.point_count = 16;
        break;
    case ASH_GEOMETRY_MESH:
        if (!ashi_mesh_sphere(4, 0.7, &mesh))
            return ashi_out_of_memory(diagnostic);
        def = ashi_tessellation_def(&mesh);
        break;
    case ASH_GEOMETRY_HEIGHT_FIELD:
        for (int i = 0; i < SAMPLES * SAMPLES; i++)
            heights[i] = ashi_random_range(&random, -0.1, 0.1);
        def.cells[0] = def.cells[1] = SAMPLES;
        def.origin = v3(-2, -2, 0);
        def.spacing = v3(0.25, 0.25, 0);
        def.values = heights;
        break;
    case ASH_GEOMETRY_DISTANCE_FIELD:
        def.cells[0] = def.cells[1] = def.cells[2] = SAMPLES;
        def.origin = v3(-1, -1, -1);
        def.spacing = v3(0.125, 0.125, 0.125);
        def.sample_function = ball;
        break;
    case ASH_GEOMETRY_POLYGON:
        def.points = corners;
        def.point_count = 5;
        break;
    case ASH_GEOMETRY_SEGMENT:
        def.points = ends;
        def.point_count = 2;
        break;
    case ASH_GEOMETRY_COMPOUND:
        return ASH_OK;
    default:
        break;
    }
    ash_status status = ash_geometry_create(&def, geometry, diagnostic);
    ashi_tessellation_release(&mesh);
    return status;
}

/* Half the diagonal; a plane or a height field is wide, but what counts of it is near the origin. */
static double reach(const ash_geometry *geometry)
{
    ash_geometry_kind kind = ash_geometry_definition(geometry)->kind;
    if (kind == ASH_GEOMETRY_PLANE || kind == ASH_GEOMETRY_HEIGHT_FIELD)
        return 0;
    ash_bounds bounds = ash_geometry_bounds(geometry, ash_identity());
    return v3_distance(bounds.lower, bounds.upper) / 2;
}

/* From deep to apart; in the plane for flat kinds. */
static void set_poses(const ash_geometry *a, const ash_geometry *b, ash_transform *poses)
{
    ashi_random random = {9};
    double far = reach(a) + reach(b);
    bool flat = ash_geometry_is_flat(a);
    for (int i = 0; i < POSES; i++) {
        ash_vec3 v[3];
        for (int k = 0; k < 3; k++) {
            double x = ashi_random_range(&random, -1, 1), y = ashi_random_range(&random, -1, 1);
            v[k] = v3(x, y, flat ? 0 : ashi_random_range(&random, -1, 1));
        }
        poses[i].position = v3_scale(v3_unit(v[0]), far * ashi_random_range(&random, 0.4, 1));
        ash_vec3 axis = flat ? v3(0, 0, 1) : v[1];
        poses[i].rotation = ash_rotation(axis, ASHI_PI * v[2].x);
    }
}

typedef struct cost {
    double ns;
    uint32_t touching, points;
    uint64_t hash;
} cost;

/* Collides at all poses; what was found goes into the result. */
static bool collide_all(const ash_geometry *a, const ash_geometry *b, const ash_transform *poses,
                        ashi_manifolds *manifolds, cost *result)
{
    *result = (cost){.ns = result->ns, .hash = ASHI_HASH_START};
    for (int i = 0; i < POSES; i++) {
        ashi_pair pair = {.a = a, .b = b, .b_in_a = poses[i], .margin = 0.01};
        manifolds->count = 0;
        if (!ashi_collide(&pair, manifolds))
            return false;
        result->touching += manifolds->count > 0;
        for (uint32_t k = 0; k < manifolds->count; k++) {
            const ashi_manifold *m = &manifolds->data[k];
            result->points += m->count;
            for (uint32_t j = 0; j < m->count; j++)
                result->hash = ashi_hash(result->hash, &m->points[j].on_a, sizeof m->points[j].on_a);
        }
    }
    return true;
}

/* The fastest of a few repeats, without the hash; slow pairs are tried once. */
static ash_status time_pair(const ash_geometry *a, const ash_geometry *b, const ash_transform *poses,
                            ashi_manifolds *manifolds, cost *result, ash_diagnostic *diagnostic)
{
    double started = ashi_seconds();
    if (!collide_all(a, b, poses, manifolds, result))
        return ashi_out_of_memory(diagnostic);
    double first = ashi_seconds() - started;
    result->ns = INFINITY;
    for (int repeat = 0; repeat < (first < 0.05 ? REPEATS : 1); repeat++) {
        started = ashi_seconds();
        for (int i = 0; i < POSES; i++) {
            ashi_pair pair = {.a = a, .b = b, .b_in_a = poses[i], .margin = 0.01};
            manifolds->count = 0;
            if (!ashi_collide(&pair, manifolds))
                return ashi_out_of_memory(diagnostic);
        }
        result->ns = fmin(result->ns, (ashi_seconds() - started) * 1e9 / POSES);
    }
    return ASH_OK;
}

#ifdef BENCH_LIBCCD
typedef struct placed {
    const ash_geometry *geometry;
    ash_transform pose;
} placed;

static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point)
{
    const placed *p = object;
    ash_vec3 d = q_unrotate(p->pose.rotation, v3(direction->v[0], direction->v[1], direction->v[2]));
    ash_vec3 s = t_point(p->pose, ash_geometry_support(p->geometry, d));
    ccdVec3Set(point, s.x, s.y, s.z);
}

static json_t *time_libccd(const ash_geometry *a, const ash_geometry *b, const ash_transform *poses)
{
    if (!ashi_is_convex(a) || !ashi_is_convex(b))
        return json_null();
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.max_iterations = 100;
    double started = ashi_seconds();
    for (int i = 0; i < POSES; i++) {
        placed first = {a, ash_identity()}, second = {b, poses[i]};
        ccd_real_t depth;
        ccd_vec3_t direction, position;
        ccdGJKPenetration(&first, &second, &ccd, &depth, &direction, &position);
    }
    return json_real((ashi_seconds() - started) * 1e9 / POSES);
}
#else
static json_t *time_libccd(const ash_geometry *a, const ash_geometry *b, const ash_transform *poses)
{
    (void)a, (void)b, (void)poses;
    return json_null();
}
#endif

static ash_status add_row(const ash_geometry *a, const ash_geometry *b, ashi_manifolds *manifolds, json_t *rows,
                          ash_diagnostic *diagnostic)
{
    ash_transform poses[POSES];
    cost found = {0};
    char name[64], hash[24];
    if (ash_geometry_is_flat(a) != ash_geometry_is_flat(b) || !ashi_can_collide(a, b))
        return ASH_OK;
    set_poses(a, b, poses);
    ash_status status = time_pair(a, b, poses, manifolds, &found, diagnostic);
    if (status != ASH_OK)
        return status;
    snprintf(name, sizeof name, "%s, %s", ash_geometry_kind_name(ash_geometry_definition(a)->kind),
             ash_geometry_kind_name(ash_geometry_definition(b)->kind));
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)found.hash);
    json_t *row =
        json_pack("{s:s, s:f, s:o, s:I, s:I, s:s}", "pair", name, "ns", found.ns, "libccd ns", time_libccd(a, b, poses),
                  "touching of 256", (json_int_t)found.touching, "points", (json_int_t)found.points, "hash", hash);
    return json_array_append_new(rows, row) == 0 ? ASH_OK : ashi_out_of_memory(diagnostic);
}

json_t *bench_collide(ash_diagnostic *diagnostic)
{
    ash_geometry *geometries[ASH_GEOMETRY_KINDS] = {NULL};
    ashi_manifolds manifolds = {0};
    json_t *rows = json_array();
    ash_status status = rows ? ASH_OK : ashi_out_of_memory(diagnostic);
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS && status == ASH_OK; kind++)
        status = make((ash_geometry_kind)kind, &geometries[kind], diagnostic);
    for (int i = 0; i < ASH_GEOMETRY_KINDS; i++)
        for (int k = i; k < ASH_GEOMETRY_KINDS && status == ASH_OK; k++)
            if (geometries[i] != NULL && geometries[k] != NULL)
                status = add_row(geometries[i], geometries[k], &manifolds, rows, diagnostic);
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++)
        ash_geometry_release(geometries[kind]);
    ashi_array_release(&manifolds);
    if (status == ASH_OK)
        return rows;
    json_decref(rows);
    return NULL;
}
