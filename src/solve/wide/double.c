/* Contacts in lanes of four doubles, for masses that single numbers cannot hold side by side. */
#define ASHI_SINGLE 0
#include "solve/wide/solve.h"

bool ashi_wide_solve_double(const ashi_wide_task *task, ashi_wide_solution *solution)
{
    return solve(task, solution);
}

void ashi_wide_visit_double(const ashi_wide_task *task, const ashi_wide_solution *solution, ashi_wide_visitor visit,
                            void *data)
{
    visit_all(task, solution, visit, data);
}

void ashi_wide_store_double(const ashi_wide_task *task, const ashi_wide_solution *solution, ashi_contact_point *points,
                            const ashi_replaced_forces *replaced)
{
    store_forces(task, solution, points, replaced);
}
