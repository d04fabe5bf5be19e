/* The rivals of Faure's table: the whole matrix factored densely; plain conjugate gradients on it; the forest by its
 * factor without fill and what is left for the loops, S = J_l (1 - M^-1 J_a^T A_aa^-1 J_a) M^-1 J_l^T, densely. */
#include "scene/builtin/ladder_rivals.h"
#include "base/alloc.h"
#include "base/groups.h"
#include "solve/dense_factor.h"
#include "solve/direct.h"

#include <math.h>
#include <string.h>

#define MOST_TURNS 40 /* of conjugate gradients, in numbers of rows */

static const ash_motion rest = {{0, 0, 0}, {0, 0, 0}};

static void clear_motions(const ash_problem *p, ash_motion *motion)
{
    for (uint32_t i = 0; i < p->body_count; i++)
        motion[i] = rest;
}

/* Adds M^-1 J^T x of some blocks' rows. */
static void push_all(const ash_problem *p, const double *x, ash_motion *motion)
{
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            ashi_row_push(p, &p->blocks[k], &p->rows[i], x[i], motion);
}

/* J motion of some blocks' rows. */
static void read_all(const ash_problem *p, const ash_motion *motion, double *speed)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            speed[i] = ashi_row_speed(&p->rows[i], &motion[block->body_a], &motion[block->body_b]);
    }
}

static void multiply(const ash_problem *p, const double *x, ash_motion *motion, double *product)
{
    clear_motions(p, motion);
    push_all(p, x, motion);
    read_all(p, motion, product);
}

static void predicted(const ash_problem *p, ash_motion *motion)
{
    for (uint32_t i = 0; i < p->body_count; i++)
        motion[i] = (ash_motion){p->bodies[i].velocity, p->bodies[i].spin};
}

/* wanted = -(J motion + bias) */
static void want(const ash_problem *p, const ash_motion *motion, double *wanted)
{
    read_all(p, motion, wanted);
    for (uint32_t k = 0; k < p->block_count; k++)
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            wanted[i] = -(wanted[i] + p->rows[i].bias);
}

void ashi_rival_velocities(const ash_problem *p, const double *impulse, ash_motion *velocity)
{
    predicted(p, velocity);
    push_all(p, impulse, velocity);
}

/* ---- the whole matrix ---- */

/* Multiplications of a product with J M^-1 J^T, and of a dense factor with one solution. */
static double product_cost(double rows)
{
    return 24 * rows;
}

static double dense_cost(double rows)
{
    return rows * rows * rows / 3 + rows * rows;
}

bool ashi_rival_full_dense(const ash_problem *p, double tolerance, double *impulse, double *operations)
{
    (void)tolerance;
    uint32_t n = p->row_count;
    *operations = n * product_cost(n) + dense_cost(n);
    ashi_dense_factor factor = {n, ashi_alloc_array((size_t)n * n, sizeof(double)),
                                ashi_alloc_array(n, sizeof(uint32_t))};
    ash_motion *motion = ashi_alloc_array(p->body_count, sizeof *motion);
    double *unit = ashi_alloc_array(n, sizeof *unit);
    bool good = factor.lower_upper != NULL && factor.order != NULL && motion != NULL && unit != NULL;
    if (good) {
        memset(unit, 0, n * sizeof *unit);
        for (uint32_t i = 0; i < n; i++) {
            unit[i] = 1;
            multiply(p, unit, motion, factor.lower_upper + (size_t)i * n); /* symmetric: a column is a row */
            unit[i] = 0;
        }
        good = ashi_dense_factor_make(&factor);
        predicted(p, motion);
        want(p, motion, unit);
    }
    if (good)
        ashi_dense_factor_solve(&factor, unit, impulse);
    ashi_free(unit);
    ashi_free(motion);
    ashi_free(factor.order);
    ashi_free(factor.lower_upper);
    return good;
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static double largest(const double *a, uint32_t count)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

bool ashi_rival_full_iterative(const ash_problem *p, double tolerance, double *impulse, double *operations)
{
    uint32_t n = p->row_count;
    *operations = 0;
    ash_motion *motion = ashi_alloc_array(p->body_count, sizeof *motion);
    double *left = ashi_alloc_array(3 * (size_t)n, sizeof *left), *way = left + n, *gain = left + 2 * (size_t)n;
    bool good = motion != NULL && left != NULL;
    if (good) {
        predicted(p, motion);
        want(p, motion, left);
        memcpy(way, left, n * sizeof *way);
        memset(impulse, 0, n * sizeof *impulse);
        double size = dot(left, left, n);
        for (uint32_t turn = 0; turn < MOST_TURNS * n && largest(left, n) > tolerance; turn++) {
            multiply(p, way, motion, gain);
            *operations += product_cost(n) + 5.0 * n;
            double length = size / dot(way, gain, n), before = size;
            for (uint32_t i = 0; i < n; i++) {
                impulse[i] += length * way[i];
                left[i] -= length * gain[i];
            }
            size = dot(left, left, n);
            for (uint32_t i = 0; i < n; i++)
                way[i] = left[i] + size / before * way[i];
        }
    }
    ashi_free(left);
    ashi_free(motion);
    return good;
}

/* ---- forest and loops ---- */

typedef struct parts {
    ash_problem tree, loops; /* the problem with some of its blocks */
    ash_problem_block *blocks;
    uint32_t *rows; /* of the loops */
    uint32_t loop_count;
} parts;

/* All immovable bodies are one: the first. */
static uint32_t movable(const ash_problem *p, uint32_t body)
{
    return body < p->fixed_count ? 0 : body;
}

static void release_parts(parts *s)
{
    ashi_free(s->blocks);
    ashi_free(s->rows);
}

static bool make_parts(const ash_problem *p, parts *s)
{
    uint32_t *parent = ashi_alloc_array(p->body_count, sizeof *parent), kept = 0, cut = 0;
    *s = (parts){.tree = *p, .loops = *p};
    s->blocks = ashi_alloc_array(p->block_count, sizeof *s->blocks);
    s->rows = ashi_alloc_array(p->row_count, sizeof *s->rows);
    if (parent == NULL || s->blocks == NULL || s->rows == NULL) {
        ashi_free(parent);
        release_parts(s);
        return false;
    }
    ashi_groups_begin(parent, p->body_count);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        if (ashi_groups_join(parent, movable(p, block->body_a), movable(p, block->body_b))) {
            s->blocks[kept++] = *block;
            continue;
        }
        s->blocks[p->block_count - ++cut] = *block;
        for (uint32_t i = 0; i < block->row_count; i++)
            s->rows[s->loop_count++] = block->first_row + i;
    }
    s->tree.blocks = s->blocks;
    s->tree.block_count = kept;
    s->loops.blocks = s->blocks + kept;
    s->loops.block_count = cut;
    ashi_free(parent);
    return true;
}

bool ashi_rival_count(const ash_problem *p, uint32_t *acyclic, uint32_t *loops)
{
    parts s;
    if (!make_parts(p, &s))
        return false;
    *loops = s.loop_count;
    *acyclic = p->row_count - s.loop_count;
    release_parts(&s);
    return true;
}

/* What solving takes: by row `wanted`, `impulse`; by body `motion`, `change`. */
typedef struct workspace {
    ashi_direct *factor;
    double *wanted, *impulse, *right, *solution;
    ash_motion *motion, *change;
} workspace;

/* The forest answers to `motion` so that its rows keep `wanted`; its answer joins the motion. */
static void answer(const parts *s, workspace *w)
{
    if (s->tree.block_count == 0)
        return;
    ashi_direct_solve(w->factor, w->wanted, w->impulse, w->change);
    for (uint32_t i = s->tree.fixed_count; i < s->tree.body_count; i++) {
        w->motion[i].linear = v3_add(w->motion[i].linear, w->change[i].linear);
        w->motion[i].angular = v3_add(w->motion[i].angular, w->change[i].angular);
    }
}

/* A row of S: what a unit impulse of a loop's row does to all of them, the forest holding. */
static void fill_row(const parts *s, workspace *w, uint32_t number, double *row)
{
    for (uint32_t i = 0; i < s->loop_count; i++)
        w->impulse[s->rows[i]] = i == number;
    clear_motions(&s->loops, w->motion);
    push_all(&s->loops, w->impulse, w->motion);
    read_all(&s->tree, w->motion, w->wanted);
    for (uint32_t i = 0; i < s->tree.row_count; i++)
        w->wanted[i] = -w->wanted[i];
    answer(s, w);
    read_all(&s->loops, w->motion, w->wanted);
    for (uint32_t i = 0; i < s->loop_count; i++)
        row[i] = w->wanted[s->rows[i]];
}

static bool solve_parts(const parts *s, workspace *w, ashi_dense_factor *dense)
{
    memset(w->wanted, 0, s->tree.row_count * sizeof *w->wanted);
    if (!ashi_direct_factor(w->factor, &s->tree, NULL))
        return false;
    for (uint32_t i = 0; i < s->loop_count; i++)
        fill_row(s, w, i, dense->lower_upper + (size_t)i * s->loop_count);
    predicted(&s->tree, w->motion);
    want(&s->tree, w->motion, w->wanted);
    answer(s, w);
    want(&s->loops, w->motion, w->wanted);
    for (uint32_t i = 0; i < s->loop_count; i++)
        w->right[i] = w->wanted[s->rows[i]];
    if (s->loop_count > 0) {
        if (!ashi_dense_factor_make(dense))
            return false;
        ashi_dense_factor_solve(dense, w->right, w->solution);
    }
    for (uint32_t i = 0; i < s->loop_count; i++)
        w->impulse[s->rows[i]] = w->solution[i];
    predicted(&s->tree, w->motion);
    push_all(&s->loops, w->impulse, w->motion);
    want(&s->tree, w->motion, w->wanted);
    answer(s, w);
    return true;
}

bool ashi_rival_structured_dense(const ash_problem *p, double tolerance, double *impulse, double *operations)
{
    (void)tolerance;
    parts s;
    if (!make_parts(p, &s))
        return false;
    size_t l = s.loop_count;
    ashi_dense_factor dense = {s.loop_count, ashi_alloc_array(l * l + 1, sizeof(double)),
                               ashi_alloc_array(l + 1, sizeof(uint32_t))};
    double *numbers = ashi_alloc_array(p->row_count + 2 * l, sizeof *numbers);
    ash_motion *motions = ashi_alloc_array(2 * (size_t)p->body_count, sizeof *motions);
    workspace w = {.factor = ashi_direct_create(), .impulse = impulse};
    bool good =
        dense.lower_upper != NULL && dense.order != NULL && numbers != NULL && motions != NULL && w.factor != NULL;
    if (good) {
        w.wanted = numbers;
        w.right = numbers + p->row_count;
        w.solution = w.right + l;
        w.motion = motions;
        w.change = motions + p->body_count;
        good = solve_parts(&s, &w, &dense);
        *operations = (double)ashi_direct_operations(w.factor) + l * product_cost(p->row_count) + dense_cost(l);
    }
    ashi_direct_destroy(w.factor);
    ashi_free(motions);
    ashi_free(numbers);
    ashi_free(dense.order);
    ashi_free(dense.lower_upper);
    release_parts(&s);
    return good;
}

bool ashi_rival_structured(const ash_problem *p, double tolerance, double *impulse, double *operations)
{
    ash_problem own = {0};
    ash_solve_result result;
    ash_solver_settings settings = ash_default_solver_settings(ASH_SOLVER_STRUCTURED);
    settings.iterations = MOST_TURNS * p->row_count;
    settings.tolerance = tolerance;
    settings.warm_start = false;
    bool good = ash_problem_copy(&own, p, NULL) == ASH_OK &&
                ash_problem_solve(&own, &settings, 1, NULL, &result, NULL) == ASH_OK;
    for (uint32_t i = 0; i < p->row_count && good; i++)
        impulse[i] = own.rows[i].impulse;
    *operations = good ? (double)result.operations : 0;
    ash_problem_release(&own);
    return good;
}
