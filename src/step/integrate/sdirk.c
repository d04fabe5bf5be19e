/* SDIRK2 (Alexander 1977): two implicit stages with the same matrix, order 2, L-stable. With c = 1 - 1 / sqrt(2):
 *
 *   stage 1 at c h:  v = v0 + c h a,                        x = x0 + c h v
 *   stage 2 at h:    v = v0 + (1 - c) h a_1 + c h a,        x = x0 + (1 - c) h v_1 + c h v,   which is the end.
 *
 * Motions too stiff for the step are damped, as by implicit Euler; resolved motions are of order 2. Rotation uses the
 * exponential of the same sums of angular velocities, whose commutators are of higher order. */
#include "step/integrate/implicit_stage.h"

static const double c = 0.29289321881345248;

/* The base of the second stage; its rotation stays that at the start. */
static void set_second_base(const ashi_implicit_stage *first, ashi_implicit_stage *second)
{
    const ashi_step *step = first->step;
    const ashi_bodies *b = &step->model->bodies;
    double rest = (1 - c) * step->h, ratio = (1 - c) / c;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        ash_vec3 v = first->state.velocity[i], w = first->state.spin[i];
        second->base.rotation[i] = b->now.rotation[i];
        second->base.position[i] = v3_add_scaled(b->now.position[i], v, rest);
        second->base.velocity[i] = v3_add_scaled(b->now.velocity[i], v3_sub(v, b->now.velocity[i]), ratio);
        second->base.spin[i] = v3_add_scaled(b->now.spin[i], v3_sub(w, b->now.spin[i]), ratio);
        second->turned[i] = v3_scale(w, rest);
    }
}

static void store(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    const ashi_implicit_stage *s = data;
    const ashi_bodies *b = &s->step->model->bodies;
    for (uint32_t i = begin; i < end; i++)
        if (!(b->motion[i] & ASHI_DYNAMIC))
            ashi_step_carry(s->step, i);
        else
            ashi_step_store(s->step, i, s->state.position[i], s->state.rotation[i], s->state.velocity[i],
                            s->state.spin[i]);
}

bool ashi_integrate_sdirk2(ashi_step *step)
{
    const ashi_bodies *b = &step->model->bodies;
    double h = step->h;
    step->residual = 0;
    ashi_implicit_stage first = {.step = step, .g = c * h, .time = step->time + c * h, .base = b->now};
    ashi_implicit_stage second = {.step = step, .g = c * h, .time = step->time + h};
    second.turned = ashi_arena_take_array(step->scratch, ashi_body_slots(b), sizeof *second.turned);
    if (second.turned == NULL || !ashi_step_scratch_state(step, &first.state) ||
        !ashi_step_scratch_state(step, &second.base) || !ashi_step_scratch_state(step, &second.state) ||
        !ashi_implicit_stage_solve(&first))
        return false;
    ashi_step_record_work(step, &first.state, first.time, &first.state, &first.state, (1 - c) * h);
    set_second_base(&first, &second);
    if (!ashi_implicit_stage_solve(&second))
        return false;
    ashi_step_record_work(step, &second.state, second.time, &second.state, &second.state, c * h);
    ashi_step_for_bodies(step, store, &second);
    return true;
}
