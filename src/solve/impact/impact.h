/* Laws of restitution at an instant, beside Newton's: Poisson's and the energetic one (docs/impacts.md).
 *
 * Newton's law asks for the speeds at the end, so that one solve does. The other two follow the impact through
 * compression and restitution. Islands with one contact point are integrated exactly (impact_point.h), others by solves
 * in increments. */
#ifndef ASHI_SOLVE_IMPACT_H
#define ASHI_SOLVE_IMPACT_H

#include "solve/solve.h"

/* Solves the island as it stands, from the guess in its rows: one increment. False when memory ran out. */
typedef struct ashi_one_solve {
    bool (*run)(void *data, ashi_solve *solve);
    void *data;
} ashi_one_solve;

/* Whether the solver can follow an impact: not sub-steps, layers, springs. */
bool ashi_impact_suits(const ash_solver_settings *settings);
/* Whether impacts of the problem follow another law than Newton's, and the solver can. */
bool ashi_impact_acts(const ashi_system *problem, const ash_solver_settings *settings);

/* Solves an island of such a problem by its law. Afterwards `impulse` of its rows is that of the whole impact, `work`
 * of its contacts' rows is theirs on the bodies (J), and `velocity` what follows. `integrated`: the solution is not
 * that of the rows' biases. `memory` outlives the single solves. False when memory ran out. */
bool ashi_impact_solve(ashi_solve *solve, ashi_one_solve once, ashi_arena *memory, bool *integrated);

/* The work of an island's contacts on the bodies, from the start of the step to the solution: impulses times the mean
 * speeds, J. Without that of stabilization: what biases ask for beyond the share of the rebounds in them. */
double ashi_contact_work(const ashi_system *problem, const ash_problem_island *island, double share);

/* Whether the solver leaves all of a contact's work to its impulses: not sub-steps, springs. */
bool ashi_rebound_is_limited(const ash_solver_settings *settings);
/* Rebound by Newton's law that makes energy (friction, unlike coefficients) is made smaller until it does not: of the
 * rebounds of an island the largest common share by which contacts do no more work than without any, or none. Call it
 * after the solve. False when memory ran out. */
bool ashi_rebound_limit(ashi_solve *solve, ashi_one_solve once);

#endif
