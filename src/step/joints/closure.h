/* Closing joints: bodies are moved so that what joints remove is gone, as little as possible in the mass metric. */
#ifndef ASHI_STEP_JOINTS_CLOSURE_H
#define ASHI_STEP_JOINTS_CLOSURE_H

#include "model/forces.h"
#include "solve/direct/direct.h"
#include "step/step.h"

typedef struct ashi_closure {
    const ashi_model *model;
    ashi_state *state; /* what is changed */
    ashi_system *problem;
    ashi_direct *direct;
    ashi_arena *scratch;
    double time;
    double h;       /* > 0: after a step of this length, bodies under tension as heavy as in it (problem/tension.h) */
    double damping; /* Levenberg's: > 0: rows yield by this share of their own response */
    /* made by the functions below */
    double *wanted, *answer; /* by row */
} ashi_closure;

/* The joints' rows at the present state. False when memory ran out. */
bool ashi_closure_look(ashi_closure *closure);
/* Factors them, damped. False when memory ran out. */
bool ashi_closure_factor(ashi_closure *closure);
/* The largest error of positions at the present state, m or rad; rows stay. */
double ashi_closure_error(ashi_closure *closure);
/* Finds, by the last factor, how bodies are to move (problem->velocity): no body by more than `most` rad or
 * units of length. */
void ashi_closure_aim(ashi_closure *closure, double most);
/* Moves the bodies of an island, or (null) all, by a share of that. */
void ashi_closure_move(ashi_closure *closure, const ash_problem_island *island, double share);
/* One correction of the velocities by the last factor: the rows' impulses are added to `impulse` of the problem's rows.
 * Returns the largest |J v - speed| before it; a smaller one than `enough` is left alone. */
double ashi_closure_correct_velocities(ashi_closure *closure, double enough);

/* Within ashi_hold: joints' positions in `next`, then their velocities. False when memory ran out. */
bool ashi_step_close_joints(ashi_step *step);

/* Which joints have rows that depend on others at a state: sets `indeterminate` of all joints, and counts. False when
 * memory ran out. */
bool ashi_find_redundancy(ashi_model *model, const ashi_state *state, double time, ashi_system *problem,
                          ashi_direct *direct, ashi_arena *scratch, ash_mobility *mobility);

#endif
