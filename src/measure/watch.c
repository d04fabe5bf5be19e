/* Detection of energy that appears from nowhere.
 *
 * Let P = stored energy - work of loads, drives, motors, drag, callbacks and the user's calls. Contacts, friction,
 * joints, dampers, stabilization and sleeping can only lower P, however the ledger assigns their works, and an exact
 * integrator preserves it. So any rise of P above its least value so far was made by the solver or the integrator: by
 * the solver if contacts or joints acted since that least value, else by the integrator. The ledger's works of
 * contacts, joints, friction and stabilization are watched in the same way, because a drive that claims more work than
 * it does would hide the energy that they make; only roughly, because an integrator of order one shifts work between
 * them and the remainder.
 *
 * Rigid joints do no work. A fall of P beyond the works of contacts, friction, dampers and similar is an error: of
 * joints that a method holds by velocities, or of a chain that becomes taut within a step.
 *
 * Both are compared with the budget, the energy that could have been in motion by now:
 *
 *   kinetic energy at the start + the largest fall of potential energy + the largest energy given from outside
 *   + allowance,
 *
 * which depends neither on the height of the origin nor on the energy made. The allowance is for effects of the
 * method's design, force (slop + force / mass h^2) for all weights and loads: every body may lie anywhere within the
 * slop, and fall for a step before its contact is known. Symplectic Euler conserves H - h v.F / 2 rather than H, so
 * that H oscillates by up to h omega times the energy in springs, which is also allowed for. Energy in penalty contacts
 * counts as stored. Speeds from rounding are not counted as energy: the budget of a world at rest is zero.
 *
 * Energies are measured only every few steps, because a measurement costs up to a percent of a step; a step whose works
 * alone exceed the share is measured at once. */
#include "measure/watch.h"

#include <float.h>

#define SHARE  0.1 /* of the budget: energy made or drifted; speeds are off by 5 % */
#define GROWTH 1.0 /* of the budget: growing */

/* The work of a force over the slop, and on a body that it moves freely for a step. */
static double work_within(const ashi_bodies *b, uint32_t body, ash_vec3 force, ash_vec3 torque,
                          const ashi_watched_step *step)
{
    double f = v3_norm(force), h2 = step->h * step->h;
    ash_vec3 turn = s3_apply(b->rotor[body].inverse, q_unrotate(b->now.rotation[body], torque));
    return f * (step->slop + f * h2 * b->inertial[body].inverse_mass) + v3_norm(torque) * v3_norm(turn) * h2;
}

/* The same for all weights and loads. */
static double left_open(const ashi_model *model, const ashi_watched_step *step)
{
    const ashi_bodies *b = &model->bodies;
    double mass = 0, g = v3_norm(model->gravity), energy = 0;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++)
        mass += b->inertial[i].mass * fabs(b->inertial[i].gravity_scale);
    for (uint32_t i = 0; i < model->forces.loads.count; i++) {
        const ashi_load *load = &model->forces.loads.data[i];
        energy += work_within(b, load->body, load->applied_force, load->applied_torque, step);
    }
    return mass * g * (step->slop + g * step->h * step->h) + energy;
}

/* The kinetic energy of speeds caused by the rounding of positions in a step: below it bodies are at rest. */
static double energy_of_rounding(const ashi_model *model, double h)
{
    const ashi_bodies *b = &model->bodies;
    double energy = 0;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        double speed = DBL_EPSILON * (v3_norm(b->now.position[i]) + model->unit_length) / h;
        energy += 0.5 * b->inertial[i].mass * speed * speed;
    }
    return energy;
}

static double stored_in_springs(const ashi_model *model)
{
    const ashi_state *now = &model->bodies.now;
    return ashi_forces_energy(model, now) + ashi_joints_energy(model, now);
}

static double given(const ashi_account *account)
{
    const ashi_work *work = &account->work;
    return work->loads + work->drag + work->callbacks + work->motors + account->external;
}

void ashi_watch_begin(ashi_watch *watch, const ashi_model *model, const ashi_account *account)
{
    const ashi_state *now = &model->bodies.now;
    double springs = stored_in_springs(model);
    *watch = (ashi_watch){.begun = true, .fresh = true, .springs = springs, .body = ASHI_NO_SLOT};
    watch->kinetic = ashi_kinetic_energy(model, now);
    watch->potential = ashi_gravity_energy(model, now) + springs;
    watch->start = given(account);
    watch->least = watch->kinetic + watch->potential - watch->start;
    watch->most = watch->least;
    watch->budget = watch->kinetic;
}

static uint32_t liveliest(const ashi_model *model)
{
    const ashi_bodies *b = &model->bodies;
    uint32_t body = ASHI_NO_SLOT;
    double most = -1;
    for (uint32_t i = 0; i < ashi_body_slots(b); i++) {
        double energy = b->motion[i] & ASHI_DYNAMIC ? ashi_body_kinetic_energy(b, &b->now, i) : -1;
        if (energy > most) {
            most = energy;
            body = i;
        }
    }
    return body;
}

static void judge(ashi_watch *watch, const ashi_model *model, const ashi_account *account,
                  const ashi_watched_step *step)
{
    const ashi_state *now = &model->bodies.now;
    double kinetic = ashi_kinetic_energy(model, now), springs = stored_in_springs(model);
    double potential = ashi_gravity_energy(model, now) + springs;
    double active = given(account), energy = kinetic + potential + step->contacts - active;
    watch->drop = fmax(watch->drop, watch->potential - potential);
    watch->given = fmax(watch->given, active - watch->start);
    watch->springs = fmax(watch->springs, springs);
    if (!(energy >= watch->least)) {
        watch->least = energy;
        watch->held = false;
    }
    double open = left_open(model, step);
    watch->budget = watch->kinetic + watch->drop + watch->given + open;
    double beyond = energy - watch->least - step->swing * watch->springs - open;
    double rounding = 1e-9 * (fabs(energy) + fabs(potential)) + energy_of_rounding(model, step->h);
    bool claimed = watch->passive > GROWTH * watch->budget + rounding;
    watch->made = fmax(0, claimed ? fmax(beyond, watch->passive) : beyond);
    watch->flags = claimed ? ASH_FLAG_ENERGY_MADE : 0;
    if (beyond > SHARE * watch->budget + rounding)
        watch->flags |= watch->held ? ASH_FLAG_ENERGY_MADE : ASH_FLAG_ENERGY_DRIFT;
    if (beyond > GROWTH * watch->budget + rounding)
        watch->flags |= ASH_FLAG_GROWING;
    watch->most = watch->loses ? energy : fmax(watch->most - watch->taken, energy);
    watch->loses = false;
    watch->taken = 0;
    if (watch->most - energy - step->swing * watch->springs - open > SHARE * watch->budget + rounding)
        watch->flags |= ASH_FLAG_ENERGY_LOST;
    watch->body = watch->flags != 0 ? liveliest(model) : ASHI_NO_SLOT;
}

void ashi_watch_step(ashi_watch *watch, const ashi_model *model, const ashi_account *account,
                     const ashi_watched_step *step)
{
    const ashi_work *w = &step->work;
    watch->held |= step->held;
    watch->loses |= step->loses;
    watch->taken += step->taken;
    double passive = w->impacts + w->friction + w->joints + w->stabilization + step->contacts - watch->contacts;
    watch->passive = fmax(0, watch->passive + passive);
    watch->contacts = step->contacts;
    bool suspicious = passive > SHARE * watch->budget;
    if (watch->fresh || suspicious || watch->flags != 0 || step->number % ASHI_WATCH_EVERY == 0)
        judge(watch, model, account, step);
    watch->fresh = false;
}
