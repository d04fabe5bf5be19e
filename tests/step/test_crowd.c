/* Crowds: bodies started in one place are flagged and cost no more than they must; packings are not taken for crowds.
 */
#include "step/piles.h"

#include <math.h>
#include <stdlib.h>

static void many_boxes_in_one_place_are_flagged(void **state)
{
    (void)state;
    for (uint32_t m = 0; m <= ash_method_count(); m++) {
        bool pivots = m == ash_method_count();
        ash_world *w = make_held_world(pivots ? "stewart-trinkle" : ash_method_name(m), v3(0, 0, -9.81), 2);
        ash_method method = ash_world_get_method(w);
        /* A step of lemke with more takes seconds, all that is granted; fewer than ten are no crowd. */
        uint32_t count = pivots ? 12 + TRIALS(12) : some(80);
        if (pivots)
            method.solver.solver = ASH_SOLVER_LEMKE;
        assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
        add_floor(w);
        for (uint32_t i = 0; i < count; i++)
            add_box(w, 0.5, v3(0, 0, 0.5), v3(0, 0, 0));
        for (int i = 0; i < 2; i++) {
            assert_int_equal(ash_world_step(w, 0.01), ASH_OK);
            /* Few boxes may have been driven apart by the second step. */
            assert_true(i > 0 || (ash_world_get_report(w).flags & ASH_FLAG_CAPACITY));
            assert_true(isfinite(ash_world_get_ledger(w).total));
        }
        /* With all of them there would be 2 count contact points a body; there are at most 16 deep pairs and the floor.
         */
        assert_true(ash_world_get_report(w).contact_points <= 4 * (16 + 1) * count);
        ash_world_destroy(w);
    }
}

/* Whatever is left out of a crowd, the contacts with what cannot move are not: here the floor comes last. */
static void crowds_keep_their_contacts_with_the_floor(void **state)
{
    (void)state;
    enum { BOXES = 80 };
    ash_world *w = make_held_world("realtime", v3(0, 0, -9.81), 1);
    for (int i = 0; i < BOXES; i++)
        add_box(w, 0.5, v3(0, 0, 0.5), v3(0, 0, 0));
    ash_body floor_body = add_floor(w);
    take_steps(w, 0.01, 1);
    assert_true(ash_world_get_report(w).flags & ASH_FLAG_CAPACITY);
    uint32_t count = ash_world_get_contacts(w, NULL, 0), on_floor = 0;
    ash_contact *contacts = malloc(count * sizeof *contacts);
    assert_int_equal(ash_world_get_contacts(w, contacts, count), count);
    for (uint32_t i = 0; i < count; i++)
        on_floor += ash_shape_get_body(w, contacts[i].shape_a).id == floor_body.id ||
                    ash_shape_get_body(w, contacts[i].shape_b).id == floor_body.id;
    free(contacts);
    assert_int_equal(on_floor, BOXES);
    ash_world_destroy(w);
}

/* A solid block of boxes, each with 26 neighbours, and a plate that bears hundreds. */
static void packings_are_no_crowds(void **state)
{
    (void)state;
    ash_world *w = make_held_world("realtime", v3(0, 0, -9.81), 1);
    add_floor(w);
    for (int i = 0; i < 125; i++)
        add_box(w, 0.5, v3(i % 5, i / 5 % 5, 0.5 + i / 25), v3(0, 0, 0));
    ash_geometry_def plate = ash_default_geometry_def(ASH_GEOMETRY_BOX);
    plate.half_extents = v3(5, 5, 0.1);
    add_shape(w, &plate, ASH_BODY_DYNAMIC, 1000, v3(20, 0, 0.1), v3(0, 0, 0));
    for (int i = 0; i < 400; i++)
        add_box(w, 0.2, v3(15.5 + 0.45 * (i % 20), -4.5 + 0.45 * (i / 20), 0.4), v3(0, 0, 0));
    take_steps(w, 0.01, 2);
    assert_int_equal(ash_world_get_report(w).flags & ASH_FLAG_CAPACITY, 0);
    assert_true(ash_world_get_report(w).pairs > 900);
    ash_world_destroy(w);
}

static void crowds_continue_from_snapshots(void **state)
{
    (void)state;
    ash_world *w = make_held_world("realtime", v3(0, 0, -9.81), 1);
    ash_world *again = make_held_world("realtime", v3(0, 0, 0), 2);
    add_floor(w);
    for (int i = 0; i < 60; i++)
        add_box(w, 0.5, v3(1e-3 * i, 2e-3 * (i % 7), 0.5 + 1e-3 * (i % 5)), v3(0, 0, 0));
    take_steps(w, 0.01, 3);
    assert_true(ash_world_get_report(w).flags & ASH_FLAG_CAPACITY);
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(ash_world_save(w, &bytes, &size, NULL), ASH_OK);
    assert_int_equal(ash_world_restore(again, bytes, size, NULL), ASH_OK);
    ash_free(bytes);
    take_steps(w, 0.01, 5);
    take_steps(again, 0.01, 5);
    assert_int_equal(ash_world_get_hash(w), ash_world_get_hash(again));
    ash_world_destroy(again);
    ash_world_destroy(w);
}

/* One thread collides batch by batch, many all pairs at once. A crowd whose pairs lie in several batches, after and
 * before those of others, loses the same contacts either way. */
static void crowds_among_others_do_not_depend_on_threads(void **state)
{
    (void)state;
    uint32_t points[2];
    uint64_t hashes[2];
    for (uint32_t k = 0; k < 2; k++) {
        ash_world *w = make_held_world("realtime", v3(0, 0, -9.81), 1 + k);
        add_floor(w);
        for (int i = 0; i < 480; i++) { /* blocks of 8, and a crowd of 48 after the twenty-fifth */
            int block = i / 8;
            add_box(w, 0.5, v3(3 * block + i % 2, i / 2 % 2, 0.5 + i / 4 % 2), v3(0, 0, 0));
            for (int crowd = 0; i == 200 && crowd < 48; crowd++)
                add_box(w, 0.5, v3(90, 30 + 0.01 * crowd, 0.5), v3(0, 0, 0));
        }
        for (int i = 0; i < 3; i++) {
            take_steps(w, 0.01, 1);
            assert_true(i > 0 || (ash_world_get_report(w).flags & ASH_FLAG_CAPACITY));
        }
        points[k] = ash_world_get_report(w).contact_points;
        hashes[k] = ash_world_get_hash(w);
        ash_world_destroy(w);
    }
    assert_int_equal(points[0], points[1]);
    assert_int_equal(hashes[0], hashes[1]);
}

/* Beyond a million pairs and 128 a shape, memory does not grow with the square of the shapes; once they are apart,
 * nothing is missing. */
static void crowds_take_bounded_memory(void **state)
{
    (void)state;
    enum { BALLS = 4000 }; /* 8 million pairs of boxes */
    ash_world *w = make_held_world("realtime", v3(0, 0, 0), 1);
    ash_method method = ash_world_get_method(w);
    method.contacts = ASH_CONTACTS_DETECT;
    assert_int_equal(ash_world_set_method(w, &method), ASH_OK);
    ash_body *bodies = malloc(BALLS * sizeof *bodies);
    assert_non_null(bodies);
    for (int i = 0; i < BALLS; i++)
        bodies[i] = add_box(w, 0.5, v3(0, 0, 0.5), v3(0, 0, 0));
    assert_int_equal(ash_world_step(w, 0.01), ASH_OK);
    assert_true(ash_world_get_report(w).flags & ASH_FLAG_CAPACITY);
    assert_true(ash_world_get_memory(w).broad_phase < 8000000 * 16); /* what a single list of all pairs would take */
    for (int i = 0; i < BALLS; i++) /* in pairs that overlap, each pair far from the others */
        assert_int_equal(
            ash_body_set_transform(w, bodies[i], (ash_transform){v3(10.0 * (i % (BALLS / 2)), 0, 0.5), {1, 0, 0, 0}}),
            ASH_OK);
    assert_int_equal(ash_world_step(w, 0.01), ASH_OK);
    assert_int_equal(ash_world_get_report(w).flags & ASH_FLAG_CAPACITY, 0);
    assert_int_equal(ash_world_get_report(w).pairs, BALLS / 2);
    free(bodies);
    ash_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_boxes_in_one_place_are_flagged),
        cmocka_unit_test(crowds_keep_their_contacts_with_the_floor),
        cmocka_unit_test(crowds_take_bounded_memory),
        cmocka_unit_test(packings_are_no_crowds),
        cmocka_unit_test(crowds_continue_from_snapshots),
        cmocka_unit_test(crowds_among_others_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
