/* Box on box against oracles that know nothing of its axes: the gap along every face normal and every product of edges,
 * and the distance over every pair of features. */
#include "collide/agreement.h"

static void random_poses(void **state)
{
    (void)state;
    ashi_random random = {31};
    agreement result = {0};
    for (int i = 0; i < TRIALS(1000); i++) {
        ash_geometry *a = random_box(&random), *b = random_box(&random);
        for (int k = 0; k < 100; k++)
            agree(&result, a, b, random_pose(&random, 2), 0.1);
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
    agreement_check(&result);
    /* All ways of touching were met. */
    assert_true(result.touching > TRIALS(50000) && result.apart > TRIALS(10000));
    assert_true(result.single_points > TRIALS(10000) && result.near > TRIALS(1000));
}

/* Faces, edges and corners that meet exactly, at all sizes: rotations by quarter turns, centres on a grid. */
static void exact_places(void **state)
{
    (void)state;
    agreement result = {.without_ccd = true};
    for (double size = 1e-4; size < 2e4; size *= 10) {
        ash_geometry *a = make_box(size, size, size), *b = make_box(size, size / 2, size * 2);
        for (int turn = 0; turn < 4; turn++)
            for (int x = -4; x <= 4; x++)
                for (int y = -4; y <= 4; y++)
                    for (int z = 0; z <= 4; z++) {
                        ash_transform pose = {v3(x * size / 2, y * size / 2, z * size / 2),
                                              ash_rotation(v3(turn == 1, turn == 2, turn == 3), ASHI_PI / 2)};
                        agree(&result, a, b, pose, 0.1 * size);
                    }
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
    agreement_release(&result);
    assert_true(result.touching > 1000);
}

/* A box standing on a box touches it with its whole face, whichever of the two is the larger. */
static void standing(void **state)
{
    (void)state;
    ashi_manifolds manifolds = {0};
    for (int larger = 0; larger < 2; larger++) {
        ash_geometry *a = make_box(larger ? 2 : 0.5, larger ? 2 : 0.5, 1),
                     *b = make_box(larger ? 0.5 : 2, larger ? 0.5 : 2, 1);
        for (int i = 0; i <= 40; i++) {
            ash_transform pose = {v3(0, 0, 2 - 1e-3), ash_rotation(v3(0, 0, 1), 0.1 * i)};
            collide(&manifolds, a, b, pose, 0.01, false, NULL);
            assert_int_equal(manifolds.count, 1);
            const ashi_manifold *m = &manifolds.data[0];
            assert_int_equal(m->count, 4);
            assert_near(m->normal.z, 1, 1e-15);
            ash_vec3 middle = v3(0, 0, 0);
            for (int k = 0; k < 4; k++) {
                assert_near(m->points[k].depth, 1e-3, 1e-14);
                assert_near(m->points[k].on_a.z, 1, 1e-15);
                ash_vec3 p = m->points[k].on_a;
                assert_near(sqrt(p.x * p.x + p.y * p.y), sqrt(0.5), 1e-14); /* the corners of the smaller face */
                middle = v3_add(middle, p);
            }
            assert_near(hypot(middle.x, middle.y), 0, 1e-14);
        }
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
    ashi_array_release(&manifolds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_poses),
        cmocka_unit_test(exact_places),
        cmocka_unit_test(standing),
    };
    return cmocka_run_group_tests_name("collide/box_box", tests, NULL, NULL);
}
