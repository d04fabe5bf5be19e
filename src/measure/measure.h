/* Measurements of a state: energies and momenta. Kinetic energy and gravity include dynamic bodies only. */
#ifndef ASHI_MEASURE_MEASURE_H
#define ASHI_MEASURE_MEASURE_H

#include "ashlar/world.h"
#include "model/forces.h"

double ashi_body_kinetic_energy(const ashi_bodies *bodies, const ashi_state *state, uint32_t slot);
double ashi_kinetic_energy(const ashi_model *model, const ashi_state *state);
ash_vec3 ashi_momentum(const ashi_model *model, const ashi_state *state);
/* About the world's origin. */
ash_vec3 ashi_total_angular_momentum(const ashi_model *model, const ashi_state *state);

/* The ledger's data between steps. Stored energies are measured on request. */
typedef struct ashi_account {
    double initial;
    ashi_work work;
    double external;
    bool begun;    /* a step was taken since the start: `initial` is valid */
    bool changed;  /* the user changed something since the last step or settlement, ... */
    double before; /* ... and this was the energy just before */
} ashi_account;

/* Call before the user's change and before a step. */
void ashi_account_note_change(ashi_account *account, const ashi_model *model);
void ashi_account_settle(ashi_account *account, const ashi_model *model);
ash_ledger ashi_account_ledger(const ashi_account *account, const ashi_model *model);

#endif
