/* Meshes that are not convex, with each other and with height fields: exact contacts where the answer is known, and
 * over random poses nothing that overlaps without a contact, none where nothing is near, and the same seen from either
 * side. */
#include "collide/surfaces.h"

#include "ashlar/query.h"

#include "shape/geometry.h"

#include <string.h>

/* An L-shaped prism of arms `size` long and half of that wide, 2 half high. */
static ash_geometry *make_ell(double size, double half)
{
    const double outline[6][2] = {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}};
    const uint32_t fan[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    ash_vec3 points[12];
    uint32_t triangles[20][3], used = 0;
    for (uint32_t i = 0; i < 6; i++) {
        points[i] = v3(size * outline[i][0], size * outline[i][1], -half);
        points[6 + i] = v3(size * outline[i][0], size * outline[i][1], half);
    }
    for (uint32_t i = 0; i < 4; i++) {
        memcpy(triangles[used++], (uint32_t[3]){fan[i][0], fan[i][2], fan[i][1]}, sizeof triangles[0]);
        memcpy(triangles[used++], (uint32_t[3]){6 + fan[i][0], 6 + fan[i][1], 6 + fan[i][2]}, sizeof triangles[0]);
    }
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t next = (i + 1) % 6;
        memcpy(triangles[used++], (uint32_t[3]){i, next, 6 + next}, sizeof triangles[0]);
        memcpy(triangles[used++], (uint32_t[3]){i, 6 + next, 6 + i}, sizeof triangles[0]);
    }
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_MESH);
    def.points = points;
    def.point_count = 12;
    def.triangles = &triangles[0][0];
    def.triangle_count = used;
    return make(&def);
}

static ash_geometry *make_flat_ground(void)
{
    double heights[11 * 11] = {0};
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_HEIGHT_FIELD);
    def.cells[0] = def.cells[1] = 11;
    def.origin = v3(-5, -5, 0);
    def.spacing = v3(1, 1, 0);
    def.values = heights;
    return make(&def);
}

/* Exactly one on the other, so that all sides are flush: pushed up, never to a side. */
static void flush_blocks_are_pushed_along_faces(void **state)
{
    (void)state;
    ash_geometry *ell = make_ell(0.2, 0.1), *ground = make_flat_ground();
    ashi_manifolds found = {0};
    for (int i = 0; i < 4; i++) {
        double depth = (double[4]){1e-12, 1e-6, 1e-3, 8e-3}[i];
        collide(&found, ell, at(0, 0, 0), ell, at(0, 0, 0.2 - depth), 1e-6);
        assert_int_equal(found.count, 1);
        assert_near(v3_distance(found.data[0].normal, v3(0, 0, 1)), 0, 1e-12);
        assert_int_equal(found.data[0].count, 4);
        for (uint32_t k = 0; k < 4; k++)
            assert_near(found.data[0].points[k].depth, depth, 1e-15);
        collide(&found, ell, at(0.3, 0.1, 0.1 - depth), ground, at(0, 0, 0), 1e-6);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.data[0].count, 4);
        for (uint32_t k = 0; k < 4; k++)
            assert_near(found.data[0].points[k].depth, depth, 1e-15);
    }
    ashi_array_release(&found);
    ash_geometry_release(ell);
    ash_geometry_release(ground);
}

/* The outer corner of one in the inner corner of another, which holds it from two sides. */
static void hollows_hold_from_both_sides(void **state)
{
    (void)state;
    ash_geometry *ell = make_ell(0.2, 0.1), *small = make_ell(0.05, 0.1);
    ashi_manifolds found = {0};
    for (int i = 0; i < 2; i++) {
        double x = (double[2]){1e-4, -1e-4}[i], y = 2 * x;
        collide(&found, ell, at(0, 0, 0), small, at(0.05 - x, 0.05 - y, 0.01), 1e-3);
        double along_x = NAN, along_y = NAN;
        for (uint32_t m = 0; m < found.count; m++) {
            bool is_x = fabs(found.data[m].normal.x - 1) < 1e-12, is_y = fabs(found.data[m].normal.y - 1) < 1e-12;
            assert_true(is_x || is_y);
            *(is_x ? &along_x : &along_y) = found.data[m].points[0].depth;
        }
        assert_int_equal(found.count, 2);
        assert_near(along_x, x, 1e-15);
        assert_near(along_y, y, 1e-15);
    }
    ashi_array_release(&found);
    ash_geometry_release(ell);
    ash_geometry_release(small);
}

/* Whether points all over the surface of one are inside the other by more than a depth. */
static bool has_inside(const ash_geometry *one, const ash_geometry *other, ash_transform to_other, double depth)
{
    const ash_geometry_def *def = &one->def;
    for (uint32_t t = 0; t < def->triangle_count; t++)
        for (int i = 0; i <= 12; i++)
            for (int k = 0; i + k <= 12; k++) {
                const uint32_t *c = def->triangles + 3 * (size_t)t;
                ash_vec3 p = v3_add_scaled(def->points[c[0]], v3_sub(def->points[c[1]], def->points[c[0]]), i / 12.0);
                p = v3_add_scaled(p, v3_sub(def->points[c[2]], def->points[c[0]]), k / 12.0);
                if (ash_geometry_distance(other, t_point(to_other, p)) < -depth)
                    return true;
            }
    return false;
}

static void nothing_overlaps_without_a_contact(void **state)
{
    (void)state;
    ash_geometry *ells[2] = {make_ell(0.2, 0.1), make_ell(0.13, 0.04)};
    ashi_manifolds found = {0}, turned = {0};
    ashi_random random = {7};
    uint32_t overlapping = 0;
    for (uint32_t n = 0; n < TRIALS(4000); n++) {
        const ash_geometry *a = ells[n % 2], *b = ells[n / 2 % 2];
        ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0, 0.5)),
                              random_rotation(&random)};
        ash_closest c;
        assert_int_equal(ash_closest_points(a, ash_identity(), b, pose, &c), ASH_OK);
        collide(&found, a, at(0, 0, 0), b, pose, 1e-3);
        collide(&turned, b, pose, a, at(0, 0, 0), 1e-3);
        const ashi_manifold *m, *other;
        const ashi_manifold_point *p = deepest_point(&found, &m), *q = deepest_point(&turned, &other);
        if (has_inside(a, b, t_inverse(pose), 1e-9) || has_inside(b, a, pose, 1e-9)) {
            overlapping++;
            assert_non_null(p);
            assert_true(p->depth > 0);
            assert_true(c.distance < 0);
        } else if (c.distance > 1.001e-3) {
            assert_null(p);
        } else if (c.distance > 0) { /* the nearest features are found, and nothing is nearer */
            assert_non_null(p);
            assert_near(p->depth, -c.distance, 1e-12);
        }
        assert_int_equal(p != NULL, q != NULL);
        if (p != NULL)
            assert_near(p->depth, q->depth, 1e-9);
    }
    assert_true(overlapping > TRIALS(400));
    ashi_array_release(&found);
    ashi_array_release(&turned);
    ash_geometry_release(ells[0]);
    ash_geometry_release(ells[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flush_blocks_are_pushed_along_faces),
        cmocka_unit_test(hollows_hold_from_both_sides),
        cmocka_unit_test(nothing_overlaps_without_a_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
