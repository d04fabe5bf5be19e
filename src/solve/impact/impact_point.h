/* The impact of one point, followed through its normal impulse: slip may slow down, stop, turn and come back. */
#ifndef ASHI_SOLVE_IMPACT_POINT_H
#define ASHI_SOLVE_IMPACT_POINT_H

#include "problem/law.h"

/* Numbers of normal and tangents, in this order. */
typedef struct ashi_point_impact {
    uint32_t tangents;     /* 0 to 2 */
    double response[3][3]; /* J M^-1 J^T, 1/kg; with joints: while these hold */
    double friction;       /* Coulomb's cone */
    double restitution;
    ash_restitution_law law; /* Poisson's or the energetic one */
    double speed[3];         /* in and out, m/s: along the normal, and the slip, of moving surfaces, too */
    double impulse[3];       /* out, N s */
    double friction_work;    /* out, J: on the slip, never positive */
} ashi_point_impact;

/* Solves it. False when it did not come to its end within the steps that are granted; `impulse` and `speed` are then
 * those at which it stopped. */
bool ashi_point_impact_solve(ashi_point_impact *impact);

#endif
