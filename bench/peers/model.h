/* Models for all engines from a scene of ours. */
#ifndef BENCH_PEERS_MODEL_H
#define BENCH_PEERS_MODEL_H

#include "peer.h"

#include "scene/description/description.h"

/* Takes what all engines can be given: bodies with shapes of one surface law, ball joints and rods, constant torques,
 * bodies that enter and leave. Anything else is a diagnostic. The scene must outlive the model; it is unchanged after
 * the call. */
ash_status peer_model_make(ash_scene *scene, peer_model *model, ash_diagnostic *diagnostic);
void peer_model_release(peer_model *model);

#endif
