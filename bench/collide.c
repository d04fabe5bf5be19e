/* The narrow phase by pair of kinds: what one call of ashi_collide costs on fixed seeded poses, of which about half
 * touch, and beside it, where they are installed, Bullet's for the same pairs and libccd's penetration depth of the
 * convex ones at its own default tolerance. Pairs without a pair function do not appear. Times are of the processor. */
#include "bench.h"

#include "base/diagnostic.h"
#include "base/hash.h"
#include "base/random.h"
#include "collide/convex/convex.h"
#include "collide/manifold.h"
#include "shape/tessellate.h"

#ifdef BENCH_BULLET
#include "bullet_narrow.h"
#endif
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
    ash_geometry_kind kind = ash_geometry_get_definition(geometry)->kind;
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

/* Something that is timed: collides two geometries at a pose and returns the number of points; -1 when out of memory.
 */
typedef int (*collide_once)(void *with, const ash_transform *b_in_a);

typedef struct cost {
    double ns; /* NAN when out of memory */
    uint32_t touching, points;
} cost;

/* All poses, the fastest of a few repeats; slow pairs are tried once. */
static cost time_poses(collide_once collide, void *with, const ash_transform *poses)
{
    cost result = {.ns = INFINITY};
    int repeats = REPEATS;
    for (int repeat = 0; repeat <= repeats; repeat++) {
        double started = bench_processor_seconds();
        result.touching = result.points = 0;
        for (int i = 0; i < POSES; i++) {
            int points = collide(with, &poses[i]);
            if (points < 0)
                return (cost){.ns = (double)NAN};
            result.touching += points > 0;
            result.points += (uint32_t)points;
        }
        double seconds = bench_processor_seconds() - started;
        repeats = seconds < 0.05 ? repeats : 0;
        if (repeat > 0 || repeats == 0) /* the first only warms up */
            result.ns = fmin(result.ns, seconds * 1e9 / POSES);
    }
    return result;
}

typedef struct subject {
    const ash_geometry *a, *b;
    ashi_manifolds *manifolds;
} subject;

static int collide_ours(void *with, const ash_transform *b_in_a)
{
    const subject *s = with;
    ashi_pair pair = {.a = s->a, .b = s->b, .b_in_a = *b_in_a, .margin = 0.01};
    s->manifolds->count = 0;
    if (!ashi_collide(&pair, s->manifolds))
        return -1;
    uint32_t points = 0;
    for (uint32_t k = 0; k < s->manifolds->count; k++)
        points += s->manifolds->data[k].count;
    return (int)points;
}

static uint64_t hash_of_points(subject *s, const ash_transform *poses)
{
    uint64_t hash = ASHI_HASH_START;
    for (int i = 0; i < POSES; i++) {
        collide_ours(s, &poses[i]);
        for (uint32_t k = 0; k < s->manifolds->count; k++) {
            const ashi_manifold *m = &s->manifolds->data[k];
            for (uint32_t j = 0; j < m->count; j++)
                hash = ashi_hash(hash, &m->points[j].on_a, sizeof m->points[j].on_a);
        }
    }
    return hash;
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

static int collide_libccd(void *with, const ash_transform *b_in_a)
{
    const subject *s = with;
    placed first = {s->a, ash_identity()}, second = {s->b, *b_in_a};
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.max_iterations = 100;
    ccd_real_t depth;
    ccd_vec3_t direction, position;
    return ccdGJKPenetration(&first, &second, &ccd, &depth, &direction, &position) == 0;
}
#endif

static void add_libccd(json_t *row, subject *s, const ash_transform *poses)
{
    json_t *ns = NULL;
#ifdef BENCH_LIBCCD
    if (ashi_is_convex(s->a) && ashi_is_convex(s->b))
        ns = json_real(time_poses(collide_libccd, s, poses).ns);
#else
    (void)s, (void)poses;
#endif
    json_object_set_new(row, "libccd ns", ns ? ns : json_null());
}

#ifdef BENCH_BULLET
static int collide_bullet(void *with, const ash_transform *b_in_a)
{
    return (int)bullet_narrow_collide(with, b_in_a);
}
#endif

/* Bullet's time, and how many poses it finds touching, and its points: to see whether it does the same work. */
static void add_bullet(json_t *row, const subject *s, const ash_transform *poses)
{
    json_t *ns = NULL, *touching = NULL, *points = NULL;
#ifdef BENCH_BULLET
    bullet_narrow *narrow = bullet_narrow_create(s->a, s->b);
    if (narrow) {
        cost found = time_poses(collide_bullet, narrow, poses);
        ns = json_real(found.ns);
        touching = json_integer(found.touching);
        points = json_integer(found.points);
    }
    bullet_narrow_destroy(narrow);
#else
    (void)s, (void)poses;
#endif
    json_object_set_new(row, "Bullet ns", ns ? ns : json_null());
    json_object_set_new(row, "Bullet touching", touching ? touching : json_null());
    json_object_set_new(row, "Bullet points", points ? points : json_null());
}

static ash_status add_row(const ash_geometry *a, const ash_geometry *b, ashi_manifolds *manifolds, json_t *rows,
                          ash_diagnostic *diagnostic)
{
    ash_transform poses[POSES];
    char name[64], hash[24];
    if (ash_geometry_is_flat(a) != ash_geometry_is_flat(b) || !ashi_can_collide(a, b))
        return ASH_OK;
    set_poses(a, b, poses);
    subject s = {a, b, manifolds};
    cost found = time_poses(collide_ours, &s, poses);
    if (isnan(found.ns))
        return ashi_out_of_memory(diagnostic);
    snprintf(name, sizeof name, "%s, %s", ash_geometry_kind_name(ash_geometry_get_definition(a)->kind),
             ash_geometry_kind_name(ash_geometry_get_definition(b)->kind));
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)hash_of_points(&s, poses));
    json_t *row = json_pack("{s:s, s:f, s:I, s:I}", "pair", name, "ns", found.ns, "touching of 256",
                            (json_int_t)found.touching, "points", (json_int_t)found.points);
    if (row) {
        add_bullet(row, &s, poses);
        add_libccd(row, &s, poses);
        json_object_set_new(row, "hash", json_string(hash));
    }
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
