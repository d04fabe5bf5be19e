/* Outlines: cut into convex pieces that cover them once, with the same mass; sides that cross are named. Chains. */
#include "check.h"

#include "ashlar/geometry.h"
#include "base/alloc.h"
#include "base/random.h"
#include "math/vec3.h"
#include "shape/orientation.h"

#include <string.h>

enum { MOST = 400 };

/* Area, centre and moment about it along z by Green's theorem over the whole outline, summed in long doubles. */
static void check_mass(const ash_geometry *geometry, const ash_vec3 *p, uint32_t count)
{
    long double area = 0, x = 0, y = 0, polar = 0;
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 a = p[i], b = p[(i + 1) % count];
        long double cross = (long double)a.x * b.y - (long double)a.y * b.x;
        area += cross / 2;
        x += cross * ((long double)a.x + b.x) / 6;
        y += cross * ((long double)a.y + b.y) / 6;
        polar += cross * ((long double)a.x * a.x + (long double)a.x * b.x + (long double)b.x * b.x) / 12;
        polar += cross * ((long double)a.y * a.y + (long double)a.y * b.y + (long double)b.y * b.y) / 12;
    }
    x /= area;
    y /= area;
    polar -= area * (x * x + y * y);
    double sign = area < 0 ? -1 : 1;
    ash_mass_properties mass;
    assert_int_equal(ash_geometry_mass(geometry, 1, &mass, NULL), ASH_OK);
    ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
    double size = v3_norm(v3_sub(box.upper, box.lower));
    assert_near(mass.mass / (sign * (double)area), 1, 1e-13);
    assert_near(mass.centre.x, (double)x, 1e-13 * size);
    assert_near(mass.centre.y, (double)y, 1e-13 * size);
    assert_near(mass.inertia.zz / (sign * (double)polar), 1, 1e-13);
}

static bool is_inside(const ash_vec3 *p, uint32_t count, double x, double y)
{
    bool inside = false;
    for (uint32_t i = 0; i < count; i++) {
        ash_vec3 a = p[i], b = p[(i + 1) % count];
        if ((a.y > y) != (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x))
            inside = !inside;
    }
    return inside;
}

/* Every point of the outline lies in one piece, and no other point does. */
static void check_cover(const ash_geometry *geometry, const ash_vec3 *p, uint32_t count, ashi_random *random)
{
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
    for (int k = 0; k < 50; k++) {
        double x = ashi_random_range(random, box.lower.x, box.upper.x);
        double y = ashi_random_range(random, box.lower.y, box.upper.y);
        int holders = 0;
        bool close = false;
        for (uint32_t i = 0; i < def->part_count; i++) {
            double distance = ash_geometry_distance(def->parts[i].geometry, v3(x, y, 0));
            holders += distance < 0;
            close = close || fabs(distance) < 1e-9;
        }
        if (!close)
            assert_int_equal(holders, is_inside(p, count, x, y));
    }
}

static uint32_t count_reflex(const ash_vec3 *p, uint32_t count, int sense)
{
    uint32_t reflex = 0;
    for (uint32_t i = 0; i < count; i++)
        reflex += sense * ashi_orientation(p[i], p[(i + 1) % count], p[(i + 2) % count]) < 0;
    return reflex;
}

static double sense_of(const ash_vec3 *p, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += p[i].x * p[(i + 1) % count].y - p[i].y * p[(i + 1) % count].x;
    return sum < 0 ? -1 : 1;
}

static uint32_t check_outline(const ash_vec3 *p, uint32_t count, ashi_random *random)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic;
    if (ash_geometry_create_outline(p, count, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.code, diagnostic.message);
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    assert_int_equal(def->kind, ASH_GEOMETRY_COMPOUND);
    assert_true(ash_geometry_is_flat(geometry));
    uint32_t pieces = def->part_count;
    /* Taking cuts back leaves at most two at each reflex corner (Hertel and Mehlhorn). */
    assert_true(pieces <= 2 * count_reflex(p, count, (int)sense_of(p, count)) + 1);
    check_mass(geometry, p, count);
    check_cover(geometry, p, count, random);
    ash_geometry_release(geometry);
    return pieces;
}

static uint32_t check_both_ways(const ash_vec3 *p, uint32_t count, ashi_random *random)
{
    ash_vec3 turned[MOST];
    for (uint32_t i = 0; i < count; i++)
        turned[i] = v3(p[count - 1 - i].x, p[count - 1 - i].y, 7); /* z does not count */
    check_outline(turned, count, random);
    return check_outline(p, count, random);
}

static void test_known_outlines(void **state)
{
    (void)state;
    ashi_random random = {1};
    ash_vec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    assert_int_equal(check_both_ways(square, 4, &random), 1);
    ash_vec3 corner[6] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
    assert_int_equal(check_both_ways(corner, 6, &random), 2);
    /* Many points on straight sides, slanted so that none is there exactly. */
    ash_vec3 dotted[60];
    for (uint32_t i = 0; i < 60; i++) {
        ash_vec3 a = corner[i / 10], b = corner[(i / 10 + 1) % 6], p = v3_add_scaled(a, v3_sub(b, a), i % 10 / 10.0);
        dotted[i] = v3(0.8 * p.x - 0.6 * p.y, 0.6 * p.x + 0.8 * p.y, 0);
    }
    assert_int_equal(check_both_ways(dotted, 60, &random), 2);
    ash_vec3 star[10];
    for (int i = 0; i < 10; i++)
        star[i] = v3_scale(v3(cos(ASHI_PI * i / 5), sin(ASHI_PI * i / 5), 0), i % 2 ? 0.4 : 1);
    assert_true(check_both_ways(star, 10, &random) <= 6);
    ash_vec3 comb[MOST];
    uint32_t count = 0;
    for (int tooth = 0; tooth < 40; tooth++) {
        comb[count++] = v3(2 * tooth, tooth % 3, 0);
        comb[count++] = v3(2 * tooth + 1, 9, 0);
    }
    comb[count++] = v3(79, 20, 0);
    comb[count++] = v3(-3, 20, 0);
    check_both_ways(comb, count, &random);
    /* A spiral of three turns with parallel arms. */
    ash_vec3 spiral[200];
    for (uint32_t i = 0; i < 100; i++) {
        double angle = 6 * ASHI_PI * i / 99, radius = 1 + angle;
        spiral[i] = v3(radius * cos(angle), radius * sin(angle), 0);
        spiral[199 - i] = v3((radius + 2) * cos(angle), (radius + 2) * sin(angle), 0);
    }
    check_both_ways(spiral, 200, &random);
}

/* Rays from a point, each with its own length, at any size and place; some corners on straight sides. */
static void test_random_outlines(void **state)
{
    (void)state;
    ashi_random random = {2};
    for (int round = 0; round < 2000; round++) {
        static const double sizes[4] = {1, 1, 1e-4, 1e4};
        double size = sizes[round % 4], x = size * ashi_random_range(&random, -2, 2);
        uint32_t count = 3 + ashi_random_below(&random, 40), filled = 0;
        ash_vec3 rays[50], p[MOST];
        for (uint32_t i = 0; i < count; i++) {
            double angle = 6.283185307179586 * (i + ashi_random_range(&random, 0, 0.8)) / count;
            double radius = size * ashi_random_range(&random, 0.1, 1);
            rays[i] = v3(x + radius * cos(angle), radius * sin(angle), 0);
        }
        for (uint32_t i = 0; i < count; i++) {
            p[filled++] = rays[i];
            if (ashi_random_below(&random, 4) == 0)
                p[filled++] = v3_scale(v3_add(rays[i], rays[(i + 1) % count]), 0.5);
        }
        check_both_ways(p, filled, &random);
    }
}

static bool cross_properly(ash_vec3 a, ash_vec3 b, ash_vec3 c, ash_vec3 d)
{
    return ashi_orientation(a, b, c) * ashi_orientation(a, b, d) <= 0 &&
           ashi_orientation(c, d, a) * ashi_orientation(c, d, b) <= 0;
}

/* Scattered points in a random order, uncrossed by turning round what lies between two crossing sides: deep folds and
 * thin needles. */
static void test_scattered_outlines(void **state)
{
    (void)state;
    ashi_random random = {4};
    int most_pieces = 0;
    for (int round = 0; round < 1000; round++) {
        ash_vec3 p[40];
        uint32_t count = 4 + ashi_random_below(&random, 36);
        for (uint32_t i = 0; i < count; i++)
            p[i] = v3(ashi_random_unit(&random), ashi_random_unit(&random), 0);
        for (bool again = true; again;) {
            again = false;
            for (uint32_t i = 0; i + 2 < count; i++)
                for (uint32_t j = i + 2; j < count - (i == 0); j++)
                    if (cross_properly(p[i], p[i + 1], p[j], p[(j + 1) % count])) {
                        for (uint32_t low = i + 1, high = j; low < high; low++, high--) {
                            ash_vec3 swap = p[low];
                            p[low] = p[high];
                            p[high] = swap;
                        }
                        again = true;
                    }
        }
        int pieces = (int)check_both_ways(p, count, &random);
        most_pieces = pieces > most_pieces ? pieces : most_pieces;
    }
    assert_true(most_pieces > 8);
}

static void refuse(const ash_vec3 *p, uint32_t count, const char *code, const char *part)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    uint64_t blocks = ash_memory_used().blocks;
    assert_int_equal(ash_geometry_create_outline(p, count, &geometry, &diagnostic), ASH_BAD_DATA);
    assert_null(geometry);
    assert_string_equal(diagnostic.code, code);
    if (strstr(diagnostic.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", diagnostic.message, part);
    assert_int_equal(ash_memory_used().blocks, blocks);
}

static void test_bad_outlines(void **state)
{
    (void)state;
    ash_vec3 bow[4] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
    refuse(bow, 4, "outline.crossing", "side 0, from (0, 0) to (1, 1), meets side 2, from (1, 0) to (0, 1)");
    refuse(bow, 2, "geometry.points", "2 corners");
    refuse(NULL, 4, "geometry.points", "no array");
    static ash_vec3 many[20001];
    refuse(many, 20001, "geometry.points", "20001 corners");
    ash_vec3 touching[6] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {2, 0, 0}, {1, 3, 0}, {0, 4, 0}};
    refuse(touching, 6, "outline.crossing", "side 0");
    ash_vec3 pinched[7] = {{0, 0, 0}, {2, 1, 0}, {4, 0, 0}, {4, 3, 0}, {2, 1, 0}, {0, 3, 0}, {-1, 1, 0}};
    refuse(pinched, 7, "outline.crossing", "side 0");
    ash_vec3 spike[5] = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    refuse(spike, 5, "outline.crossing", "side 0, from (0, 0) to (2, 0), meets side 1");
    ash_vec3 twice[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 3}, {0, 1, 0}};
    refuse(twice, 4, "outline.repeated", "corner 1 of the outline, (1, 0)");
    ash_vec3 line[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    refuse(line, 4, "outline.crossing", "side");
    bow[3].y = (double)INFINITY;
    refuse(bow, 4, "geometry.points", "corner 3");
    assert_int_equal(ash_geometry_create_outline(line, 4, NULL, NULL), ASH_BAD_ARGUMENT);
}

static void test_no_memory(void **state)
{
    (void)state;
    ash_vec3 corner[6] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
    for (int chain = 0; chain < 2; chain++) {
        ash_status status = ASH_OUT_OF_MEMORY;
        for (uint64_t at = 1; status != ASH_OK; at++) {
            assert_true(at < 100);
            ash_geometry *geometry;
            ashi_alloc_fail_at(at, false);
            status = chain ? ash_geometry_create_chain(corner, 6, true, 0, &geometry, NULL)
                           : ash_geometry_create_outline(corner, 6, &geometry, NULL);
            ashi_alloc_fail_at(0, false);
            assert_true((status == ASH_OK) == (geometry != NULL));
            assert_true(status == ASH_OK || status == ASH_OUT_OF_MEMORY);
            ash_geometry_release(geometry);
            assert_int_equal(ash_memory_used().blocks, 0);
        }
    }
}

/* Points next to a line by the last bit: antisymmetric, the same from any corner, and right where doubles are not. */
static void test_orientation(void **state)
{
    (void)state;
    ashi_random random = {3};
    int rounded_wrong = 0;
    for (int i = 0; i < 100000; i++) {
        ash_vec3 a =
            v3(0.5 + ashi_random_below(&random, 64) * 0x1p-53, 0.5 + ashi_random_below(&random, 64) * 0x1p-53, 0);
        ash_vec3 b = v3(12, 12, 0), c = v3(24, 24, 0);
        /* The line is y = x, so the answer is known without any rounding. */
        int expected = (a.y > a.x) - (a.y < a.x), found = ashi_orientation(b, c, a);
        assert_int_equal(found, expected);
        assert_int_equal(ashi_orientation(a, b, c), found);
        assert_int_equal(ashi_orientation(c, b, a), -found);
        double plain = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
        rounded_wrong += ((plain > 0) - (plain < 0)) != expected;
    }
    assert_true(rounded_wrong > 1000);
}

static void test_chains(void **state)
{
    (void)state;
    ash_vec3 p[4] = {{0, 0, 1}, {2, 0, 2}, {2, 2, 3}, {0, 2, 4}};
    ash_geometry *open, *closed;
    ash_diagnostic diagnostic;
    assert_int_equal(ash_geometry_create_chain(p, 4, false, 0, &open, &diagnostic), ASH_OK);
    assert_int_equal(ash_geometry_create_chain(p, 4, true, 0.25, &closed, &diagnostic), ASH_OK);
    assert_int_equal(ash_geometry_get_definition(open)->part_count, 3);
    assert_int_equal(ash_geometry_get_definition(closed)->part_count, 4);
    const ash_geometry_def *first = ash_geometry_get_definition(ash_geometry_get_definition(open)->parts[0].geometry);
    assert_int_equal(first->point_count, 4);
    assert_true(first->points[0].x == 0 && first->points[1].x == 0 && first->points[2].x == 2);
    assert_true(first->points[3].y == 2 && first->points[3].z == 0);
    first = ash_geometry_get_definition(ash_geometry_get_definition(closed)->parts[0].geometry);
    assert_true(first->points[0].y == 2 && first->radius == 0.25);
    ash_mass_properties mass;
    assert_int_equal(ash_geometry_mass(open, 1, &mass, NULL), ASH_UNSUPPORTED);
    /* From inside, which is to the left, rays meet it; from outside they pass the near side and meet the far one. */
    ash_ray_hit hit;
    assert_true(ash_geometry_ray(open, (ash_ray){{1, 1, 0}, {0, -1, 0}, 9}, &hit));
    assert_near(hit.t, 1, 1e-15);
    assert_near(hit.normal.y, 1, 1e-15);
    assert_true(ash_geometry_ray(open, (ash_ray){{1, -1, 0}, {0, 1, 0}, 9}, &hit));
    assert_near(hit.t, 3, 1e-15);
    assert_false(ash_geometry_ray(open, (ash_ray){{1, -1, 0}, {0, -1, 0}, 9}, &hit));
    assert_true(ash_geometry_ray(closed, (ash_ray){{-1, 1, 0}, {1, 0, 0}, 9}, &hit));
    assert_near(hit.t, 2.75, 1e-15);
    ash_bounds box = ash_geometry_bounds(closed, ash_identity());
    assert_true(box.lower.x == -0.25 && box.upper.y == 2.25);
    ash_geometry_release(open);
    ash_geometry_release(closed);
    assert_int_equal(ash_geometry_create_chain(p, 2, true, 0, &open, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "geometry.points");
    assert_int_equal(ash_geometry_create_chain(p, 1, false, 0, &open, &diagnostic), ASH_BAD_DATA);
    assert_int_equal(ash_geometry_create_chain(p, 4, false, -1, &open, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "geometry.radius");
    p[2] = p[1];
    assert_int_equal(ash_geometry_create_chain(p, 4, false, 0, &open, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "segment.length");
    assert_int_equal(ash_geometry_create_chain(p, 4, false, 0, NULL, NULL), ASH_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_outlines),
        cmocka_unit_test(test_random_outlines),
        cmocka_unit_test(test_scattered_outlines),
        cmocka_unit_test(test_bad_outlines),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
