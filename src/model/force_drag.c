/* Drag (de Jong 2014 (7-1), (8-19) with the quadratic law): F = -(rho C_D A |u| / 2 + c) u at the centre of mass, with
 * u the velocity relative to the wind; each world component of u and of F is multiplied by the mask. */
#include "model/forces.h"

#include <stddef.h>

#define CHUNK 2048

/* The projected area of all shapes of a body along a world direction. */
static double shadow(const ashi_model *model, const ashi_state *state, uint32_t body, ash_vec3 direction)
{
    double area = 0;
    ash_vec3 local = q_unrotate(state->rotation[body], direction);
    for (uint32_t i = model->bodies.info[body].first_shape; i != ASHI_NO_SLOT; i = model->shapes.entries.data[i].next) {
        const ashi_shape_entry *shape = &model->shapes.entries.data[i];
        area += ash_geometry_projected_area(shape->geometry, q_unrotate(shape->pose.rotation, local));
    }
    return area;
}

static ash_vec3 masked_velocity(const ashi_drag *d, ash_vec3 velocity)
{
    return v3_mul(d->mask, v3_sub(velocity, d->wind));
}

/* rho C_D A / 2 */
static double quadratic_factor(const ashi_model *model, const ashi_state *state, const ashi_drag *d, ash_vec3 u)
{
    if (d->factor == 0)
        return 0;
    return d->factor * (d->area > 0 ? d->area : shadow(model, state, d->body, u));
}

static ash_vec3 drag_force(const ashi_model *model, const ashi_state *state, const ashi_drag *d)
{
    ash_vec3 u = masked_velocity(d, state->velocity[d->body]);
    double speed = v3_norm(u);
    if (!d->head.enabled || speed == 0)
        return v3(0, 0, 0);
    return v3_scale(v3_mul(d->mask, u), -(quadratic_factor(model, state, d, u) * speed + d->linear));
}

typedef struct drag_pass {
    ashi_model *model;
    const ashi_state *state;
} drag_pass;

static void apply_range(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    drag_pass *pass = data;
    ashi_bodies *b = &pass->model->bodies;
    for (uint32_t i = begin; i < end; i++) {
        ashi_drag *d = &pass->model->forces.drags.data[i];
        d->force = drag_force(pass->model, pass->state, d);
        b->force[d->body] = v3_add(b->force[d->body], d->force);
    }
}

static void apply(ashi_model *model, const ashi_force_instant *stage)
{
    drag_pass pass = {model, stage->state};
    ashi_parallel_for(model->forces.drags_distinct ? stage->tasks : NULL, model->forces.drags.count, CHUNK, apply_range,
                      &pass);
}

static void add_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                      const ashi_state *to, ashi_work *power)
{
    (void)stage;
    for (uint32_t i = 0; i < model->forces.drags.count; i++) {
        const ashi_drag *d = &model->forces.drags.data[i];
        power->drag += v3_dot(d->force, ashi_mean_velocity(from, to, d->body));
    }
}

/* dF/dv = -(a |u| + c) 1 - a u u^T / |u|, masked on both sides; the change of the area is neglected. */
static bool linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                      ashi_implicit_elements *elements)
{
    for (uint32_t i = 0; i < model->forces.drags.count; i++) {
        const ashi_drag *d = &model->forces.drags.data[i];
        ash_vec3 u = masked_velocity(d, stage->state->velocity[d->body]), m = d->mask;
        double speed = v3_norm(u);
        if (!d->head.enabled || speed == 0)
            continue;
        if (!ashi_array_extend(&elements->pairs))
            return false;
        double quadratic = quadratic_factor(model, stage->state, d, u);
        double along = quadratic * speed + d->linear;
        elements->pairs.data[elements->pairs.count - 1] = (ashi_implicit_element){
            .body_a = d->body,
            .body_b = 0, /* the background, which does not move */
            .matrix = s3_scale(s3_add(s3_diagonal(along * m.x * m.x, along * m.y * m.y, along * m.z * m.z),
                                      s3_outer(v3_mul(m, u), quadratic / speed)),
                               h),
        };
    }
    return true;
}

static bool uses_body(const void *element, uint32_t body)
{
    return ((const ashi_drag *)element)->body == body;
}

const ashi_force_class ashi_drag_class = {
    .name = "drag",
    .element_size = sizeof(ashi_drag),
    .array = offsetof(ashi_forces, drags),
    .apply = apply,
    .power = add_power,
    .linearize = linearize,
    .uses_body = uses_body,
};
