/* The step as a list of stages. A part of it is: forces and free motion, contacts and joints (assemble, solve,
 * correct), stabilization of positions; then the new state is judged, becomes the present one, and its contacts are
 * found. Step control says how many parts there are. */
#include "step/step.h"
#include "step/caps.h"

#include "base/clock.h"
#include "problem/assemble.h"
#include "step/closure.h"
#include "step/hold.h"
#include "step/joint_impulses.h"
#include "step/joint_loop.h"
#include "step/meetings.h"
#include "step/momentum.h"
#include "step/passes.h"
#include "step/propagation.h"
#include "step/sleep.h"
#include "step/solver_alarms.h"

#include <string.h>

/* Visits of a block that all solves of a step may take: far more than any but crowds need (docs/methods.md), and where
 * there is a large one. */
#define MOST_VISITS  40000000u
#define CROWDED      10000000u
#define BRIEF        1e-3 /* of a step: impulses of shorter parts are errors over their length, not forces */
#define MARGIN       4    /* slops: of contacts where steps are cut at impacts, at least */
#define JUDGED_EVERY 16   /* steps: the redundancy of joints */

static bool (*const integrators[ASH_INTEGRATORS])(ashi_step *) = {
    [ASH_EXPLICIT_EULER] = ashi_integrate_explicit_euler,
    [ASH_SYMPLECTIC_EULER] = ashi_integrate_symplectic_euler,
    [ASH_IMPLICIT_EULER] = ashi_integrate_implicit_euler,
    [ASH_RK4] = ashi_integrate_rk4,
    [ASH_IMPLICIT_MIDPOINT] = ashi_integrate_implicit_midpoint,
    [ASH_AXIS_SPLITTING] = ashi_integrate_axis_splitting,
};

ash_stage ashi_step_enter(ashi_step *step, ash_stage stage)
{
    double now = ashi_seconds();
    ash_stage before = step->stage;
    step->stage_seconds[before] += now - step->stage_since;
    step->stage = stage;
    step->stage_since = now;
    return before;
}

bool ashi_step_integrate(ashi_step *step)
{
    return integrators[step->method.integrator](step);
}

void ashi_step_evaluate(ashi_step *step, const ashi_state *state, double time)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_FORCES);
    ashi_stage stage = {state, time, step->tasks};
    ashi_forces_evaluate(step->model, &stage);
    ashi_joint_impulses_accelerate(step, state, time);
    step->evaluations++;
    ashi_step_enter(step, before);
}

void ashi_step_book_work(ashi_step *step, const ashi_state *evaluated, double time, const ashi_state *from,
                         const ashi_state *to, double duration)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_MEASURE);
    ashi_stage stage = {evaluated, time, step->tasks};
    ashi_work power = ashi_forces_power(step->model, &stage, from, to);
    ashi_work_add(&step->work, &power, duration);
    ashi_step_enter(step, before);
}

static bool scratch_state(ashi_arena *arena, uint32_t slots, ashi_state *state)
{
    state->position = ashi_arena_take_array(arena, slots, sizeof *state->position);
    state->rotation = ashi_arena_take_array(arena, slots, sizeof *state->rotation);
    state->velocity = ashi_arena_take_array(arena, slots, sizeof *state->velocity);
    state->spin = ashi_arena_take_array(arena, slots, sizeof *state->spin);
    return state->position != NULL && state->rotation != NULL && state->velocity != NULL && state->spin != NULL;
}

bool ashi_step_scratch_state(ashi_step *step, ashi_state *state)
{
    return scratch_state(step->scratch, ashi_body_slots(&step->model->bodies), state);
}

void ashi_step_copy_state(const ashi_step *step, ashi_state *to, const ashi_state *from)
{
    uint32_t slots = ashi_body_slots(&step->model->bodies);
    memcpy(to->position, from->position, slots * sizeof *to->position);
    memcpy(to->rotation, from->rotation, slots * sizeof *to->rotation);
    memcpy(to->velocity, from->velocity, slots * sizeof *to->velocity);
    memcpy(to->spin, from->spin, slots * sizeof *to->spin);
}

void ashi_step_for_bodies(ashi_step *step, ashi_range range, void *data)
{
    ashi_parallel_for(step->tasks, ashi_body_slots(&step->model->bodies), ASHI_BODY_CHUNK, range, data);
}

/* Forces that the user applied hold for one step. */
static void forget_applied(ashi_bodies *b)
{
    if (!b->any_applied)
        return;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        b->applied_force[i] = b->applied_torque[i] = v3(0, 0, 0);
    b->any_applied = false;
}

/* ---- contacts ---- */

bool ashi_step_solves_contacts(const ashi_step *step)
{
    return step->method.contacts == ASH_CONTACTS_SOLVE && step->model->shapes.pool.used > 0;
}

/* Contacts or joints are there to be held after free motion. */
static bool holds(const ashi_step *step)
{
    if (!ashi_joint_impulses_act(step))
        return ashi_step_solves_contacts(step) || step->model->joints.pool.used > 0;
    bool touches = step->collision->now.points.count > 0 || ashi_passes_act(step); /* those look ahead */
    return (ashi_step_solves_contacts(step) && touches) || step->driven;
}

bool ashi_step_detect(ashi_step *step)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_COLLIDE);
    bool good = ashi_collision_detect(step->collision, step->model, step->tasks, &step->method, step->h);
    step->flags |= step->collision->dropped > 0 ? ASH_FLAG_CAPACITY : 0;
    ashi_step_enter(step, before);
    return good;
}

static double potential_energy(const ashi_model *model, const ashi_state *state)
{
    return ashi_gravity_energy(model, state) + ashi_forces_energy(model, state) + ashi_joints_energy(model, state);
}

static double rotation_energy(const ashi_bodies *b, uint32_t slot)
{
    ash_vec3 spin = b->now.spin[slot];
    return 0.5 * v3_dot(spin, ashi_angular_momentum(&b->rotor[slot], b->now.rotation[slot], spin));
}

/* Holds back what the impacts name, each body at its earliest; `next` is the state before the part, `now` the one
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

/* Bodies so fast that they would pass through others are held where they first touch (their momentum stays: the next
 * step's contacts see it). What that does to the energy is booked as stabilization. Boxes are then up to date, contacts
 * still those of the part's start. False when memory ran out. */
static bool hold_fast_bodies(ashi_step *step)
{
    ashi_model *model = step->model;
    ashi_collision *c = step->collision;
    ashi_bodies *b = &model->bodies;
    c->impacts.count = 0;
    if (!ashi_shapes_some_meet(&model->shapes))
        return true;
    if (!ashi_collision_refresh_since(c, model, &step->method, step->h, &b->next) ||
        !ashi_collision_find_impacts(c, model, &b->next, &c->now, step->h))
        return false;
    if (c->impacts.count == 0 || !ashi_step_solves_contacts(step))
        return true;
    step->work.stabilization -= potential_energy(model, &b->now);
    bool held = hold_back(step);
    step->work.stabilization += potential_energy(model, &b->now);
    return held;
}

/* Contacts at the end of a part, with what is to be held back. False when memory ran out: they are as they were. */
static bool detect_at_end(ashi_step *step)
{
    if (!step->method.continuous)
        return ashi_step_detect(step);
    ashi_collision *c = step->collision;
    ash_stage before = ashi_step_enter(step, ASH_STAGE_COLLIDE);
    bool found = hold_fast_bodies(step) && ashi_collision_detect_refreshed(c, step->model, step->tasks, &step->method);
    if (found)
        step->flags |= c->dropped > 0 ? ASH_FLAG_CAPACITY : 0;
    else
        c->impacts.count = 0;
    ashi_step_enter(step, before);
    return found;
}

/* ---- parts ---- */

/* The power of the forces on the mean velocity of the part, as `next` is now. */
static ashi_work mean_power(const ashi_step *step)
{
    const ashi_bodies *b = &step->model->bodies;
    ashi_stage stage = {&b->now, step->time, step->tasks};
    return ashi_forces_power(step->model, &stage, &b->now, &b->next);
}

/* Contacts, and what they change of the works: the integrator has booked those of free motion. */
static bool hold(ashi_step *step, double h, double reach, bool corrects)
{
    bool passes = ashi_passes_act(step);
    if (!passes && step->collision->now.points.count == 0 && step->model->joints.pool.used == 0)
        return ashi_hold(step, h, reach);
    ashi_work free = mean_power(step);
    if (!(passes ? ashi_passes_hold(step, h, reach) : ashi_hold(step, h, reach)))
        return false;
    ashi_work held = mean_power(step);
    ashi_work_add(&step->work, &held, h);
    ashi_work_add(&step->work, &free, -h);
    if (!ashi_joint_impulses_act(step))
        return !corrects || ashi_project_positions(step);
    return ashi_joint_impulses_move_again(step) && ashi_project_positions(step) && ashi_joint_impulses_rejoin(step);
}

/* Forces and free motion; joints that are held by impulses are part of it. */
static bool move(ashi_step *step)
{
    return (ashi_joint_impulses_act(step) ? ashi_joint_impulses_move(step, holds(step)) : ashi_step_integrate(step)) &&
           !step->model->forces.out_of_memory;
}

/* Collisions change the velocities at the start, and free motion is found anew from these. */
static bool collide(ashi_step *step, double h, ashi_work work)
{
    bool collided;
    if (!ashi_passes_collide(step, h, &work, &collided))
        return false;
    if (!collided)
        return true;
    step->work = work;
    return move(step);
}

/* Free motion, and then what holds bodies. */
static bool move_and_hold(ashi_step *step, double reach, bool corrects)
{
    ashi_work work = step->work;
    double h = step->h;
    bool done = move(step);
    if (done && ashi_step_solves_contacts(step) && ashi_passes_act(step))
        done = collide(step, h, work);
    if (done && holds(step))
        return hold(step, h, reach, corrects);
    ashi_problem_clear(step->problem);
    return done;
}

/* Both in one loop. */
static bool move_and_hold_by_impulses(ashi_step *step, double reach)
{
    bool done = ashi_joint_loop_take(step, reach) && !step->model->forces.out_of_memory;
    if (done)
        ashi_momentum_join_blocks(step->whole, step->problem);
    return done;
}

bool ashi_step_stage(ashi_step *step, double h, double reach, bool corrects)
{
    bool jointed = ashi_joint_impulses_act(step);
    step->h = h;
    step->whole = jointed ? ashi_momentum_keep_start(step, ashi_joint_impulses_memory(step)) : NULL;
    if (jointed && step->whole == NULL)
        return false;
    bool done = ashi_joint_loop_acts(step) && holds(step) ? move_and_hold_by_impulses(step, reach)
                                                          : move_and_hold(step, reach, corrects);
    if (done && jointed) {
        ashi_momentum_join_joints(step->whole);
        done = ashi_momentum_return(step->whole, &step->model->bodies.next, &step->work.stabilization);
    }
    step->whole = NULL;
    return done;
}

bool ashi_step_part(ashi_step *step, double h, double reach)
{
    step->parts++;
    step->failed = false;
    step->driven = ashi_joint_impulses_act(step) && ashi_joint_impulses_are_driven(step);
    ashi_arena_reset(step->scratch);
    step->bends = NULL;
    bool propagates = step->method.scheme == ASH_SCHEME_PROPAGATION && holds(step);
    bool done = propagates ? ashi_propagation_part(step, h, reach) : ashi_step_stage(step, h, reach, true);
    if (done)
        ashi_sleep_suspend(step);
    return done;
}

/* Contacts of the new state, forces handed on from the old ones. False when memory ran out: contacts are as before. */
static bool renew_contacts(ashi_step *step)
{
    ashi_collision *c = step->collision;
    const ashi_replaced_forces *replaced = NULL;
    if (ashi_step_solves_contacts(step)) {
        const ashi_soft_trail *trail = step->problem->shifted ? ashi_solver_trail(step->solvers) : NULL;
        replaced = ashi_store_forces(step->problem, trail != NULL ? trail->lasting : NULL,
                                     trail != NULL ? trail->lasting_turns : NULL, step->model, &c->now, step->scratch);
        if (replaced == NULL)
            return false;
    }
    bool found = detect_at_end(step), lost = false;
    if (found && ashi_propagation_correct(step, &lost))
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

/* What joints bore, and what they keep in time. `next` is the state before the part, `now` the one after. */
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
    if (ashi_joint_impulses_act(step))
        ashi_joint_impulses_accept(step, counts);
    ashi_joints_advance(model, step->time, step->h);
}

bool ashi_step_commit(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    if (atomic_load(&step->worst_slot) != ASHI_NO_SLOT) {
        step->flags |= ASH_FLAG_NOT_FINITE;
        return false;
    }
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

/* ---- the whole ---- */

bool ashi_step_keep_start(ashi_step *step)
{
    ashi_joints *joints = &step->model->joints;
    ashi_bodies *b = &step->model->bodies;
    step->starts = ashi_joint_memory_take(joints, step->kept);
    if (!scratch_state(step->kept, ashi_body_slots(b), &step->start) || step->starts == NULL ||
        !ashi_contact_set_copy(&step->collision->start, &step->collision->now)) {
        step->starts = NULL;
        return false;
    }
    ashi_step_copy_state(step, &step->start, &b->now);
    ashi_joint_memory_keep(joints, step->starts);
    return true;
}

/* A step of several parts may fail after some of them: everything is then as it was. `resigned`: parts are not judged.
 */
static bool try_all(ashi_step *step, double length, bool resigned)
{
    bool passes = ashi_passes_act(step); /* they change `now`, and so must be able to restore it */
    bool impacts = step->method.step_control == ASH_STEP_IMPACTS && ashi_step_solves_contacts(step) && !passes;
    uint32_t parts = step->method.step_control == ASH_STEP_SUBSTEPS ? step->method.substeps : 1;
    parts *= resigned ? 1 : ashi_joint_impulses_parts(step, length / parts);
    step->tries = 0;
    step->careful = false;
    step->resigned = resigned;
    step->trial = step->longest = length / parts;
    step->starts = NULL;
    ashi_arena_reset(step->kept);
    if (impacts && (step->part_joints = ashi_joint_memory_take(&step->model->joints, step->kept)) == NULL) {
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
        return false;
    }
    if ((impacts || passes || parts > 1) && !ashi_step_keep_start(step)) {
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
        return false;
    }
    bool taken = impacts ? ashi_step_by_impacts(step, length) : ashi_step_take_parts(step, length);
    if (step->starts == NULL)
        return taken;
    if (taken && !ashi_collision_find_events_since(step->collision, &step->collision->start)) { /* of the whole step */
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
        taken = false;
    }
    if (!taken) {
        ashi_step_copy_state(step, &step->model->bodies.now, &step->start);
        ashi_joint_memory_restore(&step->model->joints, step->starts);
        ashi_collision_restart(step->collision);
    }
    return taken;
}

/* Where joints contradict each other, short parts may overflow where a whole step does not: it is taken as it comes. */
static bool take_all(ashi_step *step, double length)
{
    double begin = step->time;
    ashi_work work = step->work;
    if (try_all(step, length, false))
        return true;
    if (!(step->flags & ASH_FLAG_NOT_FINITE) || step->tries == 0)
        return false;
    atomic_store(&step->worst_slot, ASHI_NO_SLOT);
    step->flags &= ~(uint32_t)ASH_FLAG_NOT_FINITE;
    step->time = begin;
    step->work = work;
    return try_all(step, length, true);
}

/* Where steps are cut at impacts, shapes are stopped short of touching: contacts must be seen there. */
static void see_touches(ashi_step *step)
{
    ash_method *method = &step->method;
    double least = MARGIN * ashi_meetings_touch(method);
    if (method->step_control == ASH_STEP_IMPACTS && method->contact_margin < least)
        method->contact_margin = least;
}

bool ashi_step_foresee(ashi_step *step)
{
    see_touches(step);
    ash_step_control control = step->method.step_control;
    double reach = control == ASH_STEP_IMPACTS ? ashi_meetings_touch(&step->method) : step->method.contact_margin;
    atomic_store(&step->worst_slot, ASHI_NO_SLOT);
    step->model->forces.out_of_memory = false;
    ashi_problem_clear(step->problem);
    if (!ashi_forces_prepare(step->model, ashi_tasks_workers(step->tasks)) ||
        (ashi_step_solves_contacts(step) && !step->detected && !ashi_step_detect(step)))
        return false;
    step->detected = step->detected || ashi_step_solves_contacts(step);
    if (control == ASH_STEP_SUBSTEPS)
        step->h /= step->method.substeps;
    step->driven = ashi_joint_impulses_act(step) && ashi_joint_impulses_are_driven(step);
    ashi_arena_reset(step->scratch);
    return move(step) && (!holds(step) || ashi_hold_assemble(step, step->h, reach, true));
}

/* Which joints bear what cannot be told from statics: when joints have changed and now and then, as positions may be
 * singular. Without memory what was known stays. */
static void judge_joints(ashi_step *step)
{
    ashi_model *model = step->model;
    ash_mobility mobility;
    if (model->joints.pool.used == 0 ||
        (*step->judged_joints == model->joints.revision && step->number % JUDGED_EVERY != 0))
        return;
    if (ashi_find_redundancy(model, &model->bodies.now, step->time, step->joint_problem, step->joint_factor,
                             step->scratch, &mobility))
        *step->judged_joints = model->joints.revision;
}

bool ashi_step_take(ashi_step *step)
{
    double length = step->length = step->h;
    ashi_model *model = step->model;
    see_touches(step);
    atomic_store(&step->worst_slot, ASHI_NO_SLOT);
    model->forces.out_of_memory = false;
    step->error.worst_block = UINT32_MAX;
    ashi_problem_clear(step->problem);
    ashi_arena_reset(step->scratch); /* also where all sleep, and no part of the step is taken */

    model->joints.events.count = 0;
    bool taken = ashi_forces_prepare(model, ashi_tasks_workers(step->tasks)) &&
                 ashi_array_reserve(&model->joints.events, model->joints.pool.used); /* joints may break then */
    if (!step->detected)
        ashi_joint_impulses_forget(step->joint_impulses); /* somebody has changed something */
    if (taken && ashi_step_solves_contacts(step) && !step->detected)
        taken = step->detected = ashi_step_detect(step);
    ashi_solver_grant(step->solvers, ashi_crowd_is_large(step->collision) ? CROWDED : MOST_VISITS);
    if (!taken)
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
    else
        ashi_sleep_wake(step);
    if (taken && ashi_sleep_is_all(step))
        ashi_sleep_through(step);
    else
        taken = taken && take_all(step, length);
    step->detected = step->detected || taken;
    step->h = length;
    if (taken) {
        ashi_note_overlap(step);
        ashi_joints_break(model);
        judge_joints(step);
        ashi_cap_speeds(step);
        ashi_sleep_settle(step);
        forget_applied(&model->bodies);
    }
    ashi_step_enter(step, ASH_STAGE_INTEGRATE); /* ends the last stage */
    return taken;
}
