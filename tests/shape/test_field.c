/* Height fields and distance fields: rays and distances against all triangles one by one, masses that converge with the
 * square of the spacing, grids that cut the solid, and bad grids. */
#include "check.h"

#include "base/alloc.h"
#include "samples.h"
#include "shape/distance_field.h"
#include "shape/triangle.h"

#include <stdlib.h>
#include <string.h>

static ash_geometry *create(ash_geometry_def def)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (ash_geometry_create(&def, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.code, diagnostic.message);
    return geometry;
}

static ash_geometry *hills(uint32_t nx, uint32_t ny, double *values)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    ashi_random random = {17};
    for (uint32_t i = 0; i < nx * ny; i++)
        values[i] = ashi_random_range(&random, -0.5, 0.5);
    def.cells[0] = nx;
    def.cells[1] = ny;
    def.values = values;
    def.origin = v3(-2, -1.5, 0.3);
    def.spacing = v3(4.0 / (nx - 1), 3.0 / (ny - 1), 0);
    return create(def);
}

/* Visits all triangles. */
static void every_triangle(const ash_geometry *g, void (*visit)(ash_vec3 *c, void *data), void *data)
{
    const ash_geometry_def *def = ash_geometry_get_definition(g);
    for (uint32_t j = 0; j + 1 < def->cells[1]; j++)
        for (uint32_t i = 0; i + 1 < def->cells[0]; i++)
            for (int half = 0; half < 2; half++) {
                ash_vec3 c[3];
                for (int k = 0; k < 3; k++) {
                    uint32_t a = i + (half == 0 ? k > 0 : k == 1), b = j + (half == 0 ? k == 2 : k > 0);
                    c[k] = v3(def->origin.x + a * def->spacing.x, def->origin.y + b * def->spacing.y,
                              def->origin.z + def->values[b * def->cells[0] + a]);
                }
                visit(c, data);
            }
}

typedef struct search {
    ash_ray ray;
    double t, gap;
} search;

static void nearest_hit(ash_vec3 *c, void *data)
{
    search *s = data;
    ash_vec3 normal = v3_cross(v3_sub(c[1], c[0]), v3_sub(c[2], c[0]));
    double speed = v3_dot(normal, s->ray.direction), t = v3_dot(normal, v3_sub(c[0], s->ray.origin)) / speed;
    ash_vec3 p = v3_add_scaled(s->ray.origin, s->ray.direction, t);
    ashi_feature feature;
    if (speed < 0 && t >= 0 && t < s->t && v3_distance(p, ashi_triangle_nearest(c[0], c[1], c[2], p, &feature)) < 1e-12)
        s->t = t;
    s->gap = fmin(s->gap, v3_distance(s->ray.origin, ashi_triangle_nearest(c[0], c[1], c[2], s->ray.origin, &feature)));
}

static void test_height_field_against_brute_force(void **state)
{
    (void)state;
    double values[20 * 13];
    ash_geometry *g = hills(20, 13, values);
    ashi_random random = {18};
    int hits = 0;
    for (int n = 0; n < 2000; n++) {
        ash_vec3 from = random_point(&random, v3(-3, -3, -1), v3(3, 3, 2));
        ash_vec3 direction = random_direction(&random);
        if (n % 2 == 0)
            direction.z = -fabs(direction.z);
        if (n % 10 == 0)
            direction = v3(0, 0, -1);
        if (n % 10 == 1)
            direction = v3(direction.x < 0 ? -1 : 1, 0, -0.2);
        if (n % 10 == 2) { /* straight down onto a sample, and along a line of samples */
            from.x = -2 + 4.0 / 19 * (n % 20);
            from.y = -1.5 + 0.25 * (n % 13);
            direction = n % 20 == 2 ? v3(0, 0, -1) : v3(0, 1, -0.3);
        }
        search s = {{from, direction, 100}, INFINITY, INFINITY};
        every_triangle(g, nearest_hit, &s);
        double distance = ash_geometry_distance(g, from);
        assert_near(fabs(distance), s.gap, 1e-13);
        ash_ray_hit hit;
        bool found = ash_geometry_ray(g, s.ray, &hit);
        if (distance < 0) {
            assert_true(found && hit.t == 0);
            continue;
        }
        assert_int_equal(found, isfinite(s.t));
        if (found) {
            assert_near(hit.t, s.t, 1e-11);
            hits++;
        }
    }
    assert_true(hits > 300);
    assert_near(ash_geometry_projected_area(g, v3(0, 0, 1)), 12, 1e-13);
    ash_bounds box = ash_geometry_bounds(g, ash_identity());
    assert_near(box.lower.x, -2, 1e-15);
    assert_near(box.upper.y, 1.5, 1e-15);
    ash_geometry_release(g);
}

static double ball(ash_vec3 p, void *user)
{
    return v3_norm(p) - *(double *)user;
}

static ash_geometry_def ball_def(uint32_t n, double half, double *radius)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    double h = 2 * half / (n - 1);
    def.cells[0] = def.cells[1] = def.cells[2] = n;
    def.origin = v3(-half, -half, -half);
    def.spacing = v3(h, h, h);
    def.sample_function = ball;
    def.sample_user = radius;
    return def;
}

/* Fits the slope of log(error) over log(spacing) for mass, inertia, shadow and a ray. */
static void test_distance_field_converges(void **state)
{
    (void)state;
    double radius = 0.83, sum[4] = {0}, cross[4] = {0}, place = 0, place2 = 0;
    const int sizes = 5;
    for (int k = 0; k < sizes; k++) {
        uint32_t n = 9 + 8 * (uint32_t)k;
        ash_geometry *g = create(ball_def(n, 1, &radius));
        ash_mass_properties m;
        assert_int_equal(ash_geometry_mass(g, 1, &m, NULL), ASH_OK);
        ash_ray_hit hit;
        assert_true(ash_geometry_ray(g, (ash_ray){{3, 2.1, 1.7}, {-3, -2.1, -1.7}, 1}, &hit));
        double exact = 4 * ASHI_PI / 3 * pow(radius, 3);
        double errors[4] = {fabs(m.mass / exact - 1), fabs(m.inertia.xx / (0.4 * exact * radius * radius) - 1),
                            fabs(ash_geometry_projected_area(g, v3(0.3, 0.9, -0.5)) / (ASHI_PI * radius * radius) - 1),
                            fabs(v3_norm(hit.point) / radius - 1)};
        assert_near(v3_dot(hit.normal, v3_unit(hit.point)), 1, 0.02);
        double x = log(1.0 / (n - 1));
        place += x;
        place2 += x * x;
        for (int e = 0; e < 3; e++) {
            sum[e] += log(errors[e]);
            cross[e] += x * log(errors[e]);
        }
        assert_below(errors[3], 0.5 / (n - 1.0) / (n - 1.0) * 4); /* the interpolation error h^2/8 f'' */
        ash_geometry_release(g);
    }
    for (int e = 0; e < 3; e++)
        assert_near((sizes * cross[e] - place * sum[e]) / (sizes * place2 - place * place), 2, 0.15);
}

/* A knobbly thing without symmetry. */
static double knot(ash_vec3 p, void *user)
{
    (void)user;
    double one = v3_distance(p, v3(0.3, 0.1, -0.2)) - 0.5, other = v3_distance(p, v3(-0.5, -0.2, 0.4)) - 0.3;
    return fmin(fmin(one, other), v3_norm(v3(p.x, p.y, 0)) - 0.08);
}

/* The tree of cells holds each once, and finds what going over all of them does. */
static void test_tree_of_cells(void **state)
{
    (void)state;
    ash_geometry_def def = ball_def(27, 1, NULL);
    def.sample_function = knot;
    def.spacing.y = 0.05; /* cells need not be cubes; the stalk is cut by the grid */
    ash_geometry *g = create(def);
    const ashi_field_surface *surface = g->field;
    uint32_t next = 0;
    for (uint32_t n = 0; n < surface->node_count; n++) {
        const ashi_tree_node *node = &surface->nodes[n];
        if (node->count == 0) {
            assert_true(node->first > n + 1 && node->first < surface->node_count);
            continue;
        }
        assert_int_equal(node->first, next);
        next += node->count;
        for (uint32_t c = node->first; c < next; c++) {
            ash_bounds cell = surface->cells[c].inside;
            assert_true(cell.lower.x >= node->bounds.lower.x && cell.upper.x <= node->bounds.upper.x);
            assert_true(cell.lower.y >= node->bounds.lower.y && cell.upper.y <= node->bounds.upper.y);
            assert_true(cell.lower.z >= node->bounds.lower.z && cell.upper.z <= node->bounds.upper.z);
        }
    }
    assert_int_equal(next, surface->cell_count);
    ashi_random random = {3};
    for (int trial = 0; trial < 300; trial++) {
        ash_vec3 d = v3(ashi_random_range(&random, -1, 1), ashi_random_range(&random, -1, 1),
                        trial % 3 == 0 ? 0 : ashi_random_range(&random, -1, 1));
        double farthest = -INFINITY;
        for (uint32_t c = 0; c < surface->cell_count; c++) {
            ash_bounds box = surface->cells[c].inside;
            farthest =
                fmax(farthest, fmax(d.x * box.lower.x, d.x * box.upper.x) + fmax(d.y * box.lower.y, d.y * box.upper.y) +
                                   fmax(d.z * box.lower.z, d.z * box.upper.z));
        }
        assert_near(v3_dot(ashi_field_tree_support(surface, d), d), farthest, 1e-14);
    }
    ash_bounds box = ash_geometry_bounds(g, (ash_transform){v3(1, 2, 3), q_identity()});
    assert_near(box.upper.x, ash_geometry_support(g, v3(1, 0, 0)).x + 1, 1e-15);
    assert_near(box.lower.z, ash_geometry_support(g, v3(0, 0, -1)).z + 3, 1e-15);
    /* The larger ball, cut at y = 0.3: 0.15 below its middle both the cut and its surface are 0.35 away. */
    assert_near(surface->core_radius, 0.35, 0.05);
    assert_below(v3_distance(surface->core, v3(0.3, -0.05, -0.2)), 0.1);
    ash_geometry_release(g);
}

static void test_gradient(void **state)
{
    (void)state;
    ash_geometry *g;
    assert_int_equal(create_sample(ASH_GEOMETRY_DISTANCE_FIELD, &g, NULL), ASH_OK);
    ashi_random random = {31};
    for (int n = 0; n < 1000; n++) {
        ash_vec3 p = random_point(&random, v3(-1.5, -1.5, -1.5), v3(1.5, 1.5, 1.5)), d = random_direction(&random);
        ash_vec3 gradient = ashi_field_gradient(g, p);
        double step = 1e-6, f = ash_geometry_distance(g, v3_add_scaled(p, d, step));
        double b = ash_geometry_distance(g, v3_add_scaled(p, d, -step));
        double m = ash_geometry_distance(g, p);
        if (fabs(f - 2 * m + b) > 1e-10) /* a border between cells lies within the step */
            continue;
        assert_near((f - b) / (2 * step), v3_dot(gradient, d), 1e-4);
    }
    ash_geometry_release(g);
}

/* Samples of a plane: the interpolation is exact, so the cut box is too. */
static void test_cut_by_the_grid(void **state)
{
    (void)state;
    double values[3 * 4 * 5];
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    for (int i = 0; i < 60; i++)
        values[i] = (i / 12) - 2.5; /* inside below z = 2.5 */
    def.cells[0] = 3;
    def.cells[1] = 4;
    def.cells[2] = 5;
    def.values = values;
    ash_geometry *g = create(def);
    ash_mass_properties m;
    assert_int_equal(ash_geometry_mass(g, 1, &m, NULL), ASH_OK);
    assert_near(m.mass, 15, 1e-13);
    assert_near(v3_distance(m.centre, v3(1, 1.5, 1.25)), 0, 1e-14);
    assert_near(m.inertia.xx, 15 * (9 + 6.25) / 12, 1e-13);
    assert_near(m.inertia.xy, 0, 1e-13);
    assert_near(ash_geometry_projected_area(g, v3(0, 0, 1)), 6, 1e-14);
    assert_near(ash_geometry_projected_area(g, v3(0, 0, -1)), 6, 1e-14);
    assert_near(ash_geometry_projected_area(g, v3(1, 0, 0)), 7.5, 1e-14);
    assert_near(ash_geometry_projected_area(g, v3(0, -1, 0)), 5, 1e-14);
    ash_bounds box = ash_geometry_bounds(g, ash_identity());
    assert_near(v3_distance(box.upper, v3(2, 3, 2.5)), 0, 1e-15);
    assert_near(v3_norm(box.lower), 0, 1e-15);
    ash_ray_hit hit;
    assert_true(ash_geometry_ray(g, (ash_ray){{-3, 1, 1}, {1, 0, 0}, 10}, &hit)); /* into the cut side */
    assert_near(hit.t, 3, 1e-15);
    assert_near(hit.normal.x, -1, 0);
    assert_true(ash_geometry_ray(g, (ash_ray){{1, 1, 9}, {0, 0, -1}, 10}, &hit));
    assert_near(hit.t, 6.5, 1e-14);
    assert_near(hit.normal.z, 1, 1e-15);
    assert_near(ash_geometry_distance(g, v3(-2, 1, 1)), 2, 1e-15);
    assert_near(ash_geometry_distance(g, v3(1, 1, 5)), 2.5, 1e-15);
    ash_geometry_release(g);
}

static void test_sampled_from_mesh(void **state)
{
    (void)state;
    ash_geometry *mesh;
    assert_int_equal(create_sample(ASH_GEOMETRY_MESH, &mesh, NULL), ASH_OK);
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    def.cells[0] = def.cells[1] = 31;
    def.cells[2] = 37;
    def.origin = v3(-1.2, -1.2, -1.1);
    def.spacing = v3(0.08, 0.08, 0.08);
    def.sample_mesh = mesh;
    ash_geometry *field = create(def);
    assert_null(ash_geometry_get_definition(field)->sample_mesh);
    assert_non_null(ash_geometry_get_definition(field)->values);
    ash_mass_properties a, b;
    ash_geometry_mass(mesh, 1, &a, NULL);
    ash_geometry_mass(field, 1, &b, NULL);
    assert_near(b.mass, a.mass, 0.01 * a.mass);
    assert_near(v3_distance(a.centre, b.centre), 0, 0.005);
    ashi_random random = {41};
    for (int n = 0; n < 500; n++) {
        ash_vec3 p = random_point(&random, v3(-1.1, -1.1, -1), v3(1.1, 1.1, 1.7));
        assert_near(ash_geometry_distance(field, p), ash_geometry_distance(mesh, p), 0.08);
    }
    ash_geometry_release(field);
    ash_geometry_release(mesh);
}

static double broken(ash_vec3 p, void *user)
{
    (void)user;
    return p.x > 0.5 && p.y > 0.5 ? (double)NAN : -1;
}

static void expect(const ash_geometry_def *def, const char *code, const char *part)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    uint64_t blocks = ash_memory_used().blocks;
    assert_int_equal(ash_geometry_create(def, &geometry, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, code);
    if (strstr(diagnostic.message, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", diagnostic.message, part);
    assert_int_equal(ash_memory_used().blocks, blocks);
}

static void test_bad_grids(void **state)
{
    (void)state;
    double radius = 0.5, values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    ash_geometry_def good = ball_def(5, 1, &radius), def = good;
    def.cells[1] = 1;
    expect(&def, "geometry.cells", "1 samples in y");
    def.cells[0] = def.cells[1] = def.cells[2] = UINT32_MAX;
    expect(&def, "geometry.cells", "4294967295");
    def.cells[0] = def.cells[1] = def.cells[2] = 1 << 11; /* the product overflows 32 bits */
    expect(&def, "geometry.cells", "in z");
    def.cells[0] = def.cells[1] = 256;
    def.cells[2] = 257; /* just above ASH_MAX_SAMPLES */
    expect(&def, "geometry.cells", "257 samples in z");
    def = good;
    def.sample_function = NULL;
    ash_geometry_def sphere = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    ash_geometry *sampled;
    assert_int_equal(ash_geometry_create(&sphere, &sampled, NULL), ASH_OK);
    def.sample_mesh = sampled;
    def.cells[0] = def.cells[1] = 100;
    def.cells[2] = 101; /* just above ASH_MAX_SAMPLED */
    expect(&def, "distance-field.samples", "1010000 samples");
    ash_geometry_release(sampled);
    def = good;
    def.spacing.z = 0;
    expect(&def, "geometry.spacing", "in z is 0");
    def.spacing.z = (double)INFINITY;
    expect(&def, "geometry.spacing", "inf");
    def = good;
    def.origin.x = (double)NAN;
    expect(&def, "geometry.origin", "nan");
    def = good;
    def.sample_function = NULL;
    expect(&def, "distance-field.source", "0 sources");
    def.values = values;
    def.sample_function = ball;
    expect(&def, "distance-field.source", "2 sources");
    def = good;
    def.sample_function = broken;
    expect(&def, "geometry.values", "sample (4, 4, 0)");
    def = good;
    def.sample_function = NULL;
    def.values = values;
    def.cells[0] = def.cells[1] = def.cells[2] = 2;
    expect(&def, "distance-field.empty", "nowhere negative");
    ash_geometry *plane;
    assert_int_equal(create_sample(ASH_GEOMETRY_PLANE, &plane, NULL), ASH_OK);
    def = good;
    def.sample_function = NULL;
    def.sample_mesh = plane;
    expect(&def, "distance-field.source", "plane");
    ash_geometry_release(plane);

    def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = 2;
    def.cells[1] = 4;
    expect(&def, "geometry.values", "no heights");
    values[5] = (double)INFINITY;
    def.values = values;
    expect(&def, "geometry.values", "sample (1, 2, 0)");
    def.cells[0] = 1;
    expect(&def, "geometry.cells", "1 samples in x");
    def.cells[0] = 2;
    def.origin.z = (double)NAN;
    expect(&def, "geometry.origin", "in z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_height_field_against_brute_force),
        cmocka_unit_test(test_distance_field_converges),
        cmocka_unit_test(test_tree_of_cells),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_cut_by_the_grid),
        cmocka_unit_test(test_sampled_from_mesh),
        cmocka_unit_test(test_bad_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
