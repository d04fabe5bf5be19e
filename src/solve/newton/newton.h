/* Inside the solver `newton`: the island in scaled coordinates, and its parts. Equations: newton.c and docs/newton.md.
 */
#ifndef ASHI_SOLVE_NEWTON_H
#define ASHI_SOLVE_NEWTON_H

#include "solve/linear/block_factor.h"
#include "solve/solve.h"

#define ASHI_NEWTON_ROWS  6          /* of a block at most */
#define ASHI_NEWTON_FIXED UINT32_MAX /* in place of the number of a body that cannot move */

/* Which equations the velocities have to satisfy. */
typedef enum ashi_newton_law {
    ASHI_NEWTON_CONVEX, /* impulses are the projection onto K; slip speeds s are given: a convex problem */
    ASHI_NEWTON_COULOMB /* the friction bounds follow the normal impulse: Coulomb's law */
} ashi_newton_law;

typedef double ashi_slope[ASHI_NEWTON_ROWS][ASHI_NEWTON_ROWS];

/* A block of the island. */
typedef struct ashi_newton_block {
    const ashi_block *block;
    uint32_t first_row, row_count; /* among the island's rows */
    uint32_t body[2];              /* among the island's bodies, or ASHI_NEWTON_FIXED */
    uint32_t coupling;             /* number of the matrix block, when both bodies can move */
} ashi_newton_block;

/* v = v* + F z with F F^T = M^-1 by body, so that z is never multiplied by a mass: locked axes and planar bodies have
 * zero columns in F and need no case of their own. */
typedef struct ashi_newton {
    ashi_solve *solve;
    uint32_t body_count, block_count, row_count;
    ashi_newton_block *blocks;
    double (*root)[12];     /* by body: F, the square roots of three inverse masses and 3x3 by rows */
    double (*jacobian)[12]; /* by row: J F of both bodies; zero for bodies that cannot move */
    double *speed_free;     /* by row: J v* + bias */
    double *softness;       /* by row */
    double *lower, *upper;  /* by row; contacts: unused */
    double *unit;           /* by row: 1/D, N s per m/s; zero where no impulse moves the row */
    double *mobility;       /* by row, of both bodies: the largest velocity that a unit of impulse gives */
    double *impulse;        /* by row: lambda */
    double *slip;           /* by block: s, given to the convex law */
    double sigma;           /* rho = sigma / D */
    /* of the point under consideration */
    double *z, *residual; /* six by body: z and z - F^T J^T Lambda */
    double *speed;        /* by row: J v + bias */
    double *answer;       /* by row: Lambda */
    /* of the search */
    double *step, *step_speed;
    double *kept, *kept_speed; /* z and speeds to go back to */
    double *noise;             /* by body: see ashi_newton_noise */
    double *guess;             /* impulses at the start; by row */
    double *best;              /* impulses of the best iterate; by row */
    double *accepted;          /* and of the last round of stage 2 */
    double best_error;
    ashi_block_pattern *pattern;
    ashi_block_factor factor;
} ashi_newton;

/* ---- newton_law.c: Lambda(y) and its slope ---- */

/* The impulses that answer `point` = (lambda - rho u) / (1 + rho softness), in place, in the metric sum x_i^2 /
 * weight_i. `slope`, if not null, receives - d Lambda / d u = (d Lambda / d point) diag(weight). */
void ashi_newton_answer(const ashi_law *law, ashi_newton_law kind, const ashi_block *block, const double *weight,
                        double *point, ashi_slope *slope);

/* ---- newton_island.c: the scaled island ---- */

/* Takes memory and scales the island. False when memory ran out. */
bool ashi_newton_prepare(ashi_newton *newton, ashi_solve *solve, ashi_block_pattern *pattern);
/* The largest component of a vector like z as velocities, m/s or rad/s. */
double ashi_newton_velocity(const ashi_newton *newton, const double *z);

/* ---- newton_equations.c ---- */

/* z and speeds of the impulses. */
void ashi_newton_start(ashi_newton *newton);
/* speed = J F z. */
void ashi_newton_speeds(const ashi_newton *newton, const double *z, double *speed);
/* Lambda of block k at speeds that are `along` times those of the step further, with its slope if that is not null. */
void ashi_newton_answer_block(const ashi_newton *newton, ashi_newton_law kind, uint32_t k, double along, double *point,
                              ashi_slope *slope);
/* Gauss-Seidel by blocks on impulses, z and speeds: cheap, and safe where much slides. */
void ashi_newton_sweep(ashi_newton *newton, uint32_t sweeps);
/* Answers and residual at the speeds; with `assemble` the matrix d residual / d z as well. */
void ashi_newton_evaluate(ashi_newton *newton, ashi_newton_law kind, bool assemble);
/* What rounding leaves of the residual at best, as a velocity; from answers and speeds. */
double ashi_newton_noise(ashi_newton *newton, ashi_newton_law kind);
/* s of the speeds, for the convex law. */
void ashi_newton_lag(ashi_newton *newton);

/* ---- newton_search.c: one problem with given lambda ---- */

/* Moves z until the residual is below `tolerance`, m/s. False: it is not. */
bool ashi_newton_descend(ashi_newton *newton, ashi_newton_law kind, double tolerance, uint32_t most_steps);

#endif
