/* First impulses of a pile that has none: statics by layers.
 *
 * A body's layer is its least number of contacts away from an immovable body. From the top layer down, what a body
 * bears (its own forces and what lies on it) is shared equally among the closed contacts with lower layers, each
 * taking the part along its normal. Exact for a single stack; elsewhere a guess that saves a pile from sagging while
 * sweeps carry its weight to the ground one layer at a time: 25 cubes would take a second. */
#include "solve/soft_step.h"

#define NO_LAYER UINT32_MAX

typedef struct loading {
    ash_problem *problem;
    const ash_problem_island *island;
    uint32_t *layer;    /* by body of the island */
    uint32_t *supports; /* by body: closed contacts with lower layers */
    ash_vec3 *load;     /* by body: impulse of the step, N s */
    uint32_t *order;    /* blocks, lowest upper body first */
    uint32_t *first;    /* by layer: where its blocks begin in `order` */
    uint32_t layers;
} loading;

static uint32_t layer_of(const loading *l, uint32_t body)
{
    return body < l->problem->fixed_count ? 0 : l->layer[body - l->island->first_body];
}

static bool lower_layer(loading *l, uint32_t body, uint32_t other_layer)
{
    if (body < l->problem->fixed_count || other_layer == NO_LAYER)
        return false;
    uint32_t *layer = &l->layer[body - l->island->first_body];
    if (*layer <= other_layer + 1)
        return false;
    *layer = other_layer + 1;
    return true;
}

static double gained_speed(const ash_problem_body *body)
{
    return v3_distance(body->velocity, body->start_velocity);
}

/* Closed within what the forces can move the bodies by in the step. */
static bool is_closed_contact(const ash_problem *p, const ash_problem_block *block)
{
    if (block->kind != ASH_BLOCK_CONTACT)
        return false;
    double reach = p->h * (gained_speed(&p->bodies[block->body_a]) + gained_speed(&p->bodies[block->body_b]));
    return p->rows[block->first_row].error <= reach;
}

/* Sweeps up and down over the blocks until no layer changes: few, since blocks mostly lie in the order of bodies. */
static void find_layers(loading *l)
{
    const ash_problem_island *island = l->island;
    for (uint32_t i = 0; i < island->body_count; i++)
        l->layer[i] = NO_LAYER;
    bool changed = true;
    for (uint32_t sweep = 0; changed; sweep++) {
        changed = false;
        for (uint32_t i = 0; i < island->block_count; i++) {
            uint32_t k = island->first_block + (sweep & 1 ? island->block_count - 1 - i : i);
            const ash_problem_block *block = &l->problem->blocks[k];
            if (!is_closed_contact(l->problem, block))
                continue;
            bool a = lower_layer(l, block->body_a, layer_of(l, block->body_b));
            bool b = lower_layer(l, block->body_b, layer_of(l, block->body_a));
            changed = changed || a || b;
        }
    }
    l->layers = 0;
    for (uint32_t i = 0; i < island->body_count; i++)
        if (l->layer[i] != NO_LAYER && l->layer[i] > l->layers)
            l->layers = l->layer[i];
}

/* The layer of a contact's upper body, or 0 when it bears nothing: open, or between bodies of one layer. */
static uint32_t upper_layer(const loading *l, const ash_problem_block *block)
{
    uint32_t a = layer_of(l, block->body_a), b = layer_of(l, block->body_b);
    if (!is_closed_contact(l->problem, block) || a == b || a == NO_LAYER || b == NO_LAYER)
        return 0;
    return a > b ? a : b;
}

static void sort_blocks(loading *l)
{
    const ash_problem_island *island = l->island;
    for (uint32_t i = 0; i <= l->layers + 1; i++)
        l->first[i] = 0;
    for (uint32_t i = 0; i < island->block_count; i++)
        l->first[upper_layer(l, &l->problem->blocks[island->first_block + i]) + 1]++;
    for (uint32_t i = 1; i <= l->layers + 1; i++)
        l->first[i] += l->first[i - 1];
    for (uint32_t i = 0; i < island->block_count; i++) {
        uint32_t k = island->first_block + i;
        l->order[l->first[upper_layer(l, &l->problem->blocks[k])]++] = k;
    }
}

static double by_axis(double change, double inverse_mass)
{
    return inverse_mass > 0 ? change / inverse_mass : 0;
}

static void weigh_bodies(loading *l)
{
    for (uint32_t i = 0; i < l->island->body_count; i++) {
        const ash_problem_body *body = &l->problem->bodies[l->island->first_body + i];
        ash_vec3 change = v3_sub(body->velocity, body->start_velocity), m = body->inverse_mass;
        l->load[i] = v3(by_axis(change.x, m.x), by_axis(change.y, m.y), by_axis(change.z, m.z));
        l->supports[i] = 0;
    }
    for (uint32_t i = 0; i < l->island->block_count; i++) {
        const ash_problem_block *block = &l->problem->blocks[l->island->first_block + i];
        if (upper_layer(l, block) > 0) {
            bool a_above = layer_of(l, block->body_a) > layer_of(l, block->body_b);
            l->supports[(a_above ? block->body_a : block->body_b) - l->island->first_body]++;
        }
    }
}

static void pass_load_on(loading *l, ash_problem_block *block)
{
    bool a_above = layer_of(l, block->body_a) > layer_of(l, block->body_b);
    uint32_t upper = (a_above ? block->body_a : block->body_b) - l->island->first_body;
    uint32_t lower = a_above ? block->body_b : block->body_a;
    ash_problem_row *row = &l->problem->rows[block->first_row];
    ash_vec3 lift = a_above ? row->linear_a : row->linear_b; /* direction of the impulse on the upper body */
    double borne = -v3_dot(lift, l->load[upper]) / l->supports[upper];
    if (!(borne > 0))
        return;
    row->impulse = borne;
    if (lower >= l->problem->fixed_count)
        l->load[lower - l->island->first_body] = v3_add_scaled(l->load[lower - l->island->first_body], lift, -borne);
}

bool ashi_soft_step_load(ash_problem *problem, const ash_problem_island *island, ashi_arena *scratch)
{
    loading l = {.problem = problem, .island = island};
    uint32_t bodies = island->body_count;
    l.layer = ashi_arena_take_array(scratch, bodies, sizeof *l.layer);
    l.supports = ashi_arena_take_array(scratch, bodies, sizeof *l.supports);
    l.load = ashi_arena_take_array(scratch, bodies, sizeof *l.load);
    l.order = ashi_arena_take_array(scratch, island->block_count, sizeof *l.order);
    l.first = ashi_arena_take_array(scratch, (size_t)bodies + 2, sizeof *l.first);
    if (l.layer == NULL || l.supports == NULL || l.load == NULL || l.order == NULL || l.first == NULL)
        return false;
    find_layers(&l);
    sort_blocks(&l);
    weigh_bodies(&l);
    for (uint32_t i = island->block_count; i > 0; i--) {
        ash_problem_block *block = &problem->blocks[l.order[i - 1]];
        if (upper_layer(&l, block) > 0)
            pass_load_on(&l, block);
    }
    return true;
}
