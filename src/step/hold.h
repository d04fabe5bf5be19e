/* Contacts that hold: the part of a step between free motion and the new state. */
#ifndef ASHI_STEP_HOLD_H
#define ASHI_STEP_HOLD_H

#include "problem/assemble.h"
#include "step/step.h"

/* An assembly of the contacts within `reach` (m) and the joints at `now`, filled in for the step's scheme. */
ashi_assembly ashi_hold_assembly(const ashi_step *step, double h, double reach);
/* The problem of the contacts within `reach` (m) at `now`, after free motion over h has written `next`; `by_points`:
 * contacts are not written out in blocks. False when memory ran out. */
bool ashi_hold_assemble(ashi_step *step, double h, double reach, bool by_points);
/* Assembles it, solves it, and corrects `next`, which free motion
 * over h has written. False when memory ran out. */
bool ashi_hold(ashi_step *step, double h, double reach);

/* The share of a change of velocity that positions follow: 1, or 1/2 where free motion is of order 2. */
double ashi_hold_share(ash_integrator integrator);

/* Adds a solve to the step's report, which keeps the worst. */
void ashi_hold_note(ashi_step *step, const ash_solve_result *result);
/* Records the works of the joints' rows: impulses times the mean speeds at the start and by the solution. */
void ashi_hold_record_joints(ashi_step *step);

/* Whether joints are closed afterwards by a separate factorization: for solvers that move bodies, and passes. */
bool ashi_hold_closes(const ashi_step *step);

/* Solves the step's problem, reports on it and records its works. False when memory ran out. */
bool ashi_hold_solve(ashi_step *step);

/* Moves the positions of `next` so that the step's contacts do not overlap; velocities stay (Cline & Pai 2003). After
 * ashi_hold. False when memory ran out. */
bool ashi_project_positions(ashi_step *step);
/* The same with the rows of another problem, at the same contacts and joints, by another solver. `moved`: there was
 * something to correct. */
bool ashi_project_along(ashi_step *step, const ashi_system *source, ash_solver solver, bool *moved);

/* Moves a body of `next` by a small displacement. */
void ashi_displace(ashi_step *step, uint32_t slot, ash_vec3 way, ash_vec3 turn);

/* The pair of shapes that a contact point belongs to: contacts have their points in order. */
const ashi_contact_pair *ashi_pair_of_point(const ashi_contact_set *set, uint32_t point);

/* The displacement that a body lacks on which elastic forces act: its velocity at the end is v. */
ash_motion ashi_hold_elastic_delay(const ash_problem_body *body, const ash_motion *v, double h, uint32_t substeps);

#endif
