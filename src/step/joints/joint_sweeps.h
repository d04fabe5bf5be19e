/* Joints corrected one by one until all hold: the method that Bender & Schmitt 2006 compare theirs with. */
#ifndef ASHI_STEP_JOINTS_JOINT_SWEEPS_H
#define ASHI_STEP_JOINTS_JOINT_SWEEPS_H

#include "step/joints/joint_system.h"
#include "step/prediction.h"

/* The joint correction: changes the velocities of `now` until the prediction, which is in `next` before and after, is
 * within the tolerance (m). `error` receives what was left, and `free` the largest of the first sweep. False when
 * memory ran out. */
bool ashi_joint_sweep_positions(ashi_joint_system *system, ashi_prediction *prediction, double tolerance, double *free,
                                double *error);
/* The velocity correction of `next`, to the tolerance (m/s). */
void ashi_joint_sweep_velocities(ashi_joint_system *system, ashi_step *step, double tolerance);
/* Impulses that change the rows' speeds by `wanted` within the tolerance, by `most` sweeps at most, and the velocities
 * that they change, by body. Returns the sweeps. */
uint32_t ashi_joint_sweep_solve(const ashi_joint_system *system, const double *wanted, double tolerance, uint32_t most,
                                double *impulse, ash_motion *change);

#endif
