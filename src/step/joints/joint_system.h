/* The joints' system at a state: all held rows as a problem, with its factors (Bender & Schmitt 2006, 4.5-4.6).
 *
 * Compliant rows give way in it: they are springs, which act elsewhere. */
#ifndef ASHI_STEP_JOINTS_JOINT_SYSTEM_H
#define ASHI_STEP_JOINTS_JOINT_SYSTEM_H

#include "base/array.h"
#include "solve/direct/direct.h"
#include "solve/linear/rank_factor.h"
#include "step/step.h"

/* Where a body was when the system was made. */
typedef struct ashi_joint_body {
    ash_vec3 position;
    ash_quat rotation;
    uint32_t slot;
    uint8_t motion;
} ashi_joint_body;

/* A joint's block, in short. */
typedef struct ashi_joint_link {
    uint32_t slot_a, slot_b; /* of its bodies */
    uint32_t first_row, row_count;
    uint32_t joint; /* its slot */
} ashi_joint_link;

/* J of a row. */
typedef struct ashi_joint_jacobian {
    ash_vec3 linear_a, angular_a, linear_b, angular_b;
} ashi_joint_jacobian;

typedef struct ashi_joint_system {
    ashi_system problem;                /* its rows' impulses and errors are not kept up: see below */
    ASHI_ARRAY(ashi_joint_body) places; /* by body of the problem */
    ASHI_ARRAY(uint32_t) slots;         /* of bodies that can move, in that order */
    ASHI_ARRAY(ashi_joint_link) links;  /* by block of the problem */
    /* By row: what rounds of corrections look at, apart from the rows themselves, whose other numbers would have to be
     * fetched with it. */
    ASHI_ARRAY(ashi_joint_jacobian) jacobian;
    ASHI_ARRAY(double) impulse;   /* that was applied at this state */
    ASHI_ARRAY(double) error;     /* of position, m or rad, at the state that was looked at last */
    ASHI_ARRAY(double) bias;      /* minus the speed that is asked for */
    ASHI_ARRAY(bool) rigid;       /* not compliant */
    ASHI_ARRAY(ashi_block) cut;   /* the blocks of the tree, then those that close loops */
    ASHI_ARRAY(uint32_t) parents; /* by body: of the spanning forest, while loops are looked for */
    ASHI_ARRAY(double) inverses;  /* by row, 6 numbers each: of the blocks' own matrices */
    ashi_system tree, loops;      /* the problem with some of its blocks only */
    ashi_direct *tree_factor, *loop_factor;
    uint64_t revision; /* of the joints */
    uint32_t asleep;   /* bodies */
    bool numbered;     /* bodies and rows are those of the joints that act */
    bool on_paths;     /* some of these are path joints */
    bool made, factored, inverted;
    bool fitted; /* there was a factor with these bodies and rows */
    bool cuts_loops;
    bool structured;         /* one of Faure's solutions, loops without a factor of their own; set by the owner ... */
    ash_joint_solver solver; /* ... which one */
    bool dense;              /* `matrix` is factored */
    bool too_large;          /* for a dense matrix: gradients take its place */
    ashi_rank_factor matrix;
    uint64_t operations;  /* multiplications so far beside those of the factors, about */
    double deadline;      /* s, by ashi_seconds: conjugate gradients stop then; 0: never; set by the owner ... */
    uint32_t most_turns;  /* ... as their limit of turns; 0: none */
    uint32_t plain_turns; /* of tree and loops without acceleration, at most; 0: with it */
    bool late;            /* one of both ended a solve since the owner set them */
    ASHI_ARRAY(double) matrix_room;   /* of the matrix and its work */
    ASHI_ARRAY(uint32_t) matrix_rows; /* its order; by place in the matrix: the row of the problem */
    /* memory for solves: by row, by body */
    ASHI_ARRAY(double) numbers;
    ASHI_ARRAY(ash_motion) motions;
} ashi_joint_system;

void ashi_joint_system_release(ashi_joint_system *system);

/* Sets the system up at a state, without impulses; nothing else is done where it is for that state already. False when
 * memory ran out. */
bool ashi_joint_system_set_up(ashi_joint_system *system, const ashi_model *model, const ashi_state *state, double time,
                              ashi_arena *scratch);
/* Factors it (once for each place). `cuts_loops`: joints that close loops in a system apart. False when memory ran out.
 */
bool ashi_joint_system_factor(ashi_joint_system *system, bool cuts_loops);
/* The same as the step's method asks for; a matrix that would be too large is flagged. */
bool ashi_joint_system_factor_as_asked(ashi_joint_system *system, ashi_step *step);
/* Inverts the matrix of each block by itself (once for each place). False when memory ran out. */
bool ashi_joint_system_invert(ashi_joint_system *system);

/* Errors at a state; returns the largest of a joint, by the norm of its rigid rows. */
double ashi_joint_system_errors(ashi_joint_system *system, const ashi_model *model, const ashi_state *state);
/* J v - speed of a block's row at a state's velocities. */
double ashi_joint_system_rate(const ashi_joint_system *system, const ashi_block *block, const ashi_row *row,
                              const ashi_state *state);
/* Adds what joints carry by impulses (by row) along the system's rows, over `time`; `state` is that of the system. */
void ashi_joint_system_add_forces(const ashi_joint_system *system, const double *impulse, ashi_model *model,
                                  const ashi_state *state, double time);
/* The rates of all rows. */
void ashi_joint_system_rates(const ashi_joint_system *system, const ashi_state *state, double *rates);

/* Sets both limits of the method for the solves that follow. */
void ashi_joint_system_limit(ashi_joint_system *system, const ash_method *method);
/* Whether the deadline has passed, or a limit has ended a solve; then the step's report says so. */
bool ashi_joint_system_is_late(const ashi_joint_system *system, ashi_step *step);

/* Impulses that change the rows' speeds by `wanted` (by row), and the velocities that they change (by body): through
 * one factor or, where loops are cut, through both in one loop until they agree within `tolerance`, m/s. Returns how
 * often factors were used. */
uint32_t ashi_joint_system_solve(ashi_joint_system *system, const double *wanted, double tolerance, double *impulse,
                                 ash_motion *change);
/* Which solution the method asks for; before the system is factored. */
void ashi_joint_system_choose(ashi_joint_system *system, const ash_method *method);
/* faure_solvers.c: room for a dense matrix, if the solver uses one. False when memory ran out. */
bool ashi_joint_system_reserve_faure(ashi_joint_system *system);
/* Faure's biconjugate gradients, and those that he compares with: as ashi_joint_system_solve. */
uint32_t ashi_joint_system_solve_by_faure(ashi_joint_system *system, const double *wanted, double tolerance,
                                          double *impulse, ash_motion *change);
/* Multiplications of all solves so far, about. */
uint64_t ashi_joint_system_operations(const ashi_joint_system *system);
/* Impulses of one block by itself that change its rows' speeds by `wanted`; both by the block's rows. */
void ashi_joint_system_solve_block(const ashi_joint_system *system, const ashi_block *block, const double *wanted,
                                   double *impulse);
/* Adds a block's impulses (by its rows) to a state's velocities and to the system's. */
void ashi_joint_system_push(ashi_joint_system *system, const ashi_block *block, const double *impulse,
                            const ashi_state *state);

#endif
