/* Triangle meshes: tessellations are closed and converge with the square of the edge length, every kind of bad mesh has
 * its diagnostic, and distances have the right sign near faces, edges and corners. */
#include "check.h"

#include "base/alloc.h"
#include "samples.h"
#include "shape/mesh.h"

#include <string.h>

static ash_mass_properties mesh_mass(ashi_tessellation *mesh)
{
    ash_geometry_def def = ashi_tessellation_def(mesh);
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (ash_geometry_create(&def, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.code, diagnostic.message);
    ash_mass_properties mass;
    assert_int_equal(ash_geometry_mass(geometry, 1, &mass, NULL), ASH_OK);
    ash_geometry_release(geometry);
    ashi_tessellation_release(mesh);
    return mass;
}

/* The exponent p of error ~ size^p through the two finest meshes. */
static double order(double coarse, double fine, double ratio)
{
    return log(coarse / fine) / log(ratio);
}

static void test_sphere_converges(void **state)
{
    (void)state;
    double previous = 0;
    for (uint32_t level = 2; level <= 5; level++) {
        ashi_tessellation mesh;
        assert_true(ashi_mesh_sphere(level, 1, &mesh));
        assert_int_equal(mesh.triangle_count, 20u << (2 * level));
        ash_mass_properties m = mesh_mass(&mesh);
        double error = 0.4 - m.inertia.xx / (4 * ASHI_PI / 3);
        assert_near(m.inertia.xx, m.inertia.zz, 1e-13);
        assert_near(m.inertia.xy, 0, 1e-14);
        if (previous != 0)
            assert_near(order(previous, error, 2), 2, 0.05);
        previous = error;
    }
}

static void test_cylinder_converges(void **state)
{
    (void)state;
    double previous = 0;
    for (uint32_t n = 32; n <= 512; n *= 2) {
        ashi_tessellation mesh;
        assert_true(ashi_mesh_cylinder(n, 1, 2, &mesh));
        ash_mass_properties m = mesh_mass(&mesh);
        double error = ASHI_PI - m.inertia.zz;
        assert_near(m.inertia.xx / m.mass, 1.0 / 4 + 4.0 / 12, 5.0 / (n * n));
        if (previous != 0)
            assert_near(order(previous, error, 2), 2, 0.01);
        previous = error;
    }
}

static void test_box_is_exact(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 49; n += 6) {
        ashi_tessellation mesh;
        assert_true(ashi_mesh_box(n, v3(0.5, 1, 1.5), &mesh));
        ash_mass_properties m = mesh_mass(&mesh);
        assert_near(m.mass, 6, 1e-14);
        assert_near(m.inertia.xx, 6 * (4.0 + 9) / 12, 1e-13);
        assert_near(m.inertia.yy, 6 * (1.0 + 9) / 12, 1e-13);
        assert_near(m.inertia.zz, 6 * (1.0 + 4) / 12, 1e-13);
    }
}

/* Far from the origin the integrals must not lose their digits. */
static void test_far_from_origin(void **state)
{
    (void)state;
    ashi_tessellation mesh;
    assert_true(ashi_mesh_box(3, v3(0.5, 0.5, 0.5), &mesh));
    for (uint32_t i = 0; i < mesh.point_count; i++)
        mesh.points[i] = v3_add(mesh.points[i], v3(1024, -2048, 4096));
    ash_mass_properties m = mesh_mass(&mesh);
    assert_near(m.mass, 1, 1e-12);
    assert_near(m.inertia.xx, 1.0 / 6, 1e-12);
    assert_near(m.centre.z, 4096, 1e-9);
}

static void test_tessellation_limits(void **state)
{
    (void)state;
    ashi_tessellation mesh;
    uint64_t blocks = ash_memory_used().blocks;
    assert_false(ashi_mesh_sphere(13, 1, &mesh));
    assert_false(ashi_mesh_box(0, v3(1, 1, 1), &mesh));
    assert_false(ashi_mesh_cylinder(2, 1, 1, &mesh));
    for (uint64_t k = 1; k <= 4; k++) {
        ashi_alloc_fail_at(k, true);
        assert_false(ashi_mesh_sphere(2, 1, &mesh));
    }
    ashi_alloc_fail_at(0, false);
    assert_int_equal(ash_memory_used().blocks, blocks);
}

/* A unit cube of 12 triangles that each test spoils in its own way. */
typedef struct cube {
    ash_vec3 points[20];
    uint32_t triangles[30][3];
    uint32_t point_count, triangle_count;
} cube;

static void add_box(cube *c, ash_vec3 centre, double half, bool inverted)
{
    ashi_tessellation mesh;
    assert_true(ashi_mesh_box(1, v3(half, half, half), &mesh));
    for (uint32_t i = 0; i < mesh.triangle_count; i++)
        for (int k = 0; k < 3; k++)
            c->triangles[c->triangle_count + i][inverted ? 2 - k : k] = mesh.triangles[3 * i + k] + c->point_count;
    for (uint32_t i = 0; i < mesh.point_count; i++)
        c->points[c->point_count + i] = v3_add(mesh.points[i], centre);
    c->point_count += mesh.point_count;
    c->triangle_count += mesh.triangle_count;
    ashi_tessellation_release(&mesh);
}

static void expect_failure(const cube *c, const char *code, const char *part)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = c->points;
    def.point_count = c->point_count;
    def.triangles = c->triangles[0];
    def.triangle_count = c->triangle_count;
    ash_geometry *geometry = (ash_geometry *)&def;
    ash_diagnostic diagnostic = {0};
    uint64_t blocks = ash_memory_used().blocks;
    assert_int_equal(ash_geometry_create(&def, &geometry, &diagnostic), ASH_BAD_DATA);
    assert_null(geometry);
    assert_string_equal(diagnostic.code, code);
    if (strstr(diagnostic.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", diagnostic.message, part);
    assert_int_equal(ash_memory_used().blocks, blocks);
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_BAD_DATA);
}

static void test_bad_meshes(void **state)
{
    (void)state;
    cube good = {.point_count = 0}, c;
    add_box(&good, v3(0, 0, 0), 0.5, false);

    c = good;
    c.triangle_count--;
    expect_failure(&c, "mesh.open", "3 such edges");
    c = good;
    memcpy(c.triangles[12], c.triangles[0], sizeof c.triangles[0]);
    c.triangle_count++;
    expect_failure(&c, "mesh.non-manifold", "belongs to 3 triangles");
    c = good;
    uint32_t swap = c.triangles[5][0];
    c.triangles[5][0] = c.triangles[5][1];
    c.triangles[5][1] = swap;
    expect_failure(&c, "mesh.orientation", "in the same direction");
    c = good;
    c.triangles[7][2] = 99;
    expect_failure(&c, "mesh.index", "triangle 7 uses point 99");
    c = good;
    c.triangles[3][1] = c.triangles[3][0];
    expect_failure(&c, "mesh.degenerate", "triangle 3");
    c = good;
    c.points[2].y = (double)NAN;
    expect_failure(&c, "geometry.points", "point 2");
    c = good;
    c.triangle_count = 3;
    expect_failure(&c, "geometry.triangles", "3 triangles");
    c = good;
    c.point_count = 3;
    expect_failure(&c, "geometry.points", "3 points");

    c = (cube){.point_count = 0};
    add_box(&c, v3(1, 2, 3), 0.5, true);
    expect_failure(&c, "mesh.inverted", "-1 m3");
    c = good;
    add_box(&c, v3(5, 0, 0), 0.3, true);
    expect_failure(&c, "mesh.inertia", "principal moments");
}

static void test_unused_points_are_dropped(void **state)
{
    (void)state;
    cube c = {.point_count = 0};
    c.points[0] = v3(50, 50, 50);
    c.point_count = 1;
    add_box(&c, v3(0, 0, 0), 0.5, false);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = c.points;
    def.point_count = c.point_count;
    def.triangles = c.triangles[0];
    def.triangle_count = c.triangle_count;
    ash_geometry *geometry;
    assert_int_equal(ash_geometry_create(&def, &geometry, NULL), ASH_OK);
    assert_int_equal(ash_geometry_get_definition(geometry)->point_count, 8);
    assert_near(ash_geometry_bounds(geometry, ash_identity()).upper.x, 0.5, 0);
    ash_geometry_release(geometry);
}

/* A cube of triangles has the distance of a box, inside and out, also over edges and corners. */
static void test_distance_of_box(void **state)
{
    (void)state;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(0.5, 1, 0.7);
    ash_geometry *box, *mesh;
    assert_int_equal(ash_geometry_create(&def, &box, NULL), ASH_OK);
    ashi_tessellation cut;
    assert_true(ashi_mesh_box(5, def.half_extents, &cut));
    def = ashi_tessellation_def(&cut);
    assert_int_equal(ash_geometry_create(&def, &mesh, NULL), ASH_OK);
    ashi_random random = {7};
    for (int i = 0; i < 5000; i++) {
        ash_vec3 p = random_point(&random, v3(-2, -2, -2), v3(2, 2, 2));
        assert_near(ash_geometry_distance(mesh, p), ash_geometry_distance(box, p), 1e-14);
        ash_ray ray = {p, random_direction(&random), 5};
        ash_ray_hit a = {0}, b = {0};
        bool hit = ash_geometry_ray(box, ray, &a);
        assert_int_equal(ash_geometry_ray(mesh, ray, &b), hit);
        assert_near(a.t, b.t, 1e-13);
        assert_near(v3_distance(a.normal, b.normal), 0, 1e-13);
    }
    ashi_tessellation_release(&cut);
    ash_geometry_release(box);
    ash_geometry_release(mesh);
}

/* The tree against all triangles one by one, and the sign against the winding of the surface around the point. */
static void test_tree_agrees_with_brute_force(void **state)
{
    (void)state;
    ash_geometry *mesh;
    assert_int_equal(create_sample(ASH_GEOMETRY_MESH, &mesh, NULL), ASH_OK);
    const ash_geometry_def *def = ash_geometry_get_definition(mesh);
    ashi_random random = {11};
    for (int n = 0; n < 300; n++) {
        ash_vec3 p = random_point(&random, v3(-1.2, -1.2, -1), v3(1.2, 1.2, 1.8));
        double least = INFINITY, solid_angle = 0;
        for (uint32_t t = 0; t < def->triangle_count; t++) {
            const uint32_t *corner = def->triangles + 3 * (size_t)t;
            ashi_feature feature;
            ash_vec3 a = def->points[corner[0]], b = def->points[corner[1]], c = def->points[corner[2]];
            least = fmin(least, v3_distance(p, ashi_triangle_nearest(a, b, c, p, &feature)));
            a = v3_unit(v3_sub(a, p));
            b = v3_unit(v3_sub(b, p));
            c = v3_unit(v3_sub(c, p));
            double denominator = 1 + v3_dot(a, b) + v3_dot(b, c) + v3_dot(c, a);
            solid_angle += 2 * atan2(v3_dot(a, v3_cross(b, c)), denominator);
        }
        bool inside = solid_angle > 2 * ASHI_PI;
        assert_near(ash_geometry_distance(mesh, p), inside ? -least : least, 1e-14);
    }
    ash_geometry_release(mesh);
}

/* No ray through a vertex or along an edge slips through. */
static void test_rays_at_vertices(void **state)
{
    (void)state;
    ashi_tessellation sphere;
    assert_true(ashi_mesh_sphere(3, 1, &sphere));
    ash_geometry_def def = ashi_tessellation_def(&sphere);
    ash_geometry *mesh;
    assert_int_equal(ash_geometry_create(&def, &mesh, NULL), ASH_OK);
    for (uint32_t i = 0; i < 3 * sphere.triangle_count; i++) {
        ash_vec3 a = sphere.points[sphere.triangles[i]];
        ash_vec3 b = sphere.points[sphere.triangles[i % 3 == 2 ? i - 2 : i + 1]];
        ash_vec3 aims[2] = {a, v3_scale(v3_add(a, b), 0.5)};
        for (int n = 0; n < 2; n++) {
            ash_vec3 from = v3_add(v3_scale(aims[n], 3), v3(0.01 * n, 0, 0));
            ash_ray_hit hit;
            assert_true(ash_geometry_ray(mesh, (ash_ray){from, v3_sub(aims[n], from), 2}, &hit));
            assert_near(hit.t, 1, 1e-12);
        }
    }
    ashi_tessellation_release(&sphere);
    ash_geometry_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_converges),
        cmocka_unit_test(test_cylinder_converges),
        cmocka_unit_test(test_box_is_exact),
        cmocka_unit_test(test_far_from_origin),
        cmocka_unit_test(test_tessellation_limits),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_unused_points_are_dropped),
        cmocka_unit_test(test_distance_of_box),
        cmocka_unit_test(test_tree_agrees_with_brute_force),
        cmocka_unit_test(test_rays_at_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
