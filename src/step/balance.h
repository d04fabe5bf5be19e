/* The energy of jointed bodies before and after a part: detects energy that passive joints and contacts have added or
 * lost. */
#ifndef ASHI_STEP_BALANCE_H
#define ASHI_STEP_BALANCE_H

#include "step/step.h"

typedef struct ashi_balance ashi_balance;

/* Whether a joint has more than rigid held rows, which do no work. */
bool ashi_joint_may_lose(const ashi_joint_entry *joint);

/* Compares the states `now` and `next`, for each group of bodies that joints and contacts connect. `placed`, J: stored
 * energy that corrections of positions have added, and no velocities; it is not a gain. Null when memory ran out
 * (scratch memory of the part). */
ashi_balance *ashi_balance_draw(ashi_step *step, double placed);
/* The largest gain of a group over what is allowed, a share of the kinetic energy; above 1: it gains energy. */
double ashi_balance_gain(const ashi_balance *balance, double share);
/* The same for gains and losses, where nothing may take energy away. */
double ashi_balance_error(const ashi_balance *balance, double share);
/* The same for losses alone, for methods of order one. */
double ashi_balance_loss(const ashi_balance *balance, double share);
/* Slows each group that gains more than is allowed. Groups that touch nothing fixed keep their momentum. True: some
 * were slowed. */
bool ashi_balance_settle(ashi_balance *balance, double share);

#endif
