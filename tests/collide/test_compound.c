/* Compounds: what their parts give, one after another, whatever they meet and however deep they are nested. */
#include "surfaces.h"

#include "base/alloc.h"
#include "shape/geometry.h"

static ash_geometry *make_compound(const ash_geometry_part *parts, uint32_t count)
{
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_COMPOUND);
    def.parts = parts;
    def.part_count = count;
    return make(&def);
}

static ash_geometry *make_kind(ash_geometry_kind kind)
{
    ash_geometry *geometry;
    ash_diagnostic diagnostic = {0};
    if (create_sample(kind, &geometry, &diagnostic) != ASH_OK)
        fail_msg("%s", diagnostic.message);
    return geometry;
}

/* Two boxes, one of them turned. */
typedef struct dumbbell {
    ash_geometry *boxes[2], *whole;
    ash_transform poses[2];
} dumbbell;

static dumbbell make_dumbbell(void)
{
    dumbbell d = {.boxes = {make_box(0.4, 0.3, 0.2), make_box(0.2, 0.5, 0.3)},
                  .poses = {{{-0.7, 0.1, 0}, {1, 0, 0, 0}}, {{0.6, -0.1, 0.2}, {1, 0, 0, 0}}}};
    d.poses[1].rotation = q_unit((ash_quat){1, 0.4, -0.3, 0.2});
    ash_geometry_part parts[2] = {{d.boxes[0], d.poses[0]}, {d.boxes[1], d.poses[1]}};
    d.whole = make_compound(parts, 2);
    for (uint32_t i = 0; i < 2; i++) /* to the last bit as they were kept */
        d.poses[i] = ash_geometry_get_definition(d.whole)->parts[i].pose;
    return d;
}

static void release_dumbbell(dumbbell *d)
{
    ash_geometry_release(d->boxes[0]);
    ash_geometry_release(d->boxes[1]);
    ash_geometry_release(d->whole);
}

/* A compound of two boxes on any kind: the union of what the boxes give, to the last bit. */
static void equals_the_union_of_its_parts(void **state)
{
    (void)state;
    dumbbell d = make_dumbbell();
    ashi_manifolds whole = {0}, part = {0};
    for (ash_geometry_kind kind = ASH_GEOMETRY_SPHERE; kind < ASH_GEOMETRY_COMPOUND; kind++) {
        ash_geometry *other = make_kind(kind);
        ashi_random random = {kind + 1};
        uint32_t touching = 0;
        for (uint32_t n = 0; n < TRIALS(3000); n++) {
            ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0, 2)),
                                  random_rotation(&random)};
            collide(&whole, other, at(0, 0, 0), d.whole, pose, 0.01);
            uint32_t next = 0;
            for (uint32_t p = 0; p < 2; p++) {
                collide(&part, other, at(0, 0, 0), d.boxes[p], t_mul(pose, d.poses[p]), 0.01);
                for (uint32_t i = 0; i < part.count; i++, next++) {
                    assert_true(next < whole.count);
                    const ashi_manifold *m = &whole.data[next], *expected = &part.data[i];
                    assert_int_equal(m->part_b, p);
                    assert_int_equal(m->part_a, expected->part_a);
                    assert_int_equal(m->count, expected->count);
                    assert_true(v3_norm2(v3_sub(m->normal, expected->normal)) == 0);
                    for (uint32_t k = 0; k < m->count; k++) {
                        assert_true(m->points[k].depth == expected->points[k].depth);
                        assert_true(v3_norm2(v3_sub(m->points[k].on_a, expected->points[k].on_a)) == 0);
                    }
                }
            }
            assert_int_equal(next, whole.count);
            touching += next > 0;
        }
        assert_true(touching > TRIALS(300));
        ash_geometry_release(other);
    }
    ashi_array_release(&whole);
    ashi_array_release(&part);
    release_dumbbell(&d);
}

/* Swapped, every manifold comes back mirrored, in the same order. */
static void swapped_pairs_mirror(void **state)
{
    (void)state;
    dumbbell d = make_dumbbell();
    ash_geometry *other = make_kind(ASH_GEOMETRY_HULL);
    ashi_manifolds one = {0}, two = {0};
    ashi_random random = {5};
    for (uint32_t n = 0; n < TRIALS(5000); n++) {
        ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0, 2)),
                              random_rotation(&random)};
        collide(&one, other, at(0, 0, 0), d.whole, pose, 0.01);
        collide(&two, d.whole, pose, other, at(0, 0, 0), 0.01);
        assert_int_equal(one.count, two.count);
        for (uint32_t i = 0; i < one.count; i++) {
            const ashi_manifold *m = &one.data[i], *back = &two.data[i];
            assert_int_equal(m->part_b, back->part_a);
            assert_near(v3_norm(v3_add(m->normal, q_rotate(pose.rotation, back->normal))), 0, 1e-9);
            double deepest = -INFINITY, deepest_back = -INFINITY;
            for (uint32_t k = 0; k < m->count; k++)
                deepest = fmax(deepest, m->points[k].depth);
            for (uint32_t k = 0; k < back->count; k++) { /* which points remain of many, rounding may decide */
                ash_vec3 on_hull = v3_add_scaled(back->points[k].on_a, back->normal, -back->points[k].depth);
                assert_near(ash_geometry_distance(other, t_point(pose, on_hull)), 0, 1e-9);
                deepest_back = fmax(deepest_back, back->points[k].depth);
            }
            assert_near(deepest, deepest_back, 1e-9);
        }
    }
    ashi_array_release(&one);
    ashi_array_release(&two);
    ash_geometry_release(other);
    release_dumbbell(&d);
}

/* A compound of compounds gives the same places as one of all parts, and names the outer part. */
static void nested_ones_are_met(void **state)
{
    (void)state;
    ash_geometry *ball = make_sphere(0.2), *ground = make_box(5, 5, 0.5);
    ash_geometry_part flat[4], inner[2], outer[2];
    for (uint32_t i = 0; i < 2; i++)
        inner[i] = (ash_geometry_part){ball, at(0, 0.5 * i, 0)};
    ash_geometry *pair = make_compound(inner, 2);
    for (uint32_t i = 0; i < 2; i++)
        outer[i] = (ash_geometry_part){pair, {v3(1.0 * i, 0, 0), q_exp(v3(0, 0, 0.3 * i))}};
    for (uint32_t i = 0; i < 4; i++)
        flat[i] = (ash_geometry_part){ball, t_mul(outer[i / 2].pose, inner[i % 2].pose)};
    ash_geometry *nested = make_compound(outer, 2), *plain = make_compound(flat, 4);
    ashi_manifolds one = {0}, two = {0};
    ash_transform pose = at(0.1, 0.2, 0.5 + 0.19);
    collide(&one, nested, pose, ground, at(0, 0, 0), 0.01);
    collide(&two, plain, pose, ground, at(0, 0, 0), 0.01);
    assert_int_equal(one.count, 4);
    assert_int_equal(two.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(one.data[i].part_a, i / 2);
        assert_int_equal(two.data[i].part_a, i);
        assert_near(one.data[i].points[0].depth, 0.01, 1e-12);
        assert_near(v3_distance(one.data[i].points[0].on_a, two.data[i].points[0].on_a), 0, 1e-12);
    }
    /* Two contacts of one outer part are told apart by their features. */
    assert_int_not_equal(one.data[0].points[0].feature, one.data[1].points[0].feature);
    ashi_array_release(&one);
    ashi_array_release(&two);
    ash_geometry_release(ball);
    ash_geometry_release(ground);
    ash_geometry_release(pair);
    ash_geometry_release(nested);
    ash_geometry_release(plain);
}

/* Two compounds: every pair of parts. A cross of two bars over another touches where bars do. */
static void compounds_meet_compounds(void **state)
{
    (void)state;
    dumbbell d = make_dumbbell();
    ashi_manifolds whole = {0}, part = {0};
    ashi_random random = {6};
    uint32_t touching = 0;
    assert_true(ashi_array_reserve(&whole, 16));
    for (uint32_t n = 0; n < TRIALS(10000); n++) {
        ash_transform pose = {v3_scale(random_direction(&random), ashi_random_range(&random, 0, 2)),
                              random_rotation(&random)};
        ashi_alloc_fail_at(0, false);
        collide(&whole, d.whole, at(0, 0, 0), d.whole, pose, 0.01);
        assert_int_equal(ashi_alloc_fail_at(0, false), 0);
        uint32_t next = 0;
        for (uint32_t p = 0; p < 4; p++) {
            ash_transform left = d.poses[p / 2], right = t_mul(pose, d.poses[p % 2]);
            collide(&part, d.boxes[p / 2], left, d.boxes[p % 2], right, 0.01);
            for (uint32_t i = 0; i < part.count; i++, next++) {
                assert_true(next < whole.count);
                assert_int_equal(whole.data[next].part_a, p / 2);
                assert_int_equal(whole.data[next].part_b, p % 2);
                ash_vec3 normal = q_rotate(left.rotation, part.data[i].normal);
                assert_near(v3_norm(v3_sub(whole.data[next].normal, normal)), 0, 1e-9);
            }
        }
        assert_int_equal(next, whole.count);
        touching += next > 0;
    }
    assert_true(touching > TRIALS(2000));
    ashi_array_release(&whole);
    ashi_array_release(&part);
    release_dumbbell(&d);
}

/* Flat compounds meet flat kinds. */
static void flat_ones_are_met(void **state)
{
    (void)state;
    ash_geometry_def def = ash_default_geometry_def(ASH_GEOMETRY_CIRCLE);
    def.radius = 0.5;
    ash_geometry *circle = make(&def);
    ash_geometry_part parts[2] = {{circle, at(-0.6, 0, 0)}, {circle, at(0.6, 0, 0)}};
    ash_geometry *pair = make_compound(parts, 2);
    ashi_manifolds found = {0};
    collide(&found, pair, at(0, 0, 0), circle, at(0, 0.75, 0), 0.01);
    assert_int_equal(found.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(found.data[i].part_a, i);
        assert_near(found.data[i].points[0].depth, 1 - sqrt(0.36 + 0.5625), 1e-12);
    }
    collide(&found, pair, at(0, 0, 0), pair, at(0.2, 1.2, 0), 0.01); /* shifted by 0.2: none straight above */
    assert_int_equal(found.count, 0);
    ashi_array_release(&found);
    ash_geometry_release(pair);
    ash_geometry_release(circle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_union_of_its_parts),
        cmocka_unit_test(swapped_pairs_mirror),
        cmocka_unit_test(nested_ones_are_met),
        cmocka_unit_test(compounds_meet_compounds),
        cmocka_unit_test(flat_ones_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
