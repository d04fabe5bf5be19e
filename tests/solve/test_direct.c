/* The direct solver of equality rows: against CHOLMOD on J M^-1 J^T, for trees, chains, stars, ladders, planar bodies,
 * locked axes, soft rows; what is kept from call to call. */
#include "jointed.h"

#include <cholmod.h>

/* ---- CHOLMOD ---- */

typedef struct oracle {
    cholmod_common common;
    cholmod_sparse *matrix; /* J M^-1 J^T + softness, lower triangle */
    cholmod_factor *factor;
} oracle;

static oracle *consult(const ashi_system *p)
{
    oracle *o = calloc(1, sizeof *o);
    uint32_t *block_of = calloc(p->row_count, sizeof *block_of);
    assert_true(o != NULL && block_of != NULL);
    cholmod_start(&o->common);
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++)
            block_of[p->blocks[k].first_row + i] = k;
    uint32_t n = p->row_count;
    cholmod_triplet *entries = cholmod_allocate_triplet(n, n, (size_t)n * (n + 1) / 2, -1, CHOLMOD_REAL, &o->common);
    assert_non_null(entries);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k <= i; k++) {
            double value = response(p, i, k, block_of);
            if (value == 0)
                continue;
            ((int *)entries->i)[entries->nnz] = (int)i;
            ((int *)entries->j)[entries->nnz] = (int)k;
            ((double *)entries->x)[entries->nnz++] = value;
        }
    o->matrix = cholmod_triplet_to_sparse(entries, 0, &o->common);
    cholmod_free_triplet(&entries, &o->common);
    free(block_of);
    o->factor = cholmod_analyze(o->matrix, &o->common);
    cholmod_factorize(o->matrix, o->factor, &o->common);
    return o;
}

/* Solves with two refinements. */
static void ask(oracle *o, const double *wanted, double *impulse)
{
    uint32_t n = (uint32_t)o->matrix->nrow;
    double minus[2] = {-1, 0}, one[2] = {1, 0};
    cholmod_dense *right = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &o->common);
    cholmod_dense *sum = cholmod_zeros(n, 1, CHOLMOD_REAL, &o->common);
    for (int pass = 0; pass < 3; pass++) {
        memcpy(right->x, wanted, n * sizeof *wanted);
        cholmod_sdmult(o->matrix, 0, minus, one, sum, right, &o->common);
        cholmod_dense *part = cholmod_solve(CHOLMOD_A, o->factor, right, &o->common);
        for (uint32_t i = 0; i < n; i++)
            ((double *)sum->x)[i] += ((double *)part->x)[i];
        cholmod_free_dense(&part, &o->common);
    }
    memcpy(impulse, sum->x, n * sizeof *impulse);
    cholmod_free_dense(&right, &o->common);
    cholmod_free_dense(&sum, &o->common);
}

static void dismiss(oracle *o)
{
    cholmod_free_factor(&o->factor, &o->common);
    cholmod_free_sparse(&o->matrix, &o->common);
    cholmod_finish(&o->common);
    free(o);
}

/* ---- comparison ---- */

/* What residuals are sums of, at most: rounding is a small part of it. */
static double turnover(const oracle *o, const double *impulse)
{
    const int *begin = o->matrix->p, *row = o->matrix->i;
    const double *value = o->matrix->x;
    double most = 0;
    for (uint32_t k = 0; k < o->matrix->ncol; k++)
        for (int i = begin[k]; i < begin[k + 1]; i++)
            most = fmax(most, fabs(value[i]) * largest(impulse, (uint32_t)o->matrix->nrow) * (row[i] == (int)k));
    return 1 + most;
}

/* A problem without redundancy: all impulses and velocities as CHOLMOD finds them. */
static void compare(builder *b, uint64_t seed)
{
    ashi_system *p = &b->problem;
    finish(b);
    double *wanted = random_numbers(p->row_count, seed), *expected = random_numbers(p->row_count, 0);
    double *impulse = random_numbers(p->row_count, 0);
    ash_motion *change = calloc(p->body_count, sizeof *change);
    oracle *o = consult(p);
    ask(o, wanted, expected);
    ashi_direct *direct = ashi_direct_create();
    assert_non_null(direct);
    assert_true(ashi_direct_factor(direct, p, NULL));
    double left = ashi_direct_solve(direct, wanted, impulse, change);
    assert_below(left, 4e-15 * turnover(o, expected));
    assert_int_equal(ashi_direct_rows(direct), p->row_count);
    assert_int_equal(ashi_direct_rank(direct), p->row_count);
    double size = largest(expected, p->row_count);
    for (uint32_t i = 0; i < p->row_count; i++) {
        assert_near(impulse[i], expected[i], 1e-9 * size);
        assert_false(ashi_direct_is_redundant(direct, i));
        assert_true(ashi_direct_is_determined(direct, i));
    }
    assert_motions_near(p, change, expected, 1e-9);
    ashi_direct_destroy(direct);
    dismiss(o);
    free(change);
    free(impulse);
    free(expected);
    free(wanted);
    free_builder(b);
}

static void test_agrees_with_cholmod(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS(20); seed++)
        for (int shape = 0; shape < SHAPES; shape++)
            compare(make((enum shape)shape, 2 + 5 * (uint32_t)seed, shape == HUNG_CHAIN || seed % 2 == 0, seed), seed);
}

/* Moves in x and y, turns about z. */
static void flatten(builder *b)
{
    ashi_system *p = &b->problem;
    p->planar = true;
    for (uint32_t i = 1; i < p->body_count; i++) {
        p->bodies[i].inverse_mass.z = 0;
        p->bodies[i].inverse_inertia = s3_diagonal(0, 0, p->bodies[i].inverse_inertia.zz);
    }
}

/* Joints at points of the plane: rows along x and y. */
static void test_planar(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS(20); seed++) {
        builder *b = new_builder(ASH_FRICTION_CONE);
        ashi_random random = {seed};
        add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
        for (uint32_t i = 1; i < 40; i++) {
            uint32_t body = add_random_body(b, &random);
            b->place[body].z = 0;
            ashi_block *joint = add_joint(b, &random, ashi_random_below(&random, i), body, 2, 0);
            if (i % 7 != 0)
                continue;
            joint = add_joint(b, &random, i - 3, body, 1, 0); /* closes a loop */
            joint->label = i;
        }
        flatten(b);
        compare(b, seed);
    }
}

/* Bodies that cannot turn, cannot move, or do so about one axis that is none of the world's; leaves and inner ones. */
static void test_locked_axes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS(20); seed++) {
        builder *b = make((enum shape)(seed % 2), 40, seed % 3 == 0, seed);
        ashi_system *p = &b->problem;
        for (uint32_t i = 1; i < p->body_count; i++) {
            ash_vec3 n = v3_unit(b->place[i]);
            if (i % 4 == 1)
                p->bodies[i].inverse_inertia = (ash_sym3){0};
            if (i % 8 == 2)
                p->bodies[i].inverse_mass = v3(0, 0, 0);
            if (i % 8 == 5)
                p->bodies[i].inverse_inertia =
                    (ash_sym3){n.x * n.x, n.y * n.y, n.z * n.z, n.x * n.y, n.x * n.z, n.y * n.z};
        }
        for (uint32_t i = 0; i < p->row_count; i++) /* what locks make redundant, softness makes regular */
            p->rows[i].softness = 1e-3;
        compare(b, seed);
    }
}

static void test_soft_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS(20); seed++)
        for (int shape = 0; shape < SHAPES; shape++) {
            builder *b = make((enum shape)shape, 30, true, seed);
            ashi_random random = {seed};
            for (uint32_t k = b->problem.block_count, i = 0; i < k; i += 3) { /* the same joint again, soft */
                ashi_block copy = b->problem.blocks[i];
                uint32_t from = copy.first_row;
                copy.first_row = b->problem.row_count;
                for (uint32_t r = 0; r < copy.row_count; r++) {
                    b->problem.rows[b->problem.row_count] = b->problem.rows[from + r];
                    b->problem.rows[b->problem.row_count++].softness = ashi_random_range(&random, 0.01, 1);
                }
                b->problem.blocks[b->problem.block_count++] = copy;
            }
            compare(b, seed);
        }
}

/* A ratio of masses of 10^4 side by side. (At 10^6 the condition of the matrix leaves CHOLMOD and us 2e-9 apart.) */
static void test_heavy_on_light(void **state)
{
    (void)state;
    builder *b = make(CHAIN, 60, true, 3);
    for (uint32_t i = 1; i < b->problem.body_count; i++) {
        double factor = i % 3 == 0 ? 1e-2 : i % 3 == 1 ? 1 : 1e2;
        ash_sym3 *inertia = &b->problem.bodies[i].inverse_inertia;
        b->problem.bodies[i].inverse_mass = v3_scale(b->problem.bodies[i].inverse_mass, factor);
        *inertia = (ash_sym3){inertia->xx * factor, inertia->yy * factor, inertia->zz * factor,
                              inertia->xy * factor, inertia->xz * factor, inertia->yz * factor};
    }
    compare(b, 3);
}

/* ---- memory ---- */

/* Rows with bounds are left alone; so are bodies outside of the island. */
static void test_island_and_bounds(void **state)
{
    (void)state;
    builder *b = make(TREE, 20, false, 5);
    uint32_t first = b->problem.body_count;
    for (int i = 0; i < 3; i++)
        add_random_body(b, &(ashi_random){9});
    add_ball_joint(b, first, first + 1, v3(1, 2, 3));
    ashi_block *mixed = add_ball_joint(b, first + 1, first + 2, v3(3, 2, 1));
    b->problem.rows[mixed->first_row + 1].lower = 0;
    add_contact(b, 0, first + 2, v3(0, 0, 0), v3(0, 0, 1), 2, 0.5);
    finish(b);
    ashi_system *p = &b->problem;
    assert_int_equal(p->island_count, 2);
    double *wanted = random_numbers(p->row_count, 7), *impulse = random_numbers(p->row_count, 0);
    ash_motion change[32];
    memset(change, 0x11, sizeof change);
    for (uint32_t i = 0; i < p->row_count; i++)
        impulse[i] = 77;
    ashi_direct *direct = ashi_direct_create();
    assert_true(ashi_direct_factor(direct, p, &p->islands[1]));
    assert_int_equal(ashi_direct_rows(direct), 5);
    assert_below(ashi_direct_solve(direct, wanted, impulse, change), 1e-13);
    uint32_t untouched = 0;
    for (uint32_t i = 0; i < p->row_count; i++)
        untouched += impulse[i] == 77;
    assert_int_equal(untouched, p->row_count - 5);
    ash_motion before;
    memset(&before, 0x11, sizeof before);
    for (uint32_t i = 0; i < p->body_count; i++)
        assert_int_equal(memcmp(&change[i], &before, sizeof before) == 0, i < p->islands[1].first_body);
    ashi_direct_destroy(direct);
    free(impulse);
    free(wanted);
    free_builder(b);
}

/* The symbolic phase is done once, nothing is allocated after it, and the bits do not depend on what came before. */
static void test_keeps_its_pattern(void **state)
{
    (void)state;
    builder *one = make(LADDER, 60, true, 2), *two = parallelogram(4, true);
    finish(one);
    finish(two);
    ashi_system *p = &one->problem;
    double *wanted = random_numbers(p->row_count, 7), *first = random_numbers(p->row_count, 0);
    double *again = random_numbers(p->row_count, 0);
    ashi_direct *direct = ashi_direct_create();
    assert_true(ashi_direct_factor(direct, p, NULL));
    ashi_direct_solve(direct, wanted, first, NULL);
    assert_int_equal(ashi_direct_patterns(direct), 1);
    ashi_alloc_fail_at(0, false);
    for (int i = 0; i < 3; i++) {
        p->bodies[3].inverse_mass.x *= 2;
        assert_true(ashi_direct_factor(direct, p, NULL));
        ashi_direct_solve(direct, wanted, again, NULL);
    }
    assert_int_equal(ashi_alloc_fail_at(0, false), 0);
    assert_int_equal(ashi_direct_patterns(direct), 1);
    assert_true(memcmp(first, again, p->row_count * sizeof *first) != 0);
    p->bodies[3].inverse_mass.x /= 8;

    assert_true(ashi_direct_factor(direct, &two->problem, NULL)); /* redundant: by other patterns */
    ashi_direct_rank(direct);
    uint32_t patterns = ashi_direct_patterns(direct);
    ashi_alloc_fail_at(0, false);
    assert_true(ashi_direct_factor(direct, &two->problem, NULL));
    double *redundant = random_numbers(two->problem.row_count, 1);
    ashi_direct_solve(direct, redundant, redundant, NULL);
    ashi_direct_rank(direct);
    assert_int_equal(ashi_alloc_fail_at(0, false), 0);
    assert_int_equal(ashi_direct_patterns(direct), patterns);
    free(redundant);

    assert_true(ashi_direct_factor(direct, p, NULL));
    ashi_direct_solve(direct, wanted, again, NULL);
    assert_int_equal(ashi_direct_patterns(direct), patterns + 1);
    assert_memory_equal(first, again, p->row_count * sizeof *first);
    ashi_direct_destroy(direct);
    free(again);
    free(first);
    free(wanted);
    free_builder(two);
    free_builder(one);
}

/* With other numbers, but the same graph: the bits of a factor made from nothing, also when rows begin to depend on
 * each other. */
static void test_factors_again(void **state)
{
    (void)state;
    builder *builders[2] = {make(LADDER, 40, true, 3), parallelogram(4, true)};
    for (int i = 0; i < 2; i++) {
        finish(builders[i]);
        ashi_system *p = &builders[i]->problem;
        double *wanted = random_numbers(p->row_count, 5), *fresh = random_numbers(p->row_count, 0);
        double *again = random_numbers(p->row_count, 0);
        ashi_direct *kept = ashi_direct_create(), *other = ashi_direct_create();
        for (uint32_t k = 0; k < p->row_count; k++)
            p->rows[k].softness = 0.1; /* nothing is redundant at first */
        assert_true(ashi_direct_factor(kept, p, NULL));
        for (uint32_t k = 0; k < p->row_count; k++)
            p->rows[k].softness = 0;
        p->bodies[p->fixed_count].inverse_mass.y *= 3;
        p->rows[1].angular_b.x += 0.25;
        assert_true(ashi_direct_factor_again(kept, p) && ashi_direct_factor(other, p, NULL));
        ashi_direct_solve(kept, wanted, again, NULL);
        ashi_direct_solve(other, wanted, fresh, NULL);
        assert_memory_equal(fresh, again, p->row_count * sizeof *fresh);
        assert_int_equal(ashi_direct_rank(kept), ashi_direct_rank(other));
        ashi_direct_destroy(other);
        ashi_direct_destroy(kept);
        free(again);
        free(fresh);
        free(wanted);
        free_builder(builders[i]);
    }
}

/* Every allocation fails in turn: it says so, and works again when there is memory. */
static void test_survives_without_memory(void **state)
{
    (void)state;
    builder *b = make(LADDER, 30, true, 2);
    finish(b);
    double *wanted = random_numbers(b->problem.row_count, 7), *impulse = random_numbers(b->problem.row_count, 0);
    bool made = false;
    for (uint64_t k = 1; !made; k++) {
        assert_true(k < 1000);
        ashi_alloc_fail_at(k, false);
        ashi_direct *direct = ashi_direct_create();
        made = direct != NULL && ashi_direct_factor(direct, &b->problem, NULL);
        ashi_alloc_fail_at(0, false);
        if (direct != NULL) {
            assert_true(ashi_direct_factor(direct, &b->problem, NULL));
            assert_below(ashi_direct_solve(direct, wanted, impulse, NULL), 1e-12);
        }
        ashi_direct_destroy(direct);
    }
    free(impulse);
    free(wanted);
    free_builder(b);
}

static void test_no_rows(void **state)
{
    (void)state;
    ashi_system nothing = {0};
    ashi_direct *direct = ashi_direct_create();
    for (int i = 0; i < 2; i++) {
        assert_true(ashi_direct_factor(direct, &nothing, NULL));
        assert_near(ashi_direct_solve(direct, NULL, NULL, NULL), 0, 0);
        assert_int_equal(ashi_direct_rank(direct), 0);
        assert_false(ashi_direct_is_determined(direct, 0));
    }
    assert_int_equal(ashi_direct_patterns(direct), 1);
    ashi_direct_destroy(direct);
    ashi_direct_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_cholmod),
        cmocka_unit_test(test_planar),
        cmocka_unit_test(test_locked_axes),
        cmocka_unit_test(test_soft_rows),
        cmocka_unit_test(test_heavy_on_light),
        cmocka_unit_test(test_island_and_bounds),
        cmocka_unit_test(test_keeps_its_pattern),
        cmocka_unit_test(test_factors_again),
        cmocka_unit_test(test_survives_without_memory),
        cmocka_unit_test(test_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
