/* The stored problems in tests: every one by name and number, from experiments/stored_problem.h. */
#ifndef TESTS_PROBLEM_PROBLEMS_H
#define TESTS_PROBLEM_PROBLEMS_H

#include "check.h"

#include "experiments/stored_problem.h"
#include "problem/expand.h"
#include "problem/problem.h"
#include "solve/solve.h"

/* The problem of that name, cold; released by ash_problem_release. */
static inline ash_problem public_named(const char *name)
{
    ash_problem problem = {0};
    const ashi_named_problem *stored = ashi_named_problem_find(name);
    if (stored == NULL)
        fail_msg("there is no stored problem %s", name);
    else
        assert_true(stored->make(&problem));
    return problem;
}

/* A problem in the library's form, in place of the public one; released by ashi_system_release. */
static inline ashi_system taken_from(ash_problem *made)
{
    ashi_system system = {0};
    assert_true(ashi_system_of(&system, made));
    ash_problem_release(made);
    return system;
}

static inline ashi_system contacts_named(const char *name)
{
    ash_problem made = public_named(name);
    return taken_from(&made);
}

/* A problem with its contacts written out in blocks, in its place. */
static inline void spread_contacts(ashi_system *problem)
{
    ashi_system made = *problem;
    *problem = (ashi_system){0};
    assert_true(ashi_system_expand(problem, &made));
    ashi_system_release(&made);
}

/* Its contacts are given by their rows alone then, which a test may change as it likes. */
static inline void keep_rows_alone(ashi_system *problem)
{
    spread_contacts(problem);
    problem->expanded = false;
    problem->contact_count = problem->point_count = problem->turn_count = 0;
    for (uint32_t i = 0; i < problem->island_count; i++) {
        ash_problem_island *island = &problem->islands[i];
        island->first_contact = island->contact_count = island->first_point = island->point_count = 0;
    }
}

static inline ashi_system expanded_named(const char *name)
{
    ashi_system problem = contacts_named(name);
    spread_contacts(&problem);
    return problem;
}

static inline ashi_system problem_named(const char *name)
{
    ashi_system problem = contacts_named(name);
    keep_rows_alone(&problem);
    return problem;
}

#endif
