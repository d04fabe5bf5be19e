/* The scheme `accelerations`: joints by Lagrange multipliers at every evaluation of forces (Faure;
 * docs/joint-methods.md).
 */
#ifndef ASHI_STEP_JOINTS_JOINT_ACCELERATIONS_H
#define ASHI_STEP_JOINTS_JOINT_ACCELERATIONS_H

#include "step/joints/joint_system.h"

typedef struct ashi_joint_accelerations {
    ashi_joint_system system; /* at the state of the last evaluation */
    ASHI_ARRAY(double) wanted;
    ASHI_ARRAY(double) force;  /* by row, N or N m */
    ASHI_ARRAY(double) before; /* ... of the evaluation before */
    ASHI_ARRAY(ash_motion) change;
    double time;      /* of the last evaluation in a part; not a number before the first */
    double disagrees; /* share by which forces of the last two evaluations at one time differ */
} ashi_joint_accelerations;

void ashi_joint_accelerations_release(ashi_joint_accelerations *accelerations);

/* A part begins: nothing has been evaluated yet. */
void ashi_joint_accelerations_begin(ashi_joint_accelerations *accelerations);
/* Whether the part's evaluations say that it passes through or near a singular position: forces have no bounds there,
 * and what they make of velocities is not motion. */
bool ashi_joint_accelerations_fail(const ashi_joint_accelerations *accelerations);
/* Adds to the bodies' forces, just summed up at a state, those that hold the joints there: J a + (dJ/dt) v = 0. False
 * when memory ran out. */
bool ashi_joint_accelerations_add(ashi_joint_accelerations *accelerations, ashi_step *step, const ashi_state *state,
                                  double time);

#endif
