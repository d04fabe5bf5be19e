/* The properties of solvers, one line each in the table of solver_traits.c, so that no code asks which solver runs.
 * Their functions are in src/solve/solvers.c. */
#ifndef ASHI_MODEL_SOLVER_TRAITS_H
#define ASHI_MODEL_SOLVER_TRAITS_H

#include "ashlar/problem.h"

typedef struct ashi_solver_traits {
    const char *summary;
    bool chooses;       /* chooses between static and sliding friction itself; the others use one coefficient */
    bool moves;         /* uses contacts directly, moves bodies in sub-steps, and judges its own result */
    bool layers;        /* solves a stack layer by layer, each by its inner solver, whose properties count */
    bool springs;       /* springs and dampers instead of a solve */
    bool frictionless;  /* supports no friction: islands with friction are solved by newton */
    bool in_turns;      /* normals first, then friction */
    bool relaxes;       /* corrections are scaled by the settings' factor */
    bool keeps_pattern; /* keeps the pattern of a sparse factor from step to step */
    bool keeps_factor;  /* keeps the factor of equality rows likewise */
    double tolerance;   /* default, m/s; 0: the usual one */
    double relaxation;  /* default; 0: 1 */
} ashi_solver_traits;

/* The solver for problems that must be solved exactly, whatever the method's solver. */
#define ASHI_EXACT_SOLVER ASH_SOLVER_NEWTON

const ashi_solver_traits *ashi_solver_traits_of(ash_solver solver);

/* Whether it can solve the layers of `shock`: a layer is not a stack itself, and a solver that moves bodies would have
 * to advance all layers sub-step by sub-step. */
static inline bool ashi_solver_may_be_inner(ash_solver solver)
{
    const ashi_solver_traits *traits = ashi_solver_traits_of(solver);
    return !traits->layers && !traits->moves;
}

#endif
