/* Chains of segments: what slides over them feels the line, not its corners. Straight chains give the floor's normal to
 * 1e-9, convex ones the contact of the solid that they bound, and nothing is met from behind. */
#include "flat_oracle.h"

#include "collide/query/closest.h"

enum { MOST_PIECES = 16 };

typedef struct chain {
    ash_geometry *pieces[MOST_PIECES];
    uint32_t count;
} chain;

/* What a shape meets along a chain. */
typedef struct touched {
    uint32_t count;
    ashi_manifold manifolds[MOST_PIECES];
    uint32_t piece[MOST_PIECES];
    double deepest;
    ash_vec3 normal; /* of the deepest, out of the chain */
} touched;

static chain make_chain(const ash_vec3 *points, uint32_t count, double radius)
{
    chain c = {.count = count - 1};
    for (uint32_t i = 0; i + 1 < count; i++) {
        ash_vec3 four[4] = {points[i > 0 ? i - 1 : 0], points[i], points[i + 1],
                            points[i + 2 < count ? i + 2 : count - 1]};
        c.pieces[i] = flat_segment(four, 4, radius);
    }
    return c;
}

static void release_chain(chain *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        ash_geometry_release(c->pieces[i]);
}

/* The shape at a pose, the chain at the origin. */
static touched touch_chain(const chain *c, const ash_geometry *shape, ash_transform pose, double margin)
{
    touched t = {.deepest = -INFINITY};
    for (uint32_t i = 0; i < c->count; i++) {
        /* Every second time the other way round: from the chain's frame. */
        ashi_manifold m = i % 2 ? flat_touch(c->pieces[i], shape, pose, margin, NULL)
                                : flat_touch(shape, c->pieces[i], t_inverse(pose), margin, NULL);
        if (m.count == 0)
            continue;
        if (i % 2 == 0)
            m.normal = v3_neg(q_rotate(pose.rotation, m.normal));
        if (deepest(&m) > t.deepest) {
            t.deepest = deepest(&m);
            t.normal = m.normal;
        }
        t.piece[t.count] = i;
        t.manifolds[t.count++] = m;
    }
    return t;
}

/* Uneven pieces along a line at any angle; shapes of each kind slide over it, sunk in or above it within the margin. */
static void test_straight_floor(void **state)
{
    (void)state;
    ashi_random random = {11};
    int contacts = 0;
    for (int round = 0; round < 60; round++) {
        double tilt = ashi_random_range(&random, -3.1, 3.1), rounding = round % 2 ? 0.05 : 0;
        ash_vec3 along = v3(cos(tilt), sin(tilt), 0), up = v3(-along.y, along.x, 0), points[9];
        double at = 0;
        for (int i = 0; i < 9; i++) {
            points[i] = v3_scale(along, at);
            at += ashi_random_range(&random, 0.2, 1.2);
        }
        chain floor = make_chain(points, 9, rounding);
        ash_geometry_kind kind = (ash_geometry_kind)(ASH_GEOMETRY_CIRCLE + round % 3);
        ash_geometry *shape = random_flat(&random, kind, 0.8);
        double turn = ashi_random_range(&random, -3, 3);
        for (int step = 0; step < 1500; step++) {
            double sunk = ashi_random_range(&random, -0.01, 0.05), x = 1 + (v3_norm(points[8]) - 2) * step / 1500;
            turn += 1e-3;
            ash_transform pose = flat_pose(0, 0, turn);
            /* Lowest point on the line, sunk in by the given depth. */
            ash_vec3 lowest = ash_geometry_support(shape, q_unrotate(pose.rotation, v3_neg(up)));
            ash_vec3 place = v3_add_scaled(v3_scale(along, x), up, rounding - sunk);
            pose.position = v3_sub(place, q_rotate(pose.rotation, lowest));
            touched t = touch_chain(&floor, shape, pose, 0.02);
            assert_true(t.count >= 1);
            assert_near(t.deepest, sunk, 1e-12);
            for (uint32_t i = 0; i < t.count; i++)
                assert_below(v3_distance(t.manifolds[i].normal, up), 1e-9);
            if (kind == ASH_GEOMETRY_CIRCLE)
                assert_int_equal(t.count, 1);
            contacts += (int)t.count;
        }
        ash_geometry_release(shape);
        release_chain(&floor);
    }
    assert_true(contacts > 60 * 1500);
}

/* The same box over two separate segments catches on their ends: the test above can fail. */
static void test_lone_segments_have_ends(void **state)
{
    (void)state;
    ash_vec3 ends[2] = {{0, 0, 0}, {1, 0, 0}};
    ash_geometry *segment = flat_segment(ends, 2, 0), *box = flat_rectangle(0.5, 0.5);
    ashi_manifold m = flat_touch(segment, box, flat_pose(-0.49, 0.48, 0), 0, NULL);
    assert_int_equal(m.count > 0, 1);
    assert_near(m.normal.x, -1, 1e-12);
    /* And it is met from both sides. */
    m = flat_touch(segment, box, flat_pose(0.5, -0.48, 0), 0, NULL);
    assert_near(m.normal.y, -1, 1e-12);
    assert_int_equal(m.count, 2);
    ash_geometry_release(segment);
    ash_geometry_release(box);
}

/* A hill of n pieces over half a circle, run over to the right, and the solid polygon that it bounds. */
static chain make_hill(int pieces, ash_geometry **solid)
{
    ash_vec3 points[MOST_PIECES + 1];
    for (int i = 0; i <= pieces; i++) {
        double angle = 3.141592653589793 * (pieces - i) / pieces;
        points[i] = v3(2 * cos(angle), 2 * sin(angle), 0);
    }
    *solid = flat_polygon(points, (uint32_t)pieces + 1);
    return make_chain(points, (uint32_t)pieces + 1, 0);
}

/* Seen from outside, near the surface, the chain is the solid's surface: depth and normal agree. */
static void test_convex_hill(void **state)
{
    (void)state;
    ashi_random random = {12};
    int compared = 0, at_corners = 0, deep = 0, other_side = 0;
    for (int round = 0; round < FLAT_ROUNDS / 4; round++) {
        ash_geometry *solid;
        int pieces = 3 + round % 9;
        chain hill = make_hill(pieces, &solid);
        ash_geometry_kind kind = (ash_geometry_kind)(ASH_GEOMETRY_CIRCLE + round % 3);
        ash_geometry *shape = random_flat(&random, kind, 0.8);
        double way = ashi_random_range(&random, 0.4, 2.7), far = 4, turn = ashi_random_range(&random, -3, 3);
        double wanted =
            round % 2 ? ashi_random_range(&random, -0.004, 0.02) : ashi_random_range(&random, -0.06, -0.004);
        oracle_shape ground = oracle_of(solid), body = oracle_of(shape);
        for (int i = 0; i < 4; i++) { /* in from afar, to about the wanted distance */
            oracle_shape moved = oracle_moved(body, far * cos(way), far * sin(way), turn);
            far += wanted - oracle_distance(&ground, &moved);
        }
        ash_transform pose = flat_pose(far * cos(way), far * sin(way), turn);
        ashi_manifold m = flat_touch(solid, shape, pose, 0.05, NULL);
        touched t = touch_chain(&hill, shape, pose, 0.05);
        double depth = deepest(&m);
        if (depth < 0.003 && m.normal.y > 0.1) { /* shallow, and not at the flat bottom of the solid */
            assert_true(t.count > 0);
            assert_near(t.deepest, depth, 1e-12);
            assert_below(v3_distance(t.normal, m.normal), 1e-9);
            compared++;
            if (kind == ASH_GEOMETRY_CIRCLE) {
                assert_int_equal(t.count, 1);
                double sector = acos(m.normal.x) / 3.141592653589793 * pieces;
                at_corners += fabs(sector - floor(sector) - 0.5) > 1e-6; /* not the middle of a piece: a corner */
            }
            /* Every normal lies between those of neighbouring pieces, so nothing ever pushes back along the hill. */
            for (uint32_t i = 0; i < t.count; i++)
                assert_true(v3_dot(t.manifolds[i].normal, v3_unit(pose.position)) > 0);
        } else if (m.count == 0) {
            assert_int_equal(t.count, 0);
        } else if (m.normal.y > 0.1) {
            /* Sunk in farther than some faces are long: never lost, but a neighbour may see it from its own side. */
            assert_true(t.count > 0);
            deep++;
            other_side += fabs(t.deepest - depth) > 1e-12;
        }
        ash_geometry_release(shape);
        ash_geometry_release(solid);
        release_chain(&hill);
    }
    print_message("%d shallow: all as the solid; %d deep: %d otherwise\n", compared, deep, other_side);
    assert_true(compared > FLAT_ROUNDS / 20);
    assert_true(deep > FLAT_ROUNDS / 20 && other_side <= 3 + deep / 500);
    assert_true(at_corners > FLAT_ROUNDS / 500);
}

/* Rolling over a convex chain: one contact at every place, and normal and depth move without jumps. */
static void test_rolling_is_smooth(void **state)
{
    (void)state;
    ash_geometry *solid, *ball = flat_circle(0.3);
    chain hill = make_hill(7, &solid);
    ash_vec3 last = v3(0, 0, 0);
    double last_depth = 0;
    for (int step = 0; step < 20000; step++) {
        double angle = 2.6 - 2 * step / 20000.0;
        touched t = touch_chain(&hill, ball, flat_pose(2.27 * cos(angle), 2.27 * sin(angle), 0), 0.3);
        assert_int_equal(t.count, 1);
        if (step > 0) {
            assert_below(v3_distance(t.normal, last),
                         1.5e-3); /* a step is 2.3e-4 m around corners 0.1 m and more away */
            assert_below(fabs(t.deepest - last_depth), 1e-4);
        }
        last = t.normal;
        last_depth = t.deepest;
    }
    ash_geometry_release(ball);
    ash_geometry_release(solid);
    release_chain(&hill);
}

/* In a valley both slopes hold; each with its own normal. */
static void test_valley(void **state)
{
    (void)state;
    ash_vec3 points[3] = {{-2, 2, 0}, {0, 0, 0}, {2, 2, 0}};
    double half = sqrt(0.5);
    chain valley = make_chain(points, 3, 0);
    ash_geometry *ball = flat_circle(0.5), *box = flat_rectangle(0.5, 0.5);
    touched t = touch_chain(&valley, ball, flat_pose(0, 0.49 / half, 0), 0);
    assert_int_equal(t.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_near(t.manifolds[i].points[0].depth, 0.01, 1e-12);
        assert_below(v3_distance(t.manifolds[i].normal, v3(i == 0 ? half : -half, half, 0)), 1e-12);
    }
    t = touch_chain(&valley, box, flat_pose(0, 0.49 / half, 0.25 * 3.141592653589793), 0);
    assert_int_equal(t.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(t.manifolds[i].count, 2);
        assert_near(t.manifolds[i].points[0].depth, 0.01, 1e-12);
        assert_near(t.manifolds[i].points[1].depth, 0.01, 1e-12);
    }
    /* Floor and wall: a box slides along the floor into the wall, and only then meets it. */
    ash_vec3 room[3] = {{-2, 0, 0}, {0, 0, 0}, {0, 2, 0}};
    chain corner = make_chain(room, 3, 0);
    t = touch_chain(&corner, box, flat_pose(-0.6, 0.49, 0), 0);
    assert_int_equal(t.count, 1);
    assert_below(v3_distance(t.normal, v3(0, 1, 0)), 1e-12);
    t = touch_chain(&corner, box, flat_pose(-0.495, 0.49, 0), 0);
    assert_int_equal(t.count, 2);
    assert_near(deepest(&t.manifolds[0]), 0.01, 1e-12);
    assert_near(deepest(&t.manifolds[1]), 0.005, 1e-12);
    assert_below(v3_distance(t.manifolds[1].normal, v3(-1, 0, 0)), 1e-12);
    release_chain(&corner);
    release_chain(&valley);
    ash_geometry_release(ball);
    ash_geometry_release(box);
}

/* At its ends a chain is round over a quarter turn; behind it there is nothing. */
static void test_ends_and_back(void **state)
{
    (void)state;
    ash_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    chain line = make_chain(points, 3, 0);
    ash_geometry *ball = flat_circle(0.5), *box = flat_rectangle(0.2, 0.2), *stick = flat_capsule(0.4, 0.1);
    for (int end = 0; end < 2; end++) {
        double x = end == 0 ? 0 : 2, out = end == 0 ? -1 : 1;
        for (int i = 0; i <= 90; i++) {
            double angle = i / 180.0 * 3.141592653589793, c = cos(angle), s = sin(angle);
            touched t = touch_chain(&line, ball, flat_pose(x + out * 0.49 * s, 0.49 * c + 1e-15, 0), 0);
            assert_int_equal(t.count, 1);
            assert_near(t.deepest, 0.01, 1e-12);
            assert_below(v3_distance(t.normal, v3(out * s, c, 0)), 1e-12);
        }
        /* A corner of the box beside the end: the same round end. */
        touched t = touch_chain(&line, box, flat_pose(x + out * 0.23, 0.24, 0), 0.1);
        assert_int_equal(t.count, 1);
        assert_near(t.deepest, -0.05, 1e-12);
        assert_below(v3_distance(t.normal, v3(0.6 * out, 0.8, 0)), 1e-12);
        t = touch_chain(&line, stick, flat_pose(x + out * 0.26, 0.08, 0), 0);
        assert_int_equal(t.count, 1);
        assert_below(v3_distance(t.normal, v3(0.6 * out, 0.8, 0)), 1e-12);
    }
    const ash_geometry *shapes[3] = {ball, box, stick};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 200; k++) {
            touched t = touch_chain(&line, shapes[i], flat_pose(0.3 + k / 150.0, -1e-9, 0.3 * k), 0.2);
            assert_int_equal(t.count, 0);
            t = touch_chain(&line, shapes[i], flat_pose(0.3 + k / 150.0, -0.15, 0.3 * k), 0.2);
            assert_int_equal(t.count, 0);
        }
    ash_geometry_release(ball);
    ash_geometry_release(box);
    ash_geometry_release(stick);
    release_chain(&line);
}

/* A chain made in one call collides as its pieces do, turned and moved; queries see each piece between its own ends. */
static void test_chain_as_compound(void **state)
{
    (void)state;
    ashi_random random = {13};
    ash_vec3 points[5] = {{-2, 0, 0}, {-1, 0.5, 0}, {0, 0.6, 0}, {1, 0, 0}, {2, 1, 0}};
    chain pieces = make_chain(points, 5, 0.1);
    ash_geometry *whole;
    assert_int_equal(ash_geometry_create_chain(points, 5, false, 0.1, &whole, NULL), ASH_OK);
    int contacts = 0;
    for (int round = 0; round < 3000; round++) {
        ash_geometry *shape = random_flat(&random, (ash_geometry_kind)(ASH_GEOMETRY_CIRCLE + round % 3), 0.6);
        ash_transform pose = flat_pose(ashi_random_range(&random, -2, 2), ashi_random_range(&random, 0, 1), round);
        touched t = touch_chain(&pieces, shape, pose, 0.01);
        ashi_manifold storage[8];
        ashi_manifolds found = {storage, 0, 8};
        ashi_pair pair = {.a = whole, .b = shape, .b_in_a = pose, .margin = 0.01};
        assert_true(ashi_collide(&pair, &found));
        assert_int_equal(found.count, t.count);
        for (uint32_t i = 0; i < t.count; i++) {
            assert_int_equal(storage[i].part_a, t.piece[i]);
            assert_int_equal(storage[i].count, t.manifolds[i].count);
            assert_below(v3_distance(storage[i].normal, t.manifolds[i].normal), 1e-12);
            assert_near(deepest(&storage[i]), deepest(&t.manifolds[i]), 1e-12);
        }
        contacts += (int)t.count;
        ash_geometry_release(shape);
    }
    assert_true(contacts > 1000);
    ash_geometry *ball = flat_circle(0.25);
    ashi_pair_distance closest;
    assert_true(ashi_measure_distance(pieces.pieces[1], ball, flat_pose(-3, 0.5, 0), 9, &closest));
    assert_near(closest.distance, 2 - 0.35, 1e-14);
    assert_below(v3_distance(closest.on_a, v3(-1.1, 0.5, 0)), 1e-14);
    ash_geometry_release(ball);
    ash_geometry_release(whole);
    release_chain(&pieces);
}

/* A ridge sharper than a right angle: a plate balanced on it is held by its lower side, once. */
static void test_sharp_ridge(void **state)
{
    (void)state;
    ash_vec3 points[3] = {{-1, -3, 0}, {0, 0, 0}, {1, -3, 0}};
    chain ridge = make_chain(points, 3, 0);
    ash_geometry *plate = flat_rectangle(3, 0.1), *stick = flat_capsule(3, 0.1);
    for (int i = -20; i <= 20; i++) {
        double tilt = i / 40.0, x = i / 10.0;
        ash_vec3 up = v3(-sin(tilt), cos(tilt), 0);
        ash_vec3 centre = v3_add_scaled(v3_scale(v3(cos(tilt), sin(tilt), 0), x), up, 0.1 - 1e-3);
        touched t = touch_chain(&ridge, plate, flat_pose(centre.x, centre.y, tilt), 0);
        assert_int_equal(t.count, 1);
        assert_int_equal(t.manifolds[0].count, 1);
        assert_near(t.deepest, 1e-3, 1e-12);
        assert_below(v3_distance(t.normal, up), 1e-9);
        if (fabs(x) < 1.5) {
            t = touch_chain(&ridge, stick, flat_pose(centre.x, centre.y, tilt), 0);
            assert_int_equal(t.count, 1);
            assert_near(t.deepest, 1e-3, 1e-12);
            assert_below(v3_distance(t.normal, up), 1e-9);
        }
    }
    ash_geometry_release(plate);
    ash_geometry_release(stick);
    release_chain(&ridge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_floor), cmocka_unit_test(test_lone_segments_have_ends),
        cmocka_unit_test(test_convex_hill),    cmocka_unit_test(test_rolling_is_smooth),
        cmocka_unit_test(test_valley),         cmocka_unit_test(test_ends_and_back),
        cmocka_unit_test(test_sharp_ridge),    cmocka_unit_test(test_chain_as_compound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
