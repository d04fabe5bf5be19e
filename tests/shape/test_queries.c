/* Support, bounds, rays, distances and shadows of all kinds, each against another way to the same answer. */
#include "check.h"

#include "samples.h"

#include <string.h>

static bool is_convex(ash_geometry_kind kind)
{
    return kind <= ASH_GEOMETRY_HULL;
}

/* Walks along the ray by the distance to the surface, which can never pass it. `rate` is below 1 where the distance is
 * only approximate. Returns the place, or a negative number for a miss or a graze too close to call. */
enum { MISS = -1, GRAZE = -2 };
static double trace(const ash_geometry *geometry, ash_ray ray, double rate)
{
    double t = 0, least = INFINITY;
    for (int step = 0; step < 20000; step++) {
        double gap = ash_geometry_distance(geometry, v3_add_scaled(ray.origin, ray.direction, t));
        if (gap < 1e-11)
            return t;
        least = gap < least ? gap : least;
        t += rate * gap;
        if (t > ray.reach)
            return least < 1e-3 ? GRAZE : MISS;
    }
    return GRAZE;
}

static void check_hit(const ash_geometry *geometry, ash_ray ray, ash_ray_hit hit, double traced, bool exact)
{
    /* The trace stops 1e-11 before the surface: at a slant that is farther along the ray. */
    double slant = fabs(v3_dot(hit.normal, ray.direction));
    if (slant > 1e-3)
        assert_near(hit.t, traced, 1e-10 / slant);
    assert_near(v3_norm(hit.normal), 1, 1e-14);
    assert_true(v3_dot(hit.normal, ray.direction) <= 0);
    assert_near(v3_distance(hit.point, v3_add_scaled(ray.origin, ray.direction, hit.t)), 0, 1e-14);
    assert_near(ash_geometry_distance(geometry, hit.point), 0, 1e-12);
    /* The normal points away from the surface. */
    double off = ash_geometry_distance(geometry, v3_add_scaled(hit.point, hit.normal, 1e-6));
    if (exact)
        assert_near(off, 1e-6, 1e-9);
    else
        assert_true(off > 0);
}

static void test_rays_against_tracing(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        ash_geometry *geometry;
        assert_int_equal(create_sample(kind, &geometry, NULL), ASH_OK);
        bool field = kind == ASH_GEOMETRY_DISTANCE_FIELD, flat = ash_geometry_is_flat(geometry);
        ashi_random random = {(uint64_t)kind + 100};
        int hits = 0, misses = 0, inside = 0;
        for (int n = 0; n < 1500; n++) {
            ash_vec3 from = random_point(&random, v3(-2.5, -2.5, -2.5), v3(2.5, 2.5, 2.5));
            ash_vec3 aim = random_point(&random, v3(-1, -1, -1), v3(1, 1, 1));
            if (n % 8 == 0) /* some from inside */
                from = v3_scale(from, 0.3);
            if (flat)
                from.z = aim.z = 0;
            if (kind == ASH_GEOMETRY_HEIGHT_FIELD) { /* it has no walls: from above, within its outline */
                from = v3(0.25 * from.x, 0.25 * from.y, 3);
                aim = v3(0.5 * aim.x, 0.5 * aim.y, -1);
            }
            ash_ray ray = {from, v3_unit(v3_sub(aim, from)), 6};
            ash_ray_hit hit;
            memset(&hit, 0x55, sizeof hit);
            bool found = ash_geometry_ray(geometry, ray, &hit);
            if (ash_geometry_distance(geometry, from) < 0) {
                inside++;
                assert_true(found);
                assert_near(hit.t, 0, 0);
                assert_near(v3_distance(hit.normal, v3_neg(ray.direction)), 0, 1e-15);
                continue;
            }
            double traced = trace(geometry, ray, field ? 0.3 : 1);
            if (traced == GRAZE)
                continue;
            if (found != (traced >= 0))
                fail_msg("%s: ray %d %s", ash_geometry_kind_name(kind), n, found ? "hits air" : "slips through");
            if (!found) {
                misses++;
                ash_vec3 away = v3_add_scaled(from, ray.direction, 6); /* beyond everything */
                if (v3_norm(away) > 4 && v3_dot(away, ray.direction) > 0 && kind != ASH_GEOMETRY_PLANE)
                    assert_false(ash_geometry_ray(geometry, (ash_ray){away, ray.direction, (double)INFINITY}, NULL));
                continue;
            }
            hits++;
            check_hit(geometry, ray, hit, traced, !field);
            ray.reach = hit.t * (1 - 1e-9); /* t scales with the direction, and reach ends the ray */
            assert_false(ash_geometry_ray(geometry, ray, NULL));
            ash_ray slow = {ray.origin, v3_scale(ray.direction, 0.25), (double)INFINITY};
            ash_ray_hit again;
            assert_true(ash_geometry_ray(geometry, slow, &again));
            assert_near(again.t, 4 * hit.t, 1e-11);
        }
        assert_true(hits > 150);
        assert_true(misses > 50 || kind == ASH_GEOMETRY_PLANE || kind == ASH_GEOMETRY_HEIGHT_FIELD);
        assert_true(inside > 10 || kind == ASH_GEOMETRY_HEIGHT_FIELD);
        ash_geometry_release(geometry);
    }
}

/* From a million metres away the hit is as exact as the origin's coordinates. */
static void test_rays_from_afar(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASH_GEOMETRY_PLANE; kind++) {
        ash_geometry *geometry;
        assert_int_equal(create_sample(kind, &geometry, NULL), ASH_OK);
        ashi_random random = {5};
        for (int n = 0; n < 200; n++) {
            ash_vec3 aim = random_point(&random, v3(-0.2, -0.2, -0.2), v3(0.2, 0.2, 0.2));
            ash_vec3 direction = random_direction(&random);
            ash_ray near = {v3_add_scaled(aim, direction, -4), direction, 8};
            ash_ray far = {v3_add_scaled(aim, direction, -1e6), direction, 2e6};
            ash_ray_hit a, b;
            assert_true(ash_geometry_ray(geometry, near, &a));
            assert_true(ash_geometry_ray(geometry, far, &b));
            assert_near(v3_distance(a.point, b.point), 0, 2e-8);
        }
        ash_geometry_release(geometry);
    }
}

/* Support points lie on the surface, and nothing that rays can hit lies beyond them. */
static void test_support_against_surface_points(void **state)
{
    (void)state;
    enum { POINTS = 20000 };
    static ash_vec3 points[POINTS];
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        if (kind == ASH_GEOMETRY_PLANE)
            continue;
        ash_geometry *geometry;
        assert_int_equal(create_sample(kind, &geometry, NULL), ASH_OK);
        bool flat = ash_geometry_is_flat(geometry), field = kind == ASH_GEOMETRY_DISTANCE_FIELD;
        ashi_random random = {9};
        int count = 0;
        for (int n = 0; n < POINTS; n++) {
            ash_vec3 out = random_direction(&random), aim = random_point(&random, v3(-1, -1, -1), v3(1, 1, 1));
            if (flat)
                out.z = aim.z = 0;
            ash_vec3 from = v3_add_scaled(aim, out, 5);
            ash_ray_hit hit;
            if (ash_geometry_ray(geometry, (ash_ray){from, v3_neg(out), 10}, &hit) && hit.t > 0)
                points[count++] = hit.point;
        }
        assert_true(count > POINTS / 8);
        for (int n = 0; n < 100; n++) {
            ash_vec3 d = random_direction(&random);
            if (flat)
                d = v3_unit(v3(d.x, d.y, 0));
            ash_vec3 support = ash_geometry_support(geometry, v3_scale(d, n % 2 == 0 ? 1e-200 : 7));
            double reach = v3_dot(support, d), farthest = -INFINITY;
            for (int i = 0; i < count; i++)
                farthest = fmax(farthest, v3_dot(points[i], d));
            assert_true(reach >= farthest - 1e-12);
            assert_near(reach, farthest, field ? 0.15 : 0.06); /* random points come only so near */
            if (!field)
                assert_near(ash_geometry_distance(geometry, support), 0, 1e-12);
        }
        ash_geometry_release(geometry);
    }
}

static void test_bounds_at_any_pose(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        if (kind == ASH_GEOMETRY_PLANE)
            continue;
        ash_geometry *geometry;
        assert_int_equal(create_sample(kind, &geometry, NULL), ASH_OK);
        ashi_random random = {21};
        for (int n = 0; n < 30; n++) {
            ash_transform pose = {random_point(&random, v3(-9, -9, -9), v3(9, 9, 9)), random_rotation(&random)};
            ash_bounds box = ash_geometry_bounds(geometry, pose);
            double lower[3] = {box.lower.x, box.lower.y, box.lower.z},
                   upper[3] = {box.upper.x, box.upper.y, box.upper.z};
            for (int axis = 0; axis < 3; axis++) {
                ash_vec3 e = v3(axis == 0, axis == 1, axis == 2), local = q_unrotate(pose.rotation, e);
                ash_vec3 high = t_point(pose, ash_geometry_support(geometry, local));
                ash_vec3 low = t_point(pose, ash_geometry_support(geometry, v3_neg(local)));
                assert_near(upper[axis], v3_dot(e, high), 1e-14 * 20);
                assert_near(lower[axis], v3_dot(e, low), 1e-14 * 20);
            }
            for (int i = 0; i < 200; i++) { /* nothing inside is left out */
                ash_vec3 p = random_point(&random, v3(-1.5, -1.5, -1.5), v3(1.5, 1.5, 1.5));
                if (kind == ASH_GEOMETRY_HEIGHT_FIELD || ash_geometry_distance(geometry, p) > 0)
                    continue;
                if (ash_geometry_is_flat(geometry))
                    p.z = 0;
                ash_vec3 q = t_point(pose, p);
                assert_true(q.x >= box.lower.x - 1e-13 && q.y >= box.lower.y - 1e-13 && q.z >= box.lower.z - 1e-13);
                assert_true(q.x <= box.upper.x + 1e-13 && q.y <= box.upper.y + 1e-13 && q.z <= box.upper.z + 1e-13);
            }
        }
        ash_geometry_release(geometry);
    }
}

static void test_known_bounds(void **state)
{
    (void)state;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CYLINDER);
    def.height = 4;
    ash_geometry *geometry;
    ash_transform lean = {v3(0, 0, 0), ash_rotation(v3(1, 0, 0), ASHI_PI / 4)};
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    ash_bounds box = ash_geometry_bounds(geometry, lean);
    assert_near(box.upper.x, 1, 1e-15);
    assert_near(box.upper.y, 3 / sqrt(2), 1e-14);
    assert_near(box.lower.z, -3 / sqrt(2), 1e-14);
    ash_geometry_release(geometry);
    def.kind = ASH_GEOMETRY_CONE;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    box = ash_geometry_bounds(geometry, lean);
    assert_near(box.upper.z, sqrt(2), 1e-14);
    assert_near(box.lower.z, -3 / sqrt(2), 1e-14);
    assert_near(box.lower.y, -sqrt(2), 1e-14); /* the apex */
    ash_geometry_release(geometry);
}

static void test_plane(void **state)
{
    (void)state;
    ash_geometry *plane;
    assert_int_equal(create_sample(ASH_GEOMETRY_PLANE, &plane, NULL), ASH_OK);
    ash_bounds box = ash_geometry_bounds(plane, (ash_transform){v3(1, 2, 3), {1, 0, 0, 0}});
    assert_near(box.upper.z, 3, 0);
    assert_true(isinf(box.lower.z) && isinf(box.upper.x) && isinf(box.lower.y));
    box = ash_geometry_bounds(plane, (ash_transform){v3(1, 2, 3), ash_rotation(v3(1, 1, 0), 0.3)});
    assert_true(isinf(box.upper.z) && isinf(box.upper.x) && isinf(box.upper.y));
    box = ash_geometry_bounds(plane, (ash_transform){v3(1, 2, 3), {0, 1, 0, 0}}); /* upside down */
    assert_near(box.lower.z, 3, 0);
    ash_vec3 s = ash_geometry_support(plane, v3(0, 0, 2));
    assert_near(v3_norm(s), 0, 0);
    s = ash_geometry_support(plane, v3(1, 0, -1));
    assert_true(isinf(s.x) && s.x > 0 && s.y == 0 && isinf(s.z) && s.z < 0);
    assert_near(ash_geometry_projected_area(plane, v3(0, 0, 1)), 0, 0);
    ash_geometry_release(plane);
}

/* The shadow of a convex solid is the polygon of its support points across the direction. */
static void test_shadows(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        if (!is_convex(kind))
            continue;
        ash_geometry *geometry;
        assert_int_equal(create_sample(kind, &geometry, NULL), ASH_OK);
        ashi_random random = {33};
        for (int n = 0; n < 12; n++) {
            ash_vec3 u = n == 0 ? v3(0, 0, 1) : n == 1 ? v3(1, 0, 0) : random_direction(&random);
            ash_vec3 v = v3_perpendicular(u), w = v3_cross(u, v), first = v3(0, 0, 0), last = first;
            const int sides = 4000;
            double area = 0;
            for (int i = 0; i < sides; i++) {
                double angle = 2 * ASHI_PI * (i + 0.37) / sides;
                ash_vec3 d = v3_add_scaled(v3_scale(v, cos(angle)), w, sin(angle));
                ash_vec3 p = ash_geometry_support(geometry, d);
                if (i == 0)
                    first = p;
                else if (i > 1)
                    area += v3_dot(u, v3_cross(v3_sub(last, first), v3_sub(p, first))) / 2;
                last = p;
            }
            assert_near(ash_geometry_projected_area(geometry, v3_scale(u, 3)), area, 1e-5 * area);
        }
        ash_geometry_release(geometry);
    }
}

/* A solid that is not convex counts what overlaps more than once; the sum over its parts is exact. */
static void test_shadows_of_many(void **state)
{
    (void)state;
    ash_geometry *compound, *cylinder, *hull;
    assert_int_equal(create_sample(ASH_GEOMETRY_COMPOUND, &compound, NULL), ASH_OK);
    assert_int_equal(create_sample(ASH_GEOMETRY_CYLINDER, &cylinder, NULL), ASH_OK);
    assert_int_equal(create_sample(ASH_GEOMETRY_HULL, &hull, NULL), ASH_OK);
    ash_vec3 u = v3(0.3, -0.5, 0.8);
    ash_vec3 turned = q_unrotate(q_unit((ash_quat){1, 0.3, -0.2, 0.5}), u);
    double sum = ash_geometry_projected_area(cylinder, turned) + ash_geometry_projected_area(hull, u);
    assert_near(ash_geometry_projected_area(compound, u), sum, 1e-14);
    ash_geometry_release(compound);
    ash_geometry_release(cylinder);
    ash_geometry_release(hull);
}

/* Queries are called in steps: they allocate nothing. */
static void test_queries_do_not_allocate(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        ash_geometry *geometry;
        ash_mass_properties mass;
        ash_ray_hit hit;
        assert_int_equal(create_sample(kind, &geometry, NULL), ASH_OK);
        uint64_t before = ash_memory_used().allocations;
        ash_geometry_bounds(geometry, ash_identity());
        ash_geometry_support(geometry, v3(1, 2, 3));
        ash_geometry_ray(geometry, (ash_ray){{3, 3, 3}, {-1, -1, -1}, 9}, &hit);
        ash_geometry_distance(geometry, v3(1, 2, 3));
        ash_geometry_projected_area(geometry, v3(1, 2, 3));
        ash_geometry_mass(geometry, 1, &mass, NULL);
        assert_int_equal(ash_memory_used().allocations, before);
        ash_geometry_release(geometry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays_against_tracing),
        cmocka_unit_test(test_rays_from_afar),
        cmocka_unit_test(test_support_against_surface_points),
        cmocka_unit_test(test_bounds_at_any_pose),
        cmocka_unit_test(test_known_bounds),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_shadows),
        cmocka_unit_test(test_shadows_of_many),
        cmocka_unit_test(test_queries_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
