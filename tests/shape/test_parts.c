/* Convex parts: solids made of cubes are cut into convex ones that cover them once, however they are turned; curved
 * solids within the tolerance; sheets and any numbers give parts or a diagnostic. */
#include "check.h"

#include "ashlar/geometry.h"
#include "base/alloc.h"
#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/polyhedron.h"

#include <string.h>

enum { SIDE = 5, MOST_POINTS = 4096, MOST_TRIANGLES = 8192 };

typedef struct surface {
    ash_vec3 points[MOST_POINTS];
    uint32_t triangles[3 * MOST_TRIANGLES];
    uint32_t point_count, triangle_count;
} surface;

static surface the_surface;

typedef struct cubes {
    bool there[SIDE][SIDE][SIDE];
} cubes;

static void add_triangle(surface *s, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = s->triangles + 3 * (size_t)s->triangle_count++;
    assert_true(s->triangle_count <= MOST_TRIANGLES);
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static uint32_t add_point(surface *s, ash_vec3 p)
{
    assert_true(s->point_count < MOST_POINTS);
    s->points[s->point_count] = p;
    return s->point_count++;
}

static bool is_there(const cubes *c, int x, int y, int z)
{
    return x >= 0 && y >= 0 && z >= 0 && x < SIDE && y < SIDE && z < SIDE && c->there[x][y][z];
}

/* The sides of cubes of edge 1 that no other cube covers, each of two triangles. */
static void skin(const cubes *c, surface *s)
{
    s->point_count = s->triangle_count = 0;
    for (int i = 0; i < SIDE * SIDE * SIDE * 6; i++) {
        int at[3] = {i / 6 % SIDE, i / 6 / SIDE % SIDE, i / 6 / SIDE / SIDE}, axis = i % 6 / 2, up = i % 2;
        int beside[3] = {at[0], at[1], at[2]};
        beside[axis] += up ? 1 : -1;
        if (!is_there(c, at[0], at[1], at[2]) || is_there(c, beside[0], beside[1], beside[2]))
            continue;
        uint32_t corner[4];
        for (int k = 0; k < 4; k++) {
            double xyz[3] = {at[0], at[1], at[2]};
            xyz[axis] += up;
            xyz[(axis + 1) % 3] += k == 1 || k == 2;
            xyz[(axis + 2) % 3] += k >= 2;
            corner[k] = add_point(s, v3(xyz[0], xyz[1], xyz[2]));
        }
        add_triangle(s, corner[0], corner[up ? 1 : 2], corner[up ? 2 : 1]);
        add_triangle(s, corner[0], corner[up ? 2 : 3], corner[up ? 3 : 2]);
    }
}

static void place(surface *s, ash_quat turn, double size, ash_vec3 shift)
{
    for (uint32_t i = 0; i < s->point_count; i++)
        s->points[i] = v3_add(v3_scale(q_rotate(turn, s->points[i]), size), shift);
}

static ash_geometry *make(const surface *s, double tolerance, uint32_t most)
{
    ash_geometry *made;
    ash_diagnostic diagnostic;
    if (ash_geometry_create_parts(s->points, s->point_count, s->triangles, s->triangle_count, tolerance, most, &made,
                                  &diagnostic) != ASH_OK)
        fail_msg("%s: %s", diagnostic.code, diagnostic.message);
    return made;
}

static uint32_t count_parts(const ash_geometry *geometry)
{
    const ash_geometry_def *def = ash_geometry_get_definition(geometry);
    assert_true(def->kind == ASH_GEOMETRY_COMPOUND || def->kind == ASH_GEOMETRY_HULL);
    return def->kind == ASH_GEOMETRY_COMPOUND ? def->part_count : 1;
}

static double volume_of(const ash_geometry *geometry)
{
    ash_mass_properties mass;
    assert_int_equal(ash_geometry_mass(geometry, 1, &mass, NULL), ASH_OK);
    return mass.mass;
}

/* Cut exactly: as much volume as cubes, and the middle of every cube is in a part. */
static uint32_t check_cubes(const cubes *c, ash_quat turn, double size, ash_vec3 shift)
{
    skin(c, &the_surface);
    place(&the_surface, turn, size, shift);
    ash_geometry *made = make(&the_surface, 1e-3, 200);
    uint32_t parts = count_parts(made), wanted = 0;
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        int x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
        ash_vec3 middle = v3_add(v3_scale(q_rotate(turn, v3(x + 0.5, y + 0.5, z + 0.5)), size), shift);
        if (c->there[x][y][z])
            assert_true(ash_geometry_distance(made, middle) < 1e-9 * size);
        wanted += c->there[x][y][z];
    }
    /* Planes are met within the rounding of the cut, 1e-10 of the diagonal; hulls merge sides as flat as that. */
    assert_near(volume_of(made) / (size * size * size), wanted, 1e-8 * wanted);
    ash_geometry_release(made);
    return parts;
}

static ash_quat random_turn(ashi_random *random)
{
    ash_quat q = {ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1), ashi_random_range(random, -1, 1),
                  ashi_random_range(random, -1, 1)};
    return q_unit(q);
}

typedef bool known_solid(int x, int y, int z);
static bool is_corner(int x, int y, int z)
{
    return z == 0 && y < 4 && x < 4 && (x == 0 || y == 0);
}
static bool is_channel(int x, int y, int z)
{
    (void)y;
    return z < 3 && (z == 0 || x == 0 || x == 4);
}
static bool is_frame(int x, int y, int z)
{
    return z == 0 && (x == 0 || x == 4 || y == 0 || y == 4);
}
static bool is_table(int x, int y, int z)
{
    return z == 4 || ((x == 0 || x == 4) && (y == 0 || y == 4));
}
static bool is_tray(int x, int y, int z)
{
    return z == 0 || (z < 3 && (x == 0 || x == 4 || y == 0 || y == 4));
}
static bool is_bar(int x, int y, int z)
{
    return y == 2 && z < 2 && x < 5;
}
static bool is_pair(int x, int y, int z)
{
    return y == 2 && z == 2 && x != 2;
}

/* The least number of parts of some solids is found in any pose; of the table, one more. */
static void test_known(void **state)
{
    static const struct {
        known_solid *is;
        uint32_t parts;
    } known[] = {{is_bar, 1},   {is_corner, 2}, {is_channel, 3}, {is_frame, 4},
                 {is_table, 6}, {is_tray, 5},   {is_pair, 2}};
    (void)state;
    ashi_random random = {11};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        cubes c;
        for (int i = 0; i < SIDE * SIDE * SIDE; i++)
            c.there[i % SIDE][i / SIDE % SIDE][i / SIDE / SIDE] =
                known[k].is(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE);
        assert_in_range(check_cubes(&c, q_identity(), 1, v3(0, 0, 0)), 1, known[k].parts);
        for (int i = 0; i < 4; i++)
            assert_in_range(check_cubes(&c, random_turn(&random), 0.02, v3(1, -3, 2)), 1, known[k].parts);
    }
}

static void test_random_cubes(void **state)
{
    (void)state;
    ashi_random random = {12};
    for (int round = 0; round < 60; round++) {
        cubes c = {0};
        int x = 2, y = 2, z = 2, steps = 3 + (int)ashi_random_below(&random, 25);
        for (int i = 0; i < steps; i++) {
            c.there[x][y][z] = true;
            int *axis = ashi_random_below(&random, 3) == 0 ? &x : ashi_random_below(&random, 2) ? &y : &z;
            *axis += ashi_random_below(&random, 2) ? 1 : -1;
            *axis = *axis < 0 ? 0 : *axis >= SIDE ? SIDE - 1 : *axis;
        }
        check_cubes(&c, round % 3 ? random_turn(&random) : q_identity(), round % 2 ? 1 : 250, v3(round, 0, 0));
    }
}

/* A ring with a round section, and a bowl: what parts have too much lies within the tolerance of the surface. */
static void make_revolved(surface *s, double (*profile)[2], uint32_t corners, uint32_t around)
{
    s->point_count = s->triangle_count = 0;
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t k = 0; k < corners; k++) {
            double angle = 2 * ASHI_PI * i / around;
            add_point(s, v3(profile[k][0] * cos(angle), profile[k][0] * sin(angle), profile[k][1]));
        }
    for (uint32_t i = 0; i < around; i++)
        for (uint32_t k = 0; k < corners; k++) {
            uint32_t a = i * corners + k, b = i * corners + (k + 1) % corners;
            uint32_t c = (i + 1) % around * corners + k, d = (i + 1) % around * corners + (k + 1) % corners;
            add_triangle(s, a, c, b);
            add_triangle(s, b, c, d);
        }
}

static void check_curved(const surface *s, double tolerance)
{
    double volume, area = 0;
    ash_vec3 centre, low = s->points[0], high = low;
    ash_sym3 inertia;
    ashi_polyhedron_mass(s->points, s->point_count, s->triangles, s->triangle_count, &volume, &centre, &inertia);
    assert_true(volume > 0);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        ash_vec3 a = s->points[s->triangles[3 * i]];
        area += 0.5 * v3_norm(v3_cross(v3_sub(s->points[s->triangles[3 * i + 1]], a),
                                       v3_sub(s->points[s->triangles[3 * i + 2]], a)));
    }
    for (uint32_t i = 0; i < s->point_count; i++) {
        low = v3_min(low, s->points[i]);
        high = v3_max(high, s->points[i]);
    }
    ash_geometry *made = make(s, tolerance, ASH_MAX_CONVEX_PARTS);
    /* Nothing of the solid is lost; what is added is a layer on its surface. */
    double size = v3_distance(low, high), have = volume_of(made);
    print_message("%u triangles, tolerance %g: %u parts, %.4f of the volume\n", s->triangle_count, tolerance,
                  count_parts(made), have / volume);
    assert_true(have > volume * (1 - 1e-9));
    assert_true(have < volume + area * tolerance * size);
    for (uint32_t i = 0; i < s->point_count; i++)
        assert_true(ash_geometry_distance(made, s->points[i]) < 1e-9 * size);
    assert_true(count_parts(made) > 3);
    ash_geometry_release(made);
    /* As few parts as are allowed. */
    made = make(s, tolerance, 3);
    assert_in_range(count_parts(made), 2, 3);
    assert_true(volume_of(made) >= have * (1 - 1e-9));
    ash_geometry_release(made);
}

static void test_curved(void **state)
{
    (void)state;
    double ring[16][2], bowl[24][2];
    for (int i = 0; i < 16; i++) {
        ring[i][0] = 1 + 0.2 * cos(2 * ASHI_PI * i / 16);
        ring[i][1] = 0.2 * sin(2 * ASHI_PI * i / 16);
    }
    for (int i = 0; i < 12; i++) {
        double angle = ASHI_PI / 2 * (i + 0.2) / 12;
        bowl[i][0] = sin(angle);
        bowl[i][1] = -cos(angle);
        bowl[23 - i][0] = 0.9 * sin(angle);
        bowl[23 - i][1] = -0.9 * cos(angle);
    }
    for (int i = 0; i < 2; i++) {
        make_revolved(&the_surface, ring, 16, 40);
        check_curved(&the_surface, i == 0 ? 0.02 : 0.05);
        make_revolved(&the_surface, bowl, 24, 40);
        check_curved(&the_surface, i == 0 ? 0.02 : 0.05);
    }
    /* Inside out: the same. */
    for (uint32_t i = 0; i < the_surface.triangle_count; i++) {
        uint32_t *t = the_surface.triangles + 3 * (size_t)i, swap = t[0];
        t[0] = t[1];
        t[1] = swap;
    }
    ash_geometry *made = make(&the_surface, 0.05, 100);
    assert_true(count_parts(made) > 3);
    ash_geometry_release(made);
}

/* A sheet with a fold: two parts, with a thickness. */
static void test_sheet(void **state)
{
    (void)state;
    ash_vec3 points[6] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {1, 0, 1}, {1, 1, 1}};
    uint32_t triangles[12] = {0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5}; /* seen from within the fold */
    ash_geometry *made;
    assert_int_equal(ash_geometry_create_parts(points, 6, triangles, 4, 0.01, 8, &made, NULL), ASH_OK);
    assert_int_equal(count_parts(made), 2);
    assert_true(volume_of(made) < 2 * 2e-4);
    ash_geometry_release(made);
    assert_int_equal(ash_geometry_create_parts(points, 4, triangles, 2, 0.01, 8, &made, NULL), ASH_OK);
    assert_int_equal(count_parts(made), 1);
    ash_geometry_release(made);
}

/* Soups of triangles, scattered, flat, tiny, huge, repeated: parts with finite mass, or a diagnostic; no memory is
 * lost.
 */
static void test_soup(void **state)
{
    (void)state;
    ashi_random random = {13};
    uint64_t blocks = ash_memory_used().blocks;
    int made_count = 0, refused = 0;
    for (int round = 0; round < 400; round++) {
        static const double sizes[6] = {1, 1e-3, 1e5, 1e-30, 1e30, 1e200};
        double size = sizes[ashi_random_below(&random, 6)];
        ash_vec3 points[12], axes = v3(1, ashi_random_below(&random, 4) ? 1 : 0, ashi_random_below(&random, 3) ? 1 : 0);
        uint32_t triangles[90], count = 1 + ashi_random_below(&random, 30);
        for (int i = 0; i < 12; i++) {
            points[i] = v3(ashi_random_range(&random, -1, 1), ashi_random_range(&random, -1, 1),
                           (double)ashi_random_below(&random, 3));
            points[i] = v3_scale(v3_mul(points[i], axes), size);
        }
        if (ashi_random_below(&random, 20) == 0)
            points[3].y = ashi_random_below(&random, 2) ? NAN : INFINITY;
        for (uint32_t i = 0; i < 90; i++)
            triangles[i] = ashi_random_below(&random, ashi_random_below(&random, 100) == 0 ? 13 : 12);
        ash_geometry *made = NULL;
        ash_diagnostic diagnostic = {0};
        ash_status status = ash_geometry_create_parts(points, 12, triangles, count, 0.02, 20, &made, &diagnostic);
        if (status == ASH_OK) {
            made_count++;
            assert_true(count_parts(made) <= 20);
            assert_true(volume_of(made) > 0);
        } else {
            refused++;
            assert_int_equal(status, ASH_BAD_DATA);
            assert_null(made);
            assert_true(diagnostic.message[0] != 0);
        }
        ash_geometry_release(made);
    }
    assert_true(made_count > 50 && refused > 50);
    assert_int_equal(ash_memory_used().blocks, blocks);
}

static void refuse(const ash_vec3 *points, uint32_t triangles, double tolerance, uint32_t most, const char *code)
{
    static const uint32_t numbers[3] = {0, 1, 2};
    ash_geometry *made;
    ash_diagnostic diagnostic = {0};
    assert_int_equal(ash_geometry_create_parts(points, 3, numbers, triangles, tolerance, most, &made, &diagnostic),
                     ASH_BAD_DATA);
    assert_null(made);
    assert_string_equal(diagnostic.code, code);
}

static void test_bad(void **state)
{
    (void)state;
    ash_vec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, one[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    refuse(line, 1, 0.02, 8, "parts.flat");
    refuse(one, 1, 0.02, 8, "parts.size");
    refuse(line, 0, 0.02, 8, "geometry.triangles");
    refuse(NULL, 1, 0.02, 8, "geometry.triangles");
    refuse(line, 1, 0, 8, "parts.limits");
    refuse(line, 1, NAN, 8, "parts.limits");
    refuse(line, 1, 0.02, 0, "parts.limits");
    refuse(line, 1, 0.02, ASH_MAX_CONVEX_PARTS + 1, "parts.limits");
    assert_int_equal(ash_geometry_create_parts(line, 3, NULL, 0, 0.02, 8, NULL, NULL), ASH_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known),  cmocka_unit_test(test_random_cubes),
                                       cmocka_unit_test(test_curved), cmocka_unit_test(test_sheet),
                                       cmocka_unit_test(test_soup),   cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
