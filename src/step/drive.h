/* The work of driven motion: kinematic bodies and moving surfaces. */
#ifndef ASHI_STEP_DRIVE_H
#define ASHI_STEP_DRIVE_H

#include "step/joints/joint_system.h"

/* Records as `loads` the work of drives through the impulses of a solved problem's blocks of one kind. Friction on a
 * moving surface counts by the slip relative to it. */
void ashi_drive_record_work(ashi_step *step, const ashi_system *problem, ashi_block_kind kind);
/* The work of kinematic bodies' drives through impulses (by row) of a joint system, J. */
double ashi_drive_work(const ashi_model *model, const ashi_joint_system *system, const double *impulse);

#endif
