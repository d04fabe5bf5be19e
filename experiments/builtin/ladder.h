/* What the scenes of Faure's chains and ladders and their experiments share. */
#ifndef ASHI_SCENE_BUILTIN_LADDER_H
#define ASHI_SCENE_BUILTIN_LADDER_H

#include "experiments/builtin.h"

/* Hangs two rails of n links each on the world, with `loops` rungs between them, as far apart as n allows. */
ash_status ashi_add_ladder(ash_scene *scene, uint32_t n, uint32_t loops, ash_diagnostic *diagnostic);

ash_status ashi_chain_validate(ashi_validation *validation, ash_diagnostic *diagnostic);
/* Of the chain: how errors of joints are removed. */
ash_status ashi_drift_validate(ashi_validation *validation, ash_diagnostic *diagnostic);
ash_status ashi_ladder_validate(ashi_validation *validation, ash_diagnostic *diagnostic);
ash_status ashi_refine_validate(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
