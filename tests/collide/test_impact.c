/* Times of impact against fine sampling of the distance: no overlap before the time found, the tolerance reached at it.
 * Known cases: bullets and walls, spinning rods, balls that meet, passes without touch. */
#include "collide/query_sets.h"

#include "collide/flat_oracle.h"

#include "collide/query/impact.h"

static double distance_at(const ash_sweep *a, const ash_sweep *b, double time)
{
    ashi_pair_distance c;
    ash_transform b_in_a = t_mul(t_inverse(ashi_sweep_pose(a, time)), ashi_sweep_pose(b, time));
    assert_true(ashi_measure_distance(a->geometry, b->geometry, b_in_a, INFINITY, &c));
    return c.distance;
}

typedef struct tally {
    uint32_t hits, misses, starts, iterations;
} tally;

/* Nothing is closer than the tolerance before the impact, and at it the distance is between half of it and all. */
static void check_impact(const ash_sweep *a, const ash_sweep *b, double time, double tolerance, int samples,
                         tally *count)
{
    ashi_toi toi;
    bool met = ashi_first_impact(a, b, time, tolerance, &toi);
    double end = met ? toi.time : time, rounding = 1e-9;
    count->iterations += toi.iterations;
    assert_true(!met || (toi.time >= 0 && toi.time <= time));
    double first = distance_at(a, b, 0);
    if (first <= tolerance - rounding) {
        count->starts++;
        assert_true(met && toi.time == 0);
        assert_near(toi.closest.distance, first, 1e-7);
        return;
    }
    for (int i = 0; i <= samples; i++) {
        double left = distance_at(a, b, end * i / samples);
        if (!(left >= (met || i < samples ? 0.5 : 1) * tolerance - rounding))
            fail_msg("%g apart at %.9g of %.9g, tolerance %g", left, end * i / samples, end, tolerance);
    }
    if (!met) {
        count->misses++;
        return;
    }
    count->hits++;
    assert_true(toi.converged);
    assert_near(toi.closest.distance, 0.75 * tolerance, 0.25 * tolerance + rounding);
    /* Another triangle or part may be nearer by then, but within the tolerance. */
    assert_near(distance_at(a, b, end), 0.75 * tolerance, 0.25 * tolerance + rounding);
    assert_near(v3_norm(toi.closest.normal), 1, 1e-9);
    assert_near(
        v3_distance(toi.closest.on_b, v3_add_scaled(toi.closest.on_a, toi.closest.normal, toi.closest.distance)), 0,
        1e-9);
    /* The other way round it is the same. */
    ashi_toi turned;
    assert_true(ashi_first_impact(b, a, time, tolerance, &turned));
    assert_near(distance_at(a, b, turned.time), toi.closest.distance, 0.5 * tolerance + rounding);
}

static ash_sweep random_sweep(ashi_random *random, const ash_geometry *geometry, double far, double speed, double spin)
{
    ash_vec3 place = v3_scale(random_direction(random), far);
    ash_vec3 aim = v3_sub(random_vector(random), place);
    return (ash_sweep){.geometry = geometry,
                       .pose = {place, random_rotation(random)},
                       .velocity = v3_scale(aim, speed * ashi_random_range(random, 0, 1)),
                       .angular_velocity = v3_scale(random_vector(random), spin),
                       .centre = ashi_random_below(random, 2) == 0 ? v3(0, 0, 0) : random_vector(random)};
}

static void convex_pairs_miss_no_impact(void **state)
{
    (void)state;
    convex_pool pool = make_pool(51);
    ashi_random random = {52};
    tally count = {0};
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (uint32_t k = 0; k < CONVEX_KINDS; k++)
            for (int round = 0; round < TRIALS(120); round++) {
                ash_sweep a = random_sweep(&random, pool.of[i][ashi_random_below(&random, POOL)], 1, 1, 4);
                ash_sweep b = random_sweep(&random, pool.of[k][ashi_random_below(&random, POOL)],
                                           ashi_random_range(&random, 1, 5), 1.5, 4);
                check_impact(&a, &b, 1, round % 2 == 0 ? 1e-3 : 1e-6, 60, &count);
            }
    assert_true(count.hits > (uint32_t)TRIALS(200) && count.misses > (uint32_t)TRIALS(100) && count.starts > 0);
    release_pool(&pool);
}

static void surfaces_miss_no_impact(void **state)
{
    (void)state;
    convex_pool pool = make_pool(53);
    ash_geometry *targets[] = {make_plane(), make_hills(54), make_field_ball(1, 10), make_faceted_ball(1, 1, false),
                               make_dumbbell()};
    ashi_random random = {55};
    for (int i = 0; i < 5; i++) {
        tally count = {0};
        for (int round = 0; round < TRIALS(250); round++) {
            ash_sweep a = random_sweep(&random, targets[i], 0.5, 0.5, round % 3 == 0 ? 0 : 2);
            ash_sweep b =
                random_sweep(&random, pool.of[round % CONVEX_KINDS][ashi_random_below(&random, POOL)], 5, 2, 4);
            if (i == 1) { /* hills have no walls: from above, onto their middle */
                a = (ash_sweep){.geometry = targets[1], .pose = at(0, 0, 0)};
                b.pose.position = v3(b.pose.position.x / 5, b.pose.position.y / 5, 2 + fabs(b.pose.position.z));
                b.velocity = v3(0, 0, -ashi_random_range(&random, 0, 8));
                b.centre = v3(0, 0, 0);
            }
            check_impact(&a, &b, 1, 1e-3, 40, &count);
        }
        assert_true(count.hits > (uint32_t)TRIALS(250) / 10);
        ash_geometry_release(targets[i]);
    }
    release_pool(&pool);
}

/* Two fields, and a mesh with a field: by the distance alone. */
static void fields_meet(void **state)
{
    (void)state;
    ash_geometry *field = make_field_ball(0.5, 9), *mesh = make_faceted_ball(1, 0.5, false), *ball = make_ball(0.5);
    const ash_geometry *partners[] = {field, mesh, ball};
    for (int i = 0; i < 3; i++) {
        ash_sweep a = {.geometry = field, .pose = at(0, 0, 0), .angular_velocity = v3(0, 1, 0)};
        ash_sweep b = {.geometry = partners[i], .pose = at(3, 0.1, 0), .velocity = v3(-4, 0, 0)};
        ashi_toi toi;
        assert_true(ashi_first_impact(&a, &b, 1, 1e-3, &toi));
        assert_near(toi.time, 0.5, 0.05);
        assert_near(distance_at(&a, &b, toi.time), 0.75e-3, 0.3e-3);
        b.velocity = v3(0, 4, 0);
        assert_false(ashi_first_impact(&a, &b, 1, 1e-3, &toi));
    }
    ash_geometry_release(field);
    ash_geometry_release(mesh);
    ash_geometry_release(ball);
}

/* A ball of 5 cm at 500 m/s against a wall of 1 cm, as a box, a mesh and a plane. */
static void bullets_stop_at_walls(void **state)
{
    (void)state;
    ash_geometry *ball = make_ball(0.025), *wall = make_block(0.005, 1, 1), *plane = make_plane();
    ashi_tessellation tessellation;
    assert_true(ashi_mesh_box(4, v3(0.005, 1, 1), &tessellation));
    ash_geometry_def def = ashi_tessellation_def(&tessellation);
    ash_geometry *mesh = made(&def);
    ashi_tessellation_release(&tessellation);
    ash_sweep walls[3] = {{.geometry = wall, .pose = at(0, 0, 0)},
                          {.geometry = mesh, .pose = at(0, 0, 0)},
                          {.geometry = plane, .pose = {v3(-0.005, 0, 0), ash_rotation(v3(0, 1, 0), -ASHI_PI / 2)}}};
    for (int i = 0; i < 3; i++) {
        ash_sweep b = {
            .geometry = ball, .pose = at(-2, 0.3, 0.2), .velocity = v3(500, 0, 0), .angular_velocity = v3(0, 300, 0)};
        double impact;
        ash_closest closest;
        assert_true(ash_time_of_impact(&b, &walls[i], 1.0 / 60, &impact, &closest));
        assert_near(impact, (2 - 0.005 - 0.025) / 500, 1e-9);
        assert_near(closest.normal.x, 1, 1e-9);
        assert_near(closest.on_b.x, -0.005, 1e-9);
        b.velocity = v3(-500, 0, 0);
        assert_false(ash_time_of_impact(&b, &walls[i], 1.0 / 60, &impact, NULL));
        b.velocity = v3(500, 0, 0); /* too short a time */
        assert_false(ash_time_of_impact(&b, &walls[i], 0.0039, &impact, NULL));
    }
    ash_geometry *all[] = {ball, wall, plane, mesh};
    for (int i = 0; i < 4; i++)
        ash_geometry_release(all[i]);
}

/* A rod of half length 1 turns about its middle, 0.6 from a wall: its end touches at the angle where cos = 0.6. */
static void a_spinning_rod_touches_the_wall(void **state)
{
    (void)state;
    ash_geometry *rod = make_block(0.001, 1, 0.001), *wall = make_block(0.01, 2, 2), *ball = make_ball(0.05);
    ash_sweep a = {.geometry = rod, .pose = at(0, 0, 0), .angular_velocity = v3(0, 0, 10)};
    ash_sweep b = {.geometry = wall, .pose = at(0.61, 0, 0)};
    double impact;
    ash_closest closest;
    assert_true(ash_time_of_impact(&a, &b, 1, &impact, &closest));
    assert_near(impact, asin(0.6) / 10, 2e-4);
    assert_near(fabs(closest.on_a.y), 0.8, 2e-3);
    /* Half a turn within the step, with a ball in the way where neither the start nor the end touches. */
    a.angular_velocity = v3(0, 0, ASHI_PI * 60);
    ash_sweep c = {.geometry = ball, .pose = at(0.9, 0, 0)};
    assert_true(ash_time_of_impact(&a, &c, 1.0 / 60, &impact, &closest));
    assert_true(impact > 0.2 / 60 && impact < 0.5 / 60);
    c.pose = at(1.2, 0, 0);
    assert_false(ash_time_of_impact(&a, &c, 1.0 / 60, &impact, &closest));
    /* The same rod as its end turns about the other: the centre matters. */
    ash_sweep d = {.geometry = rod, .pose = at(0, 1, 0), .angular_velocity = v3(0, 0, -10), .centre = v3(0, -1, 0)};
    ash_sweep e = {.geometry = ball, .pose = at(1.8, 0, 0)};
    assert_true(ash_time_of_impact(&d, &e, 1, &impact, &closest));
    assert_near(impact, (ASHI_PI / 2 - asin(0.05 / 1.8)) / 10, 2e-4);
    ash_geometry_release(rod);
    ash_geometry_release(wall);
    ash_geometry_release(ball);
}

static void balls_meet_on_their_ways(void **state)
{
    (void)state;
    ash_geometry *ball = make_ball(0.5);
    ashi_random random = {56};
    for (int round = 0; round < TRIALS(2000); round++) {
        ash_sweep a = random_sweep(&random, ball, 3, 2, 5), b = random_sweep(&random, ball, 3, 2, 5);
        a.centre = b.centre = v3(0, 0, 0);
        ash_vec3 gap = v3_sub(b.pose.position, a.pose.position), v = v3_sub(b.velocity, a.velocity);
        double near2 = 1 + 1e-6, along = v3_dot(gap, v), square = v3_norm2(v);
        double rest = along * along - square * (v3_norm2(gap) - near2 * near2), impact;
        bool expected = rest > 0 && along < 0 && (-along - sqrt(rest)) / square <= 1, start = v3_norm(gap) < 1;
        bool met = ash_time_of_impact(&a, &b, 1, &impact, NULL);
        if (fabs(rest) < 1e-4 * square || start)
            continue;
        assert_int_equal(met, expected);
        if (met)
            assert_near(impact, (-along - sqrt(rest)) / square, 2e-6 / sqrt(rest));
    }
    ash_geometry_release(ball);
}

static void flat_shapes_miss_no_impact(void **state)
{
    (void)state;
    static const ash_geometry_kind kinds[4] = {ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_POLYGON, ASH_GEOMETRY_FLAT_CAPSULE,
                                               ASH_GEOMETRY_SEGMENT};
    ashi_random random = {57};
    tally count = {0};
    for (int round = 0; round < TRIALS(1500); round++) {
        ash_geometry *a = random_flat(&random, kinds[round % 4], 0.5),
                     *b = random_flat(&random, kinds[round / 4 % 4], 0.5);
        ash_sweep one = {.geometry = a, .pose = flat_pose(0, 0, 1), .angular_velocity = v3(0, 0, 3)};
        double angle = ashi_random_range(&random, 0, 6);
        ash_sweep two = {.geometry = b,
                         .pose = flat_pose(3 * cos(angle), 3 * sin(angle), angle),
                         .velocity = v3(-4 * cos(angle + 0.2), -4 * sin(angle + 0.2), 0),
                         .angular_velocity = v3(0, 0, ashi_random_range(&random, -9, 9))};
        check_impact(&one, &two, 1, 1e-4, 60, &count);
        ash_geometry_release(a);
        ash_geometry_release(b);
    }
    assert_true(count.hits > (uint32_t)TRIALS(100));
}

static void misuse_finds_nothing(void **state)
{
    (void)state;
    ash_geometry *ball = make_ball(1), *circle = flat_circle(1), *plane = make_plane();
    ash_sweep good = {.geometry = ball, .pose = ash_identity()}, bad = good, flat = good, floor = good;
    double impact = 7;
    assert_true(ash_time_of_impact(&good, &good, 1, &impact, NULL));
    assert_near(impact, 0, 0);
    impact = 7;
    assert_false(ash_time_of_impact(&good, &good, NAN, &impact, NULL));
    assert_false(ash_time_of_impact(&good, &good, -1, &impact, NULL));
    assert_false(ash_time_of_impact(&good, &good, 1, NULL, NULL));
    assert_false(ash_time_of_impact(&good, NULL, 1, &impact, NULL));
    bad.velocity.x = NAN;
    assert_false(ash_time_of_impact(&bad, &good, 1, &impact, NULL));
    bad = good;
    bad.geometry = NULL;
    assert_false(ash_time_of_impact(&good, &bad, 1, &impact, NULL));
    bad = good;
    bad.pose.rotation = (ash_quat){0, 0, 0, 0};
    assert_false(ash_time_of_impact(&good, &bad, 1, &impact, NULL));
    flat.geometry = circle;
    assert_false(ash_time_of_impact(&good, &flat, 1, &impact, NULL));
    floor.geometry = plane;
    assert_false(ash_time_of_impact(&floor, &floor, 1, &impact, NULL));
    assert_near(impact, 7, 0);
    ash_geometry_release(ball);
    ash_geometry_release(circle);
    ash_geometry_release(plane);
}

static void nothing_is_allocated(void **state)
{
    (void)state;
    ash_geometry *ball = make_ball(0.2), *rod = make_block(0.05, 1, 0.05);
    ash_geometry *sets[] = {make_block(1, 1, 0.1),          make_plane(),          make_hills(58),
                            make_faceted_ball(2, 1, false), make_field_ball(1, 9), make_dumbbell()};
    uint64_t before = ash_memory_used().allocations;
    uint32_t hits = 0;
    for (int i = 0; i < 6; i++) {
        ash_sweep a = {.geometry = sets[i], .pose = ash_identity()};
        ash_sweep b = {.geometry = ball, .pose = at(0.1, 0.2, 3), .velocity = v3(0, 0, -5)};
        ash_sweep c = {
            .geometry = rod, .pose = at(0.1, 0.2, 3), .velocity = v3(0, 0, -5), .angular_velocity = v3(9, 0, 0)};
        double impact;
        hits += ash_time_of_impact(&a, &b, 1, &impact, NULL);
        hits += ash_time_of_impact(&c, &a, 1, &impact, NULL);
    }
    assert_true(hits >= 10);
    assert_int_equal(ash_memory_used().allocations, before);
    ash_geometry_release(ball);
    ash_geometry_release(rod);
    for (int i = 0; i < 6; i++)
        ash_geometry_release(sets[i]);
}

static double long_ball(ash_vec3 p, void *user)
{
    (void)user;
    return sqrt(p.x * p.x / 400 + p.y * p.y + p.z * p.z) - 0.8;
}

/* Two long distance fields that turn fast: their distance shrinks slowly beside what it might. The search ends early,
 * at a time before which nothing is met. */
static void test_work_is_bounded(void **state)
{
    (void)state;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    def.cells[0] = def.cells[1] = def.cells[2] = 17;
    def.spacing = v3(2.5, 0.125, 0.125);
    def.origin = v3(-20, -1, -1);
    def.sample_function = long_ball;
    ash_geometry *field;
    assert_int_equal(ash_geometry_create(&def, &field, NULL), ASH_OK);
    ash_sweep a = {.geometry = field, .pose = ash_identity(), .angular_velocity = {200, 0, 0}};
    ash_sweep b = {.geometry = field, .pose = {v3(0, 0, 3), {1, 0, 0, 0}}, .angular_velocity = {300, 0, 0}};
    b.velocity = v3(0, 0, -0.1);
    ashi_toi toi;
    assert_true(ashi_first_impact(&a, &b, 100, 1e-6, &toi));
    assert_false(toi.converged);
    assert_true(toi.iterations < 210000);
    assert_true(toi.time >= 0 && toi.time < 14 && toi.closest.distance > 0); /* they touch at 14 s */
    ash_geometry_release(field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_bounded),     cmocka_unit_test(convex_pairs_miss_no_impact),
        cmocka_unit_test(surfaces_miss_no_impact),  cmocka_unit_test(fields_meet),
        cmocka_unit_test(bullets_stop_at_walls),    cmocka_unit_test(a_spinning_rod_touches_the_wall),
        cmocka_unit_test(balls_meet_on_their_ways), cmocka_unit_test(flat_shapes_miss_no_impact),
        cmocka_unit_test(misuse_finds_nothing),     cmocka_unit_test(nothing_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
