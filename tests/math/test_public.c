/* The operations of ashlar/vector.h against the library's own. */
#include "check.h"

#include "ashlar/vector.h"
#include "base/random.h"
#include "math/transform.h"

static ash_vec3 any_vector(ashi_random *random)
{
    return v3(ashi_random_range(random, -2, 2), ashi_random_range(random, -2, 2), ashi_random_range(random, -2, 2));
}

static ash_transform any_pose(ashi_random *random)
{
    return (ash_transform){any_vector(random), ash_rotation(any_vector(random), ashi_random_range(random, -3, 3))};
}

static void assert_close(ash_vec3 a, ash_vec3 b)
{
    assert_near(a.x, b.x, 1e-14);
    assert_near(a.y, b.y, 1e-14);
    assert_near(a.z, b.z, 1e-14);
}

static void assert_same_turn(ash_quat a, ash_quat b)
{
    assert_near(a.w, b.w, 1e-15);
    assert_close(v3(a.x, a.y, a.z), v3(b.x, b.y, b.z));
}

static void test_vectors(void **state)
{
    (void)state;
    ashi_random random = {7};
    for (int i = 0; i < 1000; i++) {
        ash_vec3 a = any_vector(&random), b = any_vector(&random);
        assert_close(ash_vec3_add(a, b), v3_add(a, b));
        assert_close(ash_vec3_subtract(a, b), v3_sub(a, b));
        assert_close(ash_vec3_scale(a, b.x), v3_scale(a, b.x));
        assert_close(ash_vec3_cross(a, b), v3_cross(a, b));
        assert_close(ash_vec3_unit(a), v3_unit(a));
        assert_near(ash_vec3_dot(a, b), v3_dot(a, b), 1e-14);
        assert_near(ash_vec3_length(a), v3_norm(a), 1e-14);
    }
    assert_close(ash_vec3_unit(ash_vec3_make(0, 0, 0)), v3(0, 0, 0));
}

static void test_poses(void **state)
{
    (void)state;
    ashi_random random = {8};
    for (int i = 0; i < 1000; i++) {
        ash_transform a = any_pose(&random), b = any_pose(&random);
        ash_vec3 v = any_vector(&random);
        assert_close(ash_quat_rotate(a.rotation, v), q_rotate(a.rotation, v));
        assert_same_turn(ash_quat_multiply(a.rotation, b.rotation), q_mul(a.rotation, b.rotation));
        assert_same_turn(ash_quat_inverse(a.rotation), q_conjugate(a.rotation));
        assert_close(ash_transform_point(a, v), t_point(a, v));
        assert_close(ash_transform_point_to_local(a, ash_transform_point(a, v)), v);
        assert_close(ash_transform_multiply(a, b).position, t_mul(a, b).position);
        assert_same_turn(ash_transform_multiply(a, b).rotation, t_mul(a, b).rotation);
        assert_close(ash_transform_point(ash_transform_inverse(a), ash_transform_point(a, v)), v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_poses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
