/* The end of a part: its new state becomes the present one, fast bodies are held where they first touch, contacts are
 * found with the forces of the old ones, and joints keep their forces. A failure leaves `now` unchanged. */
#include "problem/assemble.h"
#include "step/lanes.h"
#include "step/scheme.h"
#include "step/solver_alarms.h"

#include <string.h>

#define BRIEF 1e-3 /* of a step: impulses of shorter parts are errors over their length, not forces */

static double potential_energy(const ashi_model *model, const ashi_state *state)
{
    return ashi_gravity_energy(model, state) + ashi_forces_energy(model, state) + ashi_joints_energy(model, state);
}

static double rotation_energy(const ashi_bodies *b, uint32_t slot)
{
    ash_vec3 spin = b->now.spin[slot];
    return 0.5 * v3_dot(spin, ashi_angular_momentum(&b->rotor[slot], b->now.rotation[slot], spin));
}

/* Holds back the bodies named by impacts, each at its earliest one; `next` is the state before the part, `now` the one
 * after. False when memory ran out. */
static bool hold_back(ashi_step *step)
{
    ashi_model *model = step->model;
    ashi_collision *c = step->collision;
    ashi_bodies *b = &model->bodies;
    uint32_t slots = ashi_body_slots(b);
    bool *is_held = ashi_arena_take_array(step->scratch, slots, sizeof *is_held);
    if (is_held == NULL)
        return false;
    memset(is_held, 0, slots * sizeof *is_held);
    for (uint32_t i = 0; i < 2 * c->impacts.count; i++) {
        const ash_impact *impact = &c->impacts.data[i / 2]; /* the earliest first */
        uint64_t shape = i % 2 == 0 ? impact->shape_a.id : impact->shape_b.id;
        uint32_t slot = model->shapes.entries.data[ashi_pool_slot_of(&model->shapes.pool, shape)].body;
        if (is_held[slot] || !(b->motion[slot] & ASHI_DYNAMIC))
            continue;
        step->work.stabilization -= rotation_energy(b, slot);
        ashi_collision_hold_back(model, &b->next, slot, impact->time, step->h);
        step->work.stabilization += rotation_energy(b, slot);
        is_held[slot] = true;
        if (!ashi_collision_refresh_body(c, model, &step->method, step->h, slot))
            return false;
    }
    return true;
}

/* Bodies so fast that they would pass through others are found, and with `continuous` held where they first touch
 * (their momentum stays: the next step's contacts see it). What that does to the energy is recorded as stabilization.
 * Boxes are then up to date, contacts still those of the part's start. False when memory ran out. */
static bool hold_fast_bodies(ashi_step *step)
{
    ashi_model *model = step->model;
    ashi_collision *c = step->collision;
    ashi_bodies *b = &model->bodies;
    c->impacts.count = 0;
    if (!ashi_shapes_some_meet(&model->shapes))
        return true;
    if (!ashi_collision_refresh_since(c, model, step->tasks, &step->method, step->h, &b->next) ||
        !ashi_collision_find_impacts(c, model, &b->next, &c->now, step->h))
        return false;
    if (c->impacts.count == 0 || !ashi_step_solves_contacts(step) || !step->method.continuous)
        return true;
    step->work.stabilization -= potential_energy(model, &b->now);
    bool held = hold_back(step);
    step->work.stabilization += potential_energy(model, &b->now);
    return held;
}

/* Contacts at the end of a part, with what is to be held back. False when memory ran out: they are as they were. */
static bool detect_at_end(ashi_step *step)
{
    ashi_collision *c = step->collision;
    ash_stage before = ashi_step_enter(step, ASH_STAGE_COLLIDE);
    bool found = hold_fast_bodies(step) && ashi_collision_detect_refreshed(c, step->model, step->tasks, &step->method);
    if (found)
        step->flags |= c->dropped > 0 ? ASH_FLAG_CAPACITY : 0;
    if (found && !step->method.continuous)
        ashi_note_passed(step);
    if (!found || !step->method.continuous)
        c->impacts.count = 0;
    ashi_step_enter(step, before);
    return found;
}

/* Contacts of the new state, forces handed on from the old ones. False when memory ran out: contacts are as before. */
static bool renew_contacts(ashi_step *step)
{
    ashi_collision *c = step->collision;
    const ashi_replaced_forces *replaced = NULL;
    if (ashi_step_solves_contacts(step)) {
        const ashi_soft_trail *trail = step->problem->shifted ? ashi_solver_trail(step->solvers) : NULL;
        ashi_other_forces others = {ashi_lanes_point_count(step->lanes), ashi_lanes_store, step->lanes};
        replaced = ashi_store_forces(step->problem, trail != NULL ? trail->lasting : NULL,
                                     trail != NULL ? trail->lasting_turns : NULL, step->model, &c->now, &others,
                                     step->scratch);
        if (replaced == NULL)
            return false;
    }
    bool found = detect_at_end(step), lost = false;
    if (found && (step->scheme->correct == NULL || step->scheme->correct(step, &lost)))
        return true;
    if (lost) {
        ashi_contact_set set = c->now;
        c->now = c->kept;
        c->kept = set;
    } else if (found) {
        ashi_collision_undo(c);
    }
    if (replaced != NULL)
        ashi_restore_forces(replaced, &c->now);
    return false;
}

/* Updates the forces and the memory of joints. `next` is the state before the part, `now` the one after. */
static void renew_joints(ashi_step *step)
{
    ashi_model *model = step->model;
    if (model->joints.pool.used == 0)
        return;
    bool counts = step->h >= BRIEF * step->length;
    if (counts) {
        ashi_forget_joint_forces(model);
        /* of the part, or of the stage of it that the last problem was for */
        ashi_add_joint_forces(step->problem, model, &model->bodies.next, step->problem->h);
    }
    if (step->scheme->accept != NULL)
        step->scheme->accept(step, counts);
    ashi_joints_advance(model, step->time, step->h);
}

bool ashi_step_commit(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    if (atomic_load(&step->worst_slot) != ASHI_NO_SLOT) {
        step->flags |= ASH_FLAG_NOT_FINITE;
        return false;
    }
    if (ashi_interrupt_was_given(step->interrupt)) /* solves since then are incomplete */
        return false;
    ashi_bodies_exchange(b);
    bool detects = step->method.contacts != ASH_CONTACTS_OFF && step->model->shapes.pool.used > 0;
    if (!detects) {
        ashi_collision_clear(step->collision);
    } else if (!renew_contacts(step)) {
        bool finite = atomic_load(&step->worst_slot) == ASHI_NO_SLOT;
        ashi_bodies_exchange(b);
        step->flags |= finite ? ASH_FLAG_OUT_OF_MEMORY : ASH_FLAG_NOT_FINITE;
        return false;
    }
    step->time += step->h;
    renew_joints(step);
    return true;
}
