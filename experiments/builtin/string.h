/* What the scenes of the string and its experiments share. */
#ifndef ASHI_SCENE_BUILTIN_STRING_H
#define ASHI_SCENE_BUILTIN_STRING_H

#include "experiments/builtin/strand.h"

/* The cord of de Jong 2014, tables 8-1 and 8-2. */
ashi_strand ashi_string_strand(uint32_t masses, double zeta, double stiffness_factor);

/* Tension of the straight string, N. */
double ashi_string_tension(const ashi_strand *strand);

ash_status ashi_string_validate(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
