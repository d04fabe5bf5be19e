/* Angular momentum of bodies that act only on each other: it is conserved to rounding, whatever solves and moves them.
 *
 * The impulses of a step are equal and opposite and act at one point p, with the arms p - x0 and the inertia of the
 * step's start: with velocities v* and momenta l* = I w* of free motion and v1, l1 = l* + sum of p - x0 crossed with
 * impulses, the sum of  x0 x m (v1 - v*) + (l1 - l*)  vanishes. Two effects would violate this afterwards.
 *
 * Rotations change, and with them I. So spins are computed from the momenta: w1 = I(q1)^-1 l1.
 *
 * Positions do not move along the final velocities: they move by the sub-steps of soft-step, by the mean velocity of
 * methods of order two, and by corrections that remove overlap or close joints. Or impulses act where bodies will be
 * (passes.c). Then the sum of x1 x m v1 + l1 is wrong by the couples of impulses whose bodies are no longer where they
 * acted. No displacement could avoid this: for two balls that slide along each other, overlap cannot be removed without
 * changing x x m v. So if nothing else takes part, no immovable body and no gear, the bodies that pushed each other
 * absorb these couples by turning as one: of all changes of velocity with this momentum this has the least kinetic
 * energy, and it does not affect contacts and joints among them. */
#include "step/momentum.h"

#include "base/groups.h"
#include "model/joint_class.h"
#include "step/hold.h"

#include <string.h>

/* The record of a body. */
typedef struct kept_body {
    ash_vec3 position, velocity;
    ash_vec3 momentum; /* angular, about the centre */
} kept_body;

/* Bodies that pushed each other, by the root of their tree. */
typedef struct group {
    ash_vec3 middle, old_middle;     /* centres of mass */
    ash_vec3 momentum, old_momentum; /* linear */
    ash_vec3 couple, turning;
    ash_sym3 inertia;
    double mass;
    uint32_t count;
    bool leans;
} group;

/* All by slot. */
struct ashi_kept_momentum {
    ashi_step *step;
    kept_body *bodies;
    uint32_t *parent;
    bool *leans; /* pushed an immovable body */
    double h;    /* s since the record */
    bool joined; /* some have pushed each other */
};

static uint32_t slot_of(const ashi_step *step, const ashi_system *problem, uint32_t body)
{
    return ashi_pool_slot_of(&step->model->bodies.pool, problem->bodies[body].label);
}

static bool is_dynamic(const ashi_bodies *b, uint32_t slot)
{
    return (b->motion[slot] & ASHI_DYNAMIC) != 0;
}

static ash_vec3 momentum_of(const ashi_bodies *b, uint32_t slot, ash_quat rotation, ash_vec3 spin)
{
    return b->motion[slot] & ASHI_ROTATES ? ashi_angular_momentum(&b->rotor[slot], rotation, spin) : v3(0, 0, 0);
}

/* Whether nothing is locked except what a planar world locks. */
static bool is_unlocked(const ashi_bodies *b, uint32_t slot)
{
    return b->locks[slot] == (b->planar ? ASH_LOCK_Z | ASH_LOCK_ROTATION_X | ASH_LOCK_ROTATION_Y : 0);
}

/* ---- before ---- */

static void keep(ashi_kept_momentum *kept, const ashi_state *state, uint32_t slot)
{
    const ashi_bodies *b = &kept->step->model->bodies;
    if (is_dynamic(b, slot))
        kept->bodies[slot] = (kept_body){state->position[slot], state->velocity[slot],
                                         momentum_of(b, slot, state->rotation[slot], state->spin[slot])};
}

/* No groups yet; all records are empty. */
static ashi_kept_momentum *begin_in(ashi_arena *arena, ashi_step *step)
{
    uint32_t slots = ashi_body_slots(&step->model->bodies);
    ashi_kept_momentum *kept = ashi_arena_take(arena, sizeof *kept);
    if (kept == NULL)
        return NULL;
    *kept = (ashi_kept_momentum){.step = step,
                                 .bodies = ashi_arena_take_array(arena, slots, sizeof *kept->bodies),
                                 .parent = ashi_arena_take_array(arena, slots, sizeof *kept->parent),
                                 .leans = ashi_arena_take_array(arena, slots, sizeof *kept->leans)};
    if (kept->bodies == NULL || kept->parent == NULL || kept->leans == NULL)
        return NULL;
    for (uint32_t i = 0; i < slots; i++)
        kept->parent[i] = i;
    memset(kept->leans, 0, slots * sizeof *kept->leans);
    return kept;
}

static ashi_kept_momentum *keep_in(ashi_arena *arena, ashi_step *step, const ashi_state *state,
                                   const ashi_system *problem)
{
    ashi_kept_momentum *kept = begin_in(arena, step);
    if (kept == NULL)
        return NULL;
    for (uint32_t i = 0; i < ashi_body_slots(&step->model->bodies); i++) {
        kept->bodies[i] = (kept_body){0};
        if (problem == NULL)
            keep(kept, state, i);
    }
    for (uint32_t i = 0; problem != NULL && i < problem->body_count; i++)
        keep(kept, state, slot_of(step, problem, i));
    return kept;
}

ashi_kept_momentum *ashi_momentum_keep(ashi_step *step, const ashi_state *state, const ashi_system *problem)
{
    return keep_in(step->scratch, step, state, problem);
}

ashi_kept_momentum *ashi_momentum_keep_free_motion(ashi_step *step)
{
    const ashi_system *p = step->problem;
    const ashi_bodies *b = &step->model->bodies;
    ashi_kept_momentum *kept = ashi_momentum_keep(step, &b->next, NULL);
    for (uint32_t i = p->fixed_count; i < p->body_count && kept != NULL; i++) {
        uint32_t slot = slot_of(step, p, i);
        kept->bodies[slot].velocity = p->bodies[i].velocity;
        kept->bodies[slot].momentum = momentum_of(b, slot, b->next.rotation[slot], p->bodies[i].spin);
    }
    return kept;
}

ashi_kept_momentum *ashi_momentum_begin(ashi_step *step)
{
    return begin_in(step->scratch, step);
}

/* If inertia is equal in all directions, or some axis is locked, the spin needs no correction. */
static bool spin_follows_momentum(const ashi_bodies *b, uint32_t slot)
{
    return (b->motion[slot] & (ASHI_ROTATES | ASHI_PARTIAL | ASHI_ISOTROPIC)) == ASHI_ROTATES;
}

ash_vec3 ashi_momentum_keep_body(ashi_kept_momentum *kept, uint32_t slot, const ash_problem_body *body)
{
    const ashi_bodies *b = &kept->step->model->bodies;
    if (!kept->joined && !spin_follows_momentum(b, slot))
        return v3(0, 0, 0); /* the value is not used */
    ash_vec3 momentum = momentum_of(b, slot, b->next.rotation[slot], body->spin);
    if (kept->joined)
        kept->bodies[slot] = (kept_body){b->next.position[slot], body->velocity, momentum};
    return momentum;
}

/* Whether uniform gravity is all that acts on a body from outside. */
static bool is_left_alone(const ashi_model *model, uint32_t slot)
{
    const ashi_bodies *b = &model->bodies;
    return !(b->motion[slot] & ASHI_DAMPED) && b->inertial[slot].gravity_scale == 1 &&
           v3_norm2(b->applied_force[slot]) == 0 && v3_norm2(b->applied_torque[slot]) == 0;
}

ashi_kept_momentum *ashi_momentum_keep_start(ashi_step *step, ashi_arena *arena)
{
    const ashi_bodies *b = &step->model->bodies;
    ashi_kept_momentum *kept = keep_in(arena, step, &b->now, NULL);
    if (kept != NULL)
        kept->h = step->h;
    for (uint32_t i = 0; kept != NULL && i < ashi_body_slots(b); i++)
        kept->leans[i] = step->model->forces.pool.used > 0 || (is_dynamic(b, i) && !is_left_alone(step->model, i));
    return kept;
}

/* ---- groups ---- */

void ashi_momentum_note_support(ashi_kept_momentum *kept, uint32_t slot)
{
    kept->leans[slot] = true;
    if (kept->step->whole != NULL)
        kept->step->whole->leans[slot] = true;
}

static void unite(ashi_kept_momentum *kept, uint32_t slot_a, uint32_t slot_b)
{
    ashi_groups_join(kept->parent, slot_a, slot_b);
    kept->joined = true;
}

void ashi_momentum_join(ashi_kept_momentum *kept, uint32_t slot_a, uint32_t slot_b)
{
    const ashi_bodies *b = &kept->step->model->bodies;
    bool moves_a = is_dynamic(b, slot_a), moves_b = is_dynamic(b, slot_b);
    if (!moves_a || !moves_b) {
        ashi_momentum_note_support(kept, moves_a ? slot_a : slot_b);
        return;
    }
    unite(kept, slot_a, slot_b);
    if (kept->step->whole != NULL)
        unite(kept->step->whole, slot_a, slot_b);
}

/* Whether a block has impulses; joints also count if they are only closed. */
static bool pushes(const ashi_system *p, const bool *placed, const ashi_block *block)
{
    bool point = block->kind == ASHI_CONTACT_BLOCK && p->expanded && block->point != UINT32_MAX;
    if (block->kind == ASHI_PLAIN_BLOCK || (placed != NULL && point && placed[block->point]))
        return true;
    for (uint32_t i = 0; i < block->row_count; i++)
        if (p->rows[block->first_row + i].impulse != 0)
            return true;
    return false;
}

/* Whether a point of a contact has impulses, or was displaced. */
static bool contact_pushes(const ashi_system *p, const bool *placed, const ash_problem_contact *contact)
{
    bool turns = contact->rollings > 0 || contact->spins > 0, any = false;
    for (uint32_t i = 0; i < contact->point_count && !any; i++) {
        uint32_t k = contact->first_point + i;
        any = (placed != NULL && placed[k]) || v3_norm2(p->points[k].impulse) > 0 ||
              (turns && v3_norm2(p->turns[contact->first_turn + i]) > 0);
    }
    return any;
}

/* Pulleys, gears and similar joints act on their supports: their impulses are not equal and opposite. */
static bool is_mutual(const ashi_system *p, const ashi_block *block)
{
    for (uint32_t i = 0; i < block->row_count; i++) {
        const ashi_row *row = &p->rows[block->first_row + i];
        bool turns = v3_norm2(row->linear_a) == 0;
        if (v3_norm2(v3_add(row->linear_a, row->linear_b)) != 0 ||
            (turns && v3_norm2(v3_add(row->angular_a, row->angular_b)) != 0))
            return false;
    }
    return true;
}

/* Whether some body of an island is supported by an immovable one. An island that rests on the ground is skipped as a
 * whole, even if parts of it might be free. */
static bool island_is_supported(const ashi_system *p, const bool *placed, const ash_problem_island *island)
{
    for (uint32_t c = island->first_contact; c < island->first_contact + island->contact_count && !p->expanded; c++) {
        const ash_problem_contact *contact = &p->contacts[c];
        bool fixed = contact->body_a < p->fixed_count || contact->body_b < p->fixed_count;
        if (fixed && contact_pushes(p, placed, contact))
            return true;
    }
    for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++) {
        const ashi_block *block = &p->blocks[k];
        bool fixed = block->body_a < p->fixed_count || block->body_b < p->fixed_count || block->held_a || block->held_b;
        if ((fixed || (block->kind == ASHI_PLAIN_BLOCK && !is_mutual(p, block))) && pushes(p, placed, block))
            return true;
    }
    return false;
}

void ashi_momentum_join_blocks(ashi_kept_momentum *kept, const ashi_system *p)
{
    const bool *placed = p->shifted ? ashi_solver_trail(kept->step->solvers)->placed : NULL;
    for (uint32_t i = 0; i < p->island_count; i++) {
        const ash_problem_island *island = &p->islands[i];
        if (island_is_supported(p, placed, island)) {
            for (uint32_t k = island->first_body; k < island->first_body + island->body_count; k++)
                ashi_momentum_note_support(kept, slot_of(kept->step, p, k));
            continue;
        }
        for (uint32_t k = island->first_block; k < island->first_block + island->block_count; k++)
            if (pushes(p, placed, &p->blocks[k]))
                ashi_momentum_join(kept, slot_of(kept->step, p, p->blocks[k].body_a),
                                   slot_of(kept->step, p, p->blocks[k].body_b));
        for (uint32_t c = island->first_contact; c < island->first_contact + island->contact_count && !p->expanded; c++)
            if (contact_pushes(p, placed, &p->contacts[c]))
                ashi_momentum_join(kept, slot_of(kept->step, p, p->contacts[c].body_a),
                                   slot_of(kept->step, p, p->contacts[c].body_b));
    }
}

void ashi_momentum_join_joints(ashi_kept_momentum *kept)
{
    const ashi_model *model = kept->step->model;
    for (uint32_t i = 0; i < model->joints.entries.count; i++) {
        const ashi_joint_entry *joint = &model->joints.entries.data[i];
        if (!ashi_pool_in_use(&model->joints.pool, i) || !ashi_joint_acts(model, joint))
            continue;
        if (ashi_joint_class_of(joint->kind)->leans)
            ashi_momentum_note_support(kept, joint->body_a);
        ashi_momentum_join(kept, joint->body_a, joint->body_b);
    }
}

/* ---- spins ---- */

ash_vec3 ashi_momentum_spin(const ashi_bodies *b, uint32_t slot, ash_vec3 momentum, ash_vec3 gained, ash_vec3 spin)
{
    if (!spin_follows_momentum(b, slot))
        return spin;
    const ashi_rotor *rotor = &b->rotor[slot];
    ash_vec3 total = v3_add(momentum, ashi_angular_momentum(rotor, b->now.rotation[slot], gained));
    return s3_apply(s3_rotated(rotor->inverse, b->next.rotation[slot]), total);
}

/* ---- after ---- */

/* Whether a group is free and has more than one body. */
static bool is_free(const group *g)
{
    return g->count > 1 && !g->leans;
}

/* From sums to centres. If the centre did not move by its velocity, the momentum has an arm. */
static void place(const ashi_kept_momentum *kept, group *g)
{
    g->middle = v3_scale(g->middle, 1 / g->mass);
    g->old_middle = v3_scale(g->old_middle, 1 / g->mass);
    if (!(kept->h > 0))
        return;
    double share = ashi_hold_share(kept->step->method.integrator) * kept->h / g->mass;
    ash_vec3 due = v3_add_scaled(g->old_middle, g->old_momentum, kept->h / g->mass - share);
    due = v3_add_scaled(due, g->momentum, share);
    g->couple = v3_cross(v3_sub(due, g->middle), g->momentum);
}

/* Masses and centres of the free groups: others may have no records. */
static void gather(const ashi_kept_momentum *kept, const ashi_state *state, group *groups)
{
    const ashi_bodies *b = &kept->step->model->bodies;
    uint32_t slots = ashi_body_slots(b);
    for (uint32_t i = 0; i < slots; i++)
        groups[i] = (group){0};
    for (uint32_t i = 0; i < slots; i++) {
        if (!is_dynamic(b, i))
            continue;
        group *g = &groups[ashi_group_of(kept->parent, i)];
        g->count++;
        g->leans = g->leans || kept->leans[i] || !is_unlocked(b, i);
    }
    for (uint32_t i = 0; i < slots; i++) {
        group *g = &groups[ashi_group_of(kept->parent, i)];
        if (!is_dynamic(b, i) || !is_free(g))
            continue;
        double mass = 1 / b->inertial[i].inverse_mass;
        g->mass += mass;
        g->middle = v3_add_scaled(g->middle, state->position[i], mass);
        g->old_middle = v3_add_scaled(g->old_middle, kept->bodies[i].position, mass);
        g->momentum = v3_add_scaled(g->momentum, state->velocity[i], mass);
        g->old_momentum = v3_add_scaled(g->old_momentum, kept->bodies[i].velocity, mass);
    }
    for (uint32_t i = 0; i < slots; i++)
        if (is_free(&groups[i]))
            place(kept, &groups[i]);
}

/* Adds the angular momentum about the group's centre that a body has lost, and its inertia. About the centre, since the
 * motion of the centre is the integrator's task. */
static void add_body(const ashi_kept_momentum *kept, const ashi_state *state, uint32_t slot, group *g)
{
    const ashi_bodies *b = &kept->step->model->bodies;
    const kept_body *before = &kept->bodies[slot];
    double mass = 1 / b->inertial[slot].inverse_mass;
    ash_quat rotation = state->rotation[slot];
    ash_vec3 arm = v3_sub(state->position[slot], g->middle), old_arm = v3_sub(before->position, g->old_middle);
    ash_vec3 now =
        v3_add_scaled(momentum_of(b, slot, rotation, state->spin[slot]), v3_cross(arm, state->velocity[slot]), mass);
    ash_vec3 wanted = v3_add_scaled(before->momentum, v3_cross(old_arm, before->velocity), mass);
    g->couple = v3_add(g->couple, v3_sub(wanted, now));
    g->inertia = s3_add(g->inertia, s3_point_inertia(mass, arm));
    if (b->motion[slot] & ASHI_ROTATES)
        g->inertia = s3_add(g->inertia, s3_rotated(b->rotor[slot].inertia, rotation));
}

/* Collinear points have no inertia about their line, and no couple. */
static ash_vec3 turning_of(const group *g, bool planar)
{
    if (planar)
        return g->inertia.zz > 0 ? v3(0, 0, g->couple.z / g->inertia.zz) : v3(0, 0, 0);
    double trace = g->inertia.xx + g->inertia.yy + g->inertia.zz;
    if (s3_determinant(g->inertia) > 1e-12 * trace * trace * trace)
        return s3_apply(s3_inverse(g->inertia), g->couple);
    ash_vec3 values;
    ash_quat axes;
    ashi_eigen_sym3(g->inertia, &values, &axes);
    double least = 1e-9 * values.z;
    ash_vec3 couple = q_rotate(q_conjugate(axes), g->couple);
    return q_rotate(axes, v3(values.x > least ? couple.x / values.x : 0, values.y > least ? couple.y / values.y : 0,
                             values.z > 0 ? couple.z / values.z : 0));
}

static double kinetic_energy(const ashi_bodies *b, const ashi_state *state, uint32_t slot)
{
    ash_vec3 velocity = state->velocity[slot], spin = state->spin[slot];
    return 0.5 * (v3_norm2(velocity) / b->inertial[slot].inverse_mass +
                  v3_dot(spin, momentum_of(b, slot, state->rotation[slot], spin)));
}

/* Adds the group's rotation to a body. Returns the energy gained. */
static double turn(const ashi_kept_momentum *kept, const ashi_state *state, uint32_t slot, const group *g)
{
    const ashi_bodies *b = &kept->step->model->bodies;
    double before = kinetic_energy(b, state, slot);
    ash_vec3 arm = v3_sub(state->position[slot], g->middle);
    state->velocity[slot] = v3_add(state->velocity[slot], v3_cross(g->turning, arm));
    if (b->motion[slot] & ASHI_ROTATES)
        state->spin[slot] = v3_add(state->spin[slot], g->turning);
    if (state->velocity == b->next.velocity) /* a number that is not finite is recorded */
        ashi_step_store(kept->step, slot, state->position[slot], state->rotation[slot], state->velocity[slot],
                        state->spin[slot]);
    return kinetic_energy(b, state, slot) - before;
}

bool ashi_momentum_return(ashi_kept_momentum *kept, const ashi_state *state, double *work)
{
    const ashi_bodies *b = &kept->step->model->bodies;
    uint32_t slots = ashi_body_slots(b);
    if (!kept->joined)
        return true;
    group *groups = ashi_arena_take_array(kept->step->scratch, slots, sizeof *groups);
    if (groups == NULL)
        return false;
    gather(kept, state, groups);
    for (uint32_t i = 0; i < slots; i++)
        if (is_dynamic(b, i) && is_free(&groups[ashi_group_of(kept->parent, i)]))
            add_body(kept, state, i, &groups[ashi_group_of(kept->parent, i)]);
    for (uint32_t i = 0; i < slots; i++)
        if (is_free(&groups[i]))
            groups[i].turning = turning_of(&groups[i], b->planar);
    for (uint32_t i = 0; i < slots; i++)
        if (is_dynamic(b, i) && is_free(&groups[ashi_group_of(kept->parent, i)]))
            *work += turn(kept, state, i, &groups[ashi_group_of(kept->parent, i)]);
    return true;
}
