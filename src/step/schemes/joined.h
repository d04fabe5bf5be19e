/* Schemes whose free motion holds the joints: by impulses or by accelerations. */
#ifndef ASHI_STEP_SCHEMES_JOINED_H
#define ASHI_STEP_SCHEMES_JOINED_H

#include "step/scheme.h"

bool ashi_joined_take(ashi_step *step, double h, double reach);
bool ashi_joined_move(ashi_step *step);
bool ashi_joined_holds(const ashi_step *step);

#endif
