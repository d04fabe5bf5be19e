/* Mass properties: closed forms of every kind, against an integral over random points of which only the sign of the
 * distance is known, and the algebra of adding and moving. */
#include "check.h"

#include "samples.h"

#include <string.h>

static ash_mass_properties mass_of(ash_geometry_def def, double density)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (ash_geometry_create(&def, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    ash_mass_properties mass;
    assert_int_equal(ash_geometry_mass(geometry, density, &mass, &diagnostic), ASH_OK);
    ash_geometry_release(geometry);
    return mass;
}

static void assert_mass(ash_mass_properties m, double mass, ash_vec3 centre, ash_vec3 moments)
{
    double size = v3_max_component(moments);
    assert_near(m.mass, mass, 1e-14 * mass);
    assert_near(v3_distance(m.centre, centre), 0, 1e-15);
    assert_near(m.inertia.xx, moments.x, 1e-14 * size);
    assert_near(m.inertia.yy, moments.y, 1e-14 * size);
    assert_near(m.inertia.zz, moments.z, 1e-14 * size);
    assert_near(fabs(m.inertia.xy) + fabs(m.inertia.xz) + fabs(m.inertia.yz), 0, 1e-14 * size);
}

static void test_closed_forms(void **state)
{
    (void)state;
    const double pi = ASHI_PI;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_SPHERE);
    def.radius = 2;
    assert_mass(mass_of(def, 3), 3 * 32 * pi / 3, v3(0, 0, 0), v3_scale(v3(1, 1, 1), 32 * pi * 1.6));
    def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    assert_mass(mass_of(def, 1), 1, v3(0, 0, 0), v3(1.0 / 6, 1.0 / 6, 1.0 / 6));
    def = ash_default_geometry_def(ASH_GEOMETRY_CYLINDER);
    def.height = 2;
    assert_mass(mass_of(def, 1 / (2 * pi)), 1, v3(0, 0, 0), v3(7.0 / 12, 7.0 / 12, 0.5));
    def = ash_default_geometry_def(ASH_GEOMETRY_CONE);
    def.height = 4;
    assert_mass(mass_of(def, 3 / (4 * pi)), 1, v3(0, 0, -1), v3(3.0 / 20 + 0.6, 3.0 / 20 + 0.6, 0.3));
    def = ash_default_geometry_def(ASH_GEOMETRY_ELLIPSOID);
    def.half_extents = v3(1, 2, 3);
    assert_mass(mass_of(def, 1 / (8 * pi)), 1, v3(0, 0, 0), v3(13.0 / 5, 2, 1));
    def = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    def.radius = 2;
    assert_mass(mass_of(def, 1 / (4 * pi)), 1, v3(0, 0, 0), v3(1, 1, 2));
}

static void test_hull_and_polygon_of_a_box(void **state)
{
    (void)state;
    ash_vec3 corners[9];
    for (int i = 0; i < 8; i++)
        corners[i] = v3((i & 1) != 0 ? 2 : 0, (i & 2) != 0 ? 3 : 0, (i & 4) != 0 ? 4 : 0);
    corners[8] = v3(1, 1, 1); /* inside */
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    def.points = corners;
    def.point_count = 9;
    assert_mass(mass_of(def, 1), 24, v3(1, 1.5, 2), v3(50, 40, 26));
    ash_vec3 rectangle[4] = {{0, 0, 0}, {0, 3, 0}, {2, 3, 0}, {2, 0, 0}}; /* clockwise */
    def = ash_default_geometry_def(ASH_GEOMETRY_POLYGON);
    def.points = rectangle;
    def.point_count = 4;
    assert_mass(mass_of(def, 1), 6, v3(1, 1.5, 0), v3(4.5, 2, 6.5));
}

/* The capsules tend to a ball or disc as they get short, and add up from their parts. */
static void test_capsules(void **state)
{
    (void)state;
    const double pi = ASHI_PI, r = 0.7, h = 1.3;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CAPSULE);
    def.radius = r;
    def.height = h;
    ash_mass_properties m = mass_of(def, 1);
    double shell = pi * r * r * h, ball = 4 * pi / 3 * r * r * r;
    /* By slices: int (r^2/4 + z^2) over the discs at z. */
    double across = 0;
    int n =
        400; /* Simpson on each of the three parts is exact up to rounding for polynomials of degree 3; caps need n */
    for (int part = 0; part < 2; part++) {
        double length = part == 0 ? h / 2 : r, start = part == 0 ? 0 : h / 2;
        for (int i = 0; i <= 2 * n; i++) {
            double s = length * i / (2 * n), z = start + s, rho2 = part == 0 ? r * r : r * r - s * s;
            double weight = (i == 0 || i == 2 * n ? 1 : i % 2 == 1 ? 4 : 2) * length / (6 * n);
            across += 2 * weight * pi * rho2 * (rho2 / 4 + z * z);
        }
    }
    assert_near(m.mass, shell + ball, 1e-14);
    assert_near(m.inertia.xx, across, 1e-10);
    assert_near(m.inertia.zz, shell * r * r / 2 + 0.4 * ball * r * r, 1e-14);
    def.height = 1e-9;
    assert_near(mass_of(def, 1).inertia.xx, 0.4 * ball * r * r, 1e-8);

    def.kind = ASH_GEOMETRY_FLAT_CAPSULE;
    def.height = h;
    m = mass_of(def, 1);
    double along = 0;
    across = 0;
    n = 20000; /* the caps' slices end with a vertical tangent: error n^-1.5 */
    for (int part = 0; part < 2; part++) {
        double length = part == 0 ? h / 2 : r, start = part == 0 ? 0 : h / 2;
        for (int i = 0; i < n; i++) {
            double s = length * (i + 0.5) / n, x = start + s, half = part == 0 ? r : sqrt(r * r - s * s);
            along += 2 * length / n * 2 * half * half * half / 3;
            across += 2 * length / n * 2 * half * x * x;
        }
    }
    assert_near(m.mass, 2 * r * h + pi * r * r, 1e-14);
    assert_near(m.inertia.xx, along, 1e-7);
    assert_near(m.inertia.yy, across, 1e-6);
    assert_near(m.inertia.zz, m.inertia.xx + m.inertia.yy, 1e-15);
}

/* A low-discrepancy sum over the bounding box, knowing only which points are inside. */
static void test_against_numerical_integral(void **state)
{
    (void)state;
    for (int kind = 0; kind < ASH_GEOMETRY_KINDS; kind++) {
        ash_geometry *geometry;
        assert_int_equal(create_sample(kind, &geometry, NULL), ASH_OK);
        ash_mass_properties exact;
        ash_diagnostic diagnostic = {0};
        if (kind == ASH_GEOMETRY_PLANE || kind == ASH_GEOMETRY_HEIGHT_FIELD || kind == ASH_GEOMETRY_SEGMENT) {
            assert_int_equal(ash_geometry_mass(geometry, 1, &exact, &diagnostic), ASH_UNSUPPORTED);
            assert_non_null(strstr(diagnostic.message, ash_geometry_kind_name(kind)));
            ash_geometry_release(geometry);
            continue;
        }
        assert_int_equal(ash_geometry_mass(geometry, 2, &exact, NULL), ASH_OK);
        ash_bounds box = ash_geometry_bounds(geometry, ash_identity());
        bool flat = ash_geometry_is_flat(geometry);
        ash_vec3 size = v3_sub(box.upper, box.lower);
        if (flat)
            size.z = 1;
        const int n = 200000;
        double weight = 2 * size.x * size.y * size.z / n, mass = 0;
        ash_vec3 first = v3(0, 0, 0);
        ash_sym3 inertia = {0};
        for (int i = 0; i < n; i++) { /* Roberts' sequence */
            ash_vec3 u = v3(fmod(0.5 + 0.8191725133961645 * i, 1), fmod(0.5 + 0.6710436067037893 * i, 1),
                            fmod(0.5 + 0.5497004779019703 * i, 1));
            ash_vec3 p = v3_add(box.lower, v3_mul(u, size));
            if (flat)
                p.z = 0;
            if (ash_geometry_distance(geometry, p) >= 0)
                continue;
            mass += weight;
            first = v3_add_scaled(first, p, weight);
            inertia = s3_add(inertia, s3_point_inertia(weight, v3_sub(p, exact.centre)));
        }
        double scale = exact.principal.z, tolerance = 4e-3;
        assert_near(mass, exact.mass, tolerance * exact.mass);
        assert_near(v3_distance(v3_scale(first, 1 / mass), exact.centre), 0, tolerance);
        assert_near(inertia.xx, exact.inertia.xx, tolerance * scale);
        assert_near(inertia.yy, exact.inertia.yy, tolerance * scale);
        assert_near(inertia.zz, exact.inertia.zz, tolerance * scale);
        assert_near(inertia.xy, exact.inertia.xy, tolerance * scale);
        assert_near(inertia.xz, exact.inertia.xz, tolerance * scale);
        assert_near(inertia.yz, exact.inertia.yz, tolerance * scale);
        /* The principal axes give the tensor back, and the moments are those of a body. */
        ash_sym3 back =
            s3_rotated(s3_diagonal(exact.principal.x, exact.principal.y, exact.principal.z), exact.principal_axes);
        assert_near(back.xy, exact.inertia.xy, 1e-14 * scale);
        assert_near(back.yz, exact.inertia.yz, 1e-14 * scale);
        assert_near(back.zz, exact.inertia.zz, 1e-14 * scale);
        assert_true(exact.principal.x <= exact.principal.y && exact.principal.y <= exact.principal.z);
        assert_int_equal(ash_mass_complete(&exact, NULL), ASH_OK);
        ash_geometry_release(geometry);
    }
}

/* Two halves of a box, each turned and moved into place, are the box. */
static void test_transform_then_add(void **state)
{
    (void)state;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    def.half_extents = v3(0.5, 0.25, 1); /* a half: its long sides are the box's y (turned) */
    ash_mass_properties half = mass_of(def, 3);
    ash_quat turn = ash_rotation(v3(1, 0, 0), ASHI_PI / 2), back = ash_rotation(v3(1, 0, 0), -ASHI_PI / 2);
    ash_mass_properties low = ash_mass_transform(&half, (ash_transform){v3(0, 0, -0.25), turn});
    ash_mass_properties high = ash_mass_transform(&half, (ash_transform){v3(0, 0, 0.25), back});
    ash_mass_properties sum = ash_mass_add(&low, &high);
    def.half_extents = v3(0.5, 1, 0.5);
    ash_mass_properties whole = mass_of(def, 3);
    assert_mass(sum, whole.mass, v3(0, 0, 0), v3(whole.inertia.xx, whole.inertia.yy, whole.inertia.zz));
    assert_near(v3_distance(sum.principal, whole.principal), 0, 1e-14);

    /* Seen from another frame and back. */
    ashi_random random = {3};
    for (int i = 0; i < 50; i++) {
        ash_transform pose = {random_point(&random, v3(-3, -3, -3), v3(3, 3, 3)), random_rotation(&random)};
        ash_mass_properties there = ash_mass_transform(&whole, pose),
                            again = ash_mass_transform(&there, t_inverse(pose));
        assert_mass(again, whole.mass, whole.centre, v3(whole.inertia.xx, whole.inertia.yy, whole.inertia.zz));
        assert_near(v3_distance(there.principal, whole.principal), 0, 0);
        ash_sym3 axes =
            s3_rotated(s3_diagonal(there.principal.x, there.principal.y, there.principal.z), there.principal_axes);
        assert_near(axes.xz, there.inertia.xz, 1e-13);
        /* Adding in any frame is the same. */
        ash_mass_properties a = ash_mass_transform(&low, pose), b = ash_mass_transform(&high, pose);
        ash_mass_properties moved = ash_mass_add(&a, &b);
        assert_near(moved.inertia.xy, there.inertia.xy, 1e-13);
        assert_near(v3_distance(moved.centre, there.centre), 0, 1e-14);
    }
    ash_mass_properties none = {0}, both = ash_mass_add(&none, &none);
    assert_near(both.mass, 0, 0);
    assert_true(v3_is_finite(both.centre));
}

static void expect(ash_mass_properties mass, const char *code)
{
    ash_mass_properties before = mass;
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ash_mass_complete(&mass, &diagnostic), ASH_BAD_DATA);
    assert_string_equal(diagnostic.code, code);
    assert_memory_equal(&mass, &before, sizeof mass);
}

static void test_given_masses(void **state)
{
    (void)state;
    ash_mass_properties good = {.mass = 2, .inertia = {3, 2, 1, 0, 0, 0}}, m = good;
    assert_int_equal(ash_mass_complete(&m, NULL), ASH_OK);
    assert_near(v3_distance(m.principal, v3(1, 2, 3)), 0, 1e-15);
    m.inertia = (ash_sym3){0};
    assert_int_equal(ash_mass_complete(&m, NULL), ASH_OK); /* a point mass */
    m = good;
    m.mass = 0;
    expect(m, "mass.mass");
    m.mass = (double)INFINITY;
    expect(m, "mass.mass");
    m = good;
    m.centre.y = (double)INFINITY;
    expect(m, "mass.centre");
    m = good;
    m.inertia.xz = (double)INFINITY;
    expect(m, "mass.inertia");
    m = good;
    m.inertia.zz = -1;
    expect(m, "mass.negative-moment");
    m = good;
    m.inertia = (ash_sym3){1, 1, 1, 2, 0, 0}; /* positive diagonal, but -1 along (1, -1, 0) */
    expect(m, "mass.negative-moment");
    m = good;
    m.inertia.xx = 3.01;
    expect(m, "mass.triangle-inequality");
    assert_int_equal(ash_mass_complete(NULL, NULL), ASH_BAD_ARGUMENT);

    ash_geometry *sphere;
    assert_int_equal(create_sample(ASH_GEOMETRY_SPHERE, &sphere, NULL), ASH_OK);
    ash_diagnostic diagnostic;
    assert_int_equal(ash_geometry_mass(sphere, -1, &m, &diagnostic), ASH_BAD_ARGUMENT);
    assert_string_equal(diagnostic.code, "mass.density");
    assert_int_equal(ash_geometry_mass(sphere, 1, NULL, NULL), ASH_BAD_ARGUMENT);
    ash_geometry_release(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),       cmocka_unit_test(test_hull_and_polygon_of_a_box),
        cmocka_unit_test(test_capsules),           cmocka_unit_test(test_against_numerical_integral),
        cmocka_unit_test(test_transform_then_add), cmocka_unit_test(test_given_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
