/* The problem of one island in the form for sweeps: every row in the order of visits, short and scaled.
 *
 * With the inverse mass of a body as G G^T and its velocity as v* + G y, a row's speed is J v* + bias + K y and an
 * impulse changes y by K^T, K = J G: the same six numbers for each body both ways, whatever axes are locked. y, the
 * scaled change of velocity, stands for the velocities while sweeps go on.
 *
 * Plain rows come first, contacts last: at the end of a sweep bodies do not overlap. Immovable bodies share a slot
 * whose y stays zero, so that no row needs a branch. A sweep reads `motion` and adds to `target`: the same for
 * Gauss-Seidel, apart for Jacobi. */
#ifndef ASHI_SOLVE_SWEEP_H
#define ASHI_SOLVE_SWEEP_H

#include "math/pair.h"
#include "solve/solve.h"

#define ASHI_SWEEP_HALF   6                           /* numbers of one body's y */
#define ASHI_BLOCK_ROWS   6                           /* at most */
#define ASHI_PACKED(i, k) ((i) * ((i) + 1) / 2 + (k)) /* i >= k: place in a lower triangle */

typedef struct ashi_sweep_row {
    double scaled[2 * ASHI_SWEEP_HALF]; /* K: a's part, then b's */
    double bias;                        /* with J v* */
    double softness;
    double inverse_diagonal; /* of the row's own response; 0: nothing responds */
    double step;             /* friction: 1 / the largest eigenvalue of the rows that the law bounds together */
} ashi_sweep_row;

typedef struct ashi_sweep_bounds {
    double lower, upper;
} ashi_sweep_bounds;

typedef enum ashi_sweep_kind {
    ASHI_SWEEP_ROWS,  /* equalities at once, then rows with bounds */
    ASHI_SWEEP_CONE,  /* normal and two tangents by Coulomb's law: the exact solution of the block */
    ASHI_SWEEP_BOX,   /* the same with each tangent bounded by itself: exact where it sticks, else as the next */
    ASHI_SWEEP_GROUPS /* any other contact: normal, tangents, rollings, spin, one after the other */
} ashi_sweep_kind;

/* Data for every visit. */
typedef struct ashi_sweep_block {
    uint32_t a, b;  /* where their y begin */
    uint32_t first; /* row */
    uint8_t kind;
    uint8_t count;    /* rows; a cone has three, the last of them empty in the plane */
    uint8_t tangents; /* of a contact without rolling, spinning, fixed bounds or a second coefficient; else 0 */
    double friction;  /* coefficient */
    double slip;      /* of a cone that slides: slip over friction impulse, at its last visit */
    double matrix[6]; /* cone, box: J M^-1 J^T + softness of the block, lower triangle */
    double inverse[6];
} ashi_sweep_block;

/* Data for some visits. */
typedef struct ashi_sweep_link {
    const ashi_block *source;
    double *matrix;  /* of the block */
    double *inverse; /* plain rows: of the equalities, zero elsewhere */
    bool equal;      /* all rows are equalities */
} ashi_sweep_link;

typedef struct ashi_sweep_state {
    ashi_solve *solve;
    uint32_t block_count, plain_count; /* blocks; those of plain rows, which come first */
    uint32_t row_count, motion_count;
    ashi_sweep_block *blocks;
    ashi_sweep_link *links;
    ashi_sweep_row *rows;
    ashi_sweep_bounds *bounds; /* by row; unused for friction */
    double *impulse;           /* by row */
    double *motion, *target;   /* y */
    double relaxation, gamma;  /* the regularization that is in the rows */
    const double *shares;      /* null, or by body: as prepared */
    double *best;              /* null, or the impulses that were judged best, and their error, m/s */
    double best_residual;
} ashi_sweep_state;

/* Takes everything from the solve's scratch memory. `split`: the response of a body is multiplied by the number of
 * blocks (rows, when the sweep goes by rows) that act on it, for Jacobi; `gamma`: the regularization of the rows. False
 * when memory ran out. */
bool ashi_sweep_prepare(ashi_sweep_state *sweep, ashi_solve *solve, double relaxation, double gamma, bool split);

/* Changes the regularization to gamma (Erleben 2007, (41)), which is as prepared at first. */
void ashi_sweep_regularize(ashi_sweep_state *sweep, double gamma);

/* One sweep as the settings say: over all blocks, or over all rows: plain rows, normal rows, friction rows (de Jong
 * 2014, 5-3-2) or, of each contact in turn, its normal row and its friction (Gribel 2009, 4.3). */
void ashi_sweep_once(ashi_sweep_state *sweep);

/* The same without equality rows, which are solved elsewhere: blocks with only these are left out (by blocks, equality
 * rows of mixed blocks are not). */
void ashi_sweep_bounded(ashi_sweep_state *sweep);

/* Recomputes the y of the impulses. */
void ashi_sweep_gather(const ashi_sweep_state *sweep, const double *impulse, double *motion);

/* Writes impulses back and recomputes their velocities, here and in the problem. False, with the failure flagged and
 * the problem unchanged, when they are not finite. */
bool ashi_sweep_publish(ashi_sweep_state *sweep);

/* For solvers that do not descend steadily: the best impulses judged are the result. False when memory ran out. */
bool ashi_sweep_keep_best(ashi_sweep_state *sweep);

/* Iterates like nncg: conjugate directions from the changes by `once`, which makes a sweep. False when memory ran
 * out. */
bool ashi_sweep_conjugate(ashi_sweep_state *sweep, void (*once)(ashi_sweep_state *sweep, void *data), void *data,
                          uint32_t judge_every);

/* ashi_solve_goes_on with impulses published when they are going to be judged or are the last. */
bool ashi_sweep_goes_on(ashi_sweep_state *sweep, uint32_t judge_every);

/* A block's new impulses for speeds u (bias and softness included); `impulse` holds the old ones. */
void ashi_sweep_solve_cone(ashi_sweep_block *block, const double *u, double *impulse);
void ashi_sweep_solve_groups(const ashi_sweep_state *sweep, uint32_t number, double *u, double *impulse);
void ashi_sweep_solve_plain(const ashi_sweep_state *sweep, uint32_t number, double *u, double *impulse);

/* J v + bias + softness lambda of a row. */
static inline double ashi_sweep_speed(const ashi_sweep_row *row, const double *a, const double *b, double impulse)
{
    const double *k = row->scaled;
    ashi_double_pair s = pair_load(k) * pair_load(a) + pair_load(k + 2) * pair_load(a + 2);
    ashi_double_pair t = pair_load(k + 6) * pair_load(b) + pair_load(k + 8) * pair_load(b + 2);
    s += pair_load(k + 4) * pair_load(a + 4);
    t += pair_load(k + 10) * pair_load(b + 4);
    return pair_sum(s + t) + (row->bias + row->softness * impulse);
}

static inline void ashi_sweep_push(const ashi_sweep_row *row, double *a, double *b, double change)
{
    const double *k = row->scaled;
    ashi_double_pair by = pair_of(change);
    for (int i = 0; i < ASHI_SWEEP_HALF; i += 2) {
        pair_store(a + i, pair_load(a + i) + pair_load(k + i) * by);
        pair_store(b + i, pair_load(b + i) + pair_load(k + ASHI_SWEEP_HALF + i) * by);
    }
}

static inline double ashi_clamped(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

/* The normal impulse that bounds friction. */
static inline double ashi_bounding_impulse(const ashi_block *block, double normal)
{
    return block->friction_limit >= 0 ? block->friction_limit : normal;
}

#endif
