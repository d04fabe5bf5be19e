/* How iterations converge on the contact problem of a scene: Erleben 2007, section 3. */
#ifndef ASHI_SCENE_BUILTIN_CONVERGENCE_H
#define ASHI_SCENE_BUILTIN_CONVERGENCE_H

#include "scene/builtin/parts.h"

/* The spectrum of the first step's problem and theta over the sweeps (figures 3 to 5), for the scene with these
 * settings, as in ashi_experiment_open. `figure`: the source of its spectrum. */
ash_status ashi_validate_convergence(ashi_validation *validation, const char *settings, const char *figure,
                                     ash_diagnostic *diagnostic);

/* Mass ratios, scaling and damping (figures 6 to 8), for box-stack. */
ash_status ashi_validate_damping(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
