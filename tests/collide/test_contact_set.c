/* Sets of contacts: matching of points, recycling, appending, finding. */
#include "check.h"
#include "collide/contact_set.h"

static ashi_manifold flat_manifold(const double xy[][2], const uint32_t *features, uint32_t count, double depth)
{
    ashi_manifold m = {.normal = {0, 0, 1}, .count = count};
    for (uint32_t i = 0; i < count; i++)
        m.points[i] = (ashi_manifold_point){v3(xy[i][0], xy[i][1], 0), depth, features[i]};
    return m;
}

static ashi_contact_pair pair_of(uint32_t a, uint32_t b)
{
    return (ashi_contact_pair){.handle_a = a + 100, .handle_b = b + 100, .a = a, .b = b, .b_in_a = ash_identity()};
}

static const double corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

static void points_keep_their_age_by_feature(void **state)
{
    (void)state;
    const uint32_t first[4] = {10, 11, 12, 13}, second[4] = {13, 12, 99, 10};
    ashi_contact_set before = {0}, now = {0};
    ashi_contact_pair pair = pair_of(1, 2);
    ashi_manifold m = flat_manifold(corners, first, 4, 0.01);
    assert_true(ashi_contact_set_add(&before, &pair, &m, 1, NULL, NULL));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(before.points.data[i].age, 0);
        before.points.data[i].age = 5;
    }
    static const double far_corners[4][2] = {{0, 1}, {1, 1}, {7, 7}, {0, 0}};
    m = flat_manifold(far_corners, second, 4, 0.02);
    assert_true(ashi_contact_set_add(&now, &pair, &m, 1, &before, &before.pairs.data[0]));
    assert_int_equal(now.points.data[0].age, 6);
    assert_int_equal(now.points.data[1].age, 6);
    assert_int_equal(now.points.data[2].age, 0); /* neither its feature nor its place was there */
    assert_int_equal(now.points.data[3].age, 6);
    ashi_contact_set_release(&before);
    ashi_contact_set_release(&now);
}

static void points_keep_their_age_by_place(void **state)
{
    (void)state;
    const uint32_t first[4] = {10, 11, 12, 13}, second[4] = {20, 21, 22, 23};
    static const double nudged[4][2] = {{0.01, 0}, {1, 0.02}, {1, 1.5}, {0, 0.99}};
    ashi_contact_set before = {0}, now = {0};
    ashi_contact_pair pair = pair_of(1, 2);
    ashi_manifold m = flat_manifold(corners, first, 4, 0.01);
    assert_true(ashi_contact_set_add(&before, &pair, &m, 1, NULL, NULL));
    m = flat_manifold(nudged, second, 4, 0.01);
    assert_true(ashi_contact_set_add(&now, &pair, &m, 1, &before, &before.pairs.data[0]));
    const uint32_t ages[4] = {1, 1, 0, 1};
    for (int i = 0; i < 4; i++)
        assert_int_equal(now.points.data[i].age, ages[i]);
    ashi_contact_set_release(&before);
    ashi_contact_set_release(&now);
}

static void parts_are_matched_apart(void **state)
{
    (void)state;
    const uint32_t features[1] = {7};
    ashi_contact_set before = {0}, now = {0};
    ashi_contact_pair pair = pair_of(3, 4);
    ashi_manifold two[2] = {flat_manifold(corners, features, 1, 0.01), flat_manifold(corners, features, 1, 0.03)};
    two[1].part_b = 5;
    assert_true(ashi_contact_set_add(&before, &pair, two, 2, NULL, NULL));
    before.points.data[1].age = 41;
    assert_true(ashi_contact_set_add(&now, &pair, &two[1], 1, &before, &before.pairs.data[0]));
    assert_int_equal(now.points.data[0].age, 42);
    assert_int_equal(now.pairs.data[0].contact_count, 1);
    ashi_contact_set_release(&before);
    ashi_contact_set_release(&now);
}

static void touching_means_overlap_not_nearness(void **state)
{
    (void)state;
    const uint32_t features[1] = {7};
    ashi_contact_set set = {0};
    ashi_contact_pair pair = pair_of(3, 4);
    ashi_manifold m = flat_manifold(corners, features, 1, -0.001);
    assert_true(ashi_contact_set_add(&set, &pair, &m, 1, NULL, NULL));
    assert_false(set.pairs.data[0].touching);
    m.points[0].depth = 0;
    assert_true(ashi_contact_set_add(&set, &pair, &m, 1, NULL, NULL));
    assert_true(set.pairs.data[1].touching);
    ashi_contact_set_release(&set);
}

/* b sinks by 2 mm along -z and slides: depth grows by 2 mm, whatever the slide. */
static void recycled_contacts_follow_the_pose(void **state)
{
    (void)state;
    const uint32_t features[4] = {10, 11, 12, 13};
    ashi_contact_set before = {0}, now = {0};
    ashi_contact_pair pair = pair_of(1, 2);
    pair.b_in_a = (ash_transform){v3(0.2, 0.1, 0.5), ash_rotation(v3(0, 0, 1), 0.4)};
    ashi_manifold m = flat_manifold(corners, features, 4, -0.001);
    assert_true(ashi_contact_set_add(&before, &pair, &m, 1, NULL, NULL));
    ash_transform moved = pair.b_in_a;
    moved.position = v3_add(moved.position, v3(0.003, 0, -0.002));
    assert_true(ashi_contact_set_recycle(&now, &pair, moved, &before, &before.pairs.data[0]));
    for (int i = 0; i < 4; i++) {
        assert_near(now.points.data[i].depth, 0.001, 1e-15);
        assert_int_equal(now.points.data[i].age, 1);
    }
    assert_true(now.pairs.data[0].touching);
    ashi_contact_set_release(&before);
    ashi_contact_set_release(&now);
}

static void appended_sets_keep_their_links(void **state)
{
    (void)state;
    const uint32_t features[2] = {1, 2};
    ashi_contact_set all = {0};
    for (uint32_t k = 0; k < 10; k++) {
        ashi_contact_set one = {0};
        ashi_contact_pair pair = pair_of(k, k + 3);
        ashi_manifold m = flat_manifold(corners, features, k % 3 == 0 ? 0 : 2, 0.1 * k);
        assert_true(ashi_contact_set_add(&one, &pair, &m, 1, NULL, NULL));
        assert_true(ashi_contact_set_append(&all, &one));
        ashi_contact_set_release(&one);
    }
    assert_int_equal(all.pairs.count, 10);
    for (uint32_t i = 0; i < all.contacts.count; i++) {
        const ashi_contact *c = &all.contacts.data[i];
        assert_near(all.points.data[c->first_point].depth, 0.1 * all.pairs.data[c->pair].a, 1e-15);
    }
    for (uint32_t k = 0; k < 10; k++) {
        const ashi_contact_pair *found = ashi_contact_set_find(&all, k, k + 3);
        assert_non_null(found);
        assert_int_equal(found->a, k);
        assert_null(ashi_contact_set_find(&all, k, k + 4));
    }
    ashi_contact_set_release(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_keep_their_age_by_feature),  cmocka_unit_test(points_keep_their_age_by_place),
        cmocka_unit_test(parts_are_matched_apart),           cmocka_unit_test(touching_means_overlap_not_nearness),
        cmocka_unit_test(recycled_contacts_follow_the_pose), cmocka_unit_test(appended_sets_keep_their_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
