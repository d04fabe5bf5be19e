/* Impacts of several points, followed in increments. */
#ifndef ASHI_SOLVE_IMPACT_STAGES_H
#define ASHI_SOLVE_IMPACT_STAGES_H

#include "solve/impact/impact.h"

/* What an impact keeps of its island: bodies, rows and blocks from the island's first on. */
typedef struct ashi_gradual_impact {
    ashi_solve *solve;
    ashi_system *problem;
    const ash_problem_island *island;
    ashi_one_solve once;
    uint32_t first_row, row_count;
    ash_motion *start, *now, *other; /* by body: before the impact, at this increment, and with other increments */
    double *bias, *speed;            /* by row: as assembled; J v before the impact */
    double *before, *change; /* by row: J v at the start of the increment, and by how much it changed in the last */
    double *impulse, *work;  /* by row: so far */
    double *coefficient, *friction; /* by block: of restitution; of friction at the start */
    double *compressed;             /* by block: work taken by compression; Poisson's law: the impulse */
    double *ratio, *from;           /* by block, the first of each pair of bodies: rebound over e times the approach at
                                       the end and at the start of the increment */
    double bent;                    /* m/s: by how much changes of J v in the increments of a phase differ */
    double fastest;                 /* m/s: the fastest approach */
    uint32_t flags, iterations;
    bool lost; /* a solve was too far from exact for the impact to be followed */
    double residual;
} ashi_gradual_impact;

/* Starts from the velocities before the impact, nothing having happened. */
void ashi_impact_rewind(ashi_gradual_impact *impact);
/* Sets `impulse` of the rows, works and velocities to what has happened, biases and bodies to what they were. */
void ashi_impact_finish(ashi_gradual_impact *impact);
/* One solve of an increment from `now`, without any of the contact normals' biases set by the caller: those of the rows
 * are used as they stand. Sets flags and iterations. False when memory ran out. */
bool ashi_impact_run(ashi_gradual_impact *impact);

/* Follows the impact in increments, as many as its course needs. False when memory ran out. */
bool ashi_impact_by_increments(ashi_gradual_impact *impact);
/* All work of contacts so far, on the slip. */
double ashi_impact_work(const ashi_gradual_impact *impact);

#endif
