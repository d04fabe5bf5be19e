/* The distance of an ellipsoid, which must stay exact however flat or long it is, and on its planes of symmetry. */
#include "check.h"

#include "samples.h"

static ash_geometry *ellipsoid(ash_vec3 axes)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_ELLIPSOID);
    def.half_extents = axes;
    ash_geometry *geometry;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    return geometry;
}

/* A point moved off a convex surface along its normal is just that far away. */
static void test_outside(void **state)
{
    (void)state;
    static const double ratios[] = {1, 1 - 1e-15, 0.5, 1e-1, 1e-3, 1e-6, 1e-9, 1e-12};
    ashi_random random = {1};
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++)
        for (int order = 0; order < 6; order++) {
            double a[3] = {1, order % 2 == 0 ? 0.8 : ratios[r], ratios[r]};
            ash_vec3 axes = v3(a[order % 3], a[(order + 1) % 3], a[(order + 2) % 3]);
            ash_geometry *geometry = ellipsoid(axes);
            for (int n = 0; n < 300; n++) {
                ash_vec3 u = random_direction(&random);
                if (n % 7 == 0)
                    u = v3_unit(v3(u.x, 0, u.z));
                if (n % 11 == 0)
                    u = v3_unit(v3(u.x, u.y, 0));
                ash_vec3 surface = v3_mul(axes, u);
                ash_vec3 normal = v3_unit(v3(u.x / axes.x, u.y / axes.y, u.z / axes.z));
                double height = pow(10, ashi_random_range(&random, -6, 3));
                double found = ash_geometry_distance(geometry, v3_add_scaled(surface, normal, height));
                /* The point itself is rounded to about 1e-16 of the ellipsoid. */
                assert_near(found, height, 4e-15 * (1 + height));
            }
            ash_geometry_release(geometry);
        }
}

/* The least distance over a net of latitudes and longitudes, then over ever smaller nets around the best so far. */
static double least_over_surface(ash_vec3 axes, ash_vec3 p)
{
    double latitude = ASHI_PI / 2, longitude = ASHI_PI, window = ASHI_PI, least = INFINITY;
    for (int level = 0; level < 12; level++, window /= level == 1 ? 40 : 4) {
        const int net = level == 0 ? 300 : 16;
        double best_latitude = latitude, best_longitude = longitude;
        for (int i = -net; i <= net; i++)
            for (int j = -net; j <= net; j++) {
                double a = latitude + window * i / net, b = longitude + window * j / net;
                ash_vec3 u = v3(sin(a) * cos(b), sin(a) * sin(b), cos(a));
                double gap = v3_distance(p, v3_mul(axes, u));
                if (gap < least) {
                    least = gap;
                    best_latitude = a;
                    best_longitude = b;
                }
            }
        latitude = best_latitude;
        longitude = best_longitude;
    }
    return least;
}

/* Inside: against a search over the surface. */
static void test_inside(void **state)
{
    (void)state;
    static const ash_vec3 shapes[] = {{1, 0.7, 0.4}, {0.5, 0.5, 1}, {1, 1, 0.05}, {0.2, 1, 0.2}, {1, 1, 1}};
    ashi_random random = {2};
    for (int s = 0; s < 5; s++) {
        ash_geometry *geometry = ellipsoid(shapes[s]);
        for (int n = 0; n < 12; n++) {
            double shrink = ashi_random_range(&random, 0, 0.95);
            ash_vec3 p = v3_scale(v3_mul(shapes[s], random_direction(&random)), shrink);
            if (n == 0)
                p = v3(0, 0, 0);
            if (n % 4 == 1)
                p.x = 0;
            if (n % 4 == 2)
                p.z = 0;
            if (n % 4 == 3)
                p.y = 1e-300;
            double least = least_over_surface(shapes[s], p);
            double found = ash_geometry_distance(geometry, p);
            assert_near(-found, least, 1e-9);
        }
        ash_geometry_release(geometry);
    }
}

static void test_special_points(void **state)
{
    (void)state;
    ash_geometry *flat = ellipsoid(v3(1, 1, 1e-8)), *ball = ellipsoid(v3(2, 2, 2));
    assert_near(ash_geometry_distance(flat, v3(0, 0, 0)), -1e-8, 1e-22);
    assert_near(ash_geometry_distance(flat, v3(0.5, 0, 0)), -1e-8 * sqrt(0.75), 1e-15 * 1e-8);
    assert_near(ash_geometry_distance(flat, v3(0, 0, 1)), 1 - 1e-8, 1e-16);
    assert_near(ash_geometry_distance(flat, v3(3, 0, 0)), 2, 1e-15);
    assert_near(ash_geometry_distance(flat, v3(1, 0, 0)), 0, 0);
    assert_near(ash_geometry_distance(ball, v3(0, 0, 0)), -2, 0);
    assert_near(ash_geometry_distance(ball, v3(0, 1e-320, 0)), -2, 0);
    assert_near(ash_geometry_distance(ball, v3(1e9, 0, 0)), 1e9 - 2, 1e-6);
    ash_geometry_release(flat);
    ash_geometry_release(ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_special_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
