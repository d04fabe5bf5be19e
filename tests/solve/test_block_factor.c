/* The sparse factor against a dense one on random patterns, and what its pattern promises. */
#include "check.h"

#include "base/random.h"
#include "solve/linear/block_factor.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BODIES 40
#define MOST_PAIRS  200
#define MOST_SIZE   (6 * MOST_BODIES)

typedef struct linear_system {
    uint32_t bodies, pair_count;
    ashi_block_pair pairs[MOST_PAIRS];
    double dense[MOST_SIZE][MOST_SIZE];
    double right[MOST_SIZE], expected[MOST_SIZE];
    ashi_block_pattern pattern;
    ashi_block_factor factor;
    ashi_arena *arena;
} linear_system;

static linear_system *new_system(void)
{
    linear_system *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->arena = ashi_arena_create(1 << 12);
    assert_non_null(s->arena);
    return s;
}

static void free_system(linear_system *s)
{
    ashi_block_pattern_release(&s->pattern);
    ashi_arena_destroy(s->arena);
    free(s);
}

static void random_pairs(linear_system *s, ashi_random *random)
{
    s->bodies = 1 + ashi_random_below(random, MOST_BODIES);
    s->pair_count = s->bodies < 2 ? 0 : ashi_random_below(random, MOST_PAIRS);
    if (ashi_random_below(random, 2) == 0)
        s->pair_count = s->pair_count % (2 * s->bodies);
    for (uint32_t i = 0; i < s->pair_count; i++) {
        uint32_t a = ashi_random_below(random, s->bodies), b = ashi_random_below(random, s->bodies - 1);
        s->pairs[i] = (ashi_block_pair){a, b >= a ? b + 1 : b};
    }
}

/* 1 + the sum over pairs of x^T q x, as contacts make it; q is symmetric, or not. */
static void random_matrix(linear_system *s, ashi_random *random, bool symmetric)
{
    memset(s->dense, 0, sizeof s->dense);
    for (uint32_t i = 0; i < 6 * s->bodies; i++) {
        s->dense[i][i] = 1;
        s->right[i] = ashi_random_range(random, -1, 1);
    }
    for (uint32_t p = 0; p < s->pair_count; p++) {
        uint32_t index[12];
        double x[3][12], q[3][3] = {{0}};
        for (uint32_t i = 0; i < 6; i++) {
            index[i] = 6 * s->pairs[p].a + i;
            index[6 + i] = 6 * s->pairs[p].b + i;
        }
        for (int r = 0; r < 3; r++) {
            for (int i = 0; i < 12; i++)
                x[r][i] = ashi_random_range(random, -1, 1);
            q[r][r] = ashi_random_range(random, 1, 100);
        }
        if (!symmetric)
            q[1][0] = ashi_random_range(random, -5, 5);
        for (int r = 0; r < 3; r++)
            for (int t = 0; t < 3; t++)
                for (int i = 0; i < 12; i++)
                    for (int k = 0; k < 12; k++)
                        s->dense[index[i]][index[k]] += q[r][t] * x[r][i] * x[t][k];
    }
}

static void copy_block(const linear_system *s, double *to, uint32_t row, uint32_t column)
{
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t k = 0; k < 6; k++)
            to[6 * i + k] = s->dense[6 * row + i][6 * column + k];
}

static void fill_sparse(linear_system *s)
{
    ashi_arena_reset(s->arena);
    assert_true(ashi_block_pattern_fit(&s->pattern, s->bodies, s->pairs, s->pair_count, s->arena));
    assert_true(ashi_block_factor_make(&s->factor, &s->pattern, s->arena));
    ashi_block_factor_clear(&s->factor, true);
    for (uint32_t b = 0; b < s->bodies; b++)
        copy_block(s, s->factor.diagonal[s->pattern.place[b]], b, b);
    for (uint32_t i = 0; i < s->pair_count; i++) {
        uint32_t a = s->pairs[i].a, b = s->pairs[i].b, k = ashi_block_pattern_find(&s->pattern, a, b);
        bool a_later = s->pattern.place[a] > s->pattern.place[b];
        copy_block(s, s->factor.lower[k], a_later ? a : b, a_later ? b : a);
        copy_block(s, s->factor.upper[k], a_later ? b : a, a_later ? a : b);
    }
}

/* Gauss with row pivots: another way to the same solution. */
static void solve_dense(linear_system *s)
{
    uint32_t n = 6 * s->bodies;
    memcpy(s->expected, s->right, sizeof s->right);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            best = fabs(s->dense[i][k]) > fabs(s->dense[best][k]) ? i : best;
        for (uint32_t j = 0; j < n; j++) {
            double kept = s->dense[k][j];
            s->dense[k][j] = s->dense[best][j];
            s->dense[best][j] = kept;
        }
        double kept = s->expected[k];
        s->expected[k] = s->expected[best];
        s->expected[best] = kept;
        for (uint32_t i = k + 1; i < n; i++) {
            double factor = s->dense[i][k] / s->dense[k][k];
            for (uint32_t j = k; j < n; j++)
                s->dense[i][j] -= factor * s->dense[k][j];
            s->expected[i] -= factor * s->expected[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++)
            s->expected[k] -= s->dense[k][j] * s->expected[j];
        s->expected[k] /= s->dense[k][k];
    }
}

/* Solves both ways and compares. */
static void check_agreement(linear_system *s, ashi_random *random, bool symmetric)
{
    double solution[MOST_SIZE], size = 0;
    random_pairs(s, random);
    random_matrix(s, random, symmetric);
    fill_sparse(s);
    memcpy(solution, s->right, sizeof solution);
    if (symmetric) {
        assert_true(ashi_block_cholesky(&s->factor));
        ashi_block_cholesky_solve(&s->factor, solution);
    } else {
        assert_true(ashi_block_lu(&s->factor));
        ashi_block_lu_solve(&s->factor, solution);
    }
    solve_dense(s);
    for (uint32_t i = 0; i < 6 * s->bodies; i++)
        size = fmax(size, fabs(s->expected[i]));
    for (uint32_t i = 0; i < 6 * s->bodies; i++)
        assert_near(solution[i], s->expected[i], 1e-11 * size);
}

static void test_factors_agree_with_dense(void **state)
{
    (void)state;
    ashi_random random = {1};
    linear_system *s = new_system();
    for (int trial = 0; trial < TRIALS(400); trial++) {
        check_agreement(s, &random, true);
        check_agreement(s, &random, false);
    }
    free_system(s);
}

/* A chain has no fill in any order of minimum degree; neither has a star, whose hub goes last or last but one. */
static void test_trees_have_no_fill(void **state)
{
    (void)state;
    linear_system *s = new_system();
    s->bodies = MOST_BODIES;
    s->pair_count = MOST_BODIES - 1;
    for (uint32_t i = 0; i < s->pair_count; i++)
        s->pairs[i] = (ashi_block_pair){i, i + 1};
    fill_sparse(s);
    assert_int_equal(s->pattern.blocks, MOST_BODIES - 1);
    for (uint32_t i = 0; i < s->pair_count; i++)
        s->pairs[i] = (ashi_block_pair){i + 1, 0};
    fill_sparse(s);
    assert_int_equal(s->pattern.blocks, MOST_BODIES - 1);
    assert_true(s->pattern.place[0] >= MOST_BODIES - 2);
    free_system(s);
}

/* The order depends on the graph, not on how its pairs are listed; each body has one place. */
static void test_the_pattern_depends_on_the_graph_alone(void **state)
{
    (void)state;
    ashi_random random = {3};
    linear_system *s = new_system(), *other = new_system();
    for (int trial = 0; trial < TRIALS(200); trial++) {
        random_pairs(s, &random);
        fill_sparse(s);
        *other = (linear_system){.bodies = s->bodies, .pattern = other->pattern, .arena = other->arena};
        for (uint32_t i = 0; i < s->pair_count; i++) { /* listed backwards, twice, some turned round */
            ashi_block_pair pair = s->pairs[s->pair_count - 1 - i];
            other->pairs[i] = i % 3 == 0 ? (ashi_block_pair){pair.b, pair.a} : pair;
        }
        other->pair_count = s->pair_count;
        if (2 * s->pair_count <= MOST_PAIRS)
            for (uint32_t i = 0; i < s->pair_count; i++)
                other->pairs[other->pair_count++] = s->pairs[i];
        fill_sparse(other);
        assert_int_equal(s->pattern.blocks, other->pattern.blocks);
        assert_memory_equal(s->pattern.order, other->pattern.order, s->bodies * sizeof *s->pattern.order);
        for (uint32_t j = 0; j < s->bodies; j++)
            assert_int_equal(s->pattern.place[s->pattern.order[j]], j);
    }
    free_system(s);
    free_system(other);
}

static void test_a_known_pattern_costs_no_memory(void **state)
{
    (void)state;
    ashi_random random = {4};
    linear_system *s = new_system();
    do
        random_pairs(s, &random);
    while (s->pair_count < 20);
    fill_sparse(s);
    ashi_arena_reset(s->arena);
    fill_sparse(s); /* the arena is warm now */
    const uint32_t *order = s->pattern.order;
    ashi_alloc_fail_at(0, false);
    fill_sparse(s);
    assert_int_equal(ashi_alloc_fail_at(0, false), 0);
    assert_ptr_equal(s->pattern.order, order);
    /* As many couplings, but others. */
    linear_system *fresh = new_system();
    s->pairs[0].b = (s->pairs[0].a + 1 + (s->pairs[0].b == (s->pairs[0].a + 1) % s->bodies)) % s->bodies;
    *fresh = (linear_system){.bodies = s->bodies, .pair_count = s->pair_count, .arena = fresh->arena};
    memcpy(fresh->pairs, s->pairs, sizeof s->pairs);
    fill_sparse(s);
    fill_sparse(fresh);
    assert_memory_equal(s->pattern.pairs, s->pairs, s->pair_count * sizeof *s->pairs);
    assert_int_equal(s->pattern.blocks, fresh->pattern.blocks);
    assert_memory_equal(s->pattern.order, fresh->pattern.order, s->bodies * sizeof *s->pattern.order);
    free_system(fresh);
    /* One coupling less is another pattern, in the same memory. */
    s->pair_count--;
    assert_true(ashi_block_pattern_fit(&s->pattern, s->bodies, s->pairs, s->pair_count, s->arena));
    assert_int_equal(s->pattern.pair_count, s->pair_count);
    free_system(s);
}

static void test_what_cannot_be_factored_is_told(void **state)
{
    (void)state;
    linear_system *s = new_system();
    s->bodies = 2;
    s->pair_count = 1;
    s->pairs[0] = (ashi_block_pair){0, 1};
    ashi_random random = {5};
    random_matrix(s, &random, true);
    s->dense[7][7] = -1; /* not positive definite */
    fill_sparse(s);
    assert_false(ashi_block_cholesky(&s->factor));
    for (uint32_t i = 0; i < 12; i++)
        s->dense[3][i] = 0; /* singular */
    fill_sparse(s);
    assert_false(ashi_block_lu(&s->factor));
    random_matrix(s, &random, true);
    s->dense[2][2] = NAN;
    fill_sparse(s);
    assert_false(ashi_block_cholesky(&s->factor));
    free_system(s);
}

/* Everybody touches everybody: no order helps. That is found out at once, and remembered. */
static void test_what_is_too_large_is_told(void **state)
{
    (void)state;
    enum { BODIES = 500 };
    static ashi_block_pair pairs[BODIES * (BODIES - 1) / 2];
    uint32_t count = 0;
    for (uint32_t a = 0; a < BODIES; a++)
        for (uint32_t b = a + 1; b < BODIES; b++)
            pairs[count++] = (ashi_block_pair){b, a};
    ashi_block_pattern pattern = {0};
    ashi_arena *arena = ashi_arena_create(1 << 12);
    assert_true(ashi_block_pattern_fit(&pattern, BODIES, pairs, count, arena));
    assert_true(pattern.too_large);
    ashi_alloc_fail_at(0, false);
    assert_true(ashi_block_pattern_fit(&pattern, BODIES, pairs, count, arena) && pattern.too_large);
    assert_int_equal(ashi_alloc_fail_at(0, false), 0);
    assert_true(ashi_block_pattern_fit(&pattern, BODIES, pairs, BODIES - 1, arena) && !pattern.too_large);
    ashi_block_pattern_release(&pattern);
    ashi_arena_destroy(arena);
}

/* Every allocation fails in turn: no pattern then, and the next attempt works. */
static void test_memory_that_runs_out(void **state)
{
    (void)state;
    ashi_random random = {6};
    linear_system *s = new_system();
    do
        random_pairs(s, &random);
    while (s->pair_count < 100);
    for (uint64_t k = 1;; k++) {
        ashi_block_pattern_release(&s->pattern);
        ashi_arena_destroy(s->arena);
        s->arena = ashi_arena_create(1024);
        ashi_alloc_fail_at(k, false);
        bool good = ashi_block_pattern_fit(&s->pattern, s->bodies, s->pairs, s->pair_count, s->arena) &&
                    ashi_block_factor_make(&s->factor, &s->pattern, s->arena);
        ashi_alloc_fail_at(0, false);
        if (good) {
            assert_true(k > 3);
            break;
        }
        fill_sparse(s);
    }
    free_system(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors_agree_with_dense),
        cmocka_unit_test(test_trees_have_no_fill),
        cmocka_unit_test(test_the_pattern_depends_on_the_graph_alone),
        cmocka_unit_test(test_a_known_pattern_costs_no_memory),
        cmocka_unit_test(test_what_cannot_be_factored_is_told),
        cmocka_unit_test(test_what_is_too_large_is_told),
        cmocka_unit_test(test_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
