/* The scheme `impulses`: joints hold at the end of every step, by impulses at its start and its end
 * (Bender & Schmitt 2006; docs/joint-methods.md). */
#ifndef ASHI_STEP_JOINTS_JOINT_IMPULSES_H
#define ASHI_STEP_JOINTS_JOINT_IMPULSES_H

#include "step/step.h"

/* What is kept between steps: the joints' systems at the start and the end of a part, of which the second becomes the
 * first when the part is accepted. */
typedef struct ashi_joint_impulses ashi_joint_impulses;

/* Null when memory ran out. */
ashi_joint_impulses *ashi_joint_impulses_create(void);
void ashi_joint_impulses_destroy(ashi_joint_impulses *impulses);
/* Masses, joints or bodies have been changed: nothing that is kept holds any more. */
void ashi_joint_impulses_forget(ashi_joint_impulses *impulses);
/* Multiplications of the joints' systems so far, about. */
uint64_t ashi_joint_impulses_operations(const ashi_joint_impulses *impulses);
/* Memory for a part of a step, empty. */
ashi_arena *ashi_joint_impulses_memory(const ashi_step *step);

/* Whether joints are held by accelerations, whose errors no projection removes. */
bool ashi_joint_impulses_drift(const ashi_step *step);
/* Whether joints have more than rigid held rows: limits, drives, springs, friction, compliance. */
bool ashi_joint_impulses_are_driven(const ashi_step *step);

/* Parts that a step of this length must be cut into: what joints carried last (or, if no step has told that, carry at
 * the start) makes bodies swing, and these schemes are stable only up to about two radians of such a swing in a part.
 */
uint32_t ashi_joint_impulses_parts(ashi_step *step, double length);
/* How far bodies swing in the part that was just taken, by what joints carried in it: as a multiple of the farthest
 * that these schemes follow. 0 where joints contradict each other, so that shorter parts would not help. */
double ashi_joint_impulses_swing(ashi_step *step);
/* Scheme `accelerations`: adds to the forces just summed up at a state those that hold the joints there. */
void ashi_joint_impulses_accelerate(ashi_step *step, const ashi_state *state, double time);
/* Free motion over step->h with all joints held: from `now` to `next`, positions and velocities. `holds`: contacts and
 * drives are to act on that, and the bodies will be joined again. False when memory ran out. */
bool ashi_joint_impulses_move(ashi_step *step, bool holds);
/* After contacts and drives have changed the velocities of `next`: lets that act in halves at both ends, so that joints
 * hold at the end. Bodies without joints stay as they are. False when memory ran out. */
bool ashi_joint_impulses_move_again(ashi_step *step);
/* Last, when positions of `next` may have been projected: joins the bodies again where that opened joints, and makes
 * their velocities agree. False when memory ran out. */
bool ashi_joint_impulses_rejoin(ashi_step *step);
/* Makes the velocities of `next` agree with the joints there, and records the work. False when memory ran out. */
bool ashi_joint_impulses_agree(ashi_step *step);
/* Only moves the bodies of `next` until the joints hold there. False when memory ran out. */
bool ashi_joint_impulses_project(ashi_step *step);
/* The part was accepted, `next` being the state before it: adds what joints carried to their forces, if that `counts`.
 */
void ashi_joint_impulses_accept(ashi_step *step, bool counts);

#endif
