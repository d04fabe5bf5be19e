/* Random convex geometries and poses for the tests of convex pairs, and the certificates that judge a separation. */
#ifndef TESTS_COLLIDE_CONVEXES_H
#define TESTS_COLLIDE_CONVEXES_H

#include "base/random.h"
#include "check.h"
#include "collide/convex/minkowski.h"
#include "math/transform.h"
#include "shape/geometry.h"

enum { CONVEX_KINDS = ASH_GEOMETRY_HULL + 1, POOL = 8 };

/* Sanitizers are slow: fewer rounds under them. */

static inline ash_vec3 random_vector(ashi_random *random)
{
    double x = ashi_random_range(random, -1, 1), y = ashi_random_range(random, -1, 1);
    return v3(x, y, ashi_random_range(random, -1, 1));
}

static inline ash_vec3 random_direction(ashi_random *random)
{
    while (true) {
        ash_vec3 v = random_vector(random);
        if (v3_norm2(v) < 1 && v3_norm2(v) > 0.01)
            return v3_unit(v);
    }
}

static inline ash_quat random_rotation(ashi_random *random)
{
    while (true) {
        ash_vec3 v = random_vector(random);
        ash_quat q = {ashi_random_range(random, -1, 1), v.x, v.y, v.z};
        if (q_norm2(q) < 1 && q_norm2(q) > 0.01)
            return q_unit(q);
    }
}

/* A geometry of the kind with sizes from 0.2 to 1.2 times `size`. */
static inline ash_geometry *random_convex(ashi_random *random, ash_geometry_kind kind, double size)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    ash_vec3 points[24];
    def.radius = size * ashi_random_range(random, 0.2, 1.2);
    def.height = size * ashi_random_range(random, 0.2, 1.2);
    double x = ashi_random_range(random, 0.2, 1.2), y = ashi_random_range(random, 0.2, 1.2);
    def.half_extents = v3_scale(v3(x, y, ashi_random_range(random, 0.2, 1.2)), size);
    if (kind == ASH_GEOMETRY_HULL) {
        def.points = points;
        def.point_count = 5 + ashi_random_below(random, 20);
        for (uint32_t i = 0; i < def.point_count; i++)
            points[i] = v3_mul(def.half_extents, random_direction(random));
    }
    ash_geometry *geometry = NULL;
    ash_status status = ash_geometry_create(&def, &geometry, NULL);
    assert_int_equal(status, ASH_OK);
    return geometry;
}

/* A few of every kind. */
typedef struct convex_pool {
    ash_geometry *of[CONVEX_KINDS][POOL];
} convex_pool;

static inline convex_pool make_pool(uint64_t seed)
{
    convex_pool pool;
    ashi_random random = {seed};
    for (uint32_t kind = 0; kind < CONVEX_KINDS; kind++)
        for (uint32_t i = 0; i < POOL; i++)
            pool.of[kind][i] = random_convex(&random, kind, 1);
    return pool;
}

static inline void release_pool(convex_pool *pool)
{
    for (uint32_t kind = 0; kind < CONVEX_KINDS; kind++)
        for (uint32_t i = 0; i < POOL; i++)
            ash_geometry_release(pool->of[kind][i]);
}

/* The radius of a ball around the origin that holds the geometry. */
static inline double reach_of(const ash_geometry *geometry)
{
    ash_bounds b = ash_geometry_bounds(geometry, ash_identity());
    return v3_norm(v3_max(v3_abs(b.lower), v3_abs(b.upper)));
}

/* A pose of b beside a: from concentric to apart. */
static inline ash_transform random_pose(ashi_random *random, const ash_geometry *a, const ash_geometry *b)
{
    double far = (reach_of(a) + reach_of(b)) * ashi_random_range(random, 0, 1.2);
    return (ash_transform){v3_scale(random_direction(random), far), random_rotation(random)};
}

/* How far moving b along the unit vector n parts the two: an upper bound of the depth, minus a lower bound of the
 * distance, whatever n is. */
static inline double overlap_along(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, ash_vec3 n)
{
    ash_vec3 on_a = ash_geometry_support(a, n);
    ash_vec3 on_b = t_point(b_in_a, ash_geometry_support(b, q_unrotate(b_in_a.rotation, v3_neg(n))));
    return v3_dot(n, on_a) - v3_dot(n, on_b);
}

static inline ashi_separation separate(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a)
{
    ashi_convex core_a = ashi_convex_of(a), core_b = ashi_convex_of(b);
    return ashi_convex_separation(&core_a, &core_b, b_in_a, NULL);
}

#endif
