/* Velocities and spins that are shortened at the end of a step. Directions stay; momentum is not kept. */
#include "step/caps.h"

static ash_vec3 shortened(ash_vec3 v, double most)
{
    double length = v3_norm(v);
    return most > 0 && length > most ? v3_scale(v, most / length) : v;
}

static double energy_of(const ashi_bodies *b, uint32_t i)
{
    double energy = 0.5 * b->inertial[i].mass * v3_norm2(b->now.velocity[i]);
    if (b->motion[i] & ASHI_ROTATES)
        energy += 0.5 * v3_dot(b->now.spin[i], ashi_angular_momentum(&b->rotor[i], b->now.rotation[i], b->now.spin[i]));
    return energy;
}

void ashi_cap_speeds(ashi_step *step)
{
    ashi_bodies *b = &step->model->bodies;
    double speed = step->method.max_speed, spin = step->method.max_spin;
    if (speed == 0 && spin == 0)
        return;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        if (!(b->motion[i] & ASHI_DYNAMIC))
            continue;
        double before = energy_of(b, i);
        b->now.velocity[i] = shortened(b->now.velocity[i], speed);
        b->now.spin[i] = shortened(b->now.spin[i], spin);
        step->work.dampers += energy_of(b, i) - before;
    }
}
