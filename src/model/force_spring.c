/* Spring and damper between two points (de Jong 2014, 8-2): along n = (p_a - p_b) / |p_a - p_b|,
 *
 *   force on a = -(k (length - rest) + c (u_a - u_b) . n) n,   on b the opposite,
 *
 * nothing at all while a tension-only spring is shorter than its rest length (8-12), and nothing if a tension-only
 * spring would push by its damper, unless damper_pushes is set (de Jong's form).
 *
 * On one thread forces are added spring by spring. On several, forces are first computed spring by spring, then summed
 * body by body through the web in the same order, which gives the same bits. */
#include "model/forces.h"

#include <stddef.h>

#define CHUNK 2048

/* The ends of a spring and the rate at which they separate. */
typedef struct span {
    ash_vec3 arm_a, arm_b; /* in world axes; zero without offset */
    ash_vec3 apart;        /* p_a - p_b */
    double length;
} span;

static span measure(const ashi_spring *s, const ashi_state *state)
{
    span m = {.apart = v3_sub(state->position[s->body_a], state->position[s->body_b])};
    if (s->offset_a) {
        m.arm_a = q_rotate(state->rotation[s->body_a], s->arm_a);
        m.apart = v3_add(m.apart, m.arm_a);
    }
    if (s->offset_b) {
        m.arm_b = q_rotate(state->rotation[s->body_b], s->arm_b);
        m.apart = v3_sub(m.apart, m.arm_b);
    }
    m.length = v3_norm(m.apart);
    return m;
}

static ash_vec3 relative_velocity(const ashi_spring *s, const span *m, const ashi_state *state)
{
    ash_vec3 u = v3_sub(state->velocity[s->body_a], state->velocity[s->body_b]);
    if (s->offset_a)
        u = v3_add(u, v3_cross(state->spin[s->body_a], m->arm_a));
    if (s->offset_b)
        u = v3_sub(u, v3_cross(state->spin[s->body_b], m->arm_b));
    return u;
}

static bool is_slack(const ashi_spring *s, double length)
{
    return !s->head.enabled || (s->tension_only && length < s->rest_length);
}

/* The force on a; `damper` receives the damper's share. */
static ash_vec3 force_on_a(const ashi_spring *s, const span *m, const ashi_state *state, ash_vec3 *damper)
{
    *damper = v3(0, 0, 0);
    if (is_slack(s, m->length))
        return v3(0, 0, 0);
    if (m->length == 0) /* no direction; with rest length 0 there is also no force */
        return v3(0, 0, 0);
    double per_length = 1 / m->length;
    double stretch = s->stiffness * (1 - s->rest_length * per_length);
    if (s->damping == 0)
        return v3_scale(m->apart, -stretch);
    double rate = v3_dot(relative_velocity(s, m, state), m->apart) * per_length * per_length;
    double resistance = s->damping * rate;
    if (s->tension_only && !s->damper_pushes && resistance < -stretch)
        resistance = -stretch;
    *damper = v3_scale(m->apart, -resistance);
    return v3_add_scaled(*damper, m->apart, -stretch);
}

double ashi_spring_length(const ashi_spring *s, const ashi_state *state)
{
    return measure(s, state).length;
}

double ashi_spring_tension(const ashi_spring *s, const ashi_state *state)
{
    span m = measure(s, state);
    ash_vec3 damper, force = force_on_a(s, &m, state, &damper);
    return -v3_dot(force, v3_unit(m.apart));
}

static void apply_in_order(ashi_model *model, const ashi_state *state)
{
    ashi_bodies *b = &model->bodies;
    ashi_forces *f = &model->forces;
    for (uint32_t i = 0; i < f->springs.count; i++) {
        const ashi_spring *s = &f->springs.data[i];
        span m = measure(s, state);
        ash_vec3 damper, force = force_on_a(s, &m, state, &damper);
        b->force[s->body_a] = v3_add(b->force[s->body_a], force);
        b->force[s->body_b] = v3_sub(b->force[s->body_b], force);
        if (s->offset_a)
            b->torque[s->body_a] = v3_add(b->torque[s->body_a], v3_cross(m.arm_a, force));
        if (s->offset_b)
            b->torque[s->body_b] = v3_sub(b->torque[s->body_b], v3_cross(m.arm_b, force));
        if (f->any_damper)
            f->damper_forces.data[i] = damper;
    }
}

typedef struct spring_pass {
    ashi_model *model;
    const ashi_state *state;
} spring_pass;

static void compute_tensions(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    spring_pass *pass = data;
    ashi_forces *f = &pass->model->forces;
    for (uint32_t i = begin; i < end; i++) {
        const ashi_spring *s = &f->springs.data[i];
        span m = measure(s, pass->state);
        ash_vec3 damper;
        f->web.tension[i] = force_on_a(s, &m, pass->state, &damper);
        if (f->any_damper)
            f->damper_forces.data[i] = damper;
    }
}

static void add_torque(ashi_bodies *b, const ashi_state *state, uint32_t body, const ashi_spring *s, uint32_t side,
                       ash_vec3 force)
{
    ash_vec3 torque = v3_cross(q_rotate(state->rotation[body], side == 0 ? s->arm_a : s->arm_b), force);
    b->torque[body] = side == 0 ? v3_add(b->torque[body], torque) : v3_sub(b->torque[body], torque);
}

static void sum_by_body(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    spring_pass *pass = data;
    ashi_bodies *b = &pass->model->bodies;
    const ashi_forces *f = &pass->model->forces;
    for (uint32_t body = begin; body < end; body++) {
        ash_vec3 sum = b->force[body];
        for (uint32_t k = f->web.first[body]; k < f->web.first[body + 1]; k++) {
            uint32_t end_of = f->web.ends[k], side = end_of & 1;
            ash_vec3 force = f->web.tension[end_of >> 2];
            sum = side == 0 ? v3_add(sum, force) : v3_sub(sum, force);
            if ((end_of & 2) != 0)
                add_torque(b, pass->state, body, &f->springs.data[end_of >> 2], side, force);
        }
        b->force[body] = sum;
    }
}

static void apply(ashi_model *model, const ashi_force_instant *stage)
{
    ashi_forces *f = &model->forces;
    if (f->springs.count == 0)
        return;
    if (ashi_tasks_workers(stage->tasks) == 1) {
        apply_in_order(model, stage->state);
        return;
    }
    spring_pass pass = {model, stage->state};
    ashi_parallel_for(stage->tasks, f->springs.count, CHUNK, compute_tensions, &pass);
    ashi_parallel_for(stage->tasks, f->web.body_count, CHUNK, sum_by_body, &pass);
}

static void add_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                      const ashi_state *to, ashi_work *power)
{
    const ashi_forces *f = &model->forces;
    if (!f->any_damper)
        return;
    for (uint32_t i = 0; i < f->springs.count; i++) {
        const ashi_spring *s = &f->springs.data[i];
        if (s->damping == 0)
            continue;
        ash_vec3 u = v3_sub(ashi_mean_velocity(from, to, s->body_a), ashi_mean_velocity(from, to, s->body_b));
        if (s->offset_a)
            u = v3_add(u, v3_cross(ashi_mean_spin(from, to, s->body_a),
                                   q_rotate(stage->state->rotation[s->body_a], s->arm_a)));
        if (s->offset_b)
            u = v3_sub(u, v3_cross(ashi_mean_spin(from, to, s->body_b),
                                   q_rotate(stage->state->rotation[s->body_b], s->arm_b)));
        power->dampers += v3_dot(f->damper_forces.data[i], u);
    }
}

static double energy(const ashi_model *model, const ashi_state *state, uint32_t index)
{
    const ashi_spring *s = &model->forces.springs.data[index];
    double length = measure(s, state).length;
    double stretch = length - s->rest_length;
    return is_slack(s, length) ? 0 : 0.5 * s->stiffness * stretch * stretch;
}

/* Stiffness k n n^T + k (1 - rest / length) (1 - n n^T); the second part is dropped where compression makes it
 * negative, which keeps the system of an implicit step positive definite. */
static bool linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                      ashi_implicit_elements *elements)
{
    const ashi_forces *f = &model->forces;
    if (!ashi_array_reserve(&elements->pairs, elements->pairs.count + f->springs.count))
        return false;
    for (uint32_t i = 0; i < f->springs.count; i++) {
        const ashi_spring *s = &f->springs.data[i];
        span m = measure(s, stage->state);
        if (is_slack(s, m.length) || (m.length == 0 && s->rest_length > 0))
            continue;
        double ratio = s->rest_length > 0 ? s->rest_length / m.length : 0;
        double across = ratio < 1 ? s->stiffness * (1 - ratio) : 0;
        ash_vec3 n = v3_unit(m.apart), u = relative_velocity(s, &m, stage->state);
        ash_sym3 stiffness = s3_add(s3_diagonal(across, across, across), s3_outer(n, s->stiffness - across));
        elements->pairs.data[elements->pairs.count++] = (ashi_implicit_element){
            .body_a = s->body_a,
            .body_b = s->body_b,
            .arm_a = m.arm_a,
            .arm_b = m.arm_b,
            .matrix = s3_add(s3_scale(stiffness, h * h), s3_outer(n, h * s->damping)),
            .impulse = v3_scale(s3_apply(stiffness, u), -h * h),
        };
    }
    return true;
}

static bool uses_body(const void *element, uint32_t body)
{
    const ashi_spring *s = element;
    return s->body_a == body || s->body_b == body;
}

static void recentre(ashi_model *model, uint32_t index)
{
    ashi_spring *s = &model->forces.springs.data[index];
    s->arm_a = ashi_arm(&model->bodies, s->body_a, s->point_a);
    s->arm_b = ashi_arm(&model->bodies, s->body_b, s->point_b);
    s->offset_a = v3_norm2(s->arm_a) != 0;
    s->offset_b = v3_norm2(s->arm_b) != 0;
}

static void mark_elastic(const ashi_forces *f, bool *marks)
{
    for (uint32_t i = 0; i < f->springs.count; i++)
        marks[f->springs.data[i].body_a] = marks[f->springs.data[i].body_b] = true;
}

const ashi_force_class ashi_spring_class = {
    .name = "spring",
    .element_size = sizeof(ashi_spring),
    .array = offsetof(ashi_forces, springs),
    .apply = apply,
    .power = add_power,
    .energy = energy,
    .linearize = linearize,
    .uses_body = uses_body,
    .recentre = recentre,
    .mark_elastic = mark_elastic,
};
