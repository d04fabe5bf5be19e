/* cow-pile and what is measured of it. */
#ifndef ASHI_SCENE_BUILTIN_COW_PILE_H
#define ASHI_SCENE_BUILTIN_COW_PILE_H

#include "experiments/builtin/parts.h"

/* A cow that moves with this much energy is nearly still: 0.05 m/s. */
#define ASHI_COW_REST 0.5 /* J */

ash_status ashi_validate_cow_pile(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
