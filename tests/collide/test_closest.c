/* Closest points against certificates that need no other algorithm: the points lie on the surfaces, opposite each
 * other, and the plane between them bounds the distance from below; no direction gives a smaller depth. Surfaces of
 * triangles against hulls of the same points and against a loop over all triangles. */
#include "collide/query_sets.h"

#include "collide/flat_oracle.h"

#include "ashlar/query.h"
#include "collide/query/closest.h"
#include "collide/surface/triangles.h"

static ash_closest closest_of(const ash_geometry *a, ash_transform pose_a, const ash_geometry *b, ash_transform pose_b)
{
    ash_closest c;
    assert_int_equal(ash_closest_points(a, pose_a, b, pose_b, &c), ASH_OK);
    assert_near(v3_norm(c.normal), 1, 1e-12);
    assert_near(v3_distance(c.on_b, v3_add_scaled(c.on_a, c.normal, c.distance)), 0, 1e-12 + 1e-12 * fabs(c.distance));
    return c;
}

static void check_certificates(const ash_geometry *a, const ash_geometry *b, ashi_random *random, uint32_t *apart,
                               uint32_t *inexact)
{
    ash_transform pose_a = {random_vector(random), random_rotation(random)};
    ash_transform pose_b = t_mul(pose_a, random_pose(random, a, b)), b_in_a = t_mul(t_inverse(pose_a), pose_b);
    ash_closest c = closest_of(a, pose_a, b, pose_b);
    double size = reach_of(a) + reach_of(b), tolerance = 1e-9 * size;
    double off_a = fabs(ash_geometry_distance(a, t_point_inverse(pose_a, c.on_a)));
    double off_b = fabs(ash_geometry_distance(b, t_point_inverse(pose_b, c.on_b)));
    assert_below(fmax(off_a, off_b), c.distance > 0 ? tolerance : 1e-4 * size);
    *inexact += fmax(off_a, off_b) > tolerance;
    ash_vec3 n = q_unrotate(pose_a.rotation, c.normal);
    assert_near(overlap_along(a, b, b_in_a, n), -c.distance, tolerance);
    *apart += c.distance > 0;
    for (int i = 0; i < 8 && c.distance < 0; i++)
        assert_true(overlap_along(a, b, b_in_a, random_direction(random)) >= -c.distance - tolerance);
}

static void convex_pairs_have_certificates(void **state)
{
    (void)state;
    convex_pool pool = make_pool(21);
    ashi_random random = {22};
    uint32_t apart = 0, inexact = 0, total = 0;
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (uint32_t k = 0; k < CONVEX_KINDS; k++)
            for (int round = 0; round < TRIALS(5000); round++, total++)
                check_certificates(pool.of[i][ashi_random_below(&random, POOL)],
                                   pool.of[k][ashi_random_below(&random, POOL)], &random, &apart, &inexact);
    assert_true(apart > total / 4 && apart < total / 4 * 3);
    /* Deep overlap of curved sets: the depth is always exact, its place but for rare cases. */
    assert_true(inexact <= total / 50000);
    release_pool(&pool);
}

static void planes_are_closed_forms(void **state)
{
    (void)state;
    convex_pool pool = make_pool(23);
    ash_geometry *plane = make_plane();
    ashi_random random = {24};
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (int round = 0; round < TRIALS(2000); round++) {
            const ash_geometry *b = pool.of[i][ashi_random_below(&random, POOL)];
            ash_transform pose_a = {random_vector(&random), random_rotation(&random)};
            ash_transform pose_b = {v3_scale(random_vector(&random), 3), random_rotation(&random)};
            ash_closest c = closest_of(plane, pose_a, b, pose_b), d = closest_of(b, pose_b, plane, pose_a);
            ash_vec3 up = q_rotate(pose_a.rotation, v3(0, 0, 1));
            ash_vec3 low = t_point(pose_b, ash_geometry_support(b, q_unrotate(pose_b.rotation, v3_neg(up))));
            assert_near(c.distance, v3_dot(up, v3_sub(low, pose_a.position)), 1e-12);
            assert_near(v3_distance(c.normal, up), 0, 1e-12);
            assert_near(ash_geometry_distance(b, t_point_inverse(pose_b, c.on_b)), 0, 1e-9);
            assert_near(d.distance, c.distance, 1e-12);
            assert_near(v3_distance(d.on_a, c.on_b) + v3_distance(d.normal, v3_neg(c.normal)), 0, 1e-11);
        }
    ash_geometry_release(plane);
    release_pool(&pool);
}

static void a_mesh_is_as_far_as_its_hull(void **state)
{
    (void)state;
    convex_pool pool = make_pool(25);
    ash_geometry *mesh = make_faceted_ball(2, 1, false), *hull = make_faceted_ball(2, 1, true);
    ashi_random random = {26};
    uint32_t apart = 0, deep = 0;
    for (uint32_t i = 0; i < CONVEX_KINDS; i++)
        for (int round = 0; round < TRIALS(400); round++) {
            const ash_geometry *b = pool.of[i][ashi_random_below(&random, POOL)];
            ash_transform pose_a = {random_vector(&random), random_rotation(&random)};
            ash_transform pose_b = t_mul(pose_a, random_pose(&random, mesh, b));
            ash_closest of_mesh = closest_of(mesh, pose_a, b, pose_b), of_hull = closest_of(hull, pose_a, b, pose_b);
            if (of_hull.distance > 1e-6) {
                apart++;
                assert_near(of_mesh.distance, of_hull.distance, 1e-9);
                assert_near(v3_distance(of_mesh.on_b, of_hull.on_b), 0, 1e-5);
            } else if (of_hull.distance < -1e-6) {
                /* The way out along a face's normal frees it, and is no shorter than the shortest of all. */
                deep++;
                assert_true(of_mesh.distance <= of_hull.distance + 1e-6);
                pose_b.position = v3_add_scaled(pose_b.position, of_mesh.normal, -of_mesh.distance + 1e-6);
                assert_true(closest_of(hull, pose_a, b, pose_b).distance > 0);
            }
        }
    assert_true(apart > (uint32_t)TRIALS(100) && deep > (uint32_t)TRIALS(100));
    ash_geometry_release(mesh);
    ash_geometry_release(hull);
    release_pool(&pool);
}

typedef struct loop_search {
    const ashi_core *core;
    ash_transform pose;
    double least;
    uint32_t triangles;
} loop_search;

static double visit_all(const ash_vec3 corners[3], uint32_t number, double limit, void *user)
{
    (void)number;
    loop_search *search = user;
    ashi_core triangle;
    ashi_core_init_triangle(&triangle, corners);
    ashi_separation s = ashi_core_separation(&triangle, search->core, search->pose, INFINITY, NULL);
    search->least = fmin(search->least, s.distance);
    search->triangles++;
    return limit;
}

/* Hills, and a ball as a field: the nearest of all triangles, found without looking at all. */
static void nearest_triangles_are_not_overlooked(void **state)
{
    (void)state;
    convex_pool pool = make_pool(27);
    ash_geometry *surfaces[3] = {make_hills(28), make_field_ball(1, 14), make_faceted_ball(2, 1, false)};
    ashi_random random = {29};
    uint32_t apart = 0;
    for (int round = 0; round < TRIALS(1200); round++) {
        const ash_geometry *surface = surfaces[round % 3];
        const ash_geometry *b = pool.of[ashi_random_below(&random, CONVEX_KINDS)][ashi_random_below(&random, POOL)];
        ash_transform pose = {v3_mul(random_vector(&random), v3(4, 4, 3)), random_rotation(&random)};
        ashi_core core;
        ashi_core_init(&core, b);
        loop_search search = {&core, pose, INFINITY, 0};
        ash_bounds all = {v3(-INFINITY, -INFINITY, -INFINITY), v3(INFINITY, INFINITY, INFINITY)};
        ashi_triangles_visit(surface, all, INFINITY, visit_all, &search);
        if (round % 3 == 0)
            assert_int_equal(search.triangles, 2 * (HILLS - 1) * (HILLS - 1));
        ash_closest c = closest_of(surface, ash_identity(), b, pose);
        if (!(c.distance > 0)) {
            /* All inside; what straddles the outline of the hills is inside by its point nearest to their middle. */
            ash_vec3 inward = v3_neg(q_unrotate(pose.rotation, v3(pose.position.x, pose.position.y, 0)));
            ash_vec3 point = t_point(pose, ashi_convex_support(&core.convex, inward, NULL));
            assert_true(search.least <= 1e-9 || ashi_surface_contains(surface, point));
            continue;
        }
        apart++;
        assert_near(c.distance, search.least, 1e-10);
        /* A bound on the distance answers whether it is within. */
        ashi_pair_distance bounded;
        assert_true(ashi_measure_distance(surface, b, pose, 0.9 * c.distance, &bounded));
        assert_true(bounded.distance > 0.9 * c.distance);
        assert_true(ashi_measure_distance(surface, b, pose, 1.1 * c.distance, &bounded));
        assert_near(bounded.distance, c.distance, 1e-10);
    }
    assert_true(apart > (uint32_t)TRIALS(1200) / 4);
    for (int i = 0; i < 3; i++)
        ash_geometry_release(surfaces[i]);
    release_pool(&pool);
}

/* The field's surface differs from the ball's by the square of the spacing. */
static void fields_are_as_far_as_what_they_sample(void **state)
{
    (void)state;
    ash_geometry *field = make_field_ball(1, 40), *ball = make_ball(0.3), *same = make_ball(1);
    ashi_random random = {30};
    double spacing = 2.6 / 39;
    for (int round = 0; round < TRIALS(300); round++) {
        ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0.9, 3)), q_identity()};
        ash_closest c = closest_of(field, ash_identity(), ball, pose),
                    exact = closest_of(same, ash_identity(), ball, pose);
        assert_near(c.distance, exact.distance, spacing * spacing);
        assert_near(v3_distance(c.normal, exact.normal), 0, 2 * spacing);
    }
    /* Two fields and a field over a plane. */
    for (int round = 0; round < TRIALS(40); round++) {
        ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 1.7, 3)),
                              random_rotation(&random)};
        ash_closest c = closest_of(field, ash_identity(), field, pose);
        assert_near(c.distance, v3_norm(pose.position) - 2, 3 * spacing * spacing);
    }
    ash_geometry *plane = make_plane();
    assert_near(closest_of(plane, ash_identity(), field, at(0, 0, 1.5)).distance, 0.5, spacing * spacing);
    assert_near(closest_of(field, at(0, 0, 0.5), plane, ash_identity()).distance, -0.5, spacing * spacing);
    ash_geometry_release(plane);
    ash_geometry_release(field);
    ash_geometry_release(ball);
    ash_geometry_release(same);
}

/* A field that the grid cuts in half ends there. */
static void fields_end_at_the_sides_of_their_grid(void **state)
{
    (void)state;
    double radius = 1;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    def.cells[0] = def.cells[1] = 27;
    def.cells[2] = 14;
    def.origin = v3(-1.3, -1.3, -1.3);
    def.spacing = v3(0.1, 0.1, 0.1);
    def.sample_function = ball_distance;
    def.sample_user = &radius;
    ash_geometry *half = made(&def), *ball = make_ball(0.1);
    assert_near(closest_of(half, ash_identity(), ball, at(0.2, 0.1, 0.5)).distance, 0.4, 1e-9);
    assert_near(closest_of(half, ash_identity(), ball, at(0.2, 0.1, 0.05)).distance, -0.05, 1e-9);
    assert_near(closest_of(half, ash_identity(), ball, at(0.2, 0.1, -0.05)).distance, -0.15, 1e-9);
    ash_geometry_release(half);
    ash_geometry_release(ball);
}

static void flat_pairs_agree_with_the_oracle(void **state)
{
    (void)state;
    static const ash_geometry_kind kinds[4] = {ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_POLYGON, ASH_GEOMETRY_FLAT_CAPSULE,
                                               ASH_GEOMETRY_SEGMENT};
    ashi_random random = {31};
    for (int pair = 0; pair < 16; pair++)
        for (int round = 0; round < TRIALS(1000); round++) {
            ash_geometry *a = random_flat(&random, kinds[pair / 4], 1), *b = random_flat(&random, kinds[pair % 4], 1);
            double x = ashi_random_range(&random, -2, 2), y = ashi_random_range(&random, -2, 2);
            double angle = ashi_random_range(&random, -3, 3);
            oracle_shape of_a = oracle_of(a), of_b = oracle_moved(oracle_of(b), x, y, angle);
            double expected = oracle_distance(&of_a, &of_b);
            ash_closest c = closest_of(a, ash_identity(), b, flat_pose(x, y, angle));
            assert_near(c.distance, expected, 1e-12);
            assert_near(ash_geometry_distance(a, c.on_a), 0, 1e-12);
            assert_near(ash_geometry_distance(b, t_point_inverse(flat_pose(x, y, angle), c.on_b)), 0, 1e-12);
            assert_true(c.on_a.z == 0 && c.normal.z == 0);
            ash_geometry_release(a);
            ash_geometry_release(b);
        }
}

static void compounds_are_their_nearest_parts(void **state)
{
    (void)state;
    convex_pool pool = make_pool(32);
    ash_geometry *dumbbell = make_dumbbell(), *hills = make_hills(33);
    const ash_geometry_def *def = ash_geometry_get_definition(dumbbell);
    ashi_random random = {34};
    for (int round = 0; round < TRIALS(1000); round++) {
        const ash_geometry *b = round % 2 == 0 ? hills : pool.of[round / 2 % CONVEX_KINDS][round % POOL];
        ash_transform pose = {v3_scale(random_vector(&random), 3), random_rotation(&random)};
        ash_transform pose_b = {random_vector(&random), random_rotation(&random)};
        double least = INFINITY;
        for (uint32_t i = 0; i < def->part_count; i++)
            least =
                fmin(least, closest_of(def->parts[i].geometry, t_mul(pose, def->parts[i].pose), b, pose_b).distance);
        ash_closest c = closest_of(dumbbell, pose, b, pose_b), d = closest_of(b, pose_b, dumbbell, pose);
        assert_near(c.distance, least, 1e-9);
        assert_near(d.distance, least, 1e-9);
    }
    ash_closest both = closest_of(dumbbell, ash_identity(), dumbbell, at(5, 0, 0));
    assert_near(both.distance, 5 - 1.6 - 0.8 + v3_norm(v3(3.4, 0, 0.1)) - 3.4, 1e-9);
    ash_geometry_release(dumbbell);
    ash_geometry_release(hills);
    release_pool(&pool);
}

static void misuse_and_pairs_without_a_distance(void **state)
{
    (void)state;
    ash_geometry *ball = make_ball(1), *plane = make_plane(), *hills = make_hills(35), *circle = flat_circle(1);
    ash_geometry *mesh = make_faceted_ball(0, 1, false);
    ash_closest c = {.distance = 77};
    ash_transform good = ash_identity(), bad = good;
    bad.position.y = NAN;
    assert_int_equal(ash_closest_points(ball, bad, ball, good, &c), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_closest_points(NULL, good, ball, good, &c), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_closest_points(ball, good, NULL, good, &c), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_closest_points(ball, good, ball, good, NULL), ASH_BAD_ARGUMENT);
    bad = good;
    bad.rotation = (ash_quat){0, 0, 0, 0};
    assert_int_equal(ash_closest_points(ball, good, ball, bad, &c), ASH_BAD_ARGUMENT);
    assert_int_equal(ash_closest_points(plane, good, plane, good, &c), ASH_UNSUPPORTED);
    assert_int_equal(ash_closest_points(hills, good, hills, good, &c), ASH_UNSUPPORTED);
    assert_int_equal(ash_closest_points(circle, good, ball, good, &c), ASH_UNSUPPORTED);
    assert_near(c.distance, 77, 0);
    /* A rotation need not be exactly unit. */
    bad.rotation = (ash_quat){3, 0, 0, 0};
    bad.position = v3(5, 0, 0);
    assert_near(closest_of(ball, bad, ball, good).distance, 3, 1e-15);
    assert_near(closest_of(mesh, good, plane, at(0, 0, -3)).distance, 2, 0.2);
    ash_geometry *all[] = {ball, plane, hills, circle, mesh};
    for (int i = 0; i < 5; i++)
        ash_geometry_release(all[i]);
}

static void nothing_is_allocated(void **state)
{
    (void)state;
    ash_geometry *sets[] = {make_ball(1),   make_block(1, 2, 3),    make_plane(),   make_faceted_ball(1, 1, false),
                            make_hills(36), make_field_ball(1, 10), make_dumbbell()};
    uint64_t before = ash_memory_used().allocations;
    ash_closest c;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 7; k++)
            ash_closest_points(sets[i], ash_identity(), sets[k], at(0.5, 0.3, 0.4 * k), &c);
    assert_int_equal(ash_memory_used().allocations, before);
    for (int i = 0; i < 7; i++)
        ash_geometry_release(sets[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convex_pairs_have_certificates),
        cmocka_unit_test(planes_are_closed_forms),
        cmocka_unit_test(a_mesh_is_as_far_as_its_hull),
        cmocka_unit_test(nearest_triangles_are_not_overlooked),
        cmocka_unit_test(fields_are_as_far_as_what_they_sample),
        cmocka_unit_test(fields_end_at_the_sides_of_their_grid),
        cmocka_unit_test(flat_pairs_agree_with_the_oracle),
        cmocka_unit_test(compounds_are_their_nearest_parts),
        cmocka_unit_test(misuse_and_pairs_without_a_distance),
        cmocka_unit_test(nothing_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
