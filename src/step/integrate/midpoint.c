/* The implicit midpoint rule: v1 = v0 + h a(xm, vm), x1 = x0 + h vm, with (xm, vm) the mean of start and end, rotation
 * by Cayley's map (rotation.h). Symplectic, order 2; quadratic invariants are conserved, so free motion and linear
 * springs conserve energy to the solve's tolerance.
 *
 * Solved by fixed-point iteration over the whole world, with Newton's method inside each body's rotation. It converges
 * as (h omega / 2)^2; if that is slow, Newton's method on a sparse matrix takes over (implicit_stage.h), at any
 * stiffness. Motions too stiff for the step then oscillate about their equilibrium without decaying; sdirk.c damps
 * them. */
#include "step/integrate/implicit_stage.h"
#include "step/integrate/rotation.h"
#include "step/step.h"

#define PATIENCE 3    /* iterations before their convergence is judged */
#define SLOW     0.25 /* of the change before */

/* The largest changes in an iteration, and the largest velocities they are measured against. */
typedef struct extent {
    double change, size;           /* m/s */
    double turn_change, turn_size; /* rad/s */
} extent;

typedef struct midpoint_pass {
    ashi_step *step;
    ashi_state middle;    /* where forces are evaluated */
    extent *extents;      /* by chunk */
    atomic_bool diverged; /* a rotation did not converge */
} midpoint_pass;

static void start_middle(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    midpoint_pass *p = data;
    const ashi_bodies *b = &p->step->model->bodies;
    double half = 0.5 * p->step->h;
    for (uint32_t i = begin; i < end; i++) {
        ash_vec3 v = b->now.velocity[i], w = b->now.spin[i];
        p->middle.position[i] = v3_add_scaled(b->now.position[i], v, half);
        p->middle.rotation[i] = b->now.rotation[i];
        if (b->motion[i] & (ASHI_ROTATES | ASHI_KINEMATIC))
            p->middle.rotation[i] = q_unit(q_mul(q_exp(v3_scale(w, half)), b->now.rotation[i]));
        p->middle.velocity[i] = b->next.velocity[i] = v;
        p->middle.spin[i] = b->next.spin[i] = w;
        b->next.rotation[i] = b->now.rotation[i];
    }
}

static void turn(midpoint_pass *p, uint32_t i, ash_quat *rotation, ash_vec3 *spin)
{
    const ashi_bodies *b = &p->step->model->bodies;
    double h = p->step->h;
    ash_quat q0 = b->now.rotation[i];
    ash_vec3 w0 = b->now.spin[i];
    *rotation = q0;
    *spin = w0;
    if (b->motion[i] & ASHI_PARTIAL) { /* locks: the derivative at the middle, with the last iteration's middle */
        ash_vec3 dw = ashi_angular_acceleration(b, i, p->middle.rotation[i], p->middle.spin[i], b->torque[i]);
        *spin = v3_add_scaled(w0, dw, h);
        ash_vec3 mean = v3_scale(v3_add(w0, *spin), 0.5);
        *rotation = q_unit(q_mul(q_cayley(v3_scale(mean, h)), q0));
        p->middle.rotation[i] = q_unit(q_mul(q_cayley(v3_scale(mean, 0.5 * h)), q0));
    } else if (!ashi_rotate_by_midpoint(&b->rotor[i], h, b->torque[i], rotation, spin, &p->middle.rotation[i])) {
        atomic_store(&p->diverged, true);
    }
    p->middle.spin[i] = v3_scale(v3_add(w0, *spin), 0.5);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double largest_component(ash_vec3 a)
{
    return v3_max_component(v3_abs(a));
}

static void iterate(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    midpoint_pass *p = data;
    const ashi_bodies *b = &p->step->model->bodies;
    double h = p->step->h;
    extent e = {0};
    for (uint32_t i = begin; i < end; i++) {
        if (!(b->motion[i] & ASHI_DYNAMIC))
            continue;
        ash_vec3 v0 = b->now.velocity[i], v1 = v3_add_scaled(v0, ashi_linear_acceleration(b, i), h);
        e.change = larger(e.change, largest_component(v3_sub(v1, b->next.velocity[i])));
        e.size = larger(e.size, larger(largest_component(v0), largest_component(v1)));
        b->next.velocity[i] = v1;
        p->middle.velocity[i] = v3_scale(v3_add(v0, v1), 0.5);
        p->middle.position[i] = v3_add_scaled(b->now.position[i], p->middle.velocity[i], 0.5 * h);
        if (b->motion[i] & ASHI_ROTATES) {
            ash_vec3 w1;
            turn(p, i, &b->next.rotation[i], &w1);
            e.turn_change = larger(e.turn_change, largest_component(v3_sub(w1, b->next.spin[i])));
            e.turn_size = larger(e.turn_size, larger(largest_component(b->now.spin[i]), largest_component(w1)));
            b->next.spin[i] = w1;
        }
    }
    p->extents[begin / ASHI_BODY_CHUNK] = e;
}

/* The relative change of the last iteration over all bodies. */
static double relative_change(const midpoint_pass *p, uint32_t chunks)
{
    extent all = {0};
    for (uint32_t i = 0; i < chunks; i++) {
        all.change = larger(all.change, p->extents[i].change);
        all.size = larger(all.size, p->extents[i].size);
        all.turn_change = larger(all.turn_change, p->extents[i].turn_change);
        all.turn_size = larger(all.turn_size, p->extents[i].turn_size);
    }
    double linear = all.change > 0 ? all.change / all.size : 0;
    double angular = all.turn_change > 0 ? all.turn_change / all.turn_size : 0;
    return larger(linear, angular);
}

static void finish(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    midpoint_pass *p = data;
    const ashi_bodies *b = &p->step->model->bodies;
    for (uint32_t i = begin; i < end; i++) {
        if (!(b->motion[i] & ASHI_DYNAMIC))
            ashi_step_carry(p->step, i);
        else
            ashi_step_store(p->step, i, v3_add_scaled(b->now.position[i], p->middle.velocity[i], p->step->h),
                            b->next.rotation[i], b->next.velocity[i], b->next.spin[i]);
    }
}

/* The same equations by Newton's method: the middle is a stage with half the step. */
static bool take_by_newton(ashi_step *step, ashi_state *middle, double middle_time)
{
    ashi_bodies *b = &step->model->bodies;
    double half = 0.5 * step->h;
    step->residual = 0;
    ashi_implicit_stage stage = {
        .step = step, .g = half, .time = middle_time, .base = b->now, .keeps = true, .state = *middle};
    if (!ashi_implicit_stage_solve(&stage))
        return false;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        if (!(b->motion[i] & ASHI_DYNAMIC))
            continue;
        b->next.velocity[i] = v3_sub(v3_scale(middle->velocity[i], 2), b->now.velocity[i]);
        b->next.spin[i] = v3_sub(v3_scale(middle->spin[i], 2), b->now.spin[i]);
    }
    return true;
}

bool ashi_integrate_implicit_midpoint(ashi_step *step)
{
    const ashi_bodies *b = &step->model->bodies;
    uint32_t chunks = ashi_body_slots(b) / ASHI_BODY_CHUNK + 1;
    midpoint_pass pass = {.step = step, .extents = ashi_arena_take_array(step->scratch, chunks, sizeof(extent))};
    if (pass.extents == NULL || !ashi_step_scratch_state(step, &pass.middle))
        return false;
    for (uint32_t i = 0; i < chunks; i++)
        pass.extents[i] = (extent){0};
    ashi_step_for_bodies(step, start_middle, &pass);

    double middle_time = step->time + 0.5 * step->h, before = INFINITY;
    bool converged = false, slow = false;
    for (uint32_t i = 0; !converged && !slow && i < step->method.max_iterations; i++) { /* there may be hundreds of
                                                                                           parts in a step */
        atomic_store(&pass.diverged, false);
        ashi_step_evaluate(step, &pass.middle, middle_time);
        ashi_step_for_bodies(step, iterate, &pass);
        step->iterations++;
        step->residual = relative_change(&pass, chunks);
        /* Done at the tolerance, or when rounding prevents further decrease. */
        converged = step->residual <= step->method.tolerance || (step->residual < 1e-12 && step->residual >= before);
        slow = !converged && (!(step->residual <= 1e100) || (i >= PATIENCE && step->residual > SLOW * before));
        before = step->residual;
    }
    if (slow && !take_by_newton(step, &pass.middle, middle_time))
        return false;
    if (!slow && (!converged || atomic_load(&pass.diverged)))
        step->flags |= ASH_FLAG_INTEGRATOR_NOT_CONVERGED;
    ashi_step_for_bodies(step, finish, &pass);
    ashi_step_record_work(step, &pass.middle, middle_time, &b->now, &b->next, step->h);
    return true;
}
