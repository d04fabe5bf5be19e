/* A point of a body pulled to a target in the world: F = k (target - p) - c u, at most max_force. It models a mouse;
 * the hand that holds the target is outside the world, so all of its work counts as load. */
#include "model/forces.h"

#include <stddef.h>

static ash_vec3 point_velocity(const ashi_state *state, uint32_t body, ash_vec3 arm)
{
    return v3_add(state->velocity[body], v3_cross(state->spin[body], arm));
}

static ash_vec3 pull_force(const ashi_pull *p, const ashi_state *state, ash_vec3 arm, bool *limited)
{
    ash_vec3 gap = v3_sub(p->target, v3_add(state->position[p->body], arm));
    ash_vec3 force = v3_add_scaled(v3_scale(gap, p->stiffness), point_velocity(state, p->body, arm), -p->damping);
    double size = v3_norm(force);
    *limited = p->max_force > 0 && size > p->max_force;
    return *limited ? v3_scale(force, p->max_force / size) : force;
}

static void apply(ashi_model *model, const ashi_force_instant *stage)
{
    ashi_bodies *b = &model->bodies;
    for (uint32_t i = 0; i < model->forces.pulls.count; i++) {
        ashi_pull *p = &model->forces.pulls.data[i];
        bool limited;
        ash_vec3 arm = q_rotate(stage->state->rotation[p->body], p->arm);
        p->force = p->head.enabled ? pull_force(p, stage->state, arm, &limited) : v3(0, 0, 0);
        b->force[p->body] = v3_add(b->force[p->body], p->force);
        b->torque[p->body] = v3_add(b->torque[p->body], v3_cross(arm, p->force));
    }
}

static void add_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                      const ashi_state *to, ashi_work *power)
{
    for (uint32_t i = 0; i < model->forces.pulls.count; i++) {
        const ashi_pull *p = &model->forces.pulls.data[i];
        ash_vec3 arm = q_rotate(stage->state->rotation[p->body], p->arm);
        ash_vec3 u = v3_add(ashi_mean_velocity(from, to, p->body), v3_cross(ashi_mean_spin(from, to, p->body), arm));
        power->loads += v3_dot(p->force, u);
    }
}

static bool linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                      ashi_implicit_elements *elements)
{
    for (uint32_t i = 0; i < model->forces.pulls.count; i++) {
        const ashi_pull *p = &model->forces.pulls.data[i];
        bool limited;
        ash_vec3 arm = q_rotate(stage->state->rotation[p->body], p->arm);
        if (p->head.enabled)
            pull_force(p, stage->state, arm, &limited);
        if (!p->head.enabled || limited) /* at its limit the force does not change with the state */
            continue;
        if (!ashi_array_extend(&elements->pairs))
            return false;
        double factor = h * h * p->stiffness + h * p->damping;
        elements->pairs.data[elements->pairs.count - 1] = (ashi_implicit_element){
            .body_a = p->body,
            .body_b = 0,
            .arm_a = arm,
            .matrix = s3_diagonal(factor, factor, factor),
            .impulse = v3_scale(point_velocity(stage->state, p->body, arm), -h * h * p->stiffness),
        };
    }
    return true;
}

static bool uses_body(const void *element, uint32_t body)
{
    return ((const ashi_pull *)element)->body == body;
}

static void recentre(ashi_model *model, uint32_t index)
{
    ashi_pull *p = &model->forces.pulls.data[index];
    p->arm = ashi_arm(&model->bodies, p->body, p->point);
}

static void mark_elastic(const ashi_forces *f, bool *marks)
{
    for (uint32_t i = 0; i < f->pulls.count; i++)
        marks[f->pulls.data[i].body] = true;
}

const ashi_force_class ashi_pull_class = {
    .name = "pull",
    .element_size = sizeof(ashi_pull),
    .array = offsetof(ashi_forces, pulls),
    .apply = apply,
    .power = add_power,
    .linearize = linearize,
    .uses_body = uses_body,
    .recentre = recentre,
    .mark_elastic = mark_elastic,
};
