/* Islands: against a search that colours the graph naively; order inside is kept; places map old numbers to new. */
#include "check.h"

#include "base/random.h"
#include "problem/system.h"

#define BODIES 40

static ashi_system random_problem(ashi_random *random)
{
    ashi_system p = {.h = 0.01};
    uint32_t blocks = ashi_random_below(random, 60);
    assert_true(ashi_system_reserve(&p, BODIES, blocks + 1, 2 * blocks + 1, 0));
    p.body_count = BODIES;
    for (uint32_t i = 0; i < BODIES; i++) {
        double mass = ashi_random_below(random, 4) == 0 ? 0 : 1;
        p.bodies[i] = (ash_problem_body){.inverse_mass = {mass, mass, mass}, .label = i};
    }
    for (uint32_t k = 0; k < blocks; k++) {
        uint32_t rows = 1 + ashi_random_below(random, 2);
        p.blocks[k] = (ashi_block){.body_a = ashi_random_below(random, BODIES),
                                   .body_b = ashi_random_below(random, BODIES),
                                   .first_row = p.row_count,
                                   .row_count = rows,
                                   .label = k};
        for (uint32_t i = 0; i < rows; i++)
            p.rows[p.row_count++] = (ashi_row){.bias = 10.0 * k + i};
    }
    p.block_count = blocks;
    return p;
}

/* The least label of any body that can be reached from each, by label; immovable bodies lead nowhere. */
static void colour(const ashi_system *p, uint32_t *least)
{
    for (uint32_t i = 0; i < BODIES; i++)
        least[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < p->block_count; k++) {
            uint32_t a = p->blocks[k].body_a, b = p->blocks[k].body_b;
            if (ashi_body_is_fixed(&p->bodies[a]) || ashi_body_is_fixed(&p->bodies[b]) || least[a] == least[b])
                continue;
            least[a] = least[b] = least[a] < least[b] ? least[a] : least[b];
            changed = true;
        }
    }
}

static void check_sorted(const ashi_system *old, const ashi_system *p, const uint32_t *body_place,
                         const uint32_t *block_place)
{
    uint32_t least[BODIES], last_colour = 0;
    colour(old, least);
    for (uint32_t i = 0; i < BODIES; i++)
        assert_int_equal(p->bodies[body_place[i]].label, i);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *was = &old->blocks[k], *is = &p->blocks[block_place[k]];
        assert_int_equal(is->label, k);
        assert_int_equal(is->body_a, body_place[was->body_a]);
        assert_int_equal(is->body_b, body_place[was->body_b]);
        assert_int_equal(is->row_count, was->row_count);
        for (uint32_t i = 0; i < is->row_count; i++)
            assert_true(p->rows[is->first_row + i].bias == old->rows[was->first_row + i].bias);
    }
    for (uint32_t i = 0; i < p->fixed_count; i++)
        assert_true(ashi_body_is_fixed(&p->bodies[i]) && (i == 0 || p->bodies[i].label > p->bodies[i - 1].label));
    for (uint32_t n = 0; n < p->island_count; n++) {
        const ash_problem_island *island = &p->islands[n];
        uint32_t own = least[p->bodies[island->first_body].label];
        assert_true(n == 0 || own > last_colour); /* another island, later by its first body */
        last_colour = own;
        for (uint32_t i = island->first_body; i < island->first_body + island->body_count; i++) {
            assert_int_equal(least[p->bodies[i].label], own);
            assert_true(i == island->first_body || p->bodies[i].label > p->bodies[i - 1].label);
        }
        for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++)
            assert_true(k == island->first_block || p->blocks[k].label > p->blocks[k - 1].label);
    }
    for (uint32_t k = 0; k < p->block_count; k++) /* rows without gaps, in the order of blocks */
        assert_int_equal(p->blocks[k].first_row, k == 0 ? 0 : p->blocks[k - 1].first_row + p->blocks[k - 1].row_count);
}

/* Which island has the block: the number of a movable body's. */
static void check_blocks_belong(const ashi_system *p)
{
    uint32_t block = p->island_count > 0 ? p->islands[0].first_block : p->block_count;
    for (uint32_t k = 0; k < block; k++)
        assert_true(p->blocks[k].body_a < p->fixed_count && p->blocks[k].body_b < p->fixed_count);
    for (uint32_t n = 0; n < p->island_count; n++) {
        const ash_problem_island *island = &p->islands[n];
        assert_int_equal(island->first_block, block);
        block += island->block_count;
        for (uint32_t k = island->first_block; k < block; k++) {
            uint32_t a = p->blocks[k].body_a, b = p->blocks[k].body_b;
            assert_true(a >= p->fixed_count || b >= p->fixed_count);
            assert_true(a < p->fixed_count || a - island->first_body < island->body_count);
            assert_true(b < p->fixed_count || b - island->first_body < island->body_count);
        }
    }
    assert_int_equal(block, p->block_count);
}

static void islands_are_those_of_a_naive_search(void **state)
{
    (void)state;
    ashi_random random = {3};
    ashi_arena *scratch = ashi_arena_create(1024);
    for (uint32_t trial = 0; trial < TRIALS(2000); trial++) {
        ashi_system p = random_problem(&random), old = {0};
        assert_true(ashi_system_copy(&old, &p));
        uint32_t body_place[BODIES], block_place[60];
        ashi_arena_reset(scratch);
        assert_true(ashi_system_sort(&p, scratch, body_place, block_place));
        check_sorted(&old, &p, body_place, block_place);
        check_blocks_belong(&p);
        /* What is sorted stays as it is. */
        assert_true(ashi_system_sort(&p, scratch, body_place, NULL));
        for (uint32_t i = 0; i < BODIES; i++)
            assert_int_equal(body_place[i], i);
        ashi_system_release(&p);
        ashi_system_release(&old);
    }
    ashi_arena_destroy(scratch);
}

static void nothing_has_no_islands(void **state)
{
    (void)state;
    ashi_system p = {0};
    ashi_arena *scratch = ashi_arena_create(1024);
    assert_true(ashi_system_sort(&p, scratch, NULL, NULL));
    assert_int_equal(p.island_count, 0);
    assert_int_equal(p.fixed_count, 0);
    ashi_system_release(&p);
    ashi_arena_destroy(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islands_are_those_of_a_naive_search),
        cmocka_unit_test(nothing_has_no_islands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
