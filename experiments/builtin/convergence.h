/* How iterations converge on the contact problem of a scene: Erleben 2007, section 3. */
#ifndef ASHI_SCENE_BUILTIN_CONVERGENCE_H
#define ASHI_SCENE_BUILTIN_CONVERGENCE_H

#include "experiments/builtin/parts.h"

/* The spectrum of the first step's problem and theta over the sweeps (figures 4, 5 and 8), for the scene with these
 * settings, as in ashi_experiment_open. `title`: what its rows begin with, `figure`: the source of its spectrum. */
ash_status ashi_validate_convergence(ashi_validation *validation, const char *settings, const char *title,
                                     const char *figure, ash_diagnostic *diagnostic);

/* The same of the stored problem ball-grid (figure 3). */
ash_status ashi_validate_ball_grid_convergence(ashi_validation *validation, ash_diagnostic *diagnostic);

/* Mass ratios, scaling and damping (figures 6 to 8), for box-stack. */
ash_status ashi_validate_damping(ashi_validation *validation, ash_diagnostic *diagnostic);

#endif
