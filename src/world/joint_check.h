/* Checks of joints, for their creation and for snapshots. */
#ifndef ASHI_WORLD_JOINT_CHECK_H
#define ASHI_WORLD_JOINT_CHECK_H

#include "model/forces.h"

bool ashi_check_joint_frames(const ashi_joint_entry *joint, ash_diagnostic *diagnostic);
/* Checks compliance and breaking loads. */
bool ashi_check_joint_strengths(const ashi_joint_entry *joint, ash_diagnostic *diagnostic);
/* Checks a joint that was made earlier; its bodies are in use and its arms are set. */
bool ashi_check_joint(const ashi_model *model, const ashi_joint_entry *joint, ash_diagnostic *diagnostic);

#endif
