/* Vectors: products against their definitions, unit vectors of any size, perpendiculars. */
#include "check.h"

#include "base/random.h"
#include "math/vec3.h"

static ash_vec3 any_vector(ashi_random *random)
{
    return v3(ashi_random_range(random, -2, 2), ashi_random_range(random, -2, 2), ashi_random_range(random, -2, 2));
}

static void assert_vector(ash_vec3 a, ash_vec3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

static void test_by_hand(void **state)
{
    (void)state;
    ash_vec3 a = v3(1, -2, 3), b = v3(4, 5, -6);
    assert_vector(v3_add(a, b), v3(5, 3, -3), 0);
    assert_vector(v3_sub(a, b), v3(-3, -7, 9), 0);
    assert_vector(v3_neg(a), v3(-1, 2, -3), 0);
    assert_vector(v3_scale(a, -2), v3(-2, 4, -6), 0);
    assert_vector(v3_add_scaled(a, b, 2), v3(9, 8, -9), 0);
    assert_vector(v3_mul(a, b), v3(4, -10, -18), 0);
    assert_near(v3_dot(a, b), -24, 0);
    assert_vector(v3_cross(a, b), v3(-3, 18, 13), 0);
    assert_near(v3_norm2(a), 14, 0);
    assert_near(v3_norm(v3(3, 4, 12)), 13, 0);
    assert_near(v3_distance(a, b), sqrt(139), 1e-14);
    assert_vector(v3_min(a, b), v3(1, -2, -6), 0);
    assert_vector(v3_max(a, b), v3(4, 5, 3), 0);
    assert_vector(v3_abs(a), v3(1, 2, 3), 0);
    assert_near(v3_max_component(v3(1, 2, 3)), 3, 0);
    assert_near(v3_max_component(v3(1, 3, 2)), 3, 0);
    assert_near(v3_max_component(v3(3, 1, 2)), 3, 0);
    assert_vector(v3_cross(v3(1, 0, 0), v3(0, 1, 0)), v3(0, 0, 1), 0);
}

static void test_identities(void **state)
{
    (void)state;
    ashi_random random = {1};
    for (int i = 0; i < 1000; i++) {
        ash_vec3 a = any_vector(&random), b = any_vector(&random), c = any_vector(&random);
        assert_near(v3_dot(v3_cross(a, b), a), 0, 1e-14);
        /* a x (b x c) = b (a.c) - c (a.b) */
        ash_vec3 right = v3_sub(v3_scale(b, v3_dot(a, c)), v3_scale(c, v3_dot(a, b)));
        assert_vector(v3_cross(a, v3_cross(b, c)), right, 1e-13);
        double lagrange = v3_norm2(a) * v3_norm2(b) - v3_dot(a, b) * v3_dot(a, b);
        assert_near(v3_norm2(v3_cross(a, b)), lagrange, 1e-13);
    }
}

static void test_unit_vectors_of_any_size(void **state)
{
    (void)state;
    ashi_random random = {2};
    double sizes[] = {1, 1e-100, 1e100, 1e-160, 1e160, 1e-300, 1e300};
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 7; j++) {
            ash_vec3 a = any_vector(&random), u = v3_unit(v3_scale(a, sizes[j]));
            assert_near(v3_norm(u), 1, 4e-16);
            assert_vector(u, v3_scale(a, 1 / v3_norm(a)), 1e-15);
        }
    assert_vector(v3_unit(v3(0, 5e-324, 0)), v3(0, 1, 0), 0);
    assert_vector(v3_unit(v3(0, 0, 0)), v3(0, 0, 0), 0);
    assert_false(v3_is_finite(v3_unit(v3((double)NAN, 1, 0)))); /* a NaN is not hidden */
    assert_false(v3_is_finite(v3_unit(v3(0, HUGE_VAL, 0))));
}

static void test_perpendicular(void **state)
{
    (void)state;
    ashi_random random = {3};
    for (int i = 0; i < 1000; i++) {
        ash_vec3 a = v3_unit(any_vector(&random)), p = v3_perpendicular(a);
        assert_near(v3_dot(a, p), 0, 1e-15);
        assert_near(v3_norm(p), 1, 1e-15);
    }
    ash_vec3 axes[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                       {-1, 0, 0}, {0, 0, -1}, {1 / sqrt(3), 1 / sqrt(3), 1 / sqrt(3)}};
    for (int i = 0; i < 6; i++) {
        assert_near(v3_dot(axes[i], v3_perpendicular(axes[i])), 0, 1e-15);
        assert_near(v3_norm(v3_perpendicular(axes[i])), 1, 1e-15);
    }
}

static void test_finite(void **state)
{
    (void)state;
    assert_true(v3_is_finite(v3(1, 2, 3)));
    assert_false(v3_is_finite(v3((double)NAN, 2, 3)));
    assert_false(v3_is_finite(v3(1, HUGE_VAL, 3)));
    assert_false(v3_is_finite(v3(1, 2, -HUGE_VAL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_unit_vectors_of_any_size),
        cmocka_unit_test(test_perpendicular),
        cmocka_unit_test(test_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
