/* Rows that depend on each other: rank, redundant rows and undetermined impulses against dense elimination, conflicts,
 * rows that move nothing, and positions that are nearly singular. */
#include "jointed.h"

/* Rank by elimination with full pivoting, without the row `but`. */
static uint32_t rank_of(const double *matrix, uint32_t n, uint32_t but)
{
    double *a = calloc((size_t)n * n, sizeof *a), *unit = calloc(n, sizeof *unit);
    uint32_t rank = 0;
    for (uint32_t i = 0; i < n; i++)
        unit[i] = matrix[i * n + i] > 0 && i != but ? 1 / sqrt(matrix[i * n + i]) : 0;
    for (uint32_t i = 0; i < n * n; i++)
        a[i] = matrix[i] * unit[i / n] * unit[i % n];
    for (;;) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < n; i++)
            best = a[i * n + i] > a[best * n + best] ? i : best;
        double pivot = a[best * n + best];
        if (!(pivot > 1e-9))
            break;
        rank++;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; i != best && k < n; k++)
                if (k != best)
                    a[i * n + k] -= a[i * n + best] * a[best * n + k] / pivot;
        for (uint32_t i = 0; i < n; i++)
            a[i * n + best] = a[best * n + i] = 0;
    }
    free(unit);
    free(a);
    return rank;
}

static double *dense_matrix(const ashi_system *p)
{
    uint32_t n = p->row_count, *block_of = calloc(n, sizeof *block_of);
    double *a = calloc((size_t)n * n, sizeof *a);
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++)
            block_of[p->blocks[k].first_row + i] = k;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            a[i * n + k] = response(p, i, k, block_of);
    free(block_of);
    return a;
}

/* Rank, redundant rows and undetermined impulses as dense elimination finds them; wanted speeds that can be reached
 * are reached, by determined impulses that are those they were made of. */
static uint32_t check_redundancy(builder *b, uint64_t seed)
{
    ashi_system *p = &b->problem;
    finish(b);
    uint32_t n = p->row_count, redundant = 0;
    double *a = dense_matrix(p), *made_of = random_numbers(n, seed), *wanted = random_numbers(n, 0);
    double *impulse = random_numbers(n, 0);
    ash_motion *change = calloc(p->body_count, sizeof *change);
    for (uint32_t i = 0; i < n; i++) {
        wanted[i] = 0;
        for (uint32_t k = 0; k < n; k++)
            wanted[i] += a[i * n + k] * made_of[k];
    }
    ashi_direct *direct = ashi_direct_create();
    assert_true(ashi_direct_factor(direct, p, NULL));
    double left = ashi_direct_solve(direct, wanted, impulse, change);
    assert_below(left, 1e-11 * largest(wanted, n));
    uint32_t rank = rank_of(a, n, n);
    assert_int_equal(ashi_direct_rank(direct), rank);
    for (uint32_t i = 0; i < n; i++) {
        bool determined = rank_of(a, n, i) == rank - 1;
        redundant += ashi_direct_is_redundant(direct, i);
        assert_int_equal(ashi_direct_is_determined(direct, i), determined);
        if (determined)
            assert_near(impulse[i], made_of[i], 1e-7);
        assert_below(fabs(impulse[i]), 10 * sqrt(n));
    }
    assert_int_equal(redundant, n - rank);
    assert_motions_near(p, change, made_of, 1e-9);
    ashi_direct_destroy(direct);
    free(change);
    free(impulse);
    free(wanted);
    free(made_of);
    free(a);
    free_builder(b);
    return n - rank;
}

static void test_door_on_three_hinges(void **state)
{
    (void)state;
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t wall = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t door = add_body(b, 20, 1, v3(0.5, 0, 1), v3(0, 0, 0));
    for (int i = 0; i < 3; i++)
        add_hinge(b, wall, door, v3(0, 0, 0.2 + 0.8 * i), v3(0, 0, 1));
    assert_int_equal(check_redundancy(b, 1), 10);
}

/* A four-bar linkage with hinges holds three rows too many out of its plane; a third link adds six and one more. */
static void test_parallelograms(void **state)
{
    (void)state;
    assert_int_equal(check_redundancy(parallelogram(2, true), 1), 3);
    assert_int_equal(check_redundancy(parallelogram(3, true), 2), 7);
    assert_int_equal(check_redundancy(parallelogram(6, true), 3), 19);
    for (uint32_t links = 2; links <= 5; links++)
        check_redundancy(parallelogram(links, false), links);
}

/* Trees with some joints doubled, in part or whole, and loops that hold more than there is to hold. */
static void test_random_redundancy(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS(40); seed++) {
        builder *b = make((enum shape)(seed % 3), 12, seed % 2 == 0, seed);
        ashi_system *p = &b->problem;
        for (uint32_t i = 0; i < 11; i += 4) {
            ashi_block copy = p->blocks[i];
            uint32_t from = copy.first_row;
            copy.first_row = p->row_count;
            copy.row_count = 1 + (uint32_t)seed % copy.row_count;
            memcpy(&p->rows[p->row_count], &p->rows[from], copy.row_count * sizeof *p->rows);
            p->row_count += copy.row_count;
            p->blocks[p->block_count++] = copy;
        }
        for (uint32_t i = 2; seed % 4 == 1 && i < 8; i++)
            add_joint(b, &(ashi_random){seed}, i, i + 3, 3, 3);
        check_redundancy(b, seed);
    }
}

/* What locks make redundant: a ball joint at a body that only turns, one between two that do. */
static void test_locked_redundancy(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS(40); seed++) {
        builder *b = make((enum shape)(seed % 3), 14, seed % 2 == 0, seed);
        for (uint32_t i = 1; i < b->problem.body_count; i++) {
            if ((i + seed) % 4 == 1)
                b->problem.bodies[i].inverse_inertia = (ash_sym3){0};
            if ((i + seed) % 4 == 2)
                b->problem.bodies[i].inverse_mass = v3(0, 0, 0);
        }
        check_redundancy(b, seed);
    }
}

/* Rows that ask for different speeds of the same thing: the mean, and no impulses that fight each other. */
static void test_conflicting_rows(void **state)
{
    (void)state;
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t body = add_body(b, 2, 1, v3(1, 0, 0), v3(0, 0, 0));
    for (int i = 0; i < 3; i++)
        add_ball_joint(b, ground, body, v3(0, 0, 0));
    finish(b);
    double wanted[9] = {1, 0, 0, 2, 0, 0.5, 6, 0, -0.5}, impulse[9];
    ash_motion change[2];
    ashi_direct *direct = ashi_direct_create();
    assert_true(ashi_direct_factor(direct, &b->problem, NULL));
    double left = ashi_direct_solve(direct, wanted, impulse, change);
    assert_near(left, 3, 1e-9);
    assert_int_equal(ashi_direct_rank(direct), 3);
    assert_near(change[1].linear.x, 3, 1e-9);
    assert_near(v3_norm(change[1].angular), 0, 1e-9);
    for (int i = 0; i < 9; i++)
        assert_below(fabs(impulse[i]), 10);
    ashi_direct_destroy(direct);
    free_builder(b);
}

/* Between immovable bodies, or along what is locked, impulses do nothing: they are zero, and the rest is not harmed. */
static void test_rows_that_move_nothing(void **state)
{
    (void)state;
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0)), wall = add_body(b, 0, 0, v3(1, 0, 0), v3(0, 0, 0));
    uint32_t body = add_body(b, 2, 0, v3(0, 0, 0), v3(0, 0, 0));
    add_ball_joint(b, ground, wall, v3(0, 0, 0));
    add_ball_joint(b, ground, body, v3(0, 0, 0));
    b->problem.bodies[body].inverse_mass.y = 0;
    finish(b);
    double wanted[6] = {1, 1, 1, 1, 1, 1}, impulse[6];
    ashi_direct *direct = ashi_direct_create();
    assert_true(ashi_direct_factor(direct, &b->problem, NULL));
    assert_near(ashi_direct_solve(direct, wanted, impulse, NULL), 1, 0);
    assert_int_equal(ashi_direct_rank(direct), 2);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < 3; i++) {
            bool moves = b->problem.blocks[k].body_b >= b->problem.fixed_count && i != 1;
            uint32_t row = b->problem.blocks[k].first_row + i;
            assert_near(impulse[row], moves ? 2 : 0, 1e-12);
            assert_int_equal(ashi_direct_is_determined(direct, row), moves);
        }
    ashi_direct_destroy(direct);
    free_builder(b);
}

/* Three bars in a line between two walls, off by an angle that goes through zero: what is asked for is reached as long
 * as it can be. */
static void test_near_singular_positions(void **state)
{
    (void)state;
    for (double angle = 0.1; angle > 1e-5; angle /= 10) {
        builder *b = new_builder(ASH_FRICTION_CONE);
        uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
        uint32_t one = add_body(b, 1, 1, v3(0.5, 0, angle / 2), v3(0, 0, 0));
        uint32_t two = add_body(b, 1, 1, v3(1.5, 0, angle / 2), v3(0, 0, 0));
        add_ball_joint(b, ground, one, v3(0, 0, 0));
        add_ball_joint(b, one, two, v3(1, 0, angle));
        add_ball_joint(b, two, ground, v3(2, 0, 0));
        finish(b);
        double *wanted = random_numbers(9, 1), *impulse = random_numbers(9, 0);
        ashi_direct *direct = ashi_direct_create();
        assert_true(ashi_direct_factor(direct, &b->problem, NULL));
        double left = ashi_direct_solve(direct, wanted, impulse, NULL);
        assert_int_equal(ashi_direct_rank(direct), 9);
        assert_below(left, 1e-14 * largest(impulse, 9));
        ashi_direct_destroy(direct);
        free(impulse);
        free(wanted);
        free_builder(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_door_on_three_hinges),    cmocka_unit_test(test_parallelograms),
        cmocka_unit_test(test_random_redundancy),       cmocka_unit_test(test_locked_redundancy),
        cmocka_unit_test(test_conflicting_rows),        cmocka_unit_test(test_rows_that_move_nothing),
        cmocka_unit_test(test_near_singular_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
