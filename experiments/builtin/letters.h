/* letters and what is measured of it. */
#ifndef ASHI_SCENE_BUILTIN_LETTERS_H
#define ASHI_SCENE_BUILTIN_LETTERS_H

#include "experiments/builtin/engraving.h"
#include "experiments/builtin/parts.h"

#define ASHI_LETTERS_WORD "ASHLAR"

/* Cuts the word as the scene's plate has it except for the plate's thickness. */
ash_status ashi_letters_engrave(ashi_engraving *engraving, ash_diagnostic *diagnostic);

ash_status ashi_validate_letters(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
