/* Explicit Euler and symplectic Euler: v1 = v0 + h a(x0, v0), then x1 = x0 + h v0 or x1 = x0 + h v1 (de Jong 2014,
 * 6-3-1 and appendix B). The only difference is which velocity moves the body.
 *
 * Rotation is integrated in the same way. Symplectic Euler kicks the angular momentum, L1 = L0 + h torque, rotates by
 * the angular velocity that belongs to L1 at the start, and keeps L1: free rotation conserves momentum to rounding.
 * (Kicking the angular velocity by the gyroscopic torque instead blows up: at h = 1/60 s within a minute for |w| = 10
 * rad/s.) */
#include "step/integrate/rotation.h"
#include "step/step.h"

typedef struct euler_pass {
    ashi_step *step;
    bool symplectic;
} euler_pass;

static void move(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    euler_pass *pass = data;
    ashi_step *step = pass->step;
    const ashi_bodies *b = &step->model->bodies;
    double h = step->h;
    for (uint32_t i = begin; i < end; i++) {
        uint8_t motion = b->motion[i];
        if (!(motion & ASHI_DYNAMIC)) {
            ashi_step_carry(step, i);
            continue;
        }
        ash_vec3 v0 = b->now.velocity[i], v1 = v3_add_scaled(v0, ashi_linear_acceleration(b, i), h);
        ash_vec3 position = v3_add_scaled(b->now.position[i], pass->symplectic ? v1 : v0, h);
        ash_quat rotation = b->now.rotation[i];
        ash_vec3 w0 = b->now.spin[i], w1 = w0;
        if (pass->symplectic && (motion & (ASHI_ROTATES | ASHI_PARTIAL | ASHI_ISOTROPIC)) == ASHI_ROTATES) {
            ashi_rotate_by_momentum(&b->rotor[i], h, b->torque[i], &rotation, &w1);
        } else if (motion & ASHI_ROTATES) {
            w1 = v3_add_scaled(w0, ashi_angular_acceleration(b, i, rotation, w0, b->torque[i]), h);
            rotation = q_unit(q_mul(q_exp(v3_scale(pass->symplectic ? w1 : w0, h)), rotation));
        }
        ashi_step_store(step, i, position, rotation, v1, w1);
    }
}

static bool integrate(ashi_step *step, bool symplectic)
{
    const ashi_bodies *b = &step->model->bodies;
    euler_pass pass = {step, symplectic};
    ashi_step_evaluate(step, &b->now, step->time);
    ashi_step_for_bodies(step, move, &pass);
    ashi_step_record_work(step, &b->now, step->time, &b->now, &b->next, step->h);
    return true;
}

bool ashi_integrate_explicit_euler(ashi_step *step)
{
    return integrate(step, false);
}

bool ashi_integrate_symplectic_euler(ashi_step *step)
{
    return integrate(step, true);
}
