/* The problem of a step (system_types.h): its memory, its islands, and the arithmetic of rows. */
#ifndef ASHI_PROBLEM_SYSTEM_H
#define ASHI_PROBLEM_SYSTEM_H

#include "base/arena.h"
#include "math/mat3.h"
#include "problem/system_types.h"

/* A zeroed problem is empty. */
void ashi_system_release(ashi_system *problem);
/* Reserves capacity; counts do not change. False when there is no memory. */
bool ashi_system_reserve(ashi_system *problem, uint32_t bodies, uint32_t blocks, uint32_t rows, uint32_t islands);
bool ashi_system_reserve_contacts(ashi_system *problem, uint32_t contacts, uint32_t points, uint32_t turns);
/* Removes all bodies, blocks, rows and islands; memory is kept. */
void ashi_system_clear(ashi_system *problem);
bool ashi_system_copy(ashi_system *to, const ashi_system *from);

/* Finds the islands of a problem whose bodies and blocks are in any order, and puts both in the order of islands
 * (immovable first; an island's place by its first body; inside, the given order). `body_place` receives, if not null,
 * each body's new number, `block_place` each block's. False when scratch memory ran out: nothing has changed then. */
bool ashi_system_sort(ashi_system *problem, ashi_arena *scratch, uint32_t *body_place, uint32_t *block_place);

/* A link between two bodies, by number. */
typedef struct ashi_link {
    uint32_t a, b;
} ashi_link;

typedef struct ashi_links {
    uint32_t body_count, count;
    const bool *fixed;     /* by body: immovable */
    const ashi_link *link; /* in any order */
} ashi_links;

/* The same for links alone: finds the places of bodies and links, and sets the problem's islands, its number of
 * immovable bodies and nothing else; blocks of islands are links. The problem must have room for the bodies. */
bool ashi_links_sort(const ashi_links *links, ashi_arena *scratch, ashi_system *problem, uint32_t *body_place,
                     uint32_t *link_place);

/* The whole problem as if it were one island. */
static inline ash_problem_island ashi_system_whole(const ashi_system *p)
{
    return (ash_problem_island){.body_count = p->body_count,
                                .block_count = p->block_count,
                                .contact_count = p->contact_count,
                                .point_count = p->point_count};
}

/* The number of blocks of an island, with each point as one. */
static inline uint32_t ashi_island_blocks(const ashi_system *p, const ash_problem_island *island)
{
    return island->block_count + (p->expanded ? 0 : island->point_count);
}

/* Problems are filled island by island: everything added between these calls belongs to that island. */
static inline void ashi_island_begins(ashi_system *p, uint32_t number)
{
    ash_problem_island *island = &p->islands[number];
    island->first_block = p->block_count;
    island->first_contact = p->contact_count;
    island->first_point = p->point_count;
}

static inline void ashi_island_ends(ashi_system *p, uint32_t number)
{
    ash_problem_island *island = &p->islands[number];
    island->block_count = p->block_count - island->first_block;
    island->contact_count = p->contact_count - island->first_contact;
    island->point_count = p->point_count - island->first_point;
}

static inline bool ashi_body_is_fixed(const ash_problem_body *body)
{
    const ash_vec3 *m = &body->inverse_mass;
    const ash_sym3 *i = &body->inverse_inertia;
    return m->x == 0 && m->y == 0 && m->z == 0 && i->xx == 0 && i->yy == 0 && i->zz == 0;
}

/* J v of a row. */
static inline double ashi_row_speed(const ashi_row *row, const ash_motion *a, const ash_motion *b)
{
    return v3_dot(row->linear_a, a->linear) + v3_dot(row->angular_a, a->angular) + v3_dot(row->linear_b, b->linear) +
           v3_dot(row->angular_b, b->angular);
}

/* M^-1 J^T lambda of one body's half of a row. */
static inline void ashi_body_push(const ash_problem_body *body, ash_motion *motion, ash_vec3 linear, ash_vec3 angular,
                                  double impulse)
{
    motion->linear = v3_add_scaled(motion->linear, v3_mul(body->inverse_mass, linear), impulse);
    motion->angular = v3_add_scaled(motion->angular, s3_apply(body->inverse_inertia, angular), impulse);
}

/* Applies a row's impulse to the velocities (or to any motions by body). Immovable bodies, which islands share, are not
 * written to: islands are solved by different threads. */
static inline void ashi_row_push(const ashi_system *problem, const ashi_block *block, const ashi_row *row,
                                 double impulse, ash_motion *motion)
{
    uint32_t a = block->body_a, b = block->body_b;
    if (a >= problem->fixed_count)
        ashi_body_push(&problem->bodies[a], &motion[a], row->linear_a, row->angular_a, impulse);
    if (b >= problem->fixed_count)
        ashi_body_push(&problem->bodies[b], &motion[b], row->linear_b, row->angular_b, impulse);
}

/* J_i M^-1 J_k^T of two rows of one block, softness not included. */
static inline double ashi_row_response(const ashi_system *problem, const ashi_block *block, const ashi_row *row,
                                       const ashi_row *other)
{
    const ash_problem_body *a = &problem->bodies[block->body_a], *b = &problem->bodies[block->body_b];
    return v3_dot(row->linear_a, v3_mul(a->inverse_mass, other->linear_a)) +
           v3_dot(row->angular_a, s3_apply(a->inverse_inertia, other->angular_a)) +
           v3_dot(row->linear_b, v3_mul(b->inverse_mass, other->linear_b)) +
           v3_dot(row->angular_b, s3_apply(b->inverse_inertia, other->angular_b));
}

/* velocity = v* + M^-1 J^T lambda, from the impulses in the rows, for an island (null: the whole problem). */
void ashi_system_velocities(ashi_system *problem, const ash_problem_island *island);

#endif
