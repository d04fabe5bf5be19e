/* Solvers: one file each behind one function type. A solver knows nothing of shapes, joints or files.
 *
 * ashi_solve_problem prepares the velocities from the first guess, solves island by island (in parallel: islands share
 * only immovable bodies), and measures the result. Convex solvers use one friction coefficient per contact; contacts
 * that slide in the solution with `friction` > `sliding_friction` are solved again with the latter. */
#ifndef ASHI_SOLVE_SOLVE_H
#define ASHI_SOLVE_SOLVE_H

#include "base/interrupt.h"
#include "base/tasks.h"
#include "model/solver_traits.h"
#include "problem/contact_graph.h"
#include "problem/yardstick.h"

/* The memory of solvers from step to step: scratch memory by worker, patterns of factors. */
typedef struct ashi_solver_memory ashi_solver_memory;
ashi_solver_memory *ashi_solver_memory_create(void);
void ashi_solver_memory_destroy(ashi_solver_memory *memory);
/* Bytes of scratch memory that it holds. */
size_t ashi_solver_scratch_size(const ashi_solver_memory *memory);

/* Limits the work of all solves from now on, in visits of a block, so that a step ends however many contacts there are.
 * The limit is counted, not timed, and so equal on every machine. Without a call there is no limit. */
void ashi_solver_grant(ashi_solver_memory *memory, uint64_t visits);
/* Whether the limit is reached. */
bool ashi_solver_is_spent(const ashi_solver_memory *memory);
/* Whether an eighth of the granted work is done: what only refines the answer is left out from now on. */
bool ashi_solver_is_busy(const ashi_solver_memory *memory);
/* What is left of it. */
uint64_t ashi_solver_left(const ashi_solver_memory *memory);
/* An interrupt stops solves early, as if their work were used up; null: never. */
void ashi_solver_set_interrupt(ashi_solver_memory *memory, ashi_interruption *interrupt);
/* Approximate multiplications of all solves so far: those of factors of equality rows, plus ASHI_OF_A_VISIT for each
 * visit of a block, which takes as long. */
#define ASHI_OF_A_VISIT 64
uint64_t ashi_solver_operations(const ashi_solver_memory *memory);

/* Further results of soft-step, by number of the problem's points and turns. */
typedef struct ashi_soft_trail {
    ash_vec3 *lasting, *lasting_turns; /* impulses that would act in a step like the last sub-step, without impacts */
    bool *placed;                      /* overlap was removed */
    uint32_t points, turns;            /* capacity */
} ashi_soft_trail;
/* The trail of the last problem that soft-step solved. */
const ashi_soft_trail *ashi_solver_trail(const ashi_solver_memory *memory);

/* A solve of one island in progress. */
typedef struct ashi_solve {
    ashi_system *problem;
    const ash_problem_island *island;
    const ash_solver_settings *settings;
    const ashi_law *law;
    ashi_arena *scratch;          /* of this worker: reset by the caller before each island */
    ashi_solver_memory *memory;   /* patterns */
    uint32_t number;              /* of the island: the place of its lasting data */
    bool narrow;                  /* do not use instructions for four doubles, even if the machine has them; for
                                     tests */
    ash_solve_trace *trace;       /* null: none wanted */
    void *judged;                 /* memory of the yardstick, taken when first needed */
    double start, deadline;       /* s, by ashi_seconds; deadline 0: none */
    uint64_t visits, most_visits; /* of blocks: so far, and at most */
    uint32_t iterations;
    uint32_t flags;
    double residual; /* by the last judgement */
    /* soft-step: */
    ashi_soft_trail *trail;
    ash_yardstick error;                              /* its own judgement, ... */
    uint32_t judged_blocks;                           /* ... over this many blocks */
    double contact_work, friction_work, placing_work; /* J */
} ashi_solve;

/* On entry the rows' impulses are the first guess and `velocity` is theirs; on return they are the solution and its
 * velocities. Touches only the island's bodies, blocks and rows. False when memory ran out. */
typedef bool (*ashi_solver_function)(ashi_solve *solve);

/* By any of them (solvers.c): */
bool ashi_solve_by(ash_solver solver, ashi_solve *solve);
bool ashi_solve_jacobi(ashi_solve *solve);
bool ashi_solve_pgs(ashi_solve *solve); /* and sor: relaxation 1 or as set */
bool ashi_solve_lemke(ashi_solve *solve);
bool ashi_solve_nncg(ashi_solve *solve);
bool ashi_solve_apgd(ashi_solve *solve);
bool ashi_solve_newton(ashi_solve *solve);
bool ashi_solve_soft_step(ashi_solve *solve); /* sets `shift` */
bool ashi_solve_direct(ashi_solve *solve);
bool ashi_solve_structured(ashi_solve *solve);
bool ashi_solve_biconjugate(ashi_solve *solve);
bool ashi_solve_structured_dense(ashi_solve *solve);
bool ashi_solve_full_iterative(ashi_solve *solve);
bool ashi_solve_full_dense(ashi_solve *solve);
bool ashi_solve_shock(ashi_solve *solve); /* `velocity` is then that of the layers, not that of the impulses */
bool ashi_solve_penalty(ashi_solve *solve);
/* The solver that does the work: the inner one of `shock`, else the solver itself. */
static inline ash_solver ashi_inner_solver(const ash_solver_settings *settings)
{
    return ashi_solver_traits_of(settings->solver)->layers ? settings->inner : settings->solver;
}

/* For iterative solvers, called before each iteration, with rows' impulses and velocities up to date if they will be
 * judged: counts, traces, checks tolerance and clock. False: stop. `judge_every` is the number of iterations between
 * judgements without a trace. Sets flags and residual. */
bool ashi_solve_goes_on(ashi_solve *solve, uint32_t judge_every);

/* Whether the work limit is reached. Sets the flag. */
bool ashi_solve_is_spent(ashi_solve *solve);

/* Judges and traces now: for solvers that stop by their own measure. False when memory ran out. */
bool ashi_solve_judge(ashi_solve *solve);

/* theta of the system given by the settings, for the present impulses and velocities. */
double ashi_solve_own_theta(const ashi_solve *solve);

/* Whether the next call of ashi_solve_goes_on will judge. */
bool ashi_solve_is_judged(const ashi_solve *solve, uint32_t judge_every);

/* The island's pattern of a sparse factor, kept from step to step (newton). */
struct ashi_block_pattern *ashi_solver_pattern(const ashi_solve *solve);
/* The island's factor of equality rows, likewise (direct, soft-step). Null when memory ran out. */
struct ashi_direct *ashi_solver_factor(const ashi_solve *solve);

/* The island's contact graph, likewise (shock); and how often those of all islands were updated and rebuilt. */
ashi_contact_graph *ashi_solver_graph(const ashi_solve *solve);
void ashi_solver_graph_counts(const ashi_solver_memory *memory, uint64_t *updates, uint64_t *builds);

/* The whole problem. False when memory ran out. */
bool ashi_solve_problem(ashi_system *problem, const ash_solver_settings *settings, ashi_solver_memory *memory,
                        ashi_tasks *tasks, ash_solve_trace *trace, ash_solve_result *result);

/* The same with its own memory and threads; with a trace all islands are solved as one. */
bool ashi_system_solve(ashi_system *system, const ash_solver_settings *settings, uint32_t threads,
                       ash_solve_trace *trace, ash_solve_result *result);
/* Computes the velocities from the impulses, and judges both. False when memory ran out. */
bool ashi_system_measure(ashi_system *system, ash_yardstick *yardstick);

/* The spectrum of a system whose contacts are written out in blocks. */
ash_status ashi_system_spectrum(const ashi_system *expanded, double regularization, bool diagonal_scaling,
                                ash_spectrum *spectrum, ash_diagnostic *diagnostic);

#endif
