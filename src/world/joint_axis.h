/* The axes of a joint in definitions: checks, and copies with the motors' tables. */
#ifndef ASHI_WORLD_JOINT_AXIS_H
#define ASHI_WORLD_JOINT_AXIS_H

#include "model/joints.h"

/* No limits, no friction, no spring, no motor. */
ash_joint_axis ashi_free_axis(void);
/* Whether an axis may act on a freedom of a joint. */
bool ashi_check_axis(const ashi_joint_entry *joint, ash_freedom freedom, const ash_joint_axis *axis,
                     ash_diagnostic *diagnostic);
/* Copies of all axes of a definition, null when nothing acts along any of them. False when memory ran out. */
bool ashi_copy_axes(const ash_joint_axis *axes, ash_joint_axis **copies, ash_diagnostic *diagnostic);
void ashi_release_axes(ash_joint_axis *axes);

#endif
