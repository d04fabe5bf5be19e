/* Principal values and axes: a = R diag(values) R^T to 1e-14 of its size, axes orthonormal and right-handed, values
 * ascending, for matrices of every kind. */
#include "check.h"

#include "base/random.h"
#include "math/mat3.h"

#include <stdbool.h>

static double largest_entry(ash_sym3 a)
{
    ash_vec3 d = v3_abs(v3(a.xx, a.yy, a.zz)), o = v3_abs(v3(a.xy, a.xz, a.yz));
    return v3_max_component(v3_max(d, o));
}

static void check_solution(ash_sym3 a, double tolerance)
{
    ash_vec3 values;
    ash_quat axes;
    ashi_eigen_sym3(a, &values, &axes);
    assert_true(values.x <= values.y && values.y <= values.z);
    assert_near(q_norm2(axes), 1, 1e-15);
    ash_mat3 r = m3_from_quat(axes);
    assert_near(m3_determinant(r), 1, 1e-14);
    assert_near(v3_dot(r.x, r.y), 0, 1e-14);
    assert_near(v3_dot(r.x, r.z), 0, 1e-14);
    assert_near(v3_dot(r.y, r.z), 0, 1e-14);
    double size = largest_entry(a);
    if (size == 0)
        size = 1;
    /* Scaled before it is multiplied: products of entries near 1e150 would still fit, sums of squares would not. */
    ash_sym3 back = s3_rotated(s3_diagonal(values.x / size, values.y / size, values.z / size), axes);
    ash_sym3 residual =
        s3_add(back, (ash_sym3){-a.xx / size, -a.yy / size, -a.zz / size, -a.xy / size, -a.xz / size, -a.yz / size});
    assert_below(largest_entry(residual), tolerance);
}

static ash_quat random_rotation(ashi_random *random)
{
    ash_vec3 r =
        v3(ashi_random_range(random, -3, 3), ashi_random_range(random, -3, 3), ashi_random_range(random, -3, 3));
    return q_exp(r);
}

static ash_sym3 random_entries(ashi_random *random)
{
    return (ash_sym3){ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1),
                      ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1),
                      ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1)};
}

static void test_random(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (int i = 0; i < 20000; i++)
        check_solution(random_entries(&random), 1e-14);
}

static void test_known_values(void **state)
{
    (void)state;
    ashi_random random = {12};
    for (int i = 0; i < 5000; i++) {
        double low = ashi_random_range(&random, 0, 1), middle = low + ashi_random_unit(&random);
        double high = middle + ashi_random_unit(&random);
        ash_vec3 values;
        ash_quat axes;
        ashi_eigen_sym3(s3_rotated(s3_diagonal(high, low, middle), random_rotation(&random)), &values, &axes);
        assert_near(values.x, low, 1e-14);
        assert_near(values.y, middle, 1e-14);
        assert_near(values.z, high, 1e-14);
    }
}

/* Two or three equal or nearly equal values, and values of zero. */
static void test_degenerate(void **state)
{
    (void)state;
    ashi_random random = {13};
    for (int i = 0; i < 3000; i++) {
        ash_quat q = random_rotation(&random);
        double gap = 1e-15 * (1 + i % 100);
        check_solution(s3_rotated(s3_diagonal(1, 1, 2), q), 1e-14);
        check_solution(s3_rotated(s3_diagonal(1, 2, 2), q), 1e-14);
        check_solution(s3_rotated(s3_diagonal(3, 3, 3), q), 1e-14);
        check_solution(s3_rotated(s3_diagonal(1, 1 + gap, 1 - gap), q), 1e-14);
        check_solution(s3_rotated(s3_diagonal(0, 0, 1), q), 1e-14);
        check_solution(s3_rotated(s3_diagonal(1e-20, 1, 1e20), q), 1e-14);
        check_solution(s3_rotated(s3_diagonal(-1, 0, 1), q), 1e-14);
    }
    check_solution((ash_sym3){0}, 1e-14);
    check_solution((ash_sym3){1, 1, 1, 1, 1, 1}, 1e-14);
    check_solution((ash_sym3){0, 0, 0, 1, 1, 1}, 1e-14);
    check_solution((ash_sym3){0, 0, 0, 5e-324, 0, 5e-324}, 0.5); /* values are rounded to whole units of 5e-324 */
    check_solution((ash_sym3){1, 1, 1, 1e-200, 1e-300, -1e-200}, 1e-14);
    check_solution((ash_sym3){1, 2, 3, 1e-18, 1e-17, 1e-16}, 1e-14);
}

static void test_huge_and_tiny(void **state)
{
    (void)state;
    ashi_random random = {14};
    double scales[] = {1e150, 1e-150, 1e300, 1e-300, 3e307};
    for (int i = 0; i < 2000; i++)
        for (int j = 0; j < 5; j++)
            check_solution(s3_scale(random_entries(&random), scales[j]), 1e-14);
    /* Differences of the diagonal overflow, the result does not. */
    check_solution((ash_sym3){-1.7e308, 1.7e308, 0, 2e307, 1e307, -1e307}, 1e-14);
}

/* Scaling by a power of two changes the values by it and nothing else. */
static void test_scaling_is_exact(void **state)
{
    (void)state;
    ashi_random random = {15};
    for (int i = 0; i < 1000; i++) {
        ash_sym3 a = random_entries(&random);
        ash_vec3 values, scaled_values;
        ash_quat axes, scaled_axes;
        ashi_eigen_sym3(a, &values, &axes);
        ashi_eigen_sym3(s3_scale(a, 0x1p+500), &scaled_values, &scaled_axes);
        assert_true(scaled_values.x == values.x * 0x1p+500 && scaled_values.z == values.z * 0x1p+500);
        assert_true(axes.w == scaled_axes.w && axes.x == scaled_axes.x && axes.z == scaled_axes.z);
    }
}

static void test_diagonal_gives_identity(void **state)
{
    (void)state;
    ash_sym3 inputs[] = {
        {1, 2, 3, 0, 0, 0}, {1, 1, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {-3, 0, 1e300, 0, 0, 0}, {1, 1, 2, -0.0, 0, 0}};
    for (int i = 0; i < 5; i++) {
        ash_vec3 values;
        ash_quat axes;
        ashi_eigen_sym3(inputs[i], &values, &axes);
        assert_true(axes.w == 1 && axes.x == 0 && axes.y == 0 && axes.z == 0);
        assert_true(values.x == inputs[i].xx && values.y == inputs[i].yy && values.z == inputs[i].zz);
    }
    ash_vec3 values;
    ash_quat axes;
    ashi_eigen_sym3(s3_diagonal(3, 1, 2), &values, &axes);
    assert_true(values.x == 1 && values.y == 2 && values.z == 3);
}

/* Not finite entries end in not finite values, and the axes remain a rotation or are not finite: no endless loop. */
static void test_not_finite_ends(void **state)
{
    (void)state;
    ash_vec3 values;
    ash_quat axes;
    ashi_eigen_sym3((ash_sym3){NAN, 1, 2, 0, 0, 0}, &values, &axes);
    assert_false(v3_is_finite(values));
    ashi_eigen_sym3((ash_sym3){1, 1, 2, INFINITY, NAN, 0}, &values, &axes);
    assert_false(v3_is_finite(values));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),           cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_degenerate),       cmocka_unit_test(test_huge_and_tiny),
        cmocka_unit_test(test_scaling_is_exact), cmocka_unit_test(test_diagonal_gives_identity),
        cmocka_unit_test(test_not_finite_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
