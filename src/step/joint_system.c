/* Setting up the joints' system, and what is asked of it; solving it is in joint_solve.c.
 *
 * A system is made anew when bodies have moved, joints came or went, or bodies fell asleep; the symbolic part of its
 * factors lasts while the graph is the same. It serves the velocity correction at the end of a step and the joint
 * correction at the start of the next (Bender & Schmitt 2006, 4.5). */
#include "step/joint_system.h"

#include "problem/assemble.h"

#include <math.h>
#include <string.h>

#define GIVES_WAY 1e9 /* times its own response: the softness of a row that bears nothing to speak of */

void ashi_joint_system_release(ashi_joint_system *s)
{
    ashi_problem_release(&s->problem);
    ashi_array_release(&s->places);
    ashi_array_release(&s->slots);
    ashi_array_release(&s->cut);
    ashi_array_release(&s->parents);
    ashi_array_release(&s->inverses);
    ashi_array_release(&s->numbers);
    ashi_array_release(&s->motions);
    ashi_direct_destroy(s->tree_factor);
    ashi_direct_destroy(s->loop_factor);
    *s = (ashi_joint_system){0};
}

/* ---- place ---- */

/* Whether the same joints act between the same bodies. */
static bool is_same_graph(const ashi_joint_system *s, const ashi_model *model)
{
    const ashi_bodies *b = &model->bodies;
    if (!s->numbered || s->revision != model->joints.revision || s->asleep != b->asleep_count)
        return false;
    for (uint32_t i = 0; i < s->problem.body_count; i++)
        if (s->places.data[i].motion != b->motion[s->places.data[i].slot])
            return false;
    return true;
}

/* Rows on paths depend on where these were met last, too, which is known better after a step. */
static bool is_there(const ashi_joint_system *s, const ashi_model *model, const ashi_state *state)
{
    if (!s->made)
        return false;
    for (uint32_t k = 0; k < s->problem.block_count; k++)
        if (model->joints.entries.data[ashi_block_joint(&s->problem.blocks[k])].kind == ASH_JOINT_PATH)
            return false;
    for (uint32_t i = 0; i < s->problem.body_count; i++) {
        const ashi_joint_place *place = &s->places.data[i];
        if (memcmp(&place->position, &state->position[place->slot], sizeof place->position) != 0 ||
            memcmp(&place->rotation, &state->rotation[place->slot], sizeof place->rotation) != 0)
            return false;
    }
    return true;
}

/* Rows that are springs bear nothing here. */
static void let_springs_go(ash_problem *p)
{
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            if (p->rows[i].softness > 0)
                p->rows[i].softness = GIVES_WAY * ashi_row_response(p, block, &p->rows[i], &p->rows[i]);
    }
}

static bool note_places(ashi_joint_system *s, const ashi_model *model, const ashi_state *state)
{
    const ash_problem *p = &s->problem;
    if (!ashi_array_reserve(&s->places, p->body_count) || !ashi_array_reserve(&s->slots, p->body_count))
        return false;
    s->slots.count = 0;
    for (uint32_t i = 0; i < p->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&model->bodies.pool, p->bodies[i].label);
        s->places.data[i] =
            (ashi_joint_place){state->position[slot], state->rotation[slot], slot, model->bodies.motion[slot]};
        if (i >= p->fixed_count)
            s->slots.data[s->slots.count++] = slot;
    }
    return true;
}

static void clear_impulses(ash_problem *p)
{
    for (uint32_t i = 0; i < p->row_count; i++)
        p->rows[i].impulse = 0;
}

bool ashi_joint_system_place(ashi_joint_system *s, const ashi_model *model, const ashi_state *state, double time,
                             ashi_arena *scratch)
{
    bool known = is_same_graph(s, model);
    s->made = known && is_there(s, model, state);
    if (!s->made) {
        s->factored = s->inverted = s->numbered = false;
        known = known && ashi_reassemble_joints(model, state, time, &s->problem);
        if ((!known && !ashi_assemble_joints(model, state, time, scratch, &s->problem)) ||
            !note_places(s, model, state))
            return false;
        let_springs_go(&s->problem);
        s->revision = model->joints.revision;
        s->asleep = model->bodies.asleep_count;
        s->made = s->numbered = true;
    }
    clear_impulses(&s->problem);
    return true;
}

/* ---- factors ---- */

/* Immovable bodies are one: the ground. */
static uint32_t find_root(uint32_t *parent, const ash_problem *p, uint32_t body)
{
    uint32_t i = body < p->fixed_count ? 0 : body;
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Parts the blocks: those of a spanning forest, and those that close loops in it. */
static bool cut_loops(ashi_joint_system *s)
{
    const ash_problem *p = &s->problem;
    if (!ashi_array_reserve(&s->parents, p->body_count) || !ashi_array_reserve(&s->cut, p->block_count))
        return false;
    uint32_t *parent = s->parents.data;
    for (uint32_t i = 0; i < p->body_count; i++)
        parent[i] = i;
    uint32_t kept = 0, marked = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        uint32_t a = find_root(parent, p, p->blocks[k].body_a), b = find_root(parent, p, p->blocks[k].body_b);
        s->cut.data[a != b ? kept++ : p->block_count - ++marked] = p->blocks[k];
        parent[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t i = 0; i < marked / 2; i++) { /* into the order of blocks again */
        ash_problem_block *first = &s->cut.data[kept + i], *last = &s->cut.data[p->block_count - 1 - i];
        ash_problem_block block = *first;
        *first = *last;
        *last = block;
    }
    s->tree = s->loops = *p;
    s->tree.blocks = s->cut.data;
    s->tree.block_count = kept;
    s->loops.blocks = p->block_count > 0 ? &s->cut.data[kept] : NULL;
    s->loops.block_count = p->block_count - kept;
    return true;
}

static bool make_factor(ashi_direct **factor, const ash_problem *p)
{
    if (*factor == NULL)
        *factor = ashi_direct_create();
    return *factor != NULL && ashi_direct_factor(*factor, p, NULL);
}

bool ashi_joint_system_factor(ashi_joint_system *s, bool cuts_loops)
{
    const ash_problem *p = &s->problem;
    if (s->factored && s->cuts_loops == cuts_loops)
        return true;
    s->cuts_loops = cuts_loops;
    s->factored =
        (!cuts_loops || cut_loops(s)) && ashi_array_reserve(&s->numbers, 6 * (uint64_t)p->row_count) &&
        ashi_array_reserve(&s->motions, 4 * (uint64_t)p->body_count) &&
        make_factor(&s->tree_factor, cuts_loops ? &s->tree : p) &&
        (!cuts_loops || s->structured || s->loops.block_count == 0 || make_factor(&s->loop_factor, &s->loops));
    return s->factored;
}

/* ---- errors and rates ---- */

double ashi_joint_system_errors(ashi_joint_system *s, const ashi_model *model, const ashi_state *state, double time)
{
    const ash_problem *p = &s->problem;
    double largest = 0; /* square of a joint, all its rows together */
    ashi_joint_errors(model, state, time, &s->problem);
    for (uint32_t k = 0; k < p->block_count; k++) {
        double square = 0;
        for (uint32_t i = p->blocks[k].first_row; i < p->blocks[k].first_row + p->blocks[k].row_count; i++)
            square += ashi_joint_row_is_rigid(&p->rows[i]) ? p->rows[i].error * p->rows[i].error : 0;
        largest = square > largest || !(square - square == 0) ? square : largest;
    }
    return sqrt(largest);
}

double ashi_joint_system_rate(const ashi_joint_system *s, const ash_problem_block *block, const ash_problem_row *row,
                              const ashi_state *state)
{
    uint32_t a = s->places.data[block->body_a].slot, b = s->places.data[block->body_b].slot;
    return v3_dot(row->linear_a, state->velocity[a]) + v3_dot(row->angular_a, state->spin[a]) +
           v3_dot(row->linear_b, state->velocity[b]) + v3_dot(row->angular_b, state->spin[b]) + row->bias;
}

void ashi_joint_system_rates(const ashi_joint_system *s, const ashi_state *state, double *rates)
{
    const ash_problem *p = &s->problem;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ash_problem_block *block = &p->blocks[k];
        uint32_t a = s->places.data[block->body_a].slot, b = s->places.data[block->body_b].slot;
        ash_motion of_a = {state->velocity[a], state->spin[a]}, of_b = {state->velocity[b], state->spin[b]};
        for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++)
            rates[i] = ashi_row_speed(&p->rows[i], &of_a, &of_b) + p->rows[i].bias;
    }
}
