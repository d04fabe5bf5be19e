/* Sweeps find the forces of a pile that stands still within some steps, in which it moves. Most piles return to rest,
 * but balls that lean on each other by friction alone begin to roll, and nothing stops them. Such islands begin with an
 * exact solution of their first part, which sweeps then keep. */
#include "step/first_loads.h"

#include "problem/assemble.h"
#include "step/hold.h"

#include <string.h>

#define MOST_POINTS     1000 /* more would take seconds */
#define MOST_ITERATIONS 200
#define ENOUGH          1e-9 /* units of length and time: error of the solution */

static uint32_t count_true(const bool *marks, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += marks[i];
    return sum;
}

/* The problem of these points alone. */
static bool assemble(ashi_step *step, double h, double reach, const bool *leaves)
{
    ashi_assembly assembly = ashi_hold_assembly(step, h, reach);
    assembly.leaves = leaves;
    return ashi_assemble(&assembly, step->scratch, step->problem);
}

bool ashi_first_loads_find(ashi_step *step, double h, double reach, const bool *unheld, bool *found)
{
    ashi_contact_set *set = &step->collision->now;
    uint32_t count = set->points.count;
    ash_solve_result result;
    *found = false;
    if (count_true(unheld, count) > MOST_POINTS)
        return true;
    bool *leaves = ashi_arena_take_array(step->scratch, count, sizeof *leaves);
    if (leaves == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        leaves[i] = !unheld[i];
    ash_solver_settings settings = step->method.solver;
    settings.solver = ASHI_EXACT_SOLVER;
    settings.iterations = MOST_ITERATIONS;
    settings.tolerance = ENOUGH * settings.unit_length / settings.unit_time;
    settings.warm_start = false;
    if (!assemble(step, h, reach, leaves) ||
        !ashi_solve_problem(step->problem, &settings, step->solvers, step->tasks, NULL, &result))
        return false;
    if (!(result.flags & ASH_SOLVE_CONVERGED))
        return true;
    const ashi_replaced_forces *replaced =
        ashi_store_forces(step->problem, NULL, NULL, step->model, set, NULL, step->scratch);
    if (replaced == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!leaves[i] || !replaced->replaced[i])
            continue;
        set->points.data[i].force = replaced->before[i].force;
        set->points.data[i].torque = replaced->before[i].torque;
    }
    *found = true;
    return true;
}
