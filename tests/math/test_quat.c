/* Quaternions and poses: rotations against matrices, exponential and logarithm, Cayley's map, inverses. */
#include "check.h"

#include "base/random.h"
#include "math/mat3.h"
#include "math/transform.h"

static ash_vec3 any_vector(ashi_random *random, double size)
{
    return v3(ashi_random_range(random, -size, size), ashi_random_range(random, -size, size),
              ashi_random_range(random, -size, size));
}

static ash_quat any_rotation(ashi_random *random)
{
    ash_quat q = {ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1),
                  ashi_random_range(random, -1, 1)};
    return q_unit(q);
}

static double quat_distance(ash_quat a, ash_quat b)
{
    return sqrt(q_norm2((ash_quat){a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z}));
}

static void test_quarter_turns(void **state)
{
    (void)state;
    ash_quat about_z = ash_rotation(v3(0, 0, 5), ASHI_PI / 2), about_x = ash_rotation(v3(1, 0, 0), ASHI_PI / 2);
    assert_near(v3_distance(q_rotate(about_z, v3(1, 0, 0)), v3(0, 1, 0)), 0, 1e-15);
    assert_near(v3_distance(q_rotate(about_x, v3(0, 1, 0)), v3(0, 0, 1)), 0, 1e-15);
    /* First about z, then about x: the x axis goes to y and on to z. */
    assert_near(v3_distance(q_rotate(q_mul(about_x, about_z), v3(1, 0, 0)), v3(0, 0, 1)), 0, 1e-15);
}

static void test_rotation_constructor(void **state)
{
    (void)state;
    assert_near(quat_distance(ash_rotation(v3(0, 0, 0), 1), q_identity()), 0, 0);
    assert_near(quat_distance(ash_rotation(v3(1, 2, 3), 0), q_identity()), 0, 0);
    ash_quat usual = ash_rotation(v3(1, 2, 3), 0.7);
    assert_near(quat_distance(ash_rotation(v3(1e-200, 2e-200, 3e-200), 0.7), usual), 0, 1e-15);
    assert_near(quat_distance(ash_rotation(v3(1e200, 2e200, 3e200), 0.7), usual), 0, 1e-15);
    assert_near(q_norm2(ash_rotation(v3(1, 1, 0), 1e9)), 1, 1e-15);
    assert_false(q_is_finite(ash_rotation(v3(1, 1, 0), (double)NAN)));
    ash_transform t = ash_identity();
    assert_true(v3_norm(t.position) == 0 && quat_distance(t.rotation, q_identity()) == 0);
}

static void test_rotation_agrees_with_the_matrix(void **state)
{
    (void)state;
    ashi_random random = {1};
    for (int i = 0; i < 2000; i++) {
        ash_quat q = any_rotation(&random), p = any_rotation(&random);
        ash_vec3 v = any_vector(&random, 3);
        assert_near(v3_distance(q_rotate(q, v), m3_apply(m3_from_quat(q), v)), 0, 1e-14);
        assert_near(v3_distance(q_unrotate(q, v), m3_apply_transposed(m3_from_quat(q), v)), 0, 1e-14);
        assert_near(v3_distance(q_unrotate(q, q_rotate(q, v)), v), 0, 1e-14);
        assert_near(v3_distance(q_rotate(q_mul(q, p), v), q_rotate(q, q_rotate(p, v))), 0, 1e-14);
        assert_near(v3_norm(q_rotate(q, v)), v3_norm(v), 1e-14);
    }
}

static void test_exponential_and_logarithm(void **state)
{
    (void)state;
    ashi_random random = {2};
    for (int i = 0; i < 5000; i++) {
        ash_vec3 direction = v3_unit(any_vector(&random, 1));
        double angle =
            i % 2 == 0 ? ashi_random_range(&random, 0, ASHI_PI) : pow(10, ashi_random_range(&random, -20, 0));
        ash_vec3 r = v3_scale(direction, angle);
        ash_quat q = q_exp(r);
        angle = v3_norm(r);
        assert_near(q_norm2(q), 1, 1e-15);
        assert_below(v3_distance(q_log(q), r), 1e-15 * (1 + 4 * angle));
        assert_near(q.w, cos(angle / 2), 3e-16);
        assert_near(v3_norm(v3(q.x, q.y, q.z)), sin(angle / 2), 4e-16);
        /* The other quaternion of the same rotation has the same logarithm. */
        ash_quat other = {-q.w, -q.x, -q.y, -q.z};
        if (angle < 3.1)
            assert_true(v3_distance(q_log(other), q_log(q)) == 0);
    }
    assert_true(v3_norm(q_log(q_identity())) == 0);
    assert_true(v3_norm(q_log((ash_quat){-1, 0, 0, 0})) == 0);
    assert_near(v3_norm(q_log((ash_quat){0, 0, 1, 0})), ASHI_PI, 1e-15);
    assert_false(q_is_finite(q_exp(v3((double)NAN, 0, 0))));
}

/* The series of small turns and the functions of larger ones meet without a step. */
static void test_exponential_is_smooth_at_the_switch(void **state)
{
    (void)state;
    for (double angle = 0.9e-4; angle < 1.1e-4; angle += 1e-7) {
        ash_quat q = q_exp(v3(0, angle, 0));
        assert_near(q.y, sin(angle / 2), 2e-20);
        assert_near(q.w, cos(angle / 2), 1.2e-16);
    }
}

/* Half-angles of the two maps are a/2 and atan(a/2) = a/2 - a^3/24 + ...: third order, with that factor. */
static void test_cayley_is_of_second_order(void **state)
{
    (void)state;
    ash_vec3 axis = v3_unit(v3(1, -2, 0.5));
    double last = 0;
    for (double angle = 0.2; angle > 0.01; angle /= 2) {
        double gap = quat_distance(q_exp(v3_scale(axis, angle)), q_cayley(v3_scale(axis, angle)));
        assert_near(gap / (angle * angle * angle), 1 / 24.0, 0.001);
        if (last > 0)
            assert_near(log2(last / gap), 3, 0.02);
        last = gap;
    }
    /* Exact: tan of the half-angle is |r| / 2. */
    ash_quat q = q_cayley(v3(0, 0, 2));
    assert_near(q.w, sqrt(0.5), 1e-15);
    assert_near(q.z, sqrt(0.5), 1e-15);
}

static void test_unit_quaternions_of_any_size(void **state)
{
    (void)state;
    ashi_random random = {3};
    double sizes[] = {1, 1e-100, 1e160, 1e-160, 1e-300, 1e300};
    for (int i = 0; i < 1000; i++)
        for (int j = 0; j < 6; j++) {
            ash_quat q = any_rotation(&random);
            double s = sizes[j];
            assert_near(quat_distance(q_unit((ash_quat){q.w * s, q.x * s, q.y * s, q.z * s}), q), 0, 5e-16);
        }
    assert_near(quat_distance(q_unit((ash_quat){0, 0, 0, 0}), q_identity()), 0, 0);
    assert_false(q_is_finite(q_unit((ash_quat){1, (double)NAN, 0, 0}))); /* a NaN is not hidden */
    assert_false(q_is_finite(q_unit((ash_quat){1, 0, HUGE_VAL, 0})));
}

static void test_poses(void **state)
{
    (void)state;
    ashi_random random = {4};
    for (int i = 0; i < 1000; i++) {
        ash_transform a = {any_vector(&random, 5), any_rotation(&random)};
        ash_transform b = {any_vector(&random, 5), any_rotation(&random)};
        ash_vec3 p = any_vector(&random, 5);
        ash_vec3 turned_then_moved = v3_add(m3_apply(m3_from_quat(a.rotation), p), a.position);
        assert_near(v3_distance(t_point(a, p), turned_then_moved), 0, 2e-14);
        assert_near(v3_distance(t_point(t_mul(a, b), p), t_point(a, t_point(b, p))), 0, 3e-14);
        assert_near(v3_distance(t_point_inverse(a, t_point(a, p)), p), 0, 2e-14);
        assert_near(v3_distance(t_point(t_inverse(a), t_point(a, p)), p), 0, 2e-14);
        ash_transform none = t_mul(a, t_inverse(a));
        assert_near(v3_norm(none.position), 0, 2e-14);
        assert_near(quat_distance(none.rotation, q_identity()), 0, 1e-15);
    }
    assert_true(t_is_finite(ash_identity()));
    assert_false(t_is_finite((ash_transform){v3(0, HUGE_VAL, 0), q_identity()}));
    assert_false(t_is_finite((ash_transform){v3(0, 0, 0), {1, 0, 0, (double)NAN}}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quarter_turns),
        cmocka_unit_test(test_rotation_constructor),
        cmocka_unit_test(test_rotation_agrees_with_the_matrix),
        cmocka_unit_test(test_exponential_and_logarithm),
        cmocka_unit_test(test_exponential_is_smooth_at_the_switch),
        cmocka_unit_test(test_cayley_is_of_second_order),
        cmocka_unit_test(test_unit_quaternions_of_any_size),
        cmocka_unit_test(test_poses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
