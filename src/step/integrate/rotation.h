/* Rotation of one body over one step. Angular velocities are in world axes, rotations from body to world. */
#ifndef ASHI_STEP_ROTATION_H
#define ASHI_STEP_ROTATION_H

#include "model/bodies.h"

/* Free rotation by axis splitting: rotations about the principal axes 1, 2, 3, 2, 1, each exact, by half steps except
 * the third. Explicit, time-symmetric, conserves angular momentum to rounding and keeps the energy error bounded (order
 * 2). */
void ashi_rotate_by_splitting(const ashi_rotor *rotor, double h, ash_quat *rotation, ash_vec3 *spin);

/* Rotation by the implicit midpoint rule under a torque (world axes), with Cayley's map:
 *   P1 - P0 = h Pm x wm + h tau_b,  wm = I^-1 Pm,  Pm = (P0 + P1) / 2,  R1 = R0 cay(h wm),
 * in body axes. With tau_b = (1 - h/2 [wm]x) R0^T tau the momentum in world axes changes by exactly h tau; without
 * torque energy and momentum are kept to rounding. `middle` receives the rotation half-way. False when Newton's
 * iteration did not converge (h |w| far above 1). */
bool ashi_rotate_by_midpoint(const ashi_rotor *rotor, double h, ash_vec3 torque, ash_quat *rotation, ash_vec3 *spin,
                             ash_quat *middle);

/* Rotation by symplectic Euler on the angular momentum, which changes by exactly h times the torque. */
void ashi_rotate_by_momentum(const ashi_rotor *rotor, double h, ash_vec3 torque, ash_quat *rotation, ash_vec3 *spin);

/* The angular velocity after a step of implicit Euler on the gyroscopic torque alone, by Newton's method in body axes.
 * The energy never grows: E1 - E0 = -(w1 - w0) . I (w1 - w0) / 2. */
ash_vec3 ashi_gyroscopic_implicit(const ashi_rotor *rotor, double h, ash_quat rotation, ash_vec3 spin);

#endif
