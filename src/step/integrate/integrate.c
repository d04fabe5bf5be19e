/* Free motion by the method's integrator, the evaluation of forces at its stages, and room for their states. */
#include "step/scheme.h"

#include <string.h>

static bool (*const integrators[ASH_INTEGRATORS])(ashi_step *) = {
    [ASH_EXPLICIT_EULER] = ashi_integrate_explicit_euler,
    [ASH_SYMPLECTIC_EULER] = ashi_integrate_symplectic_euler,
    [ASH_IMPLICIT_EULER] = ashi_integrate_implicit_euler,
    [ASH_RK4] = ashi_integrate_rk4,
    [ASH_IMPLICIT_MIDPOINT] = ashi_integrate_implicit_midpoint,
    [ASH_AXIS_SPLITTING] = ashi_integrate_axis_splitting,
    [ASH_SDIRK2] = ashi_integrate_sdirk2,
};

bool ashi_step_integrate(ashi_step *step)
{
    return integrators[step->method.integrator](step);
}

void ashi_step_evaluate(ashi_step *step, const ashi_state *state, double time)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_FORCES);
    ashi_force_instant stage = {state, time, step->tasks};
    ashi_forces_evaluate(step->model, &stage);
    if (step->scheme->accelerate != NULL)
        step->scheme->accelerate(step, state, time);
    step->evaluations++;
    ashi_step_enter(step, before);
}

void ashi_step_record_work(ashi_step *step, const ashi_state *evaluated, double time, const ashi_state *from,
                           const ashi_state *to, double duration)
{
    ash_stage before = ashi_step_enter(step, ASH_STAGE_MEASURE);
    ashi_force_instant stage = {evaluated, time, step->tasks};
    ashi_work power = ashi_forces_power(step->model, &stage, from, to);
    ashi_work_add(&step->work, &power, duration);
    ashi_step_enter(step, before);
}

bool ashi_step_state_in(ashi_step *step, ashi_arena *arena, ashi_state *state)
{
    uint32_t slots = ashi_body_slots(&step->model->bodies);
    state->position = ashi_arena_take_array(arena, slots, sizeof *state->position);
    state->rotation = ashi_arena_take_array(arena, slots, sizeof *state->rotation);
    state->velocity = ashi_arena_take_array(arena, slots, sizeof *state->velocity);
    state->spin = ashi_arena_take_array(arena, slots, sizeof *state->spin);
    return state->position != NULL && state->rotation != NULL && state->velocity != NULL && state->spin != NULL;
}

bool ashi_step_scratch_state(ashi_step *step, ashi_state *state)
{
    return ashi_step_state_in(step, step->scratch, state);
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
