/* Faure: Lagrange multipliers hold the joints at every evaluation of forces, as accelerations; then positions and
 * velocities are projected. Trees in linear time, loops by conjugate gradients. docs/joint-methods.md */
#include "step/joints/joint_impulses.h"
#include "step/schemes/joined.h"

const ashi_scheme_class ashi_scheme_accelerations = {
    .name = "accelerations",
    .take = ashi_joined_take,
    .move = ashi_joined_move,
    .holds = ashi_joined_holds,
    .accelerate = ashi_joint_impulses_accelerate,
    .accept = ashi_joint_impulses_accept,
    .parts = ashi_joint_impulses_parts,
    .order = 4,
    .joins = true,
};
