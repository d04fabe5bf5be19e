/* The direct solver of equality rows: against CHOLMOD on J M^-1 J^T, for trees, chains, stars, ladders, planar bodies,
 * locked axes, soft rows; redundant and conflicting rows; what is kept from call to call. */
#include "builder.h"

#include "solve/direct.h"

#include <cholmod.h>

/* ---- problems ---- */

static ash_vec3 random_vector(ashi_random *random)
{
    ash_vec3 v = {.x = ashi_random_range(random, -1, 1)};
    v.y = ashi_random_range(random, -1, 1);
    v.z = ashi_random_range(random, -1, 1);
    return v;
}

/* Dynamic, with three different moments of inertia about turned axes. */
static uint32_t add_random_body(builder *b, ashi_random *random)
{
    double mass = ashi_random_range(random, 0.1, 10);
    uint32_t number = add_body(b, mass, 1, v3_scale(random_vector(random), 3), v3(0, 0, 0));
    ash_vec3 n = random_vector(random);
    double i = 1 / mass, t = 3 / mass;
    b->problem.bodies[number].inverse_inertia = (ash_sym3){
        i + t * n.x * n.x, 2 * i + t * n.y * n.y, 3 * i + t * n.z * n.z, t * n.x * n.y, t * n.x * n.z, t * n.y * n.z};
    return number;
}

/* Up to three rows at a point and up to three that hold rotations, the same axes for both bodies. */
static ash_problem_block *add_joint(builder *b, ashi_random *random, uint32_t body_a, uint32_t body_b, uint32_t points,
                                    uint32_t turns)
{
    ash_vec3 at = v3_scale(v3_add(v3_add(b->place[body_a], b->place[body_b]), random_vector(random)), 0.5);
    ash_problem_block *block = add_ball_joint(b, body_a, body_b, at);
    ash_problem *p = &b->problem;
    p->row_count = block->first_row + points;
    ash_vec3 first = v3_unit(random_vector(random)), second = v3_perpendicular(first);
    const ash_vec3 axes[3] = {first, second, v3_cross(first, second)};
    for (uint32_t i = 0; i < turns; i++) {
        ash_vec3 axis = axes[i];
        p->rows[p->row_count++] =
            (ash_problem_row){.angular_a = v3_neg(axis), .angular_b = axis, .lower = -HUGE_VAL, .upper = HUGE_VAL};
    }
    block->row_count = points + turns;
    return block;
}

static void add_any_joint(builder *b, ashi_random *random, uint32_t body_a, uint32_t body_b)
{
    uint32_t points = (uint32_t)ashi_random_below(random, 4), turns = (uint32_t)ashi_random_below(random, 4);
    add_joint(b, random, body_a, body_b, points + turns == 0 ? 3 : points, turns);
}

enum shape { TREE, CHAIN, STAR, LADDER, HUNG_CHAIN, SHAPES };

static uint32_t parent_of(enum shape shape, ashi_random *random, uint32_t i)
{
    switch (shape) {
    case TREE:
        return (uint32_t)ashi_random_below(random, i);
    case STAR:
        return i == 1 ? 0 : 1;
    case LADDER:
        return i < 3 ? 0 : i - 2;
    default:
        return i - 1;
    }
}

/* Body 0 is immovable. Ladders have ball joints only: with more rows their loops would be over-determined. */
static builder *make(enum shape shape, uint32_t bodies, bool grounded, uint64_t seed)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    ashi_random random = {seed};
    add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    for (uint32_t i = 1; i < bodies; i++) {
        uint32_t body = add_random_body(b, &random), parent = parent_of(shape, &random, i);
        if (parent == 0 && !grounded && i > 1)
            parent = 1;
        if (parent > 0 || grounded) {
            if (shape == LADDER || shape == HUNG_CHAIN)
                add_joint(b, &random, parent, body, 3, 0);
            else
                add_any_joint(b, &random, parent, body);
        }
        if (shape == LADDER && i % 6 == 0)
            add_joint(b, &random, i - 1, body, 1, 0);
    }
    if (shape == HUNG_CHAIN)
        add_joint(b, &random, 0, bodies - 1, 3, 0);
    return b;
}

/* ---- CHOLMOD ---- */

typedef struct oracle {
    cholmod_common common;
    cholmod_sparse *matrix; /* J M^-1 J^T + softness, lower triangle */
    cholmod_factor *factor;
} oracle;

static double response(const ash_problem *p, uint32_t i, uint32_t k, const uint32_t *block_of)
{
    const ash_problem_block *one = &p->blocks[block_of[i]], *two = &p->blocks[block_of[k]];
    const ash_problem_row *r = &p->rows[i], *s = &p->rows[k];
    double sum = i == k ? r->softness : 0;
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++) {
            uint32_t body = x == 0 ? one->body_a : one->body_b;
            if (body < p->fixed_count || body != (y == 0 ? two->body_a : two->body_b))
                continue;
            const ash_problem_body *m = &p->bodies[body];
            sum += v3_dot(x == 0 ? r->linear_a : r->linear_b,
                          v3_mul(m->inverse_mass, y == 0 ? s->linear_a : s->linear_b)) +
                   v3_dot(x == 0 ? r->angular_a : r->angular_b,
                          s3_apply(m->inverse_inertia, y == 0 ? s->angular_a : s->angular_b));
        }
    return sum;
}

static oracle *consult(const ash_problem *p)
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

static double largest(const double *x, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

static double *random_numbers(uint32_t n, uint64_t seed)
{
    ashi_random random = {seed};
    double *x = calloc(n + 1, sizeof *x);
    assert_non_null(x);
    for (uint32_t i = 0; i < n; i++)
        x[i] = ashi_random_range(&random, -1, 1);
    return x;
}

static void assert_motions_near(const ash_problem *p, const ash_motion *change, const double *impulse, double tolerance)
{
    ash_motion *expected = calloc(p->body_count, sizeof *expected);
    assert_non_null(expected);
    double size = 0;
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = 0; i < p->blocks[k].row_count; i++) {
            uint32_t r = p->blocks[k].first_row + i;
            ashi_row_push(p, &p->blocks[k], &p->rows[r], impulse[r], expected);
        }
    for (uint32_t b = p->fixed_count; b < p->body_count; b++)
        size = fmax(size, fmax(v3_norm(expected[b].linear), v3_norm(expected[b].angular)));
    for (uint32_t b = p->fixed_count; b < p->body_count; b++) {
        assert_below(v3_norm(v3_sub(change[b].linear, expected[b].linear)), tolerance * size);
        assert_below(v3_norm(v3_sub(change[b].angular, expected[b].angular)), tolerance * size);
    }
    free(expected);
}

/* A problem without redundancy: all impulses and velocities as CHOLMOD finds them. */
static void compare(builder *b, uint64_t seed)
{
    ash_problem *p = &b->problem;
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
    assert_below(left, 1e-11);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_cholmod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
