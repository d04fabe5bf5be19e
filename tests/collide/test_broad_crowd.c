/* Broad phases where thousands of boxes are in one place: work and memory grow with the boxes, not with their square,
 * every kind leaves out the same pairs, and none with what rests. */
#include "check.h"

#include "collide/broad/broad_parts.h"

enum { RESTING = 3 };

static uint64_t limit_for(uint32_t boxes)
{
    return ASHI_PAIRS_ALWAYS + (uint64_t)ASHI_PAIRS_EACH * boxes;
}

static void add_boxes(ashi_broad *broad, uint32_t first, uint32_t count, bool move)
{
    for (uint32_t i = first; i < first + count; i++) {
        double x = 1e-6 * i;
        assert_true(ashi_broad_add(broad, (ash_bounds){{x, 0, 0}, {x + 1, 1, 1}}, i, move) != UINT32_MAX);
    }
}

/* The widest difference of items among pairs of two that move; counts the pairs of each with what rests. */
static uint32_t widest(const ashi_broad_pairs *pairs, uint32_t boxes, uint32_t *with_resting)
{
    uint32_t most = 0;
    *with_resting = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint32_t apart = pairs->data[i].b - pairs->data[i].a;
        if (pairs->data[i].b >= boxes)
            ++*with_resting;
        else if (apart > most)
            most = apart;
    }
    return most;
}

static void every_kind_leaves_out_the_same(void **state)
{
    (void)state;
    enum { BOXES = 3000 };
    ashi_broad_pairs first = {0}, pairs = {0};
    for (int kind = 0; kind < ASHI_BROAD_KINDS; kind++) {
        ashi_broad *broad = ashi_broad_create((ashi_broad_kind)kind);
        add_boxes(broad, 0, BOXES, true);
        add_boxes(broad, BOXES, RESTING, false);
        ashi_broad_pairs *list = kind == 0 ? &first : &pairs;
        for (int search = 0; search < 2; search++) {
            assert_true(ashi_broad_find_pairs(broad, NULL, list));
            assert_true(ashi_broad_left_out(broad) > 0);
        }
        ashi_broad_destroy(broad);
        assert_int_equal(list->count, first.count);
        assert_memory_equal(list->data, first.data, first.count * sizeof *first.data);
    }
    uint32_t resting, span = widest(&first, BOXES, &resting);
    assert_int_equal(resting, RESTING * BOXES); /* of these none is left out */
    assert_true(span >= limit_for(BOXES) / (BOXES + RESTING));
    assert_true(first.count <= limit_for(BOXES + RESTING));
    /* Within the span nothing is missing: with each of the boxes before it, up to the span. */
    assert_int_equal(first.count - resting, (uint64_t)span * BOXES - (uint64_t)span * (span + 1) / 2);
    ashi_array_release(&first);
    ashi_array_release(&pairs);
}

/* A part of them in one place, the others apart: more of a smaller crowd fits. */
static void smaller_crowds_have_a_wider_span(void **state)
{
    (void)state;
    enum { BOXES = 3000, APART = 3000 };
    ashi_broad *broad = ashi_broad_create(ASHI_BROAD_TREE);
    ashi_broad_pairs pairs = {0};
    add_boxes(broad, 0, BOXES, true);
    for (uint32_t i = 0; i < APART; i++) {
        double x = 10 + 2.0 * i;
        ashi_broad_add(broad, (ash_bounds){{x, 0, 0}, {x + 1, 1, 1}}, BOXES + i, true);
    }
    assert_true(ashi_broad_find_pairs(broad, NULL, &pairs));
    uint32_t resting;
    assert_true(ashi_broad_left_out(broad) > 0);
    assert_true(widest(&pairs, BOXES + APART, &resting) > limit_for(BOXES + APART) / (BOXES + APART));
    assert_true(pairs.count <= limit_for(BOXES + APART));
    ashi_array_release(&pairs);
    ashi_broad_destroy(broad);
}

static void work_grows_with_the_boxes(void **state)
{
    (void)state;
    const uint32_t boxes = SLOW_BUILD ? 2000 : 6000; /* 2 or 18 million pairs */
    ashi_broad *broad = ashi_broad_create(ASHI_BROAD_TREE);
    ashi_broad_pairs pairs = {0};
    add_boxes(broad, 0, boxes, true);
    for (int search = 0; search < 3; search++) {
        assert_true(ashi_broad_find_pairs(broad, NULL, &pairs));
        assert_true(ashi_broad_left_out(broad) > 0);
        /* Five searches, each given up when it has found too many, and what their last piece found. */
        assert_true(ashi_broad_last(broad).tests <= 6 * (limit_for(boxes) + 64 * (uint64_t)boxes));
    }
    ashi_array_release(&pairs);
    ashi_broad_destroy(broad);
}

/* Each search finds few; together they are too many. */
static void crowds_that_grow_slowly_are_bounded(void **state)
{
    (void)state;
    enum { BATCH = 400, BATCHES = 10 };
    ashi_broad *broad = ashi_broad_create(ASHI_BROAD_TREE);
    ashi_broad_pairs pairs = {0};
    for (uint32_t i = 0; i < BATCHES; i++) {
        add_boxes(broad, BATCH * i, BATCH, true);
        assert_true(ashi_broad_find_pairs(broad, NULL, &pairs));
        assert_true(broad->candidates.count <= limit_for(BATCH * (i + 1)));
    }
    assert_true(ashi_broad_left_out(broad) > 0);
    ashi_array_release(&pairs);
    ashi_broad_destroy(broad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_leaves_out_the_same),
        cmocka_unit_test(smaller_crowds_have_a_wider_span),
        cmocka_unit_test(work_grows_with_the_boxes),
        cmocka_unit_test(crowds_that_grow_slowly_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
