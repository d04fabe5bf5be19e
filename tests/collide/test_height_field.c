/* Convex bodies on height fields: a plane and a slope are planes, a ridge and a valley give the contacts of their two
 * sides, and the rim can be met. */
#include "surfaces.h"

#include "base/alloc.h"
#include "shape/geometry.h"

typedef double (*height_function)(double x, double y);

/* Samples from -3 to 3 in x and y. */
static ash_geometry *make_ground(uint32_t columns, uint32_t rows, height_function height)
{
    static double values[64 * 64];
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = columns;
    def.cells[1] = rows;
    def.origin = v3(-3, -3, 0.25);
    def.spacing = v3(6.0 / (columns - 1), 6.0 / (rows - 1), 0);
    def.values = values;
    for (uint32_t j = 0; j < rows; j++)
        for (uint32_t i = 0; i < columns; i++)
            values[j * columns + i] = height(-3 + i * def.spacing.x, -3 + j * def.spacing.y);
    return make(&def);
}

static double level(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

static double slope(double x, double y)
{
    return 0.3 * x - 0.2 * y;
}

static double ridge(double x, double y)
{
    (void)y;
    return -0.5 * fabs(x);
}

static double valley(double x, double y)
{
    (void)y;
    return 0.75 * fabs(x);
}

static double hills(double x, double y)
{
    return 0.3 * sin(2 * x) * cos(1.5 * y);
}

static ash_geometry *make_kind(ash_geometry_kind kind)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (create_sample(kind, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return geometry;
}

/* The body on a plane through (0, 0, 0.25) as the height field has it. */
static void check_plane(const ash_geometry *ground, ash_vec3 normal, ash_geometry *body, uint32_t trials)
{
    ashi_manifolds found = {0};
    ashi_random random = {ash_geometry_get_definition(body)->kind + 1};
    for (uint32_t n = 0; n < trials; n++) {
        ash_transform pose = {random_point(&random, v3(-1.2, -1.2, 0), v3(1.2, 1.2, 0)), random_rotation(&random)};
        if (n % 3 == 0)
            pose.position.x = rint(pose.position.x * 2) / 2;
        double depth = ashi_random_range(&random, -0.02, n % 5 == 0 ? 0.15 : 0.03), deepest = -INFINITY;
        ash_vec3 local = v3_neg(q_unrotate(pose.rotation, normal));
        double reach = v3_dot(local, ash_geometry_support(body, local));
        double height = v3_dot(normal, v3_sub(pose.position, v3(0, 0, 0.25)));
        pose.position = v3_add_scaled(pose.position, normal, reach - depth - height);
        collide(&found, body, pose, ground, at(0, 0, 0), 0.01);
        assert_int_equal(found.count, depth >= -0.01 ? 1 : 0);
        if (found.count == 0)
            continue;
        ash_vec3 down = q_rotate(pose.rotation, found.data[0].normal);
        assert_near(v3_norm(v3_add(down, normal)), 0, 1e-6);
        for (uint32_t k = 0; k < found.data[0].count; k++) {
            ash_vec3 point = t_point(pose, found.data[0].points[k].on_a);
            double under = -v3_dot(normal, v3_sub(point, v3(0, 0, 0.25)));
            assert_near(found.data[0].points[k].depth, under, 1e-9);
            deepest = fmax(deepest, under);
        }
        assert_near(deepest, depth, 1e-9);
    }
    ashi_array_release(&found);
    ash_geometry_release(body);
}

static void check_ground(height_function height, ash_vec3 normal)
{
    ash_geometry *ground = make_ground(13, 16, height);
    check_plane(ground, normal, make_sphere(0.3), TRIALS(50000));
    check_plane(ground, normal, make_capsule(0.2, 0.7), TRIALS(10000));
    check_plane(ground, normal, make_box(0.3, 0.4, 0.5), TRIALS(4000));
    for (ash_geometry_kind kind = ASH_GEOMETRY_CYLINDER; kind <= ASH_GEOMETRY_HULL; kind++)
        check_plane(ground, normal, make_kind(kind), TRIALS(600));
    ash_geometry_release(ground);
}

static void level_ground_is_a_plane(void **state)
{
    (void)state;
    check_ground(level, v3(0, 0, 1));
}

static void slope_is_a_plane(void **state)
{
    (void)state;
    check_ground(slope, v3_unit(v3(-0.3, 0.2, 1)));
}

/* A sphere over the ridge line touches the line; beside it, its side. */
static void ridge_is_met_as_a_ridge(void **state)
{
    (void)state;
    ash_geometry *ground = make_ground(13, 13, ridge), *sphere = make_sphere(0.4), *box = make_box(0.5, 0.6, 0.2);
    ashi_manifolds found = {0};
    ashi_random random = {3};
    ash_vec3 sides[2] = {v3_unit(v3(-0.5, 0, 1)), v3_unit(v3(0.5, 0, 1))};
    for (uint32_t n = 0; n < TRIALS(20000); n++) {
        ash_vec3 centre = random_point(&random, v3(-0.5, -2, 0.25 + 0.35), v3(0.5, 2, 0.25 + 0.45));
        ash_vec3 off = v3_sub(centre, v3(0, centre.y, 0.25)), side = sides[off.x > 0];
        bool on_line = fabs(off.x) <= off.z * 0.5;
        double distance = on_line ? v3_norm(off) : v3_dot(off, side);
        ash_vec3 normal = on_line ? v3_unit(off) : side;
        collide(&found, sphere, at(centre.x, centre.y, centre.z), ground, at(0, 0, 0), 0.02);
        if (fabs(distance - 0.42) < 1e-9)
            continue;
        assert_int_equal(found.count, distance < 0.42 ? 1 : 0);
        if (found.count == 0)
            continue;
        assert_near(found.data[0].points[0].depth, 0.4 - distance, 1e-9);
        assert_near(v3_norm(v3_add(found.data[0].normal, normal)), 0, 1e-6);
    }
    /* A box laid over the ridge rests on a piece of the line: the length of its base. */
    collide(&found, box, at(0.1, 0.3, 0.25 + 0.2 - 0.01), ground, at(0, 0, 0), 0.005);
    assert_int_equal(found.count, 1);
    assert_near(v3_norm(v3_add(found.data[0].normal, v3(0, 0, 1))), 0, 1e-6);
    double least = INFINITY, most = -INFINITY;
    for (uint32_t k = 0; k < found.data[0].count; k++) {
        assert_near(found.data[0].points[k].depth, 0.01, 1e-9);
        assert_near(found.data[0].points[k].on_a.x, -0.1, 1e-9);
        least = fmin(least, found.data[0].points[k].on_a.y);
        most = fmax(most, found.data[0].points[k].on_a.y);
    }
    assert_near(most - least, 1.2, 1e-9);
    ashi_array_release(&found);
    ash_geometry_release(ground);
    ash_geometry_release(sphere);
    ash_geometry_release(box);
}

static void valley_holds_from_both_sides(void **state)
{
    (void)state;
    ash_geometry *ground = make_ground(13, 13, valley), *sphere = make_sphere(0.5);
    ashi_manifolds found = {0};
    ashi_random random = {4};
    ash_vec3 sides[2] = {v3_unit(v3(0.75, 0, 1)), v3_unit(v3(-0.75, 0, 1))}; /* left, right */
    for (uint32_t n = 0; n < TRIALS(20000); n++) {
        ash_vec3 centre = random_point(&random, v3(-0.1, -2, 0.25 + 0.55), v3(0.1, 2, 0.25 + 0.7));
        collide(&found, sphere, at(centre.x, centre.y, centre.z), ground, at(0, 0, 0), 0);
        uint32_t expected = 0;
        for (int s = 0; s < 2; s++) {
            double depth = 0.5 - v3_dot(sides[s], v3_sub(centre, v3(0, 0, 0.25)));
            if (depth <= 0)
                continue;
            expected++;
            bool there = false;
            for (uint32_t i = 0; i < found.count; i++)
                there = there || (v3_norm(v3_add(found.data[i].normal, sides[s])) < 1e-6 &&
                                  fabs(found.data[i].points[0].depth - depth) < 1e-9);
            assert_true(there);
        }
        assert_int_equal(found.count, expected);
    }
    ashi_array_release(&found);
    ash_geometry_release(ground);
    ash_geometry_release(sphere);
}

/* Beyond the outline there is nothing; at it, the edge. */
static void rim_can_be_met(void **state)
{
    (void)state;
    ash_geometry *ground = make_ground(7, 7, level), *sphere = make_sphere(0.5);
    ashi_manifolds found = {0};
    collide(&found, sphere, at(3.3, 0.2, 0.25 + 0.3), ground, at(0, 0, 0), 0);
    assert_int_equal(found.count, 1);
    assert_near(found.data[0].points[0].depth, 0.5 - sqrt(0.18), 1e-12);
    assert_near(v3_norm(v3_sub(found.data[0].normal, v3(-sqrt(0.5), 0, -sqrt(0.5)))), 0, 1e-9);
    collide(&found, sphere, at(3.51, 0.2, 0.25 + 0.3), ground, at(0, 0, 0), 0);
    assert_int_equal(found.count, 0);
    collide(&found, sphere, at(0, 0.2, 0.25 - 0.6), ground, at(0, 0, 0), 0); /* wholly below */
    assert_int_equal(found.count, 0);
    ashi_array_release(&found);
    ash_geometry_release(ground);
    ash_geometry_release(sphere);
}

/* All convex kinds on hills in any pose: finite, mirrored when swapped, and no allocation when there is room. */
static void hills_in_any_pose(void **state)
{
    (void)state;
    ash_geometry *ground = make_ground(25, 25, hills);
    ashi_manifolds one = {0}, other = {0};
    assert_true(ashi_array_reserve(&one, 512));
    assert_true(ashi_array_reserve(&other, 512));
    for (ash_geometry_kind kind = ASH_GEOMETRY_SPHERE; kind <= ASH_GEOMETRY_HULL; kind++) {
        ash_geometry *body = make_kind(kind);
        ashi_random random = {kind + 20};
        uint32_t touching = 0;
        ashi_alloc_fail_at(0, false);
        for (uint32_t n = 0; n < TRIALS(400); n++) {
            ash_transform pose = {random_point(&random, v3(-3.5, -3.5, -1), v3(3.5, 3.5, 1.5)),
                                  random_rotation(&random)};
            if (n % 8 == 0)
                pose = at(-3 + 0.25 * (n % 25), 0, 0.25);
            collide(&one, body, pose, ground, at(0, 0, 0), 0.01);
            collide(&other, ground, at(0, 0, 0), body, pose, 0.01);
            touching += one.count > 0;
            assert_int_equal(one.count, other.count);
            for (uint32_t i = 0; i < one.count; i++) {
                ash_vec3 normal = q_rotate(pose.rotation, one.data[i].normal);
                assert_near(v3_norm(v3_add(normal, other.data[i].normal)), 0, 1e-6);
                assert_int_equal(one.data[i].count, other.data[i].count);
                for (uint32_t k = 0; k < one.data[i].count; k++)
                    assert_near(one.data[i].points[k].depth, other.data[i].points[k].depth, 1e-6);
            }
        }
        assert_int_equal(ashi_alloc_fail_at(0, false), 0);
        assert_true(touching > TRIALS(80));
        ash_geometry_release(body);
    }
    ashi_array_release(&one);
    ashi_array_release(&other);
    ash_geometry_release(ground);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_ground_is_a_plane), cmocka_unit_test(slope_is_a_plane),
        cmocka_unit_test(ridge_is_met_as_a_ridge), cmocka_unit_test(valley_holds_from_both_sides),
        cmocka_unit_test(rim_can_be_met),          cmocka_unit_test(hills_in_any_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
