/* The step as a list of stages: prepare, integrate (which evaluates forces), judge, exchange, detect contacts. */
#include "step/step.h"

#include "base/clock.h"

static bool (*const integrators[ASH_INTEGRATORS])(ashi_step *) = {
    [ASH_EXPLICIT_EULER] = ashi_integrate_explicit_euler,
    [ASH_SYMPLECTIC_EULER] = ashi_integrate_symplectic_euler,
    [ASH_IMPLICIT_EULER] = ashi_integrate_implicit_euler,
    [ASH_RK4] = ashi_integrate_rk4,
    [ASH_IMPLICIT_MIDPOINT] = ashi_integrate_implicit_midpoint,
    [ASH_AXIS_SPLITTING] = ashi_integrate_axis_splitting,
};

void ashi_step_evaluate(ashi_step *step, const ashi_state *state, double time)
{
    double start = ashi_seconds();
    ashi_stage stage = {state, time, step->tasks};
    ashi_forces_evaluate(step->model, &stage);
    step->evaluations++;
    step->stage_seconds[ASH_STAGE_FORCES] += ashi_seconds() - start;
}

void ashi_step_book_work(ashi_step *step, const ashi_state *evaluated, double time, const ashi_state *from,
                         const ashi_state *to, double duration)
{
    double start = ashi_seconds();
    ashi_stage stage = {evaluated, time, step->tasks};
    ashi_work power = ashi_forces_power(step->model, &stage, from, to);
    step->work.dampers += power.dampers * duration;
    step->work.drag += power.drag * duration;
    step->work.loads += power.loads * duration;
    step->work.callbacks += power.callbacks * duration;
    step->stage_seconds[ASH_STAGE_MEASURE] += ashi_seconds() - start;
}

bool ashi_step_scratch_state(ashi_step *step, ashi_state *state)
{
    uint32_t slots = ashi_body_slots(&step->model->bodies);
    state->position = ashi_arena_take_array(step->scratch, slots, sizeof *state->position);
    state->rotation = ashi_arena_take_array(step->scratch, slots, sizeof *state->rotation);
    state->velocity = ashi_arena_take_array(step->scratch, slots, sizeof *state->velocity);
    state->spin = ashi_arena_take_array(step->scratch, slots, sizeof *state->spin);
    return state->position != NULL && state->rotation != NULL && state->velocity != NULL && state->spin != NULL;
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

/* Contacts at the new state. Without memory for them the step is taken back. */
static bool detect(ashi_step *step)
{
    ashi_model *model = step->model;
    if (step->method.contacts == ASH_CONTACTS_OFF || model->shapes.pool.used == 0) {
        ashi_collision_clear(step->collision);
        return true;
    }
    double start = ashi_seconds();
    bool good = ashi_collision_detect(step->collision, model, step->tasks, &step->method, step->h) &&
                (!step->method.continuous || /* `next` is the state before the step: they were exchanged */
                 ashi_collision_find_impacts(step->collision, model, &model->bodies.next, step->h));
    if (!good) {
        ashi_bodies_exchange(&model->bodies);
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
    }
    step->stage_seconds[ASH_STAGE_COLLIDE] += ashi_seconds() - start;
    return good;
}

bool ashi_step_take(ashi_step *step)
{
    double start = ashi_seconds();
    ashi_model *model = step->model;
    atomic_store(&step->worst_slot, ASHI_NO_SLOT);
    model->forces.out_of_memory = false;
    ashi_arena_reset(step->scratch);

    bool done = ashi_forces_prepare(model, ashi_tasks_workers(step->tasks)) &&
                integrators[step->method.integrator](step) && !model->forces.out_of_memory;
    if (!done)
        step->flags |= ASH_FLAG_OUT_OF_MEMORY;
    else if (atomic_load(&step->worst_slot) != ASHI_NO_SLOT)
        step->flags |= ASH_FLAG_NOT_FINITE;
    bool taken = !(step->flags & (ASH_FLAG_OUT_OF_MEMORY | ASH_FLAG_NOT_FINITE));
    if (taken) {
        ashi_bodies_exchange(&model->bodies);
        taken = detect(step);
    }
    if (taken)
        forget_applied(&model->bodies);

    double other = 0;
    for (int i = 0; i < ASH_STAGES; i++)
        other += step->stage_seconds[i];
    step->stage_seconds[ASH_STAGE_INTEGRATE] += ashi_seconds() - start - other;
    return taken;
}
