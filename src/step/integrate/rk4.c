/* The classical Runge-Kutta method of order 4 over the whole world (Bender & Schmitt 2006, section 3): slopes at the
 * start, twice half-way, and at the end, weighted 1 2 2 1. Quaternions are integrated as q' = w q / 2 and made unit at
 * every stage, which keeps the order. */
#include "step/step.h"

typedef struct rk4_pass {
    ashi_step *step;
    const ashi_state *at; /* where forces were evaluated */
    ashi_state stage;     /* receives the next place of evaluation */
    ashi_state sum;       /* of weighted slopes */
    double weight;        /* of this slope */
    double ahead;         /* h times this: from the start to the next stage; 0 after the last slope */
} rk4_pass;

static ash_quat quat_add_scaled(ash_quat a, ash_quat b, double s)
{
    return (ash_quat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static ash_quat quat_rate(ash_quat q, ash_vec3 spin)
{
    return q_mul((ash_quat){0, 0.5 * spin.x, 0.5 * spin.y, 0.5 * spin.z}, q);
}

/* Adds the slope at one body to the sum; on the first slope the sum starts. */
static void add_slope(rk4_pass *p, uint32_t i, ash_vec3 dx, ash_quat dq, ash_vec3 dv, ash_vec3 dw)
{
    bool first = p->at == &p->step->model->bodies.now;
    ashi_state *s = &p->sum;
    ash_vec3 none = v3(0, 0, 0);
    s->position[i] = v3_add_scaled(first ? none : s->position[i], dx, p->weight);
    s->velocity[i] = v3_add_scaled(first ? none : s->velocity[i], dv, p->weight);
    s->spin[i] = v3_add_scaled(first ? none : s->spin[i], dw, p->weight);
    s->rotation[i] = quat_add_scaled(first ? (ash_quat){0, 0, 0, 0} : s->rotation[i], dq, p->weight);
}

static void take_slope(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    rk4_pass *p = data;
    const ashi_bodies *b = &p->step->model->bodies;
    for (uint32_t i = begin; i < end; i++) {
        ash_vec3 dx = p->at->velocity[i], w = p->at->spin[i], dv = v3(0, 0, 0), dw = v3(0, 0, 0);
        ash_quat q = p->at->rotation[i], dq = {0, 0, 0, 0};
        if (b->motion[i] & ASHI_DYNAMIC)
            dv = ashi_linear_acceleration(b, i);
        if (b->motion[i] & ASHI_ROTATES)
            dw = ashi_angular_acceleration(b, i, q, w, b->torque[i]);
        if (b->motion[i] & (ASHI_ROTATES | ASHI_KINEMATIC))
            dq = quat_rate(q, w);
        add_slope(p, i, dx, dq, dv, dw);
        if (p->ahead == 0)
            continue;
        double ahead = p->ahead * p->step->h;
        p->stage.position[i] = v3_add_scaled(b->now.position[i], dx, ahead);
        p->stage.velocity[i] = v3_add_scaled(b->now.velocity[i], dv, ahead);
        p->stage.spin[i] = v3_add_scaled(b->now.spin[i], dw, ahead);
        p->stage.rotation[i] = q_unit(quat_add_scaled(b->now.rotation[i], dq, ahead));
    }
}

static void finish(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    rk4_pass *p = data;
    ashi_step *step = p->step;
    const ashi_bodies *b = &step->model->bodies;
    double h6 = step->h / 6;
    for (uint32_t i = begin; i < end; i++) {
        if (!(b->motion[i] & ASHI_DYNAMIC)) {
            ashi_step_carry(step, i);
            continue;
        }
        ash_quat rotation = b->now.rotation[i];
        if (b->motion[i] & ASHI_ROTATES)
            rotation = q_unit(quat_add_scaled(rotation, p->sum.rotation[i], h6));
        ashi_step_store(step, i, v3_add_scaled(b->now.position[i], p->sum.position[i], h6), rotation,
                        v3_add_scaled(b->now.velocity[i], p->sum.velocity[i], h6),
                        v3_add_scaled(b->now.spin[i], p->sum.spin[i], h6));
    }
}

bool ashi_integrate_rk4(ashi_step *step)
{
    static const double weights[4] = {1, 2, 2, 1}, times[4] = {0, 0.5, 0.5, 1}, ahead[4] = {0.5, 0.5, 1, 0};
    const ashi_bodies *b = &step->model->bodies;
    rk4_pass pass = {.step = step, .at = &b->now};
    if (!ashi_step_scratch_state(step, &pass.stage) || !ashi_step_scratch_state(step, &pass.sum))
        return false;
    for (int k = 0; k < 4; k++) {
        double time = step->time + times[k] * step->h;
        ashi_step_evaluate(step, pass.at, time);
        ashi_step_record_work(step, pass.at, time, pass.at, pass.at, step->h * weights[k] / 6);
        pass.weight = weights[k];
        pass.ahead = ahead[k];
        ashi_step_for_bodies(step, take_slope, &pass);
        pass.at = &pass.stage;
    }
    ashi_step_for_bodies(step, finish, &pass);
    return true;
}
