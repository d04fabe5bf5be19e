/* Hull on hull against the oracles of polyhedra.h: random hulls of few and many vertices, flat and long ones, and hulls
 * with faces and edges that are exactly parallel. */
#include "collide/agreement.h"

static void random_poses(void **state)
{
    (void)state;
    ashi_random random = {33};
    agreement result = {0};
    for (int i = 0; i < TRIALS(5000); i++) {
        ash_geometry *a = random_hull(&random, 10), *b = random_hull(&random, 10);
        for (int k = 0; k < 20; k++)
            agree(&result, a, b, random_pose(&random, 2), 0.1);
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
    agreement_check(&result);
    assert_true(result.touching > TRIALS(20000) && result.apart > TRIALS(10000));
    assert_true(result.single_points > TRIALS(10000) && result.near > TRIALS(1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_poses),
    };
    return cmocka_run_group_tests_name("collide/hull_hull", tests, NULL, NULL);
}
