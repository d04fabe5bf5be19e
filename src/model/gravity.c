/* Gravity, the damping of bodies and forces applied by the user: F = m (s g - c v) + applied, T = -c I w + applied.
 *
 * This pass also starts the sums that the other forces add to. Bodies that are not dynamic start from zero: the sum
 * gives the force that a kinematic body's drive must supply. */
#include "model/forces.h"

#define CHUNK 2048

typedef struct gravity_pass {
    ashi_model *model;
    const ashi_state *state;
} gravity_pass;

static ash_vec3 damping_torque(const ashi_bodies *b, const ashi_state *state, uint32_t i)
{
    ash_vec3 momentum = ashi_angular_momentum(&b->rotor[i], state->rotation[i], state->spin[i]);
    return v3_scale(momentum, -b->rotor[i].damping);
}

static void start_sums(uint32_t begin, uint32_t end, uint32_t worker, void *data)
{
    (void)worker;
    gravity_pass *pass = data;
    ashi_bodies *b = &pass->model->bodies;
    ash_vec3 gravity = pass->model->gravity;
    for (uint32_t i = begin; i < end; i++) {
        uint8_t motion = b->motion[i];
        const ashi_inertial *inertial = &b->inertial[i];
        ash_vec3 force = v3_scale(gravity, inertial->mass * inertial->gravity_scale);
        ash_vec3 torque = v3(0, 0, 0);
        if (motion & ASHI_DAMPED) {
            force = v3_add_scaled(force, pass->state->velocity[i], -inertial->damping * inertial->mass);
            if (motion & ASHI_ROTATES)
                torque = damping_torque(b, pass->state, i);
        }
        if (b->any_applied) {
            force = v3_add(force, b->applied_force[i]);
            torque = v3_add(torque, b->applied_torque[i]);
        }
        b->force[i] = force;
        b->torque[i] = torque;
    }
}

void ashi_gravity_apply(ashi_model *model, const ashi_force_instant *stage)
{
    gravity_pass pass = {model, stage->state};
    ashi_parallel_for(stage->tasks, ashi_body_slots(&model->bodies), CHUNK, start_sums, &pass);
}

void ashi_gravity_power(const ashi_model *model, const ashi_force_instant *stage, const ashi_state *from,
                        const ashi_state *to, ashi_work *power)
{
    const ashi_bodies *b = &model->bodies;
    if (b->damped_count == 0 && b->kinematic_count == 0 && !b->any_applied)
        return;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        uint8_t motion = b->motion[i];
        ash_vec3 velocity = ashi_mean_velocity(from, to, i), spin = ashi_mean_spin(from, to, i);
        if (motion & ASHI_DAMPED) {
            power->dampers -=
                b->inertial[i].damping * b->inertial[i].mass * v3_dot(stage->state->velocity[i], velocity);
            if (motion & ASHI_ROTATES)
                power->dampers += v3_dot(damping_torque(b, stage->state, i), spin);
        }
        if (b->any_applied && (motion & ASHI_DYNAMIC)) {
            power->loads += v3_dot(b->applied_force[i], velocity);
            if (motion & ASHI_ROTATES)
                power->loads += v3_dot(b->applied_torque[i], spin);
        }
        if (motion & ASHI_KINEMATIC) /* its drive works against everything that acts on it */
            power->loads -= v3_dot(b->force[i], velocity) + v3_dot(b->torque[i], spin);
    }
}

/* Only damping depends on the state: -c m v and -c I w. */
bool ashi_gravity_linearize(const ashi_model *model, const ashi_force_instant *stage, double h,
                            ashi_implicit_elements *elements)
{
    const ashi_bodies *b = &model->bodies;
    if (b->damped_count == 0)
        return true;
    if (!ashi_array_reserve(&elements->pairs, elements->pairs.count + 2 * b->damped_count))
        return false;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        if (!(b->motion[i] & ASHI_DAMPED))
            continue;
        double factor = h * b->inertial[i].damping * b->inertial[i].mass;
        elements->pairs.data[elements->pairs.count++] =
            (ashi_implicit_element){.body_a = i, .body_b = 0, .matrix = s3_diagonal(factor, factor, factor)};
        if (b->motion[i] & ASHI_ROTATES)
            elements->pairs.data[elements->pairs.count++] = (ashi_implicit_element){
                .body_a = i,
                .body_b = 0,
                .angular = true,
                .matrix = s3_scale(s3_rotated(b->rotor[i].inertia, stage->state->rotation[i]), h * b->rotor[i].damping),
            };
    }
    return true;
}

double ashi_gravity_energy(const ashi_model *model, const ashi_state *state)
{
    const ashi_bodies *b = &model->bodies;
    double energy = 0;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        energy -= b->inertial[i].mass * b->inertial[i].gravity_scale * v3_dot(model->gravity, state->position[i]);
    return energy;
}
