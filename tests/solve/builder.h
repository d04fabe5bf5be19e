/* Small contact problems made by hand: bodies, contacts at points, joints at points, and a solve in one call. */
#ifndef TESTS_SOLVE_BUILDER_H
#define TESTS_SOLVE_BUILDER_H

#include "check.h"

#include "base/random.h"
#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 512, MOST_BLOCKS = 2048 };

typedef struct builder {
    ashi_system problem;
    ash_vec3 place[MOST_BODIES]; /* centres, by the numbers that add_body gave */
} builder;

static inline builder *new_builder(ash_friction_law law)
{
    builder *b = calloc(1, sizeof *b);
    assert_non_null(b);
    assert_true(ashi_system_reserve(&b->problem, MOST_BODIES, MOST_BLOCKS, 6 * MOST_BLOCKS, 1));
    b->problem.h = 0.01;
    b->problem.law = law;
    b->problem.directions = 8;
    b->problem.stick_speed = 1e-9;
    return b;
}

static inline void free_builder(builder *b)
{
    ashi_system_release(&b->problem);
    free(b);
}

/* Mass 0: immovable. Inertia is that of a cube of that side; side 0 cannot turn. */
static inline uint32_t add_body(builder *b, double mass, double side, ash_vec3 place, ash_vec3 velocity)
{
    uint32_t number = b->problem.body_count++;
    assert_true(number < MOST_BODIES);
    double m = mass > 0 ? 1 / mass : 0, i = mass > 0 && side > 0 ? 6 / (mass * side * side) : 0;
    b->problem.bodies[number] = (ash_problem_body){.inverse_mass = v3(m, m, m),
                                                   .inverse_inertia = s3_diagonal(i, i, i),
                                                   .velocity = velocity,
                                                   .start_velocity = velocity};
    b->place[number] = place;
    return number;
}

static inline ashi_row row_along(const builder *b, uint32_t body_a, uint32_t body_b, ash_vec3 at, ash_vec3 axis)
{
    return (ashi_row){.linear_a = v3_neg(axis),
                      .angular_a = v3_neg(v3_cross(v3_sub(at, b->place[body_a]), axis)),
                      .linear_b = axis,
                      .angular_b = v3_cross(v3_sub(at, b->place[body_b]), axis),
                      .upper = HUGE_VAL};
}

/* The normal points from a to b. */
static inline ashi_block *add_contact(builder *b, uint32_t body_a, uint32_t body_b, ash_vec3 at, ash_vec3 normal,
                                      uint8_t tangents, double friction)
{
    ashi_system *p = &b->problem;
    ash_vec3 first = tangents == 1 ? v3(-normal.y, normal.x, 0) : v3_perpendicular(normal);
    ash_vec3 axes[3] = {normal, first, v3_cross(normal, first)};
    ashi_block *block = &p->blocks[p->block_count++];
    assert_true(p->block_count <= MOST_BLOCKS);
    *block = (ashi_block){.kind = ASHI_CONTACT_BLOCK,
                          .body_a = body_a,
                          .body_b = body_b,
                          .first_row = p->row_count,
                          .row_count = 1u + tangents,
                          .tangents = tangents,
                          .friction = friction,
                          .sliding_friction = friction,
                          .friction_limit = -1};
    for (uint32_t i = 0; i < block->row_count; i++)
        p->rows[p->row_count++] = row_along(b, body_a, body_b, at, axes[i]);
    return block;
}

/* Rolling and spinning rows for the block added last. */
static inline void add_resistance(builder *b, double rolling, double spinning)
{
    ashi_system *p = &b->problem;
    ashi_block *block = &p->blocks[p->block_count - 1];
    ash_vec3 axes[3];
    for (int i = 0; i < 3; i++)
        axes[i] = p->rows[block->first_row + (uint32_t)(i + 1) % 3].linear_b;
    for (int i = 0; i < 3; i++)
        p->rows[p->row_count++] = (ashi_row){.angular_a = v3_neg(axes[i]), .angular_b = axes[i], .upper = HUGE_VAL};
    block->row_count += 3;
    block->rollings = 2;
    block->spins = 1;
    block->rolling = rolling;
    block->spinning = spinning;
}

/* Holds two bodies together at a point: three equalities. */
static inline ashi_block *add_ball_joint(builder *b, uint32_t body_a, uint32_t body_b, ash_vec3 at)
{
    ashi_system *p = &b->problem;
    const ash_vec3 axes[3] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    ashi_block *block = &p->blocks[p->block_count++];
    *block = (ashi_block){.kind = ASHI_PLAIN_BLOCK,
                          .body_a = body_a,
                          .body_b = body_b,
                          .first_row = p->row_count,
                          .row_count = 3,
                          .friction_limit = -1};
    for (int i = 0; i < 3; i++) {
        p->rows[p->row_count] = row_along(b, body_a, body_b, at, axes[i]);
        p->rows[p->row_count++].lower = -HUGE_VAL;
    }
    return block;
}

/* The four corners of the upper face of a cube that carries another, or of the ground under it. */
static inline void add_face_contacts(builder *b, uint32_t lower, uint32_t upper, double side, double friction)
{
    ash_vec3 centre = v3_sub(b->place[upper], v3(0, 0, side / 2));
    for (int i = 0; i < 4; i++)
        add_contact(b, lower, upper, v3_add(centre, v3((i & 1 ? 0.5 : -0.5) * side, (i & 2 ? 0.5 : -0.5) * side, 0)),
                    v3(0, 0, 1), 2, friction);
}

static inline void finish(builder *b)
{
    ashi_arena *scratch = ashi_arena_create(1 << 12);
    assert_true(ashi_system_sort(&b->problem, scratch, NULL, NULL));
    ashi_arena_destroy(scratch);
}

static inline ash_solve_result solve_with(ashi_system *problem, const ash_solver_settings *settings)
{
    ash_solve_result result;
    ashi_solver_memory *memory = ashi_solver_memory_create();
    assert_non_null(memory);
    assert_true(ashi_solve_problem(problem, settings, memory, NULL, NULL, &result));
    ashi_solver_memory_destroy(memory);
    return result;
}

/* Of all bodies, before the solution or after it; their masses and inertias are the same along all axes. */
static inline double kinetic_energy(const ashi_system *p, bool solved)
{
    double sum = 0;
    for (uint32_t i = p->fixed_count; i < p->body_count; i++) {
        const ash_problem_body *body = &p->bodies[i];
        ash_vec3 v = solved ? p->velocity[i].linear : body->velocity;
        ash_vec3 w = solved ? p->velocity[i].angular : body->spin;
        sum += v3_norm2(v) / body->inverse_mass.x / 2 + v3_norm2(w) / body->inverse_inertia.xx / 2;
    }
    return sum;
}

#endif
