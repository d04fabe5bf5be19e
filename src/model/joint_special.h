/* Shared by several special joints: lengths in definitions, and their own rows. */
#ifndef ASHI_MODEL_JOINT_SPECIAL_H
#define ASHI_MODEL_JOINT_SPECIAL_H

#include "base/diagnostic.h"
#include "model/forces.h"
#include "model/joint_class.h"

/* The key of a kind's own limit, in addition to those of its freedoms. */
#define ASHI_OWN_LIMIT_KEY ASHI_CONE_KEY

/* The frames of a joint that is being defined, at the present state. */
static inline ashi_joint_frames ashi_joint_frames_now(const ashi_model *model, const ashi_joint_entry *joint)
{
    return ashi_joint_frames_at(model, joint, &model->bodies.now);
}

/* Takes `length`, or `present` if it is negative; `zero_means` explains why it cannot be 0. */
bool ashi_joint_take_length(const ash_joint_def *def, double present, const char *zero_means, ashi_joint_entry *joint,
                            ash_diagnostic *diagnostic);

/* The coordinate of rods, ropes and cylinders: the distance of their ends. */
void ashi_distance_coordinate(const ashi_joint_entry *joint, const ashi_joint_frames *frames, ash_freedom freedom,
                              ashi_joint_row *row);

/* Turns a coordinate's row into the kind's own limit; returns whether it acts within the step. */
bool ashi_joint_own_limit(const ashi_joint_frames *frames, double limit, bool upper, double h, ashi_joint_row *row);

#endif
