/* Bender & Schmitt 2006: joints are held by impulses at the start of a part, such that they hold at its end (their
 * figure 1: prediction, joint correction), and by impulses there that make the velocities agree (velocity correction).
 * Trees in one system, loops in another (4.5, 4.6). docs/joint-methods.md */
#include "step/joints/joint_impulses.h"
#include "step/schemes/joined.h"

const ashi_scheme_class ashi_scheme_impulses = {
    .name = "impulses",
    .take = ashi_joined_take,
    .move = ashi_joined_move,
    .holds = ashi_joined_holds,
    .accept = ashi_joint_impulses_accept,
    .parts = ashi_joint_impulses_parts,
    .order = 2,
    .joins = true,
    .loops = true,
};
