/* Setting up the joints' system, and what is asked of it; solving it is in joint_solve.c.
 *
 * A system is rebuilt when bodies have moved, joints came or went, or bodies fell asleep; the symbolic part of its
 * factors lasts while the graph is the same. It serves the velocity correction at the end of a step and the joint
 * correction at the start of the next (Bender & Schmitt 2006, 4.5). */
#include "step/joints/joint_system.h"

#include "base/groups.h"
#include "model/joint_class.h"
#include "problem/assemble.h"

#include <math.h>
#include <string.h>

#define GIVES_WAY 1e9 /* times its own response: the softness of a row that carries practically no load */

void ashi_joint_system_release(ashi_joint_system *s)
{
    ashi_system_release(&s->problem);
    ashi_array_release(&s->places);
    ashi_array_release(&s->slots);
    ashi_array_release(&s->links);
    ashi_array_release(&s->jacobian);
    ashi_array_release(&s->impulse);
    ashi_array_release(&s->error);
    ashi_array_release(&s->bias);
    ashi_array_release(&s->rigid);
    ashi_array_release(&s->cut);
    ashi_array_release(&s->parents);
    ashi_array_release(&s->inverses);
    ashi_array_release(&s->matrix_room);
    ashi_array_release(&s->matrix_rows);
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
static bool is_there(const ashi_joint_system *s, const ashi_state *state)
{
    if (!s->made || s->on_paths)
        return false;
    for (uint32_t i = 0; i < s->problem.body_count; i++) {
        const ashi_joint_body *place = &s->places.data[i];
        if (memcmp(&place->position, &state->position[place->slot], sizeof place->position) != 0 ||
            memcmp(&place->rotation, &state->rotation[place->slot], sizeof place->rotation) != 0)
            return false;
    }
    return true;
}

/* What is kept of a block's rows; those that are springs carry nothing here. */
static void note_rows(ashi_joint_system *s, const ashi_block *block)
{
    const ashi_system *p = &s->problem;
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
        ashi_row *row = &p->rows[i];
        s->jacobian.data[i] = (ashi_joint_jacobian){row->linear_a, row->angular_a, row->linear_b, row->angular_b};
        s->rigid.data[i] = row->softness == 0;
        s->bias.data[i] = row->bias;
        s->error.data[i] = row->error;
        if (!s->rigid.data[i])
            row->softness = GIVES_WAY * ashi_row_response(p, block, row, row);
    }
}

/* What is known of a block as long as the graph is the same. */
static bool note_links(ashi_joint_system *s, const ashi_model *model)
{
    const ashi_system *p = &s->problem;
    if (!ashi_array_reserve(&s->links, p->block_count))
        return false;
    s->on_paths = false;
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        s->links.data[k] = (ashi_joint_link){s->places.data[block->body_a].slot, s->places.data[block->body_b].slot,
                                             block->first_row, block->row_count, ashi_block_joint(block)};
        const ashi_joint_entry *joint = &model->joints.entries.data[ashi_block_joint(block)];
        s->on_paths = s->on_paths || ashi_joint_class_of(joint->kind)->has_path;
    }
    s->links.count = p->block_count;
    return true;
}

static bool note_places(ashi_joint_system *s, const ashi_model *model, const ashi_state *state)
{
    const ashi_system *p = &s->problem;
    if (!ashi_array_reserve(&s->places, p->body_count) || !ashi_array_reserve(&s->slots, p->body_count))
        return false;
    s->slots.count = 0;
    for (uint32_t i = 0; i < p->body_count; i++) {
        uint32_t slot = ashi_pool_slot_of(&model->bodies.pool, p->bodies[i].label);
        s->places.data[i] =
            (ashi_joint_body){state->position[slot], state->rotation[slot], slot, model->bodies.motion[slot]};
        if (i >= p->fixed_count)
            s->slots.data[s->slots.count++] = slot;
    }
    return true;
}

/* Anew, whatever it was before. False when memory ran out. */
static bool make(ashi_joint_system *s, const ashi_model *model, const ashi_state *state, double time,
                 ashi_arena *scratch)
{
    ashi_system *p = &s->problem;
    if (!ashi_assemble_joints(model, state, time, scratch, p) || !note_places(s, model, state) ||
        !note_links(s, model) || !ashi_array_reserve(&s->jacobian, p->row_count) ||
        !ashi_array_reserve(&s->impulse, p->row_count) || !ashi_array_reserve(&s->error, p->row_count) ||
        !ashi_array_reserve(&s->bias, p->row_count) || !ashi_array_reserve(&s->rigid, p->row_count))
        return false;
    for (uint32_t k = 0; k < p->block_count; k++)
        note_rows(s, &p->blocks[k]);
    return true;
}

/* At another state, with the same bodies and rows. False when a joint has others. */
static bool move(ashi_joint_system *s, const ashi_model *model, const ashi_state *state, double time)
{
    ashi_system *p = &s->problem;
    ashi_reassemble_bodies(model, state, p);
    for (uint32_t k = 0; k < p->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        if (!ashi_reassemble_joint(model, state, time, block, &p->rows[block->first_row]))
            return false;
        note_rows(s, block);
    }
    return note_places(s, model, state);
}

bool ashi_joint_system_set_up(ashi_joint_system *s, const ashi_model *model, const ashi_state *state, double time,
                              ashi_arena *scratch)
{
    bool known = is_same_graph(s, model);
    s->made = known && is_there(s, state);
    if (!s->made) {
        s->factored = s->inverted = s->numbered = false;
        known = known && move(s, model, state, time);
        s->fitted = s->fitted && known;
        if (!known && !make(s, model, state, time, scratch))
            return false;
        s->revision = model->joints.revision;
        s->asleep = model->bodies.asleep_count;
        s->made = s->numbered = true;
    }
    for (uint32_t i = 0; i < s->problem.row_count; i++)
        s->impulse.data[i] = 0;
    return true;
}

/* ---- factors ---- */

/* Immovable bodies are one: the ground. */
static uint32_t movable(const ashi_system *p, uint32_t body)
{
    return body < p->fixed_count ? 0 : body;
}

/* Parts the blocks: those of a spanning forest, and those that close loops in it. */
static bool cut_loops(ashi_joint_system *s)
{
    const ashi_system *p = &s->problem;
    if (!ashi_array_reserve(&s->parents, p->body_count) || !ashi_array_reserve(&s->cut, p->block_count))
        return false;
    uint32_t *parent = s->parents.data;
    ashi_groups_begin(parent, p->body_count);
    uint32_t kept = 0, marked = 0;
    for (uint32_t k = 0; k < p->block_count; k++) {
        bool joins = ashi_groups_join(parent, movable(p, p->blocks[k].body_a), movable(p, p->blocks[k].body_b));
        s->cut.data[joins ? kept++ : p->block_count - ++marked] = p->blocks[k];
    }
    for (uint32_t i = 0; i < marked / 2; i++) { /* into the order of blocks again */
        ashi_block *first = &s->cut.data[kept + i], *last = &s->cut.data[p->block_count - 1 - i];
        ashi_block block = *first;
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

/* `again`: of the same bodies and rows as last time. */
static bool make_factor(ashi_direct **factor, const ashi_system *p, bool again)
{
    if (again)
        return ashi_direct_factor_again(*factor, p);
    if (*factor == NULL)
        *factor = ashi_direct_create();
    return *factor != NULL && ashi_direct_factor(*factor, p, NULL);
}

bool ashi_joint_system_factor(ashi_joint_system *s, bool cuts_loops)
{
    const ashi_system *p = &s->problem;
    if (s->factored && s->cuts_loops == cuts_loops)
        return true;
    bool again = s->fitted && s->cuts_loops == cuts_loops;
    s->cuts_loops = cuts_loops;
    bool full = s->solver >= ASH_JOINT_SOLVER_FULL_ITERATIVE; /* no forest */
    s->fitted = s->factored =
        (!cuts_loops || again || cut_loops(s)) && ashi_array_reserve(&s->numbers, 6 * (uint64_t)p->row_count) &&
        ashi_array_reserve(&s->motions, 4 * (uint64_t)p->body_count) && ashi_joint_system_reserve_faure(s) &&
        (full || make_factor(&s->tree_factor, cuts_loops ? &s->tree : p, again)) &&
        (!cuts_loops || s->structured || s->loops.block_count == 0 || make_factor(&s->loop_factor, &s->loops, false));
    return s->factored;
}

/* ---- errors and rates ---- */

static bool is_angular(const ashi_joint_jacobian *row)
{
    return v3_norm2(row->linear_a) == 0 && v3_norm2(row->linear_b) == 0;
}

double ashi_joint_system_errors(ashi_joint_system *s, const ashi_model *model, const ashi_state *state)
{
    double largest = 0, found[ASHI_HOLD_ROWS], unit = model->unit_length; /* square of a joint, all its rows together */
    for (uint32_t k = 0; k < s->links.count; k++) {
        const ashi_joint_link *link = &s->links.data[k];
        uint32_t count = ashi_joint_held_errors(model, &model->joints.entries.data[link->joint], state, found);
        double square = 0, *error = &s->error.data[link->first_row];
        for (uint32_t i = 0; i < link->row_count; i++) {
            error[i] = i < count ? found[i] : error[i];
            double size = unit == 1 || !is_angular(&s->jacobian.data[link->first_row + i]) ? error[i] : unit * error[i];
            square += s->rigid.data[link->first_row + i] ? size * size : 0;
        }
        largest = square > largest || !(square - square == 0) ? square : largest;
    }
    return sqrt(largest);
}

uint64_t ashi_joint_system_operations(const ashi_joint_system *s)
{
    return s->operations + ashi_direct_operations(s->tree_factor) + ashi_direct_operations(s->loop_factor);
}

double ashi_joint_system_rate(const ashi_joint_system *s, const ashi_block *block, const ashi_row *row,
                              const ashi_state *state)
{
    uint32_t a = s->places.data[block->body_a].slot, b = s->places.data[block->body_b].slot;
    return v3_dot(row->linear_a, state->velocity[a]) + v3_dot(row->angular_a, state->spin[a]) +
           v3_dot(row->linear_b, state->velocity[b]) + v3_dot(row->angular_b, state->spin[b]) + row->bias;
}

void ashi_joint_system_rates(const ashi_joint_system *s, const ashi_state *state, double *rates)
{
    for (uint32_t k = 0; k < s->links.count; k++) {
        const ashi_joint_link *link = &s->links.data[k];
        ash_vec3 velocity_a = state->velocity[link->slot_a], spin_a = state->spin[link->slot_a];
        ash_vec3 velocity_b = state->velocity[link->slot_b], spin_b = state->spin[link->slot_b];
        for (uint32_t i = link->first_row; i < link->first_row + link->row_count; i++) {
            const ashi_joint_jacobian *j = &s->jacobian.data[i];
            rates[i] = v3_dot(j->linear_a, velocity_a) + v3_dot(j->angular_a, spin_a) +
                       v3_dot(j->linear_b, velocity_b) + v3_dot(j->angular_b, spin_b) + s->bias.data[i];
        }
    }
}

void ashi_joint_system_add_forces(const ashi_joint_system *s, const double *impulse, ashi_model *model,
                                  const ashi_state *state, double time)
{
    for (uint32_t k = 0; k < s->links.count && time > 0; k++) {
        const ashi_joint_link *link = &s->links.data[k];
        ashi_joint_entry *joint = &model->joints.entries.data[link->joint];
        ash_vec3 arm = ashi_joint_reaction_arm(model, joint, state);
        for (uint32_t i = 0; i < link->row_count; i++) { /* held rows: their keys count from 0 */
            const ashi_joint_jacobian *j = &s->jacobian.data[link->first_row + i];
            ashi_add_joint_force(joint, i, arm, j->linear_b, j->angular_b, impulse[link->first_row + i] / time);
        }
    }
}
