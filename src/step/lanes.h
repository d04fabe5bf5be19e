/* Contacts of the real-time solver that go straight into lanes (solve/wide/), and back: no problem is made of them.
 *
 * This is for islands in which all contacts are plain and no body has a joint; the others are solved in the problem,
 * with the same law. */
#ifndef ASHI_STEP_LANES_H
#define ASHI_STEP_LANES_H

#include "problem/assemble.h"
#include "step/momentum.h"

ashi_lanes *ashi_lanes_create(void);
void ashi_lanes_destroy(ashi_lanes *lanes);
/* Bytes that it holds. */
size_t ashi_lanes_size(const ashi_lanes *lanes);
/* No contact is in lanes. */
void ashi_lanes_clear(ashi_lanes *lanes);

/* Decides which contacts of the part go into lanes. `leaves`, by contact point: those that are left out anyway, or
 * null; replaced by those that the problem has to leave out. `rest`: contacts or joints remain for the problem. False
 * when memory ran out. */
bool ashi_lanes_plan(ashi_step *step, double h, double reach, const bool **leaves, bool *rest);
/* By contact point: those of islands at rest that no first guess holds; null: there are none. */
const bool *ashi_lanes_unheld(const ashi_lanes *lanes);
/* Solves, and records the error and the works of the solution. False when memory ran out. */
bool ashi_lanes_solve(ashi_step *step);
/* Whether there are contacts in lanes. */
bool ashi_lanes_act(const ashi_lanes *lanes);
uint32_t ashi_lanes_point_count(const ashi_lanes *lanes);
/* Joins the bodies that pushed each other. */
void ashi_lanes_join(ashi_step *step, ashi_kept_momentum *kept);
/* Writes `next`; false when memory ran out. `elastic`, by slot: bodies on which elastic forces act; null: there are
 * none. */
bool ashi_lanes_correct(ashi_step *step, const bool *elastic, ashi_kept_momentum *kept);
/* Stores the forces of the points in the contacts; a visitor of ashi_store_forces. */
void ashi_lanes_store(const ashi_replaced_forces *replaced, ashi_point_record *points, void *lanes);
/* Puts islands at rest to sleep, like those of the problem; bodies of islands are marked. */
void ashi_lanes_lay(ashi_step *step, bool (*rests)(const ashi_step *step, uint32_t slot),
                    void (*lay)(ashi_step *step, uint32_t slot, uint64_t group));
void ashi_lanes_mark(const ashi_lanes *lanes, bool *marks);

/* The problem of all contacts of the last part, those of `problem` included, with the solution. `contacts`: those at
 * its start; the model's `next` is the state at its start. False when memory ran out. */
bool ashi_lanes_write_problem(ashi_lanes *lanes, const ashi_model *model, const ashi_contact_set *contacts,
                              const ash_method *method, double time, ashi_system *problem);

#endif
