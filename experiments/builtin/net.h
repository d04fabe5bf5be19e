/* What the scene of the net and its experiments share. */
#ifndef ASHI_SCENE_BUILTIN_NET_H
#define ASHI_SCENE_BUILTIN_NET_H

#include "experiments/builtin/parts.h"

/* Height of the bin's top, m: the net starts at 0. */
#define ASHI_NET_TARGET_TOP (-0.3)

ash_status ashi_net_validate(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
