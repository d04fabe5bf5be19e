/* Jointed bodies for tests of the direct solver: trees, chains, stars, ladders, mechanisms with too many rows, and what
 * their impulses do. */
#ifndef TESTS_SOLVE_JOINTED_H
#define TESTS_SOLVE_JOINTED_H

#include "builder.h"

#include "solve/direct/direct.h"

static inline ash_vec3 random_vector(ashi_random *random)
{
    ash_vec3 v = {.x = ashi_random_range(random, -1, 1)};
    v.y = ashi_random_range(random, -1, 1);
    v.z = ashi_random_range(random, -1, 1);
    return v;
}

/* Dynamic, with three different moments of inertia about turned axes. */
static inline uint32_t add_random_body(builder *b, ashi_random *random)
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
static inline ashi_block *add_joint(builder *b, ashi_random *random, uint32_t body_a, uint32_t body_b, uint32_t points,
                                    uint32_t turns)
{
    ash_vec3 at = v3_scale(v3_add(v3_add(b->place[body_a], b->place[body_b]), random_vector(random)), 0.5);
    ashi_block *block = add_ball_joint(b, body_a, body_b, at);
    ashi_system *p = &b->problem;
    p->row_count = block->first_row + points;
    ash_vec3 first = v3_unit(random_vector(random)), second = v3_perpendicular(first);
    const ash_vec3 axes[3] = {first, second, v3_cross(first, second)};
    for (uint32_t i = 0; i < turns; i++) {
        ash_vec3 axis = axes[i];
        p->rows[p->row_count++] =
            (ashi_row){.angular_a = v3_neg(axis), .angular_b = axis, .lower = -HUGE_VAL, .upper = HUGE_VAL};
    }
    block->row_count = points + turns;
    return block;
}

static inline void add_any_joint(builder *b, ashi_random *random, uint32_t body_a, uint32_t body_b)
{
    uint32_t points = (uint32_t)ashi_random_below(random, 4), turns = (uint32_t)ashi_random_below(random, 4);
    add_joint(b, random, body_a, body_b, points + turns == 0 ? 3 : points, turns);
}

enum shape { TREE, CHAIN, STAR, LADDER, HUNG_CHAIN, GRID, SHAPES };

static inline uint32_t parent_of(enum shape shape, ashi_random *random, uint32_t i)
{
    switch (shape) {
    case TREE:
        return (uint32_t)ashi_random_below(random, i);
    case STAR:
        return i == 1 ? 0 : 1;
    case LADDER:
        return i < 3 ? 0 : i - 2;
    case GRID:
        return i < 8 ? i - 1 : i - 7;
    default:
        return i - 1;
    }
}

/* Body 0 is immovable. Ladders and grids have ball joints and single rows only: with more their loops would be
 * over-determined. */
static inline builder *make(enum shape shape, uint32_t bodies, bool grounded, uint64_t seed)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    ashi_random random = {seed};
    add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    for (uint32_t i = 1; i < bodies; i++) {
        uint32_t body = add_random_body(b, &random), parent = parent_of(shape, &random, i);
        if (parent == 0 && !grounded && i > 1)
            parent = 1;
        if (parent > 0 || grounded) {
            if (shape == LADDER || shape == HUNG_CHAIN || shape == GRID)
                add_joint(b, &random, parent, body, 3, 0);
            else
                add_any_joint(b, &random, parent, body);
        }
        if ((shape == LADDER && i % 6 == 0) || (shape == GRID && i > 8 && i % 7 != 0))
            add_joint(b, &random, i - 1, body, 1, 0);
    }
    if (shape == HUNG_CHAIN)
        add_joint(b, &random, 0, bodies - 1, 3, 0);
    return b;
}

static inline void add_hinge(builder *b, uint32_t body_a, uint32_t body_b, ash_vec3 at, ash_vec3 axis)
{
    ashi_block *block = add_ball_joint(b, body_a, body_b, at);
    ash_vec3 first = v3_perpendicular(axis), axes[2] = {first, v3_cross(axis, first)};
    for (int i = 0; i < 2; i++)
        b->problem.rows[b->problem.row_count++] =
            (ashi_row){.angular_a = v3_neg(axes[i]), .angular_b = axes[i], .lower = -HUGE_VAL, .upper = HUGE_VAL};
    block->row_count = 5;
}

/* `links` parallel bars of a parallelogram that hang on the ground and carry one beam. */
static inline builder *parallelogram(uint32_t links, bool planar_joints)
{
    builder *b = new_builder(ASH_FRICTION_CONE);
    uint32_t ground = add_body(b, 0, 0, v3(0, 0, 0), v3(0, 0, 0));
    uint32_t beam = add_body(b, 5, 1, v3(1, 0.5, 1), v3(0, 0, 0));
    for (uint32_t i = 0; i < links; i++) {
        uint32_t bar = add_body(b, 1 + i, 1, v3(i + 0.25, 0, 0.5), v3(0, 0, 0));
        ash_vec3 axis = planar_joints ? v3(0, 1, 0) : v3_unit(v3(0.1 * i, 1, 0.2));
        add_hinge(b, ground, bar, v3(i, 0, 0), axis);
        add_hinge(b, bar, beam, v3(i + 0.5, 0, 1), axis);
    }
    return b;
}

/* ---- what impulses do ---- */

/* J M^-1 J^T + softness of two rows of any blocks. */
static inline double response(const ashi_system *p, uint32_t i, uint32_t k, const uint32_t *block_of)
{
    const ashi_block *one = &p->blocks[block_of[i]], *two = &p->blocks[block_of[k]];
    const ashi_row *r = &p->rows[i], *s = &p->rows[k];
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

static inline double largest(const double *x, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

static inline double *random_numbers(uint32_t n, uint64_t seed)
{
    ashi_random random = {seed};
    double *x = calloc(n + 1, sizeof *x);
    assert_non_null(x);
    for (uint32_t i = 0; i < n; i++)
        x[i] = ashi_random_range(&random, -1, 1);
    return x;
}

static inline void assert_motions_near(const ashi_system *p, const ash_motion *change, const double *impulse,
                                       double tolerance)
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

#endif
