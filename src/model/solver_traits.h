/* What a solver is and does, a line in the table of solver_traits.c for each, so that nobody asks which one runs. Its
 * function stands in src/solve/solvers.c. */
#ifndef ASHI_MODEL_SOLVER_TRAITS_H
#define ASHI_MODEL_SOLVER_TRAITS_H

#include "ashlar/problem.h"

typedef struct ashi_solver_traits {
    const char *summary;
    bool chooses;       /* between static and sliding friction by itself; the others know one coefficient */
    bool moves;         /* takes contacts as they are, moves bodies in sub-steps, and judges itself */
    bool layers;        /* layer by layer of a stack, each by its inner solver, which is what counts */
    bool springs;       /* springs and dampers instead of a solve */
    bool frictionless;  /* knows none: islands with friction are solved by newton */
    bool in_turns;      /* normals first, then friction */
    bool relaxes;       /* corrections are scaled by the settings' factor */
    bool keeps_pattern; /* of a sparse factor, from step to step */
    bool keeps_factor;  /* of equality rows, likewise */
    double tolerance;   /* by default, m/s; 0: as usual */
    double relaxation;  /* likewise; 0: 1 */
} ashi_solver_traits;

/* For what must be exact, whatever the solver of the method. */
#define ASHI_EXACT_SOLVER ASH_SOLVER_NEWTON

const ashi_solver_traits *ashi_solver_traits_of(ash_solver solver);

/* Whether it can solve the layers of `shock`: layers are no stacks of their own, and with a solver that moves bodies
 * all layers would have to go step by step. */
static inline bool ashi_solver_may_be_inner(ash_solver solver)
{
    const ashi_solver_traits *traits = ashi_solver_traits_of(solver);
    return !traits->layers && !traits->moves;
}

#endif
