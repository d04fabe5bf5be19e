/* Manifolds of round and curved pairs and of convex kinds on a plane: the closed forms against the generic path, points
 * on both surfaces, mirrored order, and the number of points where flat parts meet. */
#include "check.h"

#include "collide/manifold.h"
#include "convexes.h"

static ashi_manifolds found;

static int release_found(void **state)
{
    (void)state;
    ashi_array_release(&found);
    return 0;
}

/* Collides and returns the only manifold, or null for none. */
static const ashi_manifold *collide(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double margin)
{
    found.count = 0;
    ashi_pair pair = {.a = a, .b = b, .b_in_a = b_in_a, .margin = margin};
    assert_true(ashi_collide(&pair, &found));
    assert_true(found.count <= 1);
    return found.count == 1 ? &found.data[0] : NULL;
}

static double deepest_of(const ashi_manifold *m)
{
    double deepest = -INFINITY;
    for (uint32_t i = 0; i < m->count; i++)
        deepest = fmax(deepest, m->points[i].depth);
    return deepest;
}

static double distance_from(const ash_geometry *geometry, ash_transform pose, ash_vec3 point)
{
    return ash_geometry_distance(geometry, t_point_inverse(pose, point));
}

/* Every point lies on both surfaces (on b's within `loose`), and the deepest is as deep as the pair along the normal.
 */
static void check_points(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, const ashi_manifold *m,
                         double margin, double loose)
{
    assert_in_range(m->count, 1, ASHI_MANIFOLD_POINTS);
    assert_near(v3_norm(m->normal), 1, 1e-14);
    double along = overlap_along(a, b, b_in_a, m->normal);
    assert_near(deepest_of(m), along, 1e-8);
    for (uint32_t i = 0; i < m->count; i++) {
        const ashi_manifold_point *p = &m->points[i];
        assert_true(p->depth >= -margin && p->feature != 0);
        assert_near(ash_geometry_distance(a, p->on_a), 0, 1e-9);
        assert_near(distance_from(b, b_in_a, v3_add_scaled(p->on_a, m->normal, -p->depth)), 0, loose);
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(p->feature, m->points[k].feature);
    }
}

/* Lines side by side may pass each other by a little (overlay.c). */
#define LINES 4e-3

static bool is_mine(uint32_t i, uint32_t k)
{
    bool polyhedra =
        (i == ASH_GEOMETRY_BOX || i == ASH_GEOMETRY_HULL) && (k == ASH_GEOMETRY_BOX || k == ASH_GEOMETRY_HULL);
    return !polyhedra;
}

static void test_pairs_against_separation(void **state)
{
    (void)state;
    convex_pool pool = make_pool(2);
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (uint32_t k = i; k < CONVEX_KINDS; k++) {
            ashi_random random = {i * 100 + k};
            for (int n = 0; n < TRIALS(3000) && is_mine(i, k); n++) {
                const ash_geometry *a = pool.of[i][ashi_random_below(&random, POOL)];
                const ash_geometry *b = pool.of[k][ashi_random_below(&random, POOL)];
                ash_transform pose = random_pose(&random, a, b);
                double margin = 0.1;
                ashi_separation s = separate(a, b, pose);
                const ashi_manifold *m = collide(a, b, pose, margin);
                if (fabs(s.distance - margin) > 1e-9)
                    assert_int_equal(m != NULL, s.distance < margin);
                if (m == NULL)
                    continue;
                assert_near(deepest_of(m), -s.distance, 1e-8);
                check_points(a, b, pose, m, margin, LINES);
            }
        }
    release_pool(&pool);
}

static ash_geometry *make(ash_geometry_kind kind, double radius, double height, ash_vec3 half_extents)
{
    ash_geometry_def def = ash_default_geometry_def(kind);
    def.radius = radius;
    def.height = height;
    def.half_extents = half_extents;
    ash_geometry *geometry = NULL;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    return geometry;
}

static ash_transform at(double x, double y, double z, ash_vec3 axis, double angle)
{
    return (ash_transform){v3(x, y, z), ash_rotation(axis, angle)};
}

/* Checks a pair in both orders: number of points, normal and common depth; all points span at least `area`. */
static void check_flat(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, uint32_t count,
                       ash_vec3 normal, double depth, double span)
{
    for (int order = 0; order < 2; order++) {
        const ashi_manifold *m = order == 0 ? collide(a, b, b_in_a, 0.01) : collide(b, a, t_inverse(b_in_a), 0.01);
        assert_non_null(m);
        assert_int_equal(m->count, count);
        ash_vec3 n = order == 0 ? m->normal : v3_neg(q_rotate(b_in_a.rotation, m->normal));
        assert_near(v3_distance(n, normal), 0, 1e-9);
        double widest = 0;
        for (uint32_t i = 0; i < count; i++) {
            assert_near(m->points[i].depth, depth, 1e-9);
            for (uint32_t k = 0; k < i; k++)
                widest = fmax(widest, v3_distance(m->points[i].on_a, m->points[k].on_a));
        }
        assert_near(widest, span, 1e-6);
    }
}

static void test_flat_parts(void **state)
{
    (void)state;
    ash_geometry *box = make(ASH_GEOMETRY_BOX, 0, 0, v3(1, 1, 0.5)),
                 *plane = make(ASH_GEOMETRY_PLANE, 0, 0, v3(1, 1, 1));
    ash_geometry *cylinder = make(ASH_GEOMETRY_CYLINDER, 0.4, 1, v3(1, 1, 1));
    ash_geometry *cone = make(ASH_GEOMETRY_CONE, 0.4, 1, v3(1, 1, 1));
    ash_geometry *capsule = make(ASH_GEOMETRY_CAPSULE, 0.3, 1, v3(1, 1, 1));
    ash_vec3 z = v3(0, 0, 1), x = v3(1, 0, 0);
    double quarter = ASHI_PI / 2, slope = ashi_atan2(0.4, 1);
    /* On a box's top, and on a plane. */
    check_flat(box, cylinder, at(0.1, 0.2, 0.99, z, 0.3), 4, z, 0.01, 0.8);
    check_flat(box, cylinder, at(0.1, 0, 0.89, x, quarter), 2, z, 0.01, 1);
    check_flat(box, cone, at(0.1, 0.2, 0.99, z, 0.3), 4, z, 0.01, 0.8);
    check_flat(box, capsule, at(0.1, 0, 0.79, x, quarter), 2, z, 0.01, 1);
    check_flat(box, capsule, at(0.1, 0, 1.29, x, 0), 1, z, 0.01, 0);
    check_flat(cylinder, plane, at(0, 0, -0.49, z, 0), 4, v3(0, 0, -1), 0.01, 0.8);
    check_flat(cylinder, plane, at(0, 0.39, 0, x, quarter), 2, v3(0, 1, 0), 0.01, 1);
    check_flat(cone, plane, at(0, 0, -0.49, z, 0.7), 4, v3(0, 0, -1), 0.01, 0.8);
    check_flat(box, plane, at(0, 0, -0.49, z, 0), 4, v3(0, 0, -1), 0.01, sqrt(8));
    check_flat(capsule, plane, at(0, 0.29, 0, x, quarter), 2, v3(0, 1, 0), 0.01, 1);
    /* A cone on its side. */
    ash_transform side = {v3(0, 0, 0), ash_rotation(x, quarter + slope)};
    side.position = v3_scale(q_rotate(side.rotation, z), -(0.5 * ashi_sin(slope) - 0.01));
    const ashi_manifold *lying = collide(cone, plane, side, 0.01);
    assert_non_null(lying);
    assert_int_equal(lying->count, 2);
    /* Two side by side, cap on cap, and across. */
    check_flat(cylinder, cylinder, at(0.79, 0, 0.2, z, 0.3), 2, x, 0.01, 0.8);
    check_flat(cylinder, cylinder, at(0, 0, 0.99, z, 0), 4, z, 0.01, 0.8);
    check_flat(cylinder, cylinder, at(0, 0.79, 0, v3(0, 1, 0), quarter), 1, v3(0, 1, 0), 0.01, 0);
    check_flat(capsule, capsule, at(0.59, 0, 0.25, x, 0), 2, x, 0.01, 0.75);
    check_flat(capsule, capsule, at(0, 0.59, 0, v3(0, 1, 0), quarter), 1, v3(0, 1, 0), 0.01, 0);
    check_flat(capsule, cylinder, at(0.69, 0, 0.25, x, 0), 2, x, 0.01, 0.75);
    ash_geometry *all[] = {box, plane, cylinder, cone, capsule};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ash_geometry_release(all[i]);
}

/* On a plane the depth is that of the lowest point, and every point lies on the surface. */
static void test_planes(void **state)
{
    (void)state;
    convex_pool pool = make_pool(3);
    ash_geometry *plane = make(ASH_GEOMETRY_PLANE, 0, 0, v3(1, 1, 1));
    ashi_random random = {5};
    for (int n = 0; n < TRIALS(100000); n++) {
        const ash_geometry *a = pool.of[ashi_random_below(&random, CONVEX_KINDS)][ashi_random_below(&random, POOL)];
        ash_transform pose = {v3_scale(random_vector(&random), 1.5), random_rotation(&random)};
        ash_vec3 up = q_rotate(pose.rotation, v3(0, 0, 1)), lowest = ash_geometry_support(a, v3_neg(up));
        double depth = v3_dot(up, v3_sub(pose.position, lowest)), margin = 0.1;
        const ashi_manifold *m = collide(a, plane, pose, margin);
        if (fabs(depth + margin) > 1e-12)
            assert_int_equal(m != NULL, depth > -margin);
        if (m == NULL)
            continue;
        assert_near(v3_distance(m->normal, v3_neg(up)), 0, 1e-14);
        assert_near(deepest_of(m), depth, 1e-8);
        for (uint32_t i = 0; i < m->count; i++) {
            assert_near(ash_geometry_distance(a, m->points[i].on_a), 0, 1e-12);
            assert_near(v3_dot(up, v3_sub(pose.position, m->points[i].on_a)), m->points[i].depth, 1e-12);
        }
    }
    ash_geometry_release(plane);
    release_pool(&pool);
}

/* Finite input of any size gives finite points. */
static void test_extremes(void **state)
{
    (void)state;
    ashi_random random = {6};
    ash_geometry *plane = make(ASH_GEOMETRY_PLANE, 0, 0, v3(1, 1, 1));
    for (int n = 0; n < TRIALS(40000); n++) {
        double sizes[5];
        for (int i = 0; i < 5; i++)
            sizes[i] = ashi_exp(ashi_random_range(&random, i < 2 ? -4 : -300, i < 2 ? 4 : 300) * ashi_ln(10.0));
        ash_geometry *a = random_convex(&random, ashi_random_below(&random, CONVEX_KINDS), sizes[0]);
        ash_geometry *b = n % 8 == 0 ? ash_geometry_retain(plane)
                                     : random_convex(&random, ashi_random_below(&random, CONVEX_KINDS), sizes[1]);
        ash_transform pose = {v3(sizes[2], n % 3 == 0 ? 0 : -sizes[3], n % 5 == 0 ? 0 : sizes[4]),
                              n % 7 == 0 ? q_identity() : random_rotation(&random)};
        if (n % 2 == 0)
            pose.position = v3_scale(random_vector(&random), sizes[0] + sizes[1]);
        const ashi_manifold *m = collide(a, b, pose, n % 4 == 0 ? 0 : 1e-3);
        for (uint32_t i = 0; m != NULL && i < m->count; i++)
            assert_true(v3_is_finite(m->points[i].on_a) && isfinite(m->points[i].depth));
        if (m != NULL)
            assert_near(v3_norm(m->normal), 1, 1e-14);
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
    ash_geometry_release(plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_against_separation),
        cmocka_unit_test(test_flat_parts),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, release_found);
}
