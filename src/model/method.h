/* Methods inside the library. */
#ifndef ASHI_MODEL_METHOD_H
#define ASHI_MODEL_METHOD_H

#include "ashlar/method.h"
#include "model/solver_traits.h"

/* Whether every field has a value that ash_method_set would accept; the diagnostic names the first that has not. */
bool ashi_method_is_valid(const ash_method *method, ash_diagnostic *diagnostic);
/* Whether impacts are solved at instants: where a step is cut, or at its end. */
static inline bool ashi_method_has_instants(const ash_method *method)
{
    return method->step_control == ASH_STEP_IMPACTS || method->step_control == ASH_STEP_BOUNCES;
}
/* Whether the solver moves bodies in its own sub-steps. */
static inline bool ashi_method_divides(const ash_method *method)
{
    return ashi_solver_traits_of(method->solver.solver)->moves;
}
/* Whether contacts are springs, which store energy. */
static inline bool ashi_method_has_springs(const ash_method *method)
{
    return ashi_solver_traits_of(method->solver.solver)->springs;
}
/* Whether bodies move by the mean of the velocities at both ends of a step, so that its order is above one. */
static inline bool ashi_integrator_moves_by_mean(ash_integrator integrator)
{
    return integrator == ASH_RK4 || integrator == ASH_IMPLICIT_MIDPOINT || integrator == ASH_SDIRK2;
}
bool ashi_method_has_same_fields(const ash_method *a, const ash_method *b);

#endif
