/* Separation of convex pairs, judged by certificates: two points, one of each, bound the distance from above, and the
 * support planes along any direction bound it from below; for overlaps the planes bound the depth from above. */
#include "check.h"

#include "convexes.h"

static void check_separation(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a, double size)
{
    ashi_separation s = separate(a, b, b_in_a);
    assert_near(v3_norm(s.normal), 1, 1e-14);
    assert_near(v3_distance(v3_sub(s.on_b, s.on_a), v3_scale(s.normal, s.distance)), 0, 1e-14 * size);
    assert_near(-overlap_along(a, b, b_in_a, s.normal), s.distance, 1e-9 * size);
    assert_near(ash_geometry_distance(a, s.on_a), 0, 1e-9 * size);
}

static void test_certificates(void **state)
{
    (void)state;
    convex_pool pool = make_pool(1);
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (uint32_t k = i; k < CONVEX_KINDS; k++) {
            ashi_random random = {i * 100 + k};
            for (int n = 0; n < ROUNDS(5000); n++) {
                const ash_geometry *a = pool.of[i][ashi_random_below(&random, POOL)];
                const ash_geometry *b = pool.of[k][ashi_random_below(&random, POOL)];
                check_separation(a, b, random_pose(&random, a, b), 3);
            }
        }
    release_pool(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certificates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
