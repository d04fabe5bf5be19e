/* Mechanisms for all engines from a world of ours. */
#ifndef BENCH_PEERS_MECHANISM_H
#define BENCH_PEERS_MECHANISM_H

#include "peer.h"

#include "scene/experiment.h"

/* The world of an experiment as it is at its start: dynamic bodies at rest, ball joints, constant torques along the
 * world's axes. Anything else is a diagnostic. */
ash_status peer_mechanism_make(const ashi_experiment *experiment, peer_mechanism *mechanism,
                               ash_diagnostic *diagnostic);
void peer_mechanism_release(peer_mechanism *mechanism);

/* How far the points of any joint are apart, at most; infinite when a place is no number. */
double peer_joint_error(const peer_mechanism *mechanism, const ash_transform *places);

#endif
