/* Flat pairs where things coincide, touch, lie along each other or move slowly: points that stay, depths and normals
 * that do not jump, and no number that is not one. */
#include "flat_oracle.h"

#include "base/alloc.h"

#define QUARTER (3.141592653589793 / 2)

static void check_sane(const ashi_manifold *m)
{
    assert_near(v3_norm(m->normal), 1, 1e-14);
    for (uint32_t i = 0; i < m->count; i++)
        assert_true(v3_is_finite(m->points[i].on_a) && isfinite(m->points[i].depth));
}

/* One of two points, both ways round. */
static void expect(const ash_geometry *a, const ash_geometry *b, ash_transform pose, double margin, uint32_t count,
                   double depth, ash_vec3 normal)
{
    ashi_manifold m = flat_touch(a, b, pose, margin, NULL);
    check_sane(&m);
    assert_int_equal(m.count, count);
    assert_near(deepest(&m), depth, 1e-14 + 1e-14 * fabs(depth));
    assert_below(v3_distance(m.normal, normal), 1e-12);
    m = flat_touch(b, a, t_inverse(pose), margin, NULL);
    assert_int_equal(m.count, count);
    assert_near(deepest(&m), depth, 1e-14 + 1e-14 * fabs(depth));
    assert_below(v3_distance(q_rotate(pose.rotation, m.normal), v3_neg(normal)), 1e-12);
}

static void test_coincident(void **state)
{
    (void)state;
    ash_geometry *ball = flat_circle(0.5), *box = flat_rectangle(1, 0.6), *stick = flat_capsule(2, 0.25);
    ash_vec3 ends[2] = {{-1, 0, 0}, {1, 0, 0}};
    ash_geometry *line = flat_segment(ends, 2, 0);
    ashi_manifold m = flat_touch(ball, ball, flat_pose(0, 0, 1), 0, NULL);
    check_sane(&m);
    assert_near(deepest(&m), 1, 1e-15);
    /* Once they were apart, they remember the way. */
    ashi_pair_cache cache = {0};
    m = flat_touch(ball, ball, flat_pose(0.6, -0.8, 0), 0, &cache);
    m = flat_touch(ball, ball, flat_pose(0, 0, 0), 0, &cache);
    assert_below(v3_distance(m.normal, v3(0.6, -0.8, 0)), 1e-15);
    /* All others have a shortest way out. */
    m = flat_touch(ball, box, flat_pose(0, 0, 0.3), 0, NULL);
    check_sane(&m);
    assert_near(deepest(&m), 1.1, 1e-14);
    m = flat_touch(ball, stick, flat_pose(0, 0, 0.3), 0, NULL);
    check_sane(&m);
    assert_near(deepest(&m), 0.75, 1e-15);
    m = flat_touch(ball, line, flat_pose(0.5, 0, 0), 0, NULL);
    check_sane(&m);
    assert_near(deepest(&m), 0.5, 1e-15);
    m = flat_touch(box, box, flat_pose(0, 0, 0), 0, NULL);
    check_sane(&m);
    assert_near(deepest(&m), 1.2, 1e-14);
    assert_int_equal(m.count, 2);
    m = flat_touch(stick, stick, flat_pose(0, 0, 0), 0, NULL);
    check_sane(&m);
    assert_near(deepest(&m), 0.5, 1e-14);
    assert_int_equal(m.count, 2);
    m = flat_touch(stick, stick, flat_pose(0, 0, QUARTER), 0, NULL); /* crossed in the middle: out past an end */
    check_sane(&m);
    assert_near(deepest(&m), 1.5, 1e-14);
    m = flat_touch(box, line, flat_pose(0, 0, 0), 0, NULL);
    check_sane(&m);
    assert_near(deepest(&m), 0.6, 1e-14);
    ash_geometry_release(ball);
    ash_geometry_release(box);
    ash_geometry_release(stick);
    ash_geometry_release(line);
}

static void test_centre_on_boundary(void **state)
{
    (void)state;
    ash_geometry *ball = flat_circle(0.5), *box = flat_rectangle(1, 1), *stick = flat_capsule(2, 0.25);
    expect(ball, box, flat_pose(0, -1, 0), 0, 1, 0.5, v3(0, -1, 0)); /* on its upper side */
    expect(ball, box, flat_pose(-1, 0.3, 0), 0, 1, 0.5, v3(-1, 0, 0));
    ashi_manifold m = flat_touch(ball, box, flat_pose(-1, -1, 0), 0, NULL); /* on a corner: either side will do */
    check_sane(&m);
    assert_near(deepest(&m), 0.5, 1e-15);
    assert_true(m.normal.x <= 0 && m.normal.y <= 0);
    /* Next to the corner, on the diagonal, down to nothing. */
    for (double gap = 0.1; gap > 1e-9; gap /= 3) {
        double half = sqrt(0.5);
        m = flat_touch(ball, box, flat_pose(-1 - gap * half, -1 - gap * half, 0), 0, NULL);
        assert_near(deepest(&m), 0.5 - gap, 1e-15);
        assert_below(v3_distance(m.normal, v3(-half, -half, 0)), 1e-15 / gap + 1e-15);
    }
    expect(ball, stick, flat_pose(-1.3, 0, 0), 0, 1, 0.75 - 0.3, v3(-1, 0, 0)); /* in line with the core */
    m = flat_touch(ball, stick, flat_pose(-1, 0, 0), 0, NULL);                  /* on its very end */
    check_sane(&m);
    assert_near(deepest(&m), 0.75, 1e-15);
    ash_geometry_release(ball);
    ash_geometry_release(box);
    ash_geometry_release(stick);
}

/* Face to face: two points at the ends of what they share, touching exactly, apart and sunk in, large and small. */
static void test_face_to_face(void **state)
{
    (void)state;
    for (int power = -4; power <= 4; power += 4) {
        double s = pow(10, power);
        ash_geometry *box = flat_rectangle(s, s), *bar = flat_rectangle(3 * s, s),
                     *stick = flat_capsule(2 * s, 0.5 * s);
        ash_vec3 ends[2] = {{-2 * s, 0, 0}, {2 * s, 0, 0}};
        ash_geometry *line = flat_segment(ends, 2, 0), *rail = flat_segment(ends, 2, 0.25 * s);
        for (int i = -1; i <= 1; i++) {
            double sunk = i * 0x1p-7 * s;
            ash_vec3 up = v3(0, 1, 0);
            expect(box, box, flat_pose(0, 2 * s - sunk, 0), 0.1 * s, 2, sunk, up);
            expect(box, box, flat_pose(0.5 * s, 2 * s - sunk, 0), 0.1 * s, 2, sunk, up);
            expect(bar, box, flat_pose(-1.5 * s, 2 * s - sunk, 0), 0.1 * s, 2, sunk, up);
            expect(box, stick, flat_pose(0, 1.5 * s - sunk, 0), 0.1 * s, 2, sunk, up);
            expect(bar, stick, flat_pose(2.5 * s, 1.5 * s - sunk, 0), 0.1 * s, 2, sunk, up);
            expect(stick, stick, flat_pose(0.5 * s, s - sunk, 0), 0.1 * s, 2, sunk, up);
            expect(box, line, flat_pose(0, s - sunk, 0), 0.1 * s, 2, sunk, up);
            expect(stick, line, flat_pose(1.5 * s, 0.5 * s - sunk, 0), 0.1 * s, 2, sunk, up);
            expect(box, rail, flat_pose(0, 1.25 * s - sunk, 0), 0.1 * s, 2, sunk, up);
            /* End to end, in line. */
            expect(stick, stick, flat_pose(3 * s - sunk, 0, 0), 0.1 * s, 1, sunk, v3(1, 0, 0));
        }
        /* Their places: where the shared part of the faces ends. */
        ashi_manifold m = flat_touch(box, bar, flat_pose(3.5 * s, 2 * s, 0), 0, NULL);
        assert_int_equal(m.count, 2);
        double low = fmin(m.points[0].on_a.x, m.points[1].on_a.x), high = fmax(m.points[0].on_a.x, m.points[1].on_a.x);
        assert_near(low, 0.5 * s, 1e-12 * s);
        assert_near(high, s, 1e-12 * s);
        ash_geometry_release(box);
        ash_geometry_release(bar);
        ash_geometry_release(stick);
        ash_geometry_release(line);
        ash_geometry_release(rail);
    }
}

/* A grain on a mountain, and deep inside it. */
static void test_sizes_apart(void **state)
{
    (void)state;
    ash_geometry *grain = flat_circle(1e-4), *chip = flat_rectangle(1e-4, 1e-4), *mountain = flat_rectangle(1e4, 1e4);
    ashi_manifold m = flat_touch(mountain, grain, flat_pose(123, 1e4 + 0.5e-4, 0), 0, NULL);
    assert_near(deepest(&m), 0.5e-4, 1e-11);
    assert_below(v3_distance(m.normal, v3(0, 1, 0)), 1e-15);
    m = flat_touch(mountain, chip, flat_pose(123, 1e4 + 0.5e-4, 0), 0, NULL);
    assert_int_equal(m.count, 2);
    assert_near(m.points[0].depth, 0.5e-4, 1e-11);
    assert_near(m.points[1].depth, 0.5e-4, 1e-11);
    m = flat_touch(mountain, chip, flat_pose(9000, 0, 0.1), 0, NULL);
    assert_near(deepest(&m), 1000 + 1e-4 * (cos(0.1) + sin(0.1)), 1e-10);
    ash_geometry_release(grain);
    ash_geometry_release(chip);
    ash_geometry_release(mountain);
}

/* What lies on something keeps its two points, under the same names, through 1000 steps of noise. */
static void rest(ash_geometry *below, ash_geometry *above, double x, double y, bool with_cache)
{
    ashi_random random = {77};
    ashi_pair_cache cache = {0};
    ashi_manifold first = flat_touch(below, above, flat_pose(x, y, 0), 0.01, with_cache ? &cache : NULL);
    assert_int_equal(first.count, 2);
    uint32_t axis = cache.axis;
    for (int step = 0; step < 1000; step++) {
        double dx = ashi_random_range(&random, -1e-4, 1e-4), dy = ashi_random_range(&random, -1e-5, 1e-5);
        double turn = ashi_random_range(&random, -1e-5, 1e-5);
        ash_transform pose = flat_pose(x + dx, y + dy, turn);
        ashi_manifold m = flat_touch(below, above, pose, 0.01, with_cache ? &cache : NULL);
        assert_int_equal(m.count, 2);
        for (int i = 0; i < 2; i++) {
            int same = m.points[0].feature == first.points[i].feature ? 0 : 1;
            assert_int_equal(m.points[same].feature, first.points[i].feature);
            assert_below(v3_distance(m.points[same].on_a, first.points[i].on_a), 3e-4);
            assert_near(m.points[same].depth, first.points[i].depth, 5e-5);
        }
        assert_below(v3_distance(m.normal, first.normal), 2e-5);
        if (with_cache) /* the reference face stays as well */
            assert_int_equal(cache.axis, axis);
    }
}

static void test_points_stay(void **state)
{
    (void)state;
    ash_geometry *box = flat_rectangle(1, 1), *floor = flat_rectangle(10, 1), *stick = flat_capsule(2, 0.5);
    ash_vec3 ends[2] = {{-2, 0, 0}, {2, 0, 0}},
             corners[5] = {{1, -1, 0}, {1, 0.5, 0}, {0, 1, 0}, {-1, 0.5, 0}, {-1, -1, 0}};
    ash_geometry *line = flat_segment(ends, 2, 0), *house = flat_polygon(corners, 5);
    for (int with_cache = 0; with_cache < 2; with_cache++)
        for (int sunk = -1; sunk <= 1; sunk++) {
            double d = sunk * 1e-3;
            rest(box, box, 0.5, 2 - d, with_cache);
            rest(floor, box, 3, 2 - d, with_cache);
            rest(floor, house, 3, 2 - d, with_cache);
            rest(floor, stick, -3, 1.5 - d, with_cache);
            rest(stick, stick, 0.25, 1 - d, with_cache);
            rest(line, box, 0, 1 - d, with_cache);
            rest(line, stick, 0.5, 0.5 - d, with_cache);
        }
    ash_geometry_release(box);
    ash_geometry_release(floor);
    ash_geometry_release(stick);
    ash_geometry_release(line);
    ash_geometry_release(house);
}

/* Boxes of one width in a stack, a corner standing over by a hair, with a gap: no point is lost, and the normal leans
 * by no more than the corner stands over. */
static void test_equal_widths(void **state)
{
    (void)state;
    ash_geometry *box = flat_rectangle(1, 1);
    ashi_random random = {5};
    for (int i = 0; i < 10000; i++) {
        double gap = pow(10, ashi_random_range(&random, -8, -3)), over = gap * ashi_random_range(&random, -1e-2, 1e-2);
        double tilt = gap * ashi_random_range(&random, -0.1, 0.1);
        ashi_manifold m = flat_touch(box, box, flat_pose(over, 2 + gap, tilt), 0.01, NULL);
        assert_int_equal(m.count, 2);
        assert_below(v3_distance(m.normal, v3(0, 1, 0)), 0.13);
        assert_true(fabs(m.points[0].on_a.x - m.points[1].on_a.x) > 1.99);
    }
    ash_geometry_release(box);
}

/* Along slow motions the depth changes no faster than the bodies move, and so does the vector between the cores while
 * they are apart: both are facts about convex sets. */
static void sweep(ash_geometry *a, ash_geometry *b, ashi_random *random, bool with_cache)
{
    double from = ashi_random_range(random, -2, 2), side = ashi_random_range(random, -2, 2);
    double turn = ashi_random_range(random, -3, 3), radii = oracle_of(a).radius + oracle_of(b).radius;
    double rate = ashi_random_range(random, -1, 1), step = 2e-3, slack = with_cache ? 2.5e-4 : 1e-10;
    ashi_pair_cache cache = {0};
    ashi_manifold last = {.count = 0};
    for (int i = 0; i < 1000; i++) {
        double x = (i - 500) * step, angle = turn + rate * i * step;
        ashi_manifold m = flat_touch(a, b, flat_pose(from + x, side, angle), 20, with_cache ? &cache : NULL);
        assert_true(m.count > 0);
        check_sane(&m);
        if (i > 0) {
            double most = step + fabs(rate) * step * 2 + slack; /* no shape reaches beyond 2 from its origin */
            assert_below(fabs(deepest(&m) - deepest(&last)), most);
            double apart = radii - deepest(&m), before = radii - deepest(&last);
            if (apart > 1e-3 && before > 1e-3)
                assert_below(v3_distance(v3_scale(m.normal, apart), v3_scale(last.normal, before)), most);
        }
        last.count = m.count;
        last.normal = m.normal;
        memcpy(last.points, m.points, m.count * sizeof *m.points);
    }
}

static void test_no_jumps(void **state)
{
    (void)state;
    ashi_random random = {6};
    for (int round = 0; round < FLAT_ROUNDS / 250; round++) {
        static const ash_geometry_kind kinds[4] = {ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_POLYGON, ASH_GEOMETRY_FLAT_CAPSULE,
                                                   ASH_GEOMETRY_SEGMENT};
        ash_geometry *a = random_flat(&random, kinds[round % 3], 1);
        ash_geometry *b = random_flat(&random, kinds[round / 3 % 4], 1);
        sweep(a, b, &random, round / 12 % 2);
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
}

/* Whatever is remembered, there is a contact when there is one, and its depth is nearly the least. */
static void test_any_cache(void **state)
{
    (void)state;
    ashi_random random = {8};
    for (int round = 0; round < FLAT_ROUNDS; round++) {
        ash_geometry *a = random_flat(&random, ASH_GEOMETRY_POLYGON, 1);
        ash_geometry *b = random_flat(&random, (ash_geometry_kind)(ASH_GEOMETRY_POLYGON + round % 3), 1);
        ash_transform pose = flat_pose(ashi_random_range(&random, -2, 2), ashi_random_range(&random, -2, 2),
                                       ashi_random_range(&random, -3, 3));
        ashi_pair_cache cache = {.axis = ashi_random_below(&random, 30)};
        double margin = ashi_random_range(&random, 0, 0.5);
        ashi_manifold fresh = flat_touch(a, b, pose, margin, NULL), kept = flat_touch(a, b, pose, margin, &cache);
        assert_int_equal(fresh.count > 0, kept.count > 0);
        if (fresh.count > 0)
            assert_near(deepest(&kept), deepest(&fresh), 2.5e-4);
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
}

/* Any finite pose and size: unit normals and finite points, or nothing. */
static void test_extremes(void **state)
{
    (void)state;
    ashi_random random = {9};
    for (int round = 0; round < FLAT_ROUNDS / 2; round++) {
        double size = pow(10, ashi_random_range(&random, -60, 60)),
               other = pow(10, ashi_random_range(&random, -60, 60));
        ash_geometry *a = random_flat(&random, (ash_geometry_kind)(ASH_GEOMETRY_CIRCLE + round % 3), size);
        ash_geometry *b = random_flat(&random, (ash_geometry_kind)(ASH_GEOMETRY_CIRCLE + round / 3 % 4), other);
        double far = pow(10, ashi_random_range(&random, -320, 308)) * (ashi_random_below(&random, 2) ? 1 : -1);
        double aside = pow(10, ashi_random_range(&random, -320, 308)) * (ashi_random_below(&random, 2) ? 1 : -1);
        double margin = ashi_random_below(&random, 2) ? 0 : pow(10, ashi_random_range(&random, -300, 308));
        ash_transform pose = flat_pose(far, aside, ashi_random_range(&random, -3, 3));
        ashi_manifold m = flat_touch(a, b, pose, margin, NULL);
        if (m.count > 0)
            check_sane(&m);
        m = flat_touch(b, a, pose, margin, NULL);
        if (m.count > 0)
            check_sane(&m);
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
    /* Segments have no mass that limits their size. */
    ash_vec3 ends[2] = {{-1e308, 1e308, 0}, {1e308, -1e308, 0}};
    ash_geometry *line = NULL, *box = flat_rectangle(1, 1), *ball = flat_circle(1);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SEGMENT);
    def.points = ends;
    def.point_count = 2;
    if (ash_geometry_create(&def, &line, NULL) == ASH_OK) {
        ashi_manifold m = flat_touch(box, line, flat_pose(0, 0, 0), 1, NULL);
        if (m.count > 0)
            check_sane(&m);
        m = flat_touch(ball, line, flat_pose(0, 0, 0), 1, NULL);
        if (m.count > 0)
            check_sane(&m);
    }
    ash_geometry_release(line);
    ash_geometry_release(box);
    ash_geometry_release(ball);
}

/* Without room and without memory the functions say so. */
static void test_no_memory(void **state)
{
    (void)state;
    ash_vec3 ends[2] = {{-1, 0, 0}, {1, 0, 0}};
    ash_geometry *shapes[4] = {flat_circle(1), flat_rectangle(1, 1), flat_capsule(1, 1), flat_segment(ends, 2, 0)};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            assert_true(ashi_can_collide(shapes[i], shapes[k]));
            ashi_manifolds manifolds = {0};
            ashi_pair pair = {.a = shapes[i], .b = shapes[k], .b_in_a = flat_pose(0.1, 0.2, 0.3)};
            ashi_alloc_fail_at(1, true);
            bool done = ashi_collide(&pair, &manifolds);
            ashi_alloc_fail_at(0, false);
            assert_false(done);
            assert_int_equal(manifolds.count, 0);
        }
    for (int i = 0; i < 4; i++)
        ash_geometry_release(shapes[i]);
    assert_int_equal(ash_memory_used().blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coincident),   cmocka_unit_test(test_centre_on_boundary),
        cmocka_unit_test(test_face_to_face), cmocka_unit_test(test_sizes_apart),
        cmocka_unit_test(test_points_stay),  cmocka_unit_test(test_equal_widths),
        cmocka_unit_test(test_no_jumps),     cmocka_unit_test(test_any_cache),
        cmocka_unit_test(test_extremes),     cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
