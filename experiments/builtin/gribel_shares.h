/* What a step of Gribel's method removes of the errors of contacts, joints and limits. */
#ifndef ASHI_SCENE_BUILTIN_GRIBEL_SHARES_H
#define ASHI_SCENE_BUILTIN_GRIBEL_SHARES_H

#include "experiments/builtin.h"

ash_status ashi_gribel_shares_validate(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
