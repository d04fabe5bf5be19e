/* The stored problems in tests: every one by name and number, from experiments/stored_problem.h. */
#ifndef TESTS_PROBLEM_PROBLEMS_H
#define TESTS_PROBLEM_PROBLEMS_H

#include "check.h"

#include "experiments/stored_problem.h"
#include "problem/expand.h"

/* The problem of that name, cold; released by ashi_problem_release. */
static inline ash_problem contacts_named(const char *name)
{
    ash_problem problem = {0};
    const ashi_stored_problem *stored = ashi_stored_problem_find(name);
    if (stored == NULL)
        fail_msg("there is no stored problem %s", name);
    else
        assert_true(stored->make(&problem));
    return problem;
}

/* A problem with its contacts written out in blocks, in its place. */
static inline void spread_contacts(ash_problem *problem)
{
    ash_problem made = *problem;
    *problem = (ash_problem){0};
    assert_true(ashi_problem_expand(problem, &made));
    ashi_problem_release(&made);
}

/* Its contacts are given by their rows alone then, which a test may change as it likes. */
static inline void keep_rows_alone(ash_problem *problem)
{
    spread_contacts(problem);
    problem->expanded = false;
    problem->contact_count = problem->point_count = problem->turn_count = 0;
    for (uint32_t i = 0; i < problem->island_count; i++) {
        ash_problem_island *island = &problem->islands[i];
        island->first_contact = island->contact_count = island->first_point = island->point_count = 0;
    }
}

static inline ash_problem expanded_named(const char *name)
{
    ash_problem problem = contacts_named(name);
    spread_contacts(&problem);
    return problem;
}

static inline ash_problem problem_named(const char *name)
{
    ash_problem problem = contacts_named(name);
    keep_rows_alone(&problem);
    return problem;
}

#endif
