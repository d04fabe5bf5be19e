/* Polyhedra in places where pair functions go wrong: coincident centres, parallel edges, sizes from 1e-4 m to 1e4 m,
 * flat and long ones, hulls too large to be searched axis by axis, points across a gap. */
#include "collide/polyhedra.h"

static ash_geometry *box_as_hull(double x, double y, double z)
{
    ash_vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = v3(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    return make_hull(corners, 8);
}

/* The gap along the normal is minus the depth, and the points lie on both. */
static void check_certificate(const ashi_manifold *m, const ash_geometry *a, const ash_geometry *b, ash_transform pose,
                              double tolerance)
{
    double depth = -INFINITY;
    for (uint32_t i = 0; i < m->count; i++) {
        const ashi_manifold_point *p = &m->points[i];
        ash_vec3 on_b = t_point_inverse(pose, v3_add_scaled(p->on_a, m->normal, -p->depth));
        assert_near(ash_geometry_distance(a, p->on_a), 0, tolerance);
        assert_near(ash_geometry_distance(b, on_b), 0, tolerance);
        depth = fmax(depth, p->depth);
    }
    ash_vec3 in_b = q_unrotate(pose.rotation, m->normal);
    double reach = v3_dot(ash_geometry_support(a, m->normal), m->normal);
    double start = v3_dot(t_point(pose, ash_geometry_support(b, v3_neg(in_b))), m->normal);
    assert_near(start - reach, -depth, tolerance);
}

/* One inside the other, centre on centre, turned by nothing, a quarter, an eighth: the way out is along the thinnest.
 */
static void coincident(void **state)
{
    (void)state;
    ashi_manifolds manifolds = {0};
    for (double size = 1e-4; size < 2e4; size *= 10) {
        ash_geometry *pairs[2][2] = {{make_box(size, 2 * size, 3 * size), make_box(size, 2 * size, 3 * size)},
                                     {box_as_hull(size, 2 * size, 3 * size), box_as_hull(size, 2 * size, 3 * size)}};
        for (int i = 0; i < 4; i++)
            for (int turn = 0; turn < 3; turn++) {
                const ash_geometry *a = pairs[i % 2][0], *b = pairs[i / 2][1];
                ash_transform pose = {v3(0, 0, 0), ash_rotation(v3(1, 0, 0), turn * ASHI_PI / 4)};
                collide(&manifolds, a, b, pose, 0, false, NULL);
                assert_int_equal(manifolds.count, 1);
                assert_near(deepest(&manifolds), 2 * size, 1e-12 * size);
                assert_near(fabs(manifolds.data[0].normal.x), 1, 1e-12);
                assert_int_equal(manifolds.data[0].count, 4);
                check_certificate(&manifolds.data[0], a, b, pose, 1e-11 * size);
            }
        for (int i = 0; i < 4; i++)
            ash_geometry_release(pairs[i / 2][i % 2]);
    }
    ashi_array_release(&manifolds);
}

/* A tiny box on a huge one, and plates and needles on each other. */
static void extreme_sizes(void **state)
{
    (void)state;
    ashi_manifolds manifolds = {0};
    const struct {
        ash_vec3 a, b;
        double tolerance;
    } cases[] = {{{1e4, 1e4, 1e4}, {1e-4, 1e-4, 1e-4}, 1e-11}, /* 1e4 m has steps of 2e-12 m */
                 {{1, 1, 1e-4}, {1, 1, 1e-4}, 1e-15},
                 {{1e-4, 1e-4, 1}, {1, 1e-4, 1e-4}, 1e-15},
                 {{1e-4, 1e-4, 1e-4}, {1e4, 1e4, 1e-4}, 1e-11}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int hulls = 0; hulls < 3; hulls++) {
            ash_vec3 p = cases[i].a, q = cases[i].b;
            ash_geometry *a = hulls & 1 ? box_as_hull(p.x, p.y, p.z) : make_box(p.x, p.y, p.z);
            ash_geometry *b = hulls & 2 ? box_as_hull(q.x, q.y, q.z) : make_box(q.x, q.y, q.z);
            for (int turn = 0; turn < 5; turn++) {
                ash_transform pose = {v3(2e-5, -1e-5, p.z + q.z - 1e-5), ash_rotation(v3(0, 0, 1), 0.2 * turn)};
                collide(&manifolds, a, b, pose, 1e-6, false, NULL);
                assert_int_equal(manifolds.count, 1);
                assert_near(manifolds.data[0].normal.z, 1, 1e-15);
                assert_near(deepest(&manifolds), 1e-5, cases[i].tolerance);
                assert_int_equal(manifolds.data[0].count, 4);
                check_certificate(&manifolds.data[0], a, b, pose, cases[i].tolerance);
            }
            ash_geometry_release(a);
            ash_geometry_release(b);
        }
    ashi_array_release(&manifolds);
}

/* A box and a hull with its corners are one to all pair functions. */
static void box_or_hull(void **state)
{
    (void)state;
    ashi_random random = {41};
    ashi_manifolds with_box = {0}, with_hull = {0};
    ash_geometry *a = make_box(0.5, 0.3, 0.4), *b = make_box(0.6, 0.2, 0.3);
    ash_geometry *hull_a = box_as_hull(0.5, 0.3, 0.4), *hull_b = box_as_hull(0.6, 0.2, 0.3);
    uint32_t met = 0;
    for (int i = 0; i < TRIALS(20000); i++) {
        ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0, 1)),
                              random_rotation(&random)};
        collide(&with_box, a, b, pose, 0.02, true, NULL);
        for (int k = 1; k < 4; k++) {
            collide(&with_hull, k & 1 ? hull_a : a, k & 2 ? hull_b : b, pose, 0.02, true, NULL);
            assert_int_equal(with_hull.count, with_box.count);
            if (with_box.count == 0)
                continue;
            assert_int_equal(with_hull.data[0].count, with_box.data[0].count);
            assert_near(deepest(&with_hull), deepest(&with_box), 1e-12);
            assert_near(v3_distance(with_hull.data[0].normal, with_box.data[0].normal), 0, 1e-9);
            met++;
        }
    }
    assert_true(met > TRIALS(30000));
    ash_geometry_release(a);
    ash_geometry_release(b);
    ash_geometry_release(hull_a);
    ash_geometry_release(hull_b);
    ashi_array_release(&with_box);
    ashi_array_release(&with_hull);
}

/* A column with 100 sides: 200 vertices, faces with 100 corners. */
static ash_geometry *make_column(void)
{
    ash_vec3 points[200];
    for (int i = 0; i < 200; i++)
        points[i] = v3(cos(i / 2 * ASHI_PI / 50), sin(i / 2 * ASHI_PI / 50), i % 2 ? 1 : -1);
    return make_hull(points, 200);
}

static void large_hulls(void **state)
{
    (void)state;
    ashi_random random = {43};
    ashi_manifolds manifolds = {0};
    ash_vec3 points[300];
    for (int i = 0; i < 300; i++)
        points[i] = random_direction(&random);
    ash_geometry *solids[3] = {make_hull(points, 300), make_column(), make_box(0.7, 0.8, 0.9)};
    uint32_t met = 0;
    for (int i = 0; i < TRIALS(3000); i++) {
        const ash_geometry *a = solids[i % 3], *b = solids[(i / 3) % 2];
        ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0.5, 2.5)),
                              random_rotation(&random)};
        collide(&manifolds, a, b, pose, 0.05, true, NULL);
        if (manifolds.count == 0)
            continue;
        met++;
        const ashi_manifold *m = &manifolds.data[0];
        check_certificate(m, a, b, pose, 3e-4); /* a face may be worse by its slack */
        /* No direction nearby parts them sooner. */
        for (int k = 0; k < 20; k++) {
            ash_vec3 n = v3_unit(v3_add_scaled(m->normal, random_direction(&random), 0.02));
            double reach = v3_dot(ash_geometry_support(a, n), n);
            ash_vec3 in_b = q_unrotate(pose.rotation, n);
            double start = v3_dot(t_point(pose, ash_geometry_support(b, v3_neg(in_b))), n);
            assert_below(start - reach, -deepest(&manifolds) + 3e-4);
        }
    }
    assert_true(met > TRIALS(1500));
    /* Two columns, one on the other and turned: the whole face, all of it or four points. */
    ash_transform pose = {v3(0.3, 0.1, 1.999), ash_rotation(v3(0, 0, 1), 0.01)};
    for (int all = 0; all < 2; all++) {
        collide(&manifolds, solids[1], solids[1], pose, 0.01, all, NULL);
        assert_int_equal(manifolds.count, 1);
        assert_int_equal(manifolds.data[0].count, all ? ASHI_MANIFOLD_MOST : 4);
        assert_near(manifolds.data[0].normal.z, 1, 1e-9);
        assert_near(deepest(&manifolds), 1e-3, 1e-9);
        check_certificate(&manifolds.data[0], solids[1], solids[1], pose, 1e-9);
    }
    for (int i = 0; i < 3; i++)
        ash_geometry_release(solids[i]);
    ashi_array_release(&manifolds);
}

/* Across a gap within the margin there are points with negative depth; beyond it there are none. */
static void across_a_gap(void **state)
{
    (void)state;
    ashi_manifolds manifolds = {0};
    ash_geometry *a = make_box(1, 1, 1), *b = box_as_hull(0.5, 0.5, 0.5), *c = make_box(0.5, 0.5, 0.5);
    for (int i = 0; i < 2; i++) {
        ash_transform pose = {v3(0.1, 0.2, 1.505), ash_identity().rotation};
        collide(&manifolds, a, i ? b : c, pose, 0.01, false, NULL);
        assert_int_equal(manifolds.count, 1);
        assert_int_equal(manifolds.data[0].count, 4);
        for (int k = 0; k < 4; k++)
            assert_near(manifolds.data[0].points[k].depth, -0.005, 1e-15);
        collide(&manifolds, a, i ? b : c, pose, 0.0049, false, NULL);
        assert_int_equal(manifolds.count, 0);
        /* Corner beside corner: nearest along the diagonal, though each face normal sees less. */
        pose.position = v3(1.5 + 0.003, 1.5 + 0.004, 1.5 + 0.012);
        collide(&manifolds, a, i ? b : c, pose, 0.014, false, NULL);
        assert_int_equal(manifolds.count, 1);
        assert_near(deepest(&manifolds), -0.013, 1e-12);
        assert_near(v3_distance(manifolds.data[0].normal, v3(3. / 13, 4. / 13, 12. / 13)), 0, 1e-9);
        collide(&manifolds, a, i ? b : c, pose, 0.0129, false, NULL);
        assert_int_equal(manifolds.count, 0);
    }
    ash_geometry_release(a);
    ash_geometry_release(b);
    ash_geometry_release(c);
    ashi_array_release(&manifolds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coincident),  cmocka_unit_test(extreme_sizes), cmocka_unit_test(box_or_hull),
        cmocka_unit_test(large_hulls), cmocka_unit_test(across_a_gap),
    };
    return cmocka_run_group_tests_name("collide/polyhedra", tests, NULL, NULL);
}
