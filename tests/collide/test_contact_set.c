/* Sets of contacts: matching of points, recycling, placing, finding. */
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

static void add_pair(ashi_contact_set *set, ashi_contact_pair pair, uint32_t old)
{
    assert_true(ashi_array_extend(&set->pairs));
    pair.old = old;
    set->pairs.data[set->pairs.count - 1] = pair;
}

#define WIDTH 1 /* of the smaller shape */

/* Where the next contact goes, with room for what the pair has. */
static ashi_contact_cursor make_room(ashi_contact_set *set, const ashi_contact_pair *pair)
{
    ashi_contact_cursor place = {set->contacts.count, set->points.count};
    assert_true(ashi_array_reserve(&set->contacts, place.contact + pair->contact_count));
    assert_true(ashi_array_reserve(&set->points, place.point + pair->point_count));
    set->contacts.count += pair->contact_count;
    set->points.count += pair->point_count;
    return place;
}

/* Adds a pair with contacts drafted from manifolds, matched to those of pair `old` of the set before. */
static void add(ashi_contact_set *set, ashi_contact_pair pair, const ashi_manifold *manifolds, uint32_t count,
                const ashi_contact_set *before, uint32_t old)
{
    ashi_contact_draft draft = {0};
    assert_true(ashi_contact_draft_add(&draft, manifolds, count, &pair));
    assert_int_equal(pair.contact_count, draft.contacts.count);
    assert_int_equal(pair.point_count, draft.points.count);
    add_pair(set, pair, old);
    ashi_contact_cursor place = make_room(set, &pair);
    ashi_contact_set_match(set, set->pairs.count - 1, &place, &draft, 0, before, WIDTH);
    assert_int_equal(place.contact, set->contacts.count);
    assert_int_equal(place.point, set->points.count);
    ashi_contact_draft_release(&draft);
}

static const double corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

static void points_keep_their_age_by_feature(void **state)
{
    (void)state;
    const uint32_t first[4] = {10, 11, 12, 13}, second[4] = {13, 12, 99, 10};
    ashi_contact_set before = {0}, now = {0};
    ashi_contact_pair pair = pair_of(1, 2);
    ashi_manifold m = flat_manifold(corners, first, 4, 0.01);
    add(&before, pair, &m, 1, NULL, ASHI_NO_PAIR);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(before.points.data[i].age, 0);
        before.points.data[i].age = 5;
    }
    static const double far_corners[4][2] = {{0, 1}, {1, 1}, {7, 7}, {0, 0}};
    m = flat_manifold(far_corners, second, 4, 0.02);
    add(&now, pair, &m, 1, &before, 0);
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
    add(&before, pair, &m, 1, NULL, ASHI_NO_PAIR);
    m = flat_manifold(nudged, second, 4, 0.01);
    add(&now, pair, &m, 1, &before, 0);
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
    add(&before, pair, two, 2, NULL, ASHI_NO_PAIR);
    before.points.data[1].age = 41;
    add(&now, pair, &two[1], 1, &before, 0);
    assert_int_equal(now.points.data[0].age, 42);
    assert_int_equal(now.pairs.data[0].contact_count, 1);
    ashi_contact_set_release(&before);
    ashi_contact_set_release(&now);
}

/* On another triangle the same corner is the same point, and so is one in the same place, as long as the normal is
 * alike. What another contact has taken is not taken twice. */
static void points_pass_from_part_to_part(void **state)
{
    (void)state;
    const uint32_t first[4] = {10, 11, 12, 13}, second[4] = {10, 11, 22, 23};
    static const double moved[4][2] = {{0.2, 0}, {1.2, 0}, {1.03, 1}, {0.2, 1}};
    ashi_contact_set before = {0}, now = {0}, turned = {0};
    ashi_contact_pair pair = pair_of(1, 2);
    ashi_manifold m = flat_manifold(corners, first, 4, 0.01);
    m.part_b = 7;
    add(&before, pair, &m, 1, NULL, ASHI_NO_PAIR);
    for (int i = 0; i < 4; i++)
        before.points.data[i].force = v3(0, 0, i + 1);
    m = flat_manifold(moved, second, 4, 0.01);
    m.part_b = 8;
    ashi_manifold two[2] = {m, m};
    two[1].part_b = 9;
    add(&now, pair, two, 2, &before, 0);
    const uint32_t ages[8] = {1, 1, 1, 0, 0, 0, 0, 0};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(now.points.data[i].age, ages[i]);
        assert_near(now.points.data[i].force.z, ages[i] * (i + 1), 0);
    }
    m.normal = v3(0.6, 0, 0.8);
    add(&turned, pair, &m, 1, &before, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(turned.points.data[i].age, 0);
    ashi_contact_set_release(&before);
    ashi_contact_set_release(&now);
    ashi_contact_set_release(&turned);
}

static void touching_means_overlap_not_nearness(void **state)
{
    (void)state;
    const uint32_t features[1] = {7};
    ashi_contact_set set = {0};
    ashi_contact_pair pair = pair_of(3, 4);
    ashi_manifold m = flat_manifold(corners, features, 1, -0.001);
    add(&set, pair, &m, 1, NULL, ASHI_NO_PAIR);
    assert_false(set.pairs.data[0].touching);
    m.points[0].depth = 0;
    add(&set, pair, &m, 1, NULL, ASHI_NO_PAIR);
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
    add(&before, pair, &m, 1, NULL, ASHI_NO_PAIR);
    ash_transform moved = pair.b_in_a;
    moved.position = v3_add(moved.position, v3(0.003, 0, -0.002));
    before.points.data[2].force = v3(1, 2, 3);
    add_pair(&now, before.pairs.data[0], 0);
    ashi_contact_cursor place = make_room(&now, &now.pairs.data[0]);
    ashi_contact_set_recycle(&now, 0, &place, moved, &before);
    assert_int_equal(place.point, 4);
    assert_near(now.points.data[2].force.y, 2, 0);
    for (int i = 0; i < 4; i++) {
        assert_near(now.points.data[i].depth, 0.001, 1e-15);
        assert_int_equal(now.points.data[i].age, 1);
    }
    assert_true(now.pairs.data[0].touching);
    ashi_contact_set_release(&before);
    ashi_contact_set_release(&now);
}

/* The forces of the last step go to the point that is there again, and to no other. */
static void matched_points_keep_their_forces(void **state)
{
    (void)state;
    const uint32_t first[4] = {10, 11, 12, 13}, second[4] = {13, 99, 11, 10};
    static const double places[4][2] = {{5, 5}, {6, 6}, {7, 7}, {8, 8}};
    ashi_contact_set before = {0}, now = {0};
    ashi_contact_pair pair = pair_of(1, 2);
    ashi_manifold m = flat_manifold(corners, first, 4, 0.01);
    add(&before, pair, &m, 1, NULL, ASHI_NO_PAIR);
    for (int i = 0; i < 4; i++) {
        before.points.data[i].force = v3(i + 1, 0, 0);
        before.points.data[i].torque = v3(0, 0, -i - 1);
    }
    m = flat_manifold(places, second, 4, 0.01);
    add(&now, pair, &m, 1, &before, 0);
    const double forces[4] = {4, 0, 2, 1};
    for (int i = 0; i < 4; i++) {
        assert_near(now.points.data[i].force.x, forces[i], 0);
        assert_near(now.points.data[i].torque.z, -forces[i], 0);
    }
    ashi_contact_set_release(&before);
    ashi_contact_set_release(&now);
}

/* Pairs with none, one or two contacts: each points to its contacts, these to their points. */
static void placed_contacts_keep_their_links(void **state)
{
    (void)state;
    const uint32_t features[2] = {1, 2};
    ashi_contact_set all = {0};
    for (uint32_t k = 0; k < 10; k++) {
        ashi_manifold m[2] = {flat_manifold(corners, features, k % 3 == 0 ? 0 : 2, 0.1 * k),
                              flat_manifold(corners, features, 1, 0.1 * k)};
        add(&all, pair_of(k, k + 3), m, k % 4 == 0 ? 2 : 1, NULL, ASHI_NO_PAIR);
    }
    assert_int_equal(all.pairs.count, 10);
    for (uint32_t i = 0; i < all.pairs.count; i++) {
        const ashi_contact_pair *pair = &all.pairs.data[i];
        assert_int_equal(pair->contact_count, (i % 3 != 0) + (i % 4 == 0));
        for (uint32_t k = 0; k < pair->contact_count; k++)
            assert_int_equal(all.contacts.data[pair->first_contact + k].pair, i);
    }
    for (uint32_t i = 0, point = 0; i < all.contacts.count; i++) {
        const ashi_contact_record *c = &all.contacts.data[i];
        assert_int_equal(c->first_point, point);
        assert_near(all.points.data[c->first_point].depth, 0.1 * all.pairs.data[c->pair].a, 1e-15);
        point += c->point_count;
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
        cmocka_unit_test(recycled_contacts_follow_the_pose), cmocka_unit_test(matched_points_keep_their_forces),
        cmocka_unit_test(points_pass_from_part_to_part),     cmocka_unit_test(placed_contacts_keep_their_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
