/* Separation of convex pairs, judged by what must hold whatever the shapes: certificates, the mirrored order,
 * gradients, scaling, continuity along slow motions; for degenerate, tiny, huge and extreme input too. */
#include "check.h"

#include "convexes.h"

/* Two points, one of each, bound the distance from above, support planes from below; planes bound depths from above. */
static ashi_separation check_separation(const ash_geometry *a, const ash_geometry *b, ash_transform b_in_a,
                                        double tolerance)
{
    ashi_separation s = separate(a, b, b_in_a);
    assert_near(v3_norm(s.normal), 1, 1e-14);
    double rounding = 1e-15 * (v3_norm(s.on_a) + v3_norm(s.on_b) + fabs(s.distance));
    assert_near(v3_distance(v3_sub(s.on_b, s.on_a), v3_scale(s.normal, s.distance)), 0, rounding);
    assert_near(-overlap_along(a, b, b_in_a, s.normal), s.distance, tolerance);
    assert_near(ash_geometry_distance(a, s.on_a), 0, tolerance);
    assert_near(ash_geometry_distance(b, t_point_inverse(b_in_a, s.on_b)), 0, tolerance);
    return s;
}

typedef void (*pair_check)(const ash_geometry *a, const ash_geometry *b, ashi_random *random, int number);

/* Runs a check on random members of a pool, for each pair of kinds. */
static void for_pairs(uint64_t seed, int rounds, pair_check check)
{
    convex_pool pool = make_pool(seed);
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (uint32_t k = 0; k < CONVEX_KINDS; k++) {
            ashi_random random = {seed * 1000 + i * 10 + k};
            for (int n = 0; n < rounds; n++) {
                uint32_t first = ashi_random_below(&random, POOL), second = ashi_random_below(&random, POOL);
                check(pool.of[i][first], pool.of[k][second], &random, n);
            }
        }
    release_pool(&pool);
}

/* One of the 24 rotations by right angles. */
static ash_quat right_angles(ashi_random *random)
{
    static const ash_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ash_quat q = q_identity();
    for (int i = 0; i < 3; i++)
        q = q_mul(ash_rotation(axes[ashi_random_below(random, 3)], ASHI_PI / 2 * ashi_random_below(random, 4)), q);
    return q_unit(q);
}

static void mirror(const ash_geometry *a, const ash_geometry *b, ashi_random *random, int number)
{
    (void)number;
    ash_transform pose = random_pose(random, a, b);
    ashi_separation there = check_separation(a, b, pose, 1e-9);
    ashi_separation back = check_separation(b, a, t_inverse(pose), 1e-9);
    assert_near(back.distance, there.distance, 1e-9);
    /* The normal of a distance is unique; that of a depth may be one of several. */
    if (there.distance > 1e-3)
        assert_near(v3_distance(q_rotate(pose.rotation, back.normal), v3_neg(there.normal)), 0, 1e-6);
}

static void test_mirrored(void **state)
{
    (void)state;
    for_pairs(21, TRIALS(1000), mirror);
}

/* Aligned axes: concentric, along a line of symmetry, and with support planes that touch. */
static void align(const ash_geometry *a, const ash_geometry *b, ashi_random *random, int number)
{
    ash_vec3 axes[] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},     {-1, 0, 0},
                       {0, -1, 0}, {0, 0, -1}, {0.6, 0, 0.8}, {0, 0.8, -0.6}};
    ash_transform pose = {v3(0, 0, 0), right_angles(random)};
    ash_vec3 n = axes[ashi_random_below(random, 8)];
    double touching = overlap_along(a, b, pose, n);
    static const double factors[] = {0, 1, 0.5, 1.25, 1e-9, 1e-300, 1 + 1e-9, 1 - 1e-9, 1 + 1e-15, 1 - 1e-13};
    pose.position = v3_scale(n, touching * factors[number % 10]);
    /* Near an axis of symmetry a whole circle of directions is as good as the best to 1e-9, and each has other points.
     */
    bool centred = touching * factors[number % 10] < 1e-8;
    ashi_separation s = check_separation(a, b, pose, centred ? 1e-6 : 1e-8);
    assert_near(-overlap_along(a, b, pose, s.normal), s.distance, 1e-8);
    /* No direction of symmetry parts them sooner. */
    for (int i = 0; i < 8; i++)
        assert_below(-s.distance, overlap_along(a, b, pose, axes[i]) + 1e-8);
    if (number % 10 == 1) /* the planes touch along n */
        assert_true(s.distance > -1e-12);
}

static void test_aligned(void **state)
{
    (void)state;
    for_pairs(22, TRIALS(1000), align);
}

/* Moving b by x changes the distance by n . x. */
static int smooth_places, kinks;

static void gradient(const ash_geometry *a, const ash_geometry *b, ashi_random *random, int number)
{
    (void)number;
    const double step = 1e-6;
    ash_transform pose = random_pose(random, a, b), there = pose, back = pose;
    ash_vec3 along = random_direction(random);
    there.position = v3_add_scaled(pose.position, along, step);
    back.position = v3_add_scaled(pose.position, along, -step);
    ashi_separation s = separate(a, b, pose);
    double ahead = separate(a, b, there).distance, behind = separate(a, b, back).distance;
    if (fabs(ahead + behind - 2 * s.distance) > 1e-10) { /* another feature takes over just here */
        kinks++;
        return;
    }
    smooth_places++;
    assert_near((ahead - behind) / (2 * step), v3_dot(s.normal, along), 1e-4);
}

static void test_normals_are_gradients(void **state)
{
    (void)state;
    smooth_places = kinks = 0;
    for_pairs(23, TRIALS(1000), gradient);
    assert_true(kinks * 50 < smooth_places);
}

/* A distance changes by no more than the motion, and so does the vector between the closest points. */
static void sweep(const ash_geometry *a, const ash_geometry *b, ashi_random *random, int number)
{
    enum { STEPS = 100 };
    const double step = 1e-3;
    bool turns = number % 2 == 1;
    ash_transform pose = random_pose(random, a, b);
    pose.rotation = number % 4 < 2 ? right_angles(random) : pose.rotation;
    ash_vec3 along = random_direction(random), axis = random_direction(random);
    double motion = turns ? step * (1 + reach_of(b)) : step;
    ashi_separation last = separate(a, b, pose);
    ash_vec3 direction = v3_neg(last.normal);
    ashi_convex core_a = ashi_convex_of(a), core_b = ashi_convex_of(b);
    for (int i = 0; i < STEPS; i++) {
        pose.position = v3_add_scaled(pose.position, along, step);
        if (turns)
            pose.rotation = q_unit(q_mul(q_exp(v3_scale(axis, step)), pose.rotation));
        /* With the last direction as the start: it must not change the answer. */
        ashi_separation s = ashi_convex_separation(&core_a, &core_b, pose, &direction);
        assert_near(s.distance, separate(a, b, pose).distance, 1e-9);
        assert_near(s.distance, last.distance, motion + 1e-9);
        if (s.distance > 0 && last.distance > 0 && !turns) {
            ash_vec3 between = v3_scale(s.normal, s.distance), before = v3_scale(last.normal, last.distance);
            assert_below(v3_distance(between, before), motion + 1e-7);
        }
        last = s;
    }
}

static void test_slow_motions_have_no_jumps(void **state)
{
    (void)state;
    for_pairs(24, TRIALS(40), sweep);
}

/* The same shapes 1e-4 and 1e4 times as large have the same separation in their own unit. */
static void test_scale(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (uint32_t k = 0; k < CONVEX_KINDS; k++)
            for (int n = 0; n < TRIALS(200); n++) {
                double found[3];
                for (int size = 0; size < 3; size++) {
                    static const double sizes[] = {1, 1e-4, 1e4};
                    ashi_random random = {i * 1000 + k * 100 + (uint64_t)n * 10000};
                    ash_geometry *a = random_convex(&random, i, sizes[size]),
                                 *b = random_convex(&random, k, sizes[size]);
                    ashi_separation s = check_separation(a, b, random_pose(&random, a, b), 1e-9 * sizes[size]);
                    found[size] = s.distance / sizes[size];
                    ash_geometry_release(a);
                    ash_geometry_release(b);
                }
                assert_near(found[1], found[0], 1e-9);
                assert_near(found[2], found[0], 1e-9);
            }
}

/* How far the two orders of a small shape at the surface of a large one disagree, or the points miss the surfaces. */
static double small_on_large(uint32_t i, uint32_t k, double small, double large, uint64_t seed)
{
    ashi_random random = {seed};
    ash_geometry *a = random_convex(&random, i, large), *b = random_convex(&random, k, small);
    ash_vec3 towards = random_direction(&random), off = random_vector(&random);
    ash_vec3 place = v3_add_scaled(ash_geometry_support(a, towards), off, 2 * small);
    ash_transform pose = {place, random_rotation(&random)};
    ashi_separation there = separate(a, b, pose), back = separate(b, a, t_inverse(pose));
    double worst = fabs(there.distance - back.distance);
    worst = fmax(worst, fabs(ash_geometry_distance(a, there.on_a)));
    worst = fmax(worst, fabs(ash_geometry_distance(b, t_point_inverse(pose, there.on_b))));
    ash_geometry_release(a);
    ash_geometry_release(b);
    return worst;
}

/* A centimetre on a hundred metres keeps nine digits of the centimetre. A tenth of a millimetre on ten kilometres is at
 * the end of what doubles tell apart in a - b: the error stays below the tiny one's diameter. */
static void test_small_on_large(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (uint32_t k = 0; k < CONVEX_KINDS; k++)
            for (uint64_t n = 0; n < TRIALS(200); n++) {
                assert_below(small_on_large(i, k, 1e-2, 1e2, i * 1000 + k * 100 + n * 10000), 1e-9);
                assert_below(small_on_large(i, k, 1e-4, 1e4, i * 1000 + k * 100 + n * 10000), 2.4e-4);
            }
}

/* Triangles and other points as cores: against the plane through them. */
static void test_points(void **state)
{
    (void)state;
    ashi_random random = {31};
    ash_geometry *sphere = random_convex(&random, ASH_GEOMETRY_SPHERE, 1);
    ashi_convex ball = ashi_convex_of(sphere);
    for (int n = 0; n < TRIALS(20000); n++) {
        ash_vec3 corners[3], weights = v3_abs(random_vector(&random));
        for (int i = 0; i < 3; i++)
            corners[i] = random_vector(&random);
        ash_vec3 normal = v3_cross(v3_sub(corners[1], corners[0]), v3_sub(corners[2], corners[0]));
        if (v3_norm(normal) < 1e-3)
            continue;
        normal = v3_unit(normal);
        double sum = weights.x + weights.y + weights.z, away = n % 4 == 0 ? 0 : ashi_random_range(&random, 0, 2);
        ash_vec3 foot = v3_add_scaled(v3_scale(corners[0], weights.x / sum), corners[1], weights.y / sum);
        foot = v3_add_scaled(foot, corners[2], weights.z / sum);
        ashi_convex triangle = ashi_convex_of_points(corners, 3, 0.1);
        ash_transform pose = {v3_add_scaled(foot, normal, away), q_identity()};
        ashi_separation s = ashi_convex_separation(&triangle, &ball, pose, NULL);
        assert_near(s.distance, away - ball.radius - 0.1, 1e-12);
        assert_near(fabs(v3_dot(s.normal, normal)), 1, 1e-9);
        /* Early ends give a proven lower bound. */
        ashi_separation early = ashi_convex_distance(&triangle, &ball, pose, 0.01, NULL);
        assert_below(fmin(early.distance, fmax(s.distance, -ball.radius - 0.1)), s.distance + 1e-12);
        assert_int_equal(early.distance > 0.01, s.distance > 0.01);
    }
    ash_geometry_release(sphere);
}

static double any_size(ashi_random *random, double least, double most)
{
    double sign = ashi_random_below(random, 2) == 0 ? -1 : 1;
    return sign * ashi_exp(ashi_random_range(random, least, most) * ashi_ln(10.0));
}

/* Whatever is finite comes out finite. */
static void test_extremes(void **state)
{
    (void)state;
    ashi_random random = {41};
    for (int n = 0; n < TRIALS(40000); n++) {
        ash_geometry *a =
            random_convex(&random, ashi_random_below(&random, CONVEX_KINDS), fabs(any_size(&random, -4, 4)));
        ash_geometry *b =
            random_convex(&random, ashi_random_below(&random, CONVEX_KINDS), fabs(any_size(&random, -4, 4)));
        double far = n % 2 == 0 ? 300 : 5;
        ash_transform pose = {{0, 0, 0}, n % 3 == 0 ? right_angles(&random) : random_rotation(&random)};
        double *coordinates[3] = {&pose.position.x, &pose.position.y, &pose.position.z};
        for (int i = 0; i < 3; i++)
            *coordinates[i] = ashi_random_below(&random, 4) == 0 ? 0 : any_size(&random, -far, far);
        ashi_convex core_a = ashi_convex_of(a), core_b = ashi_convex_of(b);
        ash_vec3 direction = v3(any_size(&random, -300, 300), 0, any_size(&random, -300, 300));
        ashi_separation s =
            n % 5 == 0 ? ashi_convex_separation(&core_a, &core_b, pose, &direction) : separate(a, b, pose);
        ashi_separation d = ashi_convex_distance(&core_a, &core_b, pose, 1, NULL);
        assert_true(isfinite(s.distance) && v3_is_finite(s.on_a) && v3_is_finite(s.on_b) && v3_is_finite(s.normal));
        assert_near(v3_norm(s.normal), 1, 1e-14);
        assert_true(isfinite(d.distance) && v3_is_finite(d.on_a) && v3_is_finite(d.normal));
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mirrored),
        cmocka_unit_test(test_aligned),
        cmocka_unit_test(test_normals_are_gradients),
        cmocka_unit_test(test_slow_motions_have_no_jumps),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_small_on_large),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
