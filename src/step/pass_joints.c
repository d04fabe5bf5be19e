/* A visit of a joint's block: held rows are solved together, x += A^-1 -(J v + bias + softness x); a bounded row by
 * itself, and clamped. Impulses of a row add up over the passes. */
#include "step/pass_joints.h"

#include "math/semidefinite.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-10 /* of a row's response: a smaller rest depends on the earlier rows */

static uint32_t slot_of(const ashi_step *step, uint32_t body)
{
    return ashi_pool_slot_of(&step->model->bodies.pool, step->problem->bodies[body].label);
}

static uint32_t layer_of(const ashi_step *step, const ashi_contact_graph *graph, const ashi_block *block)
{
    return ashi_contact_graph_layer(graph, slot_of(step, block->body_a), slot_of(step, block->body_b));
}

bool ashi_pass_joints_begin(ashi_pass_joints *joints, ashi_foresight *f, const ashi_contact_graph *graph)
{
    ashi_step *step = f->step;
    const ashi_system *p = step->problem;
    uint32_t layers = graph->layer_count;
    joints->blocks = ashi_arena_take_array(step->scratch, p->block_count, sizeof *joints->blocks);
    joints->first = ashi_arena_take_array(step->scratch, layers + 2, sizeof *joints->first);
    if (joints->blocks == NULL || joints->first == NULL)
        return false;
    memset(joints->first, 0, (layers + 2) * sizeof *joints->first);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (block->kind != ASHI_PLAIN_BLOCK)
            continue;
        joints->first[layer_of(step, graph, block) + 2]++;
        f->bodies[slot_of(step, block->body_a)].joined = f->bodies[slot_of(step, block->body_b)].joined = true;
    }
    for (uint32_t i = 2; i < layers + 2; i++)
        joints->first[i] += joints->first[i - 1];
    for (uint32_t k = 0; k < p->block_count; k++)
        if (p->blocks[k].kind == ASHI_PLAIN_BLOCK)
            joints->blocks[joints->first[layer_of(step, graph, &p->blocks[k]) + 1]++] = k;
    return true;
}

/* The effect of a block's rows on its two bodies. */
typedef struct block_view {
    ashi_foresight *f;
    uint32_t a, b; /* slots */
    const ashi_block *block;
    ashi_row *rows;
} block_view;

static double half_response(const ashi_foreseen_body *body, ash_vec3 linear, ash_vec3 angular, ash_vec3 other_linear,
                            ash_vec3 other_angular)
{
    return body->held ? 0
                      : v3_dot(linear, v3_mul(body->inverse_mass, other_linear)) +
                            v3_dot(angular, s3_apply(body->inverse_inertia, other_angular));
}

static double response(const block_view *v, uint32_t i, uint32_t k)
{
    const ashi_row *row = &v->rows[i], *other = &v->rows[k];
    return half_response(&v->f->bodies[v->a], row->linear_a, row->angular_a, other->linear_a, other->angular_a) +
           half_response(&v->f->bodies[v->b], row->linear_b, row->angular_b, other->linear_b, other->angular_b) +
           (i == k ? row->softness : 0);
}

/* The speed that the row requires to be zero. */
static double speed(const block_view *v, uint32_t i)
{
    const ashi_row *row = &v->rows[i];
    const ashi_state *s = &v->f->state;
    ash_motion a = {s->velocity[v->a], s->spin[v->a]}, b = {s->velocity[v->b], s->spin[v->b]};
    return ashi_row_speed(row, &a, &b) + row->bias + row->softness * row->impulse;
}

static void add_impulse(const block_view *v, uint32_t i, double change)
{
    ashi_row *row = &v->rows[i];
    if (change == 0)
        return;
    v->f->impulses++;
    row->impulse += change;
    ashi_foresight_push(v->f, v->a, v3_scale(row->linear_a, change), v3_scale(row->angular_a, change));
    ashi_foresight_push(v->f, v->b, v3_scale(row->linear_b, change), v3_scale(row->angular_b, change));
}

static void solve_held(const block_view *v)
{
    uint32_t count = v->block->row_count;
    double a[ASHI_SEMIDEFINITE_MOST][ASHI_SEMIDEFINITE_MOST], wanted[ASHI_SEMIDEFINITE_MOST];
    double change[ASHI_SEMIDEFINITE_MOST];
    for (uint32_t i = 0; i < count; i++) {
        wanted[i] = -speed(v, i);
        for (uint32_t k = i; k < count; k++)
            a[i][k] = response(v, i, k);
    }
    ashi_semidefinite_solve(count, a, wanted, DEPENDENT, change);
    for (uint32_t i = 0; i < count; i++)
        add_impulse(v, i, change[i]);
}

static void solve_row(const block_view *v, uint32_t i)
{
    const ashi_row *row = &v->rows[i];
    double own = response(v, i, i);
    if (own > 0)
        add_impulse(v, i, fmax(row->lower, fmin(row->upper, row->impulse - speed(v, i) / own)) - row->impulse);
}

static bool is_held(const block_view *v)
{
    for (uint32_t i = 0; i < v->block->row_count; i++)
        if (isfinite(v->rows[i].lower) || isfinite(v->rows[i].upper))
            return false;
    return v->block->row_count <= ASHI_SEMIDEFINITE_MOST;
}

void ashi_pass_joints_visit(ashi_pass_joints *joints, ashi_foresight *f, uint32_t layer)
{
    const ashi_step *step = f->step;
    const ashi_system *p = step->problem;
    for (uint32_t n = joints->first[layer]; n < joints->first[layer + 1]; n++) {
        const ashi_block *block = &p->blocks[joints->blocks[n]];
        block_view v = {f, slot_of(step, block->body_a), slot_of(step, block->body_b), block,
                        &p->rows[block->first_row]};
        if (is_held(&v))
            solve_held(&v);
        for (uint32_t i = 0; i < block->row_count && !is_held(&v); i++)
            solve_row(&v, i);
    }
}
