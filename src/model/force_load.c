/* Given forces and torques, constant or varying in time: a signal times a force at a point and a torque. */
#include "model/forces.h"
#include "model/signal.h"

#include <stddef.h>

static void apply(ashi_model *model, const ashi_force_instant *stage)
{
    ashi_bodies *b = &model->bodies;
    for (uint32_t i = 0; i < model->forces.loads.count; i++) {
        ashi_load *l = &model->forces.loads.data[i];
        bool acts = l->head.enabled && stage->time >= l->start && stage->time < l->stop;
        double factor = acts ? ashi_signal_value(&l->signal, stage->time) : 0;
        ash_quat rotation = stage->state->rotation[l->body];
        ash_vec3 force = v3_scale(l->force, factor), torque = v3_scale(l->torque, factor);
        if (l->body_axes) {
            force = q_rotate(rotation, force);
            torque = q_rotate(rotation, torque);
        }
        l->applied_force = force;
        l->applied_torque = v3_add(torque, v3_cross(q_rotate(rotation, l->arm), force));
        b->force[l->body] = v3_add(b->force[l->body], l->applied_force);
        b->torque[l->body] = v3_add(b->torque[l->body], l->applied_torque);
    }
}

static void add_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                      const ashi_state *to, ashi_work *power)
{
    (void)stage;
    for (uint32_t i = 0; i < model->forces.loads.count; i++) {
        const ashi_load *l = &model->forces.loads.data[i];
        power->loads += v3_dot(l->applied_force, ashi_mean_velocity(from, to, l->body)) +
                        v3_dot(l->applied_torque, ashi_mean_spin(from, to, l->body));
    }
}

static bool uses_body(const void *element, uint32_t body)
{
    return ((const ashi_load *)element)->body == body;
}

static void recentre(ashi_model *model, uint32_t index)
{
    ashi_load *l = &model->forces.loads.data[index];
    l->arm = ashi_arm(&model->bodies, l->body, l->point);
}

static void release(void *element)
{
    ashi_load *l = element;
    ashi_dealloc((void *)l->signal.times);
    ashi_dealloc((void *)l->signal.values);
}

const ashi_force_class ashi_load_class = {
    .name = "load",
    .element_size = sizeof(ashi_load),
    .array = offsetof(ashi_forces, loads),
    .apply = apply,
    .power = add_power,
    .uses_body = uses_body,
    .recentre = recentre,
    .release = release,
};
