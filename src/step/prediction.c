/* Where no force depends on the state, each body moves by itself: under a force F(t) and a torque T(t) in world axes.
 *
 * By rk4 (Bender & Schmitt 2006, (1)-(4)): translation in closed form, which is what Runge-Kutta gives,
 *   v1 = v0 + h/6 (a0 + 4 am + a1),   x1 = x0 + h v0 + h^2/6 (a0 + 2 am),
 * rotation in the principal axes of inertia, where Euler's equations are w_i' = ((I_j - I_k) w_j w_k + T_i) / I_i and
 * q' = q w / 2; bodies that turn too fast for that by axis splitting. By implicit midpoint as in midpoint.c, whose
 * equations are those of one body here. In all other cases the method's integrator predicts the world. */
#include "step/prediction.h"

#include "step/integrate/rotation.h"

#include <string.h>

#define CHUNK   128 /* bodies in a piece of a parallel loop */
#define FASTEST 2.0 /* rad that a body may turn by in a part for Runge-Kutta to be stable with any inertia */

enum { START, MIDDLE, END };

/* ---- forces ---- */

static bool forces_are_given(const ashi_model *model)
{
    const ashi_forces *f = &model->forces;
    if (f->springs.count + f->angular_springs.count + f->bending_springs.count + f->drags.count + f->pulls.count +
                f->callbacks.count >
            0 ||
        model->bodies.damped_count > 0)
        return false;
    for (uint32_t i = 0; i < f->loads.count; i++) {
        const ashi_load *load = &f->loads.data[i];
        if (load->body_axes || (v3_norm2(load->arm) > 0 && v3_norm2(load->force) > 0))
            return false;
    }
    return true;
}

static bool keep(ashi_prediction *p, int when)
{
    const ashi_bodies *b = &p->step->model->bodies;
    uint32_t slots = ashi_body_slots(b);
    ash_vec3 *force = ashi_arena_take_array(p->step->scratch, slots, sizeof *force);
    ash_vec3 *torque = ashi_arena_take_array(p->step->scratch, slots, sizeof *torque);
    if (force == NULL || torque == NULL)
        return false;
    memcpy(force, b->force, slots * sizeof *force);
    memcpy(torque, b->torque, slots * sizeof *torque);
    p->force[when] = force;
    p->torque[when] = torque;
    return true;
}

static double time_at(const ashi_prediction *p, int when)
{
    return p->step->time + 0.5 * when * p->step->h;
}

bool ashi_prediction_begin(ashi_prediction *p, ashi_step *step)
{
    const ashi_bodies *b = &step->model->bodies;
    ash_integrator integrator = step->method.integrator;
    *p = (ashi_prediction){.step = step, .work = step->work, .iterations = step->iterations};
    p->single = (integrator == ASH_RK4 || integrator == ASH_IMPLICIT_MIDPOINT) && forces_are_given(step->model);
    if (!p->single)
        return true;
    bool constant = step->model->forces.loads.count == 0 || integrator == ASH_IMPLICIT_MIDPOINT;
    for (int when = START; when <= END; when++) {
        p->force[when] = b->force;
        p->torque[when] = b->torque;
        if (constant && when != MIDDLE)
            continue;
        ashi_step_evaluate(step, &b->now, time_at(p, when));
        if (when != END && !constant && !keep(p, when))
            return false;
    }
    return true;
}

void ashi_prediction_record_work(ashi_prediction *p)
{
    if (!p->single)
        return; /* the integrator has */
    const ashi_bodies *b = &p->step->model->bodies;
    static const double shares[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    bool constant = p->force[START] == p->force[END];
    if (constant && !b->any_applied && b->kinematic_count == 0 && p->step->model->forces.loads.count == 0)
        return; /* gravity alone, which is a potential */
    for (int when = START; when <= END; when++) {
        if (constant && when != MIDDLE)
            continue;
        if (!constant)
            ashi_step_evaluate(p->step, &b->now, time_at(p, when));
        ashi_step_record_work(p->step, &b->now, time_at(p, when), &b->now, &b->next,
                              p->step->h * (constant ? 1 : shares[when]));
    }
}

/* ---- rk4 ---- */

typedef struct turning {
    ash_quat rotation;
    ash_vec3 spin;
} turning;

static turning add_slope(turning from, turning slope, double h)
{
    ash_quat q = from.rotation, d = slope.rotation;
    return (turning){{q.w + h * d.w, q.x + h * d.x, q.y + h * d.y, q.z + h * d.z},
                     v3_add_scaled(from.spin, slope.spin, h)};
}

/* Euler's equations in principal axes: w_i' = ratio_i w_j w_k + inverse_i T_i. */
typedef struct spinner {
    ash_vec3 ratio, inverse;
    bool free; /* there is no torque, and the length of q does not matter */
} spinner;

/* q (0, w) / 2, the derivative of a rotation by a spin in its own axes. */
static ash_quat rate_of(ash_quat q, ash_vec3 w)
{
    ash_vec3 half = v3_scale(w, 0.5);
    return (ash_quat){-(q.x * half.x + q.y * half.y + q.z * half.z), q.w * half.x + q.y * half.z - q.z * half.y,
                      q.w * half.y - q.x * half.z + q.z * half.x, q.w * half.z + q.x * half.y - q.y * half.x};
}

static ash_vec3 free_change(ash_vec3 ratio, ash_vec3 w)
{
    return v3(ratio.x * w.y * w.z, ratio.y * w.z * w.x, ratio.z * w.x * w.y);
}

static turning slope_in_body(const spinner *s, turning at, ash_vec3 torque)
{
    ash_vec3 w = at.spin;
    ash_vec3 change = free_change(s->ratio, w);
    change = v3_add(change, v3_mul(s->inverse, q_unrotate(q_unit(at.rotation), torque)));
    return (turning){rate_of(at.rotation, w), change};
}

/* All four stages without torque, as most bodies turn. */
static turning turn_freely(ash_vec3 ratio, turning start, double h)
{
    turning k1 = {rate_of(start.rotation, start.spin), free_change(ratio, start.spin)};
    turning at = add_slope(start, k1, 0.5 * h);
    turning k2 = {rate_of(at.rotation, at.spin), free_change(ratio, at.spin)};
    at = add_slope(start, k2, 0.5 * h);
    turning k3 = {rate_of(at.rotation, at.spin), free_change(ratio, at.spin)};
    at = add_slope(start, k3, h);
    turning k4 = {rate_of(at.rotation, at.spin), free_change(ratio, at.spin)};
    turning end = add_slope(add_slope(start, k1, h * (1.0 / 6)), k2, h * (1.0 / 3));
    return add_slope(add_slope(end, k3, h * (1.0 / 3)), k4, h * (1.0 / 6));
}

/* In world axes, locks included. */
static turning slope_in_world(const ashi_bodies *b, uint32_t i, turning at, ash_vec3 torque)
{
    ash_vec3 w = at.spin;
    ash_quat q = q_unit(at.rotation);
    return (turning){q_mul((ash_quat){0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z}, q),
                     ashi_angular_acceleration(b, i, q, w, torque)};
}

static turning turn_by_rk4(const ashi_prediction *p, uint32_t i)
{
    static const int when[4] = {START, MIDDLE, MIDDLE, END};
    static const double ahead[4] = {0, 0.5, 0.5, 1}, share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const ashi_bodies *b = &p->step->model->bodies;
    const ashi_rotor *rotor = &b->rotor[i];
    double h = p->step->h;
    bool locked = b->motion[i] & ASHI_PARTIAL;
    ash_vec3 m = rotor->principal, inverse = v3(1 / m.x, 1 / m.y, 1 / m.z);
    spinner s = {v3_mul(v3(m.y - m.z, m.z - m.x, m.x - m.y), inverse), inverse,
                 v3_norm2(p->torque[START][i]) + v3_norm2(p->torque[MIDDLE][i]) + v3_norm2(p->torque[END][i]) == 0};
    turning start = {b->now.rotation[i], b->now.spin[i]};
    if (!locked) {
        start.rotation = q_mul(start.rotation, rotor->principal_axes);
        start.spin = q_unrotate(start.rotation, start.spin);
    }
    bool free = !locked && s.free;
    turning end = free ? turn_freely(s.ratio, start, h) : start, slope = {{0, 0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 4 && !free; k++) {
        turning at = add_slope(start, slope, h * ahead[k]);
        ash_vec3 torque = p->torque[when[k]][i];
        slope = locked ? slope_in_world(b, i, at, torque) : slope_in_body(&s, at, torque);
        end = add_slope(end, slope, h * share[k]);
    }
    end.rotation = q_unit(end.rotation);
    if (!locked) {
        end.spin = q_rotate(end.rotation, end.spin);
        end.rotation = q_unit(q_mul(end.rotation, q_conjugate(rotor->principal_axes)));
    }
    return end;
}

/* By axis splitting, torques in halves at both ends: bounded however fast the body turns. */
static turning turn_by_splitting(const ashi_prediction *p, uint32_t i)
{
    const ashi_bodies *b = &p->step->model->bodies;
    turning t = {b->now.rotation[i], b->now.spin[i]};
    double half = 0.5 * p->step->h;
    t.spin = v3_add_scaled(t.spin, ashi_angular_response(b, i, t.rotation, p->torque[START][i]), half);
    ashi_rotate_by_splitting(&b->rotor[i], p->step->h, &t.rotation, &t.spin);
    t.spin = v3_add_scaled(t.spin, ashi_angular_response(b, i, t.rotation, p->torque[END][i]), half);
    return t;
}

static ash_vec3 acceleration(const ashi_prediction *p, int when, uint32_t i)
{
    const ashi_bodies *b = &p->step->model->bodies;
    ash_vec3 a = v3_scale(p->force[when][i], b->inertial[i].inverse_mass);
    return b->motion[i] & ASHI_LINEAR_LOCKS ? ashi_unlocked_velocity(b, i, a) : a;
}

static void move_by_rk4(const ashi_prediction *p, uint32_t i)
{
    const ashi_bodies *b = &p->step->model->bodies;
    double h = p->step->h;
    bool constant = p->force[START] == p->force[END];
    ash_vec3 am = acceleration(p, MIDDLE, i);
    ash_vec3 a0 = constant ? am : acceleration(p, START, i), a1 = constant ? am : acceleration(p, END, i);
    ash_vec3 v0 = b->now.velocity[i];
    ash_vec3 way = v3_add_scaled(v3_scale(v0, h), v3_add_scaled(a0, am, 2), h * h / 6);
    ash_vec3 gain = v3_scale(v3_add(v3_add_scaled(a0, am, 4), a1), h / 6);
    turning end = {b->now.rotation[i], b->now.spin[i]};
    bool fast = h * h * v3_norm2(end.spin) > FASTEST * FASTEST && !(b->motion[i] & ASHI_PARTIAL);
    if (b->motion[i] & ASHI_ROTATES)
        end = fast ? turn_by_splitting(p, i) : turn_by_rk4(p, i);
    ashi_step_store(p->step, i, v3_add(b->now.position[i], way), end.rotation, v3_add(v0, gain), end.spin);
}

/* ---- implicit midpoint ---- */

/* Locks: the derivative at the middle, by fixed-point iteration. */
static bool turn_locked(const ashi_bodies *b, uint32_t i, double h, ash_vec3 torque, turning *t)
{
    enum { MOST_ITERATIONS = 100 };
    turning start = *t;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        ash_vec3 mean = v3_scale(v3_add(start.spin, t->spin), 0.5);
        ash_quat middle = q_unit(q_mul(q_cayley(v3_scale(mean, 0.5 * h)), start.rotation));
        ash_vec3 spin = v3_add_scaled(start.spin, ashi_angular_acceleration(b, i, middle, mean, torque), h);
        double change = v3_norm(v3_sub(spin, t->spin));
        t->spin = spin;
        t->rotation = q_unit(q_mul(q_cayley(v3_scale(v3_add(start.spin, spin), 0.5 * h)), start.rotation));
        if (change <= 4e-16 * v3_norm(spin))
            return true;
    }
    return false;
}

static void move_by_midpoint(const ashi_prediction *p, uint32_t i)
{
    const ashi_bodies *b = &p->step->model->bodies;
    double h = p->step->h;
    ash_vec3 v0 = b->now.velocity[i], v1 = v3_add_scaled(v0, acceleration(p, MIDDLE, i), h);
    ash_vec3 torque = p->torque[MIDDLE][i];
    turning t = {b->now.rotation[i], b->now.spin[i]};
    ash_quat middle;
    bool converged = true;
    if (b->motion[i] & ASHI_ROTATES)
        converged = b->motion[i] & ASHI_PARTIAL
                        ? turn_locked(b, i, h, torque, &t)
                        : ashi_rotate_by_midpoint(&b->rotor[i], h, torque, &t.rotation, &t.spin, &middle);
    if (!converged)
        atomic_store(&p->step->unconverged, true);
    ashi_step_store(p->step, i, v3_add_scaled(b->now.position[i], v3_add(v0, v1), 0.5 * h), t.rotation, v1, t.spin);
}

/* ---- bodies ---- */

static void predict_body(const ashi_prediction *p, uint32_t i)
{
    if (!(p->step->model->bodies.motion[i] & ASHI_DYNAMIC))
        ashi_step_carry(p->step, i);
    else if (p->step->method.integrator == ASH_RK4)
        move_by_rk4(p, i);
    else
        move_by_midpoint(p, i);
}

typedef struct some_bodies {
    const ashi_prediction *prediction;
    const uint32_t *slots; /* null: all */
} some_bodies;

static void predict_range(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    const some_bodies *s = data;
    for (uint32_t i = begin; i < end; i++)
        predict_body(s->prediction, s->slots != NULL ? s->slots[i] : i);
}

static bool predict_world(ashi_prediction *p)
{
    ashi_step *step = p->step;
    ashi_arena_reset(step->scratch); /* nothing that lasts is there */
    step->work = p->work;
    step->iterations = 0;
    bool good = ashi_step_integrate(step);
    p->iterations += step->iterations;
    step->iterations = p->iterations;
    return good;
}

bool ashi_predict_all(ashi_prediction *p)
{
    atomic_store(&p->step->worst_slot, ASHI_NO_SLOT);
    atomic_store(&p->step->unconverged, false);
    return ashi_predict(p, NULL, ashi_body_slots(&p->step->model->bodies));
}

bool ashi_predict(ashi_prediction *p, const uint32_t *slots, uint32_t count)
{
    enum { OF_A_BODY = 150 };
    p->step->operations += (uint64_t)OF_A_BODY * (p->single ? count : ashi_body_slots(&p->step->model->bodies));
    if (!p->single)
        return predict_world(p);
    some_bodies some = {p, slots};
    ashi_parallel_for(p->step->tasks, count, CHUNK, predict_range, &some);
    return true;
}
