/* Every kind of shape falls on every other: whichever of the two moves, in both orders of creation, turned several
 * ways, by `realtime` and by `engineering`. The lower body is held; the upper one comes to rest on it, carried with its
 * whole weight, with less overlap than the method allows, and never passes through. What has no contacts is refused. */
#include "ashlar/ashlar.h"
#include "check.h"
#include "shape/tessellate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MASS    2.0
#define GRAVITY 9.81

typedef struct kind {
    const char *name;
    ash_geometry *geometry;
    double top; /* how far it reaches upward where others are put on it */
    bool sheet; /* a plane or a height field: seen from above only */
} kind;

static ash_geometry *made(const ash_geometry_def *def)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (ash_geometry_create(def, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return geometry;
}

static ash_geometry *of_size(ash_geometry_kind number, double radius, double height, ash_vec3 half)
{
    ash_geometry_def def = ash_default_geometry_def(number);
    def.radius = radius;
    def.height = height;
    def.half_extents = half;
    return made(&def);
}

/* A prism over a polygon that may be concave, given with a fan of triangles. */
static ash_geometry *prism(const double (*outline)[2], uint32_t count, const uint32_t (*fan)[3], uint32_t fans,
                           double half)
{
    ash_vec3 points[32];
    uint32_t triangles[128][3], used = 0;
    for (uint32_t i = 0; i < count; i++) {
        points[i] = (ash_vec3){outline[i][0], outline[i][1], -half};
        points[count + i] = (ash_vec3){outline[i][0], outline[i][1], half};
    }
    for (uint32_t i = 0; i < fans; i++) {
        memcpy(triangles[used++], (uint32_t[3]){fan[i][0], fan[i][2], fan[i][1]}, sizeof triangles[0]);
        memcpy(triangles[used++], (uint32_t[3]){count + fan[i][0], count + fan[i][1], count + fan[i][2]},
               sizeof triangles[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = (i + 1) % count;
        memcpy(triangles[used++], (uint32_t[3]){i, next, count + next}, sizeof triangles[0]);
        memcpy(triangles[used++], (uint32_t[3]){i, count + next, count + i}, sizeof triangles[0]);
    }
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = points;
    def.point_count = 2 * count;
    def.triangles = &triangles[0][0];
    def.triangle_count = used;
    return made(&def);
}

static const double ell[6][2] = {{-0.2, -0.2}, {0.2, -0.2}, {0.2, 0}, {0, 0}, {0, 0.2}, {-0.2, 0.2}};
static const uint32_t ell_fan[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};

static ash_geometry *make_ring(void)
{
    enum { AROUND = 20, ROUND = 10 };
    ash_vec3 points[AROUND * ROUND];
    uint32_t triangles[2 * AROUND * ROUND][3], used = 0;
    for (uint32_t i = 0; i < AROUND; i++)
        for (uint32_t k = 0; k < ROUND; k++) {
            double u = 6.283185307179586 * i / AROUND, v = 6.283185307179586 * k / ROUND, r = 0.2 + 0.08 * cos(v);
            points[i * ROUND + k] = (ash_vec3){r * cos(u), r * sin(u), 0.08 * sin(v)};
            uint32_t a = i * ROUND + k, b = (i + 1) % AROUND * ROUND + k,
                     c = (i + 1) % AROUND * ROUND + (k + 1) % ROUND, d = i * ROUND + (k + 1) % ROUND;
            memcpy(triangles[used++], (uint32_t[3]){a, b, c}, sizeof triangles[0]);
            memcpy(triangles[used++], (uint32_t[3]){a, c, d}, sizeof triangles[0]);
        }
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = points;
    def.point_count = AROUND * ROUND;
    def.triangles = &triangles[0][0];
    def.triangle_count = used;
    return made(&def);
}

static ash_geometry *make_box_mesh(double x, double y, double z)
{
    ashi_tessellation mesh;
    assert_true(ashi_mesh_box(2, (ash_vec3){x, y, z}, &mesh));
    ash_geometry_def def = ashi_tessellation_def(&mesh);
    ash_geometry *geometry = made(&def);
    ashi_tessellation_release(&mesh);
    return geometry;
}

static ash_geometry *make_hills(void)
{
    double heights[25 * 25];
    for (int j = 0; j < 25; j++)
        for (int i = 0; i < 25; i++)
            heights[25 * j + i] = -0.02 * ((i - 12) * (i - 12) + (j - 12) * (j - 12)) / 144.0;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = def.cells[1] = 25;
    def.origin = (ash_vec3){-1.2, -1.2, 0};
    def.spacing = (ash_vec3){0.1, 0.1, 0};
    def.values = heights;
    return made(&def);
}

static ash_geometry *make_field(const ash_geometry *solid, double reach)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_DISTANCE_FIELD);
    def.cells[0] = def.cells[1] = def.cells[2] = 25;
    def.origin = (ash_vec3){-reach, -reach, -reach};
    def.spacing = (ash_vec3){reach / 12, reach / 12, reach / 12};
    def.sample_mesh = solid;
    return made(&def);
}

static ash_geometry *make_dumbbell(ash_geometry *part)
{
    ash_geometry_part parts[2] = {{part, {{-0.15, 0, 0}, {1, 0, 0, 0}}}, {part, {{0.15, 0, 0}, {1, 0, 0, 0}}}};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    def.parts = parts;
    def.part_count = 2;
    return made(&def);
}

enum { KINDS = 17 };

static void make_kinds(kind kinds[KINDS])
{
    ash_vec3 none = {0, 0, 0};
    ash_vec3 corners[6] = {{0.2, 0, -0.1}, {-0.2, 0.15, -0.1}, {-0.2, -0.15, -0.1},
                           {0.2, 0, 0.1},  {-0.2, 0.15, 0.1},  {-0.2, -0.15, 0.1}};
    ash_geometry_def hull = ash_default_geometry_def(ASH_GEOMETRY_HULL);
    hull.points = corners;
    hull.point_count = 6;
    ash_geometry_def plane = ash_default_geometry_def(ASH_GEOMETRY_PLANE);
    ash_geometry *box = of_size(ASH_GEOMETRY_BOX, 0, 0, (ash_vec3){0.2, 0.15, 0.1});
    const kind all[KINDS] = {
        {"sphere", of_size(ASH_GEOMETRY_SPHERE, 0.15, 0, none), 0.15, false},
        {"capsule", of_size(ASH_GEOMETRY_CAPSULE, 0.1, 0.2, none), 0.2, false},
        {"box", box, 0.1, false},
        {"cylinder", of_size(ASH_GEOMETRY_CYLINDER, 0.15, 0.2, none), 0.1, false},
        {"cone", of_size(ASH_GEOMETRY_CONE, 0.2, 0.2, none), 0.1, false},
        {"ellipsoid", of_size(ASH_GEOMETRY_ELLIPSOID, 0, 0, (ash_vec3){0.2, 0.15, 0.1}), 0.1, false},
        {"hull", made(&hull), 0.1, false},
        {"box mesh", make_box_mesh(0.2, 0.15, 0.1), 0.1, false},
        {"ell mesh", prism(ell, 6, ell_fan, 4, 0.1), 0.1, false},
        {"ring mesh", make_ring(), 0.08, false},
        {"plane", made(&plane), 0, true},
        {"height field", make_hills(), 0, true},
        {"box field", make_field(box, 0.3), 0.1, false},
        {"ring field", NULL, 0.08, false},
        {"compound", make_dumbbell(box), 0.1, false},
        {"compound of rings", NULL, 0.08, false},
        {"compound of fields", NULL, 0.1, false},
    };
    memcpy(kinds, all, sizeof all);
    kinds[13].geometry = make_field(kinds[9].geometry, 0.36);
    kinds[15].geometry = make_dumbbell(kinds[9].geometry);
    kinds[16].geometry = make_dumbbell(kinds[12].geometry);
}

static void release_kinds(kind kinds[KINDS])
{
    for (int i = 0; i < KINDS; i++)
        ash_geometry_release(kinds[i].geometry);
}

static ash_world *make_world(const char *method)
{
    ash_world_def def = ash_default_world_def();
    ash_diagnostic diagnostic = {0};
    ash_world *world = NULL;
    assert_int_equal(ash_method_find(method, &def.method, &diagnostic), ASH_OK);
    def.gravity = (ash_vec3){0, 0, -GRAVITY};
    if (ash_world_create(&def, &world, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return world;
}

static ash_status add(ash_world *world, const kind *one, ash_body_type type, ash_transform pose, ash_body *body,
                      ash_diagnostic *diagnostic)
{
    ash_body_def def = ash_default_body_def();
    def.type = type;
    def.mass = MASS;
    def.inertia = (ash_sym3){0.02, 0.02, 0.03, 0, 0, 0};
    def.position = pose.position;
    def.rotation = pose.rotation;
    def.locks = type == ASH_BODY_DYNAMIC ? ASH_LOCK_ROTATION | ASH_LOCK_X | ASH_LOCK_Y : 0;
    def.name = type == ASH_BODY_DYNAMIC ? "upper" : "lower";
    ash_shape_def shape = ash_default_shape_def();
    shape.geometry = one->geometry;
    shape.name = one->name;
    return ash_body_create(world, &def, &shape, 1, body, diagnostic);
}

static ash_quat turned(int number)
{
    static const ash_quat turns[4] = {
        {1, 0, 0, 0}, {0.9238795325112867, 0, 0, 0.3826834323650898}, {0.8, 0.6, 0, 0}, {0.5, 0.5, -0.5, 0.5}};
    return turns[number];
}

static double lowest_of(const ash_geometry *geometry, ash_quat rotation)
{
    return ash_geometry_bounds(geometry, (ash_transform){{0, 0, 0}, rotation}).lower.z;
}

/* All that go wrong are listed. */
static uint32_t note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    return 1;
}

/* One falls on the other: only up and down, so that it cannot roll off whatever the shapes. */
static uint32_t drop(const char *method, const kind *upper, const kind *lower, int turn, bool upper_first)
{
    const double h = 0.01, gap = 0.02, slop = 2e-3;
    ash_world *world = make_world(method);
    ash_quat up = upper->sheet ? (ash_quat){0, 1, 0, 0} : turned(turn),
             down = lower->sheet ? turned(0) : turned(turn % 2);
    double bottom = upper->sheet ? 0 : lowest_of(upper->geometry, up);
    double top = lower->sheet ? 0 : -lowest_of(lower->geometry, (ash_quat){0, 1, 0, 0});
    ash_transform above = {{0.06, 0.03, top - bottom + gap}, up}, below = {{0, 0, 0}, down};
    ash_body one, other;
    ash_diagnostic diagnostic = {0};
    if (upper_first)
        assert_int_equal(add(world, upper, ASH_BODY_DYNAMIC, above, &one, &diagnostic), ASH_OK);
    assert_int_equal(add(world, lower, ASH_BODY_STATIC, below, &other, &diagnostic), ASH_OK);
    if (!upper_first)
        assert_int_equal(add(world, upper, ASH_BODY_DYNAMIC, above, &one, &diagnostic), ASH_OK);
    double deepest = 0;
    uint32_t failed = 0;
    for (int i = 0; i < 64; i++) {
        if (ash_world_step(world, h) != ASH_OK)
            fail_msg("%s", ash_world_get_last_diagnostic(world).message);
        if (i % 18 != 9) /* it meets the other in the seventh step */
            continue;
        ash_closest c;
        above = ash_body_get_transform(world, one);
        assert_int_equal(ash_closest_points(lower->geometry, below, upper->geometry, above, &c), ASH_OK);
        deepest = fmax(deepest, -c.distance);
        if (i == 63 && fabs(c.distance) > slop)
            failed =
                note("%s on %s by %s, turn %d: ends %g m away", upper->name, lower->name, method, turn, c.distance);
    }
    double weight = ash_body_get_reaction(world, one).force.z, speed = ash_body_get_velocity(world, one).z;
    if (!(fabs(weight - MASS * GRAVITY) <= 0.02 * MASS * GRAVITY) || !(fabs(speed) <= 1e-3))
        failed = note("%s on %s by %s, turn %d: carried %g N of %g, at %g m/s", upper->name, lower->name, method, turn,
                      weight, MASS * GRAVITY, speed);
    if (!(deepest <= 0.01)) /* it meets the other at 0.63 m/s: less than 7 mm in a step */
        failed = note("%s on %s by %s, turn %d: overlap %g m", upper->name, lower->name, method, turn, deepest);
    ash_world_destroy(world);
    return failed;
}

static bool can_meet(const kind *a, const kind *b)
{
    return !(a->sheet && b->sheet && strcmp(a->name, b->name) == 0);
}

static void drop_all(const char *method)
{
    kind kinds[KINDS];
    uint32_t failed = 0;
    make_kinds(kinds);
    for (int i = 0; i < KINDS; i++)
        for (int k = 0; k < KINDS; k++)
            for (int n = 0; n < 8 && can_meet(&kinds[i], &kinds[k]); n++)
                if (TRIALS(8) == 8 || n == (i + 3 * k) % 8) /* all, or one, another for each pair of kinds */
                    failed += drop(method, &kinds[i], &kinds[k], n % 4, n / 4 == 0);
    release_kinds(kinds);
    assert_int_equal(failed, 0);
}

static void all_kinds_rest_in_real_time(void **state)
{
    (void)state;
    drop_all("realtime");
}

static void all_kinds_rest_in_engineering(void **state)
{
    (void)state;
    drop_all("engineering");
}

/* Two planes, or two height fields, of which one moves, are refused with both names; filters keep them apart. */
static void sheets_are_refused(void **state)
{
    (void)state;
    kind kinds[KINDS];
    make_kinds(kinds);
    for (int i = 10; i <= 11; i++)
        for (int compound = 0; compound < 2; compound++) {
            ash_world *world = make_world("realtime");
            kind upper = kinds[i];
            if (compound == 1)
                upper.geometry = make_dumbbell(kinds[i].geometry);
            ash_body lower, second = {0};
            ash_diagnostic diagnostic = {0};
            assert_int_equal(add(world, &kinds[i], ASH_BODY_STATIC, ash_identity(), &lower, &diagnostic), ASH_OK);
            assert_int_equal(add(world, &upper, ASH_BODY_DYNAMIC, ash_identity(), &second, &diagnostic), ASH_BAD_DATA);
            assert_non_null(strstr(diagnostic.message, "\"lower\""));
            assert_non_null(strstr(diagnostic.message, "\"upper\""));
            assert_string_equal(diagnostic.code, "shape.no-contact");
            /* Both at rest they may stay; one of them released is refused again. */
            assert_int_equal(add(world, &upper, ASH_BODY_STATIC, ash_identity(), &second, &diagnostic), ASH_OK);
            assert_int_equal(ash_body_set_type(world, second, ASH_BODY_DYNAMIC), ASH_BAD_DATA);
            assert_int_equal(ash_body_get_type(world, second), ASH_BODY_STATIC);
            ash_world_destroy(world);
            if (compound == 1)
                ash_geometry_release(upper.geometry);
        }
    release_kinds(kinds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_are_refused),
        cmocka_unit_test(all_kinds_rest_in_real_time),
        cmocka_unit_test(all_kinds_rest_in_engineering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
