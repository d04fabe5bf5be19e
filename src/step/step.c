/* The step as a list: contacts of the present state where something was changed, wake, all parts by step control
 * (control.c), alarms, joints that break, caps on speeds, sleep. A part is taken by the method's scheme (scheme.h) and
 * then committed (commit.c). */
#include "step/step.h"

#include "base/clock.h"
#include "model/method.h"
#include "problem/assemble.h"
#include "step/caps.h"
#include "step/hold.h"
#include "step/joints/closure.h"
#include "step/joints/joint_impulses.h"
#include "step/lanes.h"
#include "step/meetings.h"
#include "step/scheme.h"
#include "step/sleep.h"
#include "step/solver_alarms.h"

/* Visits of a block that all solves of a step may take: far more than any but crowds need (docs/methods.md), and where
 * there is a large one. */
#define MOST_VISITS  40000000u
#define CROWDED      10000000u
#define MARGIN       4  /* slops: of contacts where steps are cut at impacts, at least */
#define JUDGED_EVERY 16 /* steps: the redundancy of joints */

ash_stage ashi_step_enter(ashi_step *step, ash_stage stage)
{
    double now = ashi_seconds();
    ash_stage before = step->stage;
    step->stage_seconds[before] += now - step->stage_since;
    step->stage = stage;
    step->stage_since = now;
    return before;
}

/* Forces applied by the user act for one step. */
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

bool ashi_step_detect(ashi_step *step)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_COLLIDE);
    bool good = ashi_collision_detect(step->collision, step->model, step->tasks, &step->method, step->h);
    step->flags |= step->collision->dropped > 0 ? ASH_FLAG_CAPACITY : 0;
    ashi_step_enter(step, before);
    return good;
}

/* ---- parts ---- */

bool ashi_step_part(ashi_step *step, double h, double reach)
{
    step->parts++;
    step->failed = false;
    ashi_arena_reset(step->scratch);
    step->bends = NULL;
    if (ashi_interrupt_asks(step->interrupt) || !step->scheme->take(step, h, reach))
        return false;
    ashi_sleep_suspend(step);
    return true;
}

/* ---- the whole ---- */

/* If steps are cut at impacts, shapes are stopped just before touching: contacts must already be found there. */
static void see_touches(ashi_step *step)
{
    ash_method *method = &step->method;
    double least = MARGIN * ashi_meetings_touch(method);
    if (ashi_method_has_instants(method) && method->contact_margin < least)
        method->contact_margin = least;
}

bool ashi_step_foresee(ashi_step *step)
{
    see_touches(step);
    ash_step_control control = step->method.step_control;
    double reach =
        ashi_method_has_instants(&step->method) ? ashi_meetings_touch(&step->method) : step->method.contact_margin;
    atomic_store(&step->worst_slot, ASHI_NO_SLOT);
    step->model->forces.out_of_memory = false;
    ashi_system_clear(step->problem);
    ashi_lanes_clear(step->lanes);
    if (!ashi_forces_prepare(step->model, ashi_tasks_workers(step->tasks)) ||
        (ashi_step_solves_contacts(step) && !step->detected && !ashi_step_detect(step)))
        return false;
    step->detected = step->detected || ashi_step_solves_contacts(step);
    if (control == ASH_STEP_SUBSTEPS)
        step->h /= step->method.substeps;
    ashi_arena_reset(step->scratch);
    return step->scheme->move(step) && (!step->scheme->holds(step) || ashi_hold_assemble(step, step->h, reach, true));
}

/* Finds joints whose reactions are not unique: when joints have changed, and from time to time, since positions may be
 * singular. Without memory the old result is kept. */
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
    step->creep = v3(0, 0, 0);
    ashi_system_clear(step->problem);
    ashi_lanes_clear(step->lanes);
    ashi_arena_reset(step->scratch); /* even if all bodies sleep and no part of the step is taken */

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
        taken = taken && ashi_step_take_all(step, length);
    step->detected = step->detected || taken;
    step->h = length;
    if (taken) {
        ashi_note_overlap(step);
        ashi_note_sinking(step);
        ashi_joints_break(model);
        judge_joints(step);
        ashi_cap_speeds(step);
        ashi_sleep_settle(step);
        forget_applied(&model->bodies);
    }
    if (!taken && ashi_interrupt_was_given(step->interrupt))
        step->flags = ASH_FLAG_INTERRUPTED;     /* whatever flags the stages have set */
    ashi_step_enter(step, ASH_STAGE_INTEGRATE); /* ends the last stage */
    return taken;
}
