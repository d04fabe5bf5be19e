/* Energies and momenta of a state, and the ledger:
 *
 *   total now - total at the start = works + what the user's calls added + numerical remainder.
 *
 * Works are recorded step by step; the user's calls by the stored energy just before the first of them and when the
 * next step begins; the remainder is what is left. */
#include "measure/measure.h"

double ashi_body_kinetic_energy(const ashi_bodies *b, const ashi_state *state, uint32_t i)
{
    double energy = 0.5 * b->inertial[i].mass * v3_norm2(state->velocity[i]);
    if (b->motion[i] & ASHI_ROTATES) {
        ash_vec3 w = q_unrotate(state->rotation[i], state->spin[i]);
        energy += 0.5 * v3_dot(w, s3_apply(b->rotor[i].inertia, w));
    }
    return energy;
}

double ashi_kinetic_energy(const ashi_model *model, const ashi_state *state)
{
    double energy = 0;
    for (uint32_t i = 0; i < ashi_body_slots(&model->bodies); i++)
        energy += ashi_body_kinetic_energy(&model->bodies, state, i);
    return energy;
}

ash_vec3 ashi_momentum(const ashi_model *model, const ashi_state *state)
{
    ash_vec3 sum = v3(0, 0, 0);
    for (uint32_t i = 0; i < ashi_body_slots(&model->bodies); i++)
        sum = v3_add_scaled(sum, state->velocity[i], model->bodies.inertial[i].mass);
    return sum;
}

ash_vec3 ashi_total_angular_momentum(const ashi_model *model, const ashi_state *state)
{
    const ashi_bodies *b = &model->bodies;
    ash_vec3 sum = v3(0, 0, 0);
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        sum = v3_add_scaled(sum, v3_cross(state->position[i], state->velocity[i]), b->inertial[i].mass);
        if (b->motion[i] & ASHI_ROTATES)
            sum = v3_add(sum, ashi_angular_momentum(&b->rotor[i], state->rotation[i], state->spin[i]));
    }
    return sum;
}

static double stored_energy(const ashi_model *model)
{
    const ashi_state *now = &model->bodies.now;
    return ashi_kinetic_energy(model, now) + ashi_gravity_energy(model, now) + ashi_forces_energy(model, now) +
           ashi_joints_energy(model, now);
}

void ashi_account_note_change(ashi_account *account, const ashi_model *model)
{
    if (!account->begun || account->changed)
        return;
    account->before = stored_energy(model);
    account->changed = true;
}

void ashi_account_settle(ashi_account *account, const ashi_model *model)
{
    if (!account->begun) {
        account->initial = stored_energy(model);
        account->begun = true;
    } else if (account->changed) {
        account->external += stored_energy(model) - account->before;
        account->changed = false;
    }
}

ash_ledger ashi_account_ledger(const ashi_account *account, const ashi_model *model)
{
    ashi_account settled = *account;
    ashi_account_settle(&settled, model);
    const ashi_state *now = &model->bodies.now;
    ash_ledger ledger = {
        .kinetic = ashi_kinetic_energy(model, now),
        .gravity = ashi_gravity_energy(model, now),
        .springs = ashi_forces_energy(model, now) + ashi_joints_energy(model, now),
        .initial = settled.initial,
        .dampers = settled.work.dampers,
        .drag = settled.work.drag,
        .loads = settled.work.loads,
        .callbacks = settled.work.callbacks,
        .impacts = settled.work.impacts,
        .friction = settled.work.friction,
        .motors = settled.work.motors,
        .joints = settled.work.joints,
        .stabilization = settled.work.stabilization,
        .sleep = settled.work.sleep,
        .external = settled.external,
    };
    ledger.total = ledger.kinetic + ledger.gravity + ledger.springs;
    ledger.remainder = ledger.total - ledger.initial - ledger.dampers - ledger.drag - ledger.loads - ledger.callbacks -
                       ledger.impacts - ledger.friction - ledger.motors - ledger.joints - ledger.stabilization -
                       ledger.sleep - ledger.external;
    return ledger;
}
