/* The stored problems are what their names say: sorted, of the right size, and different from each other. */
#include "problem/problems.h"

#include <string.h>

static void every_problem_is_sorted(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        ashi_system p = problem_named(ashi_named_problem_get(n)->name);
        assert_true(p.body_count > p.fixed_count && p.fixed_count > 0 && p.block_count > 0);
        for (uint32_t i = 0; i < p.body_count; i++)
            assert_true(ashi_body_is_fixed(&p.bodies[i]) == (i < p.fixed_count));
        uint32_t body = p.fixed_count, row = 0, block = p.islands[0].first_block;
        for (uint32_t i = 0; i < p.island_count; i++) {
            assert_int_equal(p.islands[i].first_body, body);
            assert_int_equal(p.islands[i].first_block, block);
            body += p.islands[i].body_count;
            block += p.islands[i].block_count;
        }
        assert_int_equal(body, p.body_count);
        assert_int_equal(block, p.block_count);
        for (uint32_t k = 0; k < p.block_count; k++) {
            assert_int_equal(p.blocks[k].first_row, row);
            row += p.blocks[k].row_count;
        }
        assert_int_equal(row, p.row_count);
        ashi_system_release(&p);
    }
}

static void the_pile_is_that_of_the_aim(void **state)
{
    (void)state;
    ashi_system p = problem_named("pile");
    assert_int_equal(p.body_count, 211);
    assert_int_equal(p.block_count, 1600);
    assert_int_equal(p.row_count, 4800);
    assert_int_equal(p.island_count, 1);
    ashi_system_release(&p);
}

/* Islands of their own where things do not touch. */
static void islands_are_those_of_the_scene(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t islands, blocks;
    } expected[] = {{"rest", 1, 4},        {"stack", 1, 100},        {"shove", 1, 444},    {"sliding", 2, 20},
                    {"giving-way", 8, 32}, {"impact", 2, 9},         {"planar", 1, 64},    {"chain", 1, 11},
                    {"wedged", 1, 8},      {"immovable-pair", 1, 9}, {"mass-ratio", 1, 16}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        ashi_system p = problem_named(expected[i].name);
        if (p.island_count != expected[i].islands || p.block_count != expected[i].blocks)
            fail_msg("%s: %u islands and %u blocks", expected[i].name, p.island_count, p.block_count);
        ashi_system_release(&p);
    }
}

/* All are cold, and none is solved by doing nothing. */
static void every_problem_is_a_problem(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < ash_stored_problem_count(); n++) {
        ashi_system p = problem_named(ashi_named_problem_get(n)->name);
        ash_yardstick error;
        assert_true(ashi_system_measure(&p, &error));
        if (!(error.largest > 1e-3 && error.largest < 100 && error.theta > 0))
            fail_msg("%s: error %g, theta %g", ashi_named_problem_get(n)->name, error.largest, error.theta);
        ashi_system_release(&p);
    }
}

/* Making a problem over an older one gives the same as making it anew. */
static void memory_is_used_again(void **state)
{
    (void)state;
    ashi_system fresh = problem_named("rest"), again = {0};
    ash_problem p = public_named("stack");
    assert_true(ashi_problem_of_rest(&p));
    assert_true(ashi_system_by_rows(&again, &p));
    assert_int_equal(again.row_count, fresh.row_count);
    for (uint32_t i = 0; i < again.row_count; i++)
        assert_memory_equal(&again.rows[i], &fresh.rows[i], sizeof again.rows[i]);
    ashi_system_release(&again);
    ash_problem_release(&p);
    ashi_system_release(&fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_problem_is_sorted),        cmocka_unit_test(the_pile_is_that_of_the_aim),
        cmocka_unit_test(islands_are_those_of_the_scene), cmocka_unit_test(every_problem_is_a_problem),
        cmocka_unit_test(memory_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
