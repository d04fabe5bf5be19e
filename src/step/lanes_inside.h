/* What is kept of contacts in lanes (lanes.h), for the files that know them. */
#ifndef ASHI_STEP_LANES_INSIDE_H
#define ASHI_STEP_LANES_INSIDE_H

#include "solve/wide/wide.h"
#include "step/lanes.h"

/* Of single numbers and of doubles, each in the sub-steps of the method and in two, four and eight times as many. */
enum { ASHI_FINENESSES = 4 };
enum { ASHI_SINGLE_WIDTH, ASHI_DOUBLE_WIDTH = ASHI_FINENESSES, ASHI_WIDTHS = 2 * ASHI_FINENESSES };

struct ashi_lanes {
    ashi_arena *arena; /* all of the last part */
    ashi_wide_task task[ASHI_WIDTHS];
    ashi_wide_solution solution[ASHI_WIDTHS];
    ashi_wide_place *places;
    ashi_pose2 *flat_places;
    ashi_wide_body *bodies;
    uint32_t *owner, *parent, *active; /* by shape, by slot, of bodies that move */
    uint32_t active_count, point_count, islands;
    ashi_wide_entry *entries[ASHI_WIDTHS];
    bool *leans;     /* by root: some body pushed what cannot move, ... */
    bool any_free;   /* ... which some island has not */
    bool *unheld;    /* by contact point: of islands that stand still and that no first guess holds; null: none */
    bool any_unheld; /* some are */
    double h, reach;
    bool acts;
    uint8_t narrower; /* by how many widths instructions are narrower than the machine has them: for tests */
};

/* First guesses for islands of the task that are `cold`, by the root's slot. False when memory ran out. */
bool ashi_lanes_load(ashi_lanes *lanes, ashi_wide_task *task, const bool *cold, ashi_arena *scratch);

#endif
