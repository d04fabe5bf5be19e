/* A part with joints that free motion holds:
 *
 *   free motion     impulses at the start so that all joints hold at the end, then the velocities there
 *                   (joint_impulses.c); or accelerations at every evaluation of forces, and a projection
 *   contacts        act on that (hold.c), then again in halves at both ends
 *   project, join   overlap goes, the joints that this has opened are closed, velocities agree with them
 *   return          bodies that pushed only each other get back their angular momentum (momentum.c)
 *
 * With `contact-pass`, and where joints that impulses hold have motors, limits or springs, joints, contacts and drives
 * are found in one loop instead (joint_loop.c). */
#include "step/schemes/joined.h"

#include "step/hold.h"
#include "step/joints/joint_impulses.h"
#include "step/joints/joint_loop.h"
#include "step/momentum.h"
#include "step/schemes/velocity.h"

bool ashi_joined_holds(const ashi_step *step)
{
    return (ashi_step_solves_contacts(step) && step->collision->now.points.count > 0) || step->driven;
}

bool ashi_joined_move(ashi_step *step)
{
    step->driven = ashi_joint_impulses_are_driven(step);
    return ashi_joint_impulses_move(step, ashi_joined_holds(step)) && !step->model->forces.out_of_memory;
}

/* Joints first, then the others. */
static bool take_in_turn(ashi_step *step, double h, double reach)
{
    bool moved = ashi_joined_move(step);
    if (!moved || !ashi_joined_holds(step)) {
        ashi_system_clear(step->problem);
        return moved;
    }
    return ashi_scheme_hold(step, h, reach, ashi_hold) && ashi_joint_impulses_move_again(step) &&
           ashi_project_positions(step) && ashi_joint_impulses_rejoin(step);
}

/* All in one loop. */
static bool take_together(ashi_step *step, double reach)
{
    bool done = ashi_joint_loop_take(step, reach) && !step->model->forces.out_of_memory;
    if (done)
        ashi_momentum_join_blocks(step->whole, step->problem);
    return done;
}

bool ashi_joined_take(ashi_step *step, double h, double reach)
{
    step->h = h;
    step->whole = ashi_momentum_keep_start(step, ashi_joint_impulses_memory(step));
    if (step->whole == NULL)
        return false;
    step->driven = ashi_joint_impulses_are_driven(step);
    bool together = ashi_joint_loop_acts(step) && ashi_joined_holds(step);
    bool done = together ? take_together(step, reach) : take_in_turn(step, h, reach);
    if (done) {
        ashi_momentum_join_joints(step->whole);
        done = ashi_momentum_return(step->whole, &step->model->bodies.next, &step->work.stabilization);
    }
    step->whole = NULL;
    return done;
}
