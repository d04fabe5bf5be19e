/* The contact problem that a step would solve. */
#include "problem/problem.h"
#include "world/world.h"

#include <math.h>

ash_status ash_world_next_problem(ash_world *world, double h, ash_problem *problem)
{
    if (!(h > 0) || !isfinite(h) || problem == NULL)
        return ashi_world_misuse(world, ASH_BAD_ARGUMENT, "world.problem",
                                 "ash_world_next_problem: the step is %g s, or the place for the problem is null", h);
    ashi_step step = ashi_world_begin_step(world, h);
    ashi_system system = {0};
    step.problem = &system;
    bool done = ashi_step_foresee(&step) && ashi_public_of(problem, &system);
    world->detected = step.detected ? world->revision : 0;
    ashi_system_release(&system);
    if (!done) {
        ash_problem_release(problem);
        return ashi_world_misuse(world, ASH_OUT_OF_MEMORY, "step.memory", "ash_world_next_problem: out of memory");
    }
    problem->h = step.h;
    return ASH_OK;
}
