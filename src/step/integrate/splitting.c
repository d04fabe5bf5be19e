/* Axis splitting: velocities are kicked by the forces at the start, then every body moves freely; its rotation is split
 * into exact turns about its principal axes. Symplectic Euler under forces (order 1), order 2 in free motion. */
#include "step/integrate/rotation.h"
#include "step/step.h"

#define SLOW 1e-8 /* rad in the step: below it second-order changes of the spin are rounding */

/* In the plane nothing is split. */
static void move_flat(ashi_step *step, uint32_t i)
{
    const ashi_bodies *b = &step->model->bodies;
    double h = step->h, inverse = b->inertial[i].inverse_mass;
    ash_vec3 v = b->now.velocity[i], x = b->now.position[i], force = b->force[i];
    v = v3(v.x + force.x * inverse * h, v.y + force.y * inverse * h, 0);
    double spin = b->now.spin[i].z + b->rotor[i].inverse.zz * b->torque[i].z * h;
    ashi_step_store(step, i, v3(x.x + v.x * h, x.y + v.y * h, x.z), q_turned_flat(spin * h, b->now.rotation[i]), v,
                    v3(0, 0, spin));
}

static void move(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    ashi_step *step = data;
    const ashi_bodies *b = &step->model->bodies;
    double h = step->h;
    for (uint32_t i = begin; i < end; i++) {
        uint8_t motion = b->motion[i];
        if (ashi_body_moves_flat(b, i)) {
            move_flat(step, i);
            continue;
        }
        if (!(motion & ASHI_DYNAMIC)) {
            ashi_step_carry(step, i);
            continue;
        }
        ash_vec3 velocity = v3_add_scaled(b->now.velocity[i], ashi_linear_acceleration(b, i), h);
        ash_quat rotation = b->now.rotation[i];
        ash_vec3 spin = b->now.spin[i];
        bool slow = v3_norm2(spin) * h * h < SLOW * SLOW;
        if ((motion & (ASHI_ISOTROPIC | ASHI_PARTIAL)) || (slow && (motion & ASHI_ROTATES))) {
            /* No gyroscopic torque to split, or so little that first order suffices, or locks, which the splitting does
             * not support. */
            spin = v3_add_scaled(spin, ashi_angular_acceleration(b, i, rotation, spin, b->torque[i]), h);
            rotation = q_unit(q_mul(q_exp(v3_scale(spin, h)), rotation));
        } else if (motion & ASHI_ROTATES) {
            spin = v3_add_scaled(spin, ashi_angular_response(b, i, rotation, b->torque[i]), h);
            ashi_rotate_by_splitting(&b->rotor[i], h, &rotation, &spin);
        }
        ashi_step_store(step, i, v3_add_scaled(b->now.position[i], velocity, h), rotation, velocity, spin);
    }
}

bool ashi_integrate_axis_splitting(ashi_step *step)
{
    const ashi_bodies *b = &step->model->bodies;
    ashi_step_evaluate(step, &b->now, step->time);
    ashi_step_for_bodies(step, move, step);
    ashi_step_record_work(step, &b->now, step->time, &b->now, &b->next, step->h);
    return true;
}
