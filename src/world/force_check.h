/* Checks of forces, for their creation and for snapshots. The bodies of an element must be in use. */
#ifndef ASHI_WORLD_FORCE_CHECK_H
#define ASHI_WORLD_FORCE_CHECK_H

#include "model/forces.h"

/* A coefficient must be finite and not negative. */
bool ashi_check_coefficient(double value, const char *field, ash_diagnostic *diagnostic);
bool ashi_check_spring(const ashi_spring *spring, ash_diagnostic *diagnostic);
bool ashi_check_angular_spring(const ashi_angular_spring *spring, ash_diagnostic *diagnostic);
bool ashi_check_bending_spring(const ashi_bending_spring *spring, ash_diagnostic *diagnostic);
bool ashi_check_drag(const ashi_bodies *bodies, const ashi_drag *drag, ash_diagnostic *diagnostic);
bool ashi_check_pull(const ashi_pull *pull, ash_diagnostic *diagnostic);
bool ashi_check_load(const ashi_load *load, ash_diagnostic *diagnostic);

#endif
