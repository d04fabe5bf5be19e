/* The contact problem of one step, as plain data that contains no pointer to the world.
 *
 * Bodies have an inverse mass, an inverse inertia and a predicted velocity v*, which includes all forces except those
 * of the constraints. Contacts have one to four points; blocks (a joint, a limit, a motor) have rows. Both give rows J
 * on two bodies, with impulses lambda:
 *
 *   v = v* + M^-1 J^T lambda,     u = J v + bias + softness lambda.
 *
 * A plain row requires  lower <= lambda <= upper  with u = 0 strictly between the bounds, u >= 0 at the lower and
 * u <= 0 at the upper one; an equality has infinite bounds. A contact requires Signorini's condition 0 <= lambda_n,
 * u_n >= 0, lambda_n u_n = 0 along its normal and Coulomb's law in the tangent plane. For a point at r_a and r_b from
 * the bodies' centres the row along an axis x is (-x, -r_a x x, x, r_b x x). Units: impulses N s and N m s, velocities
 * m/s and rad/s. */
#ifndef ASHLAR_PROBLEM_H
#define ASHLAR_PROBLEM_H

#include "ashlar/base.h"
#include "ashlar/geometry.h"
#include "ashlar/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The set of admissible friction impulses. In planar problems all laws are the same. */
typedef enum ash_friction_law {
    ASH_FRICTION_CONE,    /* a disk of radius mu lambda_n: Coulomb's law */
    ASH_FRICTION_PYRAMID, /* a polygon with corners on that disk in `directions` directions, the first of them the first
                             tangent */
    ASH_FRICTION_BOX,     /* along each tangent separately at most mu lambda_n */
    ASH_FRICTION_LAWS
} ash_friction_law;

/* The law of restitution of approaching contacts. In the problem of a step (h > 0) Newton's applies. */
typedef enum ash_restitution_law {
    ASH_RESTITUTION_NEWTON,    /* it separates at `rebound`: e times its approach speed */
    ASH_RESTITUTION_POISSON,   /* e times the normal impulse of compression acts in restitution */
    ASH_RESTITUTION_ENERGETIC, /* the normal force gives back e^2 times the work that it took (Stronge 1990) */
    ASH_RESTITUTION_LAWS
} ash_restitution_law;

/* A point of a contact. */
typedef struct ash_problem_point {
    ash_vec3 arm_a, arm_b; /* from the bodies' centres, m */
    ash_vec3 impulse;      /* along the normal and the tangents, N s: first guess in, solution out */
    double gap;            /* m, at the start; negative: overlap */
    double bias;           /* of the normal's speed, m/s */
    double softness;       /* of the normal, >= 0, velocity per impulse */
    double rebound;        /* m/s at which the point should separate: e times its approach speed; also included in bias.
                              At an instant (h = 0) other laws of restitution derive e from it and the approach */
    double friction;       /* coefficient in force */
    double friction_limit; /* >= 0: this normal impulse bounds friction, not the present one (de Jong 5-3-1) */
    uint32_t label;        /* the world's number of the point, or anything the creator chooses */
} ash_problem_point;

/* A contact: points of two bodies with the same directions and materials. */
typedef struct ash_problem_contact {
    uint32_t body_a, body_b;  /* numbers of bodies; the same twice only when both are immovable */
    uint32_t first_point;     /* points are stored in the order of contacts */
    uint32_t first_turn;      /* of its points' impulses of rolling and spinning, if it resists these; in the same
                                 order */
    uint32_t point_count;     /* usually 1 to 4 */
    uint8_t tangents;         /* directions in which friction acts: 0 to 2 */
    uint8_t rollings, spins;  /* axes of rolling resistance: 0 to 2 (in planar problems z, else the tangents); of
                                 spinning: 0 or 1 */
    ash_vec3 normal;          /* from a to b */
    ash_vec3 tangent[2];      /* right-handed with it */
    double slide[2];          /* m/s: speeds of moving surfaces along the tangents, b relative to a */
    double sliding_friction;  /* <= friction: the coefficient when a point slips faster than `stick_speed` */
    double rolling, spinning; /* resistance: coefficients of moment over normal force, m */
    double restitution;       /* for points that first close within the step, in solvers that look there (soft-step) */
} ash_problem_contact;

typedef struct ash_problem_body {
    ash_vec3 inverse_mass;               /* 1/kg by axis; zero where locked or immovable */
    ash_sym3 inverse_inertia;            /* 1/(kg m2), world axes; zero where locked or immovable */
    ash_vec3 velocity, spin;             /* predicted: v* */
    ash_vec3 start_velocity, start_spin; /* before the step's forces */
    uint64_t label;                      /* the world's handle of the body, or 0 */
} ash_problem_body;

/* A plain row: of a joint, a limit or a motor. */
typedef struct ash_problem_row {
    ash_vec3 linear_a, angular_a, angular_b, linear_b; /* J */
    double impulse;                                    /* first guess in, solution out; N s or N m s */
    double bias;                                       /* m/s or rad/s */
    double error;                                      /* of position at the start, m or rad */
    double softness;                                   /* >= 0, velocity per impulse */
    double lower, upper;                               /* of the impulse */
} ash_problem_row;

#define ASH_POINT_ROWS 6 /* the most rows of a contact point */

/* Rows of the same two bodies that are solved together, such as the removed freedoms of a joint. */
typedef struct ash_problem_block {
    uint32_t body_a, body_b; /* numbers of bodies; the same twice only when both are immovable */
    uint32_t first_row, row_count;
    uint32_t label; /* 32 times the joint's slot plus the key of the first row, or anything the creator chooses */
} ash_problem_block;

/* Bodies, contacts and blocks that act on each other. Immovable bodies belong to no island. */
typedef struct ash_problem_island {
    uint32_t first_body, body_count;
    uint32_t first_block, block_count;
    uint32_t first_contact, contact_count;
    uint32_t first_point, point_count;
} ash_problem_island;

/* Velocities, or small displacements over the step. */
typedef struct ash_motion {
    ash_vec3 linear, angular;
} ash_motion;

typedef struct ash_problem {
    double h; /* s, the step's length */
    ash_friction_law law;
    uint32_t directions;                 /* of the pyramid: even, 4 to 32 */
    ash_restitution_law restitution_law; /* at an instant (h = 0) */
    double resting_speed;                /* m/s: slower approaches within the step do not rebound */
    double stick_speed; /* m/s: slip up to which `friction` applies; beyond it `sliding_friction` applies */
    bool planar;
    /* Immovable bodies come first, then the bodies of each island. Contacts and blocks are in the order of islands,
     * points in the order of contacts, rows in the order of blocks. */
    uint32_t fixed_count, body_count, contact_count, point_count, turn_count, block_count, row_count, island_count;
    ash_problem_body *bodies;
    ash_problem_contact *contacts;
    ash_problem_point *points;
    ash_vec3 *turns; /* impulses of rolling about both axes and of spinning, N m s, for the points that resist these */
    ash_problem_block *blocks;
    ash_problem_row *rows;
    ash_problem_island *islands;
    ash_motion *velocity; /* by body: the solution */
    /* capacities of the arrays */
    uint32_t body_room, contact_room, point_room, turn_room, block_room, row_room, island_room;
} ash_problem;

typedef enum ash_solver {
    ASH_SOLVER_JACOBI,
    ASH_SOLVER_PGS,        /* projected Gauss-Seidel */
    ASH_SOLVER_SOR,        /* the same with over-relaxation */
    ASH_SOLVER_LEMKE,      /* Stewart-Trinkle's linear complementarity problem by pivoting; approximates the cone by a
                              pyramid of `directions` */
    ASH_SOLVER_NNCG,       /* non-smooth nonlinear conjugate gradients (Silcowitz 2010) */
    ASH_SOLVER_APGD,       /* accelerated projected gradient (Mazhar 2015); solves the convex relaxation */
    ASH_SOLVER_NEWTON,     /* augmented Lagrangian, exact */
    ASH_SOLVER_SOFT_STEP,  /* sub-steps with soft constraints */
    ASH_SOLVER_DIRECT,     /* equality rows by one sparse factor, alternating with sweeps over all other rows */
    ASH_SOLVER_STRUCTURED, /* trees of joints in linear time, loops and frictionless contacts by conjugate gradients
                              (Faure) */
    ASH_SOLVER_SHOCK,      /* stack layers from the bottom up, lower bodies held, each layer by `inner` (Erleben
                              2007) */
    ASH_SOLVER_PENALTY,    /* no solve: springs and dampers at the contacts */
    /* Faure's own solver and those that he compares it with; contacts without friction */
    ASH_SOLVER_BICONJUGATE,      /* as structured, by biconjugate gradients with an active set inside the loop */
    ASH_SOLVER_STRUCTURED_DENSE, /* trees of joints in linear time, all other rows by a dense matrix */
    ASH_SOLVER_FULL_ITERATIVE,   /* all rows by conjugate gradients */
    ASH_SOLVER_FULL_DENSE,       /* all rows by a dense matrix */
    ASH_SOLVERS
} ash_solver;

typedef struct ash_solver_settings {
    ash_solver solver;
    uint32_t iterations;     /* at most; lemke pivots until it ends */
    double tolerance;        /* stop when the yardstick is below this, m/s; 0: never */
    double time_budget;      /* stop after this time, s; 0: never. With it results depend on the machine */
    bool warm_start;         /* start from the impulses in the problem */
    bool by_rows;            /* jacobi, pgs, sor, nncg, direct: row by row instead of block by block (docs/sweeps.md) */
    bool contact_by_contact; /* by rows: each contact's friction directly after its normal (Gribel 2009, 4.3), not after
                                all normals (de Jong 2014, 5-3-2) */
    ash_solver inner;        /* shock: the solver of each layer; neither shock nor soft-step */
    double relaxation;       /* sor, jacobi: factor applied to each correction, 0 to 2 */
    double settling;       /* pgs, sor: share of the sweeps, counted from the end, whose corrections are reduced by the
                              factors 1/2, 1/3, 1/4 ... (docs/sweeps.md), 0 to 1 */
    double regularization; /* jacobi, pgs, sor, nncg, apgd: gamma, 1/kg: they solve A + gamma I instead of A = J M^-1
                              J^T + softness (Erleben 2007, (41)); reported errors are those of A */
    double regularization_decay; /* pgs, sor: factor of gamma from sweep to sweep, 0 to 1; 1: constant. Erleben's goes
                                    to zero */
    bool diagonal_scaling; /* the same solvers: solve D^-1/2 A D^-1/2 with D = diag(A) (Erleben 2007, (39)). Sweeps by
                              rows are the same either way, except that gamma becomes relative: A + gamma D
                              (docs/convergence.md) */
    uint32_t substeps;     /* soft-step */
    double frequency;      /* soft-step: upper limit of the frequency of soft contacts, Hz */
    double damping;        /* soft-step: damping ratio */
    double push_out;       /* soft-step: largest speed at which overlap is removed, m/s */
    bool exact_rows;       /* soft-step: equality rows by one sparse factor, between the sweeps over other rows */
    bool unjudged;         /* skip the measurement by the yardstick: result.error has no meaning */
    double stiffness;      /* penalty: N/m, with Hertz N/m^1.5 */
    double dissipation;    /* penalty: N s/m; with Hertz s/m (Hunt and Crossley) */
    double slip_speed;     /* penalty: below it friction grows linearly with slip, m/s */
    bool hertz;            /* penalty: force proportional to depth^1.5 */
    double unit_length;    /* m: scale of built-in lengths, such as the longest move of one projection; 1 for worlds in
                              metres, 0.001 for worlds in millimetres */
    double unit_time;      /* s: the same for built-in times */
} ash_solver_settings;

/* How a solve ended. */
typedef enum ash_solve_flag {
    ASH_SOLVE_CONVERGED = 1,
    ASH_SOLVE_BUDGET = 2,     /* stopped by the time budget, or by the limit of a step's work (docs/methods.md) */
    ASH_SOLVE_RAY = 4,        /* lemke ended on a ray: it found no solution */
    ASH_SOLVE_FAILED = 8,     /* numbers broke down; impulses are those of the last good iterate */
    ASH_SOLVE_TOO_LARGE = 16, /* more than the solver can take */
    ASH_SOLVE_RELAXED = 32,   /* this is the solution of the convex relaxation; converged: to that solution */
    ASH_SOLVE_LAYERED = 64,   /* shock: these are the solutions of several layers; converged: to these */
    ASH_SOLVE_LAW = 128,      /* impacts: solutions were not exact enough to follow the law of restitution; Newton's was
                                 used */
    ASH_SOLVE_REPLACED = 256  /* lemke found no solution, as the other flags say, and newton replaced it; or structured
                                 replaced full-dense or structured-dense (too large) or biconjugate (did not end);
                                 converged: the replacement found one */
} ash_solve_flag;

/* How far a solution is from an exact one (docs/yardstick.md). */
typedef struct ash_yardstick {
    double largest, mean; /* backward error, m/s: a change of contact velocities by at most this makes the solution
                             exact */
    uint32_t worst_block; /* the number of a block, or the count of blocks plus the number of a point; UINT32_MAX:
                             none */
    double theta;         /* Erleben's merit function (2007, (37)-(38)) */
} ash_yardstick;

typedef struct ash_solve_result {
    uint32_t iterations; /* the maximum over islands; shock: over layers */
    uint32_t flags;      /* of ash_solve_flag; converged: every island */
    ash_yardstick error;
    double contact_work, friction_work; /* soft-step: work of normal and of friction impulses in all sub-steps, J */
    double placing_work;                /* soft-step: work of the removal of overlap against the forces, J */
    uint64_t operations;                /* approximate number of multiplications; counted, so equal on every machine */
    uint64_t memory; /* bytes of the solver's working memory, without the problem itself: the maximum over islands */
    double seconds;
} ash_solve_result;

/* Errors after each iteration, stored in arrays of the caller: entry 0 is the start. */
typedef struct ash_solve_trace {
    uint32_t capacity, count;
    double *residual; /* yardstick's largest, m/s */
    double *theta;
    double *seconds;
    double *own_theta; /* may be null: theta of the system that the solver works on (docs/convergence.md): regularized,
                          or scaled (then in J), or for shock with the velocities of its layers */
} ash_solve_trace;

/* The convergence of the Gauss-Seidel iteration on the problem with every row as an equality (Erleben 2007, (34)-(36)):
 * the system matrix A = J M^-1 J^T + softness = L + D + U, and the iteration matrix T = -(L + D)^-1 U, which maps the
 * error of the impulses from one sweep by rows to the next. In each island the rows of blocks come first, then those of
 * points. */
typedef struct ash_spectrum {
    uint32_t row_count; /* of A, without rows whose velocity no impulse changes */
    uint32_t left_out;
    uint32_t rank;            /* of A, by pivots; each other row is redundant and gives an eigenvalue 1 of T */
    double *matrix;           /* A, row_count x row_count */
    double *values;           /* its eigenvalues, ascending */
    double *real, *imaginary; /* those of T by descending modulus, conjugate pairs next to each other */
    double radius;            /* the largest modulus of these */
    double rate; /* the largest modulus without those of redundant rows: the asymptotic factor by which velocity errors
                    decrease */
} ash_spectrum;

#define ASH_SPECTRUM_ROWS 1500 /* the most rows of a problem: work grows with their cube */

/* The solver's name, such as "newton"; empty for an unknown number. */
ASH_API const char *ash_solver_name(ash_solver solver);
/* One line on the solver; empty for an unknown number. */
ASH_API const char *ash_solver_summary(ash_solver solver);
/* The solver of that name. For an unknown name the diagnostic suggests the nearest. */
ASH_API ash_status ash_solver_find(const char *name, ash_solver *solver, ash_diagnostic *diagnostic);
/* The solver with its default settings. */
ASH_API ash_solver_settings ash_default_solver_settings(ash_solver solver);
/* Writes the flags in words, such as "converged, relaxed" or "none", and returns `text`. */
ASH_API const char *ash_solve_flags_text(uint32_t flags, char *text, size_t size);

/* Reserves capacity; counts and contents do not change. A zeroed ash_problem is empty and valid; its memory is
 * allocated by the library. */
ASH_API ash_status ash_problem_reserve(ash_problem *problem, uint32_t bodies, uint32_t blocks, uint32_t rows,
                                       ash_diagnostic *diagnostic);
/* Releases all of its memory and leaves it empty. */
ASH_API void ash_problem_release(ash_problem *problem);
/* Copies `from` into `to`, which is zeroed or holds an older problem. */
ASH_API ash_status ash_problem_copy(ash_problem *to, const ash_problem *from, ash_diagnostic *diagnostic);

/* Reserves capacity for contacts, points and impulses of rolling and spinning. */
ASH_API ash_status ash_problem_reserve_contacts(ash_problem *problem, uint32_t contacts, uint32_t points,
                                                uint32_t turns, ash_diagnostic *diagnostic);
/* Writes the rows of a point of a contact, both by number, of a checked problem: the normal, with lower bound 0, the
 * tangents, then rolling and spinning, whose bounds follow the normal impulse. Returns how many there are; 0 if there
 * is no such point. For solvers that work on rows. */
ASH_API uint32_t ash_problem_get_point_rows(const ash_problem *problem, uint32_t contact, uint32_t point,
                                            ash_problem_row rows[ASH_POINT_ROWS]);

/* Finds the islands and sorts everything by them; numbers change. Bodies, contacts and blocks may be given in any
 * order, points in the order of contacts and rows in the order of blocks. Then checks every field: the diagnostic names
 * the first fault. */
ASH_API ash_status ash_problem_arrange(ash_problem *problem, ash_diagnostic *diagnostic);
/* Checks that counts, indices, numbers and islands are consistent. */
ASH_API ash_status ash_problem_check(const ash_problem *problem, ash_diagnostic *diagnostic);

/* Solves the problem: impulses and velocities become the solution. `threads`: at most ASH_MAX_THREADS, 0 means one.
 * With a trace (null: none) all islands are solved as one, so that the trace covers the whole problem. A solver that
 * does not converge reports this by flags, not by the status. */
ASH_API ash_status ash_problem_solve(ash_problem *problem, const ash_solver_settings *settings, uint32_t threads,
                                     ash_solve_trace *trace, ash_solve_result *result, ash_diagnostic *diagnostic);

/* Computes the spectrum: of A + gamma I with the regularization gamma (Erleben 2007, (41)), or of D^-1/2 A
 * D^-1/2 + gamma I with `diagonal_scaling`. Its memory belongs to the library until it is released; after a failure
 * there is nothing to release. */
ASH_API ash_status ash_problem_spectrum(const ash_problem *problem, double regularization, bool diagonal_scaling,
                                        ash_spectrum *spectrum, ash_diagnostic *diagnostic);
/* Releases its memory and leaves it empty. */
ASH_API void ash_spectrum_release(ash_spectrum *spectrum);

/* Computes the velocities from the impulses and measures how far both are from a solution. */
ASH_API ash_status ash_problem_measure(ash_problem *problem, ash_yardstick *yardstick, ash_diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif

#endif
