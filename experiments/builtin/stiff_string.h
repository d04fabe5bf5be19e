/* What the scene of the stiff string and its experiments share. */
#ifndef ASHI_SCENE_BUILTIN_STIFF_STRING_H
#define ASHI_SCENE_BUILTIN_STIFF_STRING_H

#include "experiments/builtin/string.h"

enum { ASHI_STIFF_STRING_MASSES = 30 };

/* The string's masses and lengths with elements of this angular frequency. */
ashi_strand ashi_stiff_strand(double element_frequency, double zeta);

ash_status ashi_stiff_string_validate(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
