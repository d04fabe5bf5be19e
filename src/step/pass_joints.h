/* Joints in passes of impulses: blocks of rows are visited one by one, in their layers. */
#ifndef ASHI_STEP_PASS_JOINTS_H
#define ASHI_STEP_PASS_JOINTS_H

#include "step/foresight.h"

typedef struct ashi_pass_joints {
    uint32_t *blocks; /* numbers of the problem's blocks of joints, by layers */
    uint32_t *first;  /* by layer, and where the last one ends */
} ashi_pass_joints;

/* Finds the joints' blocks of the step's problem, and which bodies they join. False when memory ran out. */
bool ashi_pass_joints_begin(ashi_pass_joints *joints, ashi_foresight *foresight, const ashi_contact_graph *graph);
/* Lets each of a layer's blocks act once: the impulses that make its rows hold by themselves. */
void ashi_pass_joints_visit(ashi_pass_joints *joints, ashi_foresight *foresight, uint32_t layer);

#endif
