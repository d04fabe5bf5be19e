/* Surfaces to draw by: their points lie on the geometry, their triangles face outwards, and solids enclose their
 * volume. */
#include "check.h"
#include "samples.h"

#include <math.h>

static bool is_solid(const ash_geometry *geometry)
{
    ash_mass_properties mass;
    return !ash_geometry_is_flat(geometry) && ash_geometry_mass(geometry, 1, &mass, NULL) == ASH_OK;
}

/* A field is interpolated along a straight line on the edges of its cells only. Along diagonals it bends, though the
 * surface takes it as straight: by a quarter of the diagonal at most, since its slope is 1. */
static double field_bend(const ash_geometry *geometry, ash_vec3 point)
{
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    ash_vec3 from = v3_sub(point, def->origin);
    double places[3] = {from.x / def->spacing.x, from.y / def->spacing.y, from.z / def->spacing.z};
    int between = 0;
    for (int i = 0; i < 3; i++)
        between += fabs(places[i] - round(places[i])) > 1e-9;
    return between <= 1 ? 1e-12 : v3_norm(def->spacing) / 4;
}

static void check_points(const ash_geometry *geometry, const ash_triangulation *surface)
{
    ash_geometry_kind kind = ash_geometry_get_definition(geometry)->kind;
    bool has_inside = kind != ASH_GEOMETRY_HEIGHT_FIELD && kind != ASH_GEOMETRY_COMPOUND;
    for (uint32_t i = 0; i < surface->point_count; i++) {
        assert_near(v3_norm(surface->normals[i]), 1, 1e-12);
        if (has_inside && !ash_geometry_is_flat(geometry))
            assert_near(ash_geometry_distance(geometry, surface->points[i]), 0,
                        kind == ASH_GEOMETRY_DISTANCE_FIELD ? field_bend(geometry, surface->points[i]) : 1e-12);
        else if (has_inside)
            assert_true(ash_geometry_distance(geometry, surface->points[i]) < 1e-12);
    }
}

/* Volume under the triangles, and whether each agrees with the normals of its corners. */
static double check_triangles(const ash_triangulation *surface)
{
    double volume = 0;
    for (uint32_t i = 0; i < surface->triangle_count; i++) {
        const uint32_t *corner = surface->triangles + 3 * (size_t)i;
        for (int k = 0; k < 3; k++)
            assert_true(corner[k] < surface->point_count);
        ash_vec3 a = surface->points[corner[0]], b = surface->points[corner[1]], c = surface->points[corner[2]];
        ash_vec3 across = v3_cross(v3_sub(b, a), v3_sub(c, a));
        assert_true(v3_norm2(across) > 0);
        ash_vec3 mean = v3(0, 0, 0);
        for (int k = 0; k < 3; k++)
            mean = v3_add(mean, surface->normals[corner[k]]);
        assert_true(v3_dot(across, mean) > 0);
        volume += v3_dot(a, v3_cross(b, c)) / 6;
    }
    return volume;
}

static void test_every_kind(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        ash_geometry *geometry = NULL;
        ash_triangulation surface;
        assert_int_equal(create_sample((ash_geometry_kind)kind, &geometry, NULL), ASH_OK);
        assert_int_equal(ash_geometry_triangulate(geometry, 10, 0.01, &surface, NULL), ASH_OK);
        assert_true(surface.triangle_count > 0);
        check_points(geometry, &surface);
        double volume = check_triangles(&surface);
        if (is_solid(geometry)) {
            ash_mass_properties mass;
            ash_geometry_mass(geometry, 1, &mass, NULL);
            /* Polygons of 32 sides have 0.6 % less area than their circle. */
            assert_near(volume / mass.mass, 0.99, 0.0100001);
        }
        ash_triangulation_release(&surface);
        assert_int_equal(surface.point_count, 0);
        ash_geometry_release(geometry);
    }
}

/* Each side of a triangle is met once the other way: nothing is open. Points are compared by place. */
static void test_solids_are_closed(void **state)
{
    (void)state;
    static const ash_geometry_kind kinds[] = {ASH_GEOMETRY_BOX, ASH_GEOMETRY_CONE, ASH_GEOMETRY_CYLINDER,
                                              ASH_GEOMETRY_CAPSULE};
    for (int n = 0; n < 4; n++) {
        ash_geometry *geometry = NULL;
        ash_triangulation s;
        assert_int_equal(create_sample(kinds[n], &geometry, NULL), ASH_OK);
        assert_int_equal(ash_geometry_triangulate(geometry, 1, 0, &s, NULL), ASH_OK);
        for (uint32_t i = 0; i < 3 * s.triangle_count; i++) {
            ash_vec3 from = s.points[s.triangles[i]], to = s.points[s.triangles[i - i % 3 + (i + 1) % 3]];
            int met = 0;
            for (uint32_t k = 0; k < 3 * s.triangle_count; k++) {
                ash_vec3 start = s.points[s.triangles[k]], end = s.points[s.triangles[k - k % 3 + (k + 1) % 3]];
                met += v3_distance(start, to) < 1e-12 && v3_distance(end, from) < 1e-12;
            }
            assert_int_equal(met, 1);
        }
        ash_triangulation_release(&s);
        ash_geometry_release(geometry);
    }
}

static void test_plane_and_segment_take_their_sizes(void **state)
{
    (void)state;
    ash_geometry *geometry = NULL;
    ash_triangulation surface;
    assert_int_equal(create_sample(ASH_GEOMETRY_PLANE, &geometry, NULL), ASH_OK);
    assert_int_equal(ash_geometry_triangulate(geometry, 25, 0, &surface, NULL), ASH_OK);
    assert_int_equal(surface.triangle_count, 2);
    assert_near(surface.points[2].x, 25, 0);
    ash_triangulation_release(&surface);
    ash_geometry_release(geometry);
    const ash_vec3 ends[2] = {{0, 0, 0}, {2, 0, 0}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SEGMENT);
    def.radius = 0;
    def.points = ends;
    def.point_count = 2;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    assert_int_equal(ash_geometry_triangulate(geometry, 1, 0.25, &surface, NULL), ASH_OK);
    double highest = 0;
    for (uint32_t i = 0; i < surface.point_count; i++)
        highest = fmax(highest, surface.points[i].y);
    assert_near(highest, 0.25, 1e-12);
    ash_triangulation_release(&surface);
    ash_geometry_release(geometry);
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ash_geometry_triangulate(NULL, 1, 1, &surface, &diagnostic), ASH_BAD_ARGUMENT);
    assert_non_null(diagnostic.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_solids_are_closed),
        cmocka_unit_test(test_plane_and_segment_take_their_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
