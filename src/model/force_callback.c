/* Forces computed by the host. The forces that a callback adds are recorded, so that their power can be computed
 * later. */
#include "model/forces.h"

#include <stddef.h>

struct ash_force_context {
    ashi_model *model;
    const ashi_force_instant *stage;
};

static uint32_t slot_of(const ash_force_context *context, ash_body body)
{
    return ashi_pool_slot_of(&context->model->bodies.pool, body.id);
}

double ash_force_context_get_time(const ash_force_context *context)
{
    return context->stage->time;
}

ash_transform ash_force_context_get_transform(const ash_force_context *context, ash_body body)
{
    uint32_t slot = slot_of(context, body);
    return slot == ASHI_NO_SLOT ? ash_identity()
                                : ashi_body_frame(&context->model->bodies, context->stage->state, slot);
}

ash_vec3 ash_force_context_get_velocity(const ash_force_context *context, ash_body body)
{
    uint32_t slot = slot_of(context, body);
    return slot == ASHI_NO_SLOT ? v3(0, 0, 0) : context->stage->state->velocity[slot];
}

ash_vec3 ash_force_context_get_angular_velocity(const ash_force_context *context, ash_body body)
{
    uint32_t slot = slot_of(context, body);
    return slot == ASHI_NO_SLOT ? v3(0, 0, 0) : context->stage->state->spin[slot];
}

void ash_force_context_add(ash_force_context *context, ash_body body, ash_vec3 force, ash_vec3 torque)
{
    ashi_forces *f = &context->model->forces;
    ashi_bodies *b = &context->model->bodies;
    uint32_t slot = slot_of(context, body);
    if (slot == ASHI_NO_SLOT)
        return;
    if (!ashi_array_extend(&f->callback_records)) {
        f->out_of_memory = true;
        return;
    }
    f->callback_records.data[f->callback_records.count - 1] = (ashi_callback_record){slot, force, torque};
    b->force[slot] = v3_add(b->force[slot], force);
    b->torque[slot] = v3_add(b->torque[slot], torque);
}

static void apply(ashi_model *model, const ashi_force_instant *stage)
{
    ash_force_context context = {model, stage};
    model->forces.callback_records.count = 0;
    for (uint32_t i = 0; i < model->forces.callbacks.count; i++) {
        const ashi_callback *c = &model->forces.callbacks.data[i];
        if (c->head.enabled)
            c->function(&context, c->user);
    }
}

static void add_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                      const ashi_state *to, ashi_work *power)
{
    (void)stage;
    for (uint32_t i = 0; i < model->forces.callback_records.count; i++) {
        const ashi_callback_record *r = &model->forces.callback_records.data[i];
        power->callbacks += v3_dot(r->force, ashi_mean_velocity(from, to, r->body)) +
                            v3_dot(r->torque, ashi_mean_spin(from, to, r->body));
    }
}

static bool uses_body(const void *element, uint32_t body)
{
    (void)element;
    (void)body;
    return false; /* the host is responsible for its handles; stale ones are ignored */
}

static void mark_elastic(const ashi_forces *f, bool *marks)
{
    for (uint32_t i = 0; i < f->callback_records.count; i++)
        marks[f->callback_records.data[i].body] = true;
}

const ashi_force_class ashi_callback_class = {
    .name = "callback",
    .element_size = sizeof(ashi_callback),
    .array = offsetof(ashi_forces, callbacks),
    .apply = apply,
    .power = add_power,
    .uses_body = uses_body,
    .mark_elastic = mark_elastic,
};
