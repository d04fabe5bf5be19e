/* Distance and depth of convex pairs against libccd and against a brute-force search, over many seeded configurations:
 * test-collide-agreement KIND tries all pairs whose first kind it is.
 *
 * libccd answers to its own tolerance, so its depth is not taken for the truth. But any direction bounds the depth from
 * above, the one libccd returns too: ours must never be larger than that. From below its depth, where its expanding
 * polytope ends properly, bounds ours to its tolerance. Distances are certified by a pair of points and by support
 * planes; libccd only tells whether there is an overlap. */
#include "check.h"

#include "convexes.h"

#include <ccd/ccd.h>
#include <string.h>

static uint32_t first_kind;

typedef struct placed {
    const ash_geometry *geometry;
    ash_transform pose;
} placed;

static void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point)
{
    const placed *p = object;
    ash_vec3 d = q_unrotate(p->pose.rotation, v3(direction->v[0], direction->v[1], direction->v[2]));
    ash_vec3 s = t_point(p->pose, ash_geometry_support(p->geometry, d));
    point->v[0] = s.x;
    point->v[1] = s.y;
    point->v[2] = s.z;
}

static void ccd_centre(const void *object, ccd_vec3_t *centre)
{
    const placed *p = object;
    centre->v[0] = p->pose.position.x;
    centre->v[1] = p->pose.position.y;
    centre->v[2] = p->pose.position.z;
}

static ccd_t ccd_settings(void)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.center1 = ccd.center2 = ccd_centre;
    ccd.max_iterations = 200;
    ccd.epa_tolerance = ccd.mpr_tolerance = 1e-6;
    return ccd;
}

static ash_vec3 from_ccd(ccd_vec3_t v)
{
    return v3_unit(v3(v.v[0], v.v[1], v.v[2]));
}

/* Walks downhill from n by random steps that widen with success. */
static double descend(const ash_geometry *a, const ash_geometry *b, ash_transform pose, ash_vec3 n, ashi_random *random)
{
    double width = 0.1, least = overlap_along(a, b, pose, n);
    for (int i = 0; i < 3000 && width > 1e-8; i++) {
        ash_vec3 there = v3_unit(v3_add_scaled(n, random_vector(random), width));
        double overlap = overlap_along(a, b, pose, there);
        width *= overlap < least ? 2 : 0.97;
        n = overlap < least ? there : n;
        least = fmin(overlap, least);
    }
    return least;
}

/* The least overlap over directions, from starts all over the sphere. */
static double brute_force(const ash_geometry *a, const ash_geometry *b, ash_transform pose, ashi_random *random)
{
    double least = INFINITY;
    for (int start = 0; start < 40; start++)
        least = fmin(least, descend(a, b, pose, random_direction(random), random));
    return least;
}

typedef struct tally {
    int apart, overlapping, disputed, mpr, epa, epa_close;
} tally;

static void check_overlap(const ash_geometry *a, const ash_geometry *b, ash_transform pose, double depth, int number,
                          tally *seen)
{
    ccd_t ccd = ccd_settings();
    placed first = {a, ash_identity()}, second = {b, pose};
    ccd_real_t theirs;
    ccd_vec3_t direction, point;
    if (ccdMPRPenetration(&first, &second, &ccd, &theirs, &direction, &point) == 0 && ccdVec3Len2(&direction) > 0.5) {
        assert_below(depth, overlap_along(a, b, pose, from_ccd(direction)) + 1e-9);
        seen->mpr++;
    }
    /* Its polytope takes milliseconds on two spheres. */
    bool round = a->def.kind <= ASH_GEOMETRY_CAPSULE && b->def.kind <= ASH_GEOMETRY_CAPSULE;
    if (number % (round ? 500 : 20) != 0 ||
        ccdGJKPenetration(&first, &second, &ccd, &theirs, &direction, &point) != 0 || !(ccdVec3Len2(&direction) > 0.5))
        return;
    double bound = overlap_along(a, b, pose, from_ccd(direction));
    assert_below(depth, bound + 1e-9);
    seen->epa++;
    if (fabs(bound - theirs) < 1e-3) { /* it ended where it says it did */
        assert_near(depth, theirs, 2e-3);
        seen->epa_close++;
    }
}

static void check(const ash_geometry *a, const ash_geometry *b, ash_transform pose, int number, tally *seen)
{
    ashi_separation s = separate(a, b, pose);
    double bound = overlap_along(a, b, pose, s.normal);
    /* The support planes along the normal, and the two points: both ways to the same number. */
    assert_near(-bound, s.distance, 1e-9);
    assert_near(ash_geometry_distance(a, s.on_a), 0, 1e-9);
    assert_near(ash_geometry_distance(b, t_point_inverse(pose, s.on_b)), 0, 1e-9);
    ccd_t ccd = ccd_settings();
    placed first = {a, ash_identity()}, second = {b, pose};
    /* On two spheres that overlap by a ten-thousandth it gives up too early. */
    if (fabs(s.distance) > 1e-3 && ccdGJKIntersect(&first, &second, &ccd) != (s.distance < 0))
        seen->disputed++;
    if (s.distance < 0)
        check_overlap(a, b, pose, -s.distance, number, seen);
    seen->apart += s.distance > 0;
    seen->overlapping += s.distance < 0;
}

static void test_libccd(void **state)
{
    (void)state;
    convex_pool pool = make_pool(11);
    for (uint32_t k = first_kind; k < CONVEX_KINDS; k++) {
        ashi_random random = {first_kind * 100 + k};
        tally seen = {0};
        for (int n = 0; n < TRIALS(100000); n++) {
            const ash_geometry *a = pool.of[first_kind][ashi_random_below(&random, POOL)];
            const ash_geometry *b = pool.of[k][ashi_random_below(&random, POOL)];
            check(a, b, random_pose(&random, a, b), n, &seen);
        }
        assert_true(seen.apart > TRIALS(20000) && seen.overlapping > TRIALS(20000));
        assert_below(seen.disputed, 0);
        assert_true(seen.mpr > TRIALS(20000));
#ifndef ASHLAR_SLOW_BUILD /* where round pairs see too few of these to count */
        assert_true(seen.epa_close > TRIALS(20));
#endif
    }
    release_pool(&pool);
}

static void test_brute_force(void **state)
{
    (void)state;
    convex_pool pool = make_pool(12);
    for (uint32_t k = first_kind; k < CONVEX_KINDS; k++) {
        ashi_random random = {first_kind * 100 + k};
        for (int n = 0; n < TRIALS(100); n++) {
            const ash_geometry *a = pool.of[first_kind][ashi_random_below(&random, POOL)];
            const ash_geometry *b = pool.of[k][ashi_random_below(&random, POOL)];
            ash_transform pose = random_pose(&random, a, b);
            double overlap = -separate(a, b, pose).distance, searched = brute_force(a, b, pose, &random);
            assert_below(overlap, searched + 1e-10);
            assert_below(searched, overlap + 1e-3); /* so coarse is the search */
        }
    }
    release_pool(&pool);
}

int main(int argc, char **argv)
{
    for (uint32_t kind = 0; kind < CONVEX_KINDS && argc == 2; kind++)
        if (strcmp(argv[1], ash_geometry_kind_name(kind)) == 0)
            first_kind = kind;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libccd),
        cmocka_unit_test(test_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
