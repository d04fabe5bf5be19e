/* Flat convex pairs against an oracle that tries everything: 100 000 seeded random placements of each pair, from deep
 * overlap to well apart. */
#include "flat_oracle.h"

typedef struct placement {
    ash_geometry *a, *b;
    double x, y, angle, size;
} placement;

static placement random_placement(ashi_random *random, ash_geometry_kind kind_a, ash_geometry_kind kind_b)
{
    /* A tenth of the shapes are very small or very large. */
    static const double sizes[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1e-4, 1e4};
    double size = sizes[ashi_random_below(random, 10)], reach = size * ashi_random_range(random, 0, 2.5);
    double way = ashi_random_range(random, 0, 6.283185307179586);
    return (placement){.a = random_flat(random, kind_a, size),
                       .b = random_flat(random, kind_b, size),
                       .x = reach * cos(way),
                       .y = reach * sin(way),
                       .angle = ashi_random_range(random, -3.2, 3.2),
                       .size = size};
}

static double oracle_at(const placement *p, double dx, double dy)
{
    oracle_shape a = oracle_of(p->a), b = oracle_moved(oracle_of(p->b), p->x + dx, p->y + dy, p->angle);
    return oracle_distance(&a, &b);
}

/* Both points lie on their surfaces, in the plane. */
static void check_points(const placement *p, const ashi_manifold *m)
{
    ash_transform pose = flat_pose(p->x, p->y, p->angle);
    assert_near(v3_norm(m->normal), 1, 1e-14);
    assert_true(m->normal.z == 0);
    for (uint32_t i = 0; i < m->count; i++) {
        assert_true(m->points[i].on_a.z == 0);
        assert_near(ash_geometry_distance(p->a, m->points[i].on_a), 0, 1e-10 * p->size);
        assert_near(ash_geometry_distance(p->b, t_point_inverse(pose, point_on_b(m, i))), 0, 1e-10 * p->size);
    }
    if (m->count == 2)
        assert_int_not_equal(m->points[0].feature, m->points[1].feature);
}

/* The normal is the gradient of the distance where that has one. Returns whether it had. */
static bool check_gradient(const placement *p, const ashi_manifold *m)
{
    double h = 1e-6 * p->size;
    double gx = (oracle_at(p, h, 0) - oracle_at(p, -h, 0)) / (2 * h);
    double gy = (oracle_at(p, 0, h) - oracle_at(p, 0, -h)) / (2 * h);
    if (fabs(hypot(gx, gy) - 1) > 1e-6) /* a ridge of the depth: two normals are equally good */
        return false;
    assert_near(m->normal.x, gx, 2e-5);
    assert_near(m->normal.y, gy, 2e-5);
    return true;
}

/* Seen from b, everything is the same the other way round. */
static void check_mirrored(const placement *p, const ashi_manifold *m, double margin)
{
    ash_transform pose = flat_pose(p->x, p->y, p->angle);
    ashi_manifold turned = flat_touch(p->b, p->a, t_inverse(pose), margin, NULL);
    assert_int_equal(turned.count, m->count);
    assert_near(v3_distance(q_rotate(pose.rotation, turned.normal), v3_neg(m->normal)), 0, 1e-9);
    for (uint32_t i = 0; i < m->count; i++) {
        double least = INFINITY;
        for (uint32_t k = 0; k < turned.count; k++)
            if (fabs(turned.points[k].depth - m->points[i].depth) < 1e-9 * p->size)
                least = fmin(least, v3_distance(t_point(pose, turned.points[k].on_a), point_on_b(m, i)));
        assert_below(least, 1e-9 * p->size);
    }
}

static void agree(ash_geometry_kind kind_a, ash_geometry_kind kind_b)
{
    ashi_random random = {1000u * (uint64_t)kind_a + (uint64_t)kind_b};
    int overlapping = 0, with_gradient = 0, with_two = 0;
    double worst = 0;
    for (int round = 0; round < FLAT_ROUNDS; round++) {
        placement p = random_placement(&random, kind_a, kind_b);
        double distance = oracle_at(&p, 0, 0), margin = 10 * p.size;
        ashi_manifold m = flat_touch(p.a, p.b, flat_pose(p.x, p.y, p.angle), margin, NULL);
        assert_true(m.count > 0);
        double off = fabs(deepest(&m) + distance) / p.size;
        worst = fmax(worst, off);
        if (!(off < 1e-13))
            fail_msg("round %d: depth %.17g, oracle %.17g", round, deepest(&m), -distance);
        check_points(&p, &m);
        if (round % 4 == 0 && check_gradient(&p, &m)) {
            with_gradient++;
            check_mirrored(&p, &m, margin);
        }
        /* The margin decides whether there is a contact, to the last bits. */
        ashi_manifold near = flat_touch(p.a, p.b, flat_pose(p.x, p.y, p.angle), 0, NULL);
        if (fabs(distance) > 1e-9 * p.size)
            assert_true((near.count > 0) == (distance < 0));
        overlapping += distance < 0;
        with_two += m.count == 2;
        ash_geometry_release(p.a);
        ash_geometry_release(p.b);
    }
    print_message("%s, %s: %d overlap, %d with two points, gradients %d, worst %.2g of the size\n",
                  ash_geometry_kind_name(kind_a), ash_geometry_kind_name(kind_b), overlapping, with_two, with_gradient,
                  worst);
    assert_true(overlapping > FLAT_ROUNDS / 10 && overlapping < FLAT_ROUNDS - FLAT_ROUNDS / 10);
    assert_true(with_gradient > FLAT_ROUNDS / 4 * 9 / 10);
}

#define AGREEMENT(name, kind_a, kind_b)                                                                                \
    static void name(void **state)                                                                                     \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        agree(kind_a, kind_b);                                                                                         \
    }
AGREEMENT(test_circle_circle, ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_CIRCLE)
AGREEMENT(test_circle_polygon, ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_POLYGON)
AGREEMENT(test_circle_capsule, ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_FLAT_CAPSULE)
AGREEMENT(test_circle_segment, ASH_GEOMETRY_CIRCLE, ASH_GEOMETRY_SEGMENT)
AGREEMENT(test_polygon_polygon, ASH_GEOMETRY_POLYGON, ASH_GEOMETRY_POLYGON)
AGREEMENT(test_polygon_capsule, ASH_GEOMETRY_POLYGON, ASH_GEOMETRY_FLAT_CAPSULE)
AGREEMENT(test_polygon_segment, ASH_GEOMETRY_POLYGON, ASH_GEOMETRY_SEGMENT)
AGREEMENT(test_capsule_capsule, ASH_GEOMETRY_FLAT_CAPSULE, ASH_GEOMETRY_FLAT_CAPSULE)
AGREEMENT(test_capsule_segment, ASH_GEOMETRY_FLAT_CAPSULE, ASH_GEOMETRY_SEGMENT)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circle_circle),   cmocka_unit_test(test_circle_polygon),
        cmocka_unit_test(test_circle_capsule),  cmocka_unit_test(test_circle_segment),
        cmocka_unit_test(test_polygon_polygon), cmocka_unit_test(test_polygon_capsule),
        cmocka_unit_test(test_polygon_segment), cmocka_unit_test(test_capsule_capsule),
        cmocka_unit_test(test_capsule_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
