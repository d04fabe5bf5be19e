/* Reduction of manifolds: what it keeps of area and depth, and that it does not flicker. */
#include "collide/polyhedra.h"
#include "collide/reduce.h"

/* Corners of a random convex polygon in order: points on an ellipse, so that all are corners. */
static void random_polygon(ashi_random *random, ashi_manifold *m, uint32_t count)
{
    double angles[ASHI_MANIFOLD_MOST], flat = ashi_random_range(random, 0.2, 1);
    for (uint32_t i = 0; i < count; i++) {
        angles[i] = ashi_random_range(random, 0, 2 * ASHI_PI);
        for (uint32_t k = i; k > 0 && angles[k] < angles[k - 1]; k--) {
            double swapped = angles[k];
            angles[k] = angles[k - 1];
            angles[k - 1] = swapped;
        }
    }
    m->normal = v3(0, 0, 1);
    m->count = count;
    for (uint32_t i = 0; i < count; i++)
        m->points[i] = (ashi_manifold_point){v3(cos(angles[i]), flat * sin(angles[i]), 0),
                                             ashi_random_range(random, -0.01, 0.01), i + 1};
}

static double polygon_area(const ashi_manifold *m)
{
    double sum = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        ash_vec3 p = m->points[i].on_a, q = m->points[(i + 1) % m->count].on_a;
        sum += p.x * q.y - p.y * q.x;
    }
    return sum / 2;
}

/* The largest area of four corners, the deepest among them, by trying all. */
static double best_area(const ashi_manifold *m)
{
    uint32_t deepest_point = 0;
    for (uint32_t i = 1; i < m->count; i++)
        deepest_point = m->points[i].depth > m->points[deepest_point].depth ? i : deepest_point;
    double best = 0;
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t j = i + 1; j < m->count; j++)
            for (uint32_t k = j + 1; k < m->count; k++)
                for (uint32_t l = k + 1; l < m->count; l++) {
                    if (i != deepest_point && j != deepest_point && k != deepest_point && l != deepest_point)
                        continue;
                    ashi_manifold four = {.count = 4};
                    four.points[0] = m->points[i];
                    four.points[1] = m->points[j];
                    four.points[2] = m->points[k];
                    four.points[3] = m->points[l];
                    best = fmax(best, polygon_area(&four));
                }
    return best;
}

static void area_and_depth(void **state)
{
    (void)state;
    ashi_random random = {7};
    for (uint32_t count = 5; count <= 8; count++) {
        double sum = 0, worst = 1, worst_of_best = 1;
        uint32_t tries = TRIALS(20000);
        for (uint32_t i = 0; i < tries; i++) {
            ashi_manifold m, all;
            random_polygon(&random, &m, count);
            all = m;
            ashi_manifold_reduce(&m, 4);
            assert_true(m.count >= 3 && m.count <= 4);
            double depth = -INFINITY, kept = -INFINITY;
            for (uint32_t k = 0; k < count; k++)
                depth = fmax(depth, all.points[k].depth);
            for (uint32_t k = 0; k < m.count; k++)
                kept = fmax(kept, m.points[k].depth);
            assert_near(kept, depth, 1e-5);
            double ratio = polygon_area(&m) / polygon_area(&all);
            sum += ratio;
            worst = fmin(worst, ratio);
            worst_of_best = fmin(worst_of_best, polygon_area(&m) / best_area(&all));
        }
        print_message("%u corners: four keep %.3f of the area on average, at least %.3f; %.3f of the best four\n",
                      count, sum / tries, worst, worst_of_best);
        assert_true(sum / tries > 0.8 && worst_of_best > 0.6);
    }
}

/* A box that trembles on a larger one at 45 degrees: an octagon of equal depths, four of which are kept. */
static uint32_t changes(ashi_pair_cache *cache)
{
    ash_geometry *a = make_box(0.5, 0.5, 0.5), *b = make_box(0.5, 0.5, 0.5);
    ashi_random random = {11};
    ashi_manifolds manifolds = {0};
    uint32_t features[4] = {0}, changed = 0;
    for (int i = 0; i < 1000; i++) {
        ash_vec3 noise = v3_scale(random_direction(&random), 1e-4), turn = v3_scale(random_direction(&random), 1e-4);
        ash_transform pose = {v3_add(v3(0, 0, 0.999), noise),
                              q_mul(q_exp(turn), ash_rotation(v3(0, 0, 1), ASHI_PI / 4))};
        collide(&manifolds, a, b, pose, 0.01, false, cache);
        assert_int_equal(manifolds.count, 1);
        assert_int_equal(manifolds.data[0].count, 4);
        uint32_t found = 0; /* in whatever order: that depends on which face served as the reference */
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < 4; l++)
                found += features[k] == manifolds.data[0].points[l].feature;
        for (int k = 0; k < 4; k++)
            features[k] = manifolds.data[0].points[k].feature;
        changed += found < 4 && i > 0;
    }
    ashi_array_release(&manifolds);
    ash_geometry_release(a);
    ash_geometry_release(b);
    return changed;
}

static void hysteresis(void **state)
{
    (void)state;
    ashi_pair_cache cache = {0};
    assert_int_equal(changes(&cache), 0);
    assert_true(changes(NULL) > 100); /* the trembling is enough to change a fresh choice */
}

/* A choice that has lost its area or its depth is given up. */
static void change_when_worse(void **state)
{
    (void)state;
    ashi_spot spots[5] = {{0, 0, 0.01, 1}, {1, 0, 0.01, 2}, {1, 1, 0.01, 3}, {0, 1, 0.01, 4}, {0.1, 0.5, 0.01, 5}};
    uint32_t kept[4] = {1, 2, 3, 5}, chosen[4];
    assert_int_equal(ashi_reduce(spots, 5, 4, kept, chosen), 4); /* it has lost too much of the area */
    assert_true(chosen[0] == 0 && chosen[1] == 1 && chosen[2] == 2 && chosen[3] == 3);
    spots[4] = (ashi_spot){0, 0.95, 0.01, 5};
    assert_int_equal(ashi_reduce(spots, 5, 4, kept, chosen), 4); /* nearly as good as with spot 4 */
    assert_true(chosen[3] == 4);
    spots[3].depth = 0.02;
    assert_int_equal(ashi_reduce(spots, 5, 4, kept, chosen), 4); /* but this one is deeper now */
    assert_true(chosen[3] == 3 || chosen[2] == 3);
    kept[0] = 9; /* and a feature that is gone cannot be kept */
    spots[3].depth = 0.01;
    assert_int_equal(ashi_reduce(spots, 5, 4, kept, chosen), 4);
    assert_true(chosen[3] == 3);
}

/* Flat worlds keep two; fewer points than that are left alone; points at one place become one. */
static void few(void **state)
{
    (void)state;
    ashi_spot spots[4] = {{0, 0, 0.01, 1}, {1, 0, 0.03, 2}, {2, 0, 0.02, 3}, {3, 0, 0.01, 4}};
    uint32_t chosen[4];
    assert_int_equal(ashi_reduce(spots, 4, 2, NULL, chosen), 2);
    assert_true(chosen[0] == 1 && chosen[1] == 3);
    assert_int_equal(ashi_reduce(spots, 2, 2, NULL, chosen), 2);
    assert_int_equal(ashi_reduce(spots, 0, 4, NULL, chosen), 0);
    assert_int_equal(ashi_reduce(spots, 4, 3, NULL, chosen), 2); /* on a line two say it all */
    for (int i = 0; i < 4; i++)
        spots[i].x = 0;
    assert_int_equal(ashi_reduce(spots, 4, 2, NULL, chosen), 1);
    assert_int_equal(chosen[0], 1);
}

/* Without reduction points go only where others say the same: at one place, or on the line between two. */
static void apart(void **state)
{
    (void)state;
    ashi_spot octagon[8], square[8] = {{0, 0, 0, 1}, {0.3, 1e-9, 0, 2}, {1, 0, 0, 3}, {1, 1e-12, 0, 4},
                                       {1, 1, 0, 5}, {0.7, 1, 0, 6},    {0, 1, 0, 7}, {-1e-10, 0.5, 0, 8}};
    uint32_t chosen[8];
    for (int i = 0; i < 8; i++)
        octagon[i] = (ashi_spot){i & 4 ? -1 - (i & 1) : 1 + (i & 1), i & 2 ? -2 + (i & 1) : 2 - (i & 1), 0, 0};
    assert_int_equal(ashi_spots_apart(octagon, 8, chosen), 8);
    assert_int_equal(ashi_spots_apart(square, 8, chosen), 4);
    for (int i = 0; i < 4; i++) {
        const ashi_spot *s = &square[chosen[i]];
        assert_true(fabs(s->x - (s->x > 0.5)) < 1e-6 && fabs(s->y - (s->y > 0.5)) < 1e-6);
        assert_true(i == 0 || chosen[i] > chosen[i - 1]);
    }
    assert_int_equal(ashi_spots_apart(square, 1, chosen), 1);
    assert_int_equal(ashi_spots_apart(square, 0, chosen), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(area_and_depth),
        cmocka_unit_test(hysteresis),
        cmocka_unit_test(change_when_worse),
        cmocka_unit_test(few),
        cmocka_unit_test(apart),
    };
    return cmocka_run_group_tests_name("collide/reduce", tests, NULL, NULL);
}
