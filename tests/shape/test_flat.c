/* Flat kinds: polygons must be convex and are put in order, segments may be thin, shadows are widths. */
#include "check.h"

#include "samples.h"

#include <string.h>

static ash_status create_polygon(const ash_vec3 *corners, uint32_t count, ash_geometry **geometry,
                                 ash_diagnostic *diagnostic)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    def.points = corners;
    def.point_count = count;
    return ash_geometry_create(&def, geometry, diagnostic);
}

static void test_order_of_corners(void **state)
{
    (void)state;
    /* Clockwise, with a corner in the middle of a side and one at its start, and z that does not count. */
    ash_vec3 corners[6] = {{1, 0, 5}, {0, 0, 0}, {0, 1, 0}, {0, 2, -1}, {2, 2, 0}, {2, 0, 0}};
    ash_geometry *geometry;
    assert_int_equal(create_polygon(corners, 6, &geometry, NULL), ASH_OK);
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    assert_int_equal(def->point_count, 4);
    for (int i = 0; i < 4; i++) {
        ash_vec3 a = def->points[i], b = def->points[(i + 1) % 4], c = def->points[(i + 2) % 4];
        assert_near(v3_cross(v3_sub(b, a), v3_sub(c, b)).z, 4, 0);
        assert_near(a.z, 0, 0);
    }
    ash_mass_properties mass;
    assert_int_equal(ash_geometry_mass(geometry, 1, &mass, NULL), ASH_OK);
    assert_near(mass.mass, 4, 0);
    assert_near(v3_distance(mass.centre, v3(1, 1, 0)), 0, 1e-15);
    ash_geometry_release(geometry);
}

/* The moments of a slanted parallelogram far from the origin, where the products of inertia do not vanish. */
static void test_moments(void **state)
{
    (void)state;
    ash_vec3 u = v3(2, 0.5, 0), v = v3(-0.3, 1.5, 0), at = v3(100, -200, 0);
    ash_vec3 corners[4] = {at, v3_add(at, u), v3_add(at, v3_add(u, v)), v3_add(at, v)};
    ash_geometry *geometry;
    assert_int_equal(create_polygon(corners, 4, &geometry, NULL), ASH_OK);
    ash_mass_properties m;
    assert_int_equal(ash_geometry_mass(geometry, 1, &m, NULL), ASH_OK);
    double area = u.x * v.y - u.y * v.x; /* int x x^T = area (u u^T + v v^T) / 12 */
    assert_near(m.mass, area, 1e-12);
    assert_near(m.inertia.xx, area * (u.y * u.y + v.y * v.y) / 12, 1e-12);
    assert_near(m.inertia.yy, area * (u.x * u.x + v.x * v.x) / 12, 1e-12);
    assert_near(m.inertia.xy, -area * (u.x * u.y + v.x * v.y) / 12, 1e-12);
    assert_near(m.inertia.zz, m.inertia.xx + m.inertia.yy, 1e-14);
    ash_geometry_release(geometry);
}

static void expect(const ash_vec3 *corners, uint32_t count, const char *code, const char *part)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    uint64_t blocks = ash_memory_used().blocks;
    assert_int_equal(create_polygon(corners, count, &geometry, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, code);
    if (strstr(diagnostic.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", diagnostic.message, part);
    assert_int_equal(ash_memory_used().blocks, blocks);
}

static void test_bad_polygons(void **state)
{
    (void)state;
    ash_vec3 arrow[4] = {{0, 0, 0}, {2, -1, 0}, {0.5, 0, 0}, {2, 1, 0}};
    expect(arrow, 4, "polygon.concave", "(0.5, 0)");
    expect(arrow, 2, "geometry.points", "2 corners");
    ash_vec3 line[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    expect(line, 4, "polygon.no-area", "no area");
    ash_vec3 sliver[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1e-14, 0}, {0, 1e-14, 0}};
    expect(sliver, 3, "polygon.spike", "straight back at its corner (0, 0)");
    ash_geometry *thin;
    assert_int_equal(create_polygon(sliver, 4, &thin, NULL), ASH_OK);
    ash_geometry_release(thin);
    ash_vec3 twice[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 3}, {0, 1, 0}};
    expect(twice, 4, "polygon.repeated", "(1, 0)");
    ash_vec3 spike[5] = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    expect(spike, 5, "polygon.spike", "(2, 0)");
    ash_vec3 star[5];
    for (int i = 0; i < 5; i++)
        star[i] = v3(cos(4 * ASHI_PI * i / 5), sin(4 * ASHI_PI * i / 5), 0);
    expect(star, 5, "polygon.crossing", "2 times");
    star[1].x = (double)NAN;
    expect(star, 5, "geometry.points", "point 1");

    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SEGMENT);
    ash_geometry *geometry;
    ash_diagnostic diagnostic;
    def.points = line;
    def.point_count = 3;
    assert_int_equal(ash_geometry_create(&def, &geometry, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "geometry.points");
    def.points = twice + 1; /* they differ in z only */
    def.point_count = 2;
    assert_int_equal(ash_geometry_create(&def, &geometry, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "segment.length");
    def.points = line;
    def.radius = -1;
    assert_int_equal(ash_geometry_create(&def, &geometry, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, "geometry.radius");
}

static void test_thin_segment(void **state)
{
    (void)state;
    ash_vec3 ends[2] = {{-1, 0, 0}, {3, 0, 0}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SEGMENT);
    def.points = ends;
    def.point_count = 2;
    ash_geometry *segment;
    assert_int_equal(ash_geometry_create(&def, &segment, NULL), ASH_OK);
    ash_ray_hit hit;
    assert_true(ash_geometry_ray(segment, (ash_ray){{0, 2, 0}, {1, -1, 0}, 9}, &hit));
    assert_near(hit.t, 2, 1e-15);
    assert_near(hit.normal.y, 1, 0);
    assert_true(ash_geometry_ray(segment, (ash_ray){{0, -2, 0}, {0, 1, 0}, 9}, &hit)); /* from either side */
    assert_near(hit.normal.y, -1, 0);
    assert_false(ash_geometry_ray(segment, (ash_ray){{4, 2, 0}, {0, -1, 0}, 9}, &hit));
    assert_false(ash_geometry_ray(segment, (ash_ray){{-5, 0, 0}, {1, 0, 0}, 9}, &hit)); /* end-on */
    assert_near(ash_geometry_distance(segment, v3(6, 4, 0)), 5, 1e-15);
    assert_near(ash_geometry_projected_area(segment, v3(0, 1, 0)), 4, 1e-15);
    assert_near(ash_geometry_projected_area(segment, v3(1, 0, 0)), 0, 1e-15);
    ash_geometry_release(segment);
}

static void test_widths(void **state)
{
    (void)state;
    ash_geometry *circle, *capsule, *compound;
    assert_int_equal(create_sample(ASH_GEOMETRY_CIRCLE, &circle, NULL), ASH_OK);
    assert_int_equal(create_sample(ASH_GEOMETRY_FLAT_CAPSULE, &capsule, NULL), ASH_OK);
    assert_near(ash_geometry_projected_area(circle, v3(3, 4, 0)), 1.4, 1e-15);
    assert_near(ash_geometry_projected_area(circle, v3(0, 0, 1)), 0, 0);
    assert_near(ash_geometry_projected_area(capsule, v3(0, 1, 0)), 2.7, 1e-15);
    assert_near(ash_geometry_projected_area(capsule, v3(1, 0, 0)), 1.4, 1e-15);
    /* A compound of flat parts is flat, and its mass the sum. */
    ash_geometry_part parts[2] = {{circle, {{2, 0, 0}, {1, 0, 0, 0}}},
                                  {capsule, {{-1, 0, 0}, ash_rotation(v3(0, 0, 1), ASHI_PI / 2)}}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    def.parts = parts;
    def.part_count = 2;
    assert_int_equal(ash_geometry_create(&def, &compound, NULL), ASH_OK);
    assert_true(ash_geometry_is_flat(compound));
    ash_mass_properties m;
    assert_int_equal(ash_geometry_mass(compound, 1, &m, NULL), ASH_OK);
    assert_near(m.mass, 2 * ASHI_PI * 0.49 + 1.4 * 1.3, 1e-14);
    assert_near(m.inertia.zz, m.inertia.xx + m.inertia.yy, 1e-13);
    ash_bounds box = ash_geometry_bounds(compound, ash_identity());
    assert_near(box.lower.x, -1.7, 1e-15);
    assert_near(box.upper.y, 1.35, 1e-15);
    ash_ray_hit hit;
    assert_true(ash_geometry_ray(compound, (ash_ray){{0, 0.3, 7}, {1, 0, 1}, 9}, &hit)); /* z does not count */
    assert_int_equal(hit.part, 0);
    assert_near(hit.t, 2 - sqrt(0.4), 1e-14);
    assert_near(hit.point.z, 0, 0);
    assert_near(ash_geometry_distance(compound, v3(0, 0, 3)), 0.3, 1e-15);
    ash_geometry_release(compound);
    ash_geometry_release(circle);
    ash_geometry_release(capsule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_corners), cmocka_unit_test(test_moments), cmocka_unit_test(test_bad_polygons),
        cmocka_unit_test(test_thin_segment),     cmocka_unit_test(test_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
