/* Step control: a whole step as one part, as equal ones, or as parts that end at impacts; and what is restored when one
 * of several parts fails. */
#include "model/method.h"
#include "step/meetings.h"
#include "step/scheme.h"

bool ashi_step_keep_start(ashi_step *step)
{
    ashi_joints *joints = &step->model->joints;
    ashi_bodies *b = &step->model->bodies;
    step->starts = ashi_joint_memory_take(joints, step->kept);
    if (!ashi_step_state_in(step, step->kept, &step->start) || step->starts == NULL ||
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
    bool foresees = step->scheme->foresees; /* it changes `now`, and so must be able to restore it */
    bool instants = ashi_method_has_instants(&step->method) && ashi_step_solves_contacts(step) && !foresees;
    bool impacts = instants && step->method.step_control == ASH_STEP_IMPACTS;
    uint32_t parts = step->method.step_control == ASH_STEP_SUBSTEPS ? step->method.substeps : 1;
    if (step->scheme->parts != NULL && !resigned)
        parts *= step->scheme->parts(step, length / parts);
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
    if ((instants || foresees || parts > 1) && !ashi_step_keep_start(step)) {
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
        return false;
    }
    bool taken = impacts    ? ashi_step_by_impacts(step, length)
                 : instants ? ashi_step_by_bounces(step, length)
                            : ashi_step_take_parts(step, length);
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
bool ashi_step_take_all(ashi_step *step, double length)
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
