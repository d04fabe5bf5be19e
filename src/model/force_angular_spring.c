/* Angular spring and damper: with theta the rotation vector, in world axes, that takes b from its rest rotation
 * relative to a to its present one, torque on b = -k theta - c (w_b - w_a), on a the opposite. The potential is k
 * theta^2 / 2: theta is its gradient because a small turn changes |theta| by its component along theta. */
#include "model/forces.h"

#include <stddef.h>

ash_vec3 ashi_angular_spring_deflection(const ashi_angular_spring *s, const ashi_state *state)
{
    ash_quat rest = q_mul(state->rotation[s->body_a], s->rest_rotation);
    return q_log(q_mul(state->rotation[s->body_b], q_conjugate(rest)));
}

static ash_vec3 damper_torque_on_b(const ashi_angular_spring *s, const ashi_state *state)
{
    return v3_scale(v3_sub(state->spin[s->body_b], state->spin[s->body_a]), -s->damping);
}

static void apply(ashi_model *model, const ashi_force_instant *stage)
{
    ashi_bodies *b = &model->bodies;
    for (uint32_t i = 0; i < model->forces.angular_springs.count; i++) {
        const ashi_angular_spring *s = &model->forces.angular_springs.data[i];
        if (!s->head.enabled)
            continue;
        ash_vec3 torque = v3_add_scaled(damper_torque_on_b(s, stage->state),
                                        ashi_angular_spring_deflection(s, stage->state), -s->stiffness);
        b->torque[s->body_a] = v3_sub(b->torque[s->body_a], torque);
        b->torque[s->body_b] = v3_add(b->torque[s->body_b], torque);
    }
}

static void add_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                      const ashi_state *to, ashi_work *power)
{
    for (uint32_t i = 0; i < model->forces.angular_springs.count; i++) {
        const ashi_angular_spring *s = &model->forces.angular_springs.data[i];
        if (!s->head.enabled)
            continue;
        ash_vec3 w = v3_sub(ashi_mean_spin(from, to, s->body_b), ashi_mean_spin(from, to, s->body_a));
        power->dampers += v3_dot(damper_torque_on_b(s, stage->state), w);
    }
}

static double energy(const ashi_model *model, const ashi_state *state, uint32_t index)
{
    const ashi_angular_spring *s = &model->forces.angular_springs.data[index];
    return s->head.enabled ? 0.5 * s->stiffness * v3_norm2(ashi_angular_spring_deflection(s, state)) : 0;
}

/* To first order in the deflection the stiffness is k in every direction. */
static bool linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                      ashi_implicit_elements *elements)
{
    for (uint32_t i = 0; i < model->forces.angular_springs.count; i++) {
        const ashi_angular_spring *s = &model->forces.angular_springs.data[i];
        if (!s->head.enabled)
            continue;
        if (!ashi_array_extend(&elements->pairs))
            return false;
        double factor = h * h * s->stiffness + h * s->damping;
        ash_vec3 w = v3_sub(stage->state->spin[s->body_a], stage->state->spin[s->body_b]);
        elements->pairs.data[elements->pairs.count - 1] = (ashi_implicit_element){
            .body_a = s->body_a,
            .body_b = s->body_b,
            .angular = true,
            .matrix = s3_diagonal(factor, factor, factor),
            .impulse = v3_scale(w, -h * h * s->stiffness),
        };
    }
    return true;
}

static bool uses_body(const void *element, uint32_t body)
{
    const ashi_angular_spring *s = element;
    return s->body_a == body || s->body_b == body;
}

static void mark_elastic(const ashi_forces *f, bool *marks)
{
    for (uint32_t i = 0; i < f->angular_springs.count; i++)
        marks[f->angular_springs.data[i].body_a] = marks[f->angular_springs.data[i].body_b] = true;
}

const ashi_force_class ashi_angular_spring_class = {
    .name = "angular-spring",
    .element_size = sizeof(ashi_angular_spring),
    .array = offsetof(ashi_forces, angular_springs),
    .apply = apply,
    .power = add_power,
    .energy = energy,
    .linearize = linearize,
    .uses_body = uses_body,
    .mark_elastic = mark_elastic,
};
