/* Matrices and symmetric tensors: products, solutions, inverses, turned tensors, point inertia, and back to
 * quaternions. */
#include "check.h"

#include "base/random.h"
#include "math/mat3.h"

static ash_vec3 any_vector(ashi_random *random)
{
    return v3(ashi_random_range(random, -2, 2), ashi_random_range(random, -2, 2), ashi_random_range(random, -2, 2));
}

static ash_mat3 any_matrix(ashi_random *random)
{
    return (ash_mat3){any_vector(random), any_vector(random), any_vector(random)};
}

static ash_sym3 any_tensor(ashi_random *random)
{
    ash_vec3 a = any_vector(random), b = any_vector(random);
    return (ash_sym3){a.x, a.y, a.z, b.x, b.y, b.z};
}

static double matrix_distance(ash_mat3 a, ash_mat3 b)
{
    return v3_distance(a.x, b.x) + v3_distance(a.y, b.y) + v3_distance(a.z, b.z);
}

static double tensor_distance(ash_sym3 a, ash_sym3 b)
{
    return matrix_distance(m3_from_sym(a), m3_from_sym(b));
}

static void test_matrices_by_columns(void **state)
{
    (void)state;
    /* 1 2 3 / 4 5 6 / 7 8 10, written by columns. */
    ash_mat3 m = {v3(1, 4, 7), v3(2, 5, 8), v3(3, 6, 10)};
    assert_near(v3_distance(m3_apply(m, v3(1, 0, -1)), v3(-2, -2, -3)), 0, 0);
    assert_near(v3_distance(m3_apply_transposed(m, v3(1, 0, -1)), v3(-6, -6, -7)), 0, 0);
    assert_near(m3_determinant(m), -3, 1e-14);
    assert_near(v3_distance(m3_solve(m, v3(-2, -2, -3)), v3(1, 0, -1)), 0, 1e-14);
    assert_near(v3_distance(m3_transposed(m).x, v3(1, 2, 3)), 0, 0);
    ash_mat3 singular = {v3(1, 2, 3), v3(2, 4, 6), v3(0, 0, 1)};
    assert_false(v3_is_finite(m3_solve(singular, v3(1, 1, 1))));
}

static void test_matrix_identities(void **state)
{
    (void)state;
    ashi_random random = {1};
    for (int i = 0; i < 2000; i++) {
        ash_mat3 a = any_matrix(&random), b = any_matrix(&random);
        ash_vec3 v = any_vector(&random);
        assert_near(v3_distance(m3_apply(m3_mul(a, b), v), m3_apply(a, m3_apply(b, v))), 0, 1e-13);
        assert_near(v3_distance(m3_apply_transposed(a, v), m3_apply(m3_transposed(a), v)), 0, 1e-14);
        assert_near(m3_determinant(m3_mul(a, b)), m3_determinant(a) * m3_determinant(b), 1e-11);
        double det = fabs(m3_determinant(a));
        if (det > 0.1)
            assert_below(v3_distance(m3_apply(a, m3_solve(a, v)), v), 1e-13 / det);
    }
}

static void test_quaternions_of_matrices(void **state)
{
    (void)state;
    ashi_random random = {2};
    int largest_seen[4] = {0};
    for (int i = 0; i < 5000; i++) {
        ash_quat q = q_unit((ash_quat){ashi_random_range(&random, -1, 1), ashi_random_range(&random, -1, 1),
                                       ashi_random_range(&random, -1, 1), ashi_random_range(&random, -1, 1)});
        double parts[] = {fabs(q.w), fabs(q.x), fabs(q.y), fabs(q.z)};
        int largest = 0;
        for (int k = 1; k < 4; k++)
            largest = parts[k] > parts[largest] ? k : largest;
        largest_seen[largest]++;
        ash_quat back = ashi_quat_from_mat3(m3_from_quat(q));
        assert_near(q_norm2(back), 1, 1e-15);
        double along = q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z;
        assert_near(fabs(along), 1, 1e-15); /* the same up to the sign */
        assert_near(matrix_distance(m3_from_quat(back), m3_from_quat(q)), 0, 5e-15);
    }
    for (int k = 0; k < 4; k++)
        assert_true(largest_seen[k] > 500); /* each of the four branches was taken */
    /* Half turns, where w vanishes. */
    ash_quat half[] = {
        {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {0, sqrt(0.5), sqrt(0.5), 0}, {0, 0, sqrt(0.5), -sqrt(0.5)}};
    for (int i = 0; i < 5; i++)
        assert_near(matrix_distance(m3_from_quat(ashi_quat_from_mat3(m3_from_quat(half[i]))), m3_from_quat(half[i])), 0,
                    5e-15);
    ash_quat identity = ashi_quat_from_mat3((ash_mat3){v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)});
    assert_true(identity.w == 1 && identity.x == 0 && identity.y == 0 && identity.z == 0);
}

static void test_tensors(void **state)
{
    (void)state;
    ashi_random random = {3};
    for (int i = 0; i < 2000; i++) {
        ash_sym3 a = any_tensor(&random), b = any_tensor(&random);
        ash_vec3 v = any_vector(&random), u = any_vector(&random);
        assert_near(v3_distance(s3_apply(a, v), m3_apply(m3_from_sym(a), v)), 0, 1e-14);
        assert_near(v3_distance(s3_apply(s3_add(a, b), v), v3_add(s3_apply(a, v), s3_apply(b, v))), 0, 1e-14);
        assert_near(v3_distance(s3_apply(s3_scale(a, -3), v), v3_scale(s3_apply(a, v), -3)), 0, 1e-14);
        assert_near(v3_distance(s3_apply(s3_outer(u, 2), v), v3_scale(u, 2 * v3_dot(u, v))), 0, 1e-13);
        double det = fabs(s3_determinant(a));
        if (det > 0.1)
            assert_below(v3_distance(s3_apply(a, s3_apply(s3_inverse(a), v)), v), 1e-12 / det);
    }
    assert_near(s3_determinant(s3_diagonal(2, 3, 5)), 30, 0);
    assert_false(s3_is_finite(s3_inverse(s3_outer(v3(1, 2, 3), 1))));
    assert_true(s3_is_finite(s3_diagonal(1, 2, 3)));
    assert_false(s3_is_finite((ash_sym3){1, 1, 1, 0, (double)NAN, 0}));
}

/* (r a r^T) v = r (a (r^T v)). */
static void test_turned_tensors(void **state)
{
    (void)state;
    ashi_random random = {4};
    for (int i = 0; i < 2000; i++) {
        ash_sym3 a = any_tensor(&random);
        ash_quat q = q_exp(any_vector(&random)), p = q_exp(any_vector(&random));
        ash_vec3 v = any_vector(&random);
        ash_sym3 turned = s3_rotated(a, q);
        assert_near(v3_distance(s3_apply(turned, v), q_rotate(q, s3_apply(a, q_unrotate(q, v)))), 0, 3e-14);
        assert_near(turned.xx + turned.yy + turned.zz, a.xx + a.yy + a.zz, 1e-14);
        assert_near(s3_determinant(turned), s3_determinant(a), 2e-13);
        assert_near(tensor_distance(s3_rotated(turned, p), s3_rotated(a, q_mul(p, q))), 0, 5e-14);
        assert_near(tensor_distance(s3_rotated(turned, q_conjugate(q)), a), 0, 5e-14);
    }
}

/* w . I w is the mass times the square of the speed w x r. */
static void test_point_inertia(void **state)
{
    (void)state;
    ash_sym3 on_x = s3_point_inertia(2, v3(3, 0, 0));
    assert_near(tensor_distance(on_x, s3_diagonal(0, 18, 18)), 0, 0);
    ashi_random random = {5};
    for (int i = 0; i < 1000; i++) {
        ash_vec3 r = any_vector(&random), w = any_vector(&random);
        double m = ashi_random_range(&random, 0.1, 5);
        ash_sym3 inertia = s3_point_inertia(m, r);
        assert_near(v3_dot(w, s3_apply(inertia, w)), m * v3_norm2(v3_cross(w, r)), 1e-12);
        /* angular momentum r x m (w x r) */
        assert_near(v3_distance(s3_apply(inertia, w), v3_scale(v3_cross(r, v3_cross(w, r)), m)), 0, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices_by_columns),     cmocka_unit_test(test_matrix_identities),
        cmocka_unit_test(test_quaternions_of_matrices), cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_turned_tensors),          cmocka_unit_test(test_point_inertia),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
