/* The velocity-level scheme of most methods:
 *
 *   free motion     q*, v* from q, v by the integrator, under the forces alone
 *   hold            impulses of contacts and joints so that v' = v* + M^-1 J^T lambda obeys their law; positions follow
 *                   (hold.c)
 *   project         overlap and open joints are removed from the positions, where the method wants it (project.c) */
#include "step/schemes/velocity.h"

#include "step/hold.h"
#include "step/lanes.h"

bool ashi_velocity_move(ashi_step *step)
{
    return ashi_step_integrate(step) && !step->model->forces.out_of_memory;
}

bool ashi_velocity_holds(const ashi_step *step)
{
    return ashi_step_solves_contacts(step) || step->model->joints.pool.used > 0;
}

/* The power of the forces on the mean velocity of the part, as `next` is now. */
static ashi_work mean_power(const ashi_step *step)
{
    const ashi_bodies *b = &step->model->bodies;
    ashi_force_instant stage = {&b->now, step->time, step->tasks};
    return ashi_forces_power(step->model, &stage, &b->now, &b->next);
}

bool ashi_scheme_hold(ashi_step *step, double h, double reach, bool (*hold)(ashi_step *, double, double))
{
    ashi_work free = mean_power(step);
    if (!hold(step, h, reach))
        return false;
    ashi_work held = mean_power(step);
    ashi_work_add(&step->work, &held, h);
    ashi_work_add(&step->work, &free, -h);
    return true;
}

bool ashi_velocity_stage(ashi_step *step, double h, double reach, bool corrects)
{
    step->h = h;
    bool moved = ashi_velocity_move(step);
    if (!moved || !ashi_velocity_holds(step)) {
        ashi_system_clear(step->problem);
        ashi_lanes_clear(step->lanes);
        return moved;
    }
    if (step->collision->now.points.count == 0 && step->model->joints.pool.used == 0)
        return ashi_hold(step, h, reach); /* an empty problem */
    return ashi_scheme_hold(step, h, reach, ashi_hold) && (!corrects || ashi_project_positions(step));
}

static bool take(ashi_step *step, double h, double reach)
{
    return ashi_velocity_stage(step, h, reach, true);
}

const ashi_scheme_class ashi_scheme_velocity = {
    .name = "velocity",
    .take = take,
    .move = ashi_velocity_move,
    .holds = ashi_velocity_holds,
    .order = 1,
    .fits_lanes = true,
};
