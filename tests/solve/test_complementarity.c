/* Lemke's pivoting: known answers, every basis tried as an oracle, degenerate problems that make other rules cycle,
 * rays, free variables. */
#include "check.h"

#include "base/random.h"
#include "solve/lemke/complementarity.h"
#include "solve/linear/dense_factor.h"

#include <stdlib.h>

#define MOST 12

typedef struct small {
    uint32_t count;
    double matrix[MOST * MOST], constant[MOST], z[MOST];
    bool free[MOST];
} small;

static ashi_pivoting_result solve(small *s)
{
    ashi_arena *arena = ashi_arena_create(1 << 14);
    double ones[MOST];
    for (uint32_t i = 0; i < MOST; i++)
        ones[i] = 1;
    ashi_complementarity problem = {s->count, s->matrix, s->constant, s->free, ones, 0, 0};
    ashi_pivoting_result result = ashi_complementarity_solve(&problem, arena, s->z);
    ashi_arena_destroy(arena);
    return result;
}

static double w_of(const small *s, uint32_t i)
{
    double w = s->constant[i];
    for (uint32_t j = 0; j < s->count; j++)
        w += s->matrix[i * s->count + j] * s->z[j];
    return w;
}

static double violation(const small *s)
{
    double worst = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        double w = w_of(s, i);
        if (s->free[i])
            worst = fmax(worst, fabs(w));
        else
            worst = fmax(worst, fmax(fmax(-w, -s->z[i]), fmin(fabs(w), fabs(s->z[i]))));
    }
    return worst;
}

/* Tries all choices of basic z. Returns how many are solutions; the last one is in z. */
static uint32_t enumerate(small *s)
{
    uint32_t found = 0;
    small trial = *s;
    for (uint32_t set = 0; set < 1u << s->count; set++) {
        double block[MOST * MOST], b[MOST], x[MOST];
        uint32_t order[MOST], member[MOST], n = 0;
        bool complete = true;
        for (uint32_t i = 0; i < s->count; i++) {
            complete = complete && (!s->free[i] || (set >> i & 1));
            if (set >> i & 1)
                member[n++] = i;
        }
        for (uint32_t i = 0; i < n; i++) {
            b[i] = -s->constant[member[i]];
            for (uint32_t j = 0; j < n; j++)
                block[i * n + j] = s->matrix[member[i] * s->count + member[j]];
        }
        ashi_dense_factor factor = {n, block, order};
        if (!complete || !ashi_dense_factor_make(&factor))
            continue;
        ashi_dense_factor_solve(&factor, b, x);
        for (uint32_t i = 0; i < s->count; i++)
            trial.z[i] = 0;
        for (uint32_t i = 0; i < n; i++)
            trial.z[member[i]] = x[i];
        if (violation(&trial) < 1e-9) {
            *s = trial;
            found++;
        }
    }
    return found;
}

static void known_problems_have_their_answers(void **state)
{
    (void)state;
    /* Two springs against stops: by hand z = (4/3, 7/3). */
    small both = {2, {2, -1, -1, 2}, {-1.0 / 3, -10.0 / 3}, {0}, {false}};
    assert_int_equal(solve(&both).end, ASHI_PIVOTING_SOLVED);
    assert_near(both.z[0], 4.0 / 3, 1e-15);
    assert_near(both.z[1], 7.0 / 3, 1e-15);
    /* One is off: z = (0, 5/2), w_0 = 1/2. */
    small one = {2, {2, 1, 1, 2}, {-2, -5}, {0}, {false}};
    assert_int_equal(solve(&one).end, ASHI_PIVOTING_SOLVED);
    assert_near(one.z[0], 0, 0);
    assert_near(one.z[1], 2.5, 1e-15);
    /* Nothing pushes: z = 0 without a pivot. */
    small idle = {2, {2, 1, 1, 2}, {0, 3}, {1, 1}, {false}};
    ashi_pivoting_result result = solve(&idle);
    assert_int_equal(result.end, ASHI_PIVOTING_SOLVED);
    assert_int_equal(result.pivots, 0);
    assert_near(idle.z[0] + idle.z[1], 0, 0);
}

static void a_problem_without_solution_ends_on_a_ray(void **state)
{
    (void)state;
    small none = {2, {1, -1, -1, 1}, {-1, -1}, {0}, {false}}; /* z_0 - z_1 >= 1 and z_1 - z_0 >= 1 */
    assert_int_equal(solve(&none).end, ASHI_PIVOTING_RAY);
    small zero = {1, {0}, {-1}, {0}, {false}};
    assert_int_equal(solve(&zero).end, ASHI_PIVOTING_RAY);
}

/* Symmetric, positive definite or (rank < count) semidefinite. */
static void random_matrix(ashi_random *random, small *s, uint32_t rank)
{
    double factor[MOST][MOST];
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; k < rank; k++)
            factor[i][k] = ashi_random_range(random, -1, 1);
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t j = 0; j < s->count; j++) {
            s->matrix[i * s->count + j] = 0;
            for (uint32_t k = 0; k < rank; k++)
                s->matrix[i * s->count + j] += factor[i][k] * factor[j][k];
        }
}

static void definite_problems_have_the_solution_that_enumeration_finds(void **state)
{
    (void)state;
    ashi_random random = {11};
    for (int trial = 0; trial < TRIALS(4000); trial++) {
        small s = {.count = 1 + ashi_random_below(&random, 6)};
        random_matrix(&random, &s, s.count);
        for (uint32_t i = 0; i < s.count; i++) {
            s.matrix[i * s.count + i] += 0.05;
            s.constant[i] = ashi_random_range(&random, -1, 1);
            s.free[i] = ashi_random_below(&random, 4) == 0;
        }
        small oracle = s;
        assert_int_equal(enumerate(&oracle), 1);
        assert_int_equal(solve(&s).end, ASHI_PIVOTING_SOLVED);
        for (uint32_t i = 0; i < s.count; i++)
            assert_near(s.z[i], oracle.z[i], 1e-11 * (1 + fabs(oracle.z[i])));
    }
}

/* A unit step of skewness keeps it copositive: the shape of friction. Solutions need not be unique. */
static void general_problems_are_solved_when_enumeration_finds_any(void **state)
{
    (void)state;
    ashi_random random = {12};
    int solved = 0, rays = 0;
    for (int trial = 0; trial < TRIALS(4000); trial++) {
        small s = {.count = 2 + ashi_random_below(&random, 5)};
        random_matrix(&random, &s, 1 + ashi_random_below(&random, s.count));
        for (uint32_t i = 0; i < s.count; i++) {
            s.constant[i] = ashi_random_range(&random, -1, 1);
            for (uint32_t j = 0; j < i; j++) {
                double skew = ashi_random_below(&random, 2) == 0 ? 0 : ashi_random_range(&random, -1, 1);
                s.matrix[i * s.count + j] += skew;
                s.matrix[j * s.count + i] -= skew;
            }
        }
        small oracle = s;
        bool any = enumerate(&oracle) > 0;
        ashi_pivoting_end end = solve(&s).end;
        assert_int_equal(end, any ? ASHI_PIVOTING_SOLVED : ASHI_PIVOTING_RAY);
        if (any)
            assert_below(violation(&s), 1e-10);
        solved += any;
        rays += !any;
    }
    assert_true(solved > TRIALS(1000) && rays > TRIALS(20));
}

/* Small whole numbers make ties in nearly every ratio test. */
static void ties_do_not_make_it_cycle(void **state)
{
    (void)state;
    ashi_random random = {13};
    for (int trial = 0; trial < TRIALS(20000); trial++) {
        small s = {.count = 3 + ashi_random_below(&random, 4)};
        double factor[MOST][2];
        for (uint32_t i = 0; i < s.count; i++)
            for (uint32_t k = 0; k < 2; k++)
                factor[i][k] = ashi_random_below(&random, 3) - 1.0;
        for (uint32_t i = 0; i < s.count; i++) {
            s.constant[i] = -1.0 * ashi_random_below(&random, 2);
            for (uint32_t j = 0; j < s.count; j++)
                s.matrix[i * s.count + j] = factor[i][0] * factor[j][0] + factor[i][1] * factor[j][1];
        }
        small oracle = s;
        bool any = enumerate(&oracle) > 0;
        ashi_pivoting_end end = solve(&s).end;
        assert_int_equal(end, any ? ASHI_PIVOTING_SOLVED : ASHI_PIVOTING_RAY);
        if (any)
            assert_below(violation(&s), 1e-12);
    }
}

/* The three variables follow each other in a ring: with ties left to chance it never ends. */
static void a_ring_of_three_ends(void **state)
{
    (void)state;
    small s = {3, {1, 2, 0, 0, 1, 2, 2, 0, 1}, {-1, -1, -1}, {0}, {false}};
    ashi_pivoting_result result = solve(&s);
    assert_int_equal(result.end, ASHI_PIVOTING_SOLVED);
    assert_true(result.pivots < 20);
    for (uint32_t i = 0; i < 3; i++)
        assert_near(s.z[i], 1.0 / 3, 1e-15);
}

static void redundant_free_rows_are_left_out(void **state)
{
    (void)state;
    /* Twice the same equation 2 z_0 + 2 z_1 = 3 beside one z >= 0. */
    small s = {3, {2, 2, 1, 2, 2, 1, 1, 1, 2}, {-3, -3, -2}, {0}, {true, true, false}};
    assert_int_equal(solve(&s).end, ASHI_PIVOTING_SOLVED);
    assert_below(violation(&s), 1e-14);
    assert_near(s.z[0] + s.z[1], 4.0 / 3, 1e-14);
    assert_near(s.z[2], 1.0 / 3, 1e-14);
}

static void the_deadline_is_kept(void **state)
{
    (void)state;
    small s = {2, {2, -1, -1, 2}, {-1, -3}, {0}, {false}};
    ashi_arena *arena = ashi_arena_create(1 << 12);
    static const double ones[] = {1, 1};
    ashi_complementarity problem = {s.count, s.matrix, s.constant, s.free, ones, 1e-9, 0};
    assert_int_equal(ashi_complementarity_solve(&problem, arena, s.z).end, ASHI_PIVOTING_LATE);
    problem.deadline = 0; /* and so is the bound of work: a third of the cube of the variables, their square a pivot */
    for (uint64_t most = 2; most <= 20; most += 2) {
        problem.most_work = most;
        ashi_pivoting_result result = ashi_complementarity_solve(&problem, arena, s.z);
        assert_int_equal(result.end, most < 12 ? ASHI_PIVOTING_LATE : ASHI_PIVOTING_SOLVED);
    }
    ashi_arena_destroy(arena);
}

/* Hilbert's matrix has a condition number of 5e11 at order 9; plain elimination loses five digits. */
static void refinement_reaches_the_accuracy_of_the_data(void **state)
{
    (void)state;
    small s = {.count = 9};
    for (uint32_t i = 0; i < s.count; i++)
        for (uint32_t j = 0; j < s.count; j++)
            s.matrix[i * s.count + j] = 12252240.0 / (i + j + 1); /* whole numbers: lcm(1..17) */
    for (uint32_t i = 0; i < s.count; i++) {
        s.free[i] = true;
        for (uint32_t j = 0; j < s.count; j++)
            s.constant[i] -= s.matrix[i * s.count + j] * (j + 1); /* exact: z = 1, 2, ... */
    }
    assert_int_equal(solve(&s).end, ASHI_PIVOTING_SOLVED);
    for (uint32_t i = 0; i < s.count; i++)
        assert_near(s.z[i], i + 1.0, 1e-14 * (i + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_problems_have_their_answers),
        cmocka_unit_test(a_problem_without_solution_ends_on_a_ray),
        cmocka_unit_test(definite_problems_have_the_solution_that_enumeration_finds),
        cmocka_unit_test(general_problems_are_solved_when_enumeration_finds_any),
        cmocka_unit_test(ties_do_not_make_it_cycle),
        cmocka_unit_test(a_ring_of_three_ends),
        cmocka_unit_test(redundant_free_rows_are_left_out),
        cmocka_unit_test(the_deadline_is_kept),
        cmocka_unit_test(refinement_reaches_the_accuracy_of_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
