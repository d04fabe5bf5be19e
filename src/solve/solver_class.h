/* What a solver is and does: a line in the table of solver_class.c for each. */
#ifndef ASHI_SOLVE_SOLVER_CLASS_H
#define ASHI_SOLVE_SOLVER_CLASS_H

#include "solve/solve.h"

typedef struct ashi_solver_class {
    const char *name, *summary;
    ashi_solver solve;
    bool chooses;       /* between static and sliding friction by itself; the others know one coefficient */
    bool moves;         /* takes contacts as they are, moves bodies in sub-steps, and judges itself */
    bool layers;        /* layer by layer of a stack, each by its inner solver, which is what counts */
    bool springs;       /* springs and dampers instead of a solve */
    bool frictionless;  /* ignores friction */
    bool in_turns;      /* normals first, then friction */
    bool keeps_pattern; /* of a sparse factor, from step to step */
    bool keeps_factor;  /* of equality rows, likewise */
    double tolerance;   /* by default, m/s; 0: as usual */
    double relaxation;  /* likewise; 0: 1 */
} ashi_solver_class;

const ashi_solver_class *ashi_solver_class_of(ash_solver solver);

#endif
