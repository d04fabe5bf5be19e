/* The work of what moves by a drive of its own: kinematic bodies and running surfaces. */
#ifndef ASHI_STEP_DRIVE_H
#define ASHI_STEP_DRIVE_H

#include "step/joints/joint_system.h"

/* Records as `loads` what drives give through the impulses of a solved problem's blocks of one kind. Friction against a
 * running surface counts by the slip on it. */
void ashi_drive_record_work(ashi_step *step, const ashi_system *problem, ashi_block_kind kind);
/* What drives of kinematic bodies give through impulses (by row) of a joint system, J. */
double ashi_drive_work(const ashi_model *model, const ashi_joint_system *system, const double *impulse);

#endif
