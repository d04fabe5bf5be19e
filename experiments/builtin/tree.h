/* What the scenes of Bender & Schmitt's trees and their experiments share. */
#ifndef ASHI_SCENE_BUILTIN_TREE_H
#define ASHI_SCENE_BUILTIN_TREE_H

#include "experiments/builtin.h"

ash_status ashi_tree_validate(ashi_validation *validation, ash_diagnostic *diagnostic);
ash_status ashi_star_validate(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
