/* Sleeping: bodies that have come to rest are not computed. */
#ifndef ASHI_STEP_SLEEP_H
#define ASHI_STEP_SLEEP_H

#include "step/step.h"

/* Wakes a body and those that fell asleep with it. */
void ashi_sleep_wake_group(ashi_bodies *bodies, uint32_t slot);
void ashi_sleep_wake_all(ashi_bodies *bodies);
/* Wakes a body and all bodies that it touches by the contacts last found; to be called before the body is changed or
 * removed. */
void ashi_sleep_disturb(const ashi_collision *collision, ashi_model *model, uint32_t slot);

/* The stages of a step. First: wakes bodies that moving ones touch; all bodies if the method has no sleeping
 * islands. */
void ashi_sleep_wake(ashi_step *step);
/* Whether nothing in the world moves or could be moved. */
bool ashi_sleep_is_all(const ashi_step *step);
/* The step of such a world: its contacts persist. */
void ashi_sleep_through(ashi_step *step);
/* Gribel's threshold: in `next`, bodies that have been slow for long keep their position; to be called after a part. */
void ashi_sleep_suspend(ashi_step *step);
/* Last: measures how long bodies have been slow, puts islands to sleep, and wakes sleeping bodies whose forces
 * changed. */
void ashi_sleep_settle(ashi_step *step);

/* Whether the body counts as awake under the method. */
bool ashi_sleep_is_awake(const ashi_bodies *bodies, const ash_method *method, uint32_t slot);
/* The number of bodies that do not count as awake. */
uint32_t ashi_sleep_count(const ashi_bodies *bodies, const ash_method *method);

#endif
