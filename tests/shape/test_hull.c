/* Convex hulls: faces, half edges and vertices form a convex polyhedron around all points; flat input is refused; Qhull
 * stays silent. */
#define _POSIX_C_SOURCE 200809L /* dup, fileno */
#include "check.h"

#include "samples.h"
#include "shape/hull.h"

#include <string.h>
#include <unistd.h>

static ash_geometry *hull_of(const ash_vec3 *points, uint32_t count)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = points;
    def.point_count = count;
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (ash_geometry_create(&def, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.code, diagnostic.message);
    return geometry;
}

/* The half edges are consistent, and every input point lies behind every face. */
static void check_polyhedron(const ash_geometry *geometry, const ash_vec3 *points, uint32_t count, double size)
{
    const ashi_hull *hull = geometry->hull;
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    assert_int_equal(def->point_count + hull->face_count, hull->edge_count / 2 + 2);
    assert_int_equal(def->triangle_count, hull->edge_count - 2 * hull->face_count);
    for (uint32_t e = 0; e < hull->edge_count; e++) {
        const ashi_half_edge *edge = &hull->edges[e];
        assert_int_equal(hull->edges[edge->twin].twin, e);
        assert_int_equal(hull->edges[edge->twin].origin, hull->edges[edge->next].origin);
        assert_int_equal(hull->edges[edge->next].face, edge->face);
        assert_true(hull->edges[edge->twin].face != edge->face);
        assert_true(edge->origin < def->point_count);
    }
    for (uint32_t f = 0; f < hull->face_count; f++) {
        const ashi_hull_face *face = &hull->faces[f];
        uint32_t e = face->first_edge, corners = 0;
        do {
            assert_int_equal(hull->edges[e].face, f);
            assert_near(v3_dot(face->normal, def->points[hull->edges[e].origin]), face->offset, 1e-13 * size);
            e = hull->edges[e].next;
            corners++;
        } while (e != face->first_edge);
        assert_int_equal(corners, face->edge_count);
        assert_near(v3_norm(face->normal), 1, 1e-14);
        for (uint32_t i = 0; i < count; i++)
            assert_below(v3_dot(face->normal, points[i]), face->offset + 1e-13 * size);
    }
    for (uint32_t i = 0; i < def->point_count; i++) { /* vertices are input points, bit for bit */
        bool known = false;
        for (uint32_t j = 0; j < count && !known; j++)
            known = memcmp(&points[j], &def->points[i], sizeof *points) == 0;
        assert_true(known);
    }
}

static void test_cube_has_six_faces(void **state)
{
    (void)state;
    ash_vec3 points[40];
    uint32_t count = 0;
    for (int i = 0; i < 27; i++) /* also points on edges and faces, and in the middle */
        points[count++] = v3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    for (int i = 0; i < 8; i++) /* and each corner twice */
        points[count++] = points[i];
    ash_geometry *geometry = hull_of(points, count);
    check_polyhedron(geometry, points, count, 1);
    assert_int_equal(geometry->hull->face_count, 6);
    assert_int_equal(geometry->def.point_count, 8);
    assert_int_equal(geometry->hull->edge_count, 24);
    assert_int_equal(geometry->def.triangle_count, 12);
    ash_geometry_release(geometry);
}

static void test_clouds(void **state)
{
    (void)state;
    static ash_vec3 points[2000];
    ashi_random random = {4};
    for (int n = 0; n < 40; n++) {
        uint32_t count = 4 + (uint32_t)(n * n);
        double size = n % 3 == 0 ? 1e-3 : n % 3 == 1 ? 1 : 1e4;
        ash_vec3 shift = n % 2 == 0 ? v3(0, 0, 0) : v3(100 * size, -50 * size, 0);
        for (uint32_t i = 0; i < count; i++) {
            ash_vec3 p = n % 4 < 2 ? random_direction(&random) : random_point(&random, v3(-1, -1, -1), v3(1, 1, 1));
            if (n % 5 == 0) { /* on a coarse lattice: many on common planes */
                p = v3_scale(p, 3);
                p = v3(floor(p.x), floor(p.y), floor(p.z));
            }
            points[i] = v3_add(shift, v3_scale(p, size));
        }
        if (n == 0)
            continue; /* four lattice points may well be flat */
        ash_geometry *geometry = hull_of(points, count);
        check_polyhedron(geometry, points, count, 200 * size);
        ash_mass_properties mass;
        assert_int_equal(ash_geometry_mass(geometry, 1, &mass, NULL), ASH_OK);
        assert_int_equal(ash_mass_complete(&mass, NULL), ASH_OK);
        ash_geometry_release(geometry);
    }
}

/* A prism's round side is many faces, its ends one each. */
static void test_prism(void **state)
{
    (void)state;
    ashi_tessellation mesh;
    assert_true(ashi_mesh_cylinder(100, 1, 2, &mesh));
    ash_geometry *geometry = hull_of(mesh.points, mesh.point_count);
    check_polyhedron(geometry, mesh.points, mesh.point_count, 1);
    assert_int_equal(geometry->hull->face_count, 102);
    assert_int_equal(geometry->def.point_count, 200);
    ash_geometry *same;
    ash_geometry_def def = ashi_tessellation_def(&mesh);
    assert_int_equal(ash_geometry_create(&def, &same, NULL), ASH_OK);
    ash_mass_properties a, b;
    ash_geometry_mass(geometry, 1, &a, NULL);
    ash_geometry_mass(same, 1, &b, NULL);
    assert_near(a.mass, b.mass, 1e-13);
    assert_near(a.inertia.xx, b.inertia.xx, 1e-13);
    ashi_random random = {6};
    for (int i = 0; i < 500; i++) {
        ash_vec3 p = random_point(&random, v3(-2, -2, -2), v3(2, 2, 2));
        assert_near(ash_geometry_distance(geometry, p), ash_geometry_distance(same, p), 1e-13);
    }
    ash_geometry_release(geometry);
    ash_geometry_release(same);
    ashi_tessellation_release(&mesh);
}

static void expect(const ash_vec3 *points, uint32_t count, const char *code, const char *part)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = points;
    def.point_count = count;
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    uint64_t blocks = ash_memory_used().blocks;
    assert_int_equal(ash_geometry_create(&def, &geometry, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, code);
    if (strstr(diagnostic.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", diagnostic.message, part);
    assert_int_equal(ash_memory_used().blocks, blocks);
}

static void test_degenerate_input(void **state)
{
    (void)state;
    ash_vec3 p[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {3, 2, 0}};
    expect(p, 3, "geometry.points", "3 points");
    expect(NULL, 0, "geometry.points", "0 points");
    expect(NULL, 4, "geometry.points", "no array");
    expect(p, UINT32_MAX, "geometry.points", "4294967295");
    p[3] = v3(2, 2, 0);
    expect(p, 6, "hull.flat", "in a plane");
    for (int i = 0; i < 6; i++)
        p[i] = v3(i, 2 * i, -i);
    expect(p, 6, "hull.flat", "on a line");
    for (int i = 0; i < 6; i++)
        p[i] = v3(1, 2, 3);
    expect(p, 6, "hull.flat", "at one place");
    p[4].y = (double)NAN;
    expect(p, 6, "geometry.points", "point 4");
    p[4].y = (double)INFINITY;
    expect(p, 6, "geometry.points", "point 4");
}

/* A slice a billion times thinner than wide is still a solid; thinner ones are refused before Qhull sees them. */
static void test_thin_slices(void **state)
{
    (void)state;
    ashi_random random = {8};
    for (int power = 3; power < 15; power += power == 9 ? 2 : 1) { /* the limit is about 1e-10 */
        ash_vec3 points[60];
        double thickness = pow(10, -power);
        for (int i = 0; i < 60; i++)
            points[i] = random_point(&random, v3(-1, -1, -thickness), v3(1, 1, thickness));
        ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
        def.points = points;
        def.point_count = 60;
        ash_geometry *geometry;
        ash_diagnostic diagnostic = {0};
        ash_status status = ash_geometry_create(&def, &geometry, &diagnostic);
        if (power >= 11) {
            assert_int_equal(status, ASH_BAD_DATA);
            assert_string_equal(diagnostic.code, "hull.flat");
        } else {
            assert_int_equal(status, ASH_OK);
            check_polyhedron(geometry, points, 60, 1);
            ash_geometry_release(geometry);
        }
    }
}

/* Everything above again with standard output and error caught in a file: it stays empty. */
static void test_qhull_is_silent(void **state)
{
    FILE *caught = tmpfile();
    assert_non_null(caught);
    fflush(NULL);
    int out = dup(1), err = dup(2);
    dup2(fileno(caught), 1);
    dup2(fileno(caught), 2);
    test_degenerate_input(state);
    test_thin_slices(state);
    test_cube_has_six_faces(state);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    fseek(caught, 0, SEEK_END);
    assert_int_equal(ftell(caught), 0);
    fclose(caught);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube_has_six_faces),
        cmocka_unit_test(test_clouds),
        cmocka_unit_test(test_prism),
        cmocka_unit_test(test_degenerate_input),
        cmocka_unit_test(test_thin_slices),
        cmocka_unit_test(test_qhull_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
